//! Every metric against scikit-learn; `fixtures/metrics.py` writes the reference values.

use std::collections::BTreeMap;

use mmoc::data::{Labels, Matrix, Targets};
use mmoc::metrics::{Evaluation, LabelEvaluation, Metric};

const TOLERANCE: f64 = 1e-12;

#[derive(serde::Deserialize)]
struct Fixture {
    scikit_learn: String,
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    truth: Vec<String>,
    predicted: Vec<String>,
    scores: Vec<Vec<f64>>,
    probabilities: Vec<Vec<f64>>,
    weights: Option<Vec<f64>>,
    metrics: BTreeMap<String, Option<f64>>,
    labels: Vec<Label>,
}

#[derive(serde::Deserialize)]
struct Label {
    positives: usize,
    predicted: usize,
    true_positives: usize,
    false_positives: usize,
    false_negatives: usize,
    precision: f64,
    recall: f64,
    f1: f64,
    auc: Option<f64>,
}

impl Case {
    fn evaluation(&self) -> Evaluation {
        let (truth, predicted) = (labels(&self.truth), labels(&self.predicted));
        let (scores, probabilities) = (matrix(&self.scores), matrix(&self.probabilities));
        let weights = self.weights.as_deref();
        let truth = Targets::new(&truth).with_weights(weights).unwrap();
        Evaluation::of(truth, &predicted, Some(&scores), Some(&probabilities)).unwrap()
    }
}

fn fixture() -> Fixture {
    serde_json::from_str(include_str!("fixtures/metrics.json")).unwrap()
}

fn labels(rows: &[String]) -> Labels {
    let carries = |row: usize, label: usize| rows[row].as_bytes()[label] == b'1';
    Labels::from_fn(rows.len(), rows[0].len(), carries)
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(rows.len(), rows[0].len(), |row, column| rows[row][column])
}

fn agree(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= TOLERANCE,
        (found, expected) => found == expected,
    }
}

#[test]
fn every_metric_agrees_with_scikit_learn() {
    let fixture = fixture();
    for case in &fixture.cases {
        let evaluation = case.evaluation();
        for (key, &expected) in &case.metrics {
            let found = evaluation.get(key.parse().unwrap());
            assert!(
                agree(found, expected),
                "{key} of '{}': {found:?}, but {expected:?} in scikit-learn {}",
                case.name,
                fixture.scikit_learn
            );
        }
    }
}

#[test]
fn the_reference_has_a_value_of_every_metric() {
    let cases = fixture().cases;
    for metric in Metric::all() {
        let valued = |case: &&Case| case.metrics.get(metric.key()).is_some_and(Option::is_some);
        let count = cases.iter().filter(valued).count();
        assert!(count >= 10, "{metric} has {count}");
        let weighted = cases.iter().filter(|case| case.weights.is_some());
        let count = weighted.filter(valued).count();
        assert!(count >= 5, "{metric} has {count} with weights");
    }
}

#[test]
fn every_label_evaluation_agrees_with_scikit_learn() {
    for case in fixture().cases {
        let evaluation = case.evaluation();
        assert_eq!(evaluation.labels().len(), case.labels.len());
        for (found, expected) in evaluation.labels().iter().zip(&case.labels) {
            assert_eq!(counts(found), expected.counts(), "{}", case.name);
            let ratios = [found.precision, found.recall, found.f1].map(Some);
            let found = ratios.into_iter().chain([found.auc]);
            for (found, expected) in found.zip(expected.ratios()) {
                assert!(agree(found, expected), "{found:?} in '{}'", case.name);
            }
        }
    }
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

impl Label {
    fn counts(&self) -> [usize; 5] {
        [
            self.positives,
            self.predicted,
            self.true_positives,
            self.false_positives,
            self.false_negatives,
        ]
    }

    fn ratios(&self) -> [Option<f64>; 4] {
        [
            Some(self.precision),
            Some(self.recall),
            Some(self.f1),
            self.auc,
        ]
    }
}
