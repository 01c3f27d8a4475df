//! How the max-margin problems of all runs were solved.

use mmoc::code::max_margin::{SolverReport, Termination};
use serde::Serialize;

/// The worst gap, and the means over runs of everything else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct SolverSummary {
    pub(crate) objective: f64,
    pub(crate) lower_bound: f64,
    pub(crate) relative_gap: f64,
    pub(crate) iterations: f64,
    pub(crate) oracle_calls: f64,
    pub(crate) rank: f64,
    /// Runs, and those of them whose solver reached the gap that was asked for.
    pub(crate) runs: usize,
    pub(crate) converged: usize,
    /// Runs whose metric was zero, so that the classifiers decided alone.
    pub(crate) without_directions: usize,
}

impl SolverSummary {
    /// Sums up the reports of some runs; none if there are none.
    pub(crate) fn of<'a>(reports: impl Iterator<Item = &'a SolverReport>) -> Option<Self> {
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

    /// What the user should know if a run was not solved as well as was asked for, or found no direction.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + use<> {
        let Self {
            runs,
            converged,
            relative_gap,
            without_directions,
            ..
        } = *self;
        let unsolved = (converged < runs).then(|| {
            let failed = runs - converged;
            format!(
                "{failed} of {runs} max-margin problems were not solved to the gap asked for \
                 (worst relative gap {relative_gap:.1e})"
            )
        });
        let empty = (without_directions > 0).then(|| {
            format!(
                "{without_directions} of {runs} runs kept no direction, so that the label classifiers \
                 decided alone; a smaller gap or a larger c may change that"
            )
        });
        [unsolved, empty].into_iter().flatten()
    }

    /// One line for people.
    pub(crate) fn describe(&self) -> String {
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
            summary.map_or(Vec::new(), |summary| summary.warnings().collect())
        };
        assert!(warnings(&[]).is_empty());
        assert!(warnings(std::slice::from_ref(&good)).is_empty());
        let unsolved = "1 of 2 max-margin problems were not solved to the gap asked for \
                        (worst relative gap 5.0e-1)";
        assert_eq!(warnings(&[good.clone(), bad]), [unsolved]);
        let nothing = "1 of 2 runs kept no direction, so that the label classifiers decided alone; \
                       a smaller gap or a larger c may change that";
        assert_eq!(warnings(&[good, empty]), [nothing]);
    }
}
