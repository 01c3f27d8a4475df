//! Targets of regressions that are functions of the labels of a row: Vᵀ(y − o).

use crate::data::{Labels, Matrix};
use crate::linalg::add_scaled;

/// Functions of the labels, one for each column of V: by default the labels themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct LabelTargets<'a> {
    directions: Option<&'a Matrix>,
    origin: Option<&'a [f64]>,
}

impl<'a> LabelTargets<'a> {
    /// The labels themselves.
    pub fn labels() -> Self {
        Self::default()
    }

    /// Vᵀy for directions V, q×m.
    pub fn along(directions: &'a Matrix) -> Self {
        Self {
            directions: Some(directions),
            origin: None,
        }
    }

    /// The same relative to an origin o.
    #[must_use]
    pub fn from_origin(self, origin: &'a [f64]) -> Self {
        Self {
            origin: Some(origin),
            ..self
        }
    }

    /// Number of targets, given the number of labels.
    pub fn count(&self, labels: usize) -> usize {
        self.directions.map_or(labels, Matrix::columns)
    }

    /// The targets of rows, n×m.
    pub fn of(&self, labels: &Labels) -> Matrix {
        let Some(directions) = self.directions else {
            return labels.to_matrix();
        };
        let centre = self.origin.map(|origin| combined(directions, origin));
        let mut targets = Matrix::zeros(labels.rows(), directions.columns());
        for (row, members) in labels.iter().enumerate() {
            if let Some(centre) = &centre {
                add_scaled(targets.row_mut(row), -1.0, centre);
            }
            for &label in members {
                add_scaled(targets.row_mut(row), 1.0, directions.row(label as usize));
            }
        }
        targets
    }

    /// Vᵀ(a − o) for a mean label vector a.
    pub(crate) fn mean(&self, of_labels: &[f64]) -> Vec<f64> {
        let origin = |label: usize| self.origin.map_or(0.0, |origin| origin[label]);
        let from_origin: Vec<f64> = (0..of_labels.len())
            .map(|label| of_labels[label] - origin(label))
            .collect();
        match self.directions {
            None => from_origin,
            Some(directions) => combined(directions, &from_origin),
        }
    }

    /// V, q×m; none for the labels themselves.
    pub(crate) fn directions(&self) -> Option<&'a Matrix> {
        self.directions
    }
}

/// Vᵀa.
fn combined(directions: &Matrix, numbers: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; directions.columns()];
    for (label, number) in numbers.iter().enumerate() {
        add_scaled(&mut sum, *number, directions.row(label));
    }
    sum
}
