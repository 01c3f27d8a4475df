//! Results as plain text, and the words that text and report share.

mod comparison;
mod evaluation;
mod text_table;

pub use comparison::{Emphasis, comparison};
pub use evaluation::{LABEL_COLUMNS, evaluation, parameters};
pub use text_table::TextTable;

use crate::Protocol;

/// How rows are split, in words.
pub fn protocol(protocol: Protocol) -> String {
    match protocol {
        Protocol::RandomSplits { runs, train_size } => {
            let splits = counted(runs, "random split");
            format!("{splits} with {}", counted(train_size, "training row"))
        }
        Protocol::RandomShares { runs, train_share } => {
            let splits = counted(runs, "random split");
            format!("{splits} with {train_share} of the rows to train on")
        }
        Protocol::CrossValidation {
            folds,
            stratified,
            repeats,
        } => {
            let kind = if stratified { "stratified" } else { "random" };
            let repeated = match repeats {
                1 => String::new(),
                _ => format!(", repeated {repeats} times"),
            };
            format!("{folds} {kind} folds{repeated}")
        }
        Protocol::PublishedSplit => "published split".into(),
    }
}

/// A name from a file, made safe for a terminal: control characters become escapes.
pub fn printable(name: &str) -> String {
    name.chars()
        .fold(String::with_capacity(name.len()), |mut safe, c| {
            if c.is_control() {
                safe.extend(c.escape_unicode());
            } else {
                safe.push(c);
            }
            safe
        })
}

/// `count` and the noun, with an s unless there is exactly one.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_names_are_escaped() {
        assert_eq!(printable("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\u{a}");
        assert_eq!(printable("größe 'x'"), "größe 'x'");
    }

    #[test]
    fn nouns_agree_with_their_count() {
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2, "row"), "2 rows");
    }
}
