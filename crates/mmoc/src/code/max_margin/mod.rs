//! The max-margin code (section 3).

mod barrier;
mod box_qp;
mod certificate;
mod code;
mod curvature;
mod cutting_plane;
mod feasible_scale;
mod incumbent;
mod newton;
mod newton_cg;
mod packed;
mod primal_dual;
mod problem;
mod projections;
mod report;
mod scaling;
mod solver;
#[cfg(test)]
mod testing;
mod violated;

pub use code::{LogOdds, MaxMarginParams, Regression};
pub use problem::Problem;
pub use report::{Round, SolverReport, Termination};
pub use solver::{Algorithm, Separation, Solution, SolverParams};
