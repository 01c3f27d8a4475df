//! Base learners: ridge and logistic regression with penalties chosen on the training rows.

mod basis;
mod cost;
mod extended_basis;
mod groups;
mod ledger;
mod linear_model;
pub mod logistic;
mod penalties;
pub mod ridge;
mod training;

pub use basis::{Basis, CentredColumns, VaryingColumns};
pub use extended_basis::ExtendedBasis;
pub use ledger::Usage;
pub use linear_model::LinearModel;
pub use penalties::PenaltyGrid;
pub(crate) use penalties::shares_of;
pub use training::{BaseParams, Training};
