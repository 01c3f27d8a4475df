//! Rows of text: read one after the other, parsed side by side.

use rayon::prelude::*;

use super::lines::{Line, Lines, has_text, whole_lines};
use super::open::Fill;
use super::rows::Rows;
use super::stream::Pace;
use crate::{Error, Result, TextPlace};

/// So much text is read before it is parsed, or one record if that is longer.
const CHUNK_BYTES: usize = 1 << 20;

/// Into so many pieces a chunk is cut, to be parsed side by side.
const PIECES: usize = 16;

/// Reads the records of a file, a line or more for each row.
pub(crate) trait ReadRecord {
    /// The next record, or `None` at the end of the file.
    fn next_record(&mut self) -> Result<Option<Line<'_>>>;

    /// The lines that the records are made of.
    fn lines(&self) -> &Lines<'_>;

    /// Whether the next record is in memory as a whole, so that nothing is waited for when it is read. It may be there
    /// though this is false.
    fn is_next_here(&self) -> bool {
        whole_lines(self.lines().ahead()).any(has_text)
    }
}

/// Parses records.
pub(crate) trait ParseRow: Sync {
    /// Room to work in, to be used for one record after the other.
    type Scratch;

    /// New room to work in.
    fn scratch(&self) -> Self::Scratch;

    /// Adds the row of a record, the `row`-th of its file.
    fn parse(
        &self,
        record: Line<'_>,
        row: usize,
        scratch: &mut Self::Scratch,
        rows: &mut Rows,
    ) -> Result<()>;

    /// What the rows of all files read so far must have and lack, if there is such a thing.
    fn lacking(&self, _: &Rows) -> Option<&'static str> {
        None
    }
}

/// The rows of a text file.
pub(crate) struct TextRows<R, P> {
    reader: R,
    parser: P,
    chunk: Chunk,
    count: usize,
    bytes: usize,
    /// What is wrong behind the last rows that were added.
    fault: Option<Error>,
}

impl<R: ReadRecord, P: ParseRow> TextRows<R, P> {
    /// The rows that `parser` makes of the records of `reader`.
    pub(crate) fn new(reader: R, parser: P) -> Self {
        Self {
            reader,
            parser,
            chunk: Chunk::default(),
            count: 0,
            bytes: 0,
            fault: None,
        }
    }

    fn error_at_end(&self, expected: &str) -> Error {
        self.reader.lines().error_at_end(expected)
    }

    /// Reads a chunk and adds its rows, be it those before a bad one; whether the file is at its end.
    fn add_chunk(&mut self, rows: &mut Rows, most: usize, pace: Pace) -> Result<bool> {
        let read = self.chunk.read(&mut self.reader, most, pace);
        let file = self.reader.lines().file();
        self.chunk.parse(&self.parser, file, self.count, rows)?;
        // An error of the reader comes after those of the rows before it.
        read
    }
}

impl<R: ReadRecord, P: ParseRow> Fill for TextRows<R, P> {
    fn fill(&mut self, rows: &mut Rows, most: usize, pace: Pace) -> Result<bool> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let mut wanted = most;
        while wanted > 0 {
            let before = rows.count();
            let at_end = match self.add_chunk(rows, wanted, pace) {
                // Whoever sent rows one by one must have the answers to those before a bad one, however they came.
                Err(fault) if pace == Pace::Available && rows.count() > before => {
                    self.fault = Some(fault);
                    return Ok(false);
                }
                read => read?,
            };
            wanted -= self.chunk.spans.len();
            self.count += self.chunk.spans.len();
            self.bytes += self.chunk.text.len() + self.chunk.spans.len();
            if at_end {
                return match self.parser.lacking(rows) {
                    Some(expected) if self.count > 0 => Err(self.error_at_end(expected)),
                    _ => Ok(true),
                };
            }
            if pace == Pace::Available {
                break;
            }
        }
        Ok(false)
    }

    fn check_rows(&self) -> Result<()> {
        match self.count {
            0 => Err(self.error_at_end("at least one row")),
            _ => Ok(()),
        }
    }

    fn taken(&self) -> (usize, Option<TextPlace>) {
        let line = self.chunk.spans.last().map_or(1, |span| span.number);
        (self.bytes, Some(TextPlace { line, column: 1 }))
    }
}

/// Some records that are read but not yet parsed.
#[derive(Default)]
struct Chunk {
    text: String,
    spans: Vec<Span>,
}

/// A record in the text of a chunk.
struct Span {
    start: usize,
    end: usize,
    /// The number of its first line.
    number: usize,
}

impl Chunk {
    /// Reads at most so many records, in place of those before; whether the file is at its end.
    fn read(&mut self, reader: &mut impl ReadRecord, most: usize, pace: Pace) -> Result<bool> {
        self.text.clear();
        self.spans.clear();
        while self.spans.len() < most && self.text.len() < CHUNK_BYTES {
            if pace == Pace::Available && !self.spans.is_empty() && !reader.is_next_here() {
                break;
            }
            let Some(record) = reader.next_record()? else {
                return Ok(true);
            };
            let start = self.text.len();
            self.text.push_str(record.text);
            self.spans.push(Span {
                start,
                end: self.text.len(),
                number: record.number,
            });
        }
        Ok(false)
    }

    /// Adds the rows of all records, before which there were `before` in the file, or those before a bad one.
    ///
    /// The first error in the order of rows is the one that counts, whichever came first.
    fn parse<P: ParseRow>(
        &self,
        parser: &P,
        file: &str,
        before: usize,
        rows: &mut Rows,
    ) -> Result<()> {
        let size = self.spans.len().div_ceil(PIECES).max(1);
        let pieces = self.spans.par_chunks(size).enumerate();
        let first = |piece: usize| before + piece * size + 1;
        let empty = rows.empty_like();
        let parsed: Vec<(Rows, Result<()>)> = pieces
            .clone()
            .map(|(piece, spans)| {
                self.parse_piece(parser, file, spans, first(piece), empty.empty_like())
            })
            .collect();
        for ((piece, spans), (parsed, outcome)) in self.spans.chunks(size).enumerate().zip(parsed) {
            if rows.append(&parsed).is_err() {
                // The word that is one too many is found by parsing again with all words before.
                let known = rows.empty_with_words();
                self.parse_piece(parser, file, spans, first(piece), known)
                    .1?;
            }
            outcome?;
        }
        Ok(())
    }

    /// The rows of some records, the first being the `first`-th of its file, as far as they are right.
    fn parse_piece<P: ParseRow>(
        &self,
        parser: &P,
        file: &str,
        spans: &[Span],
        first: usize,
        mut rows: Rows,
    ) -> (Rows, Result<()>) {
        let mut scratch = parser.scratch();
        for (row, span) in (first..).zip(spans) {
            let record = self.record(span, file);
            if let Err(error) = parser.parse(record, row, &mut scratch, &mut rows) {
                rows.forget_present_row();
                return (rows, Err(error));
            }
        }
        (rows, Ok(()))
    }

    fn record<'c>(&'c self, span: &Span, file: &'c str) -> Line<'c> {
        Line {
            file,
            number: span.number,
            text: &self.text[span.start..span.end],
            ending: "",
        }
    }
}
