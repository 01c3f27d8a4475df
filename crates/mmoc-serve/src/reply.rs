//! Answers as HTTP responses.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::refusal::Refusal;

pub(crate) type Reply = Response<Full<Bytes>>;

/// How much of the body of the Open Inference Protocol is JSON, where numbers follow as bytes.
pub(crate) const HEADER_LENGTH: HeaderName =
    HeaderName::from_static("inference-header-content-length");

/// Seconds after which it makes sense to ask again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// Some bytes of a type.
pub(crate) fn content(kind: &'static str, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    let kind = HeaderValue::from_static(kind);
    reply.headers_mut().insert(header::CONTENT_TYPE, kind);
    reply
}

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Reply {
    match serde_json::to_vec(value) {
        Ok(body) => json_bytes(body),
        Err(_) => refused(&Refusal::internal()),
    }
}

/// Bytes that are JSON.
pub(crate) fn json_bytes(body: impl Into<Bytes>) -> Reply {
    content("application/json", body)
}

/// Nothing but a status.
pub(crate) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Full::default());
    *reply.status_mut() = status;
    reply
}

/// The methods that are allowed.
pub(crate) fn options(allow: &'static str) -> Reply {
    let mut reply = empty(StatusCode::NO_CONTENT);
    let allow = HeaderValue::from_static(allow);
    reply.headers_mut().insert(header::ALLOW, allow);
    reply
}

#[derive(Serialize)]
struct Failed<'a> {
    error: &'a str,
}

/// Why there is no answer.
pub(crate) fn refused(refusal: &Refusal) -> Reply {
    let body = serde_json::to_vec(&Failed {
        error: &refusal.message,
    });
    let mut reply = json_bytes(body.unwrap_or_default());
    *reply.status_mut() = refusal.status;
    let headers = reply.headers_mut();
    if let Some(allow) = refusal.allow {
        headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    match refusal.status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        // The rest of such a request is not read.
        StatusCode::REQUEST_TIMEOUT | StatusCode::PAYLOAD_TOO_LARGE => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => (),
    }
    reply
}
