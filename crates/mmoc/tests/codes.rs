//! Canonical directions against scikit-learn, against their definition, and under transformations that must not
//! matter. The references come from `fixtures/codes.py`.

use mmoc::Seed;
use mmoc::code::{CcaParams, Code, CodeReport};
use mmoc::data::{Features, Labels, Matrix};
use mmoc::learn::{BaseParams, Training};
use mmoc::linalg::{multiply, multiply_transposed};
use serde_json::Value;

fn matrix(value: &Value) -> Matrix {
    let row = |row: &Value| -> Vec<f64> {
        let numbers = row.as_array().unwrap().iter();
        numbers.map(|number| number.as_f64().unwrap()).collect()
    };
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(row).collect();
    Matrix::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

struct Case {
    name: String,
    x: Matrix,
    labels: Labels,
    correlations: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("fixtures/codes.json")).unwrap();
    let case = |case: &Value| {
        let y = matrix(&case["y"]);
        Case {
            name: case["name"].as_str().unwrap().into(),
            x: matrix(&case["x"]),
            labels: Labels::from_fn(y.rows(), y.columns(), |i, j| y[(i, j)] == 1.0),
            correlations: serde_json::from_value(case["correlations"].clone()).unwrap(),
        }
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

fn fit(x: &Matrix, labels: &Labels, params: &CcaParams) -> mmoc::Result<Code> {
    let features = Features::Dense(x.clone());
    let training = Training::new(features.view(), labels, BaseParams::default(), Seed::new(1))?;
    params.fit(&training)
}

fn cca(x: &Matrix, labels: &Labels, ridge: f64) -> Code {
    let params = CcaParams {
        projections: None,
        ridge,
    };
    fit(x, labels, &params).unwrap()
}

fn correlations(code: &Code) -> &[f64] {
    match &code.report {
        CodeReport::Cca { correlations } => correlations,
        other => panic!("{other:?}"),
    }
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < tolerance, "{what}: {found:?}, {expected:?}");
    }
}

fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut stream = Seed::new(seed).stream();
    Matrix::from_fn(rows, columns, |_, _| stream.gaussian())
}

fn centred(matrix: &Matrix) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.columns(), |i, j| {
        matrix[(i, j)] - matrix.column(j).sum::<f64>() / matrix.rows() as f64
    })
}

#[test]
fn correlations_agree_with_scikit_learn() {
    for case in cases() {
        let code = cca(&case.x, &case.labels, 0.0);
        assert_close(correlations(&code), &case.correlations, 1e-7, &case.name);
    }
}

#[test]
fn projections_have_variance_one_and_are_uncorrelated() {
    for case in cases() {
        for ridge in [0.0, 0.01, 10.0] {
            let code = cca(&case.x, &case.labels, ridge);
            let z = centred(&code.encode(&case.labels).unwrap());
            let scatter = multiply_transposed(z.view(), z.view());
            let (n, d) = (z.rows() as f64, z.columns());
            let identity = Matrix::from_fn(d, d, |i, j| if i == j { n } else { 0.0 });
            assert_close(scatter.values(), identity.values(), 1e-9, &case.name);
        }
    }
}

#[test]
fn each_correlation_is_that_of_a_projection_with_its_regression() {
    for case in cases() {
        let code = cca(&case.x, &case.labels, 0.0);
        let features = Features::Dense(case.x.clone());
        let params = BaseParams::default();
        let training = Training::new(features.view(), &case.labels, params, Seed::new(1)).unwrap();
        let z = code.encode(&case.labels).unwrap();
        let penalties = vec![1e-9; z.columns()];
        let fitted = centred(&training.fitted(&code.targets(), &penalties).unwrap());
        let z = centred(&z);
        let found: Vec<f64> = (0..z.columns())
            .map(|k| {
                let dot = |a: &Matrix, b: &Matrix| -> f64 {
                    a.column(k).zip(b.column(k)).map(|(x, y)| x * y).sum()
                };
                dot(&z, &fitted) / (dot(&z, &z) * dot(&fitted, &fitted)).sqrt()
            })
            .collect();
        assert_close(&found, correlations(&code), 1e-7, &case.name);
    }
}

#[test]
fn invertible_linear_maps_of_the_features_change_no_correlation() {
    for case in cases() {
        let columns = case.x.columns();
        let noise = random(columns, columns, 7);
        let map = Matrix::from_fn(columns, columns, |i, j| {
            0.2 * noise[(i, j)] + if i == j { 2.0 } else { 0.0 }
        });
        let mapped = multiply(case.x.view(), map.view());
        let shifted = Matrix::from_fn(mapped.rows(), columns, |i, j| {
            mapped[(i, j)] + 3.0 * j as f64
        });
        let (before, after) = (
            cca(&case.x, &case.labels, 0.0),
            cca(&shifted, &case.labels, 0.0),
        );
        assert_close(
            correlations(&after),
            correlations(&before),
            1e-7,
            &case.name,
        );
    }
}

#[test]
fn a_penalty_lowers_correlations_and_they_stay_between_zero_and_one() {
    for case in cases() {
        let mut before = vec![1.0; case.labels.count()];
        for ridge in [0.0, 1e-4, 1e-2, 1.0, 100.0] {
            let code = cca(&case.x, &case.labels, ridge);
            let found = correlations(&code).to_vec();
            assert!(found.is_sorted_by(|a, b| a >= b), "{}", case.name);
            assert!(found.iter().all(|rho| (0.0..=1.0).contains(rho)));
            let lower = found.iter().zip(&before).all(|(now, then)| now <= then);
            assert!(lower, "{}, {ridge}: {found:?}, {before:?}", case.name);
            before = found;
        }
    }
}

#[test]
fn with_more_features_than_rows_every_direction_can_be_predicted() {
    let (x, noise) = (random(20, 35, 1), random(20, 3, 2));
    let labels = Labels::from_fn(20, 3, |i, j| noise[(i, j)] > 0.0);
    assert_close(
        correlations(&cca(&x, &labels, 0.0)),
        &[1.0; 3],
        1e-9,
        "wide",
    );
    assert!(correlations(&cca(&x, &labels, 0.1))[0] < 0.99);
}

#[test]
fn linearly_dependent_features_are_accepted() {
    for case in cases() {
        let columns = case.x.columns();
        let twice = Matrix::from_fn(case.x.rows(), 2 * columns, |i, j| case.x[(i, j % columns)]);
        let code = cca(&twice, &case.labels, 0.0);
        let single = cca(&case.x, &case.labels, 0.0);
        assert_close(correlations(&code), correlations(&single), 1e-6, &case.name);
    }
}

#[test]
fn constant_and_repeated_labels_add_no_directions() {
    let x = random(40, 5, 3);
    let base = Labels::from_fn(40, 2, |i, j| x[(i, j)] + x[(i, 4)] > 0.3);
    let labels = Labels::from_fn(40, 5, |i, j| match j {
        0 => false,
        1 => true,
        4 => base.contains(i, 1),
        _ => base.contains(i, 0),
    });
    let (found, expected) = (cca(&x, &labels, 0.01), cca(&x, &base, 0.01));
    assert_close(
        correlations(&found),
        correlations(&expected),
        1e-10,
        "repeated",
    );
    assert_eq!(found.projections.columns(), 2);
    let finite = found.projections.values().iter().all(|v| v.is_finite());
    assert!(finite);
    for k in 0..2 {
        assert!(found.projections[(0, k)].abs() + found.projections[(1, k)].abs() < 1e-12);
    }
    let constant = Labels::from_fn(40, 2, |_, j| j == 0);
    assert_eq!(cca(&x, &constant, 0.01).projections.columns(), 0);
}

#[test]
fn features_without_any_scatter_predict_nothing() {
    let labels = Labels::from_fn(12, 2, |i, j| (i + j) % 3 == 0);
    let code = cca(&Matrix::from_fn(12, 3, |_, _| 0.7), &labels, 0.0);
    assert_close(correlations(&code), &[0.0; 2], 1e-7, "constant features");
}

#[test]
fn rejects_parameters_out_of_range() {
    let case = &cases()[0];
    for ridge in [-1e-9, f64::NAN, f64::INFINITY] {
        let params = CcaParams {
            ridge,
            ..CcaParams::default()
        };
        assert!(fit(&case.x, &case.labels, &params).is_err(), "{ridge}");
    }
    for projections in [0, 5] {
        let params = CcaParams {
            projections: Some(projections),
            ..CcaParams::default()
        };
        assert!(fit(&case.x, &case.labels, &params).is_err());
    }
}
