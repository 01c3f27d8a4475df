//! The rows of ARFF files, matched to a schema.

use super::header::Header;
use super::rows::{RowGrammar, is_sparse};
use crate::Result;
use crate::lines::{Line, Lines};
use crate::rows::Rows;
use crate::source::Source;
use crate::stream::{Matcher, Opened, ParseRow, ReadRecord, TextRows};

/// Opens an ARFF file, whose attributes have the names of the schema's.
pub(crate) fn open<'a>(source: Source<'a>, matcher: Matcher<'a>) -> Result<Opened<'a>> {
    let mut lines = Lines::new(source);
    let header = Header::read(&mut lines)?;
    let attributes = header.attributes.iter();
    let names: Vec<&str> = attributes.map(|one| one.attribute.name()).collect();
    let (meaning, notes) = matcher.by_name(lines.file(), Some(header.data_place), &names)?;
    let grammar = RowGrammar::new(header.attributes.into(), meaning);
    Ok(Opened::new(TextRows::new(ArffLines(lines), grammar), notes))
}

/// The lines of a file after its header that are rows.
struct ArffLines<'a>(Lines<'a>);

impl ReadRecord for ArffLines<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        while self.0.advance()? {
            if is_sparse(self.0.current()).is_some() {
                return Ok(Some(self.0.current()));
            }
        }
        Ok(None)
    }

    fn lines(&self) -> &Lines<'_> {
        &self.0
    }
}

impl ParseRow for RowGrammar<'_> {
    type Scratch = ();

    fn scratch(&self) -> Self::Scratch {}

    fn parse(&self, line: Line<'_>, row: usize, (): &mut (), rows: &mut Rows) -> Result<()> {
        self.read(line, row, rows)
    }
}
