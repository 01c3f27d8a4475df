//! The rows of a table in batches, for a model.

use arrow_array::{Array, ArrayRef};

use super::cells::Cells;
use super::fault::Fault;
use super::kind::Kind;
use super::table::{Batches, Table};
use crate::columns::Role;
use crate::open::{Fill, Opened, Purpose};
use crate::rows::Rows;
use crate::sink::Sink;
use crate::source::Source;
use crate::stream::Pace;
use crate::{Error, Format, Result, TextPlace};

/// Opens a file; only columns that are used must be numbers or words.
pub(crate) fn open<'a>(
    source: Source<'a>,
    format: Format,
    purpose: &mut Purpose<'a, '_>,
) -> Result<Opened<'a>> {
    let table = Table::open(source, format)?;
    let times = purpose.times();
    let (sink, notes) = purpose.sink(table.header(times), |header, inference| {
        table.choose_labels(header, &inference.options.labels)
    })?;
    let mut used = Vec::new();
    for (place, column) in table.columns.iter().enumerate() {
        if sink.roles[place] != Role::Unused {
            let kind = column.kind(times);
            let kind = kind.map_err(|fault| fault.at(&table.name, None, None))?;
            let is_id = sink.roles[place] == Role::Id;
            used.push((place, if is_id { Kind::Texts } else { kind }));
        }
    }
    let columns = used.iter().map(|&(place, _)| table.places[place]).collect();
    let rows = TableRows {
        file: table.name.clone(),
        batches: table.batches(columns, matches!(purpose, Purpose::Infer(_)))?,
        sink,
        used,
        batch: Vec::new(),
        next: 0,
        row: 0,
    };
    Ok(Opened::new(rows, notes))
}

/// The place in a file: one batch of the columns that are used is in memory.
struct TableRows<'a> {
    file: String,
    batches: Batches<'a>,
    sink: Sink<'a>,
    /// The columns that are used, by their places among those of the table.
    used: Vec<(usize, Kind)>,
    batch: Vec<ArrayRef>,
    /// The first row of the batch that was not read yet.
    next: usize,
    /// Rows read so far.
    row: usize,
}

impl Fill for TableRows<'_> {
    fn fill(&mut self, rows: &mut Rows, most: usize, _: Pace) -> Result<bool> {
        let mut wanted = most;
        while wanted > 0 {
            let left = self.batch.first().map_or(0, Array::len) - self.next;
            if left == 0 {
                let Some(batch) = self.batches.next()? else {
                    return Ok(true);
                };
                self.batch = batch;
                self.next = 0;
                continue;
            }
            let count = wanted.min(left);
            self.read_rows(count, rows)?;
            wanted -= count;
        }
        Ok(false)
    }

    fn check_rows(&self) -> Result<()> {
        if self.row > 0 {
            return Ok(());
        }
        Err(Fault::new("at least one row", "none").at(&self.file, None, None))
    }

    fn taken(&self) -> (usize, Option<TextPlace>) {
        (0, None)
    }
}

impl TableRows<'_> {
    /// Reads so many rows, which the batch has.
    fn read_rows(&mut self, count: usize, rows: &mut Rows) -> Result<()> {
        let slices = self.batch.iter().map(|array| array.slice(self.next, count));
        let slices: Vec<ArrayRef> = slices.collect();
        let mut columns = Vec::with_capacity(slices.len());
        for (slice, &(place, kind)) in slices.iter().zip(&self.used) {
            let cells = Cells::of(slice, kind);
            let cells = cells.map_err(|fault| self.error(place, 0, fault))?;
            columns.push((place, cells));
        }
        for index in 0..count {
            for (place, cells) in &columns {
                let put = self.sink.put_typed(*place, cells.cell(index), rows);
                put.map_err(|(expected, found)| {
                    self.error(*place, index, Fault::new(expected, found))
                })?;
            }
            self.sink.end_row(rows);
        }
        self.next += count;
        self.row += count;
        Ok(())
    }

    fn error(&self, place: usize, index: usize, fault: Fault) -> Error {
        let row = self.row + index + 1;
        let name = &self.sink.columns[place].name;
        fault.at(&self.file, Some(name), Some(row))
    }
}
