//! Malformed input of every kind, each with the whole message it must give.

// A table of cases is one function, however long.
#![allow(clippy::too_many_lines, reason = "tables of cases are long")]

mod arff;
mod files;
mod labels;
mod pairs;
mod tables;

use mmoc_io::{Loaded, ReadOptions, read_from};

/// What is read, how, and the message that must follow.
struct Case {
    file: &'static str,
    labels: &'static str,
    input: Vec<u8>,
    message: &'static str,
}

fn case(
    file: &'static str,
    labels: &'static str,
    input: impl Into<Vec<u8>>,
    message: &'static str,
) -> Case {
    Case {
        file,
        labels,
        input: input.into(),
        message,
    }
}

fn options(labels: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    if !labels.is_empty() {
        options.labels = labels.parse().unwrap();
    }
    options
}

/// Reads every case from memory and compares its message.
fn check(cases: &[Case]) {
    compare(cases.iter().map(|case| {
        let read = read_from(case.input.as_slice(), case.file, &options(case.labels));
        let found = read.map_or_else(|error| error.to_string(), |_| "no error".to_owned());
        (case.message, found)
    }));
}

fn message_of(read: mmoc_io::Result<Loaded>) -> String {
    read.expect_err("malformed").to_string()
}

/// Compares pairs of an expected and a found message; all differences are shown together.
fn compare(messages: impl IntoIterator<Item = (&'static str, String)>) {
    let wrong: Vec<String> = messages
        .into_iter()
        .filter(|(expected, found)| expected != found)
        .map(|(expected, found)| format!("expected {expected}\n   found {found}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
