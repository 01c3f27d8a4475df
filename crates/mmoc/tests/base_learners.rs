//! Ridge and logistic regression against scikit-learn, against brute force, and under transformations that must not
//! matter. The references come from `fixtures/learners.py`.

use mmoc::Seed;
use mmoc::data::{Csr, Features, Folds, Labels, Matrix, stratified_folds};
use mmoc::learn::logistic::{Classifiers, LogisticParams};
use mmoc::learn::ridge::{Ridge, RidgeParams};
use mmoc::learn::{BaseParams, Basis, PenaltyGrid, Training};
use mmoc::linalg::{Factorisation, Rotation};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Matrix::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn sparse(dense: &Matrix) -> Features {
    Features::Sparse(Csr::from(dense))
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let allowed = tolerance * expected.abs().max(1.0);
    assert!(
        (found - expected).abs() <= allowed,
        "{what}: found {found}, expected {expected}"
    );
}

struct Reference {
    name: String,
    value: Value,
    dense: Matrix,
    features: Features,
    labels: Labels,
    folds: Folds,
}

fn references() -> Vec<Reference> {
    let text = include_str!("fixtures/learners.json");
    let file: Value = serde_json::from_str(text).unwrap();
    file["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(reference)
        .collect()
}

fn reference(case: &Value) -> Reference {
    let dense = matrix(&case["x"]);
    let y = matrix(&case["y"]);
    let folds = case["folds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| usize::try_from(fold.as_u64().unwrap()).unwrap())
        .collect();
    let is_sparse = case["sparse"].as_bool().unwrap();
    Reference {
        name: case["name"].as_str().unwrap().into(),
        features: if is_sparse {
            sparse(&dense)
        } else {
            Features::Dense(dense.clone())
        },
        labels: Labels::from_fn(y.rows(), y.columns(), |i, j| y[(i, j)] == 1.0),
        folds: Folds::new(folds).unwrap(),
        value: case.clone(),
        dense,
    }
}

fn rotate(x: &Features) -> Rotation<'_> {
    Rotation::new(&Factorisation::new(x.view()).unwrap()).unwrap()
}

fn regress(params: &RidgeParams, x: &Features, targets: &Matrix) -> mmoc::Result<Ridge> {
    params.prepare(&Factorisation::new(x.view())?)?.fit(targets)
}

fn absolute(penalties: &[f64]) -> PenaltyGrid {
    PenaltyGrid::absolute(penalties.to_vec()).unwrap()
}

/// Fits on the rotated features and on the original ones.
fn fit_all_ways(
    features: &Features,
    labels: &Labels,
    folds: &Folds,
    penalties: &[f64],
) -> Vec<Classifiers> {
    let params = LogisticParams {
        penalties: absolute(penalties),
        tolerance: 1e-12,
        ..LogisticParams::default()
    };
    let rotation = rotate(features);
    let bases = [
        Basis::Rotated(&rotation),
        Basis::plain(features.view()).unwrap(),
    ];
    bases
        .into_iter()
        .map(|basis| params.fit(&basis, labels, folds).unwrap())
        .collect()
}

#[test]
fn logistic_coefficients_agree_with_scikit_learn_at_every_penalty() {
    for case in references() {
        let penalties = numbers(&case.value["penalties"]);
        for (k, &penalty) in penalties.iter().enumerate() {
            for fit in fit_all_ways(&case.features, &case.labels, &case.folds, &[penalty]) {
                assert!(
                    fit.record().all_converged(),
                    "{}: {:?}",
                    case.name,
                    fit.record()
                );
                for (label, expected) in case.value["coefficients"][k]
                    .as_array()
                    .unwrap()
                    .iter()
                    .enumerate()
                {
                    let expected = numbers(expected);
                    let (intercept, slopes) = expected.split_last().unwrap();
                    let what = format!("{}, penalty {penalty}, label {label}", case.name);
                    assert_close(fit.model().intercepts()[label], *intercept, 1e-6, &what);
                    for (found, expected) in fit.model().coefficients().column(label).zip(slopes) {
                        assert_close(found, *expected, 1e-6, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn held_out_log_losses_agree_with_scikit_learn_at_every_penalty() {
    for case in references() {
        let penalties = numbers(&case.value["penalties"]);
        let expected = matrix(&case.value["losses"]);
        for fit in fit_all_ways(&case.features, &case.labels, &case.folds, &penalties) {
            let losses = fit.out_of_fold().unwrap().losses();
            for (found, expected) in losses.values().iter().zip(expected.values()) {
                assert_close(*found, *expected, 1e-4, &case.name);
            }
            for label in 0..case.labels.count() {
                let best = (0..penalties.len())
                    .min_by(|&a, &b| expected[(a, label)].total_cmp(&expected[(b, label)]));
                assert_eq!(
                    fit.penalties()[label],
                    penalties[best.unwrap()],
                    "{}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn out_of_fold_log_odds_give_the_reported_losses() {
    for case in references() {
        let penalties = numbers(&case.value["penalties"]);
        for fit in fit_all_ways(&case.features, &case.labels, &case.folds, &penalties) {
            let folds = fit.out_of_fold().unwrap();
            for label in 0..case.labels.count() {
                let total: f64 = (0..case.labels.rows())
                    .map(|row| {
                        let margin = folds.log_odds()[(row, label)];
                        let sign = if case.labels.contains(row, label) {
                            1.0
                        } else {
                            -1.0
                        };
                        (-sign * margin).exp().ln_1p()
                    })
                    .sum();
                let chosen = fit.penalties()[label];
                let k = penalties
                    .iter()
                    .position(|&penalty| penalty == chosen)
                    .unwrap();
                let mean = total / case.labels.rows() as f64;
                assert_close(mean, folds.losses()[(k, label)], 1e-12, &case.name);
            }
        }
    }
}

#[test]
fn ridge_equals_scikit_learn() {
    for case in references() {
        let targets = matrix(&case.value["targets"]);
        let penalties = numbers(&case.value["penalties"]);
        let fit = |penalties: &[f64]| {
            let params = RidgeParams {
                penalties: absolute(penalties),
                ..RidgeParams::default()
            };
            regress(&params, &case.features, &targets).unwrap()
        };
        assert_eq!(
            fit(&penalties).penalties(),
            numbers(&case.value["ridge_penalties"]),
            "{}",
            case.name
        );
        let errors = matrix(&case.value["ridge_errors"]);
        for (k, &penalty) in penalties.iter().enumerate() {
            for (found, expected) in fit(&[penalty]).noise().iter().zip(errors.row(k)) {
                assert_close(*found, *expected, 1e-10, &case.name);
            }
        }
        let ridge = fit(&penalties[2..3]);
        let model = ridge.model();
        let coefficients = matrix(&case.value["ridge_coefficients"]);
        for (found, expected) in model
            .coefficients()
            .values()
            .iter()
            .zip(coefficients.values())
        {
            assert_close(*found, *expected, 1e-10, &case.name);
        }
        let intercepts = numbers(&case.value["ridge_intercepts"]);
        for (found, expected) in model.intercepts().iter().zip(&intercepts) {
            assert_close(*found, *expected, 1e-10, &case.name);
        }
    }
}

#[test]
fn leave_one_out_equals_refitting_without_each_row() {
    for case in references() {
        let targets = matrix(&case.value["targets"]);
        for penalty in [1e3, 1.0, 1e-3] {
            let params = RidgeParams {
                penalties: absolute(&[penalty]),
                ..RidgeParams::default()
            };
            let quick = regress(&params, &case.features, &targets).unwrap();
            for left_out in 0..targets.rows() {
                let kept: Vec<usize> = (0..targets.rows()).filter(|&row| row != left_out).collect();
                let features = case.features.view().select_rows(&kept);
                let targets = targets.view().select_rows(&kept);
                let refit = regress(&params, &features, &targets).unwrap();
                let row = case.features.view().select_rows(&[left_out]);
                let slow = refit.model().predict(row.view()).unwrap();
                for target in 0..targets.columns() {
                    let found = quick.held_out()[(left_out, target)];
                    assert_close(found, slow[(0, target)], 1e-9, &case.name);
                }
            }
        }
    }
}

#[test]
fn noise_is_the_mean_squared_leave_one_out_error() {
    for case in references() {
        let targets = matrix(&case.value["targets"]);
        let ridge = regress(&RidgeParams::default(), &case.features, &targets).unwrap();
        for target in 0..targets.columns() {
            let squares: f64 = targets
                .column(target)
                .zip(ridge.held_out().column(target))
                .map(|(t, p)| (t - p) * (t - p))
                .sum();
            assert_close(
                ridge.noise()[target],
                squares / targets.rows() as f64,
                1e-12,
                &case.name,
            );
        }
    }
}

/// Default fits of both learners, as predictions for the training rows.
fn default_predictions(x: &Features, labels: &Labels, folds: &Folds, targets: &Matrix) -> Vec<f64> {
    let rotation = rotate(x);
    let basis = Basis::Rotated(&rotation);
    let classifiers = LogisticParams::default()
        .fit(&basis, labels, folds)
        .unwrap();
    let ridge = regress(&RidgeParams::default(), x, targets).unwrap();
    let mut all = classifiers
        .model()
        .predict(x.view())
        .unwrap()
        .values()
        .to_vec();
    all.extend(ridge.model().predict(x.view()).unwrap().values());
    all.extend(classifiers.out_of_fold().unwrap().log_odds().values());
    all.extend(ridge.held_out().values());
    all
}

#[test]
fn default_fits_do_not_depend_on_unit_origin_or_rotation_of_the_features() {
    for case in references() {
        let x = &case.dense;
        let targets = matrix(&case.value["targets"]);
        let predict = |x: Matrix| {
            default_predictions(&Features::Dense(x), &case.labels, &case.folds, &targets)
        };
        let expected = predict(x.clone());
        let (sin, cos) = 0.7f64.sin_cos();
        let changed = [
            Matrix::from_fn(x.rows(), x.columns(), |i, j| 1000.0 * x[(i, j)]),
            Matrix::from_fn(x.rows(), x.columns(), |i, j| x[(i, j)] + j as f64),
            Matrix::from_fn(x.rows(), x.columns(), |i, j| match j {
                0 => cos * x[(i, 0)] - sin * x[(i, 1)],
                1 => sin * x[(i, 0)] + cos * x[(i, 1)],
                _ => x[(i, j)],
            }),
        ];
        for x in changed {
            for (found, expected) in predict(x).iter().zip(&expected) {
                assert_close(*found, *expected, 1e-4, &case.name);
            }
        }
    }
}

#[test]
fn constant_labels_get_a_smoothed_base_rate() {
    let x = Features::Dense(Matrix::from_fn(12, 3, |i, j| ((i * 7 + j * 5) % 11) as f64));
    // All zeros; all ones; a single one; half ones.
    let labels = Labels::from_fn(12, 4, |row, label| match label {
        0 => false,
        1 => true,
        2 => row == 4,
        _ => row % 2 == 0,
    });
    let folds = stratified_folds(&labels, 5, Seed::new(1)).unwrap();
    for fit in fit_all_ways(&x, &labels, &folds, &[1.0, 0.1]) {
        let log_odds = fit.model().predict(x.view()).unwrap();
        for row in 0..12 {
            assert_close(log_odds[(row, 0)], (0.5f64 / 12.5).ln(), 1e-12, "all zeros");
            assert_close(log_odds[(row, 1)], (12.5f64 / 0.5).ln(), 1e-12, "all ones");
        }
        let out_of_fold = fit.out_of_fold().unwrap().log_odds();
        assert!(out_of_fold.values().iter().all(|m| m.is_finite()));
        let alone = out_of_fold[(4, 2)];
        let others = 12.0 - folds.split(folds.of_row()[4]).test.len() as f64;
        assert_close(
            alone,
            (0.5 / (others + 0.5)).ln(),
            1e-12,
            "no positive left in the fold",
        );
        assert!(fit.record().all_converged());
    }
}

#[test]
fn features_without_any_scatter_predict_the_base_rate() {
    let x = Features::Dense(Matrix::from_fn(10, 2, |_, _| 3.0));
    let labels = Labels::from_fn(10, 1, |row, _| row < 3);
    let folds = stratified_folds(&labels, 5, Seed::new(1)).unwrap();
    for fit in fit_all_ways(&x, &labels, &folds, &[1.0]) {
        let log_odds = fit.model().predict(x.view()).unwrap();
        assert_close(log_odds[(0, 0)], (3.0f64 / 7.0).ln(), 1e-12, "base rate");
    }
}

#[test]
fn separable_labels_converge_at_any_penalty() {
    let x = Features::Dense(Matrix::from_fn(30, 2, |i, j| i as f64 * (1.0 + j as f64)));
    let labels = Labels::from_fn(30, 1, |row, _| row >= 15);
    let folds = stratified_folds(&labels, 5, Seed::new(1)).unwrap();
    for fit in fit_all_ways(&x, &labels, &folds, &[1e3, 1.0, 1e-3, 1e-6, 1e-9]) {
        assert!(fit.record().all_converged(), "{:?}", fit.record());
    }
}

#[test]
fn a_step_limit_is_reported() {
    let case = references().remove(0);
    let rotation = rotate(&case.features);
    let params = LogisticParams {
        max_steps: 1,
        ..LogisticParams::default()
    };
    let basis = Basis::Rotated(&rotation);
    let fit = params.fit(&basis, &case.labels, &case.folds).unwrap();
    assert!(fit.record().step_limit > 0);
    assert!(fit.record().worst_gradient > params.tolerance);
}

#[test]
fn results_are_bitwise_equal_with_one_and_three_threads() {
    let case = references().remove(0);
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let targets = matrix(&case.value["targets"]);
        pool.install(|| default_predictions(&case.features, &case.labels, &case.folds, &targets))
    };
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(fit(1)), bits(fit(3)));
}

#[test]
fn rejects_mismatching_rows_and_parameters_out_of_range() {
    let case = references().remove(0);
    let rotation = rotate(&case.features);
    let basis = Basis::Rotated(&rotation);
    let fit = |params: LogisticParams, labels: &Labels, folds: &Folds| {
        params
            .fit(&basis, labels, folds)
            .err()
            .map(|error| error.to_string())
    };
    let good = LogisticParams::default;
    let fewer = case.labels.select_rows(&[0, 1]);
    let short = Folds::new(vec![0, 1]).unwrap();
    let (labels, folds) = (&case.labels, &case.folds);
    let messages = [
        (
            fit(good(), &fewer, folds),
            "rows of labels: expected 40, found 2",
        ),
        (
            fit(good(), labels, &short),
            "rows in folds: expected 40, found 2",
        ),
        (
            fit(LogisticParams { folds: 1, ..good() }, labels, folds),
            "folds must be at least 2, not 1",
        ),
        (
            fit(
                LogisticParams {
                    tolerance: 0.0,
                    ..good()
                },
                labels,
                folds,
            ),
            "tolerance must be strictly between 0 and 1, not 0",
        ),
        (
            fit(
                LogisticParams {
                    max_steps: 0,
                    ..good()
                },
                labels,
                folds,
            ),
            "max_steps must be at least 1, not 0",
        ),
    ];
    for (found, expected) in messages {
        assert_eq!(found.as_deref(), Some(expected));
    }
    let targets = Matrix::zeros(3, 1);
    let message = regress(&RidgeParams::default(), &case.features, &targets)
        .unwrap_err()
        .to_string();
    assert_eq!(message, "rows of ridge targets: expected 40, found 3");
}

#[test]
fn without_features_the_leave_one_out_prediction_is_the_mean_of_the_other_rows() {
    let x = Features::Dense(Matrix::zeros(5, 0));
    let targets = Matrix::new(5, 1, vec![1.0, 2.0, 3.0, 4.0, 10.0]).unwrap();
    let ridge = regress(&RidgeParams::default(), &x, &targets).unwrap();
    let expected = [4.75, 4.5, 4.25, 4.0, 2.5];
    for (found, expected) in ridge.held_out().values().iter().zip(expected) {
        assert_close(*found, expected, 1e-12, "mean of the other rows");
    }
}

#[test]
fn leave_one_out_is_exact_with_one_column_fewer_than_rows_and_a_tiny_penalty() {
    let mut stream = Seed::new(12).stream();
    let mut x = Matrix::zeros(12, 11);
    x.values_mut()
        .iter_mut()
        .for_each(|value| *value = stream.uniform());
    let targets = Matrix::from_fn(12, 1, |i, _| ((i * 5) % 7) as f64);
    let params = RidgeParams {
        penalties: absolute(&[1e-8]),
        ..RidgeParams::default()
    };
    let x = Features::Dense(x);
    let quick = regress(&params, &x, &targets).unwrap();
    for left_out in 0..12 {
        let kept: Vec<usize> = (0..12).filter(|&row| row != left_out).collect();
        let features = x.view().select_rows(&kept);
        let refit = regress(&params, &features, &targets.view().select_rows(&kept)).unwrap();
        let slow = refit
            .model()
            .predict(x.view().select_rows(&[left_out]).view())
            .unwrap();
        assert_close(quick.held_out()[(left_out, 0)], slow[(0, 0)], 1e-7, "refit");
    }
}

#[test]
fn rejects_invalid_training_sets() {
    let labels = Labels::from_fn(6, 1, |row, _| row % 2 == 0);
    let huge = Features::Dense(Matrix::from_fn(6, 2, |i, _| 1e160 * i as f64));
    let train = |x: &Features, labels: &Labels| {
        let training = Training::new(x.view(), labels, BaseParams::default(), Seed::new(0))?;
        training
            .classifiers()
            .map(|classifiers| classifiers.penalties().len())
    };
    assert!(train(&huge, &labels).is_err());
    assert!(
        train(
            &sparse(&Matrix::from_fn(6, 2, |i, _| 1e160 * i as f64)),
            &labels
        )
        .is_err()
    );
    let fine = Features::Dense(Matrix::from_fn(6, 2, |i, j| (i * (j + 1)) as f64));
    assert_eq!(train(&fine, &labels).unwrap(), 1);
    assert_eq!(
        train(&fine, &Labels::from_fn(6, 0, |_, _| false)).unwrap(),
        0
    );
    let missing = Matrix::from_fn(6, 1, |_, _| f64::NAN);
    assert!(regress(&RidgeParams::default(), &fine, &missing).is_err());
}

#[test]
fn empty_sparse_columns_get_zero_coefficients() {
    let indices = (0..40)
        .map(|row| if row % 2 == 0 { 7 } else { 4_000_000 })
        .collect();
    let x = Csr::new(4_000_001, (0..=40).collect(), indices, vec![1.0; 40]).unwrap();
    let x = Features::Sparse(x);
    let labels = Labels::from_fn(40, 8, |row, label| (row + label) % 3 == 0 || row % 2 == 0);
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(0)).unwrap();
    let model = training.classifiers().unwrap().model();
    assert_eq!(model.coefficients().rows(), 4_000_001);
    assert!(model.coefficients().row(7)[0] > 0.0);
    assert_eq!(model.coefficients().row(8), [0.0; 8]);
}
