//! The max-margin code (section 3).

mod barrier;
mod box_qp;
mod certificate;
mod curvature;
mod cutting_plane;
mod incumbent;
mod newton;
mod newton_cg;
mod packed;
mod problem;
mod report;
mod scaling;
mod solver;
mod violated;

pub use problem::Problem;
pub use report::{Round, SolverReport, Termination};
pub use solver::{Algorithm, Separation, Solution, SolverParams};
