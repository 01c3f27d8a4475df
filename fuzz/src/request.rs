//! Requests to `mmoc serve`: each is answered, or refused with a reason.

use hyper::http::request::Builder;
use hyper::{Method, Request};

use super::reply::{check_reply, check_same};
use super::rows_asked::rows_asked;
use super::served::{NAMES, served};

/// A request. The first byte chooses its kind, and as a capital letter the other model:
///
/// - `j`, `c`, `l`: rows as JSON, CSV and JSON lines. The first line is the query, the rest the body.
/// - `t`: tensors as JSON.
/// - `b`: tensors as bytes. The first line is the length of the JSON as the header says it. If it is empty, the second
///   line is the JSON and the header is right.
/// - `h`: a request line, lines with headers, an empty line and a body.
pub fn request(bytes: &[u8]) {
    status(bytes);
}

/// The status of the reply, which was checked; none if the bytes are no request.
pub fn status(bytes: &[u8]) -> Option<u16> {
    let (asked, server) = (Asked::of(bytes)?, served());
    let reply = server.answer(asked.request());
    check_reply(&asked, &reply);
    check_same(&reply, &server.answer(asked.request()));
    Some(reply.status().as_u16())
}

/// What is asked, which can be asked again.
pub(crate) struct Asked {
    head: Request<()>,
    pub(crate) body: Vec<u8>,
    pub(crate) kind: Kind,
}

/// What a body is made of, as far as it is known without reading the headers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Csv,
    JsonLines,
    /// Tensors, of whose body so many bytes are JSON, or all.
    Tensors(Option<usize>),
    Other,
}

impl Asked {
    /// What the bytes ask; none if they are no request, which libraries refuse before they reach the service.
    fn of(bytes: &[u8]) -> Option<Self> {
        let (&choice, rest) = bytes.split_first()?;
        let model = NAMES[usize::from(choice.is_ascii_uppercase())];
        match choice.to_ascii_lowercase() {
            b'j' => Self::of_rows(model, Kind::Json, "application/json", rest),
            b'c' => Self::of_rows(model, Kind::Csv, "text/csv", rest),
            b'l' => Self::of_rows(model, Kind::JsonLines, "application/x-ndjson", rest),
            b't' => Self::new(infer(model), rest.to_vec(), Kind::Tensors(None)),
            b'b' => Self::of_bytes(model, rest),
            b'h' => Self::of_text(rest),
            _ => None,
        }
    }

    fn new(head: Builder, body: Vec<u8>, kind: Kind) -> Option<Self> {
        let head = head.body(()).ok()?;
        Some(Self { head, body, kind })
    }

    fn of_rows(model: &str, kind: Kind, media_type: &str, rest: &[u8]) -> Option<Self> {
        let (query, body) = line(rest);
        let query = std::str::from_utf8(query).ok()?;
        let path = format!("/v1/models/{model}/predict?{query}");
        let head = Request::post(path).header("content-type", media_type);
        Self::new(head, body.to_vec(), kind)
    }

    fn of_bytes(model: &str, rest: &[u8]) -> Option<Self> {
        let (declared, body) = line(rest);
        let mut body = body.to_vec();
        if !declared.is_empty() {
            let length = std::str::from_utf8(declared).ok()?.parse().ok();
            let head = infer(model).header(HEADER_LENGTH, declared);
            return Self::new(head, body, Kind::Tensors(length));
        }
        let length = line(&body).0.len();
        if length < body.len() {
            body.remove(length);
        }
        let head = infer(model).header(HEADER_LENGTH, length);
        Self::new(head, body, Kind::Tensors(Some(length)))
    }

    fn of_text(text: &[u8]) -> Option<Self> {
        let (first, mut rest) = line(text);
        let (method, path) = std::str::from_utf8(first).ok()?.split_once(' ')?;
        let mut head = Request::builder().method(method).uri(path);
        loop {
            let (header, after) = line(rest);
            rest = after;
            if header.is_empty() {
                return Self::new(head, rest.to_vec(), Kind::Other);
            }
            let colon = header.iter().position(|&byte| byte == b':')?;
            head = head.header(&header[..colon], header[colon + 1..].trim_ascii());
        }
    }

    fn request(&self) -> Request<Vec<u8>> {
        self.head.clone().map(|()| self.body.clone())
    }

    pub(crate) fn is(&self, method: &Method) -> bool {
        self.head.method() == method
    }

    pub(crate) fn path(&self) -> &str {
        self.head.uri().path()
    }

    /// Whether the request says this itself: libFuzzer tries what it sees compared.
    pub(crate) fn quotes(&self, text: &str) -> bool {
        let body = String::from_utf8_lossy(&self.body);
        body.contains(text) || self.head.uri().to_string().contains(text)
    }

    /// The rows that are asked about, as far as another reader can tell.
    pub(crate) fn rows(&self) -> Option<usize> {
        rows_asked(self.kind, &self.body)
    }
}

pub(crate) const HEADER_LENGTH: &str = "inference-header-content-length";

fn infer(model: &str) -> Builder {
    Request::post(format!("/v2/models/{model}/infer"))
}

/// The bytes of the first line, and those after it.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n');
    let end = end.unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
}
