//! The max-margin code (section 3).

mod report;

pub use report::{Round, SolverReport, Termination};
