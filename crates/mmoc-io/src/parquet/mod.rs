//! Parquet files of flat tables.
//!
//! The reader is our own and holds what a table of numbers and words needs: columns of booleans, integers,
//! floating-point numbers and text, that may have missing cells; every encoding of these; pages compressed by snappy,
//! zstd, gzip or lz4. What it does not know it refuses by name.
//!
//! Nothing that a file declares is believed before it is checked: memory is taken for bytes that are there, for
//! pages up to a fixed size, and for cells in proportion to the size of the file. `docs/data.md` lists the bounds.

mod bits;
mod chunk;
mod codec;
mod column;
mod delta;
mod fault;
mod footer;
mod hybrid;
mod input;
mod page;
mod schema;
mod stream;
mod table;
mod thrift;
mod values;
mod words;

use super::Dataset;
use super::csv::assemble::assemble;
use super::read::{Collect, ReadOptions, Warning};
use super::source::Source;
use crate::Result;
use chunk::Cells;
use column::Column;
pub(crate) use footer::LABELS_KEY;
pub(super) use stream::open;
use table::Table;
pub(crate) use table::is_pandas_index;

/// Collects files that have the same columns.
pub(super) struct ParquetCollector<'o> {
    options: &'o ReadOptions,
    file: String,
    columns: Vec<Column>,
    rows: usize,
}

impl<'o> ParquetCollector<'o> {
    /// No file read yet.
    pub(super) fn new(options: &'o ReadOptions) -> Self {
        Self {
            options,
            file: String::new(),
            columns: Vec::new(),
            rows: 0,
        }
    }

    fn check_same(&self, table: &Table, columns: &[Column]) -> Result<()> {
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

    /// Reads all cells, one column after the other.
    fn read_cells(&mut self, table: &Table) -> Result<()> {
        let mut row = 0;
        for group in &table.footer.groups {
            for (column, &index) in self.columns.iter_mut().zip(&table.used) {
                let declared = &table.footer.columns[index];
                let mut cells = Cells::new(group, index);
                for at in row..row + group.rows {
                    let cell = cells.next(&table.input, declared);
                    let pushed = cell.and_then(|cell| column.push(cell, self.options.missing));
                    pushed.map_err(|fault| {
                        fault.at(&table.name, Some(&declared.name), Some(at + 1))
                    })?;
                }
            }
            row += group.rows;
        }
        self.rows += row;
        Ok(())
    }
}

impl Collect for ParquetCollector<'_> {
    fn read(&mut self, source: Source<'_>, _: &mut Vec<Warning>) -> Result<()> {
        let table = Table::open(source)?;
        table.check_size()?;
        let labels = table.choose_labels(&self.options.labels)?;
        let columns = table.columns().zip(&labels);
        let columns: Vec<Column> = columns
            .map(|(declared, &is_label)| Column::new(declared, is_label))
            .collect();
        if self.columns.is_empty() {
            self.file.clone_from(&table.name);
            self.columns = columns;
        } else {
            self.check_same(&table, &columns)?;
        }
        self.read_cells(&table)
    }

    fn finish(self: Box<Self>, name: String) -> Result<Dataset> {
        let parts: Vec<_> = self.columns.into_iter().map(Column::finish).collect();
        assemble(&parts, self.rows, &self.file, name)
    }
}
