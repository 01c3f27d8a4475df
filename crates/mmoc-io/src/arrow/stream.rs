//! The rows of a table in batches, for a model.

use arrow_array::{Array, ArrayRef};

use super::column::{Cell, Cells, flag, number, word};
use super::fault::{Fault, Found};
use super::kind::Kind;
use super::table::{Batches, Table};
use crate::meaning::{Meaning, Target};
use crate::rows::Rows;
use crate::source::Source;
use crate::stream::{Fill, Matcher, Opened};
use crate::{Error, Format, Result};
use mmoc::text::excerpt;

/// Opens a file and matches its columns by name; only those that are needed must be numbers or words.
pub(crate) fn open<'a>(
    source: Source<'a>,
    format: Format,
    matcher: Matcher<'a>,
) -> Result<Opened<'a>> {
    let table = Table::open(source, format)?;
    let (meaning, notes) = matcher.by_name(&table.name, None, &table.names())?;
    let mut used = Vec::new();
    for (place, column) in table.columns.iter().enumerate() {
        if meaning.targets[place] != Target::Unused {
            let kind = column.kind(matcher.times);
            let kind = kind.map_err(|fault| fault.at(&table.name, None, None))?;
            used.push((place, kind));
        }
    }
    let columns = used.iter().map(|&(place, _)| table.places[place]).collect();
    let rows = TableRows {
        names: table.names().into_iter().map(str::to_owned).collect(),
        file: table.name.clone(),
        batches: table.batches(columns)?,
        meaning,
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
    names: Vec<String>,
    batches: Batches<'a>,
    meaning: Meaning<'a>,
    /// The columns that are used, by their places among those of the table.
    used: Vec<(usize, Kind)>,
    batch: Vec<ArrayRef>,
    /// The first row of the batch that was not read yet.
    next: usize,
    /// Rows read so far.
    row: usize,
}

impl Fill for TableRows<'_> {
    fn fill(&mut self, rows: &mut Rows, most: usize) -> Result<()> {
        let mut wanted = most;
        while wanted > 0 {
            let left = self.batch.first().map_or(0, |array| array.len()) - self.next;
            if left == 0 {
                let Some(batch) = self.batches.next()? else {
                    return self.check_end();
                };
                self.batch = batch;
                self.next = 0;
                continue;
            }
            let count = wanted.min(left);
            self.read_rows(count, rows)?;
            wanted -= count;
        }
        Ok(())
    }
}

impl TableRows<'_> {
    fn check_end(&self) -> Result<()> {
        if self.row > 0 {
            return Ok(());
        }
        Err(Fault::new("at least one row", "none").at(&self.file, None, None))
    }

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
                let put = put(&self.meaning, *place, cells.cell(index), rows);
                put.map_err(|fault| self.error(*place, index, fault))?;
            }
            self.meaning.end_row(rows);
        }
        self.next += count;
        self.row += count;
        Ok(())
    }

    fn error(&self, place: usize, index: usize, fault: Fault) -> Error {
        let row = self.row + index + 1;
        fault.at(&self.file, Some(&self.names[place]), Some(row))
    }
}

/// Puts a cell into the present row.
fn put(meaning: &Meaning<'_>, place: usize, cell: Cell<'_>, rows: &mut Rows) -> Found<()> {
    match meaning.targets[place] {
        Target::Unused => (),
        Target::Label(label) => {
            if flag(cell)? {
                rows.add_label(label);
            }
        }
        Target::Number(column) => rows.put(column, number(cell, meaning.missing)?),
        Target::Word(index, first) => put_word(meaning, (index, first), cell, rows)?,
    }
    Ok(())
}

/// Puts a word of an attribute into its columns; a number may be such a word too.
fn put_word(
    meaning: &Meaning<'_>,
    (index, first): (usize, usize),
    cell: Cell<'_>,
    rows: &mut Rows,
) -> Found<()> {
    let attribute = &meaning.schema.attributes()[index];
    let digits;
    let cell = match cell {
        Cell::Number(value) => {
            digits = value.to_string();
            Cell::Word(&digits)
        }
        other => other,
    };
    let Some(text) = word(cell, meaning.missing)? else {
        let columns = first..first + attribute.width();
        columns.for_each(|column| rows.put(column, f64::NAN));
        return Ok(());
    };
    let read = attribute.list().and_then(|list| list.read(text));
    let (offset, value) = read.ok_or_else(|| {
        let expected = format!("a value of {attribute}");
        Fault::new(expected, excerpt(text))
    })?;
    rows.put(first + offset, value);
    Ok(())
}
