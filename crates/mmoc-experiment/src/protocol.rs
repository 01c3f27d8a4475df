//! Which rows are trained on and which are tested, run by run.

use serde::{Deserialize, Serialize};

use mmoc::data::{Dataset, Folds, Split, k_folds, random_split, stratified_folds};
use mmoc::{Error, Result, Seed};

/// How a data set is split into runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Protocol {
    /// Each run trains on rows drawn at random and tests on all others: the paper's protocol.
    RandomSplits {
        /// Number of runs, at least one.
        runs: usize,
        /// Training rows of each run, at least two.
        train_size: usize,
    },
    /// The same, with a share of the rows of each data set.
    RandomShares {
        /// Number of runs, at least one.
        runs: usize,
        /// The training rows of each run as a share of all rows, between 0 and 1.
        train_share: f64,
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
    /// The only run trains on all rows and tests on others, which the data set comes with.
    PublishedSplit,
}

/// Numbers of training and test rows of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSize {
    /// Training rows.
    pub train: usize,
    /// Test rows.
    pub test: usize,
}

/// The runs of a protocol on a data set.
#[derive(Debug, Clone)]
pub(super) enum Plan<'a> {
    /// The rows are split in each run.
    Split(Splits),
    /// The test rows are given.
    Published(&'a Dataset),
}

/// The splits of a data set, computed on demand.
#[derive(Debug, Clone)]
pub(super) enum Splits {
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
            Self::RandomSplits { runs, .. } | Self::RandomShares { runs, .. } => runs,
            Self::CrossValidation { folds, repeats, .. } => folds.saturating_mul(repeats),
            Self::PublishedSplit => 1,
        }
    }

    /// The protocol of fewer runs of which this one has more, if it has; the runs that both have are the same.
    pub(super) fn shortened_to(self, other: Self) -> Self {
        let mut shorter = self;
        match (&mut shorter, other) {
            (Self::RandomSplits { runs, .. }, Self::RandomSplits { runs: fewer, .. })
            | (Self::RandomShares { runs, .. }, Self::RandomShares { runs: fewer, .. }) => {
                *runs = fewer.min(*runs);
            }
            (
                Self::CrossValidation { repeats, .. },
                Self::CrossValidation { repeats: fewer, .. },
            ) => *repeats = fewer.min(*repeats),
            _ => (),
        }
        shorter
    }

    /// The runs of this protocol, each with at least two rows to train on. Test rows belong to published splits.
    pub(super) fn plan<'a>(
        self,
        dataset: &Dataset,
        test: Option<&'a Dataset>,
        seed: Seed,
    ) -> Result<Plan<'a>> {
        match (self.splits(dataset, seed)?, test) {
            (Some(splits), None) => Ok(Plan::Split(splits)),
            (None, Some(test)) => {
                check_alike(dataset, test)?;
                Ok(Plan::Published(test))
            }
            (splits, _) => {
                let (with, without) = ("test rows beside the others", "no test rows");
                let is_split = splits.is_some();
                let (expected, found) = if is_split {
                    (without, with)
                } else {
                    (with, without)
                };
                Err(dataset_error(expected, found))
            }
        }
    }

    /// The splits of the rows, unless they are not split.
    fn splits(self, dataset: &Dataset, seed: Seed) -> Result<Option<Splits>> {
        self.splits_of(dataset, seed.named("split"))
    }

    fn splits_of(self, dataset: &Dataset, seed: Seed) -> Result<Option<Splits>> {
        let rows = dataset.rows();
        match self {
            Self::RandomSplits { runs, train_size } => {
                check_range("the number of runs", 1, MOST_RUNS, runs, "")?;
                let most = rows.saturating_sub(1);
                let why = format!(" for {rows} rows");
                check_range("the number of training rows", 2, most, train_size, &why)?;
                Ok(Some(Splits::Random {
                    rows,
                    runs,
                    train_size,
                    seed,
                }))
            }
            Self::RandomShares { runs, train_share } => {
                let train_size = rows_of_share(train_share, rows)?;
                check_share(train_share, train_size, rows)?;
                Self::RandomSplits { runs, train_size }.splits_of(dataset, seed)
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
                let folds = (0..repeats).map(folds_of).collect::<Result<_>>()?;
                Ok(Some(Splits::Folds(folds)))
            }
            Self::PublishedSplit => {
                check_range("the number of training rows", 2, usize::MAX, rows, "")?;
                Ok(None)
            }
        }
    }
}

/// The nearest number of rows.
#[expect(clippy::cast_sign_loss, reason = "shares are between 0 and 1")]
fn rows_of_share(share: f64, rows: usize) -> Result<usize> {
    if share > 0.0 && share < 1.0 {
        return Ok((share * rows as f64).round() as usize);
    }
    Err(Error::Parameter {
        parameter: "the share of training rows",
        expected: "between 0 and 1".into(),
        found: share.to_string(),
    })
}

/// Fails unless a share of all rows leaves enough of them for training and some for testing.
fn check_share(share: f64, train_size: usize, rows: usize) -> Result<()> {
    if (2..rows).contains(&train_size) {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter: "the share of training rows",
        expected: format!("at least 2 and fewer than all of the {rows} rows"),
        found: format!("{share}, which is {train_size}"),
    })
}

/// Fails unless two data sets have the same columns and labels.
fn check_alike(train: &Dataset, test: &Dataset) -> Result<()> {
    let is_alike =
        train.attributes() == test.attributes() && train.label_names() == test.label_names();
    if is_alike {
        return Ok(());
    }
    Err(dataset_error(
        "test rows with the columns and labels of the training rows",
        "others",
    ))
}

fn dataset_error(expected: &str, found: &str) -> Error {
    Error::Dataset {
        expected: expected.into(),
        found: found.into(),
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

impl Plan<'_> {
    /// Number of runs.
    pub(super) fn runs(&self) -> usize {
        match self {
            Self::Split(splits) => splits.count(),
            Self::Published(_) => 1,
        }
    }

    /// The numbers of the rows that a run trains and tests on; none if the test rows are others.
    pub(super) fn split(&self, run: usize) -> Result<Option<Split>> {
        match self {
            Self::Split(splits) => splits.split(run).map(Some),
            Self::Published(_) => Ok(None),
        }
    }
}

impl Splits {
    fn count(&self) -> usize {
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
