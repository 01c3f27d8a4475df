//! Tables with a header, their fields separated by commas or tabs.
//!
//! - Every column has a name. Labels are chosen by name, by prefix or by place; their cells are 0
//!   or 1.
//! - The first row decides about a feature. If its cell is a number, or missing, the feature is
//!   numeric and has no words. Otherwise it is made of words and has no numbers; by the order of
//!   their characters, words become columns as [`super::Attribute`] says.
//! - An empty cell and `?` are missing.

mod fields;
mod record;

use std::collections::HashSet;

use super::cell::{is_missing, looks_numeric};
use super::columns::{CellKind, FileColumn, FileHeader, Role};
use super::lines::{Line, Lines};
use super::open::{Opened, Purpose};
use super::rows::Rows;
use super::sink::Sink;
use super::source::Source;
use super::text::{ParseRow, ReadRecord, TextRows};
use crate::{Result, TextPlace};
use fields::Fields;
use mmoc::text::excerpt;
use record::Records;

/// Opens a table.
pub(super) fn open<'a>(
    source: Source<'a>,
    separator: u8,
    purpose: &mut Purpose<'a, '_>,
) -> Result<Opened<'a>> {
    let mut records = Records::new(source, separator);
    let header = read_header(&mut records)?;
    let (sink, notes) = purpose.sink(header, |header, inference| {
        let is_label = inference.options.labels.choose(header)?;
        if inference.is_first() {
            read_first_row(&mut records, header)?;
        }
        Ok(is_label)
    })?;
    let parser = TableParser { separator, sink };
    Ok(Opened::new(TextRows::new(records, parser), notes))
}

/// The names of the columns, from the first record. Every column has a name of its own.
fn read_header(records: &mut Records<'_>) -> Result<FileHeader> {
    if !records.advance()? {
        let expected = "a line with the names of the columns";
        return Err(records.lines().error_at_end(expected));
    }
    let mut seen = HashSet::new();
    for index in 0..records.len() {
        let name = records.field(index);
        if name.is_empty() {
            return Err(records.error(index, "the name of a column", "an empty field"));
        }
        if !seen.insert(name.clone()) {
            let found = format!("{} again", excerpt(&name));
            return Err(records.error(index, "a name that no other column has", found));
        }
    }
    let columns = records.places().into_iter().enumerate();
    let undeclared = CellKind::Undeclared {
        first_is_word: false,
    };
    let column =
        |(index, place)| FileColumn::new(records.field(index), Some(place), undeclared.clone());
    Ok(FileHeader {
        file: records.lines().file().to_owned(),
        place: Some(TextPlace::START),
        end: Some(records.place(records.len())),
        columns: columns.map(column).collect(),
        sparse: false,
    })
}

/// Sees from the first row, which stays to be read, which columns are made of words.
fn read_first_row(records: &mut Records<'_>, header: &mut FileHeader) -> Result<()> {
    if !records.peek()? {
        return Ok(());
    }
    for (index, column) in header.columns.iter_mut().enumerate() {
        if index < records.len() {
            let text = records.field(index);
            column.kind = CellKind::Undeclared {
                first_is_word: !is_missing(&text) && !looks_numeric(&text),
            };
        }
    }
    Ok(())
}

impl ReadRecord for Records<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        Records::next_record(self)
    }

    fn lines(&self) -> &Lines<'_> {
        Records::lines(self)
    }
}

/// Parses records whose columns have their roles.
struct TableParser<'a> {
    separator: u8,
    sink: Sink<'a>,
}

impl ParseRow for TableParser<'_> {
    type Scratch = Fields;

    fn scratch(&self) -> Fields {
        Fields::new(self.separator)
    }

    fn parse(
        &self,
        record: Line<'_>,
        row: usize,
        fields: &mut Fields,
        rows: &mut Rows,
    ) -> Result<()> {
        fields.split(record)?;
        check_count(fields, record, self.sink.roles.len())?;
        for (index, &role) in self.sink.roles.iter().enumerate() {
            let is_put = role == Role::Unused
                || self
                    .sink
                    .put_decimal(index, fields.bytes(record, index), rows);
            if !is_put {
                self.put_other(record, row, index, fields, rows)?;
            }
        }
        self.sink.end_row(rows);
        Ok(())
    }
}

impl TableParser<'_> {
    /// Puts a cell that is no short decimal.
    fn put_other(
        &self,
        record: Line<'_>,
        row: usize,
        index: usize,
        fields: &Fields,
        rows: &mut Rows,
    ) -> Result<()> {
        let text = fields.text(record, index);
        let put = if is_missing(&text) {
            self.sink.put_missing(index, row, rows)
        } else {
            self.sink.put(index, &text, rows)
        };
        put.map_err(|expected| {
            let found = match &*text {
                "" => "an empty cell".to_owned(),
                text => excerpt(text),
            };
            let place = fields.place(record, index);
            place.error(record.file, expected, found)
        })
    }
}

/// A row has as many fields as there are columns.
fn check_count(fields: &Fields, record: Line<'_>, columns: usize) -> Result<()> {
    let count = fields.len();
    if count == columns {
        return Ok(());
    }
    let place = fields.place(record, count.min(columns));
    let expected = format!("{columns} fields as in the header");
    Err(place.error(record.file, expected, count.to_string()))
}
