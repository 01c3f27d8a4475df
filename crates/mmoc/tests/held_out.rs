//! Held-out predictions of training rows against refits without these rows.

use mmoc::Seed;
use mmoc::code::Code;
use mmoc::data::{Features, Folds, Labels, Matrix, stratified_folds};
use mmoc::decode::{Decoder, IndependentLabels};
use mmoc::learn::logistic::LogisticParams;
use mmoc::learn::ridge::RidgeParams;
use mmoc::learn::{BaseParams, LinearModel, PenaltyGrid, Training};
use mmoc::method::{Fitted, Method, Predictor, Preset};
use mmoc::metrics::{Evaluation, Metric};
use mmoc::settings::Settings;

const LABELS: usize = 4;

/// Features, and labels that depend on them, on the previous label and on noise.
fn data(rows: usize, seed: u64) -> (Matrix, Labels) {
    let mut stream = Seed::new(seed).stream();
    let mut x = Matrix::zeros(rows, 6);
    x.values_mut()
        .iter_mut()
        .for_each(|value| *value = stream.gaussian());
    let mut carried = Matrix::zeros(rows, LABELS);
    for i in 0..rows {
        for j in 0..LABELS {
            let before = if j > 0 {
                1.6 * carried[(i, j - 1)] - 0.8
            } else {
                0.0
            };
            let holds = 1.5 * x[(i, j)] + before + 0.7 * stream.gaussian() > 0.2;
            carried[(i, j)] = f64::from(u8::from(holds));
        }
    }
    let labels = Labels::from_fn(rows, LABELS, |i, j| carried[(i, j)] > 0.0);
    (x, labels)
}

/// Base learners with a single absolute penalty, so that refits use the same.
fn one_penalty() -> BaseParams {
    let grid = PenaltyGrid::absolute(vec![3.0]).unwrap();
    BaseParams {
        ridge: RidgeParams {
            penalties: grid.clone(),
            ..RidgeParams::default()
        },
        logistic: LogisticParams {
            penalties: grid,
            ..LogisticParams::default()
        },
        ..BaseParams::default()
    }
}

fn method(name: &str, settings: &[&str]) -> Method {
    let mut method: Method = name.parse().unwrap();
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        method.set(key, value).unwrap();
    }
    method
}

fn carries(labels: &Labels, row: usize, label: usize) -> f64 {
    f64::from(u8::from(labels.contains(row, label)))
}

fn assert_close(found: &Matrix, expected: &Matrix, what: &str) {
    let sizes = |matrix: &Matrix| (matrix.rows(), matrix.columns());
    assert_eq!(sizes(found), sizes(expected), "{what}");
    for (a, b) in found.values().iter().zip(expected.values()) {
        // Folds are solved to about four digits.
        assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{what}: {a} {b}");
    }
}

/// Predictions of each row by classifiers fitted to the other folds.
fn fold_refits(x: &Matrix, labels: &Labels, folds: &Folds) -> Matrix {
    let mut found = Matrix::zeros(x.rows(), labels.count());
    for fold in 0..folds.count() {
        let split = folds.split(fold);
        let seen = Features::Dense(x.view().select_rows(&split.train));
        let own = labels.select_rows(&split.train);
        let training = Training::new(seen.view(), &own, one_penalty(), Seed::new(1)).unwrap();
        let unseen = Features::Dense(x.view().select_rows(&split.test));
        let model = training.classifiers().unwrap().model();
        let log_odds = model.predict(unseen.view()).unwrap();
        for (k, &row) in split.test.iter().enumerate() {
            found.row_mut(row).copy_from_slice(log_odds.row(k));
        }
    }
    found
}

/// Predictions of each row by regressions fitted to all other rows.
fn refits_without_each_row(x: &Matrix, labels: &Labels, code: &Code) -> Matrix {
    let mut found = Matrix::zeros(x.rows(), code.projections.columns());
    for row in 0..x.rows() {
        let others: Vec<usize> = (0..x.rows()).filter(|&other| other != row).collect();
        let seen = Features::Dense(x.view().select_rows(&others));
        let own = labels.select_rows(&others);
        let training = Training::new(seen.view(), &own, one_penalty(), Seed::new(1)).unwrap();
        let ridge = training.regress(&code.targets()).unwrap();
        let unseen = Features::Dense(x.view().select_rows(&[row]));
        let predicted = ridge.model().predict(unseen.view()).unwrap();
        found.row_mut(row).copy_from_slice(predicted.row(0));
    }
    found
}

/// The code of the codeword outputs of a coded method.
fn code_of(fitted: &Fitted) -> Code {
    let code = fitted.predictor.code().unwrap();
    let projections = match fitted.predictor.decoder() {
        Decoder::Joint(joint) => joint.projections().clone(),
        _ => code.projections.clone(),
    };
    Code {
        projections,
        ..code.clone()
    }
}

#[test]
fn codewords_are_leave_one_out_and_log_odds_out_of_fold() {
    let (x, labels) = data(40, 1);
    let features = Features::Dense(x.clone());
    let training = Training::new(features.view(), &labels, one_penalty(), Seed::new(5)).unwrap();
    let log_odds = fold_refits(&x, &labels, training.folds().unwrap());
    let mut br = method("br", &[]).fit_on(&training).unwrap();
    assert_close(&br.held_out(&training).unwrap(), &log_odds, "br");
    let codes: [(&str, &[&str]); 8] = [
        ("coding-cs", &[]),
        ("coding-pca", &["centre=true"]),
        (
            "coding-pca-r",
            &["projections=2", "candidates=all", "weights=fixed"],
        ),
        ("coding-cca", &["candidates=all", "weights=fixed"]),
        (
            "coding-cca",
            &["lambda=0", "candidates=all", "weights=fixed"],
        ),
        ("max-margin", &["candidates=all", "weights=fixed"]),
        (
            "max-margin",
            &["classifiers=false", "candidates=all", "weights=fixed"],
        ),
        (
            "max-margin",
            &["regression=canonical", "candidates=all", "weights=fixed"],
        ),
    ];
    for (name, settings) in codes {
        let what = format!("{name} {settings:?}");
        let mut fitted = method(name, settings).fit_on(&training).unwrap();
        let held_out = fitted.held_out(&training).unwrap();
        let code = code_of(&fitted);
        let entries = code.projections.columns();
        let codewords = held_out.select_columns(0..entries);
        let expected = refits_without_each_row(&x, &labels, &code);
        assert_close(&codewords, &expected, &what);
        let rest = held_out.select_columns(entries..held_out.columns());
        if rest.columns() > 0 {
            assert_close(&rest, &log_odds, &what);
        }
        assert!(
            entries > 0 && fitted.penalties.codewords.len() >= entries.min(LABELS),
            "{what}"
        );
    }
}

#[test]
fn pairs_use_out_of_fold_log_odds_for_their_own_rows_and_final_ones_for_others() {
    let (x, labels) = data(60, 2);
    let features = Features::Dense(x.clone());
    let training = Training::new(features.view(), &labels, one_penalty(), Seed::new(5)).unwrap();
    let mut fitted = method("clr", &[]).fit_on(&training).unwrap();
    let found = fitted.held_out(&training).unwrap();
    let log_odds = fold_refits(&x, &labels, training.folds().unwrap());
    assert_close(&found.select_columns(0..LABELS), &log_odds, "labels");
    let mut expected = fitted.predictor.outputs().predict(features.view()).unwrap();
    let seed = training.seed().named("label pairs");
    let pairs = (0..LABELS).flat_map(|j| (j + 1..LABELS).map(move |k| (j, k)));
    for (index, (j, k)) in pairs.enumerate() {
        let one = |row: &usize| labels.contains(*row, j) != labels.contains(*row, k);
        let rows: Vec<usize> = (0..60).filter(one).collect();
        let x = x.view().select_rows(&rows);
        let first = Labels::from_fn(rows.len(), 1, |i, _| labels.contains(rows[i], j));
        let features = Features::Dense(x.clone());
        let own = Training::new(features.view(), &first, one_penalty(), seed.numbered(index));
        let refits = fold_refits(&x, &first, own.unwrap().folds().unwrap());
        for (i, &row) in rows.iter().enumerate() {
            expected[(row, LABELS + index)] = refits[(i, 0)];
        }
    }
    let pairs = LABELS..found.columns();
    assert_close(
        &found.select_columns(pairs.clone()),
        &expected.select_columns(pairs),
        "pairs",
    );
}

#[test]
fn constant_pairs_use_the_base_rates_of_the_other_rows() {
    // Every row with any label has the first one.
    let (x, labels) = data(30, 3);
    let labels = Labels::from_fn(30, 2, |i, j| j == 0 && labels.contains(i, 0));
    let features = Features::Dense(x);
    let training = Training::new(features.view(), &labels, one_penalty(), Seed::new(5)).unwrap();
    let mut fitted = method("clr", &[]).fit_on(&training).unwrap();
    let found = fitted.held_out(&training).unwrap();
    let count = f64::from(u32::try_from(labels.total()).unwrap());
    for row in 0..30 {
        let others = count - carries(&labels, row, 0);
        let expected = ((others + 0.5) / 0.5).ln();
        assert!((found[(row, 2)] - expected).abs() < 1e-12);
    }
}

fn scatter(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[test]
fn labels_with_their_true_parents_have_the_out_of_fold_log_odds_of_lead() {
    let (x, labels) = data(80, 4);
    let features = Features::Dense(x.clone());
    let training = Training::new(features.view(), &labels, one_penalty(), Seed::new(5)).unwrap();
    let mut fitted = method("lead", &[]).fit_on(&training).unwrap();
    let mut found = fitted.held_out(&training).unwrap();
    let Decoder::Network(network) = fitted.predictor.decoder() else {
        panic!("{:?}", fitted.predictor.decoder())
    };
    let total: f64 = (0..6).map(|k| scatter(x.column(k))).sum();
    let mut expected = fold_refits(&x, &labels, training.folds().unwrap());
    let mut children = 0;
    for (label, parents) in network.parents().iter().enumerate() {
        if parents.is_empty() {
            continue;
        }
        children += 1;
        let table = Matrix::from_fn(80, 6 + parents.len(), |i, j| match j.checked_sub(6) {
            None => x[(i, j)],
            Some(k) => {
                let column = |row| carries(&labels, row, parents[k].0);
                column(i) * (total / scatter((0..80).map(column))).sqrt()
            }
        });
        let own = labels.select_labels(&[label]);
        let refits = fold_refits(&table, &own, training.folds().unwrap());
        for row in 0..80 {
            expected[(row, label)] = refits[(row, 0)];
            let added: f64 = parents
                .iter()
                .map(|&(parent, weight)| weight * carries(&labels, row, parent))
                .sum();
            found[(row, label)] += added;
        }
    }
    assert!(children > 0);
    assert_close(&found, &expected, "lead");
}

#[test]
fn held_out_predictions_are_the_held_out_outputs_decoded() {
    // Enough features that rows are processed in several batches.
    let rows = 25;
    let (narrow, labels) = data(rows, 6);
    let x = Matrix::from_fn(
        rows,
        60_000,
        |i, j| if j < 6 { narrow[(i, j)] } else { 0.0 },
    );
    let features = Features::Dense(x);
    let training = Training::new(features.view(), &labels, one_penalty(), Seed::new(5)).unwrap();
    for mut method in Method::all() {
        // A posterior decodes rows as if they were new; its own tests show how.
        Preset::Paper.apply(&mut method);
        let mut fitted = method.fit_on(&training).unwrap();
        assert!(fitted.predictor.batch_rows(60_000) < rows);
        let outputs = fitted.held_out(&training).unwrap();
        let whole = fitted.predictor.decoder().decode(outputs).unwrap();
        let found = fitted.held_out_prediction(&training).unwrap();
        assert_eq!(found.labels, whole.labels, "{method}");
        assert_close(
            &found.scores.unwrap(),
            &whole.scores.unwrap(),
            method.name(),
        );
    }
}

/// Subset accuracy of a method over the folds of a cross-validation.
fn cross_validated(method: &Method, x: &Matrix, labels: &Labels, folds: &Folds) -> f64 {
    let accuracy = |fold: usize| {
        let split = folds.split(fold);
        let seen = Features::Dense(x.view().select_rows(&split.train));
        let own = labels.select_rows(&split.train);
        let seed = Seed::new(3).named("run").numbered(fold);
        let training = Training::new(seen.view(), &own, BaseParams::default(), seed).unwrap();
        let unseen = Features::Dense(x.view().select_rows(&split.test));
        let fitted = method.fit_on(&training).unwrap();
        let found = fitted.predictor.predict(unseen.view()).unwrap();
        subset_accuracy(&labels.select_rows(&split.test), &found.labels)
    };
    (0..folds.count()).map(accuracy).sum::<f64>() / folds.count() as f64
}

fn subset_accuracy(truth: &Labels, found: &Labels) -> f64 {
    let scores = Evaluation::of(truth, found, None, None).unwrap();
    scores.get(Metric::SubsetAccuracy).unwrap()
}

#[test]
fn held_out_subset_accuracy_is_near_that_of_cross_validation() {
    let (x, labels) = data(300, 7);
    let folds = stratified_folds(&labels, 10, Seed::new(3).named("split")).unwrap();
    let features = Features::Dense(x.clone());
    let base = BaseParams::default();
    let training = Training::new(features.view(), &labels, base, Seed::new(5)).unwrap();
    for method in Method::all() {
        let expected = cross_validated(&method, &x, &labels, &folds);
        let mut fitted = method.fit_on(&training).unwrap();
        let found = fitted.held_out_prediction(&training).unwrap();
        let found = subset_accuracy(&labels, &found.labels);
        // In-sample predictions are .03 to .05 above.
        let distance = (found - expected).abs();
        assert!(distance < 0.025, "{method}: {found} {expected}");
    }
}

#[test]
fn a_model_takes_as_many_outputs_as_its_decoder() {
    let outputs = LinearModel::new(Matrix::zeros(3, 2), vec![0.0; 2]).unwrap();
    assert!(Predictor::new(outputs, IndependentLabels::new(3), None).is_err());
}

#[test]
fn nan_outputs_are_rejected() {
    let (x, labels) = data(30, 1);
    let features = Features::Dense(x);
    let training = Training::new(features.view(), &labels, one_penalty(), Seed::new(5)).unwrap();
    for method in Method::all() {
        let mut fitted = method.fit_on(&training).unwrap();
        let mut outputs = fitted.held_out(&training).unwrap();
        outputs[(7, 0)] = f64::NAN;
        let refused = fitted.predictor.decoder().decode(outputs).unwrap_err();
        let message = refused.to_string();
        assert!(message.contains("NaN"), "{method}: {message}");
    }
}
