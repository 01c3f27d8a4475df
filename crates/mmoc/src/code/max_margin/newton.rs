//! The Newton system assembled and factorised, for few labels.

use super::barrier::NewtonSystem;
use super::curvature::Curvature;
use super::newton_cg::ConjugateGradients;
use super::packed::{congruence, index, packed_size, unpack};
use super::scaling::NesterovTodd;
use crate::Result;
use crate::data::Matrix;
use crate::linalg::{Cholesky, multiply, multiply_transposed};

/// Assembles I + TᵀHT, where T is the congruence with R, and factorises it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assembled;

impl NewtonSystem for Assembled {
    fn is_exact(&self) -> bool {
        true
    }

    fn solve(
        &self,
        curvature: &Curvature,
        scaling: &NesterovTodd,
        rhs: &[f64],
        residual: f64,
    ) -> Result<Option<Matrix>> {
        let size = rhs.len();
        let to_metric = congruence(&scaling.r);
        let image = multiply(curvature.assemble().view(), to_metric.view());
        let mut matrix = multiply_transposed(to_metric.view(), image.view());
        (0..matrix.rows()).for_each(|k| matrix[(k, k)] += 1.0);
        let mut x = vec![0.0; packed_size(size)];
        for (k, value) in rhs.iter().enumerate() {
            x[index(size, k, k)] = *value;
        }
        let Some(factor) = Cholesky::new(matrix.view()) else {
            // Rounding errors made the assembled matrix indefinite. Conjugate gradients use only products with its
            // terms and lose less precision.
            return ConjugateGradients.solve(curvature, scaling, rhs, residual);
        };
        factor.solve(&mut x);
        Ok(Some(unpack(size, &x)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::packed::pack;
    use crate::code::max_margin::scaling::Spectrum;
    use crate::code::max_margin::testing::{
        assert_close, cube_points, definite, eliminate, problem, stream,
    };

    proptest! {
        #[test]
        fn the_solution_agrees_with_the_dense_system(labels in 1usize..6, seed: u64) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 20, labels, 10.0);
            let metric = definite(&mut stream, labels);
            let points = cube_points(&mut stream, 20, labels);
            let curvature = Curvature::at(&problem, &metric, &points);
            let lower = Cholesky::new(metric.view()).unwrap().lower();
            let spectrum = Spectrum::new(&lower, &definite(&mut stream, labels)).unwrap();
            let scaling = spectrum.scaling(&spectrum.theta);
            let rhs: Vec<f64> = (0..labels).map(|_| stream.gaussian()).collect();
            let found = Assembled.solve(&curvature, &scaling, &rhs, 0.0).unwrap().unwrap();
            // The columns of the system are the images of the packed unit matrices.
            let size = packed_size(labels);
            let mut columns = Vec::new();
            for k in 0..size {
                let mut unit = vec![0.0; size];
                unit[k] = 1.0;
                let unscaled = scaling.unscale(&unpack(labels, &unit));
                let mut image = pack(&scaling.scale(&curvature.multiply(&unscaled)));
                image[k] += 1.0;
                columns.push(image);
            }
            let system = Matrix::from_fn(size, size, |row, column| columns[column][row]);
            let diagonal = Matrix::from_fn(labels, labels, |j, k| if j == k { rhs[j] } else { 0.0 });
            let expected = eliminate(&system, &pack(&diagonal)).unwrap();
            assert_close(&found, &unpack(labels, &expected), 1e-8);
        }
    }
}
