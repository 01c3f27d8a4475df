//! Metrics against brute force, and invariances.

use mmoc::Error;
use mmoc::data::{Labels, Matrix};
use mmoc::metrics::{Evaluation, Metric, Needs, ndcg_at, precision_at};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-12;

/// Random truth, predictions and scores with many ties.
#[derive(Debug, Clone)]
struct Case {
    truth: Labels,
    predicted: Labels,
    scores: Matrix,
}

impl Case {
    fn evaluation(&self) -> Evaluation {
        let probabilities = self.map_scores(|score| 1.0 / (1.0 + (-score).exp()));
        let (scores, probabilities) = (Some(&self.scores), Some(&probabilities));
        Evaluation::of(&self.truth, &self.predicted, scores, probabilities).unwrap()
    }

    fn map_scores(&self, map: impl Fn(f64) -> f64) -> Matrix {
        let (rows, labels) = (self.truth.rows(), self.truth.count());
        Matrix::from_fn(rows, labels, |row, label| map(self.scores[(row, label)]))
    }

    /// The same cells with rows and labels permuted.
    fn permuted(&self, rows: &[usize], labels: &[usize]) -> Self {
        let sets = |sets: &Labels| {
            Labels::from_fn(rows.len(), labels.len(), |row, label| {
                sets.contains(rows[row], labels[label])
            })
        };
        Self {
            truth: sets(&self.truth),
            predicted: sets(&self.predicted),
            scores: Matrix::from_fn(rows.len(), labels.len(), |row, label| {
                self.scores[(rows[row], labels[label])]
            }),
        }
    }
}

fn case() -> impl Strategy<Value = Case> {
    (1usize..12, 1usize..9).prop_flat_map(|(rows, labels)| {
        let cells = rows * labels;
        let bits = || prop::collection::vec(any::<bool>(), cells);
        let scores =
            prop::collection::vec((-4i32..5).prop_map(|level| f64::from(level) / 2.0), cells);
        (bits(), bits(), scores).prop_map(move |(truth, predicted, scores)| Case {
            truth: Labels::from_fn(rows, labels, |row, label| truth[row * labels + label]),
            predicted: Labels::from_fn(rows, labels, |row, label| predicted[row * labels + label]),
            scores: Matrix::new(rows, labels, scores).unwrap(),
        })
    })
}

fn case_and_permutations() -> impl Strategy<Value = (Case, Vec<usize>, Vec<usize>)> {
    case().prop_flat_map(|case| {
        let rows: Vec<usize> = (0..case.truth.rows()).collect();
        let labels: Vec<usize> = (0..case.truth.count()).collect();
        (
            Just(case),
            Just(rows).prop_shuffle(),
            Just(labels).prop_shuffle(),
        )
    })
}

fn assert_close(found: Option<f64>, expected: Option<f64>, what: &str) {
    let close = match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= TOLERANCE,
        (found, expected) => found == expected,
    };
    assert!(close, "{what}: {found:?}, expected {expected:?}");
}

/// The fraction of pairs of a positive and a negative in the right order.
fn auc_by_pairs(cells: &[(bool, f64)]) -> Option<f64> {
    let of = |positive: bool| cells.iter().filter(move |cell| cell.0 == positive);
    let (mut pairs, mut right) = (0.0, 0.0);
    for (_, high) in of(true) {
        for (_, low) in of(false) {
            pairs += 1.0;
            right += f64::from(high > low) / 2.0 + f64::from(high >= low) / 2.0;
        }
    }
    (pairs > 0.0).then(|| right / pairs)
}

fn ranking_loss_by_pairs(case: &Case, row: usize) -> f64 {
    let labels = 0..case.truth.count();
    let (mut pairs, mut wrong) = (0.0, 0.0);
    for relevant in labels
        .clone()
        .filter(|&label| case.truth.contains(row, label))
    {
        for other in labels
            .clone()
            .filter(|&label| !case.truth.contains(row, label))
        {
            pairs += 1.0;
            wrong += f64::from(case.scores[(row, relevant)] <= case.scores[(row, other)]);
        }
    }
    if pairs > 0.0 { wrong / pairs } else { 0.0 }
}

/// The mean of a ranking metric over many random orders of tied labels.
fn mean_over_orders(case: &Case, metric: impl Fn(&Matrix) -> f64) -> f64 {
    let orders = 4000;
    let mut stream = mmoc::Seed::new(5).stream();
    let mut sum = 0.0;
    for _ in 0..orders {
        let mut scores = case.scores.clone();
        for score in scores.values_mut() {
            *score += 1e-3 * stream.uniform();
        }
        sum += metric(&scores);
    }
    sum / f64::from(orders)
}

proptest! {
    #[test]
    fn auc_is_the_fraction_of_correctly_ordered_pairs(case in case()) {
        let evaluation = case.evaluation();
        let cell = |row, label| (case.truth.contains(row, label), case.scores[(row, label)]);
        let mut all = Vec::new();
        for label in 0..case.truth.count() {
            let column: Vec<_> = (0..case.truth.rows()).map(|row| cell(row, label)).collect();
            assert_close(evaluation.labels()[label].auc, auc_by_pairs(&column), "label");
            all.extend(column);
        }
        assert_close(evaluation.get(Metric::MicroAuc), auc_by_pairs(&all), "micro");
    }

    #[test]
    fn ranking_loss_is_the_fraction_of_wrongly_ordered_pairs(case in case()) {
        let rows = case.truth.rows();
        let sum: f64 = (0..rows).map(|row| ranking_loss_by_pairs(&case, row)).sum();
        let expected = sum / rows as f64;
        assert_close(case.evaluation().get(Metric::RankingLoss), Some(expected), "ranking loss");
    }

    #[test]
    fn the_order_of_rows_and_labels_changes_nothing((case, rows, labels) in case_and_permutations()) {
        let (before, after) = (case.evaluation(), case.permuted(&rows, &labels).evaluation());
        for metric in Metric::all() {
            assert_close(after.get(metric), before.get(metric), metric.key());
        }
        for (new, &old) in labels.iter().enumerate() {
            prop_assert_eq!(after.labels()[new], before.labels()[old]);
        }
    }

    #[test]
    fn only_the_order_of_scores_matters(case in case()) {
        let transformed = Case { scores: case.map_scores(|s| (3.0 * s + 1.0).exp()), ..case.clone() };
        let (before, after) = (case.evaluation(), transformed.evaluation());
        for metric in Metric::all().filter(|metric| metric.needs() == Needs::Scores) {
            assert_close(after.get(metric), before.get(metric), metric.key());
        }
    }

    #[test]
    fn negated_scores_mirror_the_areas(case in case()) {
        let negated = Case { scores: case.map_scores(|score| -score), ..case.clone() };
        for metric in [Metric::MacroAuc, Metric::MicroAuc] {
            let mirrored = case.evaluation().get(metric).map(|area| 1.0 - area);
            assert_close(negated.evaluation().get(metric), mirrored, metric.key());
        }
    }

    #[test]
    fn values_come_in_the_order_of_the_table_and_in_range(case in case()) {
        let found: Vec<(Metric, f64)> = case.evaluation().iter().collect();
        prop_assert!(found.is_sorted_by_key(|&(metric, _)| metric));
        for (metric, value) in found {
            let highest = match metric {
                Metric::Coverage => case.truth.count() as f64,
                Metric::LogLoss => f64::INFINITY,
                _ => 1.0,
            };
            prop_assert!((0.0..=highest + TOLERANCE).contains(&value), "{metric} {value}");
        }
    }

    #[test]
    fn one_error_is_one_minus_precision_at_one(case in case()) {
        let evaluation = case.evaluation();
        let lack = evaluation.get(Metric::PrecisionAt1).map(|precision| 1.0 - precision);
        assert_close(evaluation.get(Metric::OneError), lack, "one-error");
        assert_close(evaluation.get(Metric::NdcgAt1), evaluation.get(Metric::PrecisionAt1), "at 1");
    }

    #[test]
    fn cutoffs_above_the_number_of_labels_equal_it(case in case()) {
        let labels = case.truth.count();
        for metric in [precision_at, ndcg_at] {
            let at = |k| metric(&case.truth, &case.scores, k).unwrap();
            assert_close(Some(at(labels + 3)), Some(at(labels)), "cutoff");
        }
        let density = case.truth.total() as f64 / (case.truth.rows() * labels) as f64;
        let all = precision_at(&case.truth, &case.scores, labels).unwrap();
        assert_close(Some(all), Some(density), "precision at all");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn ties_count_as_the_mean_over_their_orders(case in case(), k in 1usize..6) {
        for metric in [precision_at, ndcg_at] {
            let tied = metric(&case.truth, &case.scores, k).unwrap();
            let mean = mean_over_orders(&case, |scores| metric(&case.truth, scores, k).unwrap());
            prop_assert!((tied - mean).abs() < 0.05, "{tied}, over orders {mean}");
        }
    }
}

#[test]
fn one_label_has_trivial_rankings() {
    let truth = Labels::from_fn(4, 1, |row, _| row > 0);
    let scores = Matrix::from_fn(4, 1, |row, _| row as f64);
    let evaluation = Evaluation::of(&truth, &truth, Some(&scores), None).unwrap();
    let expected = [
        (Metric::OneError, 0.25),
        (Metric::Coverage, 0.75),
        (Metric::RankingLoss, 0.0),
        (Metric::LabelRankingAveragePrecision, 1.0),
        (Metric::NdcgAt3, 0.75),
    ];
    for (metric, value) in expected {
        assert_eq!(evaluation.get(metric), Some(value), "{metric}");
    }
}

#[test]
fn metrics_without_their_inputs_are_absent() {
    let truth = Labels::from_fn(3, 2, |row, label| row == label);
    let evaluation = Evaluation::of(&truth, &truth, None, None).unwrap();
    for metric in Metric::all() {
        let present = evaluation.get(metric).is_some();
        assert_eq!(present, metric.needs() == Needs::LabelSets, "{metric}");
    }
    assert!(evaluation.labels().iter().all(|label| label.auc.is_none()));
}

#[test]
fn rejects_predictions_of_another_shape() {
    let truth = Labels::from_fn(3, 2, |_, _| true);
    let short = Labels::from_fn(2, 2, |_, _| true);
    let narrow = Matrix::zeros(3, 1);
    let results = [
        Evaluation::of(&truth, &short, None, None),
        Evaluation::of(&truth, &truth, Some(&narrow), None),
        Evaluation::of(&truth, &truth, None, Some(&narrow)),
    ];
    for result in results {
        assert!(matches!(result, Err(Error::Shape { .. })), "{result:?}");
    }
}

#[test]
fn rejects_empty_predictions() {
    for (rows, labels) in [(0, 3), (3, 0), (0, 0)] {
        let nothing = Labels::from_fn(rows, labels, |_, _| true);
        let scores = Matrix::zeros(rows, labels);
        assert!(Evaluation::of(&nothing, &nothing, None, None).is_err());
        assert!(precision_at(&nothing, &scores, 1).is_err());
    }
}

#[test]
fn rejects_nan_scores_and_probabilities_out_of_range() {
    let truth = Labels::from_fn(2, 2, |row, label| row == label);
    let with = |value: f64| Matrix::new(2, 2, vec![0.5, 0.5, 0.5, value]).unwrap();
    let nan = with(f64::NAN);
    let error = Evaluation::of(&truth, &truth, Some(&nan), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not valid: expected scores that are not NaN, found NaN (row 2, label 2)"
    );
    assert!(ndcg_at(&truth, &nan, 1).is_err());
    for value in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        let given = with(value);
        assert!(Evaluation::of(&truth, &truth, None, Some(&given)).is_err());
    }
    assert!(Evaluation::of(&truth, &truth, Some(&with(f64::INFINITY)), None).is_ok());
}

#[test]
fn rejects_a_cutoff_of_zero() {
    let truth = Labels::from_fn(2, 2, |row, label| row == label);
    let scores = Matrix::zeros(2, 2);
    assert!(precision_at(&truth, &scores, 0).is_err());
    assert!(ndcg_at(&truth, &scores, 0).is_err());
}
