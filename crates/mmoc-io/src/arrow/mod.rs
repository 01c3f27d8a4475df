//! Parquet files and Arrow IPC files (Feather) of flat tables, read by the crates `parquet` and `arrow-ipc`.
//!
//! Both give Arrow arrays, which become numbers and words here. Columns of other types are refused by name. The crates
//! are kept within bounds: what a file declares is checked before they act on it (`parquet`, `pages`, `ipc`), and their
//! panics become errors (`panics`). `docs/data.md` lists the bounds.

mod cells;
mod column;
mod delta;
mod fault;
mod input;
mod ipc;
mod kind;
mod pages;
mod panics;
mod parquet;
mod stream;
mod table;
mod thrift;

use std::sync::Arc;

use rayon::prelude::*;

use super::csv::assemble::assemble;
use super::read::{Collect, ReadOptions, Warning};
use super::source::Source;
use super::{Dataset, Format};
use crate::Result;
use column::Column;
use fault::Fault;
use ipc::Messages;
use parquet::ParquetFile;
pub(super) use stream::open;
use table::{Body, Table, check_cells};

/// The key under which we write which columns are labels, in the words of the option for labels.
pub(crate) const LABELS_KEY: &str = "mmoc.labels";

/// The rows of a Parquet file that are decoded at once, where columns are read one after the other.
const COLUMN_ROWS: usize = 1 << 13;

/// The column in which pandas keeps the names of rows; it reads them back as no column either.
pub(crate) fn is_pandas_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_");
    let level = level.and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Collects files that have the same columns.
pub(super) struct ArrowCollector<'o> {
    options: &'o ReadOptions,
    format: Format,
    file: String,
    columns: Vec<Column>,
    rows: u64,
}

impl<'o> ArrowCollector<'o> {
    /// No file read yet.
    pub(super) fn new(options: &'o ReadOptions, format: Format) -> Self {
        Self {
            options,
            format,
            file: String::new(),
            columns: Vec::new(),
            rows: 0,
        }
    }

    fn begin(&mut self, table: &Table<'_>) -> Result<()> {
        let labels = table.choose_labels(&self.options.labels)?;
        let mut columns = Vec::with_capacity(labels.len());
        for (declared, is_label) in table.columns.iter().zip(labels) {
            let kind = declared.kind(self.options.times);
            let kind = kind.map_err(|fault| fault.at(&table.name, None, None))?;
            columns.push(Column::new(&declared.name, kind, is_label));
        }
        if self.columns.is_empty() {
            self.file.clone_from(&table.name);
            self.columns = columns;
            return Ok(());
        }
        self.check_same(table, &columns)
    }

    fn check_same(&self, table: &Table<'_>, columns: &[Column]) -> Result<()> {
        let length = self.columns.len().max(columns.len());
        for index in 0..length {
            let expected = self.columns.get(index).map(Column::describe);
            let found = columns.get(index).map(Column::describe);
            if expected != found {
                let none = || "no more columns".to_owned();
                let expected = expected.unwrap_or_else(none);
                let expected = format!("{expected}, as in {}", self.file);
                return Err(table.error(expected, found.unwrap_or_else(none)));
            }
        }
        Ok(())
    }

    /// Reads all rows of a Parquet file, its columns side by side.
    fn read_columns(
        &mut self,
        file: &Arc<ParquetFile>,
        name: &str,
        places: &[usize],
    ) -> Result<()> {
        let cells = file.rows().saturating_mul(places.len() as u64);
        check_cells(cells, file.size()).map_err(|fault| fault.at(name, None, None))?;
        let missing = self.options.missing;
        let columns = self.columns.par_iter_mut().zip(places);
        let read: Vec<Result<()>> = columns
            .map(|(column, &place)| {
                let error = |column: &Column, row: Option<u64>, fault: Fault| {
                    fault.at(name, Some(column.name()), row.map(|row| row as usize + 1))
                };
                let batches = file.batches(&[place], COLUMN_ROWS);
                let mut batches = batches.map_err(|fault| error(column, None, fault))?;
                let mut row = 0;
                while let Some(arrays) = batches
                    .next()
                    .map_err(|fault| error(column, Some(row), fault))?
                {
                    let pushed = column.push(&arrays[0], missing);
                    pushed
                        .map_err(|(index, fault)| error(column, Some(row + index as u64), fault))?;
                    row += arrays[0].len() as u64;
                }
                Ok(())
            })
            .collect();
        self.rows += file.rows();
        read.into_iter().collect()
    }

    /// Reads all rows of an Arrow file, batch by batch.
    fn read_messages(&mut self, messages: &mut Messages<'_>, places: &[usize]) -> Result<()> {
        let mut row = 0;
        let name = messages.name().to_owned();
        loop {
            let check = |rows: u64, bytes: u64| {
                let cells = (row + rows).saturating_mul(places.len() as u64);
                check_cells(cells, bytes)
            };
            let Some(arrays) = messages.next(places, check)? else {
                break;
            };
            for (column, array) in self.columns.iter_mut().zip(&arrays) {
                let pushed = column.push(array, self.options.missing);
                pushed.map_err(|(index, fault)| {
                    let row = row as usize + index + 1;
                    fault.at(&name, Some(column.name()), Some(row))
                })?;
            }
            row += arrays.first().map_or(0, |array| array.len()) as u64;
        }
        if row == 0 {
            return Err(Fault::new("at least one row", "none").at(&name, None, None));
        }
        self.rows += row;
        Ok(())
    }
}

impl Collect for ArrowCollector<'_> {
    fn read(&mut self, source: Source<'_>, _: &mut Vec<Warning>) -> Result<()> {
        let mut table = Table::open(source, self.format)?;
        self.begin(&table)?;
        match &mut table.body {
            Body::Parquet(file) => self.read_columns(file, &table.name, &table.places),
            Body::Messages(messages) => self.read_messages(messages, &table.places),
        }
    }

    fn finish(self: Box<Self>, name: String) -> Result<Dataset> {
        let parts: Vec<_> = self.columns.into_iter().map(Column::finish).collect();
        assemble(&parts, self.rows as usize, &self.file, name)
    }
}
