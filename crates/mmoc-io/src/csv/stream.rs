//! The rows of tables, matched to a schema.

use super::fields::Fields;
use super::record::Records;
use super::{check_count, describe_cell, read_names};
use crate::Result;
use crate::TextPlace;
use crate::cell::is_missing;
use crate::lines::{Line, Lines};
use crate::meaning::{Meaning, Target};
use crate::rows::Rows;
use crate::source::Source;
use crate::stream::{Matcher, Opened, ParseRow, ReadRecord, TextRows};

/// Opens a table, whose columns have the names of the schema's.
pub(crate) fn open<'a>(
    source: Source<'a>,
    separator: u8,
    matcher: Matcher<'a>,
) -> Result<Opened<'a>> {
    let mut records = Records::new(source, separator);
    let names = read_names(&mut records)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (meaning, notes) =
        matcher.by_name(records.lines().file(), Some(TextPlace::START), &names)?;
    let grammar = TableGrammar { separator, meaning };
    Ok(Opened::new(TextRows::new(records, grammar), notes))
}

impl ReadRecord for Records<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        Records::next_record(self)
    }

    fn lines(&self) -> &Lines<'_> {
        Records::lines(self)
    }
}

struct TableGrammar<'a> {
    separator: u8,
    meaning: Meaning<'a>,
}

impl ParseRow for TableGrammar<'_> {
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
        check_count(fields, record, self.meaning.targets.len())?;
        for (index, &target) in self.meaning.targets.iter().enumerate() {
            let is_put = target == Target::Unused
                || self
                    .meaning
                    .put_decimal(index, fields.bytes(record, index), rows);
            if !is_put {
                self.put_other(record, row, index, fields, rows)?;
            }
        }
        self.meaning.end_row(rows);
        Ok(())
    }
}

impl TableGrammar<'_> {
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
            self.meaning.put_missing(index, row, rows)
        } else {
            self.meaning.put(index, &text, rows)
        };
        put.map_err(|expected| {
            let place = fields.place(record, index);
            place.error(record.file, expected, describe_cell(&text))
        })
    }
}
