//! Matrices, labels, data sets, splits and preprocessing.

mod attribute;
mod conversions;
mod csr;
mod dataset;
mod features;
mod labels;
mod matrix;
mod nominal;
mod preprocessing;
mod schema;
mod split;
mod summary;
mod targets;
mod training_rows;

pub use attribute::{Attribute, MOST_VALUES};
pub use csr::{Csr, CsrView};
pub use dataset::{Dataset, DatasetView};
pub use features::{Features, FeaturesView};
pub use labels::Labels;
pub use matrix::{Matrix, MatrixView};
pub use nominal::Nominal;
pub(crate) use preprocessing::{ColumnPass, ColumnRanges, PackedPreprocessing, PartitionedColumns};
pub use preprocessing::{Missing, Preprocessed, Preprocessing, Scaling};
pub use schema::{MOST_COLUMNS, Schema};
pub use split::{Folds, Split, k_folds, random_split, stratified_folds, stratified_split};
pub use summary::{DatasetStatistics, LabelSet};
pub(crate) use targets::SelectedTargets;
pub use targets::Targets;
pub(crate) use targets::check_weights;
pub use training_rows::TrainingRows;
