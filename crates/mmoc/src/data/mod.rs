//! From files to validated data sets, and from data sets to training and test rows.

mod csr;
mod dataset;
mod features;
mod labels;
mod matrix;
mod preprocessing;
mod split;
mod summary;

pub use csr::{Csr, CsrView};
pub use dataset::Dataset;
pub use features::{Features, FeaturesView};
pub use labels::Labels;
pub use matrix::{Matrix, MatrixView};
