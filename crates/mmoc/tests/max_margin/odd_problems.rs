//! Degenerate and invalid problems.

use mmoc::code::max_margin::{Algorithm, Problem, Separation, SolverParams, Termination};
use mmoc::data::{Labels, Matrix};
use mmoc::linalg::symmetric_eigen;

use crate::{Instance, algorithms, solve};

/// Solves with every algorithm and checks the properties of any valid solution.
fn solved(problem: &Problem, name: &str) {
    solved_unless_hard(problem, name, None);
}

/// The same, except that one algorithm may reach its iteration limit and report it.
fn solved_unless_hard(problem: &Problem, name: &str, hard_for: Option<Algorithm>) {
    bounded_by_gradients(problem, name);
    for separation in [Separation::Relaxed, Separation::Exact] {
        for &algorithm in algorithms(separation) {
            let solution = solve(problem, algorithm, separation, 1e-5);
            let report = &solution.report;
            let about = format!("{name}, {separation:?}, {algorithm:?}: {report:?}");
            assert!(report.objective.is_finite(), "{about}");
            assert!(report.lower_bound <= report.objective, "{about}");
            let converged = report.relative_gap <= 1e-5;
            assert_eq!(
                report.termination == Termination::Converged,
                converged,
                "{about}"
            );
            assert!(converged || hard_for == Some(algorithm), "{about}");
            let eigen = symmetric_eigen(solution.metric.clone()).unwrap();
            let least = eigen.values.last().copied().unwrap();
            assert!(least >= -1e-9 * eigen.values[0], "{about}");
            assert!(report.rank <= problem.labels(), "{about}");
        }
    }
}

/// Gradient steps may converge slowly here, but their bounds must be valid.
fn bounded_by_gradients(problem: &Problem, name: &str) {
    let exact = solve(problem, Algorithm::Newton, Separation::Relaxed, 1e-5).report;
    let params = SolverParams {
        algorithm: Algorithm::PrimalDual,
        gap: Some(1e-2),
        max_iterations: 10,
        ..SolverParams::default()
    };
    let report = params.solve(problem).unwrap().report;
    let about = format!("{name}: {report:?}");
    let rounding = 1e-9 * exact.objective;
    assert!(report.objective >= exact.lower_bound - rounding, "{about}");
    assert!(report.lower_bound <= exact.objective + rounding, "{about}");
    assert!(report.lower_bound <= report.objective, "{about}");
    let converged = report.relative_gap <= 1e-2;
    assert_eq!(
        report.termination == Termination::Converged,
        converged,
        "{about}"
    );
}

#[test]
fn degenerate_problems_are_solved() {
    let base = Instance::random(24, 4, 1e6, 5);
    let truth = base.labels.to_matrix();
    let with = |predictions: &Matrix, labels: &Labels, log_odds: Option<&Matrix>, c: f64| {
        Problem::new(predictions.clone(), labels, log_odds, c).unwrap()
    };
    let log_odds = base.log_odds.as_ref();

    solved(
        &with(&truth, &base.labels, log_odds, 1e6),
        "perfect predictions",
    );
    solved(
        &with(&truth, &base.labels, None, 1e6),
        "perfect predictions, no classifiers",
    );

    let constant = Labels::from_fn(24, 4, |_, j| j == 1);
    solved(
        &with(&constant.to_matrix(), &constant, None, 1e6),
        "all labels constant",
    );
    solved(
        &with(&base.predictions, &constant, log_odds, 1e6),
        "constant labels, wrong predictions",
    );

    let one = base.labels.select_rows(&[0]);
    let first = |matrix: &Matrix| Matrix::from_fn(1, 4, |_, j| matrix[(0, j)]);
    // With one constraint per round, cutting planes need more rounds than the limit allows.
    solved_unless_hard(
        &with(
            &first(&base.predictions),
            &one,
            Some(&first(log_odds.unwrap())),
            1e6,
        ),
        "one sample",
        Some(Algorithm::CuttingPlane),
    );

    let single = base.labels.select_labels(&[2]);
    let column = |matrix: &Matrix| Matrix::from_fn(24, 1, |i, _| matrix[(i, 2)]);
    solved(
        &with(
            &column(&base.predictions),
            &single,
            Some(&column(log_odds.unwrap())),
            1e6,
        ),
        "one label",
    );

    let twice = Labels::from_fn(24, 4, |i, j| base.labels.contains(i, j % 2));
    let doubled = |matrix: &Matrix| Matrix::from_fn(24, 4, |i, j| matrix[(i, j % 2)]);
    solved(
        &with(
            &doubled(&base.predictions),
            &twice,
            Some(&doubled(log_odds.unwrap())),
            1e6,
        ),
        "duplicate labels",
    );

    let sure = Matrix::from_fn(24, 4, |i, j| {
        if base.labels.contains(i, j) {
            700.0
        } else {
            -700.0
        }
    });
    solved(
        &with(&base.predictions, &base.labels, Some(&sure), 1e6),
        "confident and correct classifiers",
    );
    let wrong = Matrix::from_fn(24, 4, |i, j| -sure[(i, j)]);
    solved(
        &with(&base.predictions, &base.labels, Some(&wrong), 1e6),
        "confident and wrong classifiers",
    );
    let mixed = Matrix::from_fn(24, 4, |i, j| {
        if (i + j) % 5 == 0 {
            -sure[(i, j)]
        } else {
            sure[(i, j)]
        }
    });
    solved(
        &with(&base.predictions, &base.labels, Some(&mixed), 1e6),
        "confident and mostly correct classifiers",
    );

    let far = Matrix::from_fn(24, 4, |i, j| 1e3 * base.predictions[(i, j)]);
    solved(
        &with(&far, &base.labels, log_odds, 1e6),
        "predictions far from the cube",
    );
    let flat = Matrix::from_fn(24, 4, |_, _| 0.5);
    solved(
        &with(&flat, &base.labels, log_odds, 1e6),
        "uninformative predictions",
    );
}

#[test]
fn duplicate_labels_with_different_log_odds_are_solved() {
    let base = Instance::random(24, 4, 1.0, 5);
    let labels = Labels::from_fn(24, 4, |i, j| base.labels.contains(i, j % 2));
    let predictions = Matrix::from_fn(24, 4, |i, j| base.predictions[(i, j % 2)]);
    for c in [1e3, 1e6, 1e9] {
        let problem = Problem::new(predictions.clone(), &labels, base.log_odds.as_ref(), c);
        solved_unless_hard(
            &problem.unwrap(),
            &format!("C = {c}"),
            (c == 1e9).then_some(Algorithm::CuttingPlane),
        );
    }
}

#[test]
fn any_weight_of_the_slacks_is_solved() {
    let base = Instance::random(24, 4, 1.0, 6);
    for exponent in -3..=9 {
        let c = 10f64.powi(exponent);
        let problem = Problem::new(
            base.predictions.clone(),
            &base.labels,
            base.log_odds.as_ref(),
            c,
        )
        .unwrap();
        solved(&problem, &format!("C = {c}"));
    }
}

#[test]
fn classifiers_that_need_no_slack_get_the_zero_metric() {
    let base = Instance::random(24, 4, 1e6, 7);
    let sure = Matrix::from_fn(24, 4, |i, j| {
        if base.labels.contains(i, j) {
            2.0
        } else {
            -2.0
        }
    });
    let problem = Problem::new(base.predictions.clone(), &base.labels, Some(&sure), 1e6).unwrap();
    let solution = solve(&problem, Algorithm::Auto, Separation::Relaxed, 1e-6);
    assert_eq!(solution.report.objective, 0.0);
    assert_eq!(solution.report.rank, 0);
    assert!(solution.metric.values().iter().all(|entry| *entry == 0.0));
}

#[test]
fn rejects_inconsistent_parameters() {
    let problem = Instance::random(10, 3, 1.0, 9).problem();
    let refused = |params: SolverParams| params.solve(&problem).unwrap_err().to_string();
    let gap = refused(SolverParams {
        gap: Some(0.0),
        ..SolverParams::default()
    });
    assert_eq!(gap, "gap must be from 1e-12 to 0.5, not 0");
    let algorithm = refused(SolverParams {
        algorithm: Algorithm::Newton,
        separation: Separation::Exact,
        ..SolverParams::default()
    });
    assert_eq!(
        algorithm,
        "algorithm must be cutting-plane or auto for exact separation, not newton"
    );
    let wide = Instance::random(4, 65, 1.0, 9).problem();
    for (algorithm, separation, expected) in [
        (
            Algorithm::Newton,
            Separation::Relaxed,
            "algorithm must be newton-cg, primal-dual or auto for more than 64 labels, not newton for 65",
        ),
        (
            Algorithm::CuttingPlane,
            Separation::Relaxed,
            "algorithm must be newton-cg, primal-dual or auto for more than 64 labels, not cutting-plane for 65",
        ),
        (
            Algorithm::Auto,
            Separation::Exact,
            "separation must be relaxed for more than 20 labels, not exact for 65",
        ),
    ] {
        let params = SolverParams {
            algorithm,
            separation,
            ..SolverParams::default()
        };
        assert_eq!(params.solve(&wide).unwrap_err().to_string(), expected);
    }
}
