//! The rows of an ARFF file, dense (`1,0,?`) or sparse (`{0 1, 2 ?}`).

use super::tokens::{Tokens, Word};
use crate::Result;
use crate::cell::MISSING;
use crate::columns::{CellKind, FileColumn};
use crate::lines::Line;
use crate::rows::Rows;
use crate::sink::Sink;
use crate::text::ParseRow;
use mmoc::text::excerpt;

/// Parses rows whose columns have their roles.
pub(super) struct ArffParser<'a> {
    sink: Sink<'a>,
    /// The attributes that are other than zero where a sparse row leaves them out, ascending.
    nonzero_defaults: Vec<usize>,
}

/// Whether the line holds a sparse row, a dense one, or none.
pub(super) fn is_sparse(line: Line<'_>) -> Option<bool> {
    Tokens::new(line).peek().map(|byte| byte == b'{')
}

/// The text of a cell that a sparse row leaves out: the value that is stored as 0, which is the first of a list.
fn default_text(column: &FileColumn) -> &str {
    match &column.kind {
        CellKind::List(list) => &list.values()[0],
        _ => "0",
    }
}

impl<'a> ArffParser<'a> {
    /// The rows of a file whose cells go to a sink.
    pub(super) fn new(sink: Sink<'a>) -> Self {
        let nonzero =
            |&index: &usize| !sink.leaves_zeros(index, default_text(&sink.columns[index]));
        let nonzero_defaults = (0..sink.columns.len()).filter(nonzero).collect();
        Self {
            sink,
            nonzero_defaults,
        }
    }
}

impl ParseRow for ArffParser<'_> {
    type Scratch = ();

    fn scratch(&self) -> Self::Scratch {}

    fn parse(&self, line: Line<'_>, row: usize, (): &mut (), rows: &mut Rows) -> Result<()> {
        let mut present = PresentRow {
            parser: self,
            row,
            rows,
        };
        let mut tokens = Tokens::new(line);
        match tokens.peek() {
            Some(b'{') => present.read_sparse(&mut tokens)?,
            _ => present.read_dense(&mut tokens)?,
        }
        expect_row_end(&mut tokens)?;
        self.sink.end_row(rows);
        Ok(())
    }
}

/// A row while it is read.
struct PresentRow<'g, 'r> {
    parser: &'g ArffParser<'g>,
    row: usize,
    rows: &'r mut Rows,
}

impl<'g> PresentRow<'g, '_> {
    fn read_dense(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        for (index, column) in self.parser.sink.columns.iter().enumerate() {
            if index > 0 && !tokens.take(b',') {
                let value = value_of(column);
                return Err(tokens.unexpected(format!("',' and {value}")));
            }
            self.read_cell(tokens, index)?;
        }
        Ok(())
    }

    fn read_sparse(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        tokens.take(b'{');
        let mut next = 0;
        let mut defaults = self.parser.nonzero_defaults.as_slice();
        if !tokens.take(b'}') {
            loop {
                let index = self.read_index(tokens, next)?;
                defaults = self.put_defaults(tokens, defaults, index)?;
                self.read_cell(tokens, index)?;
                next = index + 1;
                if tokens.take(b'}') {
                    break;
                }
                if !tokens.take(b',') {
                    return Err(tokens.unexpected("',' or '}' after a value"));
                }
            }
        }
        let count = self.parser.sink.columns.len();
        self.put_defaults(tokens, defaults, count)?;
        Ok(())
    }

    /// The index of an attribute, which is `next` or more.
    fn read_index(&self, tokens: &mut Tokens<'_>, next: usize) -> Result<usize> {
        let count = self.parser.sink.columns.len();
        let expected = || match next {
            0 => format!("the index of an attribute (0 to {})", count - 1),
            _ if next == count => "'}' after the last attribute".to_owned(),
            _ => format!("the index of a later attribute ({next} to {})", count - 1),
        };
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected(expected()));
        };
        match word.text.parse::<usize>() {
            Ok(index) if (next..count).contains(&index) => Ok(index),
            _ => Err(tokens.wrong(&word, expected())),
        }
    }

    /// Puts the values of attributes before `end` that the row leaves out though they are not
    /// zero; what remains of them is returned.
    fn put_defaults(
        &mut self,
        tokens: &mut Tokens<'_>,
        mut defaults: &'g [usize],
        end: usize,
    ) -> Result<&'g [usize]> {
        while let Some((&index, rest)) = defaults.split_first() {
            if index > end {
                break;
            }
            if index < end {
                self.put_default(tokens, index)?;
            }
            defaults = rest;
        }
        Ok(defaults)
    }

    fn put_default(&mut self, tokens: &Tokens<'_>, index: usize) -> Result<()> {
        let sink = &self.parser.sink;
        let text = default_text(&sink.columns[index]);
        let put = sink.put(index, text, self.rows);
        put.map_err(|expected| {
            let found = format!("none, which stands for {}", excerpt(text));
            tokens.error(expected, found)
        })
    }

    fn read_cell(&mut self, tokens: &mut Tokens<'_>, index: usize) -> Result<()> {
        let sink = &self.parser.sink;
        let column = &sink.columns[index];
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected(value_of(column)));
        };
        let put = if !word.quoted && word.text == MISSING {
            sink.put_missing(index, self.row, self.rows)
        } else {
            check_listed(tokens, &word, column)?;
            sink.put(index, &word.text, self.rows)
        };
        put.map_err(|expected| tokens.wrong(&word, expected))
    }
}

fn value_of(column: &FileColumn) -> String {
    format!("a value of {}", excerpt(&column.name))
}

/// A value of a list must be there.
fn check_listed(tokens: &Tokens<'_>, word: &Word<'_>, column: &FileColumn) -> Result<()> {
    match &column.kind {
        CellKind::List(list) if list.position(&word.text).is_none() => {
            Err(tokens.wrong(word, format!("a value of {}", column.attribute())))
        }
        _ => Ok(()),
    }
}

/// After a row only a comment may stand; weights of rows are none of ours.
fn expect_row_end(tokens: &mut Tokens<'_>) -> Result<()> {
    if tokens.peek().is_none() {
        return Ok(());
    }
    let mut ahead = tokens.clone();
    if ahead.take(b',') && ahead.peek() == Some(b'{') {
        return Err(ahead.unexpected("a row without a weight"));
    }
    Err(tokens.unexpected("the end of the row"))
}
