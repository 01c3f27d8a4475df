//! Labels that are found as rows are read: numbers, or tags.

use super::vocabulary::{TooManyWords, Vocabulary};

/// More tags than this are no labels but free text.
const MOST_TAGS: usize = 1 << 20;

/// The labels found so far, each with a code.
#[derive(Debug, Clone)]
pub(crate) enum FoundLabels {
    Numbers(Vocabulary<u64>),
    Tags(Vocabulary<String>),
}

impl FoundLabels {
    /// Numbers, of which none was found.
    pub(crate) fn numbers() -> Self {
        Self::Numbers(Vocabulary::new(usize::MAX))
    }

    /// Tags, of which none was found.
    pub(crate) fn tags() -> Self {
        Self::Tags(Vocabulary::new(MOST_TAGS))
    }

    /// No labels, of the kind of these.
    pub(crate) fn empty_like(&self) -> Self {
        match self {
            Self::Numbers(_) => Self::numbers(),
            Self::Tags(_) => Self::tags(),
        }
    }

    /// How many labels were found.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Tags(tags) => tags.len(),
        }
    }

    /// Adds labels of the same kind; for each code there, the code here.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<Vec<u32>, TooManyWords> {
        match (self, other) {
            (Self::Numbers(numbers), Self::Numbers(more)) => numbers.merge(more),
            (Self::Tags(tags), Self::Tags(more)) => tags.merge(more),
            _ => unreachable!("collections of one kind"),
        }
    }

    /// The names of the labels in their order, and for each code the place of its label.
    pub(crate) fn sorted(self) -> (Vec<String>, Vec<u32>) {
        match self {
            Self::Numbers(numbers) => {
                let (numbers, ranks) = numbers.sorted();
                (numbers.iter().map(u64::to_string).collect(), ranks)
            }
            Self::Tags(tags) => tags.sorted(),
        }
    }
}
