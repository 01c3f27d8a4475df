//! Parquet and Arrow IPC: features as numbers, then labels as booleans, some rows at a time.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::{Outline, WriteBatches};
use crate::arrow::LABELS_KEY;
use crate::{FeaturesView, Labels};

/// Rows are divided so that a page of every column together takes about 32 MiB, and a group four times as much;
/// but never so finely that the headers would count.
const CELLS_OF_PAGES: usize = 1 << 22;
const PAGE_ROWS: Range<usize> = 512..1 << 17;
const CELLS_OF_GROUP: usize = 1 << 24;
const GROUP_ROWS: Range<usize> = 1 << 12..1 << 20;

/// Writes Parquet. The crate asks for an output that can go to another thread, which ours need not, so that it writes
/// into memory, from where each group of rows goes on.
pub(super) struct ParquetWriter<'a> {
    schema: SchemaRef,
    writer: ArrowWriter<Vec<u8>>,
    out: &'a mut dyn Write,
}

impl<'a> ParquetWriter<'a> {
    /// No rows yet.
    pub(super) fn begin(outline: &Outline<'_>, out: &'a mut dyn Write) -> io::Result<Self> {
        let schema = schema(outline, false);
        let count = schema.fields().len();
        let labels = labels_value(outline.schema.label_names().len());
        let labels = KeyValue::new(LABELS_KEY.to_owned(), labels);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("mmoc version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_data_page_row_count_limit(rows_of(CELLS_OF_PAGES, count, &PAGE_ROWS))
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(vec![labels]))
            .set_max_row_group_row_count(Some(rows_of(CELLS_OF_GROUP, count, &GROUP_ROWS)))
            .set_offset_index_disabled(true)
            .set_statistics_enabled(EnabledStatistics::None);
        let options = ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_skip_arrow_metadata(true);
        let writer =
            ArrowWriter::try_new_with_options(Vec::new(), SchemaRef::clone(&schema), options);
        Ok(Self {
            schema,
            writer: writer.map_err(io::Error::other)?,
            out,
        })
    }
}

impl WriteBatches for ParquetWriter<'_> {
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()> {
        for batch in batches(features, labels, &self.schema) {
            self.writer.write(&batch?).map_err(io::Error::other)?;
            self.out.write_all(self.writer.inner())?;
            self.writer.inner_mut().clear();
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let rest = self.writer.into_inner().map_err(io::Error::other)?;
        self.out.write_all(&rest)
    }
}

/// Writes an Arrow IPC file, its batches compressed by LZ4.
pub(super) struct IpcWriter<'a> {
    schema: SchemaRef,
    writer: FileWriter<&'a mut dyn Write>,
}

impl<'a> IpcWriter<'a> {
    /// No rows yet.
    pub(super) fn begin(outline: &Outline<'_>, out: &'a mut dyn Write) -> io::Result<Self> {
        let schema = schema(outline, true);
        let lz4 = Some(CompressionType::LZ4_FRAME);
        let options = IpcWriteOptions::default().try_with_compression(lz4);
        let options = options.map_err(io::Error::other)?;
        let writer = FileWriter::try_new_with_options(out, &schema, options);
        Ok(Self {
            writer: writer.map_err(io::Error::other)?,
            schema,
        })
    }
}

impl WriteBatches for IpcWriter<'_> {
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()> {
        for batch in batches(features, labels, &self.schema) {
            self.writer.write(&batch?).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.writer.finish().map_err(io::Error::other)
    }
}

/// Which columns are labels, in the words of the option for labels: so many at the end.
fn labels_value(count: usize) -> String {
    format!("-{count}")
}

/// The columns; a Parquet file says in its own metadata which are labels.
fn schema(outline: &Outline<'_>, says_labels: bool) -> SchemaRef {
    let features = outline.schema.feature_names().iter().zip(&outline.missing);
    let numbers = features.map(|(name, &missing)| Field::new(name, DataType::Float64, missing));
    let labels = outline.schema.label_names();
    let flags = labels
        .iter()
        .map(|name| Field::new(name, DataType::Boolean, false));
    let fields: Vec<Field> = numbers.chain(flags).collect();
    let entry = (LABELS_KEY.to_owned(), labels_value(labels.len()));
    let metadata: HashMap<String, String> = says_labels.then_some(entry).into_iter().collect();
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// The rows that have so many cells, within bounds.
fn rows_of(cells: usize, columns: usize, bounds: &Range<usize>) -> usize {
    (cells / columns).clamp(bounds.start, bounds.end)
}

/// All rows, some at a time.
fn batches<'a>(
    features: FeaturesView<'a>,
    labels: &'a Labels,
    schema: &'a SchemaRef,
) -> impl Iterator<Item = io::Result<RecordBatch>> + 'a {
    let most = rows_of(CELLS_OF_PAGES, schema.fields().len(), &PAGE_ROWS);
    let starts = (0..features.rows()).step_by(most);
    starts.map(move |start| {
        let rows = start..features.rows().min(start + most);
        let mut columns = numbers(features, rows.clone());
        columns.extend(flags(labels, &rows));
        RecordBatch::try_new(SchemaRef::clone(schema), columns).map_err(io::Error::other)
    })
}

/// Some rows of all features; NaN is a missing cell.
fn numbers(features: FeaturesView<'_>, rows: Range<usize>) -> Vec<ArrayRef> {
    let mut columns = vec![vec![0.0; rows.len()]; features.columns()];
    for (place, row) in rows.enumerate() {
        match features {
            FeaturesView::Dense(matrix) => {
                let values = columns.iter_mut().zip(matrix.row(row));
                values.for_each(|(column, &value)| column[place] = value);
            }
            FeaturesView::Sparse(matrix) => {
                let entries = matrix.entries(row);
                entries.for_each(|(column, value)| columns[column][place] = value);
            }
        }
    }
    let array = |values: Vec<f64>| -> ArrayRef {
        if values.iter().any(|value| value.is_nan()) {
            let cells = values.into_iter();
            let cells = cells.map(|value| (!value.is_nan()).then_some(value));
            return Arc::new(cells.collect::<Float64Array>());
        }
        Arc::new(Float64Array::from(values))
    };
    columns.into_iter().map(array).collect()
}

/// Some rows of all labels.
fn flags(labels: &Labels, rows: &Range<usize>) -> impl Iterator<Item = ArrayRef> {
    (0..labels.count()).map(|label| -> ArrayRef {
        let flags = rows.clone().map(|row| labels.contains(row, label));
        Arc::new(BooleanArray::from(flags.collect::<Vec<bool>>()))
    })
}
