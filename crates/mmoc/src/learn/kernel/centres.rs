//! Squared distances to centres: ‖x̃ − c̃‖² = ‖x̃‖² + ‖c̃‖² − 2·x̃ᵀc̃.
//!
//! A dense block of rows takes one matrix product. Sparse rows are multiplied with the centres column by column, since
//! two rows have a product only where both have an entry.

use super::preparation::Preparation;
use crate::Result;
use crate::data::{Csr, CsrView, Features, FeaturesView, Matrix};
use crate::linalg::{multiply_by_transposed, vectorised};

/// Rows to which distances are measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Centres {
    preparation: Preparation,
    /// The prepared rows: dense if they are standardised, and sparse otherwise.
    rows: Features,
    /// Sparse rows transposed; nothing for dense ones.
    by_column: Csr,
    /// ‖c̃‖² of each.
    squares: Vec<f64>,
}

impl Centres {
    /// Centres at the given rows.
    pub(super) fn new(preparation: Preparation, x: FeaturesView<'_>) -> Result<Self> {
        let rows = preparation.apply(x)?;
        Ok(Self::of_prepared(preparation, rows))
    }

    /// Centres at rows as the preparation gives them.
    pub(super) fn of_prepared(preparation: Preparation, rows: Features) -> Self {
        let by_column = match &rows {
            Features::Dense(_) => Csr::from(&Matrix::default()),
            Features::Sparse(rows) => rows.view().transposed(),
        };
        Self {
            squares: squares(rows.view()),
            preparation,
            rows,
            by_column,
        }
    }

    /// Number of centres.
    pub(super) fn count(&self) -> usize {
        self.squares.len()
    }

    pub(super) fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// The prepared rows.
    pub(super) fn rows(&self) -> &Features {
        &self.rows
    }

    /// The squared distance of each of a few rows to each centre. All distances of a row with NaN values are NaN.
    pub(super) fn squared_distances(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        let prepared = self.preparation.apply(x)?;
        let own = squares(prepared.view());
        let mut distances = self.products(&prepared);
        for (row, &square) in own.iter().enumerate() {
            let distances = distances.row_mut(row);
            vectorised(|| {
                for (value, of_centre) in distances.iter_mut().zip(&self.squares) {
                    let distance = square + of_centre - 2.0 * *value;
                    // The difference may be rounded to less than zero; NaN stays.
                    *value = if distance < 0.0 { 0.0 } else { distance };
                }
            });
        }
        Ok(distances)
    }

    /// x̃ᵀc̃ for all rows and centres.
    fn products(&self, x: &Features) -> Matrix {
        match (x, &self.rows) {
            (Features::Dense(x), Features::Dense(centres)) => multiply_by_transposed(x, centres),
            (Features::Sparse(x), Features::Sparse(_)) => {
                sparse_products(x.view(), self.by_column.view())
            }
            _ => unreachable!("rows and centres are prepared alike"),
        }
    }
}

/// The squared length of each row.
fn squares(x: FeaturesView<'_>) -> Vec<f64> {
    let square = |row| {
        let mut sum = 0.0;
        x.for_each_in_row(row, |_, value| sum += value * value);
        sum
    };
    (0..x.rows()).map(square).collect()
}

fn sparse_products(x: CsrView<'_>, by_column: CsrView<'_>) -> Matrix {
    let mut products = Matrix::zeros(x.rows(), by_column.columns());
    for row in 0..x.rows() {
        let products = products.row_mut(row);
        for (column, value) in x.entries(row) {
            for (centre, own) in by_column.entries(column) {
                products[centre] += value * own;
            }
        }
    }
    products
}
