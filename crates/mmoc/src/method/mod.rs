//! Multi-label methods, all fitted and used the same way, and the one table that lists them.

mod binary_relevance;

use std::fmt;
use std::str::FromStr;

pub use binary_relevance::BinaryRelevance;

use crate::data::FeaturesView;
use crate::learn::Training;
use crate::{Error, Prediction, Result};

/// A method that learns to predict label sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One classifier per label, each by itself.
    BinaryRelevance,
}

/// What the command line, the Python package and the report say about a method.
struct Entry {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
}

impl Method {
    /// Every method, in the order of the paper's tables.
    pub const ALL: [Self; 1] = [Self::BinaryRelevance];

    fn entry(self) -> Entry {
        match self {
            Self::BinaryRelevance => Entry {
                name: "br",
                title: "BR",
                summary: "binary relevance: one logistic regression per label, each by itself",
            },
        }
    }

    /// The name by which users choose the method.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name in tables.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// One line on what the method does.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// How many base models the method fits for q labels, as the paper counts them.
    pub fn base_models(self, labels: usize) -> usize {
        match self {
            Self::BinaryRelevance => labels,
        }
    }

    /// Learns from a training set.
    pub fn fit(self, training: &Training<'_>) -> Result<Model> {
        match self {
            Self::BinaryRelevance => BinaryRelevance::fit(training).map(Model::BinaryRelevance),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| {
                let names: Vec<&str> = Self::ALL.iter().map(|method| method.name()).collect();
                Error::Parameter {
                    parameter: "method",
                    expected: format!("one of {}", names.join(", ")),
                    found: format!("'{name}'"),
                }
            })
    }
}

/// A fitted method.
#[derive(Debug, Clone)]
pub enum Model {
    /// See [`Method::BinaryRelevance`].
    BinaryRelevance(BinaryRelevance),
}

impl Model {
    /// Predicts the label set of every row.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Prediction> {
        match self {
            Self::BinaryRelevance(model) => model.predict(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        for method in Method::ALL {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = "no-such".parse::<Method>().unwrap_err().to_string();
        assert_eq!(message, "method must be one of br, not 'no-such'");
    }
}
