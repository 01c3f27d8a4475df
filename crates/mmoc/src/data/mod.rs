//! From files to validated data sets, and from data sets to training and test rows.

mod arff;
mod attribute;
mod cell;
mod csr;
mod csv;
mod dataset;
mod decimal;
mod expansion;
mod extreme;
mod features;
mod format;
mod frame;
mod growth;
mod label_source;
mod labels;
mod libsvm;
mod lines;
mod matrix;
mod meaning;
mod mulan_xml;
mod nominal;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
mod preprocessing;
mod read;
mod rows;
mod source;
mod split;
mod stream;
mod summary;
mod synthetic;
mod write;

pub use attribute::Attribute;
pub use csr::{Csr, CsrView};
pub use dataset::{Dataset, DatasetView};
pub use features::{Features, FeaturesView};
pub use format::Format;
pub use frame::Frame;
pub use label_source::LabelSource;
pub use labels::Labels;
pub(crate) use lines::safe;
pub use matrix::{Matrix, MatrixView};
pub use pairs::label_numbers;
pub use preprocessing::{Preprocessed, Preprocessing, Scaling};
pub use read::{Loaded, Missing, ReadOptions, Warning, read, read_from};
pub use split::{Folds, Split, k_folds, random_split, stratified_folds, stratified_split};
pub use stream::{Batch, ColumnNote, RowStream, SomeNames, StreamOptions, WantedLabels};
pub use summary::{LabelSet, Summary};
pub use synthetic::Twin;
pub use write::{
    arff_word, is_replaceable, mulan_xml, number_text, replace_file, write, write_file,
};
