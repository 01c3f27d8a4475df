//! The Newton system by conjugate gradients: for many labels.
//!
//! In the coordinates of the step the barrier's part of the system is the identity, so that no preconditioner
//! is needed. A product costs two products of q×q matrices on either side of
//! [`Curvature::multiply`], whose work is proportional to the number of free coordinates.

use super::barrier::NewtonSystem;
use super::curvature::Curvature;
use super::scaling::Scaling;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot};

/// Residual at which a step is good enough, relative to the right-hand side.
const TOLERANCE: f64 = 0.05;
/// Most products for one step.
const MOST_PRODUCTS: usize = 500;

/// Solves the Newton system without forming it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConjugateGradients;

impl NewtonSystem for ConjugateGradients {
    fn solve(&mut self, curvature: &Curvature, scaling: &Scaling, rhs: &[f64]) -> Option<Matrix> {
        let size = rhs.len();
        let mut x = Matrix::zeros(size, size);
        let mut residual = Matrix::from_fn(size, size, |j, k| if j == k { rhs[j] } else { 0.0 });
        let mut direction = residual.clone();
        let mut square = dot(rhs, rhs);
        let target = TOLERANCE * TOLERANCE * square;
        for _ in 0..MOST_PRODUCTS {
            if square <= target {
                break;
            }
            let image = apply(curvature, scaling, &direction);
            let step = square / dot(direction.values(), image.values());
            add_scaled(x.values_mut(), step, direction.values());
            add_scaled(residual.values_mut(), -step, image.values());
            let next = dot(residual.values(), residual.values());
            for (d, r) in direction.values_mut().iter_mut().zip(residual.values()) {
                *d = r + next / square * *d;
            }
            square = next;
        }
        x.values()
            .iter()
            .all(|value| value.is_finite())
            .then_some(x)
    }
}

/// `X + RᵀH[RXRᵀ]R`.
fn apply(curvature: &Curvature, scaling: &Scaling, x: &Matrix) -> Matrix {
    let mut sum = scaling.inwards(&curvature.multiply(&scaling.outwards(x)));
    add_scaled(sum.values_mut(), 1.0, x.values());
    sum
}
