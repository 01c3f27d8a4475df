//! Parquet files, read by the crate `parquet` behind checks of what they declare.

use std::fmt::Display;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowGroups,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{ConvertedType, LogicalType, Type as Storage};
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnDescPtr;

use super::fault::{Fault, Found, damaged};
use super::input::Input;
use super::pages::{Pages, Watch};
use super::panics::catch;
use super::table::Declared;
use mmoc::text::excerpt;

const MAGIC: &[u8] = b"PAR1";
const ENCRYPTED: &[u8] = b"PARE";
/// The length of the metadata, and the last four letters.
const TAIL: usize = 8;
/// More metadata than this is refused: a hundred thousand columns in ten groups of rows take less.
const LONGEST_METADATA: u64 = 1 << 28;

/// An open file.
pub(super) struct ParquetFile {
    input: Arc<Input>,
    watch: Arc<Watch>,
    metadata: Arc<ParquetMetaData>,
    /// The types that the columns are read as.
    fields: Fields,
}

impl ParquetFile {
    /// Opens a file; its columns come with it.
    pub(super) fn open(input: Input) -> Found<(Self, Vec<Declared>)> {
        check_tail(&input)?;
        let metadata = catch(|| {
            let options = ArrowReaderOptions::new();
            ArrowReaderMetadata::load(&input, options).map_err(damaged)
        })?;
        check_groups(metadata.metadata(), input.len())?;
        let fields = metadata.schema().fields().iter();
        let columns = fields
            .enumerate()
            .map(|(root, field)| declare(&metadata, root, field));
        let columns: Vec<Declared> = columns.collect();
        let file = Self {
            input: Arc::new(input),
            watch: Arc::default(),
            fields: columns.iter().map(Declared::field).collect(),
            metadata: Arc::clone(metadata.metadata()),
        };
        Ok((file, columns))
    }

    /// The size of the file.
    pub(super) fn size(&self) -> u64 {
        self.input.len()
    }

    /// The number of rows, of all groups: some writers leave out that of the file.
    pub(super) fn rows(&self) -> u64 {
        let groups = self.metadata.row_groups().iter();
        let rows = groups.map(|group| group.num_rows().cast_unsigned());
        rows.fold(0, u64::saturating_add)
    }

    /// A value of the table of keys and values.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        let mut entries = self.metadata.file_metadata().key_value_metadata()?.iter();
        entries.find(|entry| entry.key == key)?.value.as_deref()
    }

    /// The rows of some columns, at most `most` in a batch.
    pub(super) fn batches(self: &Arc<Self>, columns: &[usize], most: usize) -> Found<GroupBatches> {
        let schema = self.metadata.file_metadata().schema_descr();
        let mask = ProjectionMask::roots(schema, columns.iter().copied());
        let levels = catch(|| {
            parquet_to_arrow_field_levels(schema, mask, Some(&self.fields)).map_err(damaged)
        })?;
        Ok(GroupBatches {
            file: Arc::clone(self),
            levels,
            most,
            next_group: 0,
            reader: None,
            left: 0,
        })
    }

    /// What was refused while the crate read, else what the crate says.
    fn fault(&self, error: impl Display) -> Fault {
        self.watch.take_fault().unwrap_or_else(|| damaged(error))
    }
}

fn check_tail(input: &Input) -> Found<()> {
    let no_parquet = || Fault::new("a Parquet file", "something else");
    let body = input
        .len()
        .checked_sub(TAIL as u64)
        .ok_or_else(no_parquet)?;
    let tail = input.get_bytes(body, TAIL).map_err(damaged)?;
    let (length, magic) = tail.split_at(4);
    match magic {
        MAGIC => (),
        ENCRYPTED => return Err(Fault::new("a file that is not encrypted", "one that is")),
        _ => return Err(no_parquet()),
    }
    let length = u64::from(u32::from_le_bytes([
        length[0], length[1], length[2], length[3],
    ]));
    if length > body {
        return Err(Fault::too_short());
    }
    if length > LONGEST_METADATA {
        let expected = format!("metadata of at most {LONGEST_METADATA} bytes");
        return Err(Fault::new(expected, length.to_string()));
    }
    Ok(())
}

/// The columns of all groups lie within the file and have the rows of their group.
fn check_groups(metadata: &ParquetMetaData, size: u64) -> Found<()> {
    for group in metadata.row_groups() {
        if group.num_rows() < 0 {
            return Err(Fault::damaged("a negative count"));
        }
        for column in group.columns() {
            check_chunk(column, group.num_rows(), size)?;
        }
    }
    Ok(())
}

/// Where the dictionary is; some writers put a zero where there is none.
fn dictionary_start(column: &ColumnChunkMetaData) -> Option<i64> {
    let start = column.dictionary_page_offset();
    start.filter(|&start| start > 0)
}

fn check_chunk(column: &ColumnChunkMetaData, rows: i64, size: u64) -> Found<()> {
    if column.file_path().is_some() {
        return Err(Fault::new("all columns in one file", "one in another"));
    }
    let start = dictionary_start(column).unwrap_or(column.data_page_offset());
    let end = start.checked_add(column.compressed_size());
    let inside = start >= 0 && column.compressed_size() >= 0;
    if !inside || end.is_none_or(|end| end.cast_unsigned() > size) {
        return Err(Fault::damaged("a column outside of the file"));
    }
    if column.column_descr().max_rep_level() == 0 && column.num_values() != rows {
        let path = column.column_path().string();
        let found = format!("another number of cells in {}", excerpt(&path));
        return Err(Fault::damaged(found));
    }
    Ok(())
}

/// A column by its place among the columns of the table.
fn declare(metadata: &ArrowReaderMetadata, root: usize, field: &Field) -> Declared {
    let schema = metadata.parquet_schema();
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root);
    let leaf = leaf.map(|leaf| schema.column(leaf));
    let oldest = |leaf: &ColumnDescPtr| leaf.physical_type() == Storage::INT96;
    let is_oldest_time = leaf.as_ref().is_some_and(oldest);
    let plain = leaf.filter(|_| !field.data_type().is_nested());
    let meaning = plain.map(|leaf| (leaf.logical_type_ref().cloned(), leaf.converted_type()));
    let (data, refused) = match meaning {
        Some(
            (Some(LogicalType::Json | LogicalType::Bson), _)
            | (None, ConvertedType::JSON | ConvertedType::BSON),
        ) => (field.data_type().clone(), Some("JSON")),
        // Text, though the crate reads it as bytes.
        Some((Some(LogicalType::Enum), _) | (None, ConvertedType::ENUM)) => {
            (DataType::Utf8View, None)
        }
        // Nanoseconds, in which the crate reads the oldest kind of times, end in the year 2262.
        Some(_) if is_oldest_time => (DataType::Timestamp(TimeUnit::Microsecond, None), None),
        _ => (without_copies(field.data_type()), None),
    };
    Declared {
        name: field.name().clone(),
        data,
        optional: field.is_nullable(),
        refused,
    }
}

/// The type of the same cells in which a word that occurs in many cells is in memory once.
fn without_copies(data: &DataType) -> DataType {
    match data {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Dictionary(_, value) => without_copies(value),
        other => other.clone(),
    }
}

/// The batches of one group of rows after the other.
pub(super) struct GroupBatches {
    file: Arc<ParquetFile>,
    levels: FieldLevels,
    most: usize,
    next_group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// The rows of the present group that were not read yet.
    left: u64,
}

impl GroupBatches {
    /// The next rows, column by column, or none at the end.
    pub(super) fn next(&mut self) -> Found<Option<Vec<ArrayRef>>> {
        loop {
            if self.left == 0 {
                self.reader = None;
                if self.next_group == self.file.metadata.num_row_groups() {
                    return Ok(None);
                }
                self.begin_group()?;
                continue;
            }
            let file = Arc::clone(&self.file);
            let Some(reader) = &mut self.reader else {
                return Ok(None);
            };
            let batch = catch(|| reader.next().transpose().map_err(|error| file.fault(error)))?;
            let batch = batch.ok_or_else(|| Fault::damaged("fewer cells than rows"))?;
            return self.count(&batch).map(|()| Some(batch.columns().to_vec()));
        }
    }

    fn begin_group(&mut self) -> Found<()> {
        let group = Group {
            file: &self.file,
            metadata: self.file.metadata.row_group(self.next_group),
        };
        self.left = group.metadata.num_rows().cast_unsigned();
        self.next_group += 1;
        let most = self.most.min(self.left as usize);
        let reader = catch(|| {
            ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, most, None)
                .map_err(|error| self.file.fault(error))
        })?;
        self.reader = Some(reader);
        Ok(())
    }

    fn count(&mut self, batch: &RecordBatch) -> Found<()> {
        let left = self.left.checked_sub(batch.num_rows() as u64);
        self.left = left.ok_or_else(|| Fault::damaged("more cells than there are rows"))?;
        Ok(())
    }
}

/// A group of rows as the crate asks for it.
struct Group<'f> {
    file: &'f ParquetFile,
    metadata: &'f RowGroupMetaData,
}

impl RowGroups for Group<'_> {
    fn num_rows(&self) -> usize {
        self.metadata.num_rows().cast_unsigned() as usize
    }

    fn column_chunks(&self, leaf: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let rows = self.metadata.num_rows().cast_unsigned();
        let column = self.metadata.columns().get(leaf);
        let column =
            column.ok_or_else(|| ParquetError::General("a group that lacks columns".into()))?;
        let column = column.clone().into_builder();
        let column =
            column.set_dictionary_page_offset(dictionary_start(&self.metadata.columns()[leaf]));
        let pages = Pages::new(&self.file.input, &self.file.watch, &column.build()?, rows)?;
        Ok(Box::new(OneChunk(Some(Box::new(pages)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.file.metadata
    }
}

/// The pages of the only chunk of a column.
struct OneChunk(Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}
