//! A table that was opened: its columns, which of them are read, and which are labels.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};

use super::fault::{Fault, Found};
use super::input::Input;
use super::ipc::Messages;
use super::kind::{Kind, expected, kind_of};
use super::parquet::{GroupBatches, ParquetFile};
use super::{LABELS_KEY, is_pandas_index};
use crate::columns::{CellKind, FileColumn, FileHeader};
use crate::label_source::ChosenLabels;
use crate::read::Times;
use crate::source::Source;
use crate::{Error, Format, LabelSource, Result};
use mmoc::text::excerpt;

/// The cells of a file that are read at once, of which each takes eight bytes, are at most so many, or so many for
/// each byte of the file if those are more: a few bytes can declare any number of equal cells.
const CELLS: u64 = 1 << 28;
const CELLS_PER_BYTE: u64 = 64;
/// The rows of a Parquet file that are decoded at once, if several columns are read side by side.
const BATCH_ROWS: usize = 1 << 10;

/// A column as a file declares it.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) data: DataType,
    pub(super) optional: bool,
    /// What it is instead of numbers or words, if its type does not say so.
    pub(super) refused: Option<&'static str>,
}

impl Declared {
    /// What it is read as.
    pub(super) fn kind(&self, times: Times) -> Found<Kind> {
        match self.refused {
            None => kind_of(&self.name, &self.data, times),
            Some(found) => Err(Fault::new(expected(&self.name), found)),
        }
    }

    /// The field of this type.
    pub(super) fn field(&self) -> Arc<Field> {
        Arc::new(Field::new(&self.name, self.data.clone(), self.optional))
    }
}

/// An open file.
pub(super) struct Table<'a> {
    /// The file, as the user named it.
    pub(super) name: String,
    /// The columns that are read, and their places in the file.
    pub(super) columns: Vec<Declared>,
    pub(super) places: Vec<usize>,
    /// Which columns are labels, if we wrote the file.
    labels: Option<String>,
    pub(super) body: Body<'a>,
}

/// What holds the rows.
pub(super) enum Body<'a> {
    Parquet(Arc<ParquetFile>),
    Messages(Messages<'a>),
}

impl<'a> Table<'a> {
    /// Opens a Parquet or Arrow file.
    pub(super) fn open(mut source: Source<'a>, format: Format) -> Result<Self> {
        let name = source.name.clone();
        let (columns, labels, body) = if format == Format::Parquet {
            let input = Input::new(&mut source)?;
            let (file, columns) =
                ParquetFile::open(input).map_err(|fault| fault.at(&name, None, None))?;
            let labels = file.value(LABELS_KEY).map(str::to_owned);
            (columns, labels, Body::Parquet(Arc::new(file)))
        } else {
            let messages = Messages::open(source)?;
            let columns = messages.schema().fields().iter().map(|field| Declared {
                name: field.name().clone(),
                data: field.data_type().clone(),
                optional: field.is_nullable(),
                refused: None,
            });
            let labels = messages.schema().metadata().get(LABELS_KEY).cloned();
            (columns.collect(), labels, Body::Messages(messages))
        };
        let read = columns.into_iter().enumerate();
        let read = read.filter(|(_, column)| !is_pandas_index(&column.name));
        let (places, columns) = read.unzip();
        let table = Self {
            name,
            columns,
            places,
            labels,
            body,
        };
        table.check_names()?;
        match &table.body {
            Body::Parquet(file) if file.rows() == 0 => Err(table.error("at least one row", "none")),
            _ => Ok(table),
        }
    }

    /// What the file says before its rows. A column that can be neither numbers nor words is refused once it is used.
    pub(super) fn header(&self, times: Times) -> FileHeader {
        let column = |column: &Declared| {
            let kind = match column.kind(times) {
                Ok(Kind::Words) => CellKind::Words,
                _ => CellKind::Numbers,
            };
            FileColumn::new(column.name.as_str(), None, kind)
        };
        FileHeader {
            file: self.name.clone(),
            place: None,
            end: None,
            columns: self.columns.iter().map(column).collect(),
            sparse: false,
        }
    }

    /// Which columns are labels.
    pub(super) fn choose_labels(
        &self,
        header: &FileHeader,
        labels: &LabelSource,
    ) -> Result<ChosenLabels> {
        let own = self.labels.as_ref().map(|text| text.parse());
        let own = own.and_then(|parsed: Result<LabelSource>| parsed.ok());
        // A file must not make us read another one.
        let own = own.filter(|own| !matches!(own, LabelSource::Xml(_)));
        if let (LabelSource::Auto, Some(own)) = (labels, &own) {
            return own.choose(header).map(ChosenLabels::undeclared);
        }
        let is_declared = own.and_then(|own| own.choose(header).ok());
        Ok(ChosenLabels::among(labels.choose(header)?, is_declared))
    }

    /// The rows of some columns, by ascending places in the file. If all of them are to be kept, they must not be more
    /// than can sensibly be in the file.
    pub(super) fn batches(self, columns: Vec<usize>, kept: bool) -> Result<Batches<'a>> {
        let rows = match self.body {
            Body::Parquet(file) => {
                if kept {
                    let cells = file.rows().saturating_mul(columns.len() as u64);
                    let checked = check_cells(cells, file.size());
                    checked.map_err(|fault| fault.at(&self.name, None, None))?;
                }
                let batches = file.batches(&columns, BATCH_ROWS);
                BatchSource::Parquet(batches.map_err(|fault| fault.at(&self.name, None, None))?)
            }
            Body::Messages(messages) => BatchSource::Messages(messages),
        };
        Ok(Batches {
            file: self.name,
            columns,
            rows,
            kept,
            count: 0,
        })
    }

    fn check_names(&self) -> Result<()> {
        if self.columns.is_empty() {
            return Err(self.error("at least one column", "none"));
        }
        let mut seen = HashSet::new();
        for column in &self.columns {
            if column.name.is_empty() {
                return Err(self.error("a name for every column", "one without"));
            }
            if !seen.insert(&column.name) {
                let found = format!("{} twice", excerpt(&column.name));
                return Err(self.error("columns with names of their own", found));
            }
        }
        Ok(())
    }

    /// The error that the file as a whole is not as it should be.
    pub(super) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Fault::new(expected.into(), found.into()).at(&self.name, None, None)
    }
}

/// The rows of some columns of a table.
pub(super) struct Batches<'a> {
    file: String,
    columns: Vec<usize>,
    rows: BatchSource<'a>,
    kept: bool,
    /// Rows read so far.
    count: u64,
}

enum BatchSource<'a> {
    Parquet(GroupBatches),
    Messages(Messages<'a>),
}

impl Batches<'_> {
    /// The next rows, column by column, or none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        match &mut self.rows {
            BatchSource::Parquet(groups) => groups
                .next()
                .map_err(|fault| fault.at(&self.file, None, None)),
            BatchSource::Messages(messages) => {
                let (kept, width, count) = (self.kept, self.columns.len() as u64, self.count);
                let arrays = messages.next(&self.columns, |rows, bytes| {
                    if kept {
                        check_cells((count + rows).saturating_mul(width), bytes)?;
                    }
                    Ok(())
                })?;
                let rows = arrays.as_ref().and_then(|arrays| arrays.first());
                self.count += rows.map_or(0, |array| array.len() as u64);
                Ok(arrays)
            }
        }
    }
}

/// Fails if so many cells are more than can sensibly be in so many bytes.
fn check_cells(cells: u64, bytes: u64) -> Found<()> {
    let most = CELLS.max(bytes.saturating_mul(CELLS_PER_BYTE));
    if cells <= most {
        return Ok(());
    }
    Err(Fault::new(
        format!("at most {most} cells"),
        cells.to_string(),
    ))
}
