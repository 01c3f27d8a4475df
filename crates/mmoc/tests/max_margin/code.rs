//! From a training set to a code.

use mmoc::Seed;
use mmoc::code::max_margin::{MaxMarginParams, Regression};
use mmoc::code::{CanonicalRegression, Code, CodeReport};
use mmoc::data::{Features, Labels, Matrix};
use mmoc::learn::{BaseParams, Training};
use mmoc::method::Method;
use mmoc::settings::Settings;

/// Informative features for three labels; the second is constant if requested.
fn training_set(constant: bool) -> (Features, Labels) {
    let mut stream = Seed::new(21).stream();
    let mut x = Matrix::zeros(40, 4);
    x.values_mut()
        .iter_mut()
        .for_each(|value| *value = stream.gaussian());
    let labels = Labels::from_fn(40, 3, |i, j| {
        if constant && j == 1 {
            return true;
        }
        x[(i, j)] + 0.8 * x[(i, 3)] > 0.2
    });
    (Features::Dense(x), labels)
}

fn code(params: &MaxMarginParams, constant: bool) -> Code {
    let (x, labels) = training_set(constant);
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1)).unwrap();
    params.fit(&training).unwrap()
}

#[test]
fn projections_are_the_leading_eigenvectors_up_to_the_rank() {
    let all = code(&MaxMarginParams::default(), false);
    let CodeReport::MaxMargin { solver: report, .. } = &all.report else {
        panic!("{:?}", all.report)
    };
    assert!(report.rank > 0);
    assert_eq!(all.projections.columns(), report.rank);
    let lengths: Vec<f64> = (0..report.rank)
        .map(|k| all.projections.column(k).map(|v| v * v).sum())
        .collect();
    assert!(lengths.is_sorted_by(|a, b| a >= b));
    let one = MaxMarginParams {
        projections: Some(1),
        ..MaxMarginParams::default()
    };
    let first = Matrix::from_fn(3, 1, |j, _| all.projections[(j, 0)]);
    assert_eq!(code(&one, false).projections, first);
}

#[test]
fn constant_labels_are_left_out_of_the_code() {
    let code = code(&MaxMarginParams::default(), true);
    assert!(code.projections.columns() > 0);
    assert!(code.projections.row(1).iter().all(|entry| *entry == 0.0));
    assert!(code.projections.row(0).iter().any(|entry| *entry != 0.0));
}

#[test]
fn a_fitted_model_shows_its_metric_with_eigenvalues_and_projections() {
    for constant in [false, true] {
        let (x, labels) = training_set(constant);
        let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1));
        let method: Method = "max-margin".parse().unwrap();
        let model = method.fit_on(&training.unwrap()).unwrap().predictor;
        let code = model.code().unwrap();
        let CodeReport::MaxMargin {
            metric,
            eigenvalues,
            solver,
        } = &code.report
        else {
            panic!("{:?}", code.report)
        };
        assert_eq!(model.solver_report(), Some(solver));
        assert_eq!((metric.rows(), metric.columns()), (3, 3));
        assert_eq!(eigenvalues.len(), 3);
        assert!(eigenvalues.is_sorted_by(|a, b| a >= b && *b >= 0.0));
        let trace: f64 = (0..3).map(|j| metric[(j, j)]).sum();
        assert!((eigenvalues.iter().sum::<f64>() - trace).abs() <= 1e-12 * trace);
        for k in 0..code.projections.columns() {
            let v: Vec<f64> = code.projections.column(k).collect();
            for j in 0..3 {
                let product: f64 = (0..3).map(|l| metric[(j, l)] * v[l]).sum();
                assert!(
                    (product - eigenvalues[k] * v[j]).abs() <= 1e-10 * eigenvalues[0].powf(1.5)
                );
            }
        }
        if constant {
            assert!(metric.row(1).iter().all(|entry| *entry == 0.0));
            assert_eq!(eigenvalues[2], 0.0);
        }
    }
}

#[test]
fn a_code_without_projections_equals_its_classifiers() {
    let (x, labels) = training_set(false);
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1)).unwrap();
    let mut max_margin: Method = "max-margin".parse().unwrap();
    // With a tiny weight of the slacks the zero metric is optimal.
    max_margin.set("c", "1e-6").unwrap();
    max_margin.set("candidates", "all").unwrap();
    max_margin.set("weights", "fixed").unwrap();
    let model = max_margin.fit_on(&training).unwrap().predictor;
    assert_eq!(model.solver_report().unwrap().rank, 0);
    let br: Method = "br".parse().unwrap();
    let alone = br.fit_on(&training).unwrap().predictor;
    let (found, expected) = (
        model.predict(x.view()).unwrap(),
        alone.predict(x.view()).unwrap(),
    );
    assert_eq!(found.labels, expected.labels);
}

#[test]
fn canonical_regressions_predict_varying_and_constant_labels() {
    for constant in [false, true] {
        let (x, labels) = training_set(constant);
        let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1));
        let training = training.unwrap();
        for weights in ["fixed", "fitted"] {
            let mut method: Method = "max-margin".parse().unwrap();
            method.set("regression", "canonical").unwrap();
            method.set("weights", weights).unwrap();
            let predicted = method
                .fit_on(&training)
                .unwrap()
                .predictor
                .predict(x.view())
                .unwrap();
            let right = (0..40).filter(|&i| predicted.labels.row(i) == labels.row(i));
            let right = right.count();
            assert!(right >= 25, "{weights}: {right} of 40");
            if constant {
                assert!((0..40).all(|i| predicted.labels.contains(i, 1)));
            }
        }
    }
}

#[test]
fn the_problem_uses_the_requested_regression() {
    let (x, labels) = training_set(false);
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1)).unwrap();
    let params = MaxMarginParams {
        regression: Regression::Canonical,
        penalty_factor: Some(30.0),
        ..MaxMarginParams::default()
    };
    let regression = CanonicalRegression::fit(&training).unwrap();
    let expected = regression.fitted_labels(&training, 30.0).unwrap();
    let problem = params.problem(&training).unwrap();
    assert_eq!(problem.predictions(), &expected);
    assert_ne!(training.fitted_labels(30.0).unwrap(), expected);
}
