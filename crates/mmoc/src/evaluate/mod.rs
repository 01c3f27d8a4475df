//! How good a method is on a data set: repeated splits, a fit and scores for each, means and standard
//! errors over all.

mod protocol;
mod run;
mod statistics;
mod workers;

pub use protocol::Protocol;
pub use run::{EvaluateParams, Run, evaluate};
pub use statistics::Mean;
