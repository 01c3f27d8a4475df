//! The rank test of Friedman (1937) and its refinement by Iman & Davenport (1980).

use serde::Serialize;

use super::distributions::{chi_squared_tail, f_tail};
use super::ranks::Ranks;

/// The test of whether k methods rank alike over N blocks (data sets, or runs on one).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Friedman {
    /// χ² = (k − 1) N² Σⱼ (R̄ⱼ − (k + 1)/2)² / Σᵢⱼ (rᵢⱼ − (k + 1)/2)², where R̄ⱼ is the mean rank of method j and
    /// rᵢⱼ its rank in block i. Without ties this is 12N/(k(k + 1)) · Σⱼ (R̄ⱼ − (k + 1)/2)². Zero where every
    /// block ties all methods.
    pub chi_squared: f64,
    /// Degrees of freedom, k − 1.
    pub degrees: usize,
    /// The probability of a χ² at least as great.
    pub p_value: f64,
    /// The less conservative test on the same statistic.
    pub iman_davenport: ImanDavenport,
}

/// The F-test of Iman & Davenport, whose level is nearer to what it claims than that of χ².
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ImanDavenport {
    /// F = (N − 1)χ²/(N(k − 1) − χ²). Absent where it is infinite: all blocks rank the methods alike.
    pub f: Option<f64>,
    /// Degrees of freedom above and below: k − 1 and (k − 1)(N − 1).
    pub degrees: (usize, usize),
    /// The probability of an F at least as great.
    pub p_value: f64,
}

impl Friedman {
    /// The test of the ranks of some blocks, each of the same methods; two of either at least.
    pub(super) fn of(blocks: &[Ranks], average_ranks: &[f64]) -> Self {
        let (count, methods) = (blocks.len(), average_ranks.len());
        let middle = f64::midpoint(methods as f64, 1.0);
        let off_middle = |rank: &f64| (rank - middle) * (rank - middle);
        let between: f64 = average_ranks.iter().map(off_middle).sum();
        let total: f64 = blocks
            .iter()
            .flat_map(|block| &block.ranks)
            .map(off_middle)
            .sum();
        let degrees = methods - 1;
        let most = (count * degrees) as f64;
        // The rounding of the mean ranks must not make more of agreement than there is.
        let share = if total > 0.0 {
            (count as f64 * between / total).min(1.0)
        } else {
            0.0
        };
        let chi_squared = most * share;
        Self {
            chi_squared,
            degrees,
            p_value: chi_squared_tail(chi_squared, degrees as f64),
            iman_davenport: ImanDavenport::of(share, count, degrees),
        }
    }
}

impl ImanDavenport {
    /// The test from the share χ²/(N(k − 1)) of the greatest χ² there could be.
    fn of(share: f64, blocks: usize, degrees: usize) -> Self {
        let below = degrees * (blocks - 1);
        // Shares next to one come of rounding: the next below it is off by at least 1/(N k²).
        let f = (share < 1.0 - 1e-12).then(|| (blocks as f64 - 1.0) * share / (1.0 - share));
        let tail = |f| f_tail(f, degrees as f64, below as f64);
        Self {
            f,
            degrees: (degrees, below),
            p_value: f.map_or(0.0, tail),
        }
    }
}
