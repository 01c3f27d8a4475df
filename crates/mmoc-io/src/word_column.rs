//! A column whose words are found as rows are read.

use super::MOST_VALUES;
use super::vocabulary::{TooManyWords, Vocabulary};

/// A column of the store that holds the codes of words, or numbers if it turns out so.
#[derive(Debug, Clone)]
pub(crate) struct WordColumn {
    /// The column of the store.
    pub(crate) column: usize,
    /// The words found so far.
    pub(crate) words: Vocabulary<String>,
    /// What the cells are.
    pub(crate) content: Content,
    /// How many cells have words.
    pub(crate) cells: usize,
}

/// What the cells of a column are, as far as they are not missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// All were missing so far.
    Unknown,
    Numbers,
    Words,
}

impl WordColumn {
    /// No rows yet.
    pub(crate) fn new(column: usize, content: Content) -> Self {
        Self {
            column,
            words: Vocabulary::new(MOST_VALUES),
            content,
            cells: 0,
        }
    }

    /// No rows yet; what is undecided here is so there.
    pub(crate) fn empty_like(&self) -> Self {
        Self::new(self.column, self.content)
    }

    /// The code of a word.
    pub(crate) fn code(&mut self, word: &str) -> Result<u32, TooManyWords> {
        self.cells += 1;
        self.words.code(word)
    }

    /// Adds the words of later rows; for each code there, the code here.
    ///
    /// Fails if there are too many of them, or numbers here and words there.
    pub(crate) fn merge(&mut self, later: &Self) -> Result<Vec<u32>, TooManyWords> {
        match (self.content, later.content) {
            (Content::Unknown, content) => self.content = content,
            (here, there) if there != Content::Unknown && here != there => {
                return Err(TooManyWords);
            }
            _ => (),
        }
        self.cells += later.cells;
        self.words.merge(&later.words)
    }
}
