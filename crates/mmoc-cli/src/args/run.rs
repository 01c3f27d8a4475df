//! How rows are split and runs are made, the same for every command that has some.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use mmoc::data::Scaling;
use mmoc_experiment::Protocol;

/// More threads than this are taken for a typing error.
const MOST_THREADS: i64 = 1024;
/// Random splits if only their size is given: the number in the paper.
pub(super) const DEFAULT_RUNS: usize = 30;
/// Folds if no option chooses the splits.
const DEFAULT_FOLDS: usize = 5;

/// How rows are split into training and test rows, and how features are scaled.
#[derive(Debug, Args)]
pub(crate) struct SplitArgs {
    /// Number of random splits into --train-size training rows and test rows [default: 30]
    #[arg(
        long,
        value_name = "N",
        requires = "train_size",
        allow_negative_numbers = true
    )]
    runs: Option<usize>,

    /// Training rows of each random split: a number, or a share of all rows such as .7
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    train_size: Option<TrainSize>,

    /// Number of folds of cross-validation [default: 5]
    #[arg(long, value_name = "K", conflicts_with_all = ["runs", "train_size"])]
    #[arg(allow_negative_numbers = true)]
    folds: Option<usize>,

    /// Repeat cross-validation R times
    #[arg(long, value_name = "R", conflicts_with_all = ["runs", "train_size"])]
    #[arg(default_value_t = 1, allow_negative_numbers = true)]
    repeats: usize,

    /// Draw folds at random, without stratification by labels
    #[arg(long, conflicts_with_all = ["runs", "train_size"])]
    no_stratify: bool,

    /// A file of test rows: train on all DATA and test on these, in one run; may be repeated. Columns are
    /// matched by name
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["runs", "train_size", "folds", "repeats", "no_stratify"])]
    pub(crate) test: Vec<PathBuf>,

    /// Scale features: none, standard (mean 0 and variance 1 in the training rows), or auto, which is none if
    /// all features are within [-1, 1] and no column is below 1e-6 throughout, and standard otherwise
    #[arg(long, value_name = "SCALING", default_value = "auto")]
    pub(crate) scale: Scaling,
}

impl SplitArgs {
    /// The protocol for data sets of at least so many rows.
    pub(crate) fn protocol(&self, rows: usize) -> Protocol {
        match self.train_size {
            _ if !self.test.is_empty() => Protocol::PublishedSplit,
            Some(train_size) => train_size.splits(self.runs.unwrap_or(DEFAULT_RUNS)),
            None => Protocol::CrossValidation {
                folds: self.folds.unwrap_or(DEFAULT_FOLDS.min(rows)),
                stratified: !self.no_stratify,
                repeats: self.repeats,
            },
        }
    }
}

/// The training rows of a random split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TrainSize {
    /// So many.
    Rows(usize),
    /// This share of all rows.
    Share(f64),
}

impl TrainSize {
    /// So many random splits.
    pub(crate) fn splits(self, runs: usize) -> Protocol {
        match self {
            Self::Rows(train_size) => Protocol::RandomSplits { runs, train_size },
            Self::Share(train_share) => Protocol::RandomShares { runs, train_share },
        }
    }
}

impl FromStr for TrainSize {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(rows) = text.parse() {
            return Ok(Self::Rows(rows));
        }
        let share = text.parse().ok();
        let share = share.filter(|&share| share > 0.0 && share < 1.0);
        share
            .map(Self::Share)
            .ok_or("expected a number of rows, or a share between 0 and 1 such as .7")
    }
}

impl fmt::Display for TrainSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows(rows) => rows.fmt(formatter),
            Self::Share(share) => share.fmt(formatter),
        }
    }
}

/// How runs are made and what is written.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Seed of all random choices
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// The number of threads.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ThreadArgs {
    /// Threads to use; the results do not depend on it [default: all processors]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
}

impl ThreadArgs {
    /// The given number of threads, or one for each processor.
    pub(crate) fn count(self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.map_or_else(all, usize::from)
    }
}
