//! Tables with a header, their fields separated by commas or tabs.
//!
//! - Every column has a name. Labels are chosen by name, by prefix or by place; their cells are 0
//!   or 1.
//! - The first row decides about a feature. If its cell is a number, or missing, the feature is
//!   numeric and has no words. Otherwise it is made of words and has no numbers; by the order of
//!   their characters, words become columns as [`super::Attribute`] says.
//! - An empty cell and `?` are missing.

pub(super) mod assemble;
pub(super) mod column;
mod fields;
mod record;
mod stream;

use std::collections::HashSet;

use super::Dataset;
use super::label_source::Columns;
use super::lines::Line;
use super::read::{Collect, ReadOptions, Warning};
use super::source::Source;
use crate::Result;
use crate::TextPlace;
use assemble::assemble;
use column::Column;
use fields::Fields;
use mmoc::text::excerpt;
use record::Records;
pub(super) use stream::open;

/// Collects tables that have the same columns.
pub(super) struct TableCollector<'o> {
    separator: u8,
    options: &'o ReadOptions,
    file: String,
    columns: Vec<Column>,
    rows: usize,
}

impl<'o> TableCollector<'o> {
    /// No file read yet.
    pub(super) fn new(separator: u8, options: &'o ReadOptions) -> Self {
        Self {
            separator,
            options,
            file: String::new(),
            columns: Vec::new(),
            rows: 0,
        }
    }

    fn read_header(&self, records: &mut Records<'_>) -> Result<Vec<Column>> {
        let names = read_names(records)?;
        let chosen = self.options.labels.choose(&Columns {
            file: records.lines().file(),
            place: Some(TextPlace::START),
            names: names.iter().map(String::as_str).collect(),
        })?;
        let columns = names.into_iter().zip(records.places()).zip(chosen);
        let column = |((name, place), label)| Column::new(name, place, label);
        Ok(columns.map(column).collect())
    }

    fn check_same(&self, file: &str, columns: &[Column], end: TextPlace) -> Result<()> {
        let length = self.columns.len().max(columns.len());
        for index in 0..length {
            let expected = self.columns.get(index).map(|column| &column.name);
            let found = columns.get(index).map(|column| &column.name);
            if expected != found {
                let place = columns.get(index).map_or(end, |column| column.place);
                let expected = format!("{}, as in {}", describe(expected), self.file);
                return Err(place.error(file, expected, describe(found)));
            }
        }
        Ok(())
    }

    /// Reads a row, the `row`-th of its file.
    fn read_row(&mut self, records: &Records<'_>, row: usize) -> Result<()> {
        check_count(records.fields(), records.record(), self.columns.len())?;
        for (index, column) in self.columns.iter_mut().enumerate() {
            let text = records.field(index);
            let pushed = column.push(&text, self.options.missing, row);
            pushed.map_err(|expected| records.error(index, expected, describe_cell(&text)))?;
        }
        self.rows += 1;
        Ok(())
    }
}

/// The names of the columns, from the first record.
fn read_names(records: &mut Records<'_>) -> Result<Vec<String>> {
    if !records.advance()? {
        let expected = "a line with the names of the columns";
        return Err(records.lines().error_at_end(expected));
    }
    check_names(records)?;
    let name = |index| records.field(index).into_owned();
    Ok((0..records.len()).map(name).collect())
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

/// Every column has a name of its own.
fn check_names(records: &Records<'_>) -> Result<()> {
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
    Ok(())
}

fn describe_cell(text: &str) -> String {
    if text.is_empty() {
        "an empty cell".to_owned()
    } else {
        excerpt(text)
    }
}

fn describe(name: Option<&String>) -> String {
    name.map_or("no more columns".to_owned(), |name| {
        format!("the column {}", excerpt(name))
    })
}

impl Collect for TableCollector<'_> {
    fn read(&mut self, source: Source<'_>, _: &mut Vec<Warning>) -> Result<()> {
        let mut records = Records::new(source, self.separator);
        let columns = self.read_header(&mut records)?;
        if self.columns.is_empty() {
            self.file = records.lines().file().to_owned();
            self.columns = columns;
        } else {
            let end = records.place(records.len());
            self.check_same(records.lines().file(), &columns, end)?;
        }
        let before = self.rows;
        while records.advance()? {
            self.read_row(&records, self.rows - before + 1)?;
        }
        if self.rows == before {
            return Err(records.lines().error_at_end("at least one row"));
        }
        Ok(())
    }

    fn finish(self: Box<Self>, name: String) -> Result<Dataset> {
        let parts: Vec<_> = self.columns.into_iter().map(Column::finish).collect();
        assemble(&parts, self.rows, &self.file, name)
    }
}
