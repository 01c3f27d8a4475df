//! How good a method is on a data set: repeated splits, a fit and scores for each, means and standard
//! errors over all; and whether methods differ by more than chance.

#![forbid(unsafe_code)]

mod protocol;
mod run;
mod statistics;
mod workers;

pub use protocol::{Protocol, RunSize};
pub use run::{EvaluateParams, Run, Runs, evaluate};
pub use statistics::{
    Friedman, ImanDavenport, Mean, PairedDifference, Ranking, ResampledT, Wilcoxon,
    critical_difference, paired_differences,
};
pub use workers::run_jobs;
