//! Calibrated label ranking and LEAD against brute force.

mod lead;
mod ranking;

use mmoc::data::{Csr, Features, Labels, Matrix};
use mmoc::learn::logistic::LogisticParams;
use mmoc::learn::{BaseParams, PenaltyGrid, Training};
use mmoc::method::{Fitted, Method};
use mmoc::settings::Settings;
use mmoc::{Prediction, Seed};

const ROWS: usize = 90;
const LABELS: usize = 4;

/// Features, some of them zero, and labels that depend on them, on the previous label and on noise.
fn data(seed: u64) -> (Matrix, Labels) {
    let mut stream = Seed::new(seed).stream();
    let mut x = Matrix::zeros(ROWS, 6);
    for value in x.values_mut() {
        *value = (stream.gaussian() + 0.4).max(0.0);
    }
    let mut carried = Matrix::zeros(ROWS, LABELS);
    for i in 0..ROWS {
        for j in 0..LABELS {
            let before = if j > 0 {
                2.0 * carried[(i, j - 1)]
            } else {
                1.0
            };
            let holds = 1.5 * x[(i, j)] - before + 0.8 * stream.gaussian() > 0.3;
            carried[(i, j)] = f64::from(u8::from(holds));
        }
    }
    (
        x,
        Labels::from_fn(ROWS, LABELS, |i, j| carried[(i, j)] > 0.0),
    )
}

fn sparse(x: &Matrix) -> Features {
    Features::Sparse(Csr::from(x))
}

/// Base learners with a single penalty, so that folds choose nothing.
fn one_penalty(grid: PenaltyGrid) -> BaseParams {
    BaseParams {
        logistic: LogisticParams {
            penalties: grid,
            ..LogisticParams::default()
        },
        ..BaseParams::default()
    }
}

fn absolute(penalty: f64) -> BaseParams {
    one_penalty(PenaltyGrid::absolute(vec![penalty]).unwrap())
}

/// A method by name with settings `key=value`.
fn method(name: &str, settings: &[&str]) -> Method {
    let mut method: Method = name.parse().unwrap();
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        method.set(key, value).unwrap();
    }
    method
}

fn fit(x: &Features, labels: &Labels, base: &BaseParams, method: &Method) -> Fitted {
    let training = Training::new(x.view(), labels, base.clone(), Seed::new(5)).unwrap();
    method.fit_on(&training).unwrap()
}

fn assert_close(a: &Prediction, b: &Prediction, tolerance: f64, what: &str) {
    assert_eq!(a.labels, b.labels, "{what}");
    let (a, b) = (a.scores.as_ref().unwrap(), b.scores.as_ref().unwrap());
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() < tolerance, "{what}: {a} {b}");
    }
}

const BOTH: [(&str, &[&str]); 4] = [
    ("clr", &[]),
    ("clr", &["votes=soft"]),
    ("lead", &[]),
    ("lead", &["evidence=probabilities"]),
];

#[test]
fn sparse_and_dense_features_give_the_same_predictions() {
    let ((x, labels), (new, _)) = (data(1), data(2));
    let (dense, new_dense) = (Features::Dense(x.clone()), Features::Dense(new.clone()));
    for (name, settings) in BOTH {
        let method = method(name, settings);
        let a = fit(&dense, &labels, &absolute(2.0), &method);
        let b = fit(&sparse(&x), &labels, &absolute(2.0), &method);
        let a = a.predictor.predict(new_dense.view()).unwrap();
        let b = b.predictor.predict(sparse(&new).view()).unwrap();
        assert_close(&a, &b, 1e-5, name);
    }
}

#[test]
fn one_label_is_binary_relevance() {
    let (x, labels) = data(1);
    let (x, labels) = (Features::Dense(x), labels.select_labels(&[2]));
    let predict = |name, settings| {
        let model = fit(&x, &labels, &BaseParams::default(), &method(name, settings)).predictor;
        model.predict(x.view()).unwrap()
    };
    let expected = predict("br", &[]);
    for (name, settings) in BOTH {
        assert_eq!(predict(name, settings).labels, expected.labels, "{name}");
    }
    assert_eq!(predict("lead", &[]), expected);
}

#[test]
fn constant_and_repeated_labels_are_accepted() {
    let (x, labels) = data(1);
    let labels = Labels::from_fn(ROWS, 8, |i, j| match j {
        0 | 1 => true,
        2 | 3 => false,
        _ => labels.contains(i, j % 2),
    });
    let x = Features::Dense(x);
    for (name, settings) in BOTH {
        let fitted = fit(&x, &labels, &BaseParams::default(), &method(name, settings));
        let found = fitted.predictor.predict(x.view()).unwrap();
        assert!(fitted.logistic.unwrap().all_converged());
        let probabilities = found.probabilities.unwrap();
        for i in 0..ROWS {
            for (label, always) in [(0, true), (1, true), (2, false), (3, false)] {
                assert_eq!(found.labels.contains(i, label), always, "{name} {label}");
            }
            for j in 0..8 {
                let p = probabilities[(i, j)];
                assert!(p > 0.0 && p < 1.0 && (p > 0.5) == found.labels.contains(i, j));
            }
        }
    }
}

#[test]
fn two_rows_are_enough() {
    let x = Features::Dense(Matrix::new(2, 1, vec![0.0, 1.0]).unwrap());
    for sets in [
        [vec![0], vec![1]],
        [vec![], vec![0, 1]],
        [vec![0, 1], vec![0]],
    ] {
        let labels = Labels::from_fn(2, 2, |i, j| sets[i].contains(&j));
        for (name, settings) in BOTH {
            let fitted = fit(&x, &labels, &BaseParams::default(), &method(name, settings));
            let scores = fitted.predictor.predict(x.view()).unwrap().scores.unwrap();
            assert!(
                scores.values().iter().all(|score| score.is_finite()),
                "{name}"
            );
        }
    }
}

#[test]
fn zero_labels_and_constant_features_are_accepted() {
    let labels = data(1).1;
    let constant = Features::Dense(Matrix::from_fn(ROWS, 3, |_, _| 1.0));
    for (name, settings) in BOTH {
        for labels in [labels.clone(), Labels::from_fn(ROWS, 0, |_, _| false)] {
            let method = method(name, settings);
            let fitted = fit(&constant, &labels, &BaseParams::default(), &method);
            let found = fitted.predictor.predict(constant.view()).unwrap();
            assert_eq!(found.labels.count(), labels.count(), "{name}");
        }
    }
}
