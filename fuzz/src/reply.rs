//! What must hold for the reply to any request.

use hyper::body::Bytes;
use hyper::{Method, Response};
use serde_json::Value;

use super::request::{Asked, HEADER_LENGTH};
use super::served::folder;

/// No reason is longer than this, whatever it quotes.
const LONGEST_REASON: usize = 1000;

type Reply = Response<Bytes>;

/// Fails unless the reply refuses the request with a reason, or answers it.
pub(crate) fn check_reply(asked: &Asked, reply: &Reply) {
    let status = reply.status();
    if status.is_client_error() {
        return check_refusal(asked, reply);
    }
    assert!(status.is_success(), "{status}: {:?}", reply.body());
    if !asked.is(&Method::POST) {
        return check_document(asked, reply);
    }
    let rows = asked.rows();
    if asked.path().ends_with("/predict") {
        check_rows(&json(reply.body()), rows);
    } else {
        check_tensors(reply, rows);
    }
}

/// Fails unless both replies to a request are the same. Counts of requests differ, and are not JSON.
pub(crate) fn check_same(first: &Reply, second: &Reply) {
    assert_eq!(first.status(), second.status());
    if is_json(first) {
        assert_eq!(first.body(), second.body());
    }
}

/// A sentence in one line, which says nothing about the machine.
fn check_refusal(asked: &Asked, reply: &Reply) {
    assert!(is_json(reply), "{:?}", reply.headers());
    if asked.is(&Method::HEAD) {
        return;
    }
    let body = json(reply.body());
    let message = body["error"].as_str().expect("a reason");
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(1));
    assert!(!message.trim().is_empty());
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.chars().count() < LONGEST_REASON, "{message}");
    let is_quoted = asked.quotes(folder());
    assert!(is_quoted || !message.contains(folder()), "{message}");
}

/// What is read and not predicted.
fn check_document(asked: &Asked, reply: &Reply) {
    let has_body = asked.is(&Method::GET);
    assert_eq!(has_body, !reply.body().is_empty());
    if has_body && is_json(reply) {
        json(reply.body());
    }
}

/// An object for each row.
fn check_rows(answer: &Value, rows: Option<usize>) {
    let predictions = list(&answer["predictions"]);
    assert_eq!(predictions.len(), rows.unwrap_or(predictions.len()));
    assert!(!predictions.is_empty());
    assert!(!has_null(answer), "{answer}");
    for row in predictions {
        list(&row["labels"]);
        let confidence = row.get("confidence").into_iter();
        let by_label = row["probabilities"].as_object().into_iter().flatten();
        let sets = row["sets"].as_array().into_iter().flatten();
        confidence
            .chain(by_label.map(|(_, number)| number))
            .chain(sets.map(|set| &set["probability"]))
            .for_each(check_probability);
    }
    for note in list(&answer["notes"]) {
        let note = note.as_str().expect("a sentence");
        assert!(!note.contains(char::is_control), "{note:?}");
    }
}

/// Tensors as JSON, followed by as many bytes as the others announce.
fn check_tensors(reply: &Reply, rows: Option<usize>) {
    let length = reply.headers().get(HEADER_LENGTH);
    let length = length.map(|length| length.to_str().expect("digits").parse().expect("a number"));
    let (head, bytes) = reply.body().split_at(length.unwrap_or(reply.body().len()));
    let answer = json(head);
    let outputs = list(&answer["outputs"]);
    assert!(!outputs.is_empty());
    let announced: usize = outputs
        .iter()
        .map(|output| check_tensor(output, rows))
        .sum();
    assert_eq!(bytes.len(), announced);
    let is_mixed = outputs.iter().any(|output| output.get("data").is_none());
    assert_eq!(length.is_some(), is_mixed);
}

/// The bytes that a tensor announces; none if its elements are there.
fn check_tensor(output: &Value, rows: Option<usize>) -> usize {
    let size = |size: &Value| size.as_u64().expect("a size") as usize;
    let shape: Vec<usize> = list(&output["shape"]).iter().map(size).collect();
    assert_eq!(shape[0], rows.unwrap_or(shape[0]), "{output}");
    let elements: usize = shape.iter().product();
    let is_number = output["datatype"] == "FP64";
    let Some(data) = output.get("data") else {
        let announced = size(&output["parameters"]["binary_data_size"]);
        assert_eq!(announced, elements * if is_number { 8 } else { 1 });
        return announced;
    };
    assert_eq!(list(data).len(), elements, "{output}");
    for element in list(data) {
        if is_number {
            check_probability(element);
        } else {
            assert!(element.is_boolean(), "{element}");
        }
    }
    0
}

/// Whether there is a number that is not finite, which JSON does not have.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(object) => object.values().any(has_null),
        value => value.is_null(),
    }
}

fn check_probability(value: &Value) {
    let value = value.as_f64().expect("a number");
    assert!((0.0..=1.0).contains(&value), "{value}");
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn is_json(reply: &Reply) -> bool {
    let kind = reply.headers().get("content-type");
    kind.is_some_and(|kind| kind == "application/json")
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}
