//! Which rows enter a training, and with which weights: whole-number weights and repeated rows are the same.
//!
//! A row of weight 3 is three rows, and must give the model of a row that occurs three times. So both become the same rows
//! in an order of their own, for folds and draws depend on the order of rows. What copies of a row mean depends on the data.
//! Where rows recur by chance, as in a table of a few columns with a few values each, each copy is an observation of its
//! own: copies get into different folds, and leave-one-out leaves out one of them. Rows that chance does not repeat, such as
//! measurements, are the same observation again. A copy in another fold would give its labels away: held-out estimates
//! would be perfect, and penalties far too weak. These are merged into one row with the weight of all.

use std::cmp::Ordering;

use super::{DatasetView, FeaturesView};

/// More rows than these are not written out for weights, unless they are ten for each distinct row.
const MOST_COPIES: f64 = 1e6;
const MOST_MEAN_COPIES: f64 = 10.0;

/// The share of rows that repeat another one from which on rows are put in order, and of distinct rows that have the
/// features of another one from which on rows recur by chance.
const REPEATED_SHARE: f64 = 0.1;

/// Fewer distinct rows are not merged: their folds would tell nothing.
const FEWEST_MERGED: usize = 20;

/// Rows recur by chance if the values of their columns have at most so many combinations for each distinct row, and no
/// column has more values than this share of the distinct rows. That is judged by at most so many rows.
const MOST_COMBINATIONS: f64 = 100.0;
const MOST_VALUES: f64 = 0.5;
const JUDGED_ROWS: usize = 1000;

/// How the rows of a data set enter a training.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingRows {
    /// As they are, all with the same weight.
    Plain,
    /// As they are, with these weights, whose mean is one.
    Weighted(Vec<f64>),
    /// These rows in this order: some of them several times, or each once and with weights whose mean is one.
    Chosen(Vec<usize>, Option<Vec<f64>>),
}

impl TrainingRows {
    /// How the rows of a data set enter a training. Weights count rows if all are whole numbers. Otherwise they are
    /// relative, and equal ones are none.
    pub fn of(dataset: DatasetView<'_>) -> Self {
        match dataset.targets().weights().filter(|own| !are_nothing(own)) {
            Some(weights) if are_whole(weights) => Self::of_counts(dataset, weights),
            Some(weights) => Self::Weighted(relative(weights)),
            None => Self::of_repeated(dataset),
        }
    }

    fn of_counts(dataset: DatasetView<'_>, weights: &[f64]) -> Self {
        let distinct = Distinct::of(dataset, |row| weights[row]);
        let copies: f64 = distinct.weights.iter().sum();
        let most = MOST_COPIES.max(MOST_MEAN_COPIES * distinct.rows.len() as f64);
        distinct.enter(dataset, copies <= most)
    }

    fn of_repeated(dataset: DatasetView<'_>) -> Self {
        let distinct = Distinct::of(dataset, |_| 1.0);
        let repeats = dataset.rows() - distinct.rows.len();
        if (repeats as f64) < REPEATED_SHARE * dataset.rows() as f64 {
            return Self::Plain;
        }
        distinct.enter(dataset, true)
    }
}

/// The different rows of a data set in an order that depends on their content alone, and how often each occurs.
struct Distinct {
    rows: Vec<usize>,
    weights: Vec<f64>,
}

impl Distinct {
    fn of(dataset: DatasetView<'_>, weight: impl Fn(usize) -> f64) -> Self {
        let mut order: Vec<usize> = (0..dataset.rows()).collect();
        order.retain(|&row| weight(row) > 0.0);
        order.sort_by(|&a, &b| compare(dataset, a, b));
        let copies = order.chunk_by(|&a, &b| compare(dataset, a, b).is_eq());
        let (rows, weights) = copies
            .map(|copies| {
                (
                    copies[0],
                    copies.iter().map(|&row| weight(row)).sum::<f64>(),
                )
            })
            .unzip();
        Self { rows, weights }
    }

    fn enter(self, dataset: DatasetView<'_>, may_be_written_out: bool) -> TrainingRows {
        if may_be_written_out && self.recur_by_chance(dataset) {
            let rows = self.rows.iter().zip(&self.weights);
            let copies = rows.flat_map(|(&row, &weight)| copies(row, weight));
            return TrainingRows::Chosen(copies.collect(), None);
        }
        let weights = (!are_equal(&self.weights)).then(|| relative(&self.weights));
        TrainingRows::Chosen(self.rows, weights)
    }

    fn recur_by_chance(&self, dataset: DatasetView<'_>) -> bool {
        self.rows.len() < FEWEST_MERGED
            || self.have_other_labels(dataset)
            || self.have_few_combinations(dataset)
    }

    /// Whether many of the rows differ in labels alone.
    fn have_other_labels(&self, dataset: DatasetView<'_>) -> bool {
        let x = dataset.features();
        let pairs = self.rows.windows(2);
        let same = pairs.filter(|pair| compare_features(x, pair[0], pair[1]).is_eq());
        same.count() as f64 >= REPEATED_SHARE * self.rows.len() as f64
    }

    /// Whether the values that occur in each column are few and have few combinations.
    fn have_few_combinations(&self, dataset: DatasetView<'_>) -> bool {
        let step = self.rows.len().div_ceil(JUDGED_ROWS);
        let judged: Vec<usize> = self.rows.iter().copied().step_by(step).collect();
        let mut cells = Vec::new();
        let judged_features = dataset.features().select_rows(&judged);
        let view = judged_features.view();
        view.for_each_stored(|_, column, value| cells.push((column, value.to_bits())));
        cells.sort_unstable();
        let columns = cells.chunk_by(|a, b| a.0 == b.0);
        let values: Vec<f64> = columns.map(|column| values(column, judged.len())).collect();
        let rows = judged.len() as f64;
        let log_combinations: f64 = values.iter().map(|count| count.ln()).sum();
        log_combinations <= (MOST_COMBINATIONS * rows).ln()
            && values.iter().all(|&count| count <= MOST_VALUES * rows)
    }
}

/// The number of values in a column, given those that are stored, in order. Others are zero.
fn values(stored: &[(usize, u64)], rows: usize) -> f64 {
    let different = stored.chunk_by(|a, b| a == b).count();
    let zero = usize::from(stored.len() < rows);
    (different + zero) as f64
}

/// Whether weights make no difference: each counts one row, or all are the same and do not count rows.
fn are_nothing(weights: &[f64]) -> bool {
    are_equal(weights) && (weights[0] == 1.0 || !are_whole(weights))
}

fn are_equal(weights: &[f64]) -> bool {
    weights.iter().all(|&weight| weight == weights[0])
}

fn are_whole(weights: &[f64]) -> bool {
    weights.iter().all(|weight| weight.fract() == 0.0)
}

fn relative(weights: &[f64]) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    weights.iter().map(|weight| weight / mean).collect()
}

#[expect(clippy::cast_sign_loss, reason = "weights are positive")]
fn copies(row: usize, weight: f64) -> impl Iterator<Item = usize> {
    std::iter::repeat_n(row, weight as usize)
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

    /// Rows that no chance repeats: measurements in two columns.
    fn measured(values: &[f64]) -> Dataset {
        let cell = |row: usize, column| (values[row] + 0.1).powf(1.5 + f64::from(column as u8));
        let x = Matrix::from_fn(values.len(), 2, cell);
        let labels = Labels::from_fn(values.len(), 1, |row, _| values[row] > 2.5);
        let names = vec!["x".into(), "z".into()];
        Dataset::new("d", Features::Dense(x), labels, names, vec!["l".into()]).unwrap()
    }

    fn chosen(dataset: &Dataset) -> (Dataset, Option<Vec<f64>>) {
        let TrainingRows::Chosen(rows, weights) = TrainingRows::of(dataset.view()) else {
            panic!("rows are as they were");
        };
        (
            dataset.select_rows(&rows).unwrap().without_weights(),
            weights,
        )
    }

    fn first_column(rows: &Dataset) -> Vec<f64> {
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
            for rows in [weighted, repeated] {
                let (rows, weights) = chosen(&rows);
                assert_eq!((first_column(&rows), weights), (expected.to_vec(), None));
            }
        }
    }

    #[test]
    fn measurements_are_merged() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let weights: Vec<f64> = (0..40).map(|row| f64::from(row % 3)).collect();
        let copies = (0..40).rev().flat_map(|row| vec![row; row % 3]);
        let repeated = measured(&values).select_rows(&copies.collect::<Vec<_>>());
        let weighted = measured(&values).with_weights(weights).unwrap();
        let (rows, found) = chosen(&weighted);
        assert_eq!(rows.rows(), 26);
        let of = |weight: f64| weight / 1.5;
        assert!(
            found
                .as_ref()
                .unwrap()
                .iter()
                .all(|&own| own == of(1.0) || own == of(2.0))
        );
        assert_eq!(chosen(&repeated.unwrap()), (rows, found));
    }

    #[test]
    fn merged_rows_of_the_same_weight_have_none() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let rows = measured(&values).with_weights(vec![3.0; 40]).unwrap();
        let (rows, weights) = chosen(&rows);
        assert_eq!((rows.rows(), weights), (40, None));
    }

    #[test]
    fn rows_with_the_same_features_and_other_labels_recur_by_chance() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let rows = measured(&values);
        let all: Vec<usize> = (0..80).map(|row| row / 2).collect();
        let features = rows.features().view().select_rows(&all);
        let labels = Labels::from_fn(80, 1, |row, _| row % 2 == 0);
        let names = vec!["x".into(), "z".into()];
        let rows = Dataset::new("d", features, labels, names, vec!["l".into()]).unwrap();
        let (written_out, weights) = chosen(&rows.with_weights(vec![2.0; 80]).unwrap());
        assert_eq!((written_out.rows(), weights), (160, None));
    }

    #[test]
    fn too_many_copies_are_not_written_out() {
        for (weight, rows, has_weights) in [(1e6, 3, true), (1000.0, 1004, false)] {
            let values = dataset(&[1.0, 2.0, 3.0], false);
            let values = values.with_weights(vec![2.0, 2.0, weight]).unwrap();
            let (found, weights) = chosen(&values);
            assert_eq!((found.rows(), weights.is_some()), (rows, has_weights));
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
        for (weight, is_counted) in [(1.0, false), (0.5, false), (2.0, true)] {
            let rows = dataset(&[1.0, 2.0, 3.0], false);
            let rows = rows.with_weights(vec![weight; 3]).unwrap();
            let found = TrainingRows::of(rows.view());
            assert_eq!(found != TrainingRows::Plain, is_counted, "{weight}");
        }
    }

    #[test]
    fn other_weights_are_relative() {
        for weights in [vec![0.5, 1.0, 1.5], vec![100.25, 200.5, 300.75]] {
            let rows = dataset(&[1.0, 2.0, 3.0], false)
                .with_weights(weights)
                .unwrap();
            let expected = TrainingRows::Weighted(vec![0.5, 1.0, 1.5]);
            assert_eq!(TrainingRows::of(rows.view()), expected);
        }
    }
}
