//! The max-margin solver from outside: what it reports is true, its algorithms agree with each other and
//! with CVXPY, and no problem is too odd for it.

use mmoc::Seed;
use mmoc::code::max_margin::{
    Algorithm, MaxMarginParams, Problem, Separation, Solution, SolverParams, Termination,
};
use mmoc::code::{Code, CodeReport};
use mmoc::data::{Features, Labels, Matrix};
use mmoc::learn::{BaseParams, Training};
use mmoc::linalg::symmetric_eigen;
use mmoc::method::Method;
use mmoc::settings::Settings;
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixtures {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    separation: String,
    c: f64,
    predictions: Vec<Vec<f64>>,
    labels: Vec<Vec<u8>>,
    log_odds: Option<Vec<Vec<f64>>>,
    objective: f64,
    lower_bound: f64,
}

impl Case {
    fn problem(&self) -> Problem {
        let (rows, count) = (self.labels.len(), self.labels[0].len());
        let labels = Labels::from_fn(rows, count, |i, j| self.labels[i][j] == 1);
        let log_odds = self.log_odds.as_deref().map(matrix);
        Problem::new(
            matrix(&self.predictions),
            &labels,
            log_odds.as_ref(),
            self.c,
        )
        .unwrap()
    }

    fn separation(&self) -> Separation {
        match self.separation.as_str() {
            "exact" => Separation::Exact,
            _ => Separation::Relaxed,
        }
    }
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn solve(problem: &Problem, algorithm: Algorithm, separation: Separation, gap: f64) -> Solution {
    let params = SolverParams {
        algorithm,
        separation,
        gap: Some(gap),
        ..SolverParams::default()
    };
    params.solve(problem).unwrap()
}

/// The algorithms that can solve a problem with this separation.
fn algorithms(separation: Separation) -> &'static [Algorithm] {
    match separation {
        Separation::Relaxed => &[
            Algorithm::Newton,
            Algorithm::NewtonCg,
            Algorithm::CuttingPlane,
        ],
        Separation::Exact => &[Algorithm::CuttingPlane],
    }
}

#[test]
fn every_algorithm_agrees_with_cvxpy() {
    let fixtures: Fixtures =
        serde_json::from_str(include_str!("fixtures/max_margin.json")).unwrap();
    assert!(fixtures.cases.len() >= 10);
    for (index, case) in fixtures.cases.iter().enumerate() {
        let problem = case.problem();
        for &algorithm in algorithms(case.separation()) {
            let report = solve(&problem, algorithm, case.separation(), 1e-7).report;
            let about = format!("case {index}, {algorithm:?}: {report:?}");
            let rounding = 1e-9 * case.objective;
            assert!(report.relative_gap <= 1e-7, "{about}");
            assert!(report.objective >= case.lower_bound - rounding, "{about}");
            assert!(report.lower_bound <= case.objective + rounding, "{about}");
        }
    }
}

/// F(Q) by its definition: for each sample the best of all 3^q choices of coordinates at zero, at one and in
/// between, those in between by Gaussian elimination. Slow and obvious.
fn objective(instance: &Instance, metric: &Matrix) -> f64 {
    let (n, q) = (instance.labels.rows(), instance.labels.count());
    let trace: f64 = (0..q).map(|j| metric[(j, j)]).sum();
    let slacks = (0..n).map(|i| slack(instance, metric, i));
    0.5 * trace + instance.c / n as f64 * slacks.sum::<f64>()
}

fn slack(instance: &Instance, metric: &Matrix, i: usize) -> f64 {
    let q = instance.labels.count();
    let y: Vec<f64> = (0..q)
        .map(|j| f64::from(u8::from(instance.labels.contains(i, j))))
        .collect();
    let e: Vec<f64> = (0..q)
        .map(|j| instance.predictions[(i, j)] - y[j])
        .collect();
    let log_odds = |j: usize| instance.log_odds.as_ref().map_or(0.0, |l| l[(i, j)]);
    let along = |j: usize, v: &[f64]| -> f64 { (0..q).map(|k| metric[(j, k)] * v[k]).sum() };
    let linear: Vec<f64> = (0..q)
        .map(|j| 2.0 * along(j, &e) + 1.0 - 2.0 * y[j] + log_odds(j))
        .collect();
    let mut best: f64 = 0.0;
    for places in 0..3usize.pow(q as u32) {
        let place = |j: usize| places / 3usize.pow(j as u32) % 3;
        let free: Vec<usize> = (0..q).filter(|&j| place(j) == 2).collect();
        let mut delta: Vec<f64> = (0..q)
            .map(|j| {
                if place(j) == 2 {
                    0.0
                } else {
                    place(j) as f64 - y[j]
                }
            })
            .collect();
        let rhs: Vec<f64> = free
            .iter()
            .map(|&j| 0.5 * linear[j] - along(j, &delta))
            .collect();
        for (&j, value) in free.iter().zip(eliminate(metric, &free, rhs)) {
            delta[j] = value;
        }
        if (0..q).all(|j| (-1e-12..=1.0 + 1e-12).contains(&(delta[j] + y[j]))) {
            let value = (0..q).map(|j| (linear[j] - along(j, &delta)) * delta[j]);
            best = best.max(value.sum());
        }
    }
    best
}

/// Solves the part of a positive definite system among some coordinates.
fn eliminate(metric: &Matrix, free: &[usize], mut rhs: Vec<f64>) -> Vec<f64> {
    let size = free.len();
    let mut a = Matrix::from_fn(size, size, |r, c| metric[(free[r], free[c])]);
    for pivot in 0..size {
        for row in pivot + 1..size {
            let factor = a[(row, pivot)] / a[(pivot, pivot)];
            for column in pivot..size {
                a[(row, column)] -= factor * a[(pivot, column)];
            }
            rhs[row] -= factor * rhs[pivot];
        }
    }
    for row in (0..size).rev() {
        let done: f64 = (row + 1..size).map(|c| a[(row, c)] * rhs[c]).sum();
        rhs[row] = (rhs[row] - done) / a[(row, row)];
    }
    rhs
}

struct Instance {
    predictions: Matrix,
    labels: Labels,
    log_odds: Option<Matrix>,
    c: f64,
}

impl Instance {
    /// Labels that depend on each other, predictions that know something, classifiers that know a little.
    fn random(rows: usize, count: usize, c: f64, seed: u64) -> Self {
        let mut stream = Seed::new(seed).stream();
        let hidden = Matrix::new(
            rows,
            count + 1,
            (0..rows * (count + 1)).map(|_| stream.gaussian()).collect(),
        )
        .unwrap();
        let strength = |i: usize, j: usize| hidden[(i, count)] + hidden[(i, j)];
        let labels = Labels::from_fn(rows, count, |i, j| strength(i, j) > 0.6);
        let noise = Matrix::new(
            rows,
            count,
            (0..rows * count).map(|_| stream.gaussian()).collect(),
        )
        .unwrap();
        let predictions = Matrix::from_fn(rows, count, |i, j| {
            0.3 + 0.25 * strength(i, j) + 0.1 * noise[(i, j)]
        });
        let log_odds = Matrix::from_fn(rows, count, |i, j| {
            1.5 * strength(i, j) - 1.0 + noise[(i, j)]
        });
        Self {
            predictions,
            labels,
            log_odds: Some(log_odds),
            c,
        }
    }

    fn problem(&self) -> Problem {
        Problem::new(
            self.predictions.clone(),
            &self.labels,
            self.log_odds.as_ref(),
            self.c,
        )
        .unwrap()
    }
}

#[test]
fn the_reported_objective_is_that_of_the_metric() {
    for seed in 0..4 {
        let instance = Instance::random(20, 4, 1e3, seed);
        let solution = solve(
            &instance.problem(),
            Algorithm::Auto,
            Separation::Relaxed,
            1e-6,
        );
        let expected = objective(&instance, &solution.metric);
        let error = (solution.report.objective - expected).abs();
        assert!(error < 1e-8 * expected, "{error}");
    }
}

#[test]
fn no_metric_is_below_the_bound() {
    let mut stream = Seed::new(9).stream();
    for seed in 0..4 {
        let instance = Instance::random(15, 3, 100.0, seed);
        let solution = solve(
            &instance.problem(),
            Algorithm::Auto,
            Separation::Relaxed,
            1e-7,
        );
        for trial in 0..20 {
            // Metrics near the solution and far from it.
            let size = 0.1 * f64::from(trial) * f64::from(trial) / 20.0;
            let root = Matrix::from_fn(3, 3, |j, k| {
                f64::from(u8::from(j == k)) * 0.3 + 0.1 * (j * k) as f64
            });
            let noise: Vec<f64> = (0..9).map(|_| size * stream.gaussian()).collect();
            let metric = Matrix::from_fn(3, 3, |j, k| {
                let add: f64 = (0..3)
                    .map(|m| {
                        (size * root[(j, m)] + noise[3 * j + m])
                            * (size * root[(k, m)] + noise[3 * k + m])
                    })
                    .sum();
                solution.metric[(j, k)] + add
            });
            let value = objective(&instance, &metric);
            assert!(value >= solution.report.lower_bound * (1.0 - 1e-12));
        }
    }
}

#[test]
fn the_algorithms_agree_within_their_gaps() {
    for (rows, count, c) in [(40, 5, 1e6), (60, 8, 1e4), (30, 12, 10.0), (25, 2, 1e-1)] {
        let problem = Instance::random(rows, count, c, 3).problem();
        let reports: Vec<_> = algorithms(Separation::Relaxed)
            .iter()
            .map(|&algorithm| solve(&problem, algorithm, Separation::Relaxed, 1e-6).report)
            .collect();
        for a in &reports {
            assert_eq!(a.termination, Termination::Converged, "{a:?}");
            for b in &reports {
                assert!(a.lower_bound <= b.objective * (1.0 + 1e-12), "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn exact_separation_costs_no_more_than_the_relaxed_one() {
    for seed in 0..5 {
        let problem = Instance::random(30, 5, 1e4, seed).problem();
        let relaxed = solve(&problem, Algorithm::Auto, Separation::Relaxed, 1e-6).report;
        let exact = solve(&problem, Algorithm::Auto, Separation::Exact, 1e-6).report;
        assert!(exact.relative_gap <= 1e-6, "{exact:?}");
        assert!(exact.lower_bound <= relaxed.objective);
    }
}

#[test]
fn rounds_of_cutting_planes_add_constraints_and_raise_the_bound() {
    let problem = Instance::random(60, 5, 1e5, 1).problem();
    let report = solve(&problem, Algorithm::CuttingPlane, Separation::Relaxed, 1e-6).report;
    assert_eq!(report.rounds.len(), report.iterations);
    assert!(report.rounds.len() > 3);
    for pair in report.rounds.windows(2) {
        assert!(pair[1].constraints > pair[0].constraints);
        assert!(pair[1].lower_bound >= pair[0].lower_bound);
    }
    let last = report.rounds.last().unwrap();
    assert_eq!(last.lower_bound, report.lower_bound);
}

#[test]
fn eigenvalues_that_are_on_their_way_to_zero_do_not_count() {
    for seed in 0..4 {
        let problem = Instance::random(60, 6, 10.0, seed).problem();
        let rank = |gap| {
            let params = SolverParams {
                gap: Some(gap),
                rank_tolerance: 0.0,
                ..SolverParams::default()
            };
            params.solve(&problem).unwrap().report.rank
        };
        let certain = rank(1e-9);
        assert!((1..6).contains(&certain), "{certain}");
        assert_eq!(rank(1e-6), certain);
        assert_eq!(rank(1e-4), certain);
    }
}

/// Solves by every algorithm and checks what must hold of any answer.
fn answered(problem: &Problem, name: &str) {
    answered_unless_hard(problem, name, None);
}

/// The same, where one algorithm may run into its limit and say so.
fn answered_unless_hard(problem: &Problem, name: &str, hard_for: Option<Algorithm>) {
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

#[test]
fn odd_problems_are_answered() {
    let base = Instance::random(24, 4, 1e6, 5);
    let truth = base.labels.to_matrix();
    let with = |predictions: &Matrix, labels: &Labels, log_odds: Option<&Matrix>, c: f64| {
        Problem::new(predictions.clone(), labels, log_odds, c).unwrap()
    };
    let log_odds = base.log_odds.as_ref();

    answered(
        &with(&truth, &base.labels, log_odds, 1e6),
        "perfect predictions",
    );
    answered(
        &with(&truth, &base.labels, None, 1e6),
        "perfect predictions, no classifiers",
    );

    let constant = Labels::from_fn(24, 4, |_, j| j == 1);
    answered(
        &with(&constant.to_matrix(), &constant, None, 1e6),
        "all labels constant",
    );
    answered(
        &with(&base.predictions, &constant, log_odds, 1e6),
        "constant labels, wrong predictions",
    );

    let one = base.labels.select_rows(&[0]);
    let first = |matrix: &Matrix| Matrix::from_fn(1, 4, |_, j| matrix[(0, j)]);
    // With one constraint a round, cutting planes need more rounds than anyone has time for.
    answered_unless_hard(
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
    answered(
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
    answered(
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
    answered(
        &with(&base.predictions, &base.labels, Some(&sure), 1e6),
        "classifiers sure and right",
    );
    let wrong = Matrix::from_fn(24, 4, |i, j| -sure[(i, j)]);
    answered(
        &with(&base.predictions, &base.labels, Some(&wrong), 1e6),
        "classifiers sure and wrong",
    );
    let mixed = Matrix::from_fn(24, 4, |i, j| {
        if (i + j) % 5 == 0 {
            -sure[(i, j)]
        } else {
            sure[(i, j)]
        }
    });
    answered(
        &with(&base.predictions, &base.labels, Some(&mixed), 1e6),
        "classifiers sure and often right",
    );

    let far = Matrix::from_fn(24, 4, |i, j| 1e3 * base.predictions[(i, j)]);
    answered(
        &with(&far, &base.labels, log_odds, 1e6),
        "predictions far from the cube",
    );
    let flat = Matrix::from_fn(24, 4, |_, _| 0.5);
    answered(
        &with(&flat, &base.labels, log_odds, 1e6),
        "predictions that know nothing",
    );
}

#[test]
fn duplicate_labels_of_different_log_odds_are_answered() {
    let base = Instance::random(24, 4, 1.0, 5);
    let labels = Labels::from_fn(24, 4, |i, j| base.labels.contains(i, j % 2));
    let predictions = Matrix::from_fn(24, 4, |i, j| base.predictions[(i, j % 2)]);
    for c in [1e3, 1e6, 1e9] {
        let problem = Problem::new(predictions.clone(), &labels, base.log_odds.as_ref(), c);
        answered_unless_hard(
            &problem.unwrap(),
            &format!("C = {c}"),
            (c == 1e9).then_some(Algorithm::CuttingPlane),
        );
    }
}

#[test]
fn any_weight_of_the_slacks_is_answered() {
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
        answered(&problem, &format!("C = {c}"));
    }
}

#[test]
fn classifiers_that_leave_nothing_to_do_get_the_zero_metric() {
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
fn the_number_of_threads_changes_nothing() {
    let problem = Instance::random(300, 7, 1e6, 8).problem();
    for algorithm in [
        Algorithm::Newton,
        Algorithm::NewtonCg,
        Algorithm::CuttingPlane,
    ] {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| solve(&problem, algorithm, Separation::Relaxed, 1e-5))
        };
        let (one, three) = (with_threads(1), with_threads(3));
        assert_eq!(one.metric, three.metric);
        assert_eq!(one.report, three.report);
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
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
            "algorithm must be newton-cg or auto for more than 64 labels, not newton for 65",
        ),
        (
            Algorithm::CuttingPlane,
            Separation::Relaxed,
            "algorithm must be newton-cg or auto for more than 64 labels, not cutting-plane for 65",
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

/// Features that tell something about three labels, of which the second is constant if asked for.
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
fn projections_are_those_of_largest_eigenvalue_and_no_more_than_the_metric_has_rank() {
    let all = code(&MaxMarginParams::default(), false);
    let CodeReport::MaxMargin(report) = &all.report else {
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
fn a_label_that_never_varies_is_left_out_of_the_code() {
    let code = code(&MaxMarginParams::default(), true);
    assert!(code.projections.columns() > 0);
    assert!(code.projections.row(1).iter().all(|entry| *entry == 0.0));
    assert!(code.projections.row(0).iter().any(|entry| *entry != 0.0));
}

#[test]
fn a_code_without_projections_leaves_everything_to_the_classifiers() {
    let (x, labels) = training_set(false);
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1)).unwrap();
    let mut max_margin: Method = "max-margin".parse().unwrap();
    // Slacks that cost nothing need no metric.
    max_margin.set("c", "1e-6").unwrap();
    let model = max_margin.fit(&training).unwrap();
    assert_eq!(model.solver_report().unwrap().rank, 0);
    let alone = "br".parse::<Method>().unwrap().fit(&training).unwrap();
    let (found, expected) = (
        model.predict(x.view()).unwrap(),
        alone.predict(x.view()).unwrap(),
    );
    assert_eq!(found.labels, expected.labels);
}
