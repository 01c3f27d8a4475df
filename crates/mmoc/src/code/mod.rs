//! Output codes: what a label set is translated to before anything is predicted (sections 2 and 3).
//!
//! A code is a set of directions V in label space, one per column. The codeword of a label set y is Vᵀy
//! (eq. 2), with or without the labels themselves (eq. 3).

pub mod max_margin;

use serde::Serialize;

use self::max_margin::SolverReport;
use crate::data::Matrix;

/// Encoding projections V, and how they were found.
#[derive(Debug, Clone)]
pub struct Code {
    /// V, q×d: one encoding direction per column.
    pub projections: Matrix,
    /// The point of label space from which the code measures: the mean label vector if labels were centred,
    /// else the origin.
    pub origin: Vec<f64>,
    /// How the projections were found.
    pub report: CodeReport,
}

/// How the projections of a code were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "code")]
pub enum CodeReport {
    /// Drawn at random.
    Random,
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
    MaxMargin(SolverReport),
}
