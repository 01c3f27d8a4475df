//! Cosines of sparse rows, by an inverted index.
//!
//! Rows are scaled to length one, so that their inner products are cosines. For each column the index has the training
//! rows with an entry there. A row is multiplied with all training rows by walking through the lists of its columns,
//! which skips every product with a zero. A row without entries has cosine 0 to all rows.

use crate::data::{Csr, CsrView, FeaturesView};
use crate::{Error, Result};

/// How far the squared length of a row of a model file may be from one.
const LENGTH_TOLERANCE: f64 = 1e-9;

/// Training rows that are compared by their cosine.
#[derive(Debug, Clone)]
pub(super) struct Cosines {
    /// Column by column the entries of the training rows of length one, p×n.
    index: Csr,
}

impl Cosines {
    pub(super) fn new(rows: CsrView<'_>) -> Result<Self> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut entries = Vec::new();
        for row in 0..rows.rows() {
            of_length_one(FeaturesView::Sparse(rows), row, &mut entries);
            indices.extend(entries.iter().map(|(column, _)| *column as u32));
            values.extend(entries.iter().map(|(_, value)| *value));
            offsets.push(indices.len());
        }
        let scaled = Csr::new(rows.columns(), offsets, indices, values)?;
        Ok(Self {
            index: scaled.view().transposed(),
        })
    }

    /// The rows of an index, if their lengths are one or, without entries, zero.
    pub(super) fn from_index(index: Csr) -> Result<Self> {
        let mut squares = vec![0.0; index.view().columns()];
        for column in 0..index.view().rows() {
            for (row, value) in index.view().entries(column) {
                squares[row] += value * value;
            }
        }
        let fits = |square: &f64| *square == 0.0 || (square - 1.0).abs() <= LENGTH_TOLERANCE;
        match squares.iter().find(|square| !fits(square)) {
            None => Ok(Self { index }),
            Some(square) => Err(Error::Dataset {
                expected: "rows of length 1, or 0 without entries".into(),
                found: format!("a squared length of {square}"),
            }),
        }
    }

    /// Column by column the entries of the training rows, p×n.
    pub(super) fn index(&self) -> CsrView<'_> {
        self.index.view()
    }

    /// Calls `visit(row, cosines)` for each row with its cosines to all training rows. `products` is working memory.
    pub(super) fn visit(
        &self,
        x: FeaturesView<'_>,
        products: &mut Vec<f64>,
        mut visit: impl FnMut(usize, &mut [f64]),
    ) {
        let index = self.index();
        let mut entries = Vec::new();
        for row in 0..x.rows() {
            of_length_one(x, row, &mut entries);
            products.clear();
            products.resize(index.columns(), 0.0);
            for &(column, factor) in &entries {
                let (rows, values) = index.row(column);
                for (&row, value) in rows.iter().zip(values) {
                    products[row as usize] += factor * value;
                }
            }
            visit(row, products);
        }
    }
}

/// The nonzero entries of a row, scaled to length one. Dividing by the largest first keeps squares from overflowing.
fn of_length_one(x: FeaturesView<'_>, row: usize, entries: &mut Vec<(usize, f64)>) {
    entries.clear();
    let mut largest: f64 = 0.0;
    x.for_each_in_row(row, |column, value| {
        if value != 0.0 {
            entries.push((column, value));
            largest = largest.max(value.abs());
        }
    });
    let mut square = 0.0;
    for (_, value) in entries.iter_mut() {
        *value /= largest;
        square += *value * *value;
    }
    let length = square.sqrt();
    entries.iter_mut().for_each(|(_, value)| *value /= length);
}
