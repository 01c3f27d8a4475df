//! The penalty of each target by leave-one-out, and the regression at that penalty.

use super::RidgeSystem;
use crate::data::Matrix;
use crate::learn::LinearModel;
use crate::linalg::{Factorisation, Side, multiply, multiply_transposed};
use crate::{Error, Result, check_size};

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
        check_size(
            "rows of ridge targets",
            self.remainders.rows(),
            targets.rows(),
        )?;
        check_finite(targets)?;
        let centred = Centred::new(targets);
        let solutions = self.solutions(&centred.deviations);
        let predictions = self.leave_one_out(&centred, &solutions);
        let errors = mean_squared_errors(&predictions, targets);
        let count = targets.columns();
        let best: Vec<usize> = (0..count)
            .map(|target| least(&errors, target, count))
            .collect();
        let pick = |matrix: &Matrix| {
            Matrix::from_fn(matrix.rows(), count, |row, j| {
                matrix[(row, best[j] * count + j)]
            })
        };
        let coefficients = self.coefficients(factorisation, &pick(&solutions));
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
            leave_one_out: pick(&predictions),
            noise: best
                .iter()
                .enumerate()
                .map(|(j, &k)| errors[k * count + j])
                .collect(),
        })
    }

    /// v for every penalty and target, penalty by penalty: s × (penalties·m).
    fn solutions(&self, deviations: &Matrix) -> Matrix {
        let correlations = multiply(self.coordinates.view(), deviations.view());
        let count = deviations.columns();
        let mut solutions = Matrix::zeros(correlations.rows(), self.penalties.len() * count);
        for penalty in 0..self.penalties.len() {
            let mut v = correlations.clone();
            self.solve(penalty, &mut v);
            for row in 0..v.rows() {
                solutions.row_mut(row)[penalty * count..][..count].copy_from_slice(v.row(row));
            }
        }
        solutions
    }

    /// Leave-one-out predictions of every penalty and target: n × (penalties·m).
    fn leave_one_out(&self, centred: &Centred, solutions: &Matrix) -> Matrix {
        let mut predictions = multiply_transposed(self.coordinates.view(), solutions.view());
        let count = centred.means.len();
        for row in 0..predictions.rows() {
            let (remainders, deviations) = (self.remainders.row(row), centred.deviations.row(row));
            let groups = predictions.row_mut(row).chunks_exact_mut(count.max(1));
            for ((group, remainder), penalty) in groups.zip(remainders).zip(&self.penalties) {
                for ((value, deviation), mean) in
                    group.iter_mut().zip(deviations).zip(&centred.means)
                {
                    let residual = match self.side {
                        Side::Columns => deviation - *value,
                        Side::Rows => penalty * *value,
                    };
                    *value = mean + deviation - residual / remainder;
                }
            }
        }
        predictions
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

fn check_finite(targets: &Matrix) -> Result<()> {
    match targets.values().iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::Dataset {
            expected: "finite ridge targets".into(),
            found: value.to_string(),
        }),
    }
}

/// Targets and their means.
struct Centred {
    means: Vec<f64>,
    deviations: Matrix,
}

impl Centred {
    fn new(targets: &Matrix) -> Self {
        let rows = targets.rows() as f64;
        let mean = |target| targets.column(target).sum::<f64>() / rows;
        let means: Vec<f64> = (0..targets.columns()).map(mean).collect();
        let deviations = Matrix::from_fn(targets.rows(), targets.columns(), |row, target| {
            targets[(row, target)] - means[target]
        });
        Self { means, deviations }
    }
}

fn mean_squared_errors(predictions: &Matrix, targets: &Matrix) -> Vec<f64> {
    let mut sums = vec![0.0; predictions.columns()];
    for row in 0..predictions.rows() {
        let actual = targets.row(row).iter().cycle();
        for ((sum, predicted), actual) in sums.iter_mut().zip(predictions.row(row)).zip(actual) {
            *sum += (predicted - actual) * (predicted - actual);
        }
    }
    sums.iter()
        .map(|sum| sum / predictions.rows() as f64)
        .collect()
}

/// The penalty of least error of one target, the strongest of equal ones; errors lie penalty by penalty,
/// strongest first.
fn least(errors: &[f64], target: usize, targets: usize) -> usize {
    let candidates = errors[target..].iter().step_by(targets).enumerate();
    candidates
        .min_by(|a, b| a.1.total_cmp(b.1))
        .map_or(0, |(penalty, _)| penalty)
}
