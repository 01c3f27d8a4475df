//! The Newton system by conjugate gradients, for many labels.
//!
//! In the coordinates of the step the barrier's part of the system is the identity, so no preconditioner is needed.
//! A product costs two products of q×q matrices on either side of [`Curvature::multiply`], whose work is
//! proportional to the number of free coordinates.

use super::barrier::NewtonSystem;
use super::curvature::Curvature;
use super::scaling::NesterovTodd;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot};
use crate::{Result, check_stop};

/// Limit on products for one step.
const MOST_PRODUCTS: usize = 500;

/// Solves the Newton system without forming it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConjugateGradients;

impl NewtonSystem for ConjugateGradients {
    fn is_exact(&self) -> bool {
        false
    }

    fn solve(
        &self,
        curvature: &Curvature,
        scaling: &NesterovTodd,
        rhs: &[f64],
        residual: f64,
    ) -> Result<Option<Matrix>> {
        let size = rhs.len();
        let mut x = Matrix::zeros(size, size);
        let mut rest = Matrix::from_fn(size, size, |j, k| if j == k { rhs[j] } else { 0.0 });
        let mut direction = rest.clone();
        let mut square = dot(rhs, rhs);
        let target = residual * residual * square;
        for _ in 0..MOST_PRODUCTS {
            check_stop()?;
            if square <= target {
                break;
            }
            let image = apply(curvature, scaling, &direction);
            let step = square / dot(direction.values(), image.values());
            add_scaled(x.values_mut(), step, direction.values());
            add_scaled(rest.values_mut(), -step, image.values());
            let next = dot(rest.values(), rest.values());
            for (d, r) in direction.values_mut().iter_mut().zip(rest.values()) {
                *d = r + next / square * *d;
            }
            square = next;
        }
        let finite = x.values().iter().all(|value| value.is_finite());
        Ok(finite.then_some(x))
    }
}

/// `X + RᵀH[RXRᵀ]R`.
fn apply(curvature: &Curvature, scaling: &NesterovTodd, x: &Matrix) -> Matrix {
    let mut sum = scaling.scale(&curvature.multiply(&scaling.unscale(x)));
    add_scaled(sum.values_mut(), 1.0, x.values());
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::newton::Assembled;
    use crate::code::max_margin::scaling::Spectrum;
    use crate::code::max_margin::testing::{
        assert_close, cube_points, definite, diagonal, moved, norm, problem, stream,
    };
    use crate::linalg::Cholesky;

    fn parts(labels: usize, seed: u64) -> (Curvature, NesterovTodd, Vec<f64>) {
        let mut stream = stream(seed);
        let problem = problem(&mut stream, 20, labels, 10.0);
        let metric = definite(&mut stream, labels);
        let points = cube_points(&mut stream, 20, labels);
        let curvature = Curvature::at(&problem, &metric, &points);
        let lower = Cholesky::new(metric.view()).unwrap().lower();
        let spectrum = Spectrum::new(&lower, &definite(&mut stream, labels)).unwrap();
        let rhs = (0..labels).map(|_| stream.gaussian()).collect();
        (curvature, spectrum.scaling(&spectrum.theta), rhs)
    }

    proptest! {
        #[test]
        fn the_residual_is_small_and_so_is_the_error(labels in 1usize..7, seed: u64) {
            let (curvature, scaling, rhs) = parts(labels, seed);
            let rhs_matrix = diagonal(&rhs);
            let exact = Assembled.solve(&curvature, &scaling, &rhs, 0.0).unwrap().unwrap();
            for residual in [0.05, 1e-6] {
                let x = ConjugateGradients.solve(&curvature, &scaling, &rhs, residual);
                let x = x.unwrap().unwrap();
                let rest = moved(&apply(&curvature, &scaling, &x), -1.0, &rhs_matrix);
                let allowed = 1.0001 * residual * norm(&rhs_matrix);
                prop_assert!(norm(&rest) <= allowed);
                // No eigenvalue of the system is below one, so the error is at most the residual.
                prop_assert!(norm(&moved(&x, -1.0, &exact)) <= allowed + 1e-8 * norm(&exact));
            }
        }

        #[test]
        fn the_assembled_solution_satisfies_the_same_equation(labels in 1usize..7, seed: u64) {
            let (curvature, scaling, rhs) = parts(labels, seed);
            let x = Assembled.solve(&curvature, &scaling, &rhs, 0.0).unwrap().unwrap();
            assert_close(&apply(&curvature, &scaling, &x), &diagonal(&rhs), 1e-8);
        }
    }

    #[test]
    fn the_step_at_the_centre_is_zero() {
        let (curvature, scaling, _) = parts(3, 1);
        let x = ConjugateGradients
            .solve(&curvature, &scaling, &[0.0; 3], 0.05)
            .unwrap();
        assert_eq!(x, Some(Matrix::zeros(3, 3)));
    }
}
