//! The memory that codes and max-margin problems need at their peaks. Documentation of `crate::method::need` has the
//! numbers, which were measured.

use super::max_margin::{MaxMarginParams, Problem};
use super::{CcaParams, PcaParams, RandomParams};
use crate::data::{FeaturesView, Labels};
use crate::learn::Training;

/// Bytes of a number.
pub(crate) const NUMBER: f64 = 8.0;

/// What memory depends on in label sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelSize {
    /// n.
    pub(crate) rows: f64,
    /// q.
    pub(crate) labels: f64,
    /// Labels that occur in a row.
    pub(crate) occurring: f64,
    /// Labels that occur in some rows but not in all.
    pub(crate) varying: f64,
    /// Labels of all rows together.
    pub(crate) total: f64,
}

impl LabelSize {
    pub(crate) fn of(labels: &Labels) -> Self {
        let (rows, frequencies) = (labels.rows(), labels.frequencies());
        let counted = |keep: &dyn Fn(usize) -> bool| {
            frequencies.iter().filter(|&&own| keep(own)).count() as f64
        };
        Self {
            rows: rows as f64,
            labels: labels.count() as f64,
            occurring: counted(&|own| own > 0),
            varying: counted(&|own| own > 0 && own < rows),
            total: labels.total() as f64,
        }
    }

    /// The rank that labels may have.
    pub(crate) fn rank(self) -> f64 {
        self.rows.min(self.occurring)
    }

    pub(crate) fn scatter(self) -> f64 {
        let smaller = self.rank();
        4.0 * smaller * smaller + 3.0 * self.occurring * smaller
    }

    pub(crate) fn problem(self) -> f64 {
        let (n, v) = (self.rows, self.varying);
        let inside = v.min(8.0 * self.total / n);
        15.0 * n * v + 10.0 * v * v + n * inside * inside / 2.0
    }

    /// Matrices of all pairs of labels.
    pub(crate) fn pairs(self) -> f64 {
        3.0 * self.labels * self.labels
    }
}

impl Problem {
    /// Bytes that a problem with these label sets is expected to need at its peak, beyond what it is given.
    pub fn expected_memory(labels: &Labels) -> f64 {
        let size = LabelSize::of(labels);
        NUMBER * (4.0 * size.rows * size.labels + size.problem() + size.pairs())
    }
}

impl RandomParams {
    /// Bytes that directions for so many labels are expected to need.
    pub fn expected_memory(&self, labels: usize) -> f64 {
        NUMBER * 3.0 * labels as f64 * self.projections as f64
    }
}

impl PcaParams {
    /// Bytes that the directions of these label sets are expected to need at their peak.
    pub fn expected_memory(&self, labels: &Labels) -> f64 {
        let size = LabelSize::of(labels);
        let kept = self
            .projections
            .map_or(size.rank(), |count| size.rank().min(count as f64));
        NUMBER * (size.scatter() + 3.0 * size.labels * kept)
    }
}

impl CcaParams {
    /// Bytes that the directions of these training rows are expected to need at their peak.
    pub fn expected_memory(&self, training: &Training<'_>) -> f64 {
        let size = LabelSize::of(training.labels());
        let regressed = regressions(training, size.rank());
        NUMBER * (size.scatter().max(regressed) + 3.0 * size.labels * size.rank())
    }
}

impl MaxMarginParams {
    /// Bytes that the directions of these training rows are expected to need at their peak.
    pub fn expected_memory(&self, training: &Training<'_>) -> f64 {
        let size = LabelSize::of(training.labels());
        NUMBER * (regressions(training, size.labels).max(size.problem()) + size.pairs())
    }
}

/// Numbers of ridge regressions of so many targets on the features.
fn regressions(training: &Training<'_>, targets: f64) -> f64 {
    let x = training.features();
    let (columns, stored) = (x.columns() as f64, x.stored_values().len() as f64);
    let is_dense = matches!(x, FeaturesView::Dense(_));
    let rows = training.labels().rows() as f64;
    training.ridge_numbers(columns, stored, is_dense, targets)
        + targets * (4.0 * rows + 2.0 * columns)
}
