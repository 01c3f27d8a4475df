//! What was seen in the cells of rows that the user should know.

use std::collections::BTreeMap;

/// What was seen in the cells of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// A word that stood for 0 or 1 in a label.
    pub(crate) label_word: Option<String>,
    /// For features by their indices, a word that is not in their lists.
    pub(crate) unknown_words: BTreeMap<usize, String>,
}

impl Seen {
    /// Keeps the first word that stands for 0 or 1.
    pub(crate) fn note_label_word(&mut self, word: &str) {
        self.label_word.get_or_insert_with(|| word.to_owned());
    }

    /// Keeps the first word of a feature that is not in its list.
    pub(crate) fn note_unknown(&mut self, attribute: usize, word: &str) {
        let words = self.unknown_words.entry(attribute);
        words.or_insert_with(|| word.to_owned());
    }

    /// Adds what was seen in later rows.
    pub(crate) fn add(&mut self, later: &Self) {
        if let Some(word) = &later.label_word {
            self.note_label_word(word);
        }
        for (&attribute, word) in &later.unknown_words {
            self.note_unknown(attribute, word);
        }
    }
}
