//! The Newton system assembled and factorised: for few labels.

use super::barrier::NewtonSystem;
use super::curvature::Curvature;
use super::packed::{congruence, index, packed_size, unpack};
use super::scaling::Scaling;
use crate::data::Matrix;
use crate::linalg::{Cholesky, multiply, multiply_transposed};

/// Assembles I + TᵀHT, T being the congruence with R, and factorises it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assembled;

impl NewtonSystem for Assembled {
    fn solve(&mut self, curvature: &Curvature, scaling: &Scaling, rhs: &[f64]) -> Option<Matrix> {
        let size = rhs.len();
        let to_metric = congruence(&scaling.r);
        let image = multiply(curvature.assemble().view(), to_metric.view());
        let mut matrix = multiply_transposed(to_metric.view(), image.view());
        (0..matrix.rows()).for_each(|k| matrix[(k, k)] += 1.0);
        let mut x = vec![0.0; packed_size(size)];
        for (k, value) in rhs.iter().enumerate() {
            x[index(size, k, k)] = *value;
        }
        Cholesky::new(matrix.view())?.solve(&mut x);
        Some(unpack(size, &x))
    }
}
