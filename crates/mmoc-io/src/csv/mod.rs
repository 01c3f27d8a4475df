//! Tables with a header, their fields separated by commas or tabs.
//!
//! - Every column has a name. Labels are chosen by name, by prefix or by place; their cells are 0
//!   or 1.
//! - The first cell of a feature that is not missing decides about it. If it is a number, the feature is
//!   numeric and has no words. Otherwise it is made of words and has no numbers; by the order of
//!   their characters, words become columns as [`super::Attribute`] says.
//! - An empty cell, `?`, `NA`, `NaN` and `null` are missing.
//! - Where a header has semicolons and no commas, these separate fields: spreadsheets write such tables in
//!   countries where the comma is a decimal sign.

mod fields;
mod record;

use std::collections::HashSet;

use super::cell::{is_missing, looks_numeric};
use super::columns::{CellKind, FileColumn, FileHeader, FirstCell, Role};
use super::label_source::ChosenLabels;
use super::lines::{Line, Lines, has_text, whole_lines};
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
    let separator = records.separator();
    let (sink, notes) = purpose.sink(header, |header, inference| {
        let is_label = inference.options.labels.choose(header)?;
        if inference.is_first() {
            read_first_row(&mut records, header)?;
        }
        Ok(ChosenLabels::undeclared(is_label))
    })?;
    let parser = TableParser { separator, sink };
    Ok(Opened::new(TextRows::new(records, parser), notes))
}

/// The names of the columns, from the first record. Every column has a name of its own, but for the first: pandas
/// writes the index of a table without one.
fn read_header(records: &mut Records<'_>) -> Result<FileHeader> {
    if !records.advance_header()? {
        let expected = "a line with the names of the columns";
        return Err(records.lines().error_at_end(expected));
    }
    let mut seen = HashSet::new();
    for index in 0..records.len() {
        let name = records.field(index);
        if name.is_empty() && (index > 0 || records.len() == 1) {
            return Err(records.error(index, "the name of a column", "an empty field"));
        }
        if !seen.insert(name.clone()) {
            let found = format!("{} again", excerpt(&name));
            return Err(records.error(index, "a name that no other column has", found));
        }
    }
    let columns = records.places().into_iter().enumerate();
    let column = |(index, place)| {
        let name = records.field(index);
        let kind = match &*name {
            "" => CellKind::Index,
            _ => CellKind::Undeclared(FirstCell::Missing),
        };
        FileColumn::new(name, Some(place), kind)
    };
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
        if index < records.len() && column.kind != CellKind::Index {
            let text = records.field(index);
            column.kind = CellKind::Undeclared(match &*text {
                text if is_missing(text) => FirstCell::Missing,
                text if looks_numeric(text) => FirstCell::Number,
                _ => FirstCell::Word,
            });
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

    /// A record goes on as long as its quotes are odd in number.
    fn is_next_here(&self) -> bool {
        let lines = whole_lines(Records::lines(self).ahead());
        let mut in_quotes = false;
        lines.skip_while(|line| !has_text(line)).any(|line| {
            let quotes = line.iter().filter(|&&byte| byte == b'"');
            quotes.for_each(|_| in_quotes = !in_quotes);
            !in_quotes
        })
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
        let put = match &*text {
            "" => self.sink.put_empty(index, row, rows),
            text if is_missing(text) => self.sink.put_missing(index, row, rows),
            text => self.sink.put(index, text, rows),
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
