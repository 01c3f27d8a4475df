//! The penalty of each target by leave-one-out, and the regression at that penalty.

use rayon::prelude::*;

use super::RidgeSystem;
use super::targets::Centred;
use crate::Result;
use crate::data::Matrix;
use crate::learn::LinearModel;
use crate::linalg::{Factorisation, Side, multiply, multiply_transposed};

/// Fitted ridge regressions, one per target.
#[derive(Debug, Clone)]
pub struct Ridge {
    model: LinearModel,
    penalties: Vec<f64>,
    leave_one_out: Matrix,
    noise: Vec<f64>,
}

impl Ridge {
    /// The regressions as functions of the features.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// The penalty chosen for each target.
    pub fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// What each training row is predicted by the regression fitted without it, n×m.
    pub fn leave_one_out(&self) -> &Matrix {
        &self.leave_one_out
    }

    /// σ̂²: the mean squared leave-one-out error of each target.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }
}

impl RidgeSystem {
    /// Regresses each column of `targets` on the features. The factorisation must be the one that the system
    /// was prepared from.
    pub fn fit(&self, factorisation: &Factorisation<'_>, targets: &Matrix) -> Result<Ridge> {
        let centred = Centred::new(targets, self.remainders.rows())?;
        let correlations = multiply(self.coordinates.view(), centred.deviations.view());
        let trials: Vec<Trial> = (0..self.penalties.len())
            .into_par_iter()
            .map(|penalty| self.try_penalty(penalty, &centred, correlations.clone()))
            .collect();
        let best: Vec<usize> = (0..targets.columns())
            .map(|j| least_error(&trials, j))
            .collect();
        let pick = |part: fn(&Trial) -> &Matrix| {
            Matrix::from_fn(part(&trials[0]).rows(), best.len(), |row, j| {
                part(&trials[best[j]])[(row, j)]
            })
        };
        let coefficients = self.coefficients(factorisation, &pick(|trial| &trial.solution));
        let shifts = factorisation.shifts(&coefficients);
        let intercepts = centred
            .means
            .iter()
            .zip(shifts)
            .map(|(mean, shift)| mean + shift);
        Ok(Ridge {
            model: LinearModel::new(coefficients, intercepts.collect())?,
            penalties: best
                .iter()
                .map(|&penalty| self.penalties[penalty])
                .collect(),
            leave_one_out: pick(|trial| &trial.predictions),
            noise: best
                .iter()
                .enumerate()
                .map(|(j, &penalty)| trials[penalty].errors[j])
                .collect(),
        })
    }

    /// All targets at one penalty, given Bᵀt.
    fn try_penalty(&self, penalty: usize, centred: &Centred, correlations: Matrix) -> Trial {
        let mut solution = correlations;
        self.solve(penalty, &mut solution);
        let mut predictions = multiply_transposed(self.coordinates.view(), solution.view());
        let mut errors = vec![0.0; centred.means.len()];
        for row in 0..predictions.rows() {
            let remainder = self.remainders[(row, penalty)];
            let deviations = centred.deviations.row(row);
            for (j, value) in predictions.row_mut(row).iter_mut().enumerate() {
                let residual = match self.side {
                    Side::Columns => deviations[j] - *value,
                    Side::Rows => self.penalties[penalty] * *value,
                };
                let error = residual / remainder;
                errors[j] += error * error;
                *value = centred.means[j] + deviations[j] - error;
            }
        }
        let rows = predictions.rows() as f64;
        errors.iter_mut().for_each(|error| *error /= rows);
        Trial {
            solution,
            predictions,
            errors,
        }
    }

    /// w for the chosen v of each target, p×m.
    fn coefficients(&self, factorisation: &Factorisation<'_>, solutions: &Matrix) -> Matrix {
        if let Some(basis) = &self.basis {
            return multiply_transposed(basis.view(), solutions.view());
        }
        let weights = multiply_transposed(self.coordinates.view(), solutions.view());
        factorisation.multiply_transposed(&weights)
    }
}

/// What one penalty gives for all targets.
struct Trial {
    /// v, s×m.
    solution: Matrix,
    /// Leave-one-out predictions, n×m.
    predictions: Matrix,
    /// Mean squared leave-one-out errors.
    errors: Vec<f64>,
}

/// The penalty of least error of a target, the strongest of equal ones; trials come strongest first.
fn least_error(trials: &[Trial], target: usize) -> usize {
    let errors = trials.iter().map(|trial| trial.errors[target]).enumerate();
    errors
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(penalty, _)| penalty)
}
