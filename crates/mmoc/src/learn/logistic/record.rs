//! How the regressions of a training set were solved.

use serde::{Deserialize, Deserializer, Serialize};

use super::path::PenaltyPath;
use super::regression::FitStatus;

/// How the regressions of a training set were solved: all labels, folds and penalties together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogisticRecord {
    /// Number of regressions solved.
    pub regressions: usize,
    /// Number that reached the tolerance.
    pub converged: usize,
    /// Number that reached the limit on Newton steps.
    pub step_limit: usize,
    /// Number that stopped where rounding errors hide any further decrease.
    pub stalled: usize,
    /// The largest relative gradient norm among the fits that are kept, not those of folds. JSON stores NaN as
    /// null.
    #[serde(deserialize_with = "number_or_null")]
    pub worst_gradient: f64,
    /// Newton steps.
    pub steps: usize,
    /// Products with the features and with their transpose.
    pub products: usize,
}

impl LogisticRecord {
    /// Whether every regression reached the tolerance.
    pub fn all_converged(&self) -> bool {
        self.converged == self.regressions
    }

    pub(super) fn add(&mut self, path: &PenaltyPath<'_>) {
        for solution in path.solutions() {
            self.regressions += 1;
            match solution.termination {
                FitStatus::Converged => self.converged += 1,
                FitStatus::StepLimit => self.step_limit += 1,
                FitStatus::Stalled => self.stalled += 1,
            }
        }
        self.steps += path.effort().steps;
        self.products += path.effort().products;
    }

    /// Adds a regression whose solutions are kept.
    pub(super) fn add_kept(&mut self, path: &PenaltyPath<'_>) {
        self.add(path);
        for solution in path.solutions() {
            self.worst_gradient = worse(self.worst_gradient, solution.relative_gradient);
        }
    }

    /// The sum of all records, if there are any.
    pub fn together<'a>(records: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        records.into_iter().copied().reduce(|mut all, more| {
            all.merge(&more);
            all
        })
    }

    /// Adds the record of another training set.
    pub fn merge(&mut self, other: &Self) {
        self.regressions += other.regressions;
        self.converged += other.converged;
        self.step_limit += other.step_limit;
        self.stalled += other.stalled;
        self.worst_gradient = worse(self.worst_gradient, other.worst_gradient);
        self.steps += other.steps;
        self.products += other.products;
    }
}

/// The larger of two numbers; NaN is larger than any.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

fn number_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Option::<f64>::deserialize(deserializer).map(|number| number.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    #[test]
    fn a_nan_gradient_survives_serialisation() {
        for worst_gradient in [f64::NAN, 1e-9] {
            let record = LogisticRecord {
                worst_gradient,
                ..LogisticRecord::default()
            };
            let json = serde_json::to_string(&record).unwrap();
            let again: LogisticRecord = serde_json::from_str(&json).unwrap();
            assert_eq!(
                again.worst_gradient.total_cmp(&worst_gradient),
                Ordering::Equal
            );
        }
    }
}
