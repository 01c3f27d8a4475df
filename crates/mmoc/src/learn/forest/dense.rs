//! Dense training columns in bins.

use std::ops::Range;

use rayon::prelude::*;

use super::bag::Bag;
use super::columns::{BinnedColumns, ColumnCuts};
use super::cuts::{bin, thresholds};
use super::sweep::Entry;
use crate::data::MatrixView;

/// The bin of every cell, column by column.
#[derive(Debug)]
pub(super) struct DenseColumns {
    rows: usize,
    columns: usize,
    bins: Vec<u8>,
}

impl DenseColumns {
    pub(super) fn new(x: MatrixView<'_>) -> (Self, ColumnCuts) {
        let (rows, columns) = (x.rows(), x.columns());
        let mut bins = vec![0; rows * columns];
        let own = bins.par_chunks_mut(rows.max(1)).enumerate();
        let thresholds: Vec<Vec<f64>> = own
            .map(|(column, bins)| {
                let values = || (0..rows).map(|row| x.row(row)[column]);
                let thresholds = thresholds(&mut values().collect::<Vec<f64>>(), 0);
                for (own, value) in bins.iter_mut().zip(values()) {
                    *own = bin(&thresholds, value);
                }
                thresholds
            })
            .collect();
        let cuts = ColumnCuts::new(thresholds.iter().map(Vec::as_slice));
        let own = Self {
            rows,
            columns,
            bins,
        };
        (own, cuts)
    }

    /// The bins of a column.
    fn column(&self, column: u32) -> &[u8] {
        &self.bins[column as usize * self.rows..][..self.rows]
    }
}

impl BinnedColumns for DenseColumns {
    type Scratch = Vec<Entry>;

    fn scratch(&self) -> Vec<Entry> {
        Vec::new()
    }

    fn for_each_listed(
        &self,
        bag: &Bag,
        node: Range<usize>,
        columns: &[u32],
        entries: &mut Vec<Entry>,
        mut visit: impl FnMut(u32, &mut [Entry], u8),
    ) {
        let members = bag.members(node);
        for &column in columns {
            let bins = self.column(column);
            entries.clear();
            entries.extend(members.iter().map(|member| Entry {
                bin: bins[member.row as usize],
                class: member.class,
                weight: member.weight,
            }));
            visit(column, entries, 0);
        }
    }

    fn varying(&self, bag: &Bag, node: Range<usize>, _: &mut Vec<Entry>) -> Vec<u32> {
        let members = bag.members(node);
        let varies = |column: &u32| {
            let bins = self.column(*column);
            let mut own = members.iter().map(|member| bins[member.row as usize]);
            let first = own.next();
            own.any(|bin| Some(bin) != first)
        };
        (0..self.columns as u32).filter(varies).collect()
    }

    fn part(&self, bag: &mut Bag, node: Range<usize>, column: u32, bin: u8) -> usize {
        let bins = self.column(column);
        bag.part(node, |row| bins[row as usize] <= bin)
    }
}
