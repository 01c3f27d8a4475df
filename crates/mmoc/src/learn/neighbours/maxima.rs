//! The nearest training row of each class, for a block of rows, and what of it is kept.

use super::classes::RowClasses;
use crate::Result;
use crate::data::{Csr, Matrix};

/// The largest value that is kept: larger ones could overflow when they are weighted, and have no digits for
/// differences that matter.
const LARGEST: f64 = 1e100;

/// The largest similarity of each class that training rows have, for a block of rows.
#[derive(Debug)]
pub(super) struct Maxima<'a> {
    classes: &'a RowClasses,
    /// Minus infinity where no training row of the class was compared.
    values: Matrix,
    /// Working memory.
    ranked: Vec<f64>,
}

impl<'a> Maxima<'a> {
    pub(super) fn new(rows: usize, classes: &'a RowClasses) -> Self {
        Self {
            classes,
            values: Matrix::zeros(rows, classes.distinct().len()),
            ranked: Vec::new(),
        }
    }

    /// Forgets all similarities.
    pub(super) fn clear(&mut self) {
        self.values.values_mut().fill(f64::NEG_INFINITY);
    }

    /// Takes note of the similarities of a row to the training rows from `first` on.
    pub(super) fn raise(&mut self, row: usize, first: usize, mut similarities: &[f64]) {
        let maxima = self.values.row_mut(row);
        let positions = &self.classes.positions()[first..][..similarities.len()];
        for of_class in positions.chunk_by(|a, b| a == b) {
            let own;
            (own, similarities) = similarities.split_at(of_class.len());
            let maximum = &mut maxima[of_class[0] as usize];
            *maximum = own.iter().fold(*maximum, |m, &s| m.max(s));
        }
    }

    /// Adds what the classes of a row have above its floor, in units.
    ///
    /// The floor is the similarity of the class after the `kept` nearest ones, or the least of all classes if there are
    /// no more. Classes that are as near as the floor have nothing above it, so ties need no order.
    pub(super) fn above_floor(&mut self, row: usize, kept: usize, unit: f64, found: &mut Found) {
        let maxima = self.values.row(row);
        let there = |similarity: &f64| *similarity > f64::NEG_INFINITY;
        self.ranked.clear();
        self.ranked.extend(maxima.iter().copied().filter(there));
        let floor = if self.ranked.len() > kept {
            let descending = |a: &f64, b: &f64| b.total_cmp(a);
            *self.ranked.select_nth_unstable_by(kept, descending).1
        } else {
            self.ranked.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let classes = self.classes.distinct().iter().zip(maxima);
        for (&class, similarity) in classes.filter(|(_, similarity)| **similarity > floor) {
            let value = ((similarity - floor) / unit).min(LARGEST);
            // A tiny difference in a large unit may be rounded to zero.
            if value > 0.0 {
                found.classes.push(class);
                found.values.push(value);
            }
        }
        found.ends.push(found.classes.len());
    }
}

/// Classes of some rows with what they have above the floors.
#[derive(Debug, Default)]
pub(super) struct Found {
    classes: Vec<u32>,
    values: Vec<f64>,
    /// Where the entries of each row end.
    ends: Vec<usize>,
}

impl Found {
    /// The rows of all blocks in a matrix.
    pub(super) fn concatenated(blocks: Vec<Self>, class_count: usize) -> Result<Csr> {
        let entries = blocks.iter().map(|block| block.classes.len()).sum();
        let (mut classes, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        let mut offsets = vec![0];
        for block in blocks {
            let first = classes.len();
            offsets.extend(block.ends.iter().map(|end| first + end));
            classes.extend(block.classes);
            values.extend(block.values);
        }
        Csr::new(class_count, offsets, classes, values)
    }
}
