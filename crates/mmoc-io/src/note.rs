//! What the user should know about how a file's columns were matched.

use std::fmt;

use super::Attribute;
use super::marks::LeftOutReason;
use super::read::Warning;
use super::seen::Seen;
use super::wanted::Owner;
use mmoc::text::excerpt;

/// Columns that are not wanted, or that a file lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnNote {
    /// Columns of a file that are not among those it is matched to.
    Unused {
        /// The file, as the user named it.
        file: String,
        /// Whose columns it is matched to.
        owner: Owner,
        /// The columns.
        columns: SomeNames,
    },
    /// Features that a file lacks; all their cells are missing.
    FilledIn {
        /// The file, as the user named it.
        file: String,
        /// The features.
        features: SomeNames,
    },
    /// Words of a feature that did not occur in training.
    UnknownWords {
        /// The feature.
        feature: String,
        /// How many rows have such a word.
        rows: usize,
        /// The first few of the words.
        words: Vec<String>,
    },
    /// Words such as yes and no stand for 1 and 0 in labels.
    LabelWords {
        /// The first such word.
        word: String,
    },
    /// Rows were left out.
    LeftOut {
        /// How many.
        rows: usize,
        /// Why.
        reason: LeftOutReason,
    },
}

/// The first few of some names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SomeNames {
    /// Five names at most.
    pub first: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl SomeNames {
    /// The first few of these names.
    pub(super) fn of(names: &[&str]) -> Self {
        const FIRST: usize = 5;
        Self {
            first: names.iter().take(FIRST).map(|&name| name.into()).collect(),
            more: names.len().saturating_sub(FIRST),
        }
    }

    pub(super) fn is_one(&self) -> bool {
        self.first.len() + self.more == 1
    }
}

impl ColumnNote {
    /// What is to be said about cells of these features.
    pub(super) fn of_cells(seen: &Seen, attributes: &[Attribute]) -> Vec<Self> {
        let label_words = seen.label_word.iter().cloned();
        let label_words = label_words.map(|word| Self::LabelWords { word });
        let unknown = seen.unknown_words.iter();
        let unknown = unknown.map(|(&index, words)| Self::UnknownWords {
            feature: attributes[index].name().to_owned(),
            rows: words.rows,
            words: words.first.clone(),
        });
        label_words.chain(unknown).collect()
    }

    /// Whether another note says the same, be it about another file.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Unused { columns, .. },
                Self::Unused {
                    columns: others, ..
                },
            ) => columns == others,
            (
                Self::FilledIn { features, .. },
                Self::FilledIn {
                    features: others, ..
                },
            ) => features == others,
            (Self::UnknownWords { feature, .. }, Self::UnknownWords { feature: other, .. }) => {
                feature == other
            }
            (Self::LabelWords { .. }, Self::LabelWords { .. }) => true,
            (Self::LeftOut { reason, .. }, Self::LeftOut { reason: other, .. }) => reason == other,
            _ => false,
        }
    }
}

impl fmt::Display for ColumnNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unused {
                file,
                owner,
                columns,
            } => {
                let what = if columns.is_one() {
                    format!("column {columns} is")
                } else {
                    format!("columns {columns} are")
                };
                let reason = owner.lacks(columns.is_one());
                write!(formatter, "{file}: the {what} not used, because {reason}")
            }
            Self::FilledIn { file, features } if features.is_one() => write!(
                formatter,
                "{file}: the feature {features} is not there and is filled in with its mean"
            ),
            Self::FilledIn { file, features } => write!(
                formatter,
                "{file}: the features {features} are not there and are filled in with their means"
            ),
            Self::UnknownWords {
                feature,
                rows,
                words,
            } => {
                let words: Vec<String> = words.iter().map(|word| excerpt(word)).collect();
                let feature = excerpt(feature);
                let noun = if *rows == 1 { "row" } else { "rows" };
                write!(
                    formatter,
                    "{feature} has words in {rows} {noun} that did not occur in training, such as {}; they count as none of \
                     the known values",
                    words.join(", ")
                )
            }
            Self::LabelWords { word } => {
                let word = word.clone();
                Warning::LabelWords { word }.fmt(formatter)
            }
            Self::LeftOut { rows, reason } => reason.write(*rows, formatter),
        }
    }
}

impl fmt::Display for SomeNames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.first.iter().map(|name| excerpt(name)).collect();
        formatter.write_str(&names.join(", "))?;
        match self.more {
            0 => Ok(()),
            more => write!(formatter, " and {more} more"),
        }
    }
}
