//! The training columns in bins.

use std::ops::Range;

use super::bag::Bag;
use super::cuts::Cuts;
use super::sweep::Entry;

/// Training columns in bins, as growing a tree asks for them.
pub(super) trait BinnedColumns: Sync {
    /// What is reused from one node to the next.
    type Scratch: Send;

    fn scratch(&self) -> Self::Scratch;

    /// Calls `visit(column, entries, bin)` for each of the given columns in turn: the rows of a node in that column, in any
    /// order. Rows that are not listed are in the bin.
    fn for_each_listed(
        &self,
        bag: &Bag,
        node: Range<usize>,
        columns: &[u32],
        scratch: &mut Self::Scratch,
        visit: impl FnMut(u32, &mut [Entry], u8),
    );

    /// The columns in which the rows of a node are not all in the same bin, ascending.
    fn varying(&self, bag: &Bag, node: Range<usize>, scratch: &mut Self::Scratch) -> Vec<u32>;

    /// Moves the rows of a node whose bin in a column is at most `bin` before the others; returns where the others begin.
    fn part(&self, bag: &mut Bag, node: Range<usize>, column: u32, bin: u8) -> usize;
}

/// Where each column can be cut.
#[derive(Debug, Default)]
pub(super) struct ColumnCuts {
    pub(super) cuts: Cuts,
    /// The first cut of each column.
    starts: Vec<usize>,
}

impl ColumnCuts {
    /// The cuts of all columns by their thresholds.
    pub(super) fn new<'a>(thresholds: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut own = Self::default();
        for (column, thresholds) in thresholds.enumerate() {
            own.starts.push(own.cuts.len());
            own.cuts.push_column(column, thresholds);
        }
        own
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.starts.len()
    }

    /// The place of the cut of a column behind a bin.
    pub(super) fn place(&self, column: u32, bin: u8) -> usize {
        self.starts[column as usize] + usize::from(bin)
    }
}
