//! Regressions whose rows are in memory, many in parallel: what each needs of its rows, two products at a time.

use super::path::PenaltyPath;
use super::point::{RegressionRows, RowPoint};
use super::preconditioner::HeadSums;
use super::regression::{FitStatus, Need};
use crate::data::Matrix;
use crate::linalg::{DesignMatrix, ProductBuffers, add_scaled, dot, weighted_gram};
use crate::{Result, check_stop};

/// A regression along its penalties, with its rows.
#[derive(Debug, Clone)]
pub(super) struct RowPath<'a> {
    path: PenaltyPath<'a>,
    rows: RegressionRows<'a>,
    /// The leading columns of the design, h×n.
    head: &'a Matrix,
    point: RowPoint,
    /// The intercept of the point.
    intercept: f64,
    /// The change of the margins with the whole Newton step.
    step: Vec<f64>,
    held_out: &'a [usize],
    /// The log-odds of the held-out rows in each solution.
    held_out_log_odds: Vec<Vec<f64>>,
}

impl<'a> RowPath<'a> {
    /// The path of a regression on these rows, with log-odds of those that it holds out.
    pub(super) fn new(
        path: PenaltyPath<'a>,
        rows: RegressionRows<'a>,
        head: &'a Matrix,
        held_out: &'a [usize],
    ) -> Self {
        let count = rows.targets.len();
        Self {
            path,
            rows,
            head,
            point: RowPoint::unknown(count),
            intercept: 0.0,
            step: vec![0.0; count],
            held_out,
            held_out_log_odds: Vec::new(),
        }
    }

    pub(super) fn path(&self) -> &PenaltyPath<'a> {
        &self.path
    }

    /// Log-odds of the held-out rows in the solution for a penalty.
    pub(super) fn held_out(&self, penalty: usize) -> &[f64] {
        &self.held_out_log_odds[penalty]
    }

    /// The vector to be multiplied by Z.
    fn input(&self) -> &[f64] {
        match self.path.regression.need() {
            Need::Product => self.path.regression.direction(),
            _ => self.path.regression.coefficients(),
        }
    }

    /// Takes Z·input and writes the vector to be multiplied by Zᵀ.
    fn take_forward(&mut self, product: &[f64], weights: &mut [f64]) {
        if self.path.regression.need() == Need::Product {
            self.point.apply_curvature(product, weights);
            return;
        }
        self.intercept = self.path.regression.intercept();
        self.point.move_to(product, self.intercept);
        self.tell_totals();
        self.settle();
        self.point.eliminated_residuals(weights);
    }

    /// Takes Z·input again and Zᵀ·weights. Returns whether there is more to do.
    fn take_backward(&mut self, margins: &[f64], product: &[f64]) -> bool {
        let regression = &mut self.path.regression;
        if regression.need() == Need::Product {
            if regression.begins_step() {
                self.step.fill(0.0);
            }
            let length = regression.take_product(product);
            add_scaled(&mut self.step, length, margins);
        } else {
            regression.take_gradient(product);
        }
        self.settle();
        self.path.go_on()
    }

    /// Tells the regression what needs no product, until it needs one or has ended.
    fn settle(&mut self) {
        loop {
            let regression = &mut self.path.regression;
            match regression.need() {
                Need::Point | Need::Gradient | Need::Product => return,
                Need::Intercept => {
                    let intercept = regression.intercept();
                    self.point.shift(intercept - self.intercept);
                    self.intercept = intercept;
                    self.tell_totals();
                }
                Need::Head => {
                    let (square, along) = weighted_gram(self.head, &self.point.curvatures);
                    regression.take_head(HeadSums { square, along });
                }
                Need::Along => {
                    regression.take_along(dot(&self.point.curvatures, &self.step));
                    let shift = regression.step_of_intercept();
                    self.step.iter_mut().for_each(|margin| *margin += shift);
                }
                Need::Loss => regression.take_loss(self.rows.loss(&self.point.margins)),
                Need::Step => {
                    self.advance();
                    let loss = self.rows.loss(&self.point.margins);
                    self.path.regression.take_loss(loss);
                }
                Need::Nothing(status) => {
                    if status == FitStatus::Stalled {
                        self.advance();
                    }
                    let margins = self.held_out.iter().map(|&row| self.point.margins[row]);
                    self.held_out_log_odds.push(margins.collect());
                    return;
                }
            }
        }
    }

    fn tell_totals(&mut self) {
        let slope = self.point.linearise(self.rows);
        let curvature = self.point.total_curvature;
        self.path.regression.take_totals(slope, curvature);
    }

    fn advance(&mut self) {
        let change = self.path.regression.take_change();
        add_scaled(&mut self.point.margins, change, &self.step);
    }
}

/// Follows all paths to their ends. In every round each regression gets one product in each direction, at its own
/// stage of its own path, so the block of vectors stays full until the first one ends.
pub(super) fn follow_paths<'p, 'a: 'p>(
    design: DesignMatrix<'_>,
    paths: impl Iterator<Item = &'p mut RowPath<'a>>,
) -> Result<()> {
    let (rows, columns) = (design.rows(), design.columns());
    let mut live: Vec<&mut RowPath<'a>> = paths.collect();
    let mut buffers = ProductBuffers::default();
    let (mut inputs, mut margins, mut weights) = (vec![], vec![], vec![]);
    while !live.is_empty() {
        check_stop()?;
        inputs.resize(columns * live.len(), 0.0);
        margins.resize(rows * live.len(), 0.0);
        weights.resize(rows * live.len(), 0.0);
        for (k, path) in live.iter().enumerate() {
            inputs[k * columns..][..columns].copy_from_slice(path.input());
        }
        design.forward(&inputs, &mut margins, &mut buffers);
        for (k, path) in live.iter_mut().enumerate() {
            let block = k * rows..(k + 1) * rows;
            path.take_forward(&margins[block.clone()], &mut weights[block]);
        }
        design.backward(&weights, &mut inputs, &mut buffers);
        let mut k = 0;
        live.retain_mut(|path| {
            let margins = &margins[k * rows..][..rows];
            let product = &inputs[k * columns..][..columns];
            k += 1;
            path.take_backward(margins, product)
        });
    }
    Ok(())
}
