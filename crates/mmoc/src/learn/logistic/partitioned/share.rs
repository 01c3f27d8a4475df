//! The share of a partition in a round of regressions.
//!
//! Rows are taken a panel at a time: a product with the coefficients of all regressions, the derivatives of the loss, and a
//! product with the transposed panel, while all of it is in the cache. An answer depends on the rows and the request alone.

use pulp::NullaryFnOnce;
use serde::{Deserialize, Serialize};

use super::super::scalar::{exp_of_nonpositive, ln_1p_of_fraction, sigmoid};
use super::margins::Margins;
use crate::Result;
use crate::data::Matrix;
use crate::linalg::{add_scaled, add_transposed_product, product_of_panel, vectorised};
use crate::partitions::{Bulk, Panel, Partition, Reply, Share};

/// Stands for no fold.
pub(super) const NO_FOLD: u32 = u32::MAX;
/// Sums of a regression at a point: of the losses, of r and of k.
pub(super) const SUMS: usize = 3;

/// Regressions at their points.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Points {
    /// The label of each regression.
    pub(super) labels: Vec<u32>,
    /// The fold that each leaves out.
    pub(super) left_out: Vec<u32>,
    /// A number for the coefficients of each, by which a partition knows them again.
    pub(super) keys: Vec<u64>,
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
    /// Those that need Σ c·loss, Σr and Σk.
    pub(super) totals: Points,
    /// Those that need Zᵀr and Zᵀk as well.
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
    pub(super) of_points: usize,
    pub(super) gradients: usize,
    pub(super) curvatures: usize,
    pub(super) products: usize,
    pub(super) heads: usize,
    pub(super) end: usize,
}

impl LogisticShare {
    /// For rows of p features: three sums of each regression at its point, then Zᵀr, Zᵀk, the products and the heads.
    pub(super) fn layout(&self, columns: usize) -> Layout {
        let of_points = SUMS * self.totals.stride();
        let stride = self.points.stride();
        let gradients = of_points + SUMS * stride;
        let curvatures = gradients + columns * stride;
        let products = curvatures + columns * stride;
        let heads = products + columns * self.products.stride();
        let head = self.head_columns(columns);
        Layout {
            of_points,
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

    fn add_points(&self, at: &mut Regressions<'_>, panel: &Panel<'_>, sums: &mut [f64]) {
        let layout = self.layout(panel.features.columns());
        let stride = self.points.stride();
        let totals = &mut sums[layout.of_points..layout.gradients];
        let derivatives = at.derivatives(panel, totals);
        let (gradients, rest) =
            sums[layout.gradients..].split_at_mut(layout.curvatures - layout.gradients);
        let curvatures = &mut rest[..layout.products - layout.curvatures];
        add_transposed_product(panel.features, derivatives.residuals, gradients, stride);
        add_transposed_product(panel.features, derivatives.curvatures, curvatures, stride);
    }

    fn add_products(&self, at: &mut Regressions<'_>, panel: &Panel<'_>, sums: &mut [f64]) {
        let layout = self.layout(panel.features.columns());
        let stride = self.products.stride();
        let along = &mut at.beside;
        along.resize(panel.rows.len() * stride, 0.0);
        product_of_panel(panel.features, &self.directions, along, stride);
        let margins = at.margins.of_panel(panel);
        let values = margins.chunks_exact(stride);
        for ((row, margins), along) in panel
            .rows
            .clone()
            .zip(values)
            .zip(along.chunks_exact_mut(stride))
        {
            at.cells.fill(row);
            vectorised(CurvatureRow {
                counts: &at.cells.counts,
                margins,
                along,
            });
        }
        let sums = &mut sums[layout.products..layout.heads];
        add_transposed_product(panel.features, along, sums, stride);
    }

    fn add_heads(&self, at: &mut Regressions<'_>, panel: &Panel<'_>, sums: &mut [f64]) {
        let columns = panel.features.columns();
        let (stride, size) = (self.heads.stride(), self.head_columns(columns));
        let sums = &mut sums[self.layout(columns).heads..];
        let mut head = vec![0.0; panel.rows.len() * size];
        product_of_panel(panel.features, &self.axes, &mut head, size);
        let margins = at.margins.of_panel(panel);
        let values = margins.chunks_exact(stride);
        for ((row, margins), z) in panel
            .rows
            .clone()
            .zip(values)
            .zip(head.chunks_exact(size.max(1)))
        {
            at.cells.fill(row);
            let squares = sums.chunks_exact_mut((size * size).max(1));
            for ((margin, count), square) in margins.iter().zip(&at.cells.counts).zip(squares) {
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
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let mut sums = vec![0.0; self.layout(partition.features().columns()).end];
        let rows = LabelledRows {
            partition,
            folds: partition.folds(self.folds, self.seed),
            fold_count: self.folds.max(1),
            factors: &self.factors,
        };
        let mut kept = partition.kept_products().take();
        let mut groups =
            [&self.totals, &self.points, &self.products, &self.heads].map(|points| Regressions {
                margins: Margins::new(points, &mut kept),
                cells: Cells::new(points, &rows),
                beside: Vec::new(),
            });
        let mut unused = kept.into_values().collect();
        for group in &mut groups {
            group.margins.make_room(partition, &mut unused);
        }
        let [totals, points, products, heads] = &mut groups;
        for panel in partition.panels() {
            if !self.totals.is_empty() {
                totals.derivatives(&panel, &mut sums[..SUMS * self.totals.stride()]);
            }
            if !self.points.is_empty() {
                self.add_points(points, &panel, &mut sums);
            }
            if !self.products.is_empty() {
                self.add_products(products, &panel, &mut sums);
            }
            if !self.heads.is_empty() {
                self.add_heads(heads, &panel, &mut sums);
            }
        }
        let margins = groups.map(|own| own.margins);
        partition.kept_products().keep(margins);
        Ok(Reply::sums(sums))
    }
}

/// Regressions that need the same kind of sums, and what is computed of them in a panel. The memory for it is taken once:
/// workers of Dask give large blocks back at once, and to get them again would take as long as the computation.
struct Regressions<'a> {
    margins: Margins<'a>,
    cells: Cells<'a>,
    /// Curvatures, or products with directions.
    beside: Vec<f64>,
}

/// The derivatives of the loss by the margins of the rows of a panel, a row after the other.
struct Derivatives<'a> {
    residuals: &'a [f64],
    curvatures: &'a [f64],
}

impl Regressions<'_> {
    /// The derivatives in a panel. Their sums and those of the loss are added to the totals.
    fn derivatives(&mut self, panel: &Panel<'_>, totals: &mut [f64]) -> Derivatives<'_> {
        let stride = totals.len() / SUMS;
        let residuals = self.margins.of_panel(panel);
        let curvatures = &mut self.beside;
        curvatures.resize(residuals.len(), 0.0);
        let values = residuals.chunks_exact_mut(stride);
        let values = values.zip(curvatures.chunks_exact_mut(stride));
        for (row, (margins, weights)) in panel.rows.clone().zip(values) {
            self.cells.fill(row);
            vectorised(PointRow {
                cells: &self.cells,
                margins,
                weights,
                totals: &mut *totals,
            });
        }
        Derivatives {
            residuals,
            curvatures,
        }
    }
}

/// What rows say about labels.
struct LabelledRows<'a> {
    partition: &'a Partition,
    folds: Vec<usize>,
    fold_count: usize,
    factors: &'a [f64],
}

/// The target of each regression in a row, and how much the row counts in it.
struct Cells<'a> {
    rows: &'a LabelledRows<'a>,
    points: &'a Points,
    targets: Vec<f64>,
    counts: Vec<f64>,
    /// How much a row of weight one counts that has no label, by its fold.
    without_labels: Vec<Vec<f64>>,
    /// The regressions of each label.
    of_label: Vec<Vec<usize>>,
}

impl<'a> Cells<'a> {
    fn new(points: &'a Points, rows: &'a LabelledRows<'a>) -> Self {
        let stride = points.stride();
        let mut of_label = vec![Vec::new(); rows.factors.len() / 2];
        let mut without_labels = vec![vec![0.0; stride]; rows.fold_count];
        for (l, (&label, &left_out)) in points.labels.iter().zip(&points.left_out).enumerate() {
            of_label[label as usize].push(l);
            for (fold, counts) in without_labels.iter_mut().enumerate() {
                if left_out != fold as u32 {
                    counts[l] = rows.factors[2 * label as usize];
                }
            }
        }
        Self {
            rows,
            points,
            targets: vec![0.0; stride],
            counts: vec![0.0; stride],
            without_labels,
            of_label,
        }
    }

    fn fill(&mut self, row: usize) {
        let (weight, fold) = (self.rows.partition.weight(row), self.rows.folds[row]);
        self.targets.fill(0.0);
        for (count, factor) in self.counts.iter_mut().zip(&self.without_labels[fold]) {
            *count = weight * factor;
        }
        for &label in self.rows.partition.labels().row(row) {
            let factor = self.rows.factors[2 * label as usize + 1];
            for &l in &self.of_label[label as usize] {
                self.targets[l] = 1.0;
                if self.points.left_out[l] != fold as u32 {
                    self.counts[l] = weight * factor;
                }
            }
        }
    }
}

/// The derivatives of the loss of a row in all regressions. Margins are replaced by residuals.
struct PointRow<'a> {
    cells: &'a Cells<'a>,
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
