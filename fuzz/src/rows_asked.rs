//! How many rows a request has, counted without the readers of the server.

use serde_json::Value;

use super::request::Kind;

/// The rows of a body that was answered; none where counting them would take a reader like that of the server.
pub(crate) fn rows_asked(kind: Kind, body: &[u8]) -> Option<usize> {
    match kind {
        Kind::Json => {
            let request: Value = serde_json::from_slice(body).expect("what was read is JSON");
            Some(request["rows"].as_array().expect("a list of rows").len())
        }
        Kind::JsonLines => Some(lines(body)),
        Kind::Csv => (!body.contains(&b'"')).then(|| lines(body) - 1),
        Kind::Tensors(length) => {
            let json = &body[..length.unwrap_or(body.len())];
            let request: Value = serde_json::from_slice(json).expect("what was read is JSON");
            let inputs = request["inputs"].as_array().expect("a list of tensors");
            let mut rows = inputs.iter().map(|input| first_size(&input["shape"]));
            let first = rows.next().expect("a tensor");
            assert!(rows.all(|next| next == first), "{request}");
            Some(first)
        }
        Kind::Other => None,
    }
}

/// The lines that are not blank.
fn lines(body: &[u8]) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let lines = body.split(is_end);
    lines.filter(|line| !line.trim_ascii().is_empty()).count()
}

fn first_size(shape: &Value) -> usize {
    let first = shape[0].as_u64().expect("a size");
    usize::try_from(first).expect("a size that was read")
}
