//! Files of multi-label data: reading, streaming, writing and converting them.

#![forbid(unsafe_code)]

mod arff;
#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "catalogue")]
pub mod catalogue;
mod cell;
mod csv;
mod decimal;
mod error;
mod expansion;
mod extreme;
mod format;
mod growth;
mod label_source;
mod libsvm;
mod lines;
mod meaning;
mod mulan_xml;
mod pairs;
mod read;
mod rows;
mod source;
mod stream;
mod synthetic;
mod write;

use mmoc::Stream;
use mmoc::data::{
    Attribute, Csr, Dataset, Features, FeaturesView, Labels, MOST_COLUMNS, MOST_VALUES, Matrix,
    Nominal, Schema,
};
use mmoc::whole_file::replace_file;

pub use error::{DataError, Error, PlaceInFile, Remedy, Result, TextPlace};
pub use format::Format;
pub use label_source::LabelSource;
pub use pairs::label_numbers;
pub use read::{Loaded, Missing, ReadOptions, Times, Warning, labels, read, read_files, read_from};
pub use stream::{Batch, ColumnNote, RowStream, SomeNames, StreamOptions, WantedLabels};
pub use synthetic::Twin;
pub use write::{
    Outline, PutBatch, arff_word, mulan_xml, number_text, write, write_batches,
    write_batches_to_file, write_file,
};
