//! How the max-margin problems of all runs were solved.

use mmoc::code::max_margin::{SolverReport, Termination};
use serde::Serialize;

/// The worst gap, and the means over runs of everything else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SolverSummary {
    /// Mean objective.
    pub objective: f64,
    /// Mean certified lower bound of the objective.
    pub lower_bound: f64,
    /// Largest relative gap between them.
    pub relative_gap: f64,
    /// Mean number of iterations.
    pub iterations: f64,
    /// Mean number of oracle calls.
    pub oracle_calls: f64,
    /// Mean rank of the metric.
    pub rank: f64,
    /// Number of runs.
    pub runs: usize,
    /// Runs whose solver reached the requested gap.
    pub converged: usize,
    /// Runs whose metric was zero, so that only the label classifiers decided.
    pub without_directions: usize,
}

impl SolverSummary {
    /// Sums up the reports of runs; none if there are none.
    pub(super) fn of<'a>(reports: impl Iterator<Item = &'a SolverReport>) -> Option<Self> {
        let reports: Vec<&SolverReport> = reports.collect();
        let runs = reports.len();
        let mean = |value: fn(&SolverReport) -> f64| {
            reports.iter().map(|report| value(report)).sum::<f64>() / runs as f64
        };
        let gaps = reports.iter().map(|report| report.relative_gap);
        let converged = |report: &&&SolverReport| report.termination == Termination::Converged;
        (runs > 0).then(|| Self {
            objective: mean(|report| report.objective),
            lower_bound: mean(|report| report.lower_bound),
            relative_gap: gaps.fold(f64::NEG_INFINITY, f64::max),
            iterations: mean(|report| report.iterations as f64),
            oracle_calls: mean(|report| report.oracle_calls as f64),
            rank: mean(|report| report.rank as f64),
            runs,
            converged: reports.iter().filter(converged).count(),
            without_directions: reports.iter().filter(|report| report.rank == 0).count(),
        })
    }

    /// What limits the reliability of the results, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let Self {
            runs,
            relative_gap,
            without_directions,
            ..
        } = *self;
        let unsolved = runs - self.converged;
        let mut warnings = Vec::new();
        if unsolved > 0 {
            warnings.push(format!(
                "{unsolved} of {runs} max-margin problems did not reach the requested gap \
                 (worst relative gap {relative_gap:.1e})"
            ));
        }
        if without_directions > 0 {
            warnings.push(format!(
                "{without_directions} of {runs} runs found no projection, so that only the label classifiers \
                 decided; a smaller gap or a larger c may help"
            ));
        }
        warnings
    }

    /// The summary in one line.
    pub fn describe(&self) -> String {
        format!(
            "max-margin problems: worst relative gap {:.1e}, mean rank {:.1}",
            self.relative_gap, self.rank
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::code::max_margin::Algorithm;

    fn report(objective: f64, relative_gap: f64, termination: Termination) -> SolverReport {
        SolverReport {
            algorithm: Algorithm::Newton,
            objective,
            lower_bound: objective * (1.0 - relative_gap),
            relative_gap,
            iterations: 40,
            oracle_calls: 12_000,
            rank: 3,
            termination,
            rounds: Vec::new(),
        }
    }

    #[test]
    fn the_summary_has_the_worst_gap_and_the_means() {
        let reports = [
            report(2.0, 1e-7, Termination::Converged),
            report(4.0, 1e-3, Termination::Stalled),
        ];
        let summary = SolverSummary::of(reports.iter()).unwrap();
        assert_eq!((summary.objective, summary.relative_gap), (3.0, 1e-3));
        assert_eq!((summary.rank, summary.iterations), (3.0, 40.0));
        assert_eq!((summary.runs, summary.converged), (2, 1));
        let line = "max-margin problems: worst relative gap 1.0e-3, mean rank 3.0";
        assert_eq!(summary.describe(), line);
    }

    #[test]
    fn there_are_warnings_only_of_runs_that_did_not_converge_or_found_nothing() {
        let good = report(2.0, 1e-7, Termination::Converged);
        let bad = report(2.0, 0.5, Termination::IterationLimit);
        let empty = SolverReport {
            rank: 0,
            ..good.clone()
        };
        let warnings = |reports: &[SolverReport]| -> Vec<String> {
            let summary = SolverSummary::of(reports.iter());
            summary.map_or(Vec::new(), |summary| summary.warnings())
        };
        assert!(warnings(&[]).is_empty());
        assert!(warnings(std::slice::from_ref(&good)).is_empty());
        let unsolved = "1 of 2 max-margin problems did not reach the requested gap \
                        (worst relative gap 5.0e-1)";
        assert_eq!(warnings(&[good.clone(), bad]), [unsolved]);
        let nothing = "1 of 2 runs found no projection, so that only the label classifiers decided; \
                       a smaller gap or a larger c may help";
        assert_eq!(warnings(&[good, empty]), [nothing]);
    }
}
