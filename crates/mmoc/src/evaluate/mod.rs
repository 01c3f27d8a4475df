//! How good a method is on a data set: repeated splits, a fit and scores for each, means and standard
//! errors over all.

mod protocol;
mod run;
mod statistics;
mod workers;

pub use protocol::{Protocol, RunSize};
pub use run::{EvaluateParams, Run, Runs, evaluate};
pub use statistics::Mean;
pub use workers::run_jobs;
