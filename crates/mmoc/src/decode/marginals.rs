//! Marginal probabilities of the labels.

use crate::data::Matrix;

/// Marginals stay this far from zero, and from one by the spacing of numbers there.
const SMALLEST: f64 = f64::MIN_POSITIVE;
const LARGEST: f64 = 1.0 - f64::EPSILON / 2.0;

/// The marginals of some rows.
#[derive(Debug)]
pub(super) struct Marginals {
    /// The log-odds of the marginals, n×q, finite.
    pub(super) log_odds: Matrix,
    /// The marginals, strictly between 0 and 1, n×q.
    pub(super) probabilities: Matrix,
}

/// The nearest probability that is neither zero nor one.
#[inline(always)]
pub(crate) fn strictly_inside(probability: f64) -> f64 {
    probability.clamp(SMALLEST, LARGEST)
}
