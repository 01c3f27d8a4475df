//! Splits with proportional shares of each label, by iterative stratification.
//!
//! Sechidis, Tsoumakas & Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD 2011: take the label with
//! the fewest remaining rows and assign each of them to the subset with the largest remaining demand for the label;
//! ties go to the subset with the largest remaining demand for rows, then to a random one. Repeat. Rare labels come
//! first, since later rows cannot compensate for them. Rows without labels come last.
//!
//! Two differences from the paper, and one choice that it leaves open:
//! - Sizes are exact. In the paper the size of a subset is a demand like others, and subsets may end up a few rows
//!   off; here a full subset takes no more rows. Labels assigned last may then miss their share by as many rows.
//! - The demand of a subset for a label is its share of the label's rows assigned so far, not of all its rows. For
//!   subsets of equal size this is the same. Otherwise the largest subset would get the first rows of every label
//!   and the others the last ones, and the order of rows would matter.
//! - Among the rows of a label, the largest label sets come first and equal ones together. Subsets then get similar
//!   rows in turn and their sizes stay close; in random order the labels assigned last were several times further
//!   from their shares.

use std::cmp::Reverse;

use super::{Folds, Split, check_folds, check_train_size};
use crate::data::Labels;
use crate::{Result, Seed, Stream};

/// Folds with equal shares of every label as far as label sets allow, and sizes that differ by at most one; the
/// first folds are the larger ones.
///
/// The time is proportional to the total number of labels of all rows times the number of folds, plus the square of
/// the number of labels and a sort of the rows. Fails unless the number of folds is between two and the number of
/// rows.
pub fn stratified_folds(labels: &Labels, folds: usize, seed: Seed) -> Result<Folds> {
    let rows = labels.rows();
    check_folds(rows, folds)?;
    let sizes = (0..folds).map(|fold| rows / folds + usize::from(fold < rows % folds));
    Ok(Folds {
        of_row: RowAssignment::new(labels, sizes.collect(), seed).assign_all(),
        count: folds,
    })
}

/// A split with exactly `train_size` training rows, with proportional shares of every label as far as label sets
/// allow.
///
/// A label so rare that a side's share is less than half a row tends to be absent from that side. Fails unless both
/// sides have at least one row.
pub fn stratified_split(labels: &Labels, train_size: usize, seed: Seed) -> Result<Split> {
    let rows = labels.rows();
    check_train_size(rows, train_size)?;
    let sizes = vec![train_size, rows - train_size];
    let subset = RowAssignment::new(labels, sizes, seed).assign_all();
    Ok(Split::new(rows, |row| subset[row] == 1))
}

/// Assigns rows to subsets of given sizes.
struct RowAssignment<'a> {
    labels: &'a Labels,
    stream: Stream,
    /// Target size of each subset.
    sizes: Vec<usize>,
    /// Remaining capacity of each subset.
    capacity: Vec<usize>,
    /// Rows of each label.
    frequencies: Vec<usize>,
    /// Unassigned rows of each label.
    unassigned: Vec<usize>,
    /// Rows of each label in each subset.
    given: Vec<Vec<usize>>,
    /// The subset of each assigned row.
    subset: Vec<Option<usize>>,
}

impl<'a> RowAssignment<'a> {
    fn new(labels: &'a Labels, sizes: Vec<usize>, seed: Seed) -> Self {
        let frequencies = labels.frequencies();
        Self {
            labels,
            stream: seed.stream(),
            capacity: sizes.clone(),
            given: vec![vec![0; labels.count()]; sizes.len()],
            sizes,
            unassigned: frequencies.clone(),
            frequencies,
            subset: vec![None; labels.rows()],
        }
    }

    /// The subset of each row.
    fn assign_all(mut self) -> Vec<usize> {
        let order = self.order();
        let rows_of = rows_by_label(self.labels, &order);
        while let Some(label) = self.rarest_label() {
            for &row in &rows_of[label] {
                self.assign(row, |assignment, subset| {
                    (
                        assignment.demand_for(subset, label),
                        assignment.capacity[subset],
                    )
                });
            }
        }
        for row in order {
            self.assign(row, |assignment, subset| assignment.capacity[subset]);
        }
        let assigned = self.subset.into_iter();
        assigned
            .map(|subset| subset.expect("every row is assigned"))
            .collect()
    }

    /// All rows: the largest label sets first, equal ones together, rows with equal sets in random order.
    fn order(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.labels.rows()).collect();
        self.stream.shuffle(&mut rows);
        let labels = self.labels;
        rows.sort_by_key(|&row| (Reverse(labels.row(row).len()), labels.row(row)));
        rows
    }

    /// The label with the fewest unassigned rows but at least one; ties are broken at random.
    fn rarest_label(&mut self) -> Option<usize> {
        let labels = (0..self.unassigned.len()).filter(|&label| self.unassigned[label] > 0);
        let rarest = all_largest(labels, |label| Reverse(self.unassigned[label]));
        self.any(&rarest)
    }

    /// The number of rows of the label that the subset should have after the next assignment, minus those it has,
    /// times the number of all rows, so that it is an integer and ties are exact.
    fn demand_for(&self, subset: usize, label: usize) -> i128 {
        let assigned = self.frequencies[label] - self.unassigned[label] + 1;
        let share = assigned as i128 * self.sizes[subset] as i128;
        share - self.given[subset][label] as i128 * self.labels.rows() as i128
    }

    /// Assigns a row, unless it is assigned already, to the subset with the largest `demand` and remaining
    /// capacity.
    fn assign<K: Ord>(&mut self, row: usize, demand: impl Fn(&Self, usize) -> K) {
        if self.subset[row].is_some() {
            return;
        }
        let open = (0..self.capacity.len()).filter(|&subset| self.capacity[subset] > 0);
        let candidates = all_largest(open, |subset| demand(self, subset));
        let subset = self
            .any(&candidates)
            .expect("the sizes sum to the number of rows");
        self.subset[row] = Some(subset);
        self.capacity[subset] -= 1;
        for &label in self.labels.row(row) {
            self.unassigned[label as usize] -= 1;
            self.given[subset][label as usize] += 1;
        }
    }

    fn any(&mut self, items: &[usize]) -> Option<usize> {
        (!items.is_empty()).then(|| items[self.stream.below(items.len())])
    }
}

/// The rows of each label, in the given order.
fn rows_by_label(labels: &Labels, order: &[usize]) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); labels.count()];
    for &row in order {
        for &label in labels.row(row) {
            rows[label as usize].push(row);
        }
    }
    rows
}

/// All items with the largest key.
fn all_largest<K: Ord>(items: impl Iterator<Item = usize>, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut best: Option<K> = None;
    let mut chosen = Vec::new();
    for item in items {
        let key = key(item);
        if best.as_ref().is_none_or(|best| key > *best) {
            best = Some(key);
            chosen.clear();
            chosen.push(item);
        } else if best.as_ref() == Some(&key) {
            chosen.push(item);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_largest_finds_all_ties() {
        let keys = [1, 3, 2, 3];
        assert_eq!(all_largest(0..4, |item| keys[item]), [1, 3]);
        assert_eq!(all_largest(0..0, |item| item), [0usize; 0]);
    }

    #[test]
    fn the_rarest_label_comes_first_and_labels_without_rows_never() {
        let labels = Labels::new(4, vec![0, 2, 3, 4, 6], vec![0, 2, 0, 0, 1, 2]).unwrap();
        let mut assignment = RowAssignment::new(&labels, vec![2, 2], Seed::new(1));
        assert_eq!(assignment.rarest_label(), Some(1));
        assignment.assign(3, |_, subset| subset);
        assert_eq!(assignment.rarest_label(), Some(2));
        assert_eq!(assignment.subset[3], Some(1));
    }

    #[test]
    fn large_label_sets_come_first_and_equal_ones_together() {
        let sets = [
            vec![0],
            vec![],
            vec![1, 2],
            vec![1],
            vec![0, 1],
            vec![0],
            vec![1, 2],
        ];
        let mut labels = Labels::empty(3);
        for set in sets {
            labels.push_row(set);
        }
        let order = RowAssignment::new(&labels, vec![3, 4], Seed::new(1)).order();
        let ordered: Vec<&[u32]> = order.iter().map(|&row| labels.row(row)).collect();
        let expected: [&[u32]; 7] = [&[0, 1], &[1, 2], &[1, 2], &[0], &[0], &[1], &[]];
        assert_eq!(ordered, expected);
    }

    #[test]
    fn demand_grows_with_other_assignments_and_shrinks_with_its_own() {
        let labels = Labels::from_fn(6, 1, |row, _| row < 3);
        let mut assignment = RowAssignment::new(&labels, vec![2, 4], Seed::new(1));
        assert_eq!(
            [assignment.demand_for(0, 0), assignment.demand_for(1, 0)],
            [2, 4]
        );
        assignment.assign(0, |assignment, subset| assignment.demand_for(subset, 0));
        assert_eq!(
            [assignment.demand_for(0, 0), assignment.demand_for(1, 0)],
            [4, 2]
        );
    }
}
