//! Growing one tree.

use std::ops::Range;

use super::bag::Bag;
use super::columns::{BinnedColumns, ColumnCuts};
use super::sweep::{Entry, Tally, best_cut};
use super::tree::{GrowingTree, Numbering, Tree};
use crate::Stream;

/// Lists of more entries than this are sorted by counting bins.
const LONG: usize = 96;

/// Grows trees one after the other.
#[derive(Debug)]
pub(super) struct Grower<'a, C: BinnedColumns> {
    columns: &'a C,
    cuts: &'a ColumnCuts,
    tally: Tally,
    sorting: Vec<Entry>,
    scratch: C::Scratch,
}

/// A cut of a node.
#[derive(Debug, Clone, Copy)]
struct NodeCut {
    column: u32,
    bin: u8,
    score: f64,
}

impl<'a, C: BinnedColumns> Grower<'a, C> {
    pub(super) fn new(columns: &'a C, cuts: &'a ColumnCuts, class_count: usize) -> Self {
        Self {
            columns,
            cuts,
            tally: Tally::new(class_count),
            sorting: Vec::new(),
            scratch: columns.scratch(),
        }
    }

    /// Grows a tree until its leaves are pure or cannot be cut.
    ///
    /// The larger side of a cut comes next, with what is left in the tally when the smaller one is taken out. So each row
    /// enters the tally once, and again each time it is on the smaller side.
    pub(super) fn grow(&mut self, mut bag: Bag, stream: &mut Stream) -> Tree {
        let mut draw = Draw::new(self.cuts.columns(), stream);
        let mut tree = GrowingTree::default();
        let mut waiting = vec![(0..bag.len(), tree.add())];
        while let Some((mut rows, mut node)) = waiting.pop() {
            self.enter(&bag, rows.clone());
            while let Some(cut) = self.cut(&bag, rows.clone(), &mut draw) {
                let NodeCut { column, bin, .. } = cut;
                let middle = self.columns.part(&mut bag, rows.clone(), column, bin);
                let [left, right] = tree.cut(node, self.cuts.place(column, bin));
                let (left, right) = ((rows.start..middle, left), (middle..rows.end, right));
                let (larger, smaller) = if left.0.len() >= right.0.len() {
                    (left, right)
                } else {
                    (right, left)
                };
                self.leave(&bag, smaller.0.clone());
                waiting.push(smaller);
                (rows, node) = larger;
            }
            let (classes, counts) = self.classes(&bag, rows.clone());
            tree.finish_leaf(node, &classes, &counts);
            self.leave(&bag, rows);
        }
        tree.finish(Numbering {
            cuts: self.cuts.cuts.len(),
            classes: self.tally.classes(),
        })
    }

    fn enter(&mut self, bag: &Bag, rows: Range<usize>) {
        for member in bag.members(rows) {
            self.tally.add(member.class, member.weight);
        }
    }

    fn leave(&mut self, bag: &Bag, rows: Range<usize>) {
        for member in bag.members(rows) {
            self.tally.take(member.class, member.weight);
        }
    }

    /// The classes of a node, ascending, and the rows of each.
    fn classes(&self, bag: &Bag, rows: Range<usize>) -> (Vec<u32>, Vec<u32>) {
        let members = bag.members(rows);
        let mut classes = vec![members[0].class];
        if !self.tally.is_pure() {
            classes.extend(members[1..].iter().map(|member| member.class));
            classes.sort_unstable();
            classes.dedup();
        }
        let counts = classes.iter().map(|class| self.tally.rows_of(*class));
        let counts = counts.collect();
        (classes, counts)
    }

    /// The best cut among √p columns drawn without replacement. If the node does not vary in these, drawing goes on: the
    /// next column in which it does is any of the others, with equal probability.
    fn cut(&mut self, bag: &Bag, rows: Range<usize>, draw: &mut Draw<'_>) -> Option<NodeCut> {
        if self.tally.is_pure() {
            return None;
        }
        self.best(bag, rows.clone(), draw.columns()).or_else(|| {
            let varying = self.columns.varying(bag, rows.clone(), &mut self.scratch);
            let column = draw.one_of(&varying)?;
            self.best(bag, rows, &[column])
        })
    }

    /// The best cut of some columns, of equal ones the first.
    fn best(&mut self, bag: &Bag, rows: Range<usize>, columns: &[u32]) -> Option<NodeCut> {
        let mut best: Option<NodeCut> = None;
        let (tally, sorting) = (&mut self.tally, &mut self.sorting);
        let (count, scratch) = (rows.len(), &mut self.scratch);
        let visit = |column, entries: &mut [Entry], bin| {
            sort_by_bin(entries, sorting);
            let rest = (entries.len() < count).then_some(bin);
            let Some(found) = best_cut(tally, entries, rest) else {
                return;
            };
            if best.is_none_or(|best| found.score > best.score) {
                best = Some(NodeCut {
                    column,
                    bin: found.bin,
                    score: found.score,
                });
            }
        };
        self.columns
            .for_each_listed(bag, rows, columns, scratch, visit);
        best
    }
}

/// The random choices of a tree after its bag.
struct Draw<'a> {
    /// The columns in any order.
    order: Vec<u32>,
    stream: &'a mut Stream,
}

impl<'a> Draw<'a> {
    fn new(columns: usize, stream: &'a mut Stream) -> Self {
        Self {
            order: (0..columns as u32).collect(),
            stream,
        }
    }

    /// √p columns without replacement, rounded down.
    fn columns(&mut self) -> &[u32] {
        let drawn = self.order.len().isqrt();
        for place in 0..drawn {
            let other = place + self.stream.below(self.order.len() - place);
            self.order.swap(place, other);
        }
        &self.order[..drawn]
    }

    fn one_of(&mut self, columns: &[u32]) -> Option<u32> {
        let last = columns.len().checked_sub(1)?;
        Some(columns[self.stream.below(last + 1)])
    }
}

/// Sorts entries by bin, with the help of a buffer.
fn sort_by_bin(entries: &mut [Entry], buffer: &mut Vec<Entry>) {
    if entries.len() <= LONG {
        entries.sort_unstable_by_key(|entry| entry.bin);
        return;
    }
    let mut places = [0u32; 257];
    for entry in entries.iter() {
        places[usize::from(entry.bin) + 1] += 1;
    }
    for bin in 0..256 {
        places[bin + 1] += places[bin];
    }
    buffer.clear();
    buffer.extend_from_slice(entries);
    for entry in buffer.iter() {
        let place = &mut places[usize::from(entry.bin)];
        entries[*place as usize] = *entry;
        *place += 1;
    }
}
