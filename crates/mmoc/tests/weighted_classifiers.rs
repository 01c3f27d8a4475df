//! Logistic regressions of weighted rows, weighted classes and labels that are not all known, against regressions of
//! repeated rows and of subsets of the rows.

use mmoc::Seed;
use mmoc::data::{Csr, Features, Folds, Labels, Matrix, Targets};
use mmoc::learn::logistic::{ClassWeight, Classifiers, Criterion, LogisticParams};
use mmoc::learn::{BaseParams, Basis, PenaltyGrid, Training};
use mmoc::method::Method;

const ROWS: usize = 60;
const LABELS: usize = 3;
const GRID: [f64; 3] = [30.0, 3.0, 0.3];

struct Rows {
    x: Matrix,
    labels: Labels,
    folds: Vec<usize>,
}

impl Rows {
    fn new() -> Self {
        let mut stream = Seed::new(5).stream();
        let mut x = Matrix::zeros(ROWS, 4);
        x.values_mut()
            .iter_mut()
            .for_each(|value| *value = 1.0 + stream.gaussian());
        let noise: Vec<f64> = (0..ROWS * LABELS).map(|_| stream.gaussian()).collect();
        let labels = Labels::from_fn(ROWS, LABELS, |i, j| {
            x[(i, j)] + x[(i, 3)] + noise[i * LABELS + j] > 2.5 + j as f64
        });
        let folds = (0..ROWS).map(|row| row % 3).collect();
        Self { x, labels, folds }
    }

    /// These rows of it, in this order; a row may come several times.
    fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: Matrix::from_fn(rows.len(), self.x.columns(), |i, j| self.x[(rows[i], j)]),
            labels: self.labels.select_rows(rows),
            folds: rows.iter().map(|&row| self.folds[row]).collect(),
        }
    }

    /// With only one of its labels.
    fn with_label(&self, label: usize) -> Self {
        Self {
            x: self.x.clone(),
            labels: self.labels.select_labels(&[label]),
            folds: self.folds.clone(),
        }
    }

    fn targets(&self) -> Targets<'_> {
        Targets::new(&self.labels)
    }

    fn fit(&self, params: &LogisticParams, targets: Targets<'_>) -> Classifiers {
        let basis = Basis::plain(Features::Dense(self.x.clone()).view()).unwrap();
        let folds = Folds::new(self.folds.clone()).unwrap();
        params.fit(&basis, targets, &folds).unwrap()
    }

    fn fit_sparse(&self, params: &LogisticParams, targets: Targets<'_>) -> Classifiers {
        let basis = Basis::plain(Features::Sparse(Csr::from(&self.x)).view()).unwrap();
        let folds = Folds::new(self.folds.clone()).unwrap();
        params.fit(&basis, targets, &folds).unwrap()
    }
}

fn params() -> LogisticParams {
    LogisticParams {
        penalties: PenaltyGrid::absolute(GRID.to_vec()).unwrap(),
        tolerance: 1e-12,
        ..LogisticParams::default()
    }
}

fn weights() -> Vec<f64> {
    (0..ROWS).map(|row| (1 + row % 3) as f64).collect()
}

/// Each row as often as its weight says.
fn repeated(weights: &[f64]) -> Vec<usize> {
    let is_left = |(row, time): &(usize, u8)| f64::from(*time) < weights[*row];
    let times = (0..weights.len()).flat_map(|row| (0..20).map(move |time| (row, time)));
    times.filter(is_left).map(|(row, _)| row).collect()
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let allowed = tolerance * expected.abs().max(1.0);
    assert!(
        (found - expected).abs() <= allowed,
        "{what}: found {found}, expected {expected}"
    );
}

/// Whether the classifier of one label of a fit is that of a label of another, with the same losses in its folds.
fn assert_same(found: (&Classifiers, usize), expected: (&Classifiers, usize), what: &str) {
    assert!(found.0.record().all_converged(), "{what}");
    assert_eq!(
        found.0.penalties()[found.1],
        expected.0.penalties()[expected.1],
        "{what}"
    );
    let numbers = |(fit, label): (&Classifiers, usize)| -> Vec<f64> {
        let model = fit.model();
        let coefficients = model.coefficients().column(label);
        coefficients.chain([model.intercepts()[label]]).collect()
    };
    for (found, expected) in numbers(found).into_iter().zip(numbers(expected)) {
        assert_close(found, expected, 1e-8, what);
    }
    let losses = |(fit, label): (&Classifiers, usize)| -> Vec<f64> {
        fit.out_of_fold().unwrap().losses().column(label).collect()
    };
    for (found, expected) in losses(found).into_iter().zip(losses(expected)) {
        assert_close(found, expected, 1e-6, what);
    }
}

const CRITERIA: [Criterion; 3] = [Criterion::LogLoss, Criterion::Error, Criterion::F1];

#[test]
fn weighted_rows_are_repeated_rows() {
    let (rows, weights) = (Rows::new(), weights());
    let again = rows.select(&repeated(&weights));
    let weighted = rows.targets().with_weights(Some(&weights)).unwrap();
    for criterion in CRITERIA {
        let params = LogisticParams {
            criterion,
            ..params()
        };
        let expected = again.fit(&params, again.targets());
        for found in [
            rows.fit(&params, weighted),
            rows.fit_sparse(&params, weighted),
        ] {
            for label in 0..LABELS {
                assert_same((&found, label), (&expected, label), "weighted");
            }
        }
    }
}

#[test]
fn given_class_weights_are_repeated_positives() {
    let (rows, weights) = (Rows::new(), weights());
    let of_labels = [4.0, 2.0, 3.0];
    let params = LogisticParams {
        class_weight: ClassWeight::Positives(of_labels.to_vec()),
        ..params()
    };
    let weighted = rows.targets().with_weights(Some(&weights)).unwrap();
    let found = rows.fit(&params, weighted);
    let plain = LogisticParams {
        class_weight: ClassWeight::Equal,
        ..params
    };
    for (label, of_label) in of_labels.into_iter().enumerate() {
        let times = |row: usize| {
            let carried = rows.labels.contains(row, label);
            weights[row] * if carried { of_label } else { 1.0 }
        };
        let times: Vec<f64> = (0..ROWS).map(times).collect();
        let again = rows.with_label(label).select(&repeated(&times));
        let expected = again.fit(&plain, again.targets());
        assert_same((&found, label), (&expected, 0), "class weights");
    }
}

#[test]
fn balanced_classes_are_those_of_given_weights_at_another_penalty() {
    let rows = Rows::new();
    let ones = rows.labels.frequencies();
    for (label, count) in ones.into_iter().enumerate() {
        let (n, positives) = (ROWS as f64, count as f64);
        let negatives = n - positives;
        let own = rows.with_label(label);
        let fit = |class_weight: ClassWeight, penalty: f64| {
            let params = LogisticParams {
                class_weight,
                penalties: PenaltyGrid::absolute(vec![penalty]).unwrap(),
                ..params()
            };
            own.fit(&params, own.targets())
        };
        let found = fit(ClassWeight::Balanced, 3.0);
        let given = ClassWeight::Positives(vec![negatives / positives]);
        // n/(2·n₀) times the objective with weight n₀/n₁ and a penalty that this factor makes the same.
        let expected = fit(given, 3.0 * 2.0 * negatives / n);
        let coefficients = found.model().coefficients().values().iter();
        for (found, expected) in coefficients.zip(expected.model().coefficients().values()) {
            assert_close(*found, *expected, 1e-8, "balanced");
        }
        // The unpenalised intercept makes the classes weigh the same, and the rarer one gains.
        let equal = fit(ClassWeight::Equal, 3.0);
        let mean = |fit: &Classifiers| {
            let odds = fit.model().predict(Features::Dense(rows.x.clone()).view());
            odds.unwrap().values().iter().sum::<f64>() / n
        };
        assert_eq!(mean(&found) > mean(&equal), positives < negatives);
    }
}

fn unknown_cells() -> Labels {
    Labels::from_fn(ROWS, LABELS, |row, label| {
        label < 2 && (row * 7 + label * 3) % 5 == 0
    })
}

#[test]
fn a_label_is_learnt_from_the_rows_in_which_it_is_known() {
    let (rows, weights, unknown) = (Rows::new(), weights(), unknown_cells());
    for weights in [None, Some(weights.as_slice())] {
        let targets = rows.targets().with_weights(weights).unwrap();
        let targets = targets.with_unknown(Some(&unknown)).unwrap();
        let found = rows.fit(&params(), targets);
        let log_odds = found.out_of_fold().unwrap().log_odds();
        assert_eq!((log_odds.rows(), log_odds.columns()), (ROWS, LABELS));
        assert!(
            log_odds
                .values()
                .iter()
                .all(|value| value.is_finite() && *value != 0.0)
        );
        for label in 0..LABELS {
            let is_known = |row: &usize| !unknown.contains(*row, label);
            let known: Vec<usize> = (0..ROWS).filter(is_known).collect();
            let own = rows.with_label(label).select(&known);
            let of_known: Option<Vec<f64>> =
                weights.map(|weights| known.iter().map(|&row| weights[row]).collect());
            let targets = own.targets().with_weights(of_known.as_deref()).unwrap();
            let expected = own.fit(&params(), targets);
            assert_same((&found, label), (&expected, 0), "unknown");
            let held_out = expected.out_of_fold().unwrap().log_odds();
            for (place, &row) in known.iter().enumerate() {
                assert_close(
                    log_odds[(row, label)],
                    held_out[(place, 0)],
                    1e-4,
                    "held out",
                );
            }
        }
    }
}

#[test]
fn what_an_unknown_label_is_said_to_be_does_not_matter() {
    let (rows, unknown) = (Rows::new(), unknown_cells());
    let fit = |filled: bool| {
        let labels = Labels::from_fn(ROWS, LABELS, |row, label| {
            if unknown.contains(row, label) {
                filled
            } else {
                rows.labels.contains(row, label)
            }
        });
        let params = LogisticParams {
            class_weight: ClassWeight::Balanced,
            ..params()
        };
        let targets = Targets::new(&labels).with_unknown(Some(&unknown)).unwrap();
        rows.fit(&params, targets)
    };
    let (without, with) = (fit(false), fit(true));
    for label in 0..LABELS {
        assert_same((&without, label), (&with, label), "filled");
    }
}

#[test]
fn labels_without_both_kinds_of_rows_have_base_rates_by_weight() {
    let rows = Rows::new();
    let weights = vec![0.25; ROWS];
    let labels = Labels::from_fn(ROWS, LABELS, |_, label| label > 0);
    let unknown = Labels::from_fn(ROWS, LABELS, |row, label| label == 2 || row < 20);
    let targets = Targets::new(&labels).with_weights(Some(&weights)).unwrap();
    let targets = targets.with_unknown(Some(&unknown)).unwrap();
    let fit = rows.fit(&params(), targets);
    // Forty known rows of weight ¼, and none.
    let expected = [(0.5f64 / 10.5).ln(), (10.5f64 / 0.5).ln(), 0.0];
    for (found, expected) in fit.model().intercepts().iter().zip(expected) {
        assert_close(*found, expected, 1e-12, "base rate");
    }
    assert!(
        fit.model()
            .coefficients()
            .values()
            .iter()
            .all(|value| *value == 0.0)
    );
}

#[test]
fn weights_of_one_change_nothing() {
    let rows = Rows::new();
    let none = Labels::from_fn(ROWS, LABELS, |_, _| false);
    let targets = rows.targets().with_weights(Some(&[1.0; ROWS])).unwrap();
    let found = rows.fit(&params(), targets.with_unknown(Some(&none)).unwrap());
    let expected = rows.fit(&params(), rows.targets());
    assert_eq!(found.model(), expected.model());
    assert_eq!(
        found.out_of_fold().unwrap().log_odds(),
        expected.out_of_fold().unwrap().log_odds()
    );
}

#[test]
fn class_weights_are_positive_numbers_one_for_each_label() {
    let rows = Rows::new();
    let x = Features::Dense(rows.x.clone());
    for bad in [
        vec![1.0; 2],
        vec![1.0, 0.0, 1.0],
        vec![1.0, f64::NAN, 1.0],
        vec![],
    ] {
        let base = BaseParams::default().class_weight(ClassWeight::Positives(bad));
        assert!(Training::new(x.view(), &rows.labels, base.clone(), Seed::new(1)).is_err());
        let basis = Basis::plain(x.view()).unwrap();
        let folds = Folds::new(rows.folds.clone()).unwrap();
        assert!(base.logistic.fit(&basis, &rows.labels, &folds).is_err());
    }
}

#[test]
fn equal_class_weights_are_not_stored() {
    let json = serde_json::to_value(LogisticParams::default()).unwrap();
    assert!(json.get("class_weight").is_none());
    for class_weight in [
        ClassWeight::Equal,
        ClassWeight::Balanced,
        ClassWeight::Positives(vec![1.0, 2.5]),
    ] {
        let params = LogisticParams {
            class_weight,
            ..LogisticParams::default()
        };
        let json = serde_json::to_string(&params).unwrap();
        assert_eq!(
            serde_json::from_str::<LogisticParams>(&json).unwrap(),
            params
        );
    }
}

/// The outputs of a method whose classifiers all have the same absolute penalty.
fn outputs(name: &str, rows: &Rows, weights: Option<&[f64]>, class_weight: ClassWeight) -> Matrix {
    let x = Features::Dense(rows.x.clone());
    let targets = rows.targets().with_weights(weights).unwrap();
    let mut base = BaseParams::default().class_weight(class_weight);
    base.logistic.penalties = PenaltyGrid::absolute(vec![2.0]).unwrap();
    base.logistic.tolerance = 1e-12;
    let training = Training::new(x.view(), targets, base, Seed::new(3)).unwrap();
    let fitted = name.parse::<Method>().unwrap().fit_on(&training).unwrap();
    let x = Features::Dense(Rows::new().x);
    fitted.predictor.outputs().predict(x.view()).unwrap()
}

#[test]
fn calibrated_ranking_counts_rows_by_weight() {
    let (rows, weights) = (Rows::new(), weights());
    let again = rows.select(&repeated(&weights));
    for class_weight in [
        ClassWeight::Equal,
        ClassWeight::Balanced,
        ClassWeight::Positives(vec![2.0, 3.0, 0.5]),
    ] {
        let found = outputs("clr", &rows, Some(&weights), class_weight.clone());
        let expected = outputs("clr", &again, None, class_weight);
        assert_eq!(found.columns(), 6);
        for (found, expected) in found.values().iter().zip(expected.values()) {
            assert_close(*found, *expected, 1e-6, "clr");
        }
    }
}
