//! Against scikit-learn; `kernel_ridge.py` in the fixtures writes the reference values.

use super::*;
use crate::learn::LinearModel;
use crate::learn::ridge::RidgeParams;
use crate::learn::{BaseParams, PenaltyGrid, Training};
use crate::linalg::{Cholesky, multiply, multiply_transposed};

#[derive(serde::Deserialize)]
struct Fixture {
    versions: std::collections::BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    sparse: bool,
    x: Vec<Vec<f64>>,
    x_new: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    gamma: f64,
    error: f64,
    linear_error: f64,
    penalty: f64,
    predictions: Vec<Vec<f64>>,
    predictions_with_intercept: Vec<Vec<f64>>,
}

impl Case {
    fn features(&self, rows: &[Vec<f64>]) -> Features {
        let rows = matrix(rows);
        if self.sparse {
            Features::Sparse(Csr::from(&rows))
        } else {
            Features::Dense(rows)
        }
    }

    fn labels(&self) -> Labels {
        Labels::from_fn(self.y.len(), self.y[0].len(), |i, j| self.y[i][j] == 1.0)
    }
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../../tests/fixtures/kernel_ridge.json");
    let fixture: Fixture = serde_json::from_str(text).unwrap();
    assert!(fixture.versions.contains_key("scikit-learn"));
    fixture.cases
}

#[test]
fn the_choice_is_that_of_refits_by_scikit_learn() {
    for case in cases() {
        let x = case.features(&case.x);
        let (params, seed) = (KernelParams::default(), Seed::new(1));
        let choice = KernelMap::choose(x.view(), &case.labels(), &params, seed).unwrap();
        let pairs = [
            (choice.gamma, case.gamma),
            (choice.error, case.error),
            (choice.linear_error, case.linear_error),
        ];
        for (found, expected) in pairs {
            assert!(
                (found / expected - 1.0).abs() < 1e-8,
                "{}: {found}, not {expected}",
                case.name
            );
        }
    }
}

#[test]
fn ridge_on_mapped_rows_predicts_as_scikit_learn_with_an_intercept() {
    for case in cases() {
        let (x, labels) = (case.features(&case.x), case.labels());
        let fit = fit(&x, case.gamma, &KernelParams::default());
        let params = BaseParams {
            ridge: RidgeParams {
                penalties: PenaltyGrid::absolute(vec![case.penalty]).unwrap(),
                ..RidgeParams::default()
            },
            ..BaseParams::default()
        };
        let features = Features::Dense(fit.features);
        let training = Training::new(features.view(), &labels, params, Seed::new(1)).unwrap();
        let model = fit.map.compose(training.label_ridge().unwrap().model());
        let found = model.unwrap().predict(case.features(&case.x_new).view());
        let expected = matrix(&case.predictions_with_intercept);
        assert_close(&found.unwrap(), &expected, 1e-8);
    }
}

#[test]
fn ridge_on_mapped_rows_predicts_as_kernel_ridge_of_scikit_learn() {
    for case in cases() {
        let fit = fit(
            &case.features(&case.x),
            case.gamma,
            &KernelParams::default(),
        );
        let mut system = multiply_transposed(fit.features.view(), fit.features.view());
        (0..system.rows()).for_each(|k| system[(k, k)] += case.penalty);
        let inverse = Cholesky::new(system.view()).unwrap().inverse();
        let right = multiply_transposed(fit.features.view(), matrix(&case.y).view());
        let coefficients = multiply(inverse.view(), right.view());
        let intercepts = vec![0.0; coefficients.columns()];
        let model = LinearModel::new(coefficients, intercepts).unwrap();
        let composed = fit.map.compose(&model).unwrap();
        let found = composed.predict(case.features(&case.x_new).view());
        assert_close(&found.unwrap(), &matrix(&case.predictions), 1e-7);
    }
}
