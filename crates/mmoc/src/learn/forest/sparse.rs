//! Sparse training columns in bins: only cells outside the bin of zero are stored, by column and by row.
//!
//! What a node needs of its columns is found in the shorter of two ways: going through the columns and skipping rows of
//! other nodes, or going through the rows of the node and skipping other columns.

use std::ops::Range;

use rayon::prelude::*;

use super::bag::Bag;
use super::columns::{BinnedColumns, ColumnCuts};
use super::cuts::{bin, thresholds};
use super::sweep::Entry;
use crate::data::CsrView;

/// No place among the columns asked for.
const NOT_ASKED_FOR: u32 = u32::MAX;

/// The cells that are not in the bin of zero.
#[derive(Debug)]
pub(super) struct SparseColumns {
    by_column: Cells,
    by_row: Cells,
    /// The bin of zero in each column.
    zeros: Vec<u8>,
}

/// Cells of one line after the other: of columns by row, or of rows by column.
#[derive(Debug)]
struct Cells {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    bins: Vec<u8>,
}

impl Cells {
    fn of_lines(lines: &[Vec<(u32, u8)>]) -> Self {
        let mut offsets = vec![0];
        for line in lines {
            offsets.push(offsets[offsets.len() - 1] + line.len());
        }
        let cells = || lines.iter().flatten();
        Self {
            offsets,
            indices: cells().map(|(index, _)| *index).collect(),
            bins: cells().map(|(_, bin)| *bin).collect(),
        }
    }

    fn lines(&self) -> usize {
        self.offsets.len() - 1
    }

    fn size(&self, line: u32) -> usize {
        self.offsets[line as usize + 1] - self.offsets[line as usize]
    }

    fn line(&self, line: u32) -> (&[u32], &[u8]) {
        let range = self.offsets[line as usize]..self.offsets[line as usize + 1];
        (&self.indices[range.clone()], &self.bins[range])
    }

    fn cells(&self, line: u32) -> impl Iterator<Item = (u32, u8)> + '_ {
        let (indices, bins) = self.line(line);
        indices.iter().copied().zip(bins.iter().copied())
    }

    /// The bin of an index of a line, if it is stored.
    fn find(&self, line: u32, index: u32) -> Option<u8> {
        let (indices, bins) = self.line(line);
        let place = indices.binary_search(&index).ok()?;
        Some(bins[place])
    }

    /// The same cells by their indices, of which there are so many.
    fn transposed(&self, indices: usize) -> Self {
        let mut lines = vec![Vec::new(); indices];
        for line in 0..self.lines() as u32 {
            for (index, bin) in self.cells(line) {
                lines[index as usize].push((line, bin));
            }
        }
        Self::of_lines(&lines)
    }
}

/// One column.
struct SparseColumn {
    thresholds: Vec<f64>,
    /// The bin of zero.
    zero: u8,
    /// Rows in other bins.
    cells: Vec<(u32, u8)>,
}

impl SparseColumn {
    /// The column of so many rows that has these values.
    fn new(indices: &[u32], values: &[f64], rows: usize) -> Self {
        let thresholds = thresholds(&mut values.to_vec(), rows - indices.len());
        let zero = bin(&thresholds, 0.0);
        let bins = values.iter().map(|value| bin(&thresholds, *value));
        let cells = indices.iter().copied().zip(bins);
        Self {
            cells: cells.filter(|(_, bin)| *bin != zero).collect(),
            thresholds,
            zero,
        }
    }
}

/// What is reused from one node to the next.
#[derive(Debug)]
pub(super) struct SparseScratch {
    /// The place of each column among those asked for.
    places: Vec<u32>,
    /// The rows listed for each of them.
    entries: Vec<Vec<Entry>>,
    /// For each column the rows of a node that are listed, and the first bin of these.
    seen: Vec<(u32, u8)>,
}

impl SparseColumns {
    pub(super) fn new(x: CsrView<'_>) -> (Self, ColumnCuts) {
        let by_column = x.transposed();
        let by_column = by_column.view();
        let columns: Vec<SparseColumn> = (0..x.columns())
            .into_par_iter()
            .map(|column| {
                let (rows, values) = by_column.row(column);
                SparseColumn::new(rows, values, x.rows())
            })
            .collect();
        let cuts = ColumnCuts::new(columns.iter().map(|column| column.thresholds.as_slice()));
        let zeros = columns.iter().map(|column| column.zero).collect();
        let lines: Vec<_> = columns.into_iter().map(|column| column.cells).collect();
        let by_column = Cells::of_lines(&lines);
        let own = Self {
            by_row: by_column.transposed(x.rows()),
            by_column,
            zeros,
        };
        (own, cuts)
    }

    /// Whether going through the rows of a node is shorter than going through the columns.
    fn rows_are_shorter(&self, rows: usize, columns: &[u32]) -> bool {
        let of_columns: usize = columns
            .iter()
            .map(|column| self.by_column.size(*column))
            .sum();
        let mean_of_rows = self.by_row.indices.len() / self.by_row.lines().max(1) + 1;
        rows * mean_of_rows < of_columns
    }

    /// The rows of a node that are listed in a column.
    fn list_column(&self, bag: &Bag, node: &Range<usize>, column: u32, entries: &mut Vec<Entry>) {
        let cells = self.by_column.cells(column);
        entries.extend(cells.filter_map(|(row, bin)| {
            let member = bag.find(row, node)?;
            Some(Entry {
                bin,
                class: member.class,
                weight: member.weight,
            })
        }));
    }
}

impl SparseScratch {
    /// Lists the cells of a node's rows in the columns asked for.
    fn list_rows(&mut self, cells: &Cells, bag: &Bag, node: Range<usize>, columns: &[u32]) {
        for (place, column) in (0..).zip(columns) {
            self.places[*column as usize] = place;
        }
        for member in bag.members(node) {
            for (column, bin) in cells.cells(member.row) {
                let place = self.places[column as usize];
                if place != NOT_ASKED_FOR {
                    self.entries[place as usize].push(Entry {
                        bin,
                        class: member.class,
                        weight: member.weight,
                    });
                }
            }
        }
        for column in columns {
            self.places[*column as usize] = NOT_ASKED_FOR;
        }
    }
}

impl BinnedColumns for SparseColumns {
    type Scratch = SparseScratch;

    fn scratch(&self) -> SparseScratch {
        SparseScratch {
            places: vec![NOT_ASKED_FOR; self.zeros.len()],
            entries: Vec::new(),
            seen: vec![(0, 0); self.zeros.len()],
        }
    }

    fn for_each_listed(
        &self,
        bag: &Bag,
        node: Range<usize>,
        columns: &[u32],
        scratch: &mut SparseScratch,
        mut visit: impl FnMut(u32, &mut [Entry], u8),
    ) {
        scratch.entries.resize_with(columns.len(), Vec::new);
        scratch.entries.iter_mut().for_each(Vec::clear);
        let by_row = self.rows_are_shorter(node.len(), columns);
        if by_row {
            scratch.list_rows(&self.by_row, bag, node.clone(), columns);
        }
        for (&column, entries) in columns.iter().zip(&mut scratch.entries) {
            if !by_row {
                self.list_column(bag, &node, column, entries);
            }
            visit(column, entries, self.zeros[column as usize]);
        }
    }

    fn varying(&self, bag: &Bag, node: Range<usize>, scratch: &mut SparseScratch) -> Vec<u32> {
        let members = bag.members(node);
        let (mut touched, mut varying) = (Vec::new(), Vec::new());
        for member in members {
            for (column, bin) in self.by_row.cells(member.row) {
                let (rows, first) = &mut scratch.seen[column as usize];
                if *rows == 0 {
                    touched.push(column);
                    *first = bin;
                }
                if *first != bin {
                    varying.push(column);
                }
                *rows += 1;
            }
        }
        for column in touched {
            let seen = &mut scratch.seen[column as usize];
            if (seen.0 as usize) < members.len() {
                varying.push(column);
            }
            *seen = (0, 0);
        }
        varying.sort_unstable();
        varying.dedup();
        varying
    }

    fn part(&self, bag: &mut Bag, node: Range<usize>, column: u32, bin: u8) -> usize {
        let zeros_are_left = self.zeros[column as usize] <= bin;
        let moves = |found: u8| (found <= bin) != zeros_are_left;
        let members = bag.members(node.clone());
        // A row has its columns in order, and they are halved until the column is found.
        let steps = usize::BITS - (self.by_row.indices.len() / self.by_row.lines()).leading_zeros();
        let rows: Vec<u32> = if node.len() * (steps as usize) < self.by_column.size(column) {
            let rows = members.iter().map(|member| member.row);
            rows.filter(|row| self.by_row.find(*row, column).is_some_and(moves))
                .collect()
        } else {
            let cells = self.by_column.cells(column).filter(|(_, bin)| moves(*bin));
            cells
                .map(|(row, _)| row)
                .filter(|row| bag.find(*row, &node).is_some())
                .collect()
        };
        if zeros_are_left {
            bag.move_right(node, &rows)
        } else {
            bag.move_left(node, &rows)
        }
    }
}
