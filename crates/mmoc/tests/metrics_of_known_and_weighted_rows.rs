//! Metrics with weights of rows and unknown labels: against repeated rows, and against an evaluation that is slow and
//! obvious.

use std::collections::{BTreeMap, BTreeSet};

use mmoc::data::{Dataset, Features, Labels, Matrix, Targets};
use mmoc::metrics::{Evaluation, LabelEvaluation, Metric, ndcg_at, precision_at};
use mmoc::{Error, Prediction};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-12;

/// Random targets, predictions and scores with many ties. Some rows have no known label, but not all of them.
#[derive(Debug, Clone)]
struct Case {
    truth: Labels,
    unknown: Labels,
    predicted: Labels,
    scores: Matrix,
    repeats: Vec<usize>,
}

impl Case {
    fn weights(&self) -> Vec<f64> {
        self.repeats.iter().map(|&count| count as f64).collect()
    }

    fn probabilities(&self) -> Matrix {
        let (rows, labels) = (self.scores.rows(), self.scores.columns());
        Matrix::from_fn(rows, labels, |row, label| {
            1.0 / (1.0 + (-self.scores[(row, label)]).exp())
        })
    }

    fn evaluation(&self, weights: Option<&[f64]>, unknown: Option<&Labels>) -> Evaluation {
        let targets = targets(&self.truth, weights, unknown);
        let (scores, probabilities) = (Some(&self.scores), self.probabilities());
        Evaluation::of(targets, &self.predicted, scores, Some(&probabilities)).unwrap()
    }

    /// Each row as often as its weight says.
    fn repeated(&self) -> Self {
        let copies = self.repeats.iter().enumerate();
        let rows: Vec<usize> = copies
            .flat_map(|(row, &count)| std::iter::repeat_n(row, count))
            .collect();
        Self {
            truth: self.truth.select_rows(&rows),
            unknown: self.unknown.select_rows(&rows),
            predicted: self.predicted.select_rows(&rows),
            scores: self.scores.view().select_rows(&rows),
            repeats: vec![1; rows.len()],
        }
    }

    /// The rows with a known label.
    fn known_rows(&self, weights: &[f64]) -> Vec<KnownRow> {
        let all = (0..self.truth.rows()).map(|row| {
            let labels =
                (0..self.truth.count()).filter(|&label| !self.unknown.contains(row, label));
            let known: BTreeSet<usize> = labels.collect();
            let of = |sets: &Labels| {
                let members = known.iter().copied();
                members.filter(|&label| sets.contains(row, label)).collect()
            };
            KnownRow {
                weight: weights[row],
                truth: of(&self.truth),
                predicted: of(&self.predicted),
                scores: known.iter().map(|&j| (j, self.scores[(row, j)])).collect(),
            }
        });
        all.filter(|row| !row.scores.is_empty()).collect()
    }
}

fn targets<'a>(
    truth: &'a Labels,
    weights: Option<&'a [f64]>,
    unknown: Option<&'a Labels>,
) -> Targets<'a> {
    let targets = Targets::new(truth).with_weights(weights).unwrap();
    targets.with_unknown(unknown).unwrap()
}

fn case() -> impl Strategy<Value = Case> {
    (1usize..10, 1usize..8).prop_flat_map(|(rows, labels)| {
        let cells = rows * labels;
        let bits = |share: f64| prop::collection::vec(prop::bool::weighted(share), cells);
        let scores =
            prop::collection::vec((-4i32..5).prop_map(|level| f64::from(level) / 2.0), cells);
        let unknown_rows = prop::collection::vec(prop::bool::weighted(0.2), rows);
        let repeats = prop::collection::vec(1usize..4, rows);
        let parts = (
            bits(0.5),
            bits(0.5),
            bits(0.3),
            unknown_rows,
            scores,
            repeats,
        );
        parts.prop_map(
            move |(truth, predicted, unknown, unknown_rows, scores, repeats)| {
                let sets = |bits: Vec<bool>| {
                    Labels::from_fn(rows, labels, |row, label| bits[row * labels + label])
                };
                let is_unknown = |row: usize, label: usize| {
                    (row, label) != (0, 0) && (unknown_rows[row] || unknown[row * labels + label])
                };
                Case {
                    truth: sets(truth),
                    predicted: sets(predicted),
                    unknown: Labels::from_fn(rows, labels, is_unknown),
                    scores: Matrix::new(rows, labels, scores).unwrap(),
                    repeats,
                }
            },
        )
    })
}

/// The known labels of a row: which are true, which are predicted, and the score of each.
struct KnownRow {
    weight: f64,
    truth: BTreeSet<usize>,
    predicted: BTreeSet<usize>,
    scores: BTreeMap<usize, f64>,
}

impl KnownRow {
    /// Labels that are true and predicted, only predicted, and only true.
    fn overlap(&self) -> [f64; 3] {
        let (truth, predicted) = (&self.truth, &self.predicted);
        [
            (truth & predicted).len() as f64,
            (predicted - truth).len() as f64,
            (truth - predicted).len() as f64,
        ]
    }

    fn count(&self, is_counted: impl Fn(f64) -> bool) -> usize {
        let counted = self.scores.values().filter(|&&score| is_counted(score));
        counted.count()
    }

    fn relevant(&self) -> impl ExactSizeIterator<Item = f64> + Clone + '_ {
        self.truth.iter().map(|label| self.scores[label])
    }

    fn irrelevant(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        let others = self
            .scores
            .iter()
            .filter(|cell| !self.truth.contains(cell.0));
        others.map(|cell| *cell.1)
    }

    fn one_error(&self) -> f64 {
        let top = self.scores.values().copied().fold(f64::MIN, f64::max);
        let right = self.relevant().filter(|&score| score == top).count();
        1.0 - right as f64 / self.count(|score| score == top) as f64
    }

    fn coverage(&self) -> f64 {
        let depths = self.relevant().map(|own| self.count(|score| score >= own));
        depths.max().unwrap_or(0) as f64
    }

    fn ranking_loss(&self) -> f64 {
        let pairs = self
            .relevant()
            .flat_map(|own| self.irrelevant().map(move |other| f64::from(own <= other)));
        ratio(pairs.clone().sum(), pairs.count() as f64)
    }

    fn average_precision(&self) -> f64 {
        if self.truth.is_empty() {
            return 1.0;
        }
        let shares = self.relevant().map(|own| {
            let right = self.relevant().filter(|&score| score >= own).count();
            right as f64 / self.count(|score| score >= own) as f64
        });
        shares.sum::<f64>() / self.truth.len() as f64
    }

    /// The sum of gains of the positions of relevant labels, the mean over the positions of those they are tied with.
    fn gain(&self, k: usize, gain: fn(usize) -> f64) -> f64 {
        let of_label = |own: f64| {
            let first = self.count(|score| score > own);
            let tied = self.count(|score| score == own);
            let places = (first..first + tied).filter(|&place| place < k);
            places.map(gain).sum::<f64>() / tied as f64
        };
        self.relevant().map(of_label).sum()
    }

    fn precision_at(&self, k: usize) -> f64 {
        self.gain(k, |_| 1.0) / k.min(self.scores.len()) as f64
    }

    fn ndcg_at(&self, k: usize) -> f64 {
        let discount = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let best = (0..k.min(self.truth.len())).map(discount).sum();
        ratio(self.gain(k, discount), best)
    }

    fn log_loss(&self) -> f64 {
        let cells = self.scores.iter().map(|(label, score)| {
            let sign = if self.truth.contains(label) {
                -1.0
            } else {
                1.0
            };
            (sign * score).exp().ln_1p()
        });
        cells.sum()
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

fn precision([both, predicted, _]: [f64; 3]) -> f64 {
    ratio(both, both + predicted)
}

fn recall([both, _, truth]: [f64; 3]) -> f64 {
    ratio(both, both + truth)
}

fn f1([both, predicted, truth]: [f64; 3]) -> f64 {
    ratio(2.0 * both, 2.0 * both + predicted + truth)
}

fn jaccard([both, predicted, truth]: [f64; 3]) -> f64 {
    ratio(both, both + predicted + truth)
}

/// The weight of correctly ordered pairs among cells of a weight, a truth and a score.
fn auc(cells: &[(f64, bool, f64)]) -> Option<f64> {
    let (mut pairs, mut right) = (0.0, 0.0);
    for (weight, _, high) in cells.iter().filter(|cell| cell.1) {
        for (other, _, low) in cells.iter().filter(|cell| !cell.1) {
            pairs += weight * other;
            let order = f64::from(high > low) / 2.0 + f64::from(high >= low) / 2.0;
            right += weight * other * order;
        }
    }
    (pairs > 0.0).then(|| right / pairs)
}

fn auc_cells(rows: &[KnownRow], is_wanted: impl Fn(usize) -> bool) -> Vec<(f64, bool, f64)> {
    let mut cells = Vec::new();
    for row in rows {
        let wanted = row.scores.iter().filter(|cell| is_wanted(*cell.0));
        cells.extend(wanted.map(|(label, &score)| (row.weight, row.truth.contains(label), score)));
    }
    cells
}

/// Weights of the rows in which a label is true and predicted, only predicted, and only true.
fn label_counts(rows: &[KnownRow], label: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for row in rows {
        let cell = (row.truth.contains(&label), row.predicted.contains(&label));
        match cell {
            (true, true) => sums[0] += row.weight,
            (false, true) => sums[1] += row.weight,
            (true, false) => sums[2] += row.weight,
            (false, false) => {}
        }
    }
    sums
}

/// The value of a metric by its definition.
fn by_definition(metric: Metric, rows: &[KnownRow], labels: usize) -> Option<f64> {
    let sum =
        |of: &dyn Fn(&KnownRow) -> f64| rows.iter().map(|row| row.weight * of(row)).sum::<f64>();
    let mean = |of: &dyn Fn(&KnownRow) -> f64| Some(sum(of) / sum(&|_| 1.0));
    let per_cell =
        |of: &dyn Fn(&KnownRow) -> f64| Some(sum(of) / sum(&|row| row.scores.len() as f64));
    let of_labels = || (0..labels).map(|label| label_counts(rows, label));
    let over_labels =
        |of: fn([f64; 3]) -> f64| Some(of_labels().map(of).sum::<f64>() / labels as f64);
    let all = || [0, 1, 2].map(|part| of_labels().map(|counts| counts[part]).sum::<f64>());
    match metric {
        Metric::SubsetAccuracy => mean(&|row| f64::from(row.truth == row.predicted)),
        Metric::HammingLoss => per_cell(&|row| (&row.truth ^ &row.predicted).len() as f64),
        Metric::Jaccard => mean(&|row| jaccard(row.overlap())),
        Metric::ExamplePrecision => mean(&|row| precision(row.overlap())),
        Metric::ExampleRecall => mean(&|row| recall(row.overlap())),
        Metric::ExampleF1 => mean(&|row| f1(row.overlap())),
        Metric::MacroPrecision => over_labels(precision),
        Metric::MacroRecall => over_labels(recall),
        Metric::MacroF1 => over_labels(f1),
        Metric::MicroPrecision => Some(precision(all())),
        Metric::MicroRecall => Some(recall(all())),
        Metric::MicroF1 => Some(f1(all())),
        Metric::MacroAuc => {
            let of_label = |label| auc(&auc_cells(rows, |other| other == label));
            let areas: Vec<f64> = (0..labels).filter_map(of_label).collect();
            (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
        }
        Metric::MicroAuc => auc(&auc_cells(rows, |_| true)),
        Metric::OneError => mean(&KnownRow::one_error),
        Metric::Coverage => mean(&KnownRow::coverage),
        Metric::RankingLoss => mean(&KnownRow::ranking_loss),
        Metric::LabelRankingAveragePrecision => mean(&KnownRow::average_precision),
        Metric::PrecisionAt1 => mean(&|row| row.precision_at(1)),
        Metric::PrecisionAt3 => mean(&|row| row.precision_at(3)),
        Metric::PrecisionAt5 => mean(&|row| row.precision_at(5)),
        Metric::NdcgAt1 => mean(&|row| row.ndcg_at(1)),
        Metric::NdcgAt3 => mean(&|row| row.ndcg_at(3)),
        Metric::NdcgAt5 => mean(&|row| row.ndcg_at(5)),
        Metric::LogLoss => per_cell(&KnownRow::log_loss),
    }
}

fn assert_close(found: Option<f64>, expected: Option<f64>, what: &str) {
    let close = match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= TOLERANCE,
        (found, expected) => found == expected,
    };
    assert!(close, "{what}: {found:?}, expected {expected:?}");
}

fn assert_same_values(found: &Evaluation, expected: &Evaluation) {
    for metric in Metric::all() {
        assert_close(found.get(metric), expected.get(metric), metric.key());
    }
    for (found, expected) in found.labels().iter().zip(expected.labels()) {
        for (found, expected) in ratios(found).into_iter().zip(ratios(expected)) {
            assert_close(found, expected, "ratio of a label");
        }
    }
}

fn ratios(label: &LabelEvaluation) -> [Option<f64>; 4] {
    let LabelEvaluation {
        precision,
        recall,
        f1,
        auc,
        ..
    } = *label;
    [Some(precision), Some(recall), Some(f1), auc]
}

fn counts(label: &LabelEvaluation) -> [usize; 5] {
    [
        label.positives,
        label.predicted,
        label.true_positives,
        label.false_positives,
        label.false_negatives,
    ]
}

proptest! {
    #[test]
    fn whole_weights_equal_repeated_rows(case in case()) {
        let (weights, repeated) = (case.weights(), case.repeated());
        let found = case.evaluation(Some(&weights), None);
        assert_same_values(&found, &repeated.evaluation(None, None));
        let found = case.evaluation(Some(&weights), Some(&case.unknown));
        assert_same_values(&found, &repeated.evaluation(None, Some(&repeated.unknown)));
    }

    #[test]
    fn the_scale_of_weights_changes_nothing(case in case()) {
        let weights = case.weights();
        let scaled: Vec<f64> = weights.iter().map(|weight| 0.3 * weight).collect();
        let of = |weights| case.evaluation(Some(weights), Some(&case.unknown));
        assert_same_values(&of(&scaled), &of(&weights));
    }

    #[test]
    fn counts_of_labels_are_numbers_of_rows(case in case()) {
        let unknown = Some(&case.unknown);
        let weighted = case.evaluation(Some(&case.weights()), unknown);
        let plain = case.evaluation(None, unknown);
        let rows = case.known_rows(&vec![1.0; case.truth.rows()]);
        for (label, (weighted, plain)) in weighted.labels().iter().zip(plain.labels()).enumerate() {
            prop_assert_eq!(counts(weighted), counts(plain));
            let [both, predicted, truth] = label_counts(&rows, label);
            let expected = [both + truth, both + predicted, both, predicted, truth];
            prop_assert_eq!(counts(plain).map(|count| count as f64), expected);
        }
    }

    #[test]
    fn metrics_of_known_labels_are_those_of_their_definition(case in case()) {
        let equal = vec![1.0; case.truth.rows()];
        let uneven: Vec<f64> = case.repeats.iter().map(|&count| 0.7 * count as f64).collect();
        for (given, weights) in [(None, &equal), (Some(uneven.as_slice()), &uneven)] {
            let found = case.evaluation(given, Some(&case.unknown));
            let rows = case.known_rows(weights);
            for metric in Metric::all() {
                let expected = by_definition(metric, &rows, case.truth.count());
                assert_close(found.get(metric), expected, metric.key());
            }
            for (label, own) in found.labels().iter().enumerate() {
                let counts = label_counts(&rows, label);
                let area = auc(&auc_cells(&rows, |other| other == label));
                let expected = [Some(precision(counts)), Some(recall(counts)), Some(f1(counts)), area];
                for (found, expected) in ratios(own).into_iter().zip(expected) {
                    assert_close(found, expected, "ratio of a label");
                }
            }
        }
    }

    #[test]
    fn cutoffs_count_weights_and_known_labels(case in case(), k in 1usize..9) {
        let weights = case.weights();
        let rows = case.known_rows(&weights);
        let mean = |of: &dyn Fn(&KnownRow) -> f64| {
            let sum: f64 = rows.iter().map(|row| row.weight * of(row)).sum();
            Some(sum / rows.iter().map(|row| row.weight).sum::<f64>())
        };
        let truth = targets(&case.truth, Some(&weights), Some(&case.unknown));
        let found = precision_at(truth, &case.scores, k).unwrap();
        assert_close(Some(found), mean(&|row| row.precision_at(k)), "precision");
        let found = ndcg_at(truth, &case.scores, k).unwrap();
        assert_close(Some(found), mean(&|row| row.ndcg_at(k)), "NDCG");
    }

    #[test]
    fn unknown_cells_may_hold_anything(case in case(), other in case()) {
        let anything = |row: usize, label: usize| {
            let (rows, labels) = (other.truth.rows(), other.truth.count());
            (row % rows, label % labels)
        };
        let (rows, labels) = (case.truth.rows(), case.truth.count());
        let sets = |own: &Labels, foreign: &Labels| {
            Labels::from_fn(rows, labels, |row, label| {
                let (i, j) = anything(row, label);
                if case.unknown.contains(row, label) {
                    foreign.contains(i, j)
                } else {
                    own.contains(row, label)
                }
            })
        };
        let changed = Case {
            truth: sets(&case.truth, &other.truth),
            predicted: sets(&case.predicted, &other.predicted),
            scores: Matrix::from_fn(rows, labels, |row, label| {
                let is_unknown = case.unknown.contains(row, label);
                if is_unknown { other.scores[anything(row, label)] } else { case.scores[(row, label)] }
            }),
            ..case.clone()
        };
        let weights = case.weights();
        let of = |case: &Case| case.evaluation(Some(&weights), Some(&case.unknown));
        assert_same_values(&of(&changed), &of(&case));
    }

    #[test]
    fn equal_weights_and_nothing_unknown_change_nothing(case in case()) {
        let plain = case.evaluation(None, None);
        let nothing = Labels::from_fn(case.truth.rows(), case.truth.count(), |_, _| false);
        prop_assert_eq!(&case.evaluation(None, Some(&nothing)), &plain);
        let ones = vec![1.0; case.truth.rows()];
        assert_same_values(&case.evaluation(Some(&ones), None), &plain);
    }

    #[test]
    fn data_sets_bring_their_weights_and_unknown_labels(case in case()) {
        let (rows, labels) = (case.truth.rows(), case.truth.count());
        let known = Labels::from_fn(rows, labels, |row, label| {
            case.truth.contains(row, label) && !case.unknown.contains(row, label)
        });
        let features = Features::Dense(Matrix::zeros(rows, 1));
        let names = (0..labels).map(|label| format!("label {label}")).collect();
        let dataset = Dataset::new("rows", features, known, vec!["x".into()], names).unwrap();
        let dataset = dataset.with_unknown(case.unknown.clone()).unwrap();
        let dataset = dataset.with_weights(case.weights()).unwrap();
        let prediction = Prediction {
            labels: case.predicted.clone(),
            scores: None,
            probabilities: Some(case.probabilities()),
            confidence: None,
        };
        let expected = case.evaluation(Some(&case.weights()), Some(&case.unknown));
        assert_same_values(&prediction.score(&dataset).unwrap(), &expected);
    }
}

#[test]
fn nothing_known_is_nothing_to_evaluate() {
    let truth = Labels::from_fn(3, 2, |_, _| false);
    let unknown = Labels::from_fn(3, 2, |_, _| true);
    let targets = targets(&truth, None, Some(&unknown));
    let error = Evaluation::of(targets, &truth, None, None).unwrap_err();
    assert!(matches!(error, Error::Dataset { .. }), "{error:?}");
    assert!(precision_at(targets, &Matrix::zeros(3, 2), 1).is_err());
}
