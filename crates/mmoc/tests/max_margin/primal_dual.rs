//! The primal-dual method where it is meant to be used: many rows and a loose gap.

use mmoc::code::max_margin::{Algorithm, Separation, SolverParams, Termination};
use mmoc::linalg::symmetric_eigen;

use crate::{Instance, solve};

#[test]
fn objectives_and_bounds_enclose_those_of_newton() {
    for (seed, (rows, labels)) in (0..).zip([(60, 3), (200, 8), (400, 20), (900, 30)]) {
        for c in [1.0, 1e3, 1e6] {
            let problem = Instance::random(rows, labels, c, seed).problem();
            let exact = solve(&problem, Algorithm::NewtonCg, Separation::Relaxed, 1e-6).report;
            let found = solve(&problem, Algorithm::PrimalDual, Separation::Relaxed, 1e-2).report;
            let about = format!(
                "{rows} rows, {labels} labels, C = {c}: {:?}",
                found.termination
            );
            assert_eq!(found.algorithm, Algorithm::PrimalDual, "{about}");
            assert_eq!(found.termination, Termination::Converged, "{about}");
            assert!(found.relative_gap <= 1e-2, "{about}");
            assert!(found.objective >= exact.lower_bound, "{about}");
            assert!(found.lower_bound <= exact.objective, "{about}");
        }
    }
}

#[test]
fn a_smaller_gap_is_reached_in_more_rounds() {
    let problem = Instance::random(400, 12, 1e6, 3).problem();
    let rounds = |gap| {
        let report = solve(&problem, Algorithm::PrimalDual, Separation::Relaxed, gap).report;
        assert!(report.relative_gap <= gap, "{:e}", report.relative_gap);
        report.iterations
    };
    assert!(rounds(0.1) < rounds(5e-3));
}

#[test]
fn step_lengths_stay_bounded_near_convergence() {
    for seed in 3..6 {
        let mut instance = Instance::random(40, 2, 1e6, seed);
        let log_odds = instance.log_odds.as_mut().unwrap();
        log_odds
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= 0.2);
        let params = SolverParams {
            algorithm: Algorithm::PrimalDual,
            gap: Some(1e-12),
            max_iterations: 1000,
            ..SolverParams::default()
        };
        let report = params.solve(&instance.problem()).unwrap().report;
        assert!(
            report.relative_gap < 1e-6,
            "{seed}: {:e}",
            report.relative_gap
        );
    }
}

#[test]
fn the_metric_has_the_reported_rank() {
    let problem = Instance::random(300, 10, 1e6, 4).problem();
    let solution = solve(&problem, Algorithm::PrimalDual, Separation::Relaxed, 1e-2);
    let eigenvalues = symmetric_eigen(solution.metric).unwrap().values;
    let counted = eigenvalues
        .iter()
        .filter(|&&value| value >= 1e-3 * eigenvalues[0]);
    assert_eq!(counted.count(), solution.report.rank);
    assert!((1..=10).contains(&solution.report.rank));
}

#[test]
fn rounds_are_those_whose_objective_was_evaluated() {
    let problem = Instance::random(300, 10, 1e6, 5).problem();
    let params = |max_iterations| SolverParams {
        algorithm: Algorithm::PrimalDual,
        gap: Some(1e-5),
        max_iterations,
        ..SolverParams::default()
    };
    let cut_short = params(2).solve(&problem).unwrap().report;
    assert_eq!(cut_short.termination, Termination::IterationLimit);
    assert_eq!(cut_short.iterations, 2);
    let report = params(200).solve(&problem).unwrap().report;
    assert!(!report.rounds.is_empty() && report.rounds.len() <= report.iterations);
    assert!(
        report
            .rounds
            .is_sorted_by(|a, b| a.lower_bound <= b.lower_bound)
    );
    assert!(
        report
            .rounds
            .iter()
            .all(|round| round.constraints.is_none())
    );
    let objectives = report.rounds.iter().map(|round| round.objective);
    assert_eq!(objectives.fold(f64::INFINITY, f64::min), report.objective);
    assert!(report.relative_gap < cut_short.relative_gap);
}

#[test]
fn auto_uses_gradients_for_many_labels_with_enough_rows_and_a_loose_gap() {
    let chosen = |rows, labels, gap| {
        let params = SolverParams {
            gap,
            max_iterations: 1,
            ..SolverParams::default()
        };
        let problem = Instance::random(rows, labels, 1e6, 6).problem();
        params.solve(&problem).unwrap().report.algorithm
    };
    assert_eq!(chosen(1100, 257, None), Algorithm::PrimalDual);
    assert_eq!(chosen(1100, 257, Some(1e-3)), Algorithm::PrimalDual);
    assert_eq!(chosen(1100, 257, Some(1e-6)), Algorithm::NewtonCg);
    assert_eq!(chosen(40, 257, None), Algorithm::NewtonCg);
    assert_eq!(chosen(1100, 100, None), Algorithm::NewtonCg);
}
