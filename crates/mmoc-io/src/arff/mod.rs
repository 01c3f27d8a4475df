//! ARFF, the attribute-relation files of Weka, as Mulan and MEKA use them for several labels.
//!
//! - Rows are dense (`1,0,?`) or sparse (`{0 1, 2 ?}`), also in turns; features are sparse if the
//!   first row is. A cell that a sparse row leaves out is zero or the *first* value of a list.
//! - Lists of values become columns as [`super::Attribute`] says.
//! - Labels are numeric with values 0 and 1, or one of `{0,1}`.
//! - Names in quotes may hold escapes; without quotes a backslash is a character.
//! - Strings, dates, relational attributes and weights of rows are refused.

mod header;
mod labels;
mod rows;
mod tokens;

use super::lines::{Line, Lines, has_text, whole_lines};
use super::open::{Opened, Purpose};
use super::source::Source;
use super::text::{ReadRecord, TextRows};
use crate::Result;
use header::ArffHeader;
use rows::{ArffParser, is_sparse};

/// Opens an ARFF file.
pub(super) fn open<'a>(source: Source<'a>, purpose: &mut Purpose<'a, '_>) -> Result<Opened<'a>> {
    let mut lines = Lines::new(source);
    let ArffHeader { relation, columns } = ArffHeader::read(&mut lines)?;
    let mut lines = ArffLines {
        lines,
        peeked: false,
    };
    let (sink, notes) = purpose.sink(columns, |columns, inference| {
        let source = lines.lines.source();
        let is_label = labels::choose(&relation, columns, source, inference)?;
        columns.sparse = lines.peek()?;
        Ok(is_label)
    })?;
    let rows = TextRows::new(lines, ArffParser::new(sink));
    Ok(Opened::new(rows, notes))
}

/// The lines of a file after its header that are rows.
struct ArffLines<'a> {
    lines: Lines<'a>,
    /// Whether the present line is still to be read.
    peeked: bool,
}

impl ArffLines<'_> {
    /// Whether the next row, which stays to be read, is sparse.
    fn peek(&mut self) -> Result<bool> {
        self.peeked = self.next_record()?.is_some();
        Ok(self.peeked && is_sparse(self.lines.current()) == Some(true))
    }
}

impl ReadRecord for ArffLines<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        if std::mem::take(&mut self.peeked) {
            return Ok(Some(self.lines.current()));
        }
        while self.lines.advance()? {
            if is_sparse(self.lines.current()).is_some() {
                return Ok(Some(self.lines.current()));
            }
        }
        Ok(None)
    }

    fn lines(&self) -> &Lines<'_> {
        &self.lines
    }

    fn is_next_here(&self) -> bool {
        let row = |line: &[u8]| has_text(line) && !line.trim_ascii().starts_with(b"%");
        whole_lines(self.lines.ahead()).any(row)
    }
}
