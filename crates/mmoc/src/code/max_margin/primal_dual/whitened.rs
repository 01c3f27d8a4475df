//! The dual problem in coordinates in which the scatter of the true residuals is the identity.
//!
//! S ⪰ 0 means mean φφᵀ ⪯ M with φ = ŷ − z and M = εI + mean eeᵀ. With M = VΛVᵀ and N = VΛ^(−½) this is Nᵀ(mean
//! φφᵀ)N ⪯ I: no singular value of ΦN, where Φ = Ŷ − Z is n×q, exceeds √n. If samples have weights, no singular value
//! of DΦN does, where D is diagonal with the roots of the weights relative to their mean.

use super::rows::{map_rows, weigh_row};
use crate::Result;
use crate::code::max_margin::Problem;
use crate::data::Matrix;
use crate::linalg::{gram, multiply, multiply_transposed, symmetric_eigen};

/// M and N of a problem.
#[derive(Debug)]
pub(super) struct Whitened {
    /// M = εI + mean eeᵀ.
    pub(super) scatter: Matrix,
    /// N with NNᵀ = M⁻¹.
    pub(super) whitening: Matrix,
}

impl Whitened {
    pub(super) fn new(problem: &Problem) -> Result<Self> {
        let mut residuals = problem.residuals().clone();
        map_rows(&mut residuals, |i, row| weigh_row(problem, i, row));
        let mut scatter = mean_square(&residuals);
        for j in 0..scatter.rows() {
            scatter[(j, j)] += problem.price();
        }
        let eigen = symmetric_eigen(scatter.clone())?;
        // No eigenvalue is below the price, up to rounding error.
        let lengths: Vec<f64> = eigen
            .values
            .iter()
            .map(|value| value.max(problem.price()).sqrt())
            .collect();
        let whitening = Matrix::from_fn(lengths.len(), lengths.len(), |j, k| {
            eigen.vectors[(j, k)] / lengths[k]
        });
        Ok(Self { scatter, whitening })
    }

    /// NᵀAN.
    pub(super) fn whiten(&self, a: &Matrix) -> Matrix {
        let half = multiply(a.view(), self.whitening.view());
        multiply_transposed(self.whitening.view(), half.view())
    }

    /// The square of the largest step length for alternating steps of Z and its multiplier, with coordinate j of Z
    /// in units of √M_jj: the smallest eigenvalue of M in these units.
    pub(super) fn longest_step_squared(&self) -> Result<f64> {
        let size = self.scatter.rows();
        let unit = |j: usize| self.scatter[(j, j)].sqrt();
        let correlations = Matrix::from_fn(size, size, |j, k| {
            self.scatter[(j, k)] / (unit(j) * unit(k))
        });
        let eigen = symmetric_eigen(correlations)?;
        Ok(eigen
            .values
            .last()
            .map_or(1.0, |least| least.max(f64::EPSILON)))
    }
}

/// Mean aaᵀ over the rows a of a matrix.
pub(super) fn mean_square(a: &Matrix) -> Matrix {
    let mut square = gram(a.view());
    let share = 1.0 / a.rows() as f64;
    square
        .values_mut()
        .iter_mut()
        .for_each(|value| *value *= share);
    square
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{any_problem, assert_close, diagonal, inner, stream};

    proptest! {
        #[test]
        fn the_scatter_of_true_residuals_is_the_identity(rows in 1usize..20, labels in 1usize..6, seed: u64) {
            let problem = any_problem(&mut stream(seed), rows, labels, 10.0);
            let whitened = Whitened::new(&problem).unwrap();
            let residuals = problem.residuals();
            for j in 0..labels {
                for k in 0..labels {
                    let products = (0..rows).map(|i| problem.share(i) * residuals[(i, j)] * residuals[(i, k)]);
                    let price = if j == k { problem.price() } else { 0.0 };
                    let expected = price + products.sum::<f64>();
                    prop_assert!((whitened.scatter[(j, k)] - expected).abs() < 1e-12);
                }
            }
            assert_close(&whitened.whiten(&whitened.scatter), &diagonal(&vec![1.0; labels]), 1e-9);
        }

        #[test]
        fn the_longest_step_is_one_over_the_norm_of_the_coupling(labels in 1usize..6, seed: u64) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, 20, labels, 10.0);
            let whitened = Whitened::new(&problem).unwrap();
            let longest = whitened.longest_step_squared().unwrap();
            // |DN| ≤ 1/longest for D = diag √M_jj, on any vector.
            let vector = crate::code::max_margin::testing::gaussian(&mut stream, 1, labels);
            let scaled = Matrix::from_fn(1, labels, |_, j| vector[(0, j)] * whitened.scatter[(j, j)].sqrt());
            let image = multiply(scaled.view(), whitened.whitening.view());
            prop_assert!(longest * inner(&image, &image) <= (1.0 + 1e-9) * inner(&vector, &vector));
        }
    }
}
