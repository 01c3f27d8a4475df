//! The share of a partition in a round of regressions.
//!
//! Rows are taken a panel at a time: a product with the coefficients of all regressions, the derivatives of the loss, and a
//! product with the transposed panel, while all of it is in the cache. Nothing is kept from one round to the next, so that
//! an answer depends on the request alone.

use pulp::NullaryFnOnce;
use serde::{Deserialize, Serialize};

use super::super::scalar::{exp_of_nonpositive, ln_1p_of_fraction, sigmoid};
use crate::Result;
use crate::data::Matrix;
use crate::linalg::{add_scaled, add_transposed_product, product_of_panel, vectorised};
use crate::partitions::{Answer, Bulk, Panel, Partition, Share};

/// Stands for no fold.
pub(super) const NO_FOLD: u32 = u32::MAX;

/// Regressions at their points.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Points {
    /// The label of each regression.
    pub(super) labels: Vec<u32>,
    /// The fold that each leaves out.
    pub(super) left_out: Vec<u32>,
    /// Padded to the stride.
    pub(super) intercepts: Bulk<f64>,
    /// p×stride.
    pub(super) coefficients: Bulk<f64>,
}

impl Points {
    /// Number of regressions with padding: a product with whole registers is faster.
    pub(super) fn stride(&self) -> usize {
        self.intercepts.len()
    }

    fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

/// What regressions need in a round.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LogisticShare {
    /// Folds and the seed by which rows are in them.
    pub(super) folds: usize,
    pub(super) seed: u64,
    /// The class weights of each label, negatives first.
    pub(super) factors: Bulk<f64>,
    /// Those that need Σ c·loss, Σr, Σk, Zᵀr and Zᵀk.
    pub(super) points: Points,
    /// Those that need ZᵀKZ·d.
    pub(super) products: Points,
    /// The directions d, p×stride.
    pub(super) directions: Bulk<f64>,
    /// Those that need Σ k·zzᵀ over the columns of the head.
    pub(super) heads: Points,
    /// The axes of the head, p×h; empty unless they are needed.
    pub(super) axes: Bulk<f64>,
}

/// Where the parts of the answer begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) gradients: usize,
    pub(super) curvatures: usize,
    pub(super) products: usize,
    pub(super) heads: usize,
    pub(super) end: usize,
}

impl LogisticShare {
    /// For rows of p features: three sums of each point, then Zᵀr, Zᵀk, the products and the heads.
    pub(super) fn layout(&self, columns: usize) -> Layout {
        let stride = self.points.stride();
        let gradients = 3 * stride;
        let curvatures = gradients + columns * stride;
        let products = curvatures + columns * stride;
        let heads = products + columns * self.products.stride();
        let head = self.head_columns(columns);
        Layout {
            gradients,
            curvatures,
            products,
            heads,
            end: heads + self.heads.labels.len() * head * head,
        }
    }

    fn head_columns(&self, columns: usize) -> usize {
        self.axes.len() / columns.max(1)
    }

    fn add_points(&self, rows: &RowCells<'_>, panel: &Panel<'_>, sums: &mut [f64], at: Layout) {
        let stride = self.points.stride();
        let (totals, vectors) = sums.split_at_mut(at.gradients);
        let (gradients, rest) = vectors.split_at_mut(at.curvatures - at.gradients);
        let curvatures = &mut rest[..at.products - at.curvatures];
        let mut residuals = margins(&self.points, panel);
        let mut weights = vec![0.0; residuals.len()];
        let mut cells = Cells::new(stride, self.factors.len() / 2);
        let values = residuals.chunks_exact_mut(stride);
        for ((row, margins), weights) in panel
            .rows
            .clone()
            .zip(values)
            .zip(weights.chunks_exact_mut(stride))
        {
            cells.fill(rows, row, &self.points);
            vectorised(PointRow {
                cells: &cells,
                margins,
                weights,
                totals: &mut *totals,
            });
        }
        add_transposed_product(panel.features, &residuals, gradients, stride);
        add_transposed_product(panel.features, &weights, curvatures, stride);
    }

    fn add_products(&self, rows: &RowCells<'_>, panel: &Panel<'_>, sums: &mut [f64]) {
        let stride = self.products.stride();
        let mut along = vec![0.0; panel.rows.len() * stride];
        product_of_panel(panel.features, &self.directions, &mut along, stride);
        let mut cells = Cells::new(stride, self.factors.len() / 2);
        let margins = margins(&self.products, panel);
        let values = margins.chunks_exact(stride);
        for ((row, margins), along) in panel
            .rows
            .clone()
            .zip(values)
            .zip(along.chunks_exact_mut(stride))
        {
            cells.fill(rows, row, &self.products);
            vectorised(CurvatureRow {
                counts: &cells.counts,
                margins,
                along,
            });
        }
        add_transposed_product(panel.features, &along, sums, stride);
    }

    fn add_heads(&self, rows: &RowCells<'_>, panel: &Panel<'_>, columns: usize, sums: &mut [f64]) {
        let (stride, size) = (self.heads.stride(), self.head_columns(columns));
        let mut head = vec![0.0; panel.rows.len() * size];
        product_of_panel(panel.features, &self.axes, &mut head, size);
        let mut cells = Cells::new(stride, self.factors.len() / 2);
        let margins = margins(&self.heads, panel);
        let values = margins.chunks_exact(stride);
        for ((row, margins), z) in panel
            .rows
            .clone()
            .zip(values)
            .zip(head.chunks_exact(size.max(1)))
        {
            cells.fill(rows, row, &self.heads);
            let squares = sums.chunks_exact_mut((size * size).max(1));
            for ((margin, count), square) in margins.iter().zip(&cells.counts).zip(squares) {
                let p = sigmoid(*margin);
                let curvature = count * p * (1.0 - p);
                if curvature > 0.0 {
                    for (i, own) in z.iter().enumerate() {
                        let lower = &mut square[i * size..][..=i];
                        add_scaled(lower, curvature * own, &z[..=i]);
                    }
                }
            }
        }
    }
}

impl Share for LogisticShare {
    fn share(&self, partition: &Partition) -> Result<Answer> {
        let columns = partition.features().columns();
        let layout = self.layout(columns);
        let mut sums = vec![0.0; layout.end];
        let rows = RowCells {
            partition,
            folds: partition.folds(self.folds, self.seed),
            factors: &self.factors,
        };
        for panel in partition.panels() {
            if !self.points.is_empty() {
                self.add_points(&rows, &panel, &mut sums, layout);
            }
            if !self.products.is_empty() {
                let own = &mut sums[layout.products..layout.heads];
                self.add_products(&rows, &panel, own);
            }
            if !self.heads.is_empty() {
                self.add_heads(&rows, &panel, columns, &mut sums[layout.heads..]);
            }
        }
        Ok(Answer::sums(sums))
    }
}

/// Z·w + b of the rows of a panel, a row after the other.
fn margins(points: &Points, panel: &Panel<'_>) -> Vec<f64> {
    let stride = points.stride();
    let mut margins = vec![0.0; panel.rows.len() * stride];
    product_of_panel(panel.features, &points.coefficients, &mut margins, stride);
    for row in margins.chunks_exact_mut(stride) {
        add_scaled(row, 1.0, &points.intercepts);
    }
    margins
}

/// What rows say about labels.
struct RowCells<'a> {
    partition: &'a Partition,
    folds: Vec<usize>,
    factors: &'a [f64],
}

/// The target of each regression in a row, and how much the row counts in it.
struct Cells {
    targets: Vec<f64>,
    counts: Vec<f64>,
    /// 1 for each label of the row.
    has: Vec<f64>,
}

impl Cells {
    fn new(stride: usize, labels: usize) -> Self {
        Self {
            targets: vec![0.0; stride],
            counts: vec![0.0; stride],
            has: vec![0.0; labels],
        }
    }

    fn fill(&mut self, rows: &RowCells<'_>, row: usize, points: &Points) {
        let members = rows.partition.labels().row(row);
        let (weight, fold) = (rows.partition.weight(row), rows.folds[row] as u32);
        members
            .iter()
            .for_each(|&label| self.has[label as usize] = 1.0);
        let regressions = points.labels.iter().zip(&points.left_out);
        let cells = self.targets.iter_mut().zip(&mut self.counts);
        for ((target, count), (&label, &left_out)) in cells.zip(regressions) {
            let has = self.has[label as usize];
            let factor = rows.factors[2 * label as usize + usize::from(has > 0.5)];
            *target = has;
            *count = if left_out == fold {
                0.0
            } else {
                weight * factor
            };
        }
        members
            .iter()
            .for_each(|&label| self.has[label as usize] = 0.0);
    }
}

/// The derivatives of the loss of a row in all regressions. Margins are replaced by residuals.
struct PointRow<'a> {
    cells: &'a Cells,
    margins: &'a mut [f64],
    weights: &'a mut [f64],
    /// Σ c·loss, Σr and Σk.
    totals: &'a mut [f64],
}

impl NullaryFnOnce for PointRow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let count = self.margins.len();
        let (losses, rest) = self.totals.split_at_mut(count);
        let (slopes, totals) = rest.split_at_mut(count);
        let (targets, counts) = (&self.cells.targets[..count], &self.cells.counts[..count]);
        let weights = &mut self.weights[..count];
        let totals = &mut totals[..count];
        for l in 0..count {
            let (m, y, c) = (self.margins[l], targets[l], counts[l]);
            let e = exp_of_nonpositive(-m.abs());
            let larger = 1.0 / (1.0 + e);
            let p = if m >= 0.0 { larger } else { e * larger };
            let (residual, curvature) = (c * (p - y), c * p * (1.0 - p));
            losses[l] += c * (m.max(0.0) - y * m + ln_1p_of_fraction(e));
            slopes[l] += residual;
            totals[l] += curvature;
            self.margins[l] = residual;
            weights[l] = curvature;
        }
    }
}

/// K·Z·d in a row.
struct CurvatureRow<'a> {
    counts: &'a [f64],
    margins: &'a [f64],
    along: &'a mut [f64],
}

impl NullaryFnOnce for CurvatureRow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let count = self.along.len();
        let (counts, margins) = (&self.counts[..count], &self.margins[..count]);
        for l in 0..count {
            let p = sigmoid(margins[l]);
            self.along[l] *= counts[l] * p * (1.0 - p);
        }
    }
}

/// The square of a head from its lower triangle, h×h.
pub(super) fn head_square(lower: &[f64], size: usize) -> Result<Matrix> {
    Matrix::new(size, size, lower.to_vec())
}
