//! The loss, its gradient and its curvature in the rows of one regression.

use pulp::NullaryFnOnce;

use super::regression::Mass;
use super::scalar::{exp_of_nonpositive, ln_1p_of_fraction, sigmoid};
use crate::linalg::{dot, sum, vectorised};

/// The rows of a regression.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegressionRows<'a> {
    /// 0 or 1 for each row.
    pub(super) targets: &'a [f64],
    /// How much each row counts; 0 for held-out rows and where the label is not known.
    pub(super) counts: &'a [f64],
    /// Whether some rows count other than 0 and 1.
    pub(super) are_fractional: bool,
}

impl RegressionRows<'_> {
    /// How much the rows count.
    pub(super) fn mass(&self) -> Mass {
        Mass {
            ones: dot(self.targets, self.counts),
            total: sum(self.counts),
        }
    }

    /// Σ c·(log loss) of rows that count c, at the given log-odds.
    pub(super) fn loss(&self, margins: &[f64]) -> f64 {
        if self.are_fractional {
            return vectorised(WeightedLoss {
                rows: *self,
                margins,
            });
        }
        self.loss_of_included(margins)
    }

    /// Σ log loss of the rows that count 1, where the others count 0.
    fn loss_of_included(&self, margins: &[f64]) -> f64 {
        // A product of 512 factors of at most two does not overflow.
        const ROWS_AT_ONCE: usize = 512;
        let rows = self
            .targets
            .chunks(ROWS_AT_ONCE)
            .zip(self.counts.chunks(ROWS_AT_ONCE));
        rows.zip(margins.chunks(ROWS_AT_ONCE))
            .map(|((targets, included), margins)| {
                vectorised(LossOfRows {
                    targets,
                    included,
                    margins,
                })
            })
            .sum()
    }
}

/// Σ log loss of at most 512 rows. With e = exp(−|m|) the loss of a row is `max(m, 0) − y·m + log(1 + e)`, and the
/// sum of the logarithms is the logarithm of a product.
struct LossOfRows<'a> {
    targets: &'a [f64],
    included: &'a [f64],
    margins: &'a [f64],
}

impl NullaryFnOnce for LossOfRows<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        const LANES: usize = 8;
        let (mut sums, mut products) = ([0.0; LANES], [1.0; LANES]);
        let mut add = |lane: usize, y: f64, counts: f64, m: f64| {
            sums[lane] += counts * (m.max(0.0) - y * m);
            products[lane] *= 1.0 + counts * exp_of_nonpositive(-m.abs());
        };
        let (y_blocks, y_rest) = self.targets.as_chunks::<LANES>();
        let (c_blocks, c_rest) = self.included.as_chunks::<LANES>();
        let (m_blocks, m_rest) = self.margins.as_chunks::<LANES>();
        for ((y, c), m) in y_blocks.iter().zip(c_blocks).zip(m_blocks) {
            for lane in 0..LANES {
                add(lane, y[lane], c[lane], m[lane]);
            }
        }
        for (lane, ((y, c), m)) in y_rest.iter().zip(c_rest).zip(m_rest).enumerate() {
            add(lane, *y, *c, *m);
        }
        sums.iter().sum::<f64>() + products.iter().product::<f64>().ln()
    }
}

/// Σ c·(log loss) of rows of any weights c, which takes a logarithm for each row.
struct WeightedLoss<'a> {
    rows: RegressionRows<'a>,
    margins: &'a [f64],
}

impl NullaryFnOnce for WeightedLoss<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        const LANES: usize = 8;
        let loss = |y: f64, c: f64, m: f64| {
            let logarithm = ln_1p_of_fraction(exp_of_nonpositive(-m.abs()));
            c * (m.max(0.0) - y * m + logarithm)
        };
        let (y_blocks, y_rest) = self.rows.targets.as_chunks::<LANES>();
        let (c_blocks, c_rest) = self.rows.counts.as_chunks::<LANES>();
        let (m_blocks, m_rest) = self.margins.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for ((y, c), m) in y_blocks.iter().zip(c_blocks).zip(m_blocks) {
            for lane in 0..LANES {
                sums[lane] += loss(y[lane], c[lane], m[lane]);
            }
        }
        let rest = y_rest.iter().zip(c_rest).zip(m_rest);
        sums.iter().sum::<f64>() + rest.map(|((y, c), m)| loss(*y, *c, *m)).sum::<f64>()
    }
}

/// First and second derivatives of the loss of each row with respect to its log-odds.
struct Differentiate<'a> {
    rows: RegressionRows<'a>,
    margins: &'a [f64],
    first: &'a mut [f64],
    second: &'a mut [f64],
}

impl NullaryFnOnce for Differentiate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self
            .margins
            .iter()
            .zip(self.rows.targets)
            .zip(self.rows.counts);
        let derivatives = self.first.iter_mut().zip(self.second);
        for ((first, second), ((margin, target), counts)) in derivatives.zip(rows) {
            let p = sigmoid(*margin);
            *first = counts * (p - target);
            *second = counts * p * (1.0 - p);
        }
    }
}

/// What the rows of a regression keep of the point that it is at.
#[derive(Debug, Clone)]
pub(super) struct RowPoint {
    /// Log-odds of every row, including held-out rows.
    pub(super) margins: Vec<f64>,
    /// c·(p − y) for rows that count c.
    pub(super) residuals: Vec<f64>,
    /// c·p(1 − p) for rows that count c.
    pub(super) curvatures: Vec<f64>,
    /// Σ c·p(1 − p).
    pub(super) total_curvature: f64,
}

/// Replaces a curvature that underflows, to keep divisions finite.
pub(super) const SMALLEST_CURVATURE: f64 = 1e-290;

impl RowPoint {
    /// A point that is not known yet.
    pub(super) fn unknown(rows: usize) -> Self {
        Self {
            margins: vec![0.0; rows],
            residuals: vec![0.0; rows],
            curvatures: vec![0.0; rows],
            total_curvature: 0.0,
        }
    }

    /// Moves to the coefficients w, given Z·w, and an intercept.
    pub(super) fn move_to(&mut self, products: &[f64], intercept: f64) {
        for (margin, product) in self.margins.iter_mut().zip(products) {
            *margin = product + intercept;
        }
    }

    /// Adds a number to all log-odds.
    pub(super) fn shift(&mut self, by: f64) {
        self.margins.iter_mut().for_each(|margin| *margin += by);
    }

    /// Residuals and curvatures at the current margins; returns the derivative with respect to the intercept.
    pub(super) fn linearise(&mut self, rows: RegressionRows<'_>) -> f64 {
        vectorised(Differentiate {
            rows,
            margins: &self.margins,
            first: &mut self.residuals,
            second: &mut self.curvatures,
        });
        self.total_curvature = sum(&self.curvatures).max(SMALLEST_CURVATURE);
        sum(&self.residuals)
    }

    /// The residuals after a Newton step of the intercept, to first order. Their gradient is the right-hand side of
    /// the Newton equation after elimination of the intercept, whatever derivative remains in it.
    pub(super) fn eliminated_residuals(&self, eliminated: &mut [f64]) {
        let shift = sum(&self.residuals) / self.total_curvature;
        vectorised(|| {
            let derivatives = self.residuals.iter().zip(&self.curvatures);
            for (eliminated, (r, k)) in eliminated.iter_mut().zip(derivatives) {
                *eliminated = r - shift * k;
            }
        });
    }

    /// `(K − kkᵀ/s)·u`, where k are the curvatures, s their sum and K = diag(k): the change of the residuals with
    /// the margins u, with the intercept at its optimum.
    pub(super) fn apply_curvature(&self, u: &[f64], product: &mut [f64]) {
        let mean = dot(&self.curvatures, u) / self.total_curvature;
        vectorised(|| {
            for ((product, k), u) in product.iter_mut().zip(&self.curvatures).zip(u) {
                *product = k * (u - mean);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::scalar::log_loss;
    use super::*;

    fn targets(count: usize) -> Vec<f64> {
        (0..count)
            .map(|i| f64::from(u8::from(i % 3 == 0)))
            .collect()
    }

    fn included(count: usize) -> Vec<f64> {
        (0..count)
            .map(|i| f64::from(u8::from(i % 5 != 1)))
            .collect()
    }

    /// Whether the gradient and the curvature of rows at the margins are derivatives of their loss.
    fn check_derivatives(rows: RegressionRows<'_>, margins: &[f64]) -> Result<(), TestCaseError> {
        let mut point = RowPoint::unknown(margins.len());
        point.move_to(margins, 0.0);
        point.linearise(rows);
        let h = 1e-4;
        for i in 0..margins.len() {
            let at = |shift: f64| {
                let mut moved = margins.to_vec();
                moved[i] += shift;
                rows.loss(&moved)
            };
            let slope = (at(h) - at(-h)) / (2.0 * h);
            let curvature = (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
            prop_assert!((slope - point.residuals[i]).abs() < 1e-7);
            prop_assert!((curvature - point.curvatures[i]).abs() < 1e-5);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn the_weighted_loss_of_many_rows_is_the_weighted_sum_of_their_losses(
            rows in prop::collection::vec((-50.0..50.0f64, 0.0..9.0f64), 0..1200)
        ) {
            let (margins, counts): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let targets = targets(margins.len());
            let expected: f64 =
                (0..margins.len()).map(|i| counts[i] * log_loss(margins[i], targets[i])).sum();
            let rows = RegressionRows { targets: &targets, counts: &counts, are_fractional: true };
            let found = rows.loss(&margins);
            prop_assert!((found - expected).abs() <= 1e-12 * expected.max(1.0));
        }

        #[test]
        fn residuals_and_curvatures_are_derivatives_of_the_weighted_loss(
            rows in prop::collection::vec((-8.0..8.0f64, 0.0..3.0f64), 12)
        ) {
            let (margins, counts): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let targets = targets(12);
            let rows = RegressionRows { targets: &targets, counts: &counts, are_fractional: true };
            check_derivatives(rows, &margins)?;
        }

        #[test]
        fn the_loss_of_many_rows_is_the_sum_of_their_losses(
            margins in prop::collection::vec(-50.0..50.0f64, 0..1200)
        ) {
            let (targets, included) = (targets(margins.len()), included(margins.len()));
            let expected: f64 =
                (0..margins.len()).map(|i| included[i] * log_loss(margins[i], targets[i])).sum();
            let found = RegressionRows { targets: &targets, counts: &included, are_fractional: false }.loss(&margins);
            prop_assert!((found - expected).abs() <= 1e-12 * expected.max(1.0));
        }

        #[test]
        fn residuals_and_curvatures_are_derivatives_of_the_loss(
            margins in prop::collection::vec(-8.0..8.0f64, 12)
        ) {
            let (targets, included) = (targets(12), included(12));
            let rows = RegressionRows { targets: &targets, counts: &included, are_fractional: false };
            check_derivatives(rows, &margins)?;
        }
    }
}
