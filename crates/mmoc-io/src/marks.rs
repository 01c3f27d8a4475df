//! What rows say besides features and labels: how much they count, which of their labels are not known, and which rows
//! are left out for that.

use std::fmt;

use super::Labels;
use super::error::error_at;
use crate::Result;

/// The marks of rows, and of the present one while it is read.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The weight of each row; none where no weights are read.
    weights: Vec<f64>,
    /// The labels that are not known, with their rows.
    unknown: Vec<(usize, u32)>,
    /// Whether no label of the present row is known.
    is_unlabelled: bool,
    /// The rows that were left out.
    pub(crate) left_out: LeftOut,
}

/// The rows that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Their places among all rows, counted from zero.
    pub(crate) rows: Vec<usize>,
    /// How many of them have the weight 0.
    pub(crate) weightless: usize,
}

/// Why rows are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeftOutReason {
    /// They have the weight 0.
    NoWeight,
    /// None of their labels is known.
    NoKnownLabel,
}

impl Marks {
    /// Says how much the present row counts.
    pub(crate) fn put_weight(&mut self, weight: f64) {
        self.weights.push(weight);
    }

    /// Says that a label of the present row, the `row`-th, is not known.
    pub(crate) fn add_unknown(&mut self, row: usize, label: usize) {
        self.unknown.push((row, label as u32));
    }

    /// Says that no label of the present row is known.
    pub(crate) fn set_unlabelled(&mut self) {
        self.is_unlabelled = true;
    }

    /// Why the present row, the `row`-th, of so many labels is to be left out, if it is.
    pub(crate) fn reason(&self, row: usize, labels: usize) -> Option<LeftOutReason> {
        if self.weights.len() > row && self.weights[row] == 0.0 {
            return Some(LeftOutReason::NoWeight);
        }
        let unknown = self.unknown.iter().rev();
        let unknown = unknown.take_while(|(of, _)| *of == row).count();
        let is_unlabelled = self.is_unlabelled || (unknown > 0 && unknown >= labels);
        is_unlabelled.then_some(LeftOutReason::NoKnownLabel)
    }

    /// Takes back what was said of the present row, the `row`-th.
    pub(crate) fn forget(&mut self, row: usize) {
        self.weights.truncate(row);
        while self.unknown.pop_if(|(of, _)| *of == row).is_some() {}
        self.is_unlabelled = false;
    }

    /// Forgets the present row, the `row`-th, which is left out.
    pub(crate) fn leave_out(&mut self, row: usize, reason: LeftOutReason) {
        self.forget(row);
        self.left_out.rows.push(row + self.left_out.rows.len());
        self.left_out.weightless += usize::from(reason == LeftOutReason::NoWeight);
    }

    /// Adds the marks of rows that follow `before` others.
    pub(crate) fn append(&mut self, other: &Self, before: usize) {
        self.weights.extend_from_slice(&other.weights);
        let unknown = other.unknown.iter();
        self.unknown
            .extend(unknown.map(|&(row, label)| (before + row, label)));
        self.left_out.append(&other.left_out, before);
    }

    /// The weight of each row, if weights are read.
    pub(crate) fn take_weights(&mut self) -> Option<Vec<f64>> {
        let weights = std::mem::take(&mut self.weights);
        (!weights.is_empty()).then_some(weights)
    }

    /// The labels of so many rows that are not known, if there are any.
    pub(crate) fn take_unknown(&mut self, rows: usize, labels: usize) -> Option<Labels> {
        let mut unknown = std::mem::take(&mut self.unknown);
        if unknown.is_empty() {
            return None;
        }
        unknown.sort_unstable();
        unknown.dedup();
        let mut cells = unknown.into_iter().peekable();
        let mut all = Labels::empty(labels);
        for row in 0..rows {
            let of_row = std::iter::from_fn(|| cells.next_if(|(of, _)| *of == row));
            all.push_row(of_row.map(|(_, label)| label as usize));
        }
        Some(all)
    }

    /// A label that is not known in any of so many rows.
    pub(crate) fn never_known(&self, rows: usize, labels: usize) -> Option<usize> {
        let mut counts = vec![0; labels];
        for &(_, label) in &self.unknown {
            counts[label as usize] += 1;
        }
        counts.iter().position(|&count| count > 0 && count >= rows)
    }
}

impl LeftOut {
    /// Adds rows that follow `kept` others that were kept.
    pub(crate) fn append(&mut self, later: &Self, kept: usize) {
        let before = kept + self.rows.len();
        self.rows.extend(later.rows.iter().map(|row| before + row));
        self.weightless += later.weightless;
    }

    /// How many rows were left out for each reason, if any were.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = (usize, LeftOutReason)> + use<> {
        let unlabelled = self.rows.len() - self.weightless;
        let reasons = [
            (self.weightless, LeftOutReason::NoWeight),
            (unlabelled, LeftOutReason::NoKnownLabel),
        ];
        reasons.into_iter().filter(|(rows, _)| *rows > 0)
    }

    /// Fails if no row of the files, of which this is the first, was kept.
    pub(crate) fn check_not_all(&self, kept: usize, file: &str) -> Result<()> {
        if kept > 0 || self.rows.is_empty() {
            return Ok(());
        }
        let expected = match self.weightless {
            0 => "a row with a known label",
            weightless if weightless == self.rows.len() => "a row with a positive weight",
            _ => "a row with a positive weight and a known label",
        };
        Err(error_at(None, file, expected, "none"))
    }
}

impl LeftOutReason {
    /// That so many rows are left out, for messages.
    pub(crate) fn write(self, rows: usize, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (noun, verb) = if rows == 1 {
            ("row", "is")
        } else {
            ("rows", "are")
        };
        let what = match self {
            Self::NoWeight => "of weight 0",
            Self::NoKnownLabel => "without a known label",
        };
        write!(formatter, "{rows} {noun} {what} {verb} left out")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_weight_zero_and_rows_without_a_known_label_are_left_out() {
        let mut marks = Marks::default();
        let mut kept = 0;
        for (weight, unknown) in [(1.0, 0), (0.0, 1), (2.0, 2), (3.0, 1)] {
            marks.put_weight(weight);
            (0..unknown).for_each(|label| marks.add_unknown(kept, label));
            match marks.reason(kept, 2) {
                Some(reason) => marks.leave_out(kept, reason),
                None => kept += 1,
            }
        }
        assert_eq!((kept, &marks.left_out.rows[..]), (2, &[1, 2][..]));
        let reasons: Vec<_> = marks.left_out.reasons().collect();
        assert_eq!(
            reasons,
            [
                (1, LeftOutReason::NoWeight),
                (1, LeftOutReason::NoKnownLabel)
            ]
        );
        let unknown = Labels::new(2, vec![0, 0, 1], vec![0]).unwrap();
        assert_eq!(marks.take_unknown(kept, 2), Some(unknown));
        assert_eq!(marks.take_weights(), Some(vec![1.0, 3.0]));
    }

    #[test]
    fn places_of_rows_count_those_that_were_left_out_before() {
        let mut all = Marks::default();
        for kept in 0..2 {
            let mut piece = Marks::default();
            piece.set_unlabelled();
            piece.leave_out(0, LeftOutReason::NoKnownLabel);
            piece.add_unknown(0, 1);
            piece.set_unlabelled();
            piece.leave_out(1, LeftOutReason::NoKnownLabel);
            all.append(&piece, kept);
        }
        assert_eq!(all.left_out.rows, [0, 2, 3, 5]);
        let unknown = Labels::new(2, vec![0, 1, 2], vec![1, 1]).unwrap();
        assert_eq!(all.take_unknown(2, 2), Some(unknown));
    }
}
