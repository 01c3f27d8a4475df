//! What each label says about each row: its target, and how much the row counts in its regression.
//!
//! The weight of a cell is `c_ij = w_i · k_j(y_ij)`: the weight of the row times the class weight, or zero if the
//! label of the row is not known.

use super::ClassWeight;
use super::point::RegressionRows;
use crate::data::{Labels, Targets};

/// One label of all rows.
#[derive(Debug, Clone)]
pub(super) struct LabelCells {
    /// 0 or 1 for each row.
    pub(super) targets: Vec<f64>,
    /// The weight of each cell; none if all are one.
    pub(super) weights: Option<CellWeights>,
}

/// How much each cell of a label counts.
#[derive(Debug, Clone)]
pub(super) struct CellWeights {
    pub(super) values: Vec<f64>,
    /// Whether there are others than 0 and 1.
    are_fractional: bool,
}

impl LabelCells {
    /// The rows that a mask of 0 and 1 includes, or with the products of [`Self::weights_within`] in place of the
    /// mask.
    pub(super) fn rows<'a>(&'a self, counts: &'a [f64]) -> RegressionRows<'a> {
        let weights = self.weights.as_ref();
        RegressionRows {
            targets: &self.targets,
            counts,
            are_fractional: weights.is_some_and(|weights| weights.are_fractional),
        }
    }

    /// The weights of the cells in the rows that a mask includes, unless they are the mask.
    pub(super) fn weights_within(&self, mask: &[f64]) -> Option<Vec<f64>> {
        let weights = self.weights.as_ref()?.values.iter();
        Some(
            weights
                .zip(mask)
                .map(|(c, included)| c * included)
                .collect(),
        )
    }

    /// The weight of each cell; none if all are one.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights
            .as_ref()
            .map(|weights| weights.values.as_slice())
    }
}

/// All labels of a training set, for the cells of one after the other.
pub(super) struct AllCells<'a> {
    targets: Targets<'a>,
    class_weight: &'a ClassWeight,
    rows_with: Vec<Vec<usize>>,
    rows_without_knowledge: Option<Vec<Vec<usize>>>,
}

impl<'a> AllCells<'a> {
    pub(super) fn new(targets: Targets<'a>, class_weight: &'a ClassWeight) -> Self {
        Self {
            targets,
            class_weight,
            rows_with: targets.labels().rows_by_label(),
            rows_without_knowledge: targets.unknown().map(Labels::rows_by_label),
        }
    }

    /// The rows with each label.
    pub(super) fn rows_with(&self) -> &[Vec<usize>] {
        &self.rows_with
    }

    /// The cells of one label.
    pub(super) fn of_label(&self, label: usize) -> LabelCells {
        let mut targets = vec![0.0; self.targets.rows()];
        set_at(&mut targets, &self.rows_with[label], 1.0);
        let weights = self.weights_of(label, &targets);
        LabelCells { targets, weights }
    }

    fn weights_of(&self, label: usize, targets: &[f64]) -> Option<CellWeights> {
        let unknown = self.unknown_rows(label);
        let weights = self.targets.weights();
        if weights.is_none() && unknown.is_empty() && self.class_weight.is_equal() {
            return None;
        }
        let mut values = weights.map_or_else(|| vec![1.0; targets.len()], <[f64]>::to_vec);
        set_at(&mut values, unknown, 0.0);
        let [negative, positive] = self.class_weight.factors(label, targets, &values);
        for (value, target) in values.iter_mut().zip(targets) {
            *value *= if *target > 0.5 { positive } else { negative };
        }
        Some(CellWeights {
            are_fractional: values.iter().any(|&c| c != 0.0 && c != 1.0),
            values,
        })
    }

    fn unknown_rows(&self, label: usize) -> &[usize] {
        let unknown = self.rows_without_knowledge.as_ref();
        unknown.map_or(&[], |by_label| &by_label[label])
    }
}

fn set_at(values: &mut [f64], rows: &[usize], value: f64) {
    for &row in rows {
        values[row] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Labels, Labels) {
        let labels = Labels::from_fn(4, 2, |row, label| row % 2 == label);
        let unknown = Labels::from_fn(4, 2, |row, label| (row, label) == (3, 0));
        (labels, unknown)
    }

    #[test]
    fn labels_that_are_known_in_rows_that_count_the_same_have_no_weights() {
        let (labels, unknown) = example();
        let targets = Targets::new(&labels).with_unknown(Some(&unknown)).unwrap();
        let cells = AllCells::new(targets, &ClassWeight::Equal);
        assert!(cells.of_label(1).weights.is_none());
        let own = cells.of_label(0);
        assert_eq!(own.targets, [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(own.weights(), Some(&[1.0, 1.0, 1.0, 0.0][..]));
        assert!(!own.rows(&[1.0; 4]).are_fractional);
    }

    #[test]
    fn weights_of_cells_are_products() {
        let (labels, unknown) = example();
        let weights = [0.5, 2.0, 1.0, 4.0];
        let targets = Targets::new(&labels).with_unknown(Some(&unknown)).unwrap();
        let targets = targets.with_weights(Some(&weights)).unwrap();
        let class_weight = ClassWeight::Positives(vec![3.0, 0.5]);
        let cells = AllCells::new(targets, &class_weight);
        assert_eq!(cells.of_label(0).weights(), Some(&[1.5, 2.0, 3.0, 0.0][..]));
        let own = cells.of_label(1);
        assert_eq!(own.weights(), Some(&[0.5, 1.0, 1.0, 2.0][..]));
        let within = own.weights_within(&[1.0, 0.0, 1.0, 1.0]).unwrap();
        assert_eq!(within, [0.5, 0.0, 1.0, 2.0]);
        assert!(own.rows(&within).are_fractional);
    }
}
