//! Squared Euclidean distances of dense rows, by products of blocks of rows.
//!
//! ‖a − b‖² = ‖a‖² + ‖b‖² − 2aᵀb is a matrix product for all pairs, but cancels digits where a and b are close beside
//! their lengths. So rows are centred first, which makes lengths small, and distances that are still [`NEAR`] zero are
//! computed from the differences: equal rows have distance zero exactly.

use std::ops::Range;

use super::unit::unit;
use crate::data::{FeaturesView, Matrix, MatrixView};
use crate::linalg::{column_means, dot, products_of_rows, squared_distance};
use crate::{Error, Result};

/// Training rows that are multiplied with a block of rows at a time: the products stay in the cache.
const PIECE: usize = 512;

/// Squared distances below this share of ‖a‖² + ‖b‖² are computed again, without cancellation. The others have lost six
/// of sixteen digits at most.
const NEAR: f64 = 1e-6;

/// The largest squared length of a row: sums of a few such squares do not overflow.
const LARGEST_SQUARE: f64 = 1e300;

/// Training rows that are compared by their distance.
#[derive(Debug, Clone)]
pub(super) struct Distances {
    means: Vec<f64>,
    /// The training rows minus the means, n×p.
    rows: Matrix,
    /// The squared length of each of them.
    squares: Vec<f64>,
    unit: f64,
}

impl Distances {
    pub(super) fn new(rows: &Matrix) -> Result<Self> {
        let rows = FeaturesView::Dense(rows.view());
        let means = column_means(rows);
        let centred = centred(rows, &means);
        let distances = Self::from_parts(means, centred, 1.0)?;
        let unit = unit(&distances)?;
        Ok(Self { unit, ..distances })
    }

    /// The training rows minus the means of their columns, and the unit of squared distances.
    pub(super) fn from_parts(means: Vec<f64>, rows: Matrix, unit: f64) -> Result<Self> {
        Ok(Self {
            squares: squares(rows.view())?,
            means,
            rows,
            unit,
        })
    }

    pub(super) fn means(&self) -> &[f64] {
        &self.means
    }

    /// The training rows minus the means, n×p.
    pub(super) fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// The unit of squared distances.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The same rows with another unit.
    #[cfg(test)]
    pub(super) fn with_unit(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// Calls `visit(row, first, similarities)` with −‖x − x_i‖² for each row x and the training rows i from `first` on,
    /// a piece of them at a time.
    pub(super) fn visit(
        &self,
        x: FeaturesView<'_>,
        visit: impl FnMut(usize, usize, &mut [f64]),
    ) -> Result<()> {
        self.visit_centred(centred(x, &self.means).view(), visit)
    }

    /// The same for rows that are centred.
    pub(super) fn visit_centred(
        &self,
        x: MatrixView<'_>,
        mut visit: impl FnMut(usize, usize, &mut [f64]),
    ) -> Result<()> {
        let lengths = squares(x)?;
        for first in (0..self.rows.rows()).step_by(PIECE) {
            let piece = first..self.rows.rows().min(first + PIECE);
            let mut products = products_of_rows(x, self.rows.view().rows_in(piece.clone()));
            for (row, length) in lengths.iter().enumerate() {
                let products = products.row_mut(row);
                self.negative_distances(x.row(row), *length, piece.clone(), products);
                visit(row, first, products);
            }
        }
        Ok(())
    }

    /// −‖a − b‖² in place of aᵀb for the training rows b of a piece.
    fn negative_distances(
        &self,
        a: &[f64],
        length: f64,
        piece: Range<usize>,
        products: &mut [f64],
    ) {
        let lengths = &self.squares[piece.clone()];
        for ((row, product), other) in piece.zip(products).zip(lengths) {
            let both = length + other;
            let mut distance = both - 2.0 * *product;
            if distance < NEAR * both {
                distance = squared_distance(a, self.rows.row(row));
            }
            *product = -distance;
        }
    }
}

/// The rows minus the means of the columns.
fn centred(x: FeaturesView<'_>, means: &[f64]) -> Matrix {
    let mut rows = Matrix::from_fn(x.rows(), x.columns(), |_, column| -means[column]);
    for row in 0..x.rows() {
        let own = rows.row_mut(row);
        x.for_each_in_row(row, |column, value| own[column] = value - means[column]);
    }
    rows
}

/// The squared length of each row.
fn squares(x: MatrixView<'_>) -> Result<Vec<f64>> {
    let square = |row: usize| {
        let square = dot(x.row(row), x.row(row));
        let overflows = || Error::Dataset {
            expected: "features whose squares do not overflow; rescale the features".into(),
            found: format!("a row with a sum of squares of {square:e}"),
        };
        let fits = square <= LARGEST_SQUARE;
        fits.then_some(square).ok_or_else(overflows)
    };
    (0..x.rows()).map(square).collect()
}
