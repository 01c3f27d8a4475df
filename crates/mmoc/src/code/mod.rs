//! Output codes, which map label sets to codewords before prediction (sections 2 and 3).
//!
//! A code is a set of directions V in label space, one per column. The codeword of a label set y is Vᵀy (eq. 2),
//! with or without the labels themselves (eq. 3).

mod canonical;
mod cca;
mod label_gram;
pub mod max_margin;
pub(crate) mod need;
mod pca;
mod random;

use serde::{Deserialize, Serialize};

pub use canonical::CanonicalRegression;
pub use cca::CcaParams;
pub use pca::PcaParams;
pub use random::{Distribution, RandomParams};

use self::max_margin::SolverReport;
use crate::data::{Labels, Matrix};
use crate::learn::LabelTargets;
use crate::{Error, Result, check_size};

/// Encoding projections V, and how they were found.
#[derive(Debug, Clone)]
pub struct Code {
    /// V, q×d: one encoding direction per column.
    pub projections: Matrix,
    /// The origin of the code in label space: the mean label vector if labels were centred, else zero.
    pub origin: Vec<f64>,
    /// How the projections were found.
    pub report: CodeReport,
}

impl Code {
    /// The codeword Vᵀy of each label set, n×d (eq. 2).
    pub fn encode(&self, labels: &Labels) -> Result<Matrix> {
        check_size("labels of a code", self.projections.rows(), labels.count())?;
        Ok(self.targets().of(labels))
    }

    /// Codewords as targets of regressions.
    pub fn targets(&self) -> LabelTargets<'_> {
        LabelTargets::along(&self.projections)
    }
}

/// The requested number of directions: all q by default, else from 1 to q.
pub(crate) fn projections_of(requested: Option<usize>, labels: usize) -> Result<usize> {
    match requested {
        None => Ok(labels),
        Some(count) if (1..=labels).contains(&count) => Ok(count),
        Some(count) => Err(Error::Parameter {
            parameter: "projections",
            expected: format!("from 1 to {labels}, the number of labels"),
            found: count.to_string(),
        }),
    }
}

/// Embeds rows of some labels among all `count` labels; the others are zero.
fn embed_rows(matrix: &Matrix, labels: &[usize], count: usize) -> Matrix {
    let mut all = Matrix::zeros(count, matrix.columns());
    for (row, &label) in labels.iter().enumerate() {
        all.row_mut(label).copy_from_slice(matrix.row(row));
    }
    all
}

/// Entries of a direction whose magnitudes differ by less than this relative amount count as equal: which is the
/// larger may depend on rounding errors.
const EQUAL_ENTRIES: f64 = 1e-6;

/// Flips the sign of each column so that its first entry of largest magnitude is positive.
///
/// The sign of a direction is arbitrary; this makes saved values deterministic.
pub(crate) fn fix_signs(directions: &mut Matrix) {
    for column in 0..directions.columns() {
        let largest = directions.column(column).map(f64::abs).fold(0.0, f64::max);
        let decisive = directions
            .column(column)
            .find(|entry| entry.abs() >= (1.0 - EQUAL_ENTRIES) * largest);
        if decisive.is_some_and(|entry| entry < 0.0) {
            for row in 0..directions.rows() {
                directions[(row, column)] *= -1.0;
            }
        }
    }
}

/// How the projections of a code were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "code", deny_unknown_fields)]
pub enum CodeReport {
    /// Drawn at random.
    Random {},
    /// Principal components of the labels.
    Pca {
        /// Singular values of the (centred) label matrix, descending, one per projection.
        singular_values: Vec<f64>,
    },
    /// Canonical directions of the labels.
    Cca {
        /// Canonical correlations, descending, one per projection.
        correlations: Vec<f64>,
    },
    /// The max-margin problem.
    MaxMargin {
        /// Q, q×q, with zero rows and columns for constant labels. Not serialised because of its size.
        #[serde(skip)]
        metric: Matrix,
        /// The eigenvalues of Q, descending, all q of them.
        eigenvalues: Vec<f64>,
        /// How the problem was solved.
        solver: SolverReport,
    },
}

impl CodeReport {
    /// The importance of each direction, descending: singular values, canonical correlations or the eigenvalues of
    /// the metric; empty for random directions.
    pub fn spectrum(&self) -> &[f64] {
        match self {
            Self::Random {} => &[],
            Self::Pca { singular_values } => singular_values,
            Self::Cca { correlations } => correlations,
            Self::MaxMargin { eigenvalues, .. } => eigenvalues,
        }
    }

    /// The report without the metric of a max-margin code, as it is serialised.
    #[must_use]
    pub(crate) fn without_metric(&self) -> Self {
        match self {
            Self::MaxMargin {
                eigenvalues,
                solver,
                ..
            } => Self::MaxMargin {
                metric: Matrix::default(),
                eigenvalues: eigenvalues.clone(),
                solver: solver.clone(),
            },
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_entry_of_each_direction_becomes_positive() {
        let columns = [
            ([-3.0, 2.0, 1.0], [3.0, -2.0, -1.0]),
            ([1.0, 2.0, -1.0], [1.0, 2.0, -1.0]),
            ([-2.0, 2.0, 0.0], [2.0, -2.0, 0.0]),
            ([-2.0 + 1e-12, 2.0, 0.0], [2.0 - 1e-12, -2.0, 0.0]),
            ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ];
        let mut directions = Matrix::from_fn(3, 5, |i, k| columns[k].0[i]);
        fix_signs(&mut directions);
        assert_eq!(directions, Matrix::from_fn(3, 5, |i, k| columns[k].1[i]));
    }

    #[test]
    fn a_codeword_is_the_sum_of_the_directions_of_its_labels() {
        let code = Code {
            projections: Matrix::new(3, 2, vec![1.0, 2.0, 10.0, 20.0, 100.0, 200.0]).unwrap(),
            origin: vec![0.0; 3],
            report: CodeReport::Random {},
        };
        let labels = Labels::new(3, vec![0, 2, 2], vec![0, 2]).unwrap();
        let found = code.encode(&labels).unwrap();
        assert_eq!(found.values(), [101.0, 202.0, 0.0, 0.0]);
        assert!(code.encode(&Labels::empty(2)).is_err());
    }

    #[test]
    fn a_code_has_from_one_to_q_projections() {
        assert_eq!(projections_of(None, 6).unwrap(), 6);
        assert_eq!(projections_of(Some(6), 6).unwrap(), 6);
        for bad in [0, 7] {
            assert!(projections_of(Some(bad), 6).is_err());
        }
    }
}
