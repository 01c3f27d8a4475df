//! What files are matched to: the columns and labels of something that is known already.

use std::fmt;

use super::{Attribute, Schema};

/// The features and labels that are wanted, and whose they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'f> {
    /// The features as declared; none where only labels are wanted.
    pub(crate) attributes: &'f [Attribute],
    /// A name for each feature column.
    pub(crate) feature_names: &'f [String],
    /// A name for each label.
    pub(crate) label_names: &'f [String],
    /// Whether features are stored sparse.
    pub(crate) sparse: bool,
    /// Whose columns and labels they are.
    pub(crate) owner: Owner,
}

/// Whose columns and labels files are matched to, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// A model's.
    Model,
    /// Those of the rows that are trained on.
    TrainingRows,
    /// Those of the rows that predictions are for.
    TestRows,
}

impl<'f> Wanted<'f> {
    /// Everything of a schema.
    pub(crate) fn of(schema: &'f Schema, owner: Owner) -> Self {
        Self {
            attributes: schema.attributes(),
            feature_names: schema.feature_names(),
            label_names: schema.label_names(),
            sparse: schema.is_sparse(),
            owner,
        }
    }

    /// Labels and no features.
    pub(crate) fn labels(label_names: &'f [String], owner: Owner) -> Self {
        Self {
            attributes: &[],
            feature_names: &[],
            label_names,
            sparse: false,
            owner,
        }
    }

    /// Number of feature columns.
    pub(crate) fn columns(&self) -> usize {
        self.feature_names.len()
    }
}

impl Owner {
    /// That it does not have a column, or several, for messages.
    pub(crate) fn lacks(self, one: bool) -> &'static str {
        match (self, one) {
            (Self::Model, true) => "the model does not know it",
            (Self::Model, false) => "the model does not know them",
            (Self::TrainingRows, true) => "the training rows do not have it",
            (Self::TrainingRows, false) => "the training rows do not have them",
            (Self::TestRows, true) => "the test rows have no label of that name",
            (Self::TestRows, false) => "the test rows have no labels of these names",
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Model => "the model",
            Self::TrainingRows => "the training rows",
            Self::TestRows => "the test rows",
        })
    }
}
