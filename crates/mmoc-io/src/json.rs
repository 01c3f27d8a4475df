//! JSON in the lines of files.

use serde::Deserialize;

use super::lines::Line;
use crate::Result;
use mmoc::text::excerpt;

/// What a line says, or the error that it says something else than is expected, where that begins.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: Line<'a>, expected: &str) -> Result<T> {
    serde_json::from_str(line.text).map_err(|error| {
        let mut before = (0..error.column().min(line.text.len() + 1)).rev();
        let offset = before.find(|&offset| line.text.is_char_boundary(offset));
        let offset = offset.unwrap_or(0);
        line.error(offset, expected, found(line.text, offset, &error))
    })
}

/// What stands in a line in place of what was expected.
fn found(text: &str, offset: usize, error: &serde_json::Error) -> String {
    match not_json_at(text, offset) {
        Some(word) => format!("{word}, which is not JSON: write null"),
        None if error.is_eof() => "a line that ends too early".into(),
        None if error.is_data() => excerpt(text.trim_ascii()),
        None => excerpt(&text[offset..]),
    }
}

/// The word for a number in which an error is, of those that other programs write and JSON does not have.
fn not_json_at(text: &str, offset: usize) -> Option<&'static str> {
    let words = ["NaN", "-Infinity", "Infinity"];
    words.into_iter().find(|word| {
        let first = offset.saturating_sub(word.len());
        let mut starts = (first..=offset).filter(|&start| text.is_char_boundary(start));
        starts.any(|start| text[start..].starts_with(word))
    })
}
