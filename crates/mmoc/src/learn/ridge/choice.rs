//! The penalty of each target by leave-one-out, and the regression at that penalty.

use rayon::prelude::*;

use super::targets::CentredTargets;
use super::{Ridge, RidgeSystem};
use crate::Result;
use crate::data::Matrix;
use crate::learn::LinearModel;
use crate::linalg::Side;

impl RidgeSystem<'_> {
    /// Regresses each column of `targets` on the features.
    ///
    /// Beside its result it takes the room of one n×m matrix for each thread.
    pub fn fit(&self, targets: &Matrix) -> Result<Ridge> {
        let centred = self.centred(targets)?;
        let (coordinates, factorisation) = (&self.coordinates, &self.factorisation);
        let correlations = coordinates.correlations(factorisation, &centred.deviations);
        let trials: Vec<Vec<f64>> = (0..self.penalties.len())
            .into_par_iter()
            .map(|penalty| self.try_penalty(penalty, &centred, &correlations))
            .collect();
        let best: Vec<usize> = (0..targets.columns())
            .map(|j| least_error(&trials, j))
            .collect();
        let penalties: Vec<f64> = best.iter().map(|&k| self.penalties[k]).collect();
        let mut solutions = correlations;
        self.solve_each(&penalties, &mut solutions);
        let errors = self.leave_one_out_errors(&solutions, &centred, |j| best[j]);
        let coefficients = coordinates.coefficients(factorisation, &solutions);
        let shifts = factorisation.shifts(&coefficients);
        let intercepts = centred.means.iter().zip(shifts);
        Ok(Ridge {
            model: LinearModel::new(coefficients, intercepts.map(|(m, s)| m + s).collect())?,
            penalties,
            noise: (0..best.len()).map(|j| trials[best[j]][j]).collect(),
            held_out: Matrix::from_fn(errors.rows(), errors.columns(), |row, j| {
                centred.means[j] + centred.deviations[(row, j)] - errors[(row, j)]
            }),
            record: None,
        })
    }

    /// The mean squared leave-one-out error of each target at one penalty, given BᵀDt.
    fn try_penalty(
        &self,
        penalty: usize,
        centred: &CentredTargets,
        correlations: &Matrix,
    ) -> Vec<f64> {
        let mut solutions = correlations.clone();
        self.solve(penalty, &mut solutions);
        let errors = self.leave_one_out_errors(&solutions, centred, |_| penalty);
        let mut squares = vec![0.0; errors.columns()];
        for row in 0..errors.rows() {
            let weight = self.factorisation.weight(row);
            let pairs = squares.iter_mut().zip(errors.row(row));
            pairs.for_each(|(square, error)| *square += weight * error * error);
        }
        let total = self.factorisation.total_weight();
        squares.iter_mut().for_each(|square| *square /= total);
        squares
    }

    /// How far each row is from what it would be predicted had it been left out, for the solutions v of each target at
    /// its own penalty of the grid.
    fn leave_one_out_errors(
        &self,
        solutions: &Matrix,
        centred: &CentredTargets,
        penalty_of: impl Fn(usize) -> usize,
    ) -> Matrix {
        let mut errors = self
            .coordinates
            .combinations(&self.factorisation, solutions);
        for row in 0..errors.rows() {
            let (remainders, deviations) = (self.remainders.row(row), centred.deviations.row(row));
            for (j, value) in errors.row_mut(row).iter_mut().enumerate() {
                let residual = match self.side {
                    Side::Columns => deviations[j] - *value,
                    Side::Rows => self.penalties[penalty_of(j)] * *value,
                };
                *value = residual / remainders[penalty_of(j)];
            }
        }
        errors
    }
}

/// The penalty of least error of a target, the strongest of equal ones; trials come strongest first.
fn least_error(trials: &[Vec<f64>], target: usize) -> usize {
    let errors = trials.iter().map(|errors| errors[target]).enumerate();
    errors
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(penalty, _)| penalty)
}
