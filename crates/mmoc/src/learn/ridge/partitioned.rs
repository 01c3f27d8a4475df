//! Ridge regression on rows in partitions: one sum for the Gram matrix and the cross products with the labels, from which
//! regressions at all penalties follow, and one for the leave-one-out errors of some targets.
//!
//! Targets are functions Vᵀ(y − o) of the labels, so that their cross products with the features are those of the labels
//! times V.

use serde::{Deserialize, Serialize};

use super::system::{CHUNK, Factor, QuadraticForms};
use super::{Ridge, RidgeParams};
use crate::data::{FeaturesView, Labels, Matrix};
use crate::learn::partitioned::{LinearFunctions, PartitionedRows, numbers_of};
use crate::learn::{LabelTargets, LinearModel};
use crate::linalg::{
    Tridiagonal, add_scaled, check_total_scatter, gram_of_columns, multiply, multiply_features,
    multiply_transposed, transposed, vectorised,
};
use crate::partitions::{Bulk, PackedMatrix, Partition, Reply, Share};
use crate::{Error, Result, check_size};

/// Columns up to which a Gram matrix is factorised: four matrices of that size take one GiB.
const MOST_COLUMNS: usize = 5792;

/// XᵀDX, upper triangle, then XᵀDY, then XᵀD1, with the diagonal matrix D of the weights.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct GramShare;

impl Share for GramShare {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let (x, q) = (partition.features(), partition.labels().count());
        let p = x.columns();
        let mut sums = gram_of_columns(x, partition.weights())?.into_values();
        let first = sums.len();
        sums.resize(first + p * q + p, 0.0);
        let (cross, means) = sums[first..].split_at_mut(p * q);
        for (row, members) in partition.labels().iter().enumerate() {
            let weight = partition.weight(row);
            x.for_each_in_row(row, |column, value| {
                let value = weight * value;
                means[column] += value;
                for &label in members {
                    cross[column * q + label as usize] += value;
                }
            });
        }
        Ok(Reply::sums(sums))
    }
}

/// The factorised Gram matrix of all rows, and their cross products with the labels.
#[derive(Debug)]
pub(crate) struct FactorisedGram {
    form: Tridiagonal,
    /// Qᵀ.
    pub(crate) basis: Matrix,
    /// XᵀD(Y − 1ȳᵀ), p×q.
    cross: Matrix,
    total_scatter: f64,
}

impl FactorisedGram {
    pub(crate) fn of(rows: &PartitionedRows) -> Result<Self> {
        let (p, q) = (rows.columns, rows.label_weights.len());
        if p > MOST_COLUMNS {
            return Err(Error::Parameter {
                parameter: "the number of features of rows in partitions",
                expected: format!("at most {MOST_COLUMNS} for ridge regressions"),
                found: p.to_string(),
            });
        }
        let mut sums = rows.rows.sum(&GramShare.into())?.only_sums()?;
        check_size("sums of a Gram matrix", p * p + p * q + p, sums.len())?;
        let means = sums.split_off(p * p + p * q);
        let mut cross = Matrix::new(p, q, sums.split_off(p * p))?;
        let mut gram = Matrix::new(p, p, sums)?;
        let label_means = rows.label_means();
        for (k, sum) in means.iter().enumerate() {
            add_scaled(cross.row_mut(k), -sum, &label_means);
        }
        if !rows.is_dense {
            for (k, mean) in rows.means.iter().enumerate() {
                let row = &mut gram.row_mut(k)[k..];
                add_scaled(row, -rows.total_weight * mean, &rows.means[k..]);
            }
        }
        let trace: f64 = (0..p).map(|k| gram[(k, k)]).sum();
        let negligible = trace <= p as f64 * rows.floor;
        let total_scatter = check_total_scatter(if negligible { 0.0 } else { trace })?;
        let form = Tridiagonal::new(gram);
        Ok(Self {
            basis: form.transposed_basis(),
            form,
            cross,
            total_scatter,
        })
    }

    pub(crate) fn form(&self) -> &Tridiagonal {
        &self.form
    }
}

/// What rows are predicted if they are left out, in part or in sum.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LeaveOneOut {
    /// Q, p×p.
    basis: PackedMatrix,
    factors: Vec<Factor>,
    /// The regressions of each target at each penalty, p×(penalties·targets), or at one penalty for each target.
    coefficients: PackedMatrix,
    /// −meansᵀ of the basis and of the coefficients, for rows that are not centred.
    shifts: Bulk<f64>,
    coefficient_shifts: Bulk<f64>,
    /// V, q×m; none for the labels themselves.
    directions: Option<PackedMatrix>,
    label_means: Bulk<f64>,
    total_weight: f64,
    /// The penalty of each target among the factors, and its mean, if predictions are wanted and not sums of squared
    /// errors.
    chosen: Option<(Vec<u32>, Bulk<f64>)>,
}

impl LeaveOneOut {
    /// 1 − h of the rows of a chunk, for each penalty.
    fn remainders(
        &self,
        partition: &Partition,
        first: usize,
        x: FeaturesView<'_>,
        basis: &Matrix,
    ) -> Vec<[f64; CHUNK]> {
        let coordinates = transposed(&shifted_product(x, basis, &self.shifts));
        let of_penalty = |factor: &Factor| {
            let mut remainders = vectorised(QuadraticForms {
                coordinates: &coordinates,
                factor,
                first: 0,
            });
            for (i, form) in remainders.iter_mut().take(x.rows()).enumerate() {
                let weight = partition.weight(first + i);
                let remainder = 1.0 - weight / self.total_weight - weight * *form;
                *form = remainder.max(f64::EPSILON);
            }
            remainders
        };
        self.factors.iter().map(of_penalty).collect()
    }

    /// Vᵀ(y − ȳ) of a row.
    fn deviations(&self, labels: &Labels, row: usize, directions: Option<&Matrix>) -> Vec<f64> {
        let members = labels.row(row);
        let Some(directions) = directions else {
            let mut deviations: Vec<f64> = self.label_means.iter().map(|mean| -mean).collect();
            members
                .iter()
                .for_each(|&label| deviations[label as usize] += 1.0);
            return deviations;
        };
        let mut deviations = vec![0.0; directions.columns()];
        for (label, mean) in self.label_means.iter().enumerate() {
            add_scaled(&mut deviations, -mean, directions.row(label));
        }
        for &label in members {
            add_scaled(&mut deviations, 1.0, directions.row(label as usize));
        }
        deviations
    }
}

impl Share for LeaveOneOut {
    /// The squared errors of each target at each penalty, weighted and summed; or the predictions of the rows, n×m.
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let basis = self.basis.clone().unpack()?;
        let coefficients = self.coefficients.clone().unpack()?;
        let directions = self
            .directions
            .clone()
            .map(PackedMatrix::unpack)
            .transpose()?;
        let targets = directions
            .as_ref()
            .map_or(self.label_means.len(), Matrix::columns);
        let mut sums = vec![0.0; coefficients.columns()];
        let mut predictions = Vec::new();
        for first in (0..partition.rows()).step_by(CHUNK) {
            let rows = first..partition.rows().min(first + CHUNK);
            let x = partition.features().rows_in(rows.clone());
            let remainders = self.remainders(partition, first, x, &basis);
            let fitted = shifted_product(x, &coefficients, &self.coefficient_shifts);
            for (i, row) in rows.enumerate() {
                let deviations = self.deviations(partition.labels(), row, directions.as_ref());
                let fitted = fitted.row(i);
                match &self.chosen {
                    None => {
                        let weight = partition.weight(row);
                        for (k, remainders) in remainders.iter().enumerate() {
                            for (j, deviation) in deviations.iter().enumerate() {
                                let error = (deviation - fitted[k * targets + j]) / remainders[i];
                                sums[k * targets + j] += weight * error * error;
                            }
                        }
                    }
                    Some((penalties, means)) => {
                        for (j, deviation) in deviations.iter().enumerate() {
                            let remainder = remainders[penalties[j] as usize][i];
                            let error = (deviation - fitted[j]) / remainder;
                            predictions.push(means[j] + deviation - error);
                        }
                    }
                }
            }
        }
        Ok(match self.chosen {
            None => Reply::sums(sums),
            Some(_) => Reply::numbers(Matrix::new(partition.rows(), targets, predictions)?),
        })
    }
}

/// X·B of rows, with shifts for those that are not centred.
fn shifted_product(x: FeaturesView<'_>, b: &Matrix, shifts: &[f64]) -> Matrix {
    let mut product = multiply_features(x, b.view());
    if shifts.iter().any(|shift| *shift != 0.0) {
        (0..product.rows()).for_each(|row| add_scaled(product.row_mut(row), 1.0, shifts));
    }
    product
}

/// Regressions on rows in partitions.
#[derive(Debug)]
pub(in crate::learn) struct PartitionedRidge<'a> {
    rows: &'a PartitionedRows,
    gram: &'a FactorisedGram,
    penalties: Vec<f64>,
    factors: Vec<Factor>,
}

impl RidgeParams {
    /// Prepares regressions on rows in partitions.
    pub(in crate::learn) fn partitioned<'a>(
        &self,
        rows: &'a PartitionedRows,
    ) -> Result<PartitionedRidge<'a>> {
        let gram = rows.gram()?;
        let penalties = self.penalties.resolve_or(self.penalty, gram.total_scatter);
        let factors = penalties
            .iter()
            .map(|&penalty| Factor::of(&gram.form, penalty));
        Ok(PartitionedRidge {
            rows,
            gram,
            factors: factors.collect(),
            penalties,
        })
    }
}

impl PartitionedRidge<'_> {
    /// The trace of XᵀX.
    pub(in crate::learn) fn total_scatter(&self) -> f64 {
        self.gram.total_scatter
    }

    /// Regresses functions of the labels. Held-out predictions are those of the sample.
    pub(in crate::learn) fn fit(&self, targets: &LabelTargets<'_>) -> Result<Ridge> {
        let right = self.right_sides(targets);
        let count = right.columns();
        let trials: Vec<Matrix> = self
            .factors
            .iter()
            .map(|factor| self.solved(&right, |_| factor))
            .collect();
        let all = Matrix::hstack(&trials.iter().collect::<Vec<_>>())?;
        let request = self.leave_one_out(targets, all, None);
        let errors = self.rows.rows.sum(&request.into())?.only_sums()?;
        let best = |target: usize| {
            let of_penalties = (0..self.penalties.len()).map(|k| (k, errors[k * count + target]));
            let least = of_penalties.min_by(|a, b| a.1.total_cmp(&b.1));
            least.map_or(0, |(penalty, _)| penalty)
        };
        let best: Vec<usize> = (0..count).map(best).collect();
        let coefficients = self.solved(&right, |target| &self.factors[best[target]]);
        let means = targets.mean(&self.rows.label_means());
        let chosen = best.iter().map(|&penalty| penalty as u32).collect();
        let chosen = Some((chosen, Bulk(means.clone())));
        let request = self.leave_one_out(targets, coefficients.clone(), chosen);
        let held_out = numbers_of(self.rows.sample(), &request.into())?;
        let noise = best.iter().enumerate();
        let noise = noise.map(|(j, k)| errors[k * count + j] / self.rows.total_weight);
        let intercepts = means.iter().zip(self.rows.shifts(&coefficients));
        Ok(Ridge {
            noise: noise.collect(),
            model: LinearModel::new(
                coefficients,
                intercepts.map(|(mean, shift)| mean + shift).collect(),
            )?,
            penalties: best.iter().map(|&k| self.penalties[k]).collect(),
            held_out,
            record: None,
        })
    }

    /// The fitted values of the rows of the sample, n×m, each target at a penalty of its own.
    pub(in crate::learn) fn fitted(
        &self,
        targets: &LabelTargets<'_>,
        penalties: &[f64],
    ) -> Result<Matrix> {
        let right = self.right_sides(targets);
        check_size(
            "penalties of ridge targets",
            right.columns(),
            penalties.len(),
        )?;
        let factors: Vec<Factor> = penalties
            .iter()
            .map(|&penalty| Factor::of(&self.gram.form, penalty))
            .collect();
        let coefficients = self.solved(&right, |target| &factors[target]);
        let means = targets.mean(&self.rows.label_means());
        let shifts = self.rows.shifts_of_rows(&coefficients);
        let intercepts = means.iter().zip(shifts);
        let intercepts = intercepts.map(|(mean, shift)| mean + shift).collect();
        let functions = LinearFunctions::new(coefficients, intercepts);
        self.rows.sample_values(functions)
    }

    /// QᵀXᵀD(T − 1t̄ᵀ), p×m.
    fn right_sides(&self, targets: &LabelTargets<'_>) -> Matrix {
        let cross = &self.gram.cross;
        match targets.directions() {
            None => multiply(self.gram.basis.view(), cross.view()),
            Some(directions) => {
                let cross = multiply(cross.view(), directions.view());
                multiply(self.gram.basis.view(), cross.view())
            }
        }
    }

    /// The coefficients of each target with a factor of its own, p×m.
    fn solved<'f>(&self, right: &Matrix, factor: impl Fn(usize) -> &'f Factor) -> Matrix {
        let mut solutions = right.clone();
        let mut column = Matrix::zeros(right.rows(), 1);
        for target in 0..right.columns() {
            for (k, value) in column.values_mut().iter_mut().enumerate() {
                *value = right[(k, target)];
            }
            factor(target).solve(&mut column);
            for (k, value) in column.values().iter().enumerate() {
                solutions[(k, target)] = *value;
            }
        }
        multiply_transposed(self.gram.basis.view(), solutions.view())
    }

    fn leave_one_out(
        &self,
        targets: &LabelTargets<'_>,
        coefficients: Matrix,
        chosen: Option<(Vec<u32>, Bulk<f64>)>,
    ) -> LeaveOneOut {
        let basis = transposed(&self.gram.basis);
        LeaveOneOut {
            shifts: Bulk(self.rows.shifts_of_rows(&basis)),
            coefficient_shifts: Bulk(self.rows.shifts_of_rows(&coefficients)),
            basis: basis.into(),
            factors: self.factors.clone(),
            coefficients: coefficients.into(),
            directions: targets.directions().cloned().map(PackedMatrix::from),
            label_means: Bulk(self.rows.label_means()),
            total_weight: self.rows.total_weight,
            chosen,
        }
    }
}
