//! How many rows a request has, counted without the readers of the server.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::request::Kind;

#[derive(Deserialize)]
struct Rows {
    rows: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Tensors {
    inputs: Vec<Tensor>,
}

#[derive(Deserialize)]
struct Tensor {
    shape: Vec<usize>,
}

/// The rows of a body that was answered; none where counting them would take a reader like that of the server.
pub(crate) fn rows_asked(kind: Kind, body: &[u8]) -> Option<usize> {
    match kind {
        Kind::Json => Some(json::<Rows>(body).rows.len()),
        Kind::JsonLines => Some(lines(body)),
        Kind::Csv => (!body.contains(&b'"')).then(|| lines(body) - 1),
        Kind::Tensors(length) => {
            let asked: Tensors = json(&body[..length.unwrap_or(body.len())]);
            let mut rows = asked.inputs.iter().map(|tensor| tensor.shape[0]);
            let first = rows.next().expect("a tensor");
            assert!(rows.all(|next| next == first));
            Some(first)
        }
        Kind::Other => None,
    }
}

fn json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> T {
    let text = std::str::from_utf8(bytes).expect("what was read is text");
    serde_json::from_str(text).expect("what was read is JSON")
}

/// The lines that are not blank. Old programs end them with a carriage return.
fn lines(body: &[u8]) -> usize {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let end = if body.contains(&b'\n') { b'\n' } else { b'\r' };
    let lines = body.split(|&byte| byte == end);
    lines.filter(|line| !line.trim_ascii().is_empty()).count()
}
