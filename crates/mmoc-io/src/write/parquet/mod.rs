//! Parquet: features as DOUBLE, then labels as BOOLEAN, plain and compressed by snappy.
//!
//! `data/parquet/footer.rs` describes the layout of a file.

mod columns;
mod page;
mod thrift;

use std::io::{self, Write};
use std::ops::Range;

use super::{Outline, WriteBatches};
use crate::parquet::LABELS_KEY;
use crate::rows::Rows;
use crate::{Dataset, FeaturesView, Labels};
use columns::Columns;
use page::Page;
use thrift::{Kind, Writer};

/// Rows are divided so that a page of every column together takes about 32 MiB, and a group four times as much;
/// but never so finely that the headers would count.
const CELLS_OF_PAGES: usize = 1 << 22;
const PAGE_ROWS: Range<usize> = 512..1 << 17;
const CELLS_OF_GROUP: usize = 1 << 24;
const GROUP_ROWS: Range<usize> = 1 << 12..1 << 20;

/// Types, encodings and the compression, by their numbers in the file.
const BOOLEAN: usize = 0;
const DOUBLE: usize = 5;
const PLAIN: usize = 0;
const RUNS: usize = 3;
const SNAPPY: usize = 1;
const REQUIRED: usize = 0;
const OPTIONAL: usize = 1;

/// Gathers all rows before it writes them.
pub(super) struct ParquetWriter<'a> {
    outline: &'a Outline<'a>,
    rows: Rows,
    out: &'a mut dyn Write,
}

impl<'a> ParquetWriter<'a> {
    /// No rows yet.
    pub(super) fn begin(outline: &'a Outline<'_>, out: &'a mut dyn Write) -> Self {
        let rows = if outline.schema.is_sparse() {
            Rows::sparse()
        } else {
            Rows::dense(outline.schema.columns())
        };
        Self { outline, rows, out }
    }
}

impl WriteBatches for ParquetWriter<'_> {
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()> {
        for row in 0..features.rows() {
            features.for_each_in_row(row, |column, value| self.rows.put(column, value));
            let labels = labels.row(row).iter();
            labels.for_each(|&label| self.rows.add_label(label as usize));
            self.rows.end_row();
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let schema = self.outline.schema;
        let label_names = schema.label_names().to_vec();
        let finished = self.rows.finish_as_is(schema.columns(), label_names.len());
        let (features, labels) = finished.map_err(io::Error::other)?;
        let attributes = schema.attributes().to_vec();
        let name = self.outline.name;
        let dataset = Dataset::from_attributes(name, features, labels, attributes, label_names);
        write(&dataset.map_err(io::Error::other)?, self.out)
    }
}

/// Writes a data set whose names are all different and none empty.
fn write(dataset: &Dataset, mut out: &mut dyn Write) -> io::Result<()> {
    let columns = Columns::new(dataset);
    let mut file = File {
        out: &mut out,
        position: 0,
    };
    file.put(b"PAR1")?;
    let count = dataset.columns() + dataset.labels().count();
    let group_rows = rows_of(CELLS_OF_GROUP, count, &GROUP_ROWS);
    let mut groups = Vec::new();
    for start in (0..dataset.rows()).step_by(group_rows) {
        let rows = start..dataset.rows().min(start + group_rows);
        groups.push(write_group(dataset, &columns, rows, &mut file)?);
    }
    let metadata = metadata(dataset, &columns, &groups);
    file.put(&metadata)?;
    let length = u32::try_from(metadata.len())
        .map_err(|_| io::Error::other("too many columns for a Parquet file"))?;
    file.put(&length.to_le_bytes())?;
    file.put(b"PAR1")
}

/// The rows that have so many cells, within bounds.
fn rows_of(cells: usize, columns: usize, bounds: &Range<usize>) -> usize {
    (cells / columns).clamp(bounds.start, bounds.end)
}

/// A group that was written.
struct Group {
    rows: usize,
    chunks: Vec<Chunk>,
}

/// Where the pages of a column are.
#[derive(Default)]
struct Chunk {
    start: u64,
    size: u64,
    plain_size: u64,
}

/// An output that knows how much was written.
struct File<'a, W> {
    out: &'a mut W,
    position: u64,
}

impl<W: Write> File<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

fn write_group(
    dataset: &Dataset,
    columns: &Columns<'_>,
    rows: Range<usize>,
    file: &mut File<'_, impl Write>,
) -> io::Result<Group> {
    let mut chunks = Vec::new();
    for (column, &optional) in columns.missing.iter().enumerate() {
        let page = |rows| page::numbers(&columns.feature(column, rows), optional);
        chunks.push(write_chunk(dataset, &rows, page, file)?);
    }
    for label in 0..dataset.labels().count() {
        let page = |rows| page::flags(&columns.label(label, rows));
        chunks.push(write_chunk(dataset, &rows, page, file)?);
    }
    let rows = rows.len();
    Ok(Group { rows, chunks })
}

fn write_chunk(
    dataset: &Dataset,
    rows: &Range<usize>,
    page: impl Fn(Range<usize>) -> Page,
    file: &mut File<'_, impl Write>,
) -> io::Result<Chunk> {
    let count = dataset.columns() + dataset.labels().count();
    let page_rows = rows_of(CELLS_OF_PAGES, count, &PAGE_ROWS);
    let mut chunk = Chunk {
        start: file.position,
        ..Chunk::default()
    };
    for start in rows.clone().step_by(page_rows) {
        let page = page(start..rows.end.min(start + page_rows));
        file.put(&page.bytes)?;
        chunk.size += page.bytes.len() as u64;
        chunk.plain_size += page.plain_size;
    }
    Ok(chunk)
}

/// A column as the metadata name it.
struct Declared<'a> {
    name: &'a str,
    storage: usize,
    repetition: usize,
}

fn declared<'a>(dataset: &'a Dataset, columns: &Columns<'_>) -> Vec<Declared<'a>> {
    let features = dataset.feature_names().iter().zip(&columns.missing);
    let features = features.map(|(name, &missing)| Declared {
        name,
        storage: DOUBLE,
        repetition: if missing { OPTIONAL } else { REQUIRED },
    });
    let labels = dataset.label_names().iter().map(|name| Declared {
        name,
        storage: BOOLEAN,
        repetition: REQUIRED,
    });
    features.chain(labels).collect()
}

fn metadata(dataset: &Dataset, columns: &Columns<'_>, groups: &[Group]) -> Vec<u8> {
    let declared = declared(dataset, columns);
    let mut writer = Writer::default();
    writer.element(|file| {
        file.int32(1, 1);
        write_schema(&declared, file);
        file.int64(3, dataset.rows() as u64);
        file.list(4, Kind::Structure, groups.len());
        for group in groups {
            file.element(|writer| write_group_metadata(group, &declared, writer));
        }
        file.list(5, Kind::Structure, 1);
        file.element(|entry| {
            entry.text(1, LABELS_KEY);
            entry.text(2, &format!("-{}", dataset.labels().count()));
        });
        file.text(6, concat!("mmoc version ", env!("CARGO_PKG_VERSION")));
    });
    writer.into_bytes()
}

fn write_schema(declared: &[Declared<'_>], file: &mut Writer) {
    file.list(2, Kind::Structure, declared.len() + 1);
    file.element(|table| {
        table.text(4, "schema");
        table.int32(5, declared.len());
    });
    for column in declared {
        file.element(|element| {
            element.int32(1, column.storage);
            element.int32(3, column.repetition);
            element.text(4, column.name);
        });
    }
}

fn write_group_metadata(group: &Group, declared: &[Declared<'_>], writer: &mut Writer) {
    writer.list(1, Kind::Structure, group.chunks.len());
    for (chunk, column) in group.chunks.iter().zip(declared) {
        writer.element(|entry| {
            entry.int64(2, chunk.start);
            entry.structure(3, |metadata| {
                write_chunk_metadata(chunk, column, group.rows, metadata);
            });
        });
    }
    let plain_size = group.chunks.iter().map(|chunk| chunk.plain_size).sum();
    writer.int64(2, plain_size);
    writer.int64(3, group.rows as u64);
}

fn write_chunk_metadata(chunk: &Chunk, column: &Declared<'_>, rows: usize, metadata: &mut Writer) {
    metadata.int32(1, column.storage);
    metadata.list(2, Kind::Int32, 2);
    metadata.element_integer(PLAIN);
    metadata.element_integer(RUNS);
    metadata.list(3, Kind::Text, 1);
    metadata.element_text(column.name);
    metadata.int32(4, SNAPPY);
    metadata.int64(5, rows as u64);
    metadata.int64(6, chunk.plain_size);
    metadata.int64(7, chunk.size);
    metadata.int64(9, chunk.start);
}
