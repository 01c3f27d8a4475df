//! What was seen in the cells of rows that the user should know.

use std::collections::BTreeMap;

/// What was seen in the cells of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// A word that stood for 0 or 1 in a label.
    pub(crate) label_word: Option<String>,
    /// For features by their indices, the words that are not in their lists.
    pub(crate) unknown_words: BTreeMap<usize, UnknownWords>,
}

/// The words of a feature that are not in its list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnknownWords {
    /// The first few that differ.
    pub(crate) first: Vec<String>,
    /// How many rows have such a word.
    pub(crate) rows: usize,
}

impl UnknownWords {
    /// So many are kept.
    const KEPT: usize = 3;

    fn keep(&mut self, word: &str) {
        if self.first.len() < Self::KEPT && !self.first.iter().any(|known| known == word) {
            self.first.push(word.to_owned());
        }
    }

    fn add(&mut self, later: &Self) {
        later.first.iter().for_each(|word| self.keep(word));
        self.rows += later.rows;
    }
}

impl Seen {
    /// Keeps the first word that stands for 0 or 1.
    pub(crate) fn note_label_word(&mut self, word: &str) {
        self.label_word.get_or_insert_with(|| word.to_owned());
    }

    /// Counts a word of a feature that is not in its list.
    pub(crate) fn note_unknown(&mut self, attribute: usize, word: &str) {
        let words = self.unknown_words.entry(attribute).or_default();
        words.keep(word);
        words.rows += 1;
    }

    /// Adds what was seen in later rows.
    pub(crate) fn add(&mut self, later: &Self) {
        if let Some(word) = &later.label_word {
            self.note_label_word(word);
        }
        for (&attribute, words) in &later.unknown_words {
            self.unknown_words.entry(attribute).or_default().add(words);
        }
    }
}
