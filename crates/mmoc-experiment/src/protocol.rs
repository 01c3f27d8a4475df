//! Which rows are trained on and which are tested, run by run.

use serde::{Deserialize, Serialize};

use mmoc::data::{Dataset, Folds, Split, k_folds, random_split, stratified_folds};
use mmoc::{Error, Result, Seed};

/// How a data set is split into runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Protocol {
    /// Each run trains on rows drawn at random and tests on all others: the paper's protocol.
    RandomSplits {
        /// Number of runs, at least one.
        runs: usize,
        /// Training rows of each run, at least two.
        train_size: usize,
    },
    /// Each run tests on one fold and trains on the others.
    CrossValidation {
        /// Number of folds.
        folds: usize,
        /// Whether each fold gets its share of each label, by iterative stratification.
        stratified: bool,
        /// How often cross-validation is repeated with other folds, at least once.
        repeats: usize,
    },
}

/// Numbers of training and test rows of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSize {
    /// Training rows.
    pub train: usize,
    /// Test rows.
    pub test: usize,
}

/// The runs of a protocol on a data set. Splits are computed on demand.
#[derive(Debug, Clone)]
pub(super) enum Plan {
    Random {
        rows: usize,
        runs: usize,
        train_size: usize,
        seed: Seed,
    },
    /// One for each repeat.
    Folds(Vec<Folds>),
}

/// More runs than this are taken for a typing error.
const MOST_RUNS: usize = 1_000_000;

impl Protocol {
    /// Stratified cross-validation.
    pub fn cross_validation(folds: usize) -> Self {
        Self::CrossValidation {
            folds,
            stratified: true,
            repeats: 1,
        }
    }

    /// How many runs there are.
    pub fn runs(self) -> usize {
        match self {
            Self::RandomSplits { runs, .. } => runs,
            Self::CrossValidation { folds, repeats, .. } => folds.saturating_mul(repeats),
        }
    }

    /// The runs of this protocol, each with at least two rows to train on.
    pub(super) fn plan(self, dataset: &Dataset, seed: Seed) -> Result<Plan> {
        let (rows, seed) = (dataset.rows(), seed.named("split"));
        match self {
            Self::RandomSplits { runs, train_size } => {
                check_range("the number of runs", 1, MOST_RUNS, runs, "")?;
                let most = rows.saturating_sub(1);
                let why = format!(" for {rows} rows");
                check_range("the number of training rows", 2, most, train_size, &why)?;
                Ok(Plan::Random {
                    rows,
                    runs,
                    train_size,
                    seed,
                })
            }
            Self::CrossValidation {
                folds,
                stratified,
                repeats,
            } => {
                check_range("the number of repeats", 1, MOST_RUNS, repeats, "")?;
                check_range(
                    "the number of rows",
                    4,
                    usize::MAX,
                    rows,
                    " to cross-validate",
                )?;
                let folds_of = |repeat| {
                    let seed = seed_of_repeat(seed, repeat);
                    if stratified {
                        stratified_folds(dataset.labels(), folds, seed)
                    } else {
                        k_folds(rows, folds, seed)
                    }
                };
                (0..repeats)
                    .map(folds_of)
                    .collect::<Result<_>>()
                    .map(Plan::Folds)
            }
        }
    }
}

/// The first repeat is the cross-validation that is not repeated.
fn seed_of_repeat(seed: Seed, repeat: usize) -> Seed {
    match repeat {
        0 => seed,
        _ => seed.numbered(repeat),
    }
}

fn check_range(
    parameter: &'static str,
    low: usize,
    high: usize,
    found: usize,
    why: &str,
) -> Result<()> {
    if (low..=high).contains(&found) {
        return Ok(());
    }
    let expected = match high {
        usize::MAX => format!("at least {low}{why}"),
        _ => format!("from {low} to {high}{why}"),
    };
    Err(Error::Parameter {
        parameter,
        expected,
        found: found.to_string(),
    })
}

impl Plan {
    /// Number of runs.
    pub(super) fn runs(&self) -> usize {
        match self {
            Self::Random { runs, .. } => *runs,
            Self::Folds(repeats) => repeats.iter().map(Folds::count).sum(),
        }
    }

    /// The split of one run.
    pub(super) fn split(&self, run: usize) -> Result<Split> {
        match self {
            Self::Random {
                rows,
                train_size,
                seed,
                ..
            } => random_split(*rows, *train_size, seed.numbered(run)),
            Self::Folds(repeats) => {
                let folds = repeats[0].count();
                Ok(repeats[run / folds].split(run % folds))
            }
        }
    }
}
