//! Many regressions together: one product with the features serves all of them.
//!
//! Let C subtract the weighted mean of the included rows, multiply each of them by its weight, and set excluded rows to
//! zero; where all rows count the same this is a projection. The system of a regression is (XᵀCX + αI)·w = XᵀC·t. A product with XᵀCX is a product with X, then C, then a product with
//! Xᵀ, so X is never centred: sparse features stay sparse, and regressions of all folds share their products.

use super::shifted::{Limits, Shifted};
use crate::Result;
use crate::check_stop;
use crate::linalg::{DesignMatrix, ProductBuffers, RowWeights, add_scaled, dot};

/// Maximum number of regressions that one thread solves together: wide enough for products to run near their best
/// rate.
const WIDEST: usize = 40;

/// Maximum number of values in a block, 128 MiB, unless a single regression has more.
const MOST_NUMBERS: usize = 1 << 24;

/// The rows that a regression includes.
#[derive(Debug, Clone)]
pub(super) struct IncludedRows {
    /// The weight of each included row, 0 for others.
    weights: Vec<f64>,
    total: f64,
}

impl IncludedRows {
    /// All rows, each with its weight.
    pub(super) fn all(rows: usize, weights: Option<&RowWeights>) -> Self {
        let weights = weights.map_or_else(|| vec![1.0; rows], |own| own.values().to_vec());
        let total = weights.iter().sum();
        Self { weights, total }
    }

    /// These rows except some.
    pub(super) fn without(&self, left_out: &[usize]) -> Self {
        let mut weights = self.weights.clone();
        left_out.iter().for_each(|&row| weights[row] = 0.0);
        let total = weights.iter().sum();
        Self { weights, total }
    }

    /// The mean over the included rows.
    pub(super) fn mean(&self, values: &[f64]) -> f64 {
        dot(values, &self.weights) / self.total
    }

    /// The mean squared difference over the included rows.
    pub(super) fn mean_square(&self, a: &[f64], b: &[f64]) -> f64 {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
        let weighted = squares.zip(&self.weights).map(|(square, w)| w * square);
        weighted.sum::<f64>() / self.total
    }

    /// C·values.
    fn centre(&self, values: &mut [f64]) {
        let mean = self.mean(values);
        let pairs = values.iter_mut().zip(&self.weights);
        pairs.for_each(|(value, weight)| *value = weight * (*value - mean));
    }
}

/// A target with its rows and penalties.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegressionTask<'a> {
    pub(super) target: &'a [f64],
    pub(super) rows: &'a IncludedRows,
    /// Penalties from the strongest to the weakest.
    pub(super) penalties: &'a [f64],
}

/// Regressions per block within the memory limit, counting two vectors for each penalty.
pub(super) fn width(design: DesignMatrix<'_>, penalties: usize) -> usize {
    let of_one = (2 * penalties + 4) * design.columns() + 4 * design.rows();
    (MOST_NUMBERS / of_one.max(1)).clamp(1, WIDEST)
}

/// A design with buffers for its products.
pub(super) struct RegressionBlock<'a> {
    design: DesignMatrix<'a>,
    buffers: ProductBuffers,
    of_columns: Vec<f64>,
    of_rows: Vec<f64>,
}

impl<'a> RegressionBlock<'a> {
    pub(super) fn new(design: DesignMatrix<'a>) -> Self {
        Self {
            design,
            buffers: ProductBuffers::default(),
            of_columns: Vec::new(),
            of_rows: Vec::new(),
        }
    }

    /// Solves the systems of several tasks.
    pub(super) fn solve(
        &mut self,
        tasks: &[RegressionTask<'_>],
        limits: Limits,
    ) -> Result<Vec<Shifted>> {
        let rights = self.right_sides(tasks);
        let columns = self.design.columns();
        let mut all: Vec<Shifted> = (0..tasks.len())
            .map(|k| {
                let right = &rights[k * columns..][..columns];
                Shifted::new(right, tasks[k].penalties, limits)
            })
            .collect();
        loop {
            check_stop()?;
            let pairs = all.iter_mut().zip(tasks);
            let mut live: Vec<_> = pairs.filter(|(systems, _)| !systems.is_over()).collect();
            if live.is_empty() {
                break;
            }
            let directions = live.iter().map(|(systems, _)| systems.direction());
            let rows = live.iter().map(|(_, task)| task.rows);
            let products = self.scatter_products(directions, rows);
            for (k, (systems, _)) in live.iter_mut().enumerate() {
                systems.take(&products[k * columns..][..columns]);
            }
        }
        Ok(all)
    }

    /// X·w of each vector, concatenated.
    pub(super) fn predict<'v>(&mut self, vectors: impl Iterator<Item = &'v [f64]>) -> &[f64] {
        self.of_columns.clear();
        let mut width = 0;
        for vector in vectors {
            self.of_columns.extend_from_slice(vector);
            width += 1;
        }
        self.of_rows.resize(self.design.rows() * width, 0.0);
        let (input, output) = (&self.of_columns, &mut self.of_rows);
        if width > 0 {
            self.design.forward(input, output, &mut self.buffers);
        }
        &self.of_rows
    }

    /// The gradient (XᵀCX + αI)·w − XᵀC·t of each task at its single solution, relative to that at w = 0.
    pub(super) fn relative_gradients(
        &mut self,
        tasks: &[RegressionTask<'_>],
        solved: &[Shifted],
    ) -> Vec<f64> {
        let rights = self.right_sides(tasks);
        let columns = self.design.columns();
        let solutions: Vec<&[f64]> = solved.iter().flat_map(Shifted::solutions).collect();
        let rows = tasks.iter().map(|task| task.rows);
        let products = self.scatter_products(solutions.iter().copied(), rows);
        let relative = |k: usize| {
            let right = &rights[k * columns..][..columns];
            let mut gradient = products[k * columns..][..columns].to_vec();
            add_scaled(&mut gradient, tasks[k].penalties[0], solutions[k]);
            add_scaled(&mut gradient, -1.0, right);
            let size = dot(right, right);
            if size > 0.0 {
                (dot(&gradient, &gradient) / size).sqrt()
            } else {
                0.0
            }
        };
        (0..tasks.len()).map(relative).collect()
    }

    /// XᵀC·t of each task, concatenated.
    fn right_sides(&mut self, tasks: &[RegressionTask<'_>]) -> Vec<f64> {
        self.of_rows.clear();
        for task in tasks {
            let first = self.of_rows.len();
            self.of_rows.extend_from_slice(task.target);
            task.rows.centre(&mut self.of_rows[first..]);
        }
        self.backward(tasks.len());
        self.of_columns.clone()
    }

    /// XᵀCX·v of each vector, concatenated.
    fn scatter_products<'v>(
        &mut self,
        vectors: impl Iterator<Item = &'v [f64]>,
        included: impl Iterator<Item = &'v IncludedRows>,
    ) -> &[f64] {
        self.predict(vectors);
        let rows = self.design.rows();
        let mut width = 0;
        for (included, values) in included.zip(self.of_rows.chunks_exact_mut(rows)) {
            included.centre(values);
            width += 1;
        }
        self.backward(width);
        &self.of_columns
    }

    fn backward(&mut self, width: usize) {
        self.of_columns.resize(self.design.columns() * width, 0.0);
        let (input, output) = (&self.of_rows, &mut self.of_columns);
        if width > 0 {
            self.design.backward(input, output, &mut self.buffers);
        }
    }
}
