//! What regressions at given penalties say about the rows they were fitted to.

use super::RidgeSystem;
use super::targets::check_penalties;
use crate::Result;
use crate::data::Matrix;
use crate::linalg::Side;

impl RidgeSystem<'_> {
    /// The fitted values of the training rows, n×m: each target regressed at a penalty of its own, which need
    /// not be on the grid.
    ///
    /// With (T + αI)·v = BᵀDt they are t̄ + B·v, or, where XXᵀ was factorised, t − α·B·v.
    pub fn fitted(&self, targets: &Matrix, penalties: &[f64]) -> Result<Matrix> {
        let centred = self.centred(targets)?;
        check_penalties(targets, penalties)?;
        let (coordinates, factorisation) = (&self.coordinates, &self.factorisation);
        let mut solutions = coordinates.correlations(factorisation, &centred.deviations);
        self.solve_each(penalties, &mut solutions);
        let mut fitted = coordinates.combinations(factorisation, &solutions);
        for row in 0..fitted.rows() {
            let deviations = centred.deviations.row(row);
            for (j, value) in fitted.row_mut(row).iter_mut().enumerate() {
                let deviation = match self.side {
                    Side::Columns => *value,
                    Side::Rows => deviations[j] - penalties[j] * *value,
                };
                *value = centred.means[j] + deviation;
            }
        }
        Ok(fitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::{Csr, Features};
    use crate::learn::ridge::RidgeParams;
    use crate::linalg::{Cholesky, Factorisation, multiply, multiply_transposed};

    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        Matrix::from_fn(rows, columns, |_, _| 1.0 + stream.gaussian())
    }

    fn centred(matrix: &Matrix) -> Matrix {
        Matrix::from_fn(matrix.rows(), matrix.columns(), |i, j| {
            matrix[(i, j)] - matrix.column(j).sum::<f64>() / matrix.rows() as f64
        })
    }

    /// t̄ + X(XᵀX + αI)⁻¹Xᵀ(t − t̄), target by target.
    fn by_normal_equations(x: &Matrix, targets: &Matrix, penalties: &[f64]) -> Matrix {
        let (xc, tc) = (centred(x), centred(targets));
        let gram = multiply_transposed(xc.view(), xc.view());
        let right = multiply_transposed(xc.view(), tc.view());
        let mut fitted = Matrix::zeros(targets.rows(), targets.columns());
        for (j, &penalty) in penalties.iter().enumerate() {
            let system = Matrix::from_fn(gram.rows(), gram.rows(), |a, b| {
                gram[(a, b)] + if a == b { penalty } else { 0.0 }
            });
            let inverse = Cholesky::new(system.view())
                .map(|factor| factor.inverse())
                .unwrap();
            let fits = multiply(xc.view(), multiply(inverse.view(), right.view()).view());
            for i in 0..targets.rows() {
                fitted[(i, j)] = targets[(i, j)] - tc[(i, j)] + fits[(i, j)];
            }
        }
        fitted
    }

    fn sparse(dense: &Matrix) -> Features {
        let (rows, columns) = (dense.rows(), dense.columns());
        let offsets = (0..=rows).map(|row| row * columns).collect();
        let indices = (0..rows).flat_map(|_| 0..columns as u32).collect();
        let values = dense.values().to_vec();
        Features::Sparse(Csr::new(columns, offsets, indices, values).unwrap())
    }

    fn fitted(x: &Features, targets: &Matrix, penalties: &[f64]) -> Result<Matrix> {
        let factorisation = Factorisation::new(x.view())?;
        let system = RidgeParams::default().prepare(&factorisation)?;
        system.fitted(targets, penalties)
    }

    #[test]
    fn fitted_values_are_those_of_the_normal_equations() {
        let penalties = [0.01, 3.7, 250.0];
        for (rows, columns) in [(30, 6), (12, 12), (13, 12), (10, 40), (25, 1)] {
            let (x, targets) = (random(rows, columns, 1), random(rows, 3, 2));
            let expected = by_normal_equations(&x, &targets, &penalties);
            for features in [sparse(&x), Features::Dense(x.clone())] {
                let found = fitted(&features, &targets, &penalties).unwrap();
                for (a, b) in found.values().iter().zip(expected.values()) {
                    assert!((a - b).abs() < 1e-10, "{rows}×{columns}: {a}, {b}");
                }
            }
        }
    }

    #[test]
    fn fitted_values_are_the_predictions_of_the_model_at_the_chosen_penalty() {
        for (rows, columns) in [(30, 6), (10, 40)] {
            let (x, targets) = (random(rows, columns, 3), random(rows, 2, 4));
            let x = Features::Dense(x);
            let factorisation = Factorisation::new(x.view()).unwrap();
            let system = RidgeParams::default().prepare(&factorisation).unwrap();
            let ridge = system.fit(&targets).unwrap();
            let expected = ridge.model().predict(x.view()).unwrap();
            let found = system.fitted(&targets, ridge.penalties());
            for (a, b) in found.unwrap().values().iter().zip(expected.values()) {
                assert!((a - b).abs() < 1e-10, "{rows}×{columns}: {a}, {b}");
            }
        }
    }

    #[test]
    fn refuses_penalties_that_are_no_positive_numbers_or_too_few() {
        let (x, targets) = (Features::Dense(random(8, 3, 5)), random(8, 2, 6));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(fitted(&x, &targets, &[1.0, bad]).is_err(), "{bad}");
        }
        assert!(fitted(&x, &targets, &[1.0]).is_err());
        assert!(fitted(&x, &random(7, 2, 6), &[1.0, 1.0]).is_err());
    }
}
