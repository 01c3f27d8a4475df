//! Base learners: ridge and logistic regression with penalties chosen on the training rows, random forests, nearest
//! neighbours, and radial basis functions of the features.

mod base_params;
mod basis;
mod completion;
mod cost;
mod extended_basis;
mod feature_choice;
pub(crate) mod forest;
mod groups;
pub(crate) mod kernel;
mod label_targets;
mod ledger;
mod linear_model;
pub mod logistic;
pub(crate) mod neighbours;
pub(crate) mod partitioned;
mod penalties;
pub mod ridge;
mod training;

pub use base_params::BaseParams;
pub use basis::{Basis, CentredColumns, VaryingColumns};
pub use extended_basis::ExtendedBasis;
pub use feature_choice::FeatureChoice;
pub use kernel::{RadialBasisView, RowPreparation};
pub use label_targets::LabelTargets;
pub use ledger::Usage;
pub use linear_model::LinearModel;
pub use penalties::PenaltyGrid;
pub(crate) use penalties::shares_of;
pub use training::Training;
