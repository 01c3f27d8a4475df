//! Files of multi-label data: reading, streaming, writing and converting them.

#![forbid(unsafe_code)]

mod arff;
#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "catalogue")]
pub mod catalogue;
mod cell;
mod column_checks;
mod column_names;
mod columns;
mod convert;
mod csv;
mod dates;
mod decimal;
mod error;
mod expansion;
mod format;
mod found_labels;
mod growth;
mod inference;
mod json;
mod json_lines;
mod label_source;
mod lines;
mod marks;
mod matched;
mod matching;
mod memory_table;
mod mulan_xml;
mod note;
mod open;
mod pairs;
mod predictions;
mod read;
mod row_id;
mod rows;
mod seen;
mod sink;
mod source;
mod stream;
mod synthetic;
mod tally;
mod text;
mod vocabulary;
mod wanted;
mod word_column;
mod write;

use mmoc::Stream;
use mmoc::data::{
    Attribute, Csr, Dataset, Features, FeaturesView, Labels, MOST_COLUMNS, MOST_VALUES, Matrix,
    Nominal, Schema, Targets,
};
use mmoc::whole_file::replace_file;

pub use column_names::ColumnNames;
pub use convert::Conversion;
pub use error::{DataError, Error, PlaceInFile, Remedy, Result, TextPlace};
pub use format::Format;
pub use label_source::{LabelSource, Tags};
pub use marks::LeftOutReason;
pub use matched::{Matched, read_matched};
pub use memory_table::{MemoryColumn, MemoryTable};
pub use note::{ColumnNote, SomeNames};
pub use pairs::label_numbers;
pub use predictions::{ReadPrediction, read_predictions, read_predictions_from};
pub use read::{
    Loaded, MissingCells, MissingLabels, ReadOptions, Times, Warning, labels, read, read_files,
    read_from,
};
pub use row_id::RowId;
pub use source::is_compressed;
pub use stream::{Batch, Pace, RowStream, StreamOptions, Unknown, WantedLabels};
pub use synthetic::Twin;
pub use wanted::Owner;
pub use write::{
    Outline, PutBatch, arff_word, mulan_xml, number_text, write, write_batches,
    write_batches_to_file, write_file,
};
