//! Reports against the definition, against each other and against CVXPY.

use mmoc::Seed;
use mmoc::code::max_margin::{Algorithm, Problem, Separation, SolverParams, Termination};
use mmoc::data::{Labels, Matrix};
use serde::Deserialize;

use crate::{Instance, algorithms, solve};

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

#[test]
fn every_algorithm_agrees_with_cvxpy() {
    let fixtures: Fixtures =
        serde_json::from_str(include_str!("../fixtures/max_margin.json")).unwrap();
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

/// F(Q) by its definition: for each sample the maximum over all 3^q choices of coordinates at zero, at one and
/// free, with the free ones by Gaussian elimination.
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

/// Solves a positive definite system restricted to some coordinates.
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
fn no_metric_has_an_objective_below_the_bound() {
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
fn the_exact_minimum_is_at_most_the_relaxed_one() {
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
fn newton_reports_every_metric_in_order() {
    let problem = Instance::random(60, 5, 1e5, 1).problem();
    for algorithm in [Algorithm::Newton, Algorithm::NewtonCg] {
        let report = solve(&problem, algorithm, Separation::Relaxed, 1e-6).report;
        assert_eq!(report.rounds.len(), report.iterations + 1);
        assert!(
            report
                .rounds
                .iter()
                .all(|round| round.constraints.is_none())
        );
        assert!(
            report
                .rounds
                .is_sorted_by(|a, b| a.lower_bound <= b.lower_bound)
        );
        let last = report.rounds.last().unwrap();
        let objectives = report.rounds.iter().map(|round| round.objective);
        let best = match algorithm {
            // They end at a centre, whose objective need not be the lowest one.
            Algorithm::NewtonCg => last.objective,
            _ => objectives.fold(f64::INFINITY, f64::min),
        };
        assert_eq!(best, report.objective);
        assert_eq!(last.lower_bound, report.lower_bound);
        assert!(report.rounds[0].objective > 1.01 * report.objective);
    }
}

#[test]
fn eigenvalues_that_converge_to_zero_do_not_count() {
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

#[test]
fn results_are_equal_for_any_number_of_threads() {
    let problem = Instance::random(300, 7, 1e6, 8).problem();
    for algorithm in [
        Algorithm::Newton,
        Algorithm::NewtonCg,
        Algorithm::PrimalDual,
        Algorithm::CuttingPlane,
    ] {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| solve(&problem, algorithm, Separation::Relaxed, 1e-3))
        };
        let (one, three) = (with_threads(1), with_threads(3));
        assert_eq!(one.metric, three.metric);
        assert_eq!(one.report, three.report);
    }
}
