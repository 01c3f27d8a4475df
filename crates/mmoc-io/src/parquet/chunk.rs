//! The cells of a column in a group of rows, read page by page.

use super::fault::{Fault, Found};
use super::footer::{Chunk, Group};
use super::input::Input;
use super::page::{Page, Part, read_page};
use super::schema::Declared;
use super::values::{Cell, Dictionary};

/// The place in a chunk; one page and the dictionary are in memory.
#[derive(Debug)]
pub(super) struct Cells {
    chunk: Chunk,
    left: usize,
    dictionary: Option<Dictionary>,
    page: Option<Box<Page>>,
    /// The memory that the two take, roughly.
    held: usize,
}

impl Cells {
    /// The cells of the `index`-th column of a group.
    pub(super) fn new(group: &Group, index: usize) -> Self {
        Self {
            chunk: group.chunks[index],
            left: group.rows,
            dictionary: None,
            page: None,
            held: 0,
        }
    }

    /// The memory that the page and the dictionary take, roughly.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// The next cell.
    pub(super) fn next(&mut self, input: &Input, column: &Declared) -> Found<Cell<'_>> {
        while self.page.as_ref().is_none_or(|page| page.left() == 0) {
            self.turn(input, column)?;
        }
        self.left -= 1;
        let page = self.page.as_mut().expect("a page was read");
        page.next(column, self.dictionary.as_ref())
    }

    /// Reads the next page.
    fn turn(&mut self, input: &Input, column: &Declared) -> Found<()> {
        self.held -= self.page.take().map_or(0, |page| page.size());
        if self.chunk.start >= self.chunk.end {
            return Err(Fault::damaged("fewer cells than rows"));
        }
        match read_page(input, &mut self.chunk, column, self.left)? {
            Part::Dictionary(_) if self.dictionary.is_some() => {
                return Err(Fault::damaged("two dictionaries"));
            }
            Part::Dictionary(dictionary) => {
                self.held += dictionary.size();
                self.dictionary = Some(dictionary);
            }
            Part::Cells(page) => {
                self.held += page.size();
                self.page = Some(page);
            }
            Part::Other => (),
        }
        Ok(())
    }
}
