//! Rows that stand for several: whole-number weights as repeated rows, and other weights relative to their mean.
//!
//! A row of weight 3 is three rows. Written out, they are treated as rows that occur three times are: the copies get into
//! different folds, each has the others as neighbours, and forests draw each by itself. Only so do weights and repeated
//! rows give the same model. For the same reason rows that are written out, and rows of which many occur several times, are
//! put into an order of their own: folds and draws depend on the order of rows, and the two must not differ in it.

use std::cmp::Ordering;

use super::{DatasetView, FeaturesView};

/// The largest mean of whole-number weights that are numbers of rows. Larger ones, such as those of surveys, would take too
/// many rows.
const LARGEST_MEAN_COUNT: f64 = 10.0;

/// The share of rows that repeat another one from which on rows are put in order.
const REPEATED_SHARE: f64 = 0.1;

/// How the rows of a data set enter a training.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingRows {
    /// As they are, all with the same weight.
    Plain,
    /// These rows in this order, some of them several times, without weights.
    Counted(Vec<usize>),
    /// With these weights, whose mean is one.
    Weighted(Vec<f64>),
}

impl TrainingRows {
    /// How the rows of a data set enter a training. A weight counts rows if all weights are whole numbers with a mean of at
    /// most ten. Otherwise weights are relative, and equal ones are none.
    pub fn of(dataset: DatasetView<'_>) -> Self {
        match dataset.targets().weights().filter(|own| !are_nothing(own)) {
            Some(weights) if are_counts(weights) => {
                let order = content_order(dataset).into_iter();
                Self::Counted(order.flat_map(|row| copies(row, weights[row])).collect())
            }
            Some(weights) => {
                let mean = weights.iter().sum::<f64>() / weights.len() as f64;
                Self::Weighted(weights.iter().map(|weight| weight / mean).collect())
            }
            None => Self::of_repeated(dataset),
        }
    }

    fn of_repeated(dataset: DatasetView<'_>) -> Self {
        let order = content_order(dataset);
        let repeats = order.windows(2);
        let repeats = repeats.filter(|pair| compare(dataset, pair[0], pair[1]).is_eq());
        if (repeats.count() as f64) < REPEATED_SHARE * dataset.rows() as f64 {
            return Self::Plain;
        }
        Self::Counted(order)
    }
}

/// Whether weights make no difference: each counts one row, or all are the same and do not count rows.
fn are_nothing(weights: &[f64]) -> bool {
    let are_equal = weights.iter().all(|&weight| weight == weights[0]);
    are_equal && (weights[0] == 1.0 || !are_counts(weights))
}

fn are_counts(weights: &[f64]) -> bool {
    let sum: f64 = weights.iter().sum();
    weights.iter().all(|weight| weight.fract() == 0.0)
        && sum <= LARGEST_MEAN_COUNT * weights.len() as f64
}

#[expect(clippy::cast_sign_loss, reason = "weights are positive")]
fn copies(row: usize, weight: f64) -> impl Iterator<Item = usize> {
    std::iter::repeat_n(row, weight as usize)
}

/// The rows in an order that depends on their content alone; equal rows follow each other.
fn content_order(dataset: DatasetView<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..dataset.rows()).collect();
    order.sort_by(|&a, &b| compare(dataset, a, b));
    order
}

/// Features first, then labels, then which labels are unknown.
fn compare(dataset: DatasetView<'_>, a: usize, b: usize) -> Ordering {
    let targets = dataset.targets();
    let unknown = |row: usize| targets.unknown().map(|unknown| unknown.row(row));
    compare_features(dataset.features(), a, b)
        .then_with(|| targets.labels().row(a).cmp(targets.labels().row(b)))
        .then_with(|| unknown(a).cmp(&unknown(b)))
}

fn compare_features(features: FeaturesView<'_>, a: usize, b: usize) -> Ordering {
    match features {
        FeaturesView::Dense(x) => compare_numbers(x.row(a), x.row(b)),
        FeaturesView::Sparse(x) => {
            let ((columns, values), (others, other_values)) = (x.row(a), x.row(b));
            let places = columns.cmp(others);
            places.then_with(|| compare_numbers(values, other_values))
        }
    }
}

fn compare_numbers(a: &[f64], b: &[f64]) -> Ordering {
    let orders = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    let mut differences = orders.filter(|order| order.is_ne());
    differences.next().unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Dataset, Features, Labels, Matrix};

    fn dataset(values: &[f64], sparse: bool) -> Dataset {
        let x = Matrix::new(values.len(), 1, values.to_vec()).unwrap();
        let labels = Labels::from_fn(values.len(), 1, |row, _| values[row] > 2.5);
        let features = if sparse {
            Features::Sparse(Csr::from(&x))
        } else {
            Features::Dense(x)
        };
        Dataset::new("d", features, labels, vec!["x".into()], vec!["l".into()]).unwrap()
    }

    fn written_out(dataset: &Dataset) -> Vec<f64> {
        let TrainingRows::Counted(order) = TrainingRows::of(dataset.view()) else {
            panic!("rows are not counted");
        };
        let rows = dataset.select_rows(&order).unwrap();
        let mut values = vec![0.0; rows.rows()];
        let features = rows.features().view();
        features.for_each_stored(|row, _, value| values[row] = value);
        values
    }

    #[test]
    fn counts_are_repeated_rows_in_any_order() {
        for sparse in [false, true] {
            let weighted = dataset(&[4.0, 1.0, 3.0, 2.0], sparse);
            let weighted = weighted.with_weights(vec![1.0, 2.0, 0.0, 3.0]).unwrap();
            let repeated = dataset(&[1.0, 2.0, 1.0, 4.0, 2.0, 2.0], sparse);
            let expected = [1.0, 1.0, 2.0, 2.0, 2.0, 4.0];
            assert_eq!(written_out(&weighted), expected);
            assert_eq!(written_out(&repeated), expected);
        }
    }

    #[test]
    fn rows_that_hardly_repeat_stay_as_they_are() {
        let mut values: Vec<f64> = (0..40).map(f64::from).collect();
        values.push(0.0);
        assert_eq!(
            TrainingRows::of(dataset(&values, false).view()),
            TrainingRows::Plain
        );
    }

    #[test]
    fn equal_weights_are_none_unless_they_count_rows() {
        for (weight, is_counted) in [(1.0, false), (0.5, false), (1e6, false), (2.0, true)] {
            let rows = dataset(&[1.0, 2.0, 3.0], false);
            let rows = rows.with_weights(vec![weight; 3]).unwrap();
            let found = TrainingRows::of(rows.view());
            assert_eq!(found != TrainingRows::Plain, is_counted, "{weight}");
        }
    }

    #[test]
    fn other_weights_are_relative() {
        for weights in [vec![0.5, 1.0, 1.5], vec![100.0, 200.0, 300.0]] {
            let rows = dataset(&[1.0, 2.0, 3.0], false)
                .with_weights(weights)
                .unwrap();
            let expected = TrainingRows::Weighted(vec![0.5, 1.0, 1.5]);
            assert_eq!(TrainingRows::of(rows.view()), expected);
        }
    }
}
