//! JSON in the lines of files.

use serde::Deserialize;

use super::lines::Line;
use crate::Result;

/// What a line says, or the error that it says something else than is expected, where that begins.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: Line<'a>, expected: &str) -> Result<T> {
    serde_json::from_str(line.text).map_err(|error| {
        let mut before = (0..error.column().min(line.text.len() + 1)).rev();
        let offset = before.find(|&offset| line.text.is_char_boundary(offset));
        line.error(offset.unwrap_or(0), expected, in_words(&error))
    })
}

/// What is wrong, without the place, which the message names already.
fn in_words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    words.trim_end_matches(&place).to_owned()
}
