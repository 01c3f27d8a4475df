//! The Nesterov–Todd scaling: coordinates in which a metric and its dual matrix are equal.
//!
//! For Q = LLᵀ and a symmetric S let LᵀSL = U·diag(θ)·Uᵀ. With R = L·U·θ^(−¼) both R⁻¹QR⁻ᵀ and RᵀSR are diag(θ^½),
//! and in the coordinates D = RXRᵀ a primal-dual Newton step treats the two alike.

use crate::Result;
use crate::data::Matrix;
use crate::linalg::{multiply, multiply_by_transposed, multiply_transposed, symmetric_eigen};

/// L·U and θ.
#[derive(Debug)]
pub(super) struct Spectrum {
    axes: Matrix,
    /// The eigenvalues of QS, descending.
    pub(super) theta: Vec<f64>,
}

impl Spectrum {
    /// From the Cholesky factor L of a metric, and S.
    pub(super) fn new(lower: &Matrix, dual: &Matrix) -> Result<Self> {
        let inner = multiply_transposed(lower.view(), multiply(dual.view(), lower.view()).view());
        let eigen = symmetric_eigen(inner)?;
        Ok(Self {
            axes: multiply(lower.view(), eigen.vectors.view()),
            theta: eigen.values,
        })
    }

    /// The largest |θ/μ − 1|, zero at the centre of weight μ.
    pub(super) fn distance_from(&self, mu: f64) -> f64 {
        let distances = self.theta.iter().map(|theta| (theta / mu - 1.0).abs());
        distances.fold(0.0, f64::max)
    }

    /// The scaling with the given positive numbers in place of θ.
    pub(super) fn scaling(&self, theta: &[f64]) -> NesterovTodd {
        let roots: Vec<f64> = theta.iter().map(|theta| theta.sqrt()).collect();
        let r = Matrix::from_fn(roots.len(), roots.len(), |j, k| {
            self.axes[(j, k)] / roots[k].sqrt()
        });
        NesterovTodd { r, roots }
    }
}

/// R and θ^½.
#[derive(Debug)]
pub(super) struct NesterovTodd {
    /// R.
    pub(super) r: Matrix,
    /// θ^½.
    pub(super) roots: Vec<f64>,
}

impl NesterovTodd {
    /// RXRᵀ.
    pub(super) fn unscale(&self, x: &Matrix) -> Matrix {
        multiply_by_transposed(&multiply(self.r.view(), x.view()), &self.r)
    }

    /// RᵀPR.
    pub(super) fn scale(&self, p: &Matrix) -> Matrix {
        multiply_transposed(self.r.view(), multiply(p.view(), self.r.view()).view())
    }

    /// The eigenvalues of θ^(−¼)·X·θ^(−¼), descending: the size of a step X relative to the current point.
    pub(super) fn ratios(&self, x: &Matrix) -> Result<Vec<f64>> {
        let size = self.roots.len();
        let relative = Matrix::from_fn(size, size, |j, k| {
            x[(j, k)] / (self.roots[j] * self.roots[k]).sqrt()
        });
        Ok(symmetric_eigen(relative)?.values)
    }
}

/// The largest step length, at most one, that covers at most `share` of the distance to the boundary.
pub(super) fn longest_step(ratios: &[f64], share: f64) -> f64 {
    let lowest = ratios.iter().copied().fold(0.0, f64::min);
    if lowest < -share {
        -share / lowest
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{
        assert_close, definite, diagonal, inner, moved, stream, symmetric,
    };
    use crate::linalg::Cholesky;

    fn spectrum(metric: &Matrix, dual: &Matrix) -> Spectrum {
        let lower = Cholesky::new(metric.view()).unwrap().lower();
        Spectrum::new(&lower, dual).unwrap()
    }

    fn is_definite(matrix: &Matrix) -> bool {
        Cholesky::new(matrix.view()).is_some()
    }

    proptest! {
        #[test]
        fn scaled_metric_and_dual_are_the_same_diagonal_matrix(size in 1usize..8, seed: u64) {
            let mut stream = stream(seed);
            let (metric, dual) = (definite(&mut stream, size), definite(&mut stream, size));
            let spectrum = spectrum(&metric, &dual);
            let scaling = spectrum.scaling(&spectrum.theta);
            let roots = diagonal(&scaling.roots);
            // Q = R·diag·Rᵀ is equivalent to R⁻¹QR⁻ᵀ being diagonal.
            assert_close(&scaling.unscale(&roots), &metric, 1e-11);
            assert_close(&scaling.scale(&dual), &roots, 1e-9);
        }

        #[test]
        fn theta_are_the_eigenvalues_of_the_product(size in 1usize..8, seed: u64) {
            let mut stream = stream(seed);
            let (metric, dual) = (definite(&mut stream, size), symmetric(&mut stream, size));
            let theta = spectrum(&metric, &dual).theta;
            let product = multiply(metric.view(), dual.view());
            let transposed = multiply(dual.view(), metric.view());
            let size = theta.iter().map(|theta| theta.abs()).sum::<f64>();
            prop_assert!((theta.iter().sum::<f64>() - inner(&metric, &dual)).abs() <= 1e-11 * size);
            let squares = theta.iter().map(|theta| theta * theta).sum::<f64>();
            prop_assert!((squares - inner(&product, &transposed)).abs() <= 1e-10 * size * size);
        }

        #[test]
        fn the_lowest_ratio_gives_the_step_length_to_the_boundary(size in 1usize..8, seed: u64) {
            let mut stream = stream(seed);
            let (metric, dual) = (definite(&mut stream, size), symmetric(&mut stream, size));
            // Any positive numbers can replace θ.
            let substitutes: Vec<f64> = (0..size).map(|_| 0.1 + stream.uniform()).collect();
            let scaling = spectrum(&metric, &dual).scaling(&substitutes);
            let x = symmetric(&mut stream, size);
            let (step, ratios) = (scaling.unscale(&x), scaling.ratios(&x).unwrap());
            let lowest = *ratios.last().unwrap();
            let reach = if lowest < 0.0 { -1.0 / lowest } else { 1e3 };
            prop_assert!(is_definite(&moved(&metric, 0.999 * reach, &step)));
            if lowest < 0.0 {
                prop_assert!(!is_definite(&moved(&metric, 1.001 * reach, &step)));
            }
        }
    }

    #[test]
    fn a_step_is_shortened_only_near_the_boundary() {
        assert_eq!(longest_step(&[3.0, 0.5], 0.9), 1.0);
        assert_eq!(longest_step(&[3.0, -0.9], 0.9), 1.0);
        assert_eq!(longest_step(&[3.0, -1.8], 0.9), 0.5);
        assert_eq!(longest_step(&[], 0.9), 1.0);
    }
}
