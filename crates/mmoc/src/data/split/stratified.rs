//! Splits that give every part its share of each label, by iterative stratification.
//!
//! Sechidis, Tsoumakas & Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD 2011: deal out
//! the rows of the label with the fewest rows left, each to the part that still wants the label most,
//! of these to the one that still wants the most rows, of these to a random one; repeat. Rare labels
//! come first, since later rows can no longer make up for them. Rows without labels come last.
//!
//! Two differences, and one choice that the paper leaves open:
//! - Sizes are exact. In the paper the size of a part is a wish like others and parts may end up some
//!   rows apart; here a part that is full takes no more rows. Labels that are dealt last may then miss
//!   their share by as many rows as the sizes would have been off.
//! - What a part wants of a label is its share of the label's rows dealt so far, not of all its rows.
//!   That is the same for parts of equal size. Else the largest part would get the first rows of every
//!   label and the others the last ones, and the order of rows would matter.
//! - Of the rows of a label, the largest label sets are dealt first and equal ones together. Parts then
//!   get like rows in turn and their sizes hardly drift apart; in random order the labels dealt last
//!   were several times further off their shares.

use std::cmp::Reverse;

use super::{Folds, Split, check_folds, check_train_size};
use crate::data::Labels;
use crate::{Result, Seed, Stream};

/// Folds with equal shares of every label, as far as label sets allow, whose sizes differ by at most
/// one; the first folds are the larger ones.
///
/// Takes time in proportion to the ones of the labels times the number of folds, plus the square of
/// the number of labels and a sort of the rows. Fails unless there are at least two folds and no more
/// than rows.
pub fn stratified_folds(labels: &Labels, folds: usize, seed: Seed) -> Result<Folds> {
    let rows = labels.rows();
    check_folds(rows, folds)?;
    let sizes = (0..folds).map(|fold| rows / folds + usize::from(fold < rows % folds));
    Ok(Folds {
        of_row: Dealer::new(labels, sizes.collect(), seed).deal(),
        count: folds,
    })
}

/// A split with exactly `train_size` training rows, in which both sides have their share of every
/// label, as far as label sets allow.
///
/// A label with so few rows that a side's share of it is less than half a row tends to be absent from
/// that side. Fails unless both sides have a row.
pub fn stratified_split(labels: &Labels, train_size: usize, seed: Seed) -> Result<Split> {
    let rows = labels.rows();
    check_train_size(rows, train_size)?;
    let sizes = vec![train_size, rows - train_size];
    let part = Dealer::new(labels, sizes, seed).deal();
    Ok(Split::new(rows, |row| part[row] == 1))
}

/// Deals rows out to parts of given sizes.
struct Dealer<'a> {
    labels: &'a Labels,
    stream: Stream,
    /// Rows each part is to have.
    sizes: Vec<usize>,
    /// Rows each part can still take.
    room: Vec<usize>,
    /// Rows of each label.
    frequencies: Vec<usize>,
    /// Rows of each label not dealt yet.
    left: Vec<usize>,
    /// Rows of each label that each part has.
    given: Vec<Vec<usize>>,
    /// The part of each row dealt.
    part: Vec<Option<usize>>,
}

impl<'a> Dealer<'a> {
    fn new(labels: &'a Labels, sizes: Vec<usize>, seed: Seed) -> Self {
        let frequencies = labels.frequencies();
        Self {
            labels,
            stream: seed.stream(),
            room: sizes.clone(),
            given: vec![vec![0; labels.count()]; sizes.len()],
            sizes,
            left: frequencies.clone(),
            frequencies,
            part: vec![None; labels.rows()],
        }
    }

    /// The part of each row.
    fn deal(mut self) -> Vec<usize> {
        let order = self.order();
        let rows_of = rows_by_label(self.labels, &order);
        while let Some(label) = self.rarest_label() {
            for &row in &rows_of[label] {
                self.give(row, |dealer, part| {
                    (dealer.wish(part, label), dealer.room[part])
                });
            }
        }
        for row in order {
            self.give(row, |dealer, part| dealer.room[part]);
        }
        let dealt = self.part.into_iter();
        dealt
            .map(|part| part.expect("every row is dealt"))
            .collect()
    }

    /// All rows, the largest label sets first, equal ones together, rows of equal ones in random order.
    fn order(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.labels.rows()).collect();
        self.stream.shuffle(&mut rows);
        let labels = self.labels;
        rows.sort_by_key(|&row| (Reverse(labels.row(row).len()), labels.row(row)));
        rows
    }

    /// The label with the fewest rows left but at least one, a random one of several.
    fn rarest_label(&mut self) -> Option<usize> {
        let labels = (0..self.left.len()).filter(|&label| self.left[label] > 0);
        let rarest = greatest(labels, |label| Reverse(self.left[label]));
        self.any(&rarest)
    }

    /// How many rows of the label the part should have after the next one is dealt, less those it has,
    /// times the number of all rows, so that it is a whole number and ties are exact.
    fn wish(&self, part: usize, label: usize) -> i128 {
        let dealt = self.frequencies[label] - self.left[label] + 1;
        let share = dealt as i128 * self.sizes[part] as i128;
        share - self.given[part][label] as i128 * self.labels.rows() as i128
    }

    /// Gives a row, if it is not dealt yet, to the part of greatest `want` that has room.
    fn give<K: Ord>(&mut self, row: usize, want: impl Fn(&Self, usize) -> K) {
        if self.part[row].is_some() {
            return;
        }
        let open = (0..self.room.len()).filter(|&part| self.room[part] > 0);
        let eager = greatest(open, |part| want(self, part));
        let part = self.any(&eager).expect("sizes add up to the rows");
        self.part[row] = Some(part);
        self.room[part] -= 1;
        for &label in self.labels.row(row) {
            self.left[label as usize] -= 1;
            self.given[part][label as usize] += 1;
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

/// All items whose key is the greatest.
fn greatest<K: Ord>(items: impl Iterator<Item = usize>, key: impl Fn(usize) -> K) -> Vec<usize> {
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
    fn greatest_finds_all_ties() {
        let keys = [1, 3, 2, 3];
        assert_eq!(greatest(0..4, |item| keys[item]), [1, 3]);
        assert_eq!(greatest(0..0, |item| item), [0usize; 0]);
    }

    #[test]
    fn the_rarest_label_is_dealt_first_and_labels_without_rows_never() {
        let labels = Labels::new(4, vec![0, 2, 3, 4, 6], vec![0, 2, 0, 0, 1, 2]).unwrap();
        let mut dealer = Dealer::new(&labels, vec![2, 2], Seed::new(1));
        assert_eq!(dealer.rarest_label(), Some(1));
        dealer.give(3, |_, part| part);
        assert_eq!(dealer.rarest_label(), Some(2));
        assert_eq!(dealer.part[3], Some(1));
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
        let order = Dealer::new(&labels, vec![3, 4], Seed::new(1)).order();
        let ordered: Vec<&[u32]> = order.iter().map(|&row| labels.row(row)).collect();
        let expected: [&[u32]; 7] = [&[0, 1], &[1, 2], &[1, 2], &[0], &[0], &[1], &[]];
        assert_eq!(ordered, expected);
    }

    #[test]
    fn a_wish_grows_as_others_are_dealt_to_and_falls_as_it_is_met() {
        let labels = Labels::from_fn(6, 1, |row, _| row < 3);
        let mut dealer = Dealer::new(&labels, vec![2, 4], Seed::new(1));
        assert_eq!([dealer.wish(0, 0), dealer.wish(1, 0)], [2, 4]);
        dealer.give(0, |dealer, part| dealer.wish(part, 0));
        assert_eq!([dealer.wish(0, 0), dealer.wish(1, 0)], [4, 2]);
    }
}
