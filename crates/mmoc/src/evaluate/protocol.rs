//! Which rows are trained on and which are tested, run by run.

use serde::Serialize;

use crate::data::{Dataset, Split, k_folds, random_split, stratified_folds};
use crate::{Error, Result, Seed};

/// How a data set is split into runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Protocol {
    /// Each run trains on rows drawn at random and tests on all others: the paper's protocol.
    RandomSplits {
        /// Number of runs.
        runs: usize,
        /// Training rows of each run.
        train_size: usize,
    },
    /// Each run tests on one fold and trains on the others.
    CrossValidation {
        /// Number of folds.
        folds: usize,
        /// Whether each fold gets its share of each label, by iterative stratification.
        stratified: bool,
    },
}

impl Protocol {
    /// The splits of all runs.
    pub fn splits(self, dataset: &Dataset, seed: Seed) -> Result<Vec<Split>> {
        let (rows, seed) = (dataset.rows(), seed.named("split"));
        match self {
            Self::RandomSplits { runs: 0, .. } => Err(Error::Parameter {
                parameter: "the number of runs",
                expected: "at least 1".into(),
                found: "0".into(),
            }),
            Self::RandomSplits { runs, train_size } => (0..runs)
                .map(|run| random_split(rows, train_size, seed.numbered(run)))
                .collect(),
            Self::CrossValidation {
                folds,
                stratified: true,
            } => Ok(stratified_folds(dataset.labels(), folds, seed)?
                .splits()
                .collect()),
            Self::CrossValidation {
                folds,
                stratified: false,
            } => Ok(k_folds(rows, folds, seed)?.splits().collect()),
        }
    }
}
