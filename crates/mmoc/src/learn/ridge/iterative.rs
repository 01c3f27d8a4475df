//! Regressions by conjugate gradients with penalties chosen by folds, for features that are too large to factorise.
//!
//! For every target and fold the regressions of all penalties share one Krylov space ([`Shifted`]). The penalty of
//! smallest squared error over the held-out rows is kept, ties going to the strongest, and the target is regressed
//! on all rows at that penalty. Held-out predictions are out-of-fold.

use rayon::prelude::*;

use super::block::{IncludedRows, RegressionBlock, RegressionTask, width};
use super::shifted::{Limits, Shifted};
use super::targets::{CentredTargets, check_penalties};
use super::{Ridge, RidgeParams, RidgeRecord};
use crate::data::{Folds, Matrix};
use crate::learn::groups::groups_of;
use crate::learn::{Basis, LinearModel};
use crate::{Result, check_size};

/// Maximum number of targets that one thread regresses together, each with its folds.
const TARGETS_AT_ONCE: usize = 8;
/// Gradient relative to that at w = 0 at which a regression has converged. Those of folds only choose a penalty and
/// predict held-out rows; for them its square root is enough.
const TOLERANCE: f64 = 1e-8;
/// Limit on conjugate gradient steps.
const MOST_STEPS: usize = 1000;

/// Regressions on given features by iteration.
#[derive(Debug)]
pub struct IterativeRidge<'a> {
    basis: Basis<'a>,
    penalties: Vec<f64>,
    folds: Vec<RidgeFold>,
    everywhere: IncludedRows,
    limits: Limits,
}

#[derive(Debug)]
struct RidgeFold {
    others: IncludedRows,
    held_out: Vec<usize>,
}

impl RidgeParams {
    /// Prepares regressions by iteration, each row with the weight that it has in the basis.
    pub fn iterate<'a>(&self, basis: &Basis<'a>, folds: &Folds) -> Result<IterativeRidge<'a>> {
        let rows = basis.rows();
        check_size("rows in folds", rows, folds.of_row().len())?;
        let everywhere = IncludedRows::all(rows, basis.row_weights());
        let fold = |held_out: Vec<usize>| RidgeFold {
            others: everywhere.without(&held_out),
            held_out,
        };
        let total = basis.scatters().iter().sum();
        Ok(IterativeRidge {
            basis: basis.clone(),
            penalties: self.penalties.resolve_or(self.penalty, total),
            folds: (0..folds.count()).map(|k| fold(folds.rows(k))).collect(),
            everywhere,
            limits: Limits {
                tolerance: TOLERANCE,
                most_steps: MOST_STEPS,
            },
        })
    }
}

/// The penalty chosen for a target, with its held-out predictions.
struct ChosenPenalty {
    penalty: f64,
    error: f64,
    held_out: Vec<f64>,
}

/// The regression of a target on all rows.
struct RidgeSolution {
    coefficients: Vec<f64>,
    /// X·w.
    values: Vec<f64>,
}

impl IterativeRidge<'_> {
    /// The trace of XᵀX.
    pub fn total_scatter(&self) -> f64 {
        self.basis.scatters().iter().sum()
    }

    /// Regresses each column of `targets` on the features.
    pub fn fit(&self, targets: &Matrix) -> Result<Ridge> {
        let centred = self.centred(targets)?;
        let columns = columns_of(&centred.deviations);
        let (choices, mut record) = in_groups(&columns, |group, _| self.choose(group))?;
        let penalties: Vec<f64> = choices.iter().map(|choice| choice.penalty).collect();
        let (solutions, of_all_rows) = self.solve_at(&columns, &penalties)?;
        record.merge(&of_all_rows);
        let coefficients = Matrix::from_fn(self.basis.scatters().len(), columns.len(), |k, j| {
            solutions[j].coefficients[k]
        });
        let (coefficients, shifts) = self.basis.to_original(&coefficients);
        let intercepts = shifts.iter().enumerate().map(|(j, shift)| {
            let offset = self.everywhere.mean(&solutions[j].values);
            centred.means[j] - offset + shift
        });
        Ok(Ridge {
            model: LinearModel::new(coefficients, intercepts.collect())?,
            penalties,
            held_out: Matrix::from_fn(self.basis.rows(), columns.len(), |row, j| {
                centred.means[j] + choices[j].held_out[row]
            }),
            noise: choices.iter().map(|choice| choice.error).collect(),
            record: Some(record),
        })
    }

    /// The fitted values of the training rows, n×m, each target with its own penalty, which need not be on the
    /// grid.
    pub fn fitted(&self, targets: &Matrix, penalties: &[f64]) -> Result<(Matrix, RidgeRecord)> {
        let centred = self.centred(targets)?;
        let columns = columns_of(&centred.deviations);
        check_penalties(targets, penalties)?;
        let (solutions, record) = self.solve_at(&columns, penalties)?;
        let offset = |solution: &RidgeSolution| self.everywhere.mean(&solution.values);
        let offsets: Vec<f64> = solutions.iter().map(offset).collect();
        let fitted = Matrix::from_fn(self.basis.rows(), columns.len(), |row, j| {
            centred.means[j] + solutions[j].values[row] - offsets[j]
        });
        Ok((fitted, record))
    }

    /// Centres targets at their means.
    fn centred(&self, targets: &Matrix) -> Result<CentredTargets> {
        CentredTargets::new(targets, self.basis.rows(), self.basis.row_weights())
    }

    /// Chooses the penalties of several targets.
    fn choose(&self, targets: &[Vec<f64>]) -> Result<(Vec<ChosenPenalty>, RidgeRecord)> {
        let tasks: Vec<RegressionTask<'_>> = targets
            .iter()
            .flat_map(|target| {
                self.folds.iter().map(|fold| RegressionTask {
                    target,
                    rows: &fold.others,
                    penalties: &self.penalties,
                })
            })
            .collect();
        let limits = Limits {
            tolerance: self.limits.tolerance.sqrt(),
            ..self.limits
        };
        let mut block = RegressionBlock::new(self.basis.design());
        let mut record = RidgeRecord::default();
        let unknown = || Matrix::zeros(self.penalties.len(), self.basis.rows());
        let mut predictions: Vec<Matrix> = targets.iter().map(|_| unknown()).collect();
        let side_by_side = width(self.basis.design(), self.penalties.len());
        for first in (0..tasks.len()).step_by(side_by_side) {
            let some = &tasks[first..tasks.len().min(first + side_by_side)];
            for (k, systems) in block.solve(some, limits)?.iter().enumerate() {
                let (target, fold) = (
                    (first + k) / self.folds.len(),
                    &self.folds[(first + k) % self.folds.len()],
                );
                fold.predict(&mut block, &some[k], systems, &mut predictions[target]);
                record.regressions += self.penalties.len();
                record.converged += systems.solved();
                record.steps += systems.steps();
            }
        }
        let pairs = targets.iter().zip(&predictions);
        let choices = pairs.map(|(target, trials)| self.least_error(target, trials));
        Ok((choices.collect(), record))
    }

    /// The penalty of smallest squared error; ties go to the strongest.
    fn least_error(&self, target: &[f64], trials: &Matrix) -> ChosenPenalty {
        let error = |penalty: usize| self.everywhere.mean_square(target, trials.row(penalty));
        let errors: Vec<f64> = (0..trials.rows()).map(error).collect();
        let best = (0..errors.len())
            .min_by(|&a, &b| errors[a].total_cmp(&errors[b]))
            .unwrap_or(0);
        ChosenPenalty {
            penalty: self.penalties[best],
            error: errors[best],
            held_out: trials.row(best).to_vec(),
        }
    }

    /// Regressions on all rows, each target with its own penalty.
    fn solve_at(
        &self,
        targets: &[Vec<f64>],
        penalties: &[f64],
    ) -> Result<(Vec<RidgeSolution>, RidgeRecord)> {
        in_groups(targets, |group, first| {
            let tasks: Vec<RegressionTask<'_>> = group
                .iter()
                .zip(first..)
                .map(|(target, place)| RegressionTask {
                    target,
                    rows: &self.everywhere,
                    penalties: &penalties[place..=place],
                })
                .collect();
            let mut record = RidgeRecord::default();
            let mut solutions = Vec::with_capacity(tasks.len());
            let mut block = RegressionBlock::new(self.basis.design());
            for some in tasks.chunks(width(self.basis.design(), 1)) {
                let solved = self.solve_and_certify(&mut block, some, &mut record)?;
                solutions.extend(solved);
            }
            Ok((solutions, record))
        })
    }

    fn solve_and_certify(
        &self,
        block: &mut RegressionBlock<'_>,
        tasks: &[RegressionTask<'_>],
        record: &mut RidgeRecord,
    ) -> Result<Vec<RidgeSolution>> {
        // Half of the tolerance allows for rounding errors in the recursively updated residuals.
        let limits = Limits {
            tolerance: 0.5 * self.limits.tolerance,
            ..self.limits
        };
        let solved = block.solve(tasks, limits)?;
        for gradient in block.relative_gradients(tasks, &solved) {
            record.regressions += 1;
            record.converged += usize::from(gradient <= self.limits.tolerance);
            // NaN counts as the largest value, since JSON cannot represent it.
            record.worst_gradient = record.worst_gradient.max(gradient.min(f64::MAX));
        }
        record.steps += solved.iter().map(Shifted::steps).sum::<usize>();
        let values = block.predict(solved.iter().flat_map(Shifted::solutions));
        let values = values.chunks_exact(self.basis.rows());
        let pairs = solved.iter().flat_map(Shifted::solutions).zip(values);
        Ok(pairs
            .map(|(coefficients, values)| RidgeSolution {
                coefficients: coefficients.to_vec(),
                values: values.to_vec(),
            })
            .collect())
    }
}

impl RidgeFold {
    /// Predictions of the held-out rows at each penalty.
    fn predict(
        &self,
        block: &mut RegressionBlock<'_>,
        task: &RegressionTask<'_>,
        systems: &Shifted,
        predictions: &mut Matrix,
    ) {
        let base = self.others.mean(task.target);
        let values = block.predict(systems.solutions());
        for (penalty, values) in values.chunks_exact(task.target.len()).enumerate() {
            let shift = base - self.others.mean(values);
            for &row in &self.held_out {
                predictions[(penalty, row)] = values[row] + shift;
            }
        }
    }
}

/// Applies a function to groups of targets, given the index of the first of each.
fn in_groups<T: Send>(
    targets: &[Vec<f64>],
    work: impl Fn(&[Vec<f64>], usize) -> Result<(Vec<T>, RidgeRecord)> + Sync,
) -> Result<(Vec<T>, RidgeRecord)> {
    let parts: Vec<(Vec<T>, RidgeRecord)> = groups_of(targets, TARGETS_AT_ONCE)
        .map(|(first, group)| work(group, first))
        .collect::<Result<_>>()?;
    let mut record = RidgeRecord::default();
    parts.iter().for_each(|(_, part)| record.merge(part));
    let all = parts.into_iter().flat_map(|(found, _)| found).collect();
    Ok((all, record))
}

fn columns_of(matrix: &Matrix) -> Vec<Vec<f64>> {
    let columns = 0..matrix.columns();
    columns.map(|j| matrix.column(j).collect()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seed;
    use crate::data::{Csr, Features};
    use crate::learn::PenaltyGrid;
    use crate::linalg::Factorisation;

    /// About half of the values are zero.
    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        Matrix::from_fn(rows, columns, |_, _| stream.gaussian().max(0.0))
    }

    fn three_folds(rows: usize) -> Folds {
        Folds::new((0..rows).map(|row| row % 3).collect()).unwrap()
    }

    fn both_forms(x: &Matrix) -> [Features; 2] {
        [Features::Sparse(Csr::from(x)), Features::Dense(x.clone())]
    }

    fn tight(mut ridge: IterativeRidge<'_>) -> IterativeRidge<'_> {
        ridge.limits.tolerance = 1e-13;
        ridge
    }

    fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
        assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < tolerance, "{x} is not {y}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn regressions_agree_with_factorisation_and_with_refits_without_each_fold(
            rows in 9usize..40, columns in 1usize..30, seed in 0..1000u64, share in -5i32..1
        ) {
            let (x, targets) = (random(rows, columns, seed), random(rows, 3, seed + 1));
            let folds = three_folds(rows);
            let params = RidgeParams {
                penalty: Some(10f64.powi(share)),
                ..RidgeParams::default()
            };
            for features in both_forms(&x) {
                let basis = Basis::plain(features.view()).unwrap();
                let found = tight(params.iterate(&basis, &folds).unwrap()).fit(&targets).unwrap();
                prop_assert!(found.record().unwrap().worst_gradient < 1e-9);
                let factorisation = Factorisation::new(features.view()).unwrap();
                let system = params.prepare(&factorisation).unwrap();
                let expected = system.fit(&targets).unwrap();
                for (a, b) in found.penalties().iter().zip(expected.penalties()) {
                    prop_assert!((a / b - 1.0).abs() < 1e-12);
                }
                assert_close(found.model().coefficients(), expected.model().coefficients(), 1e-6);
                let fits = |ridge: &Ridge| ridge.model().predict(features.view()).unwrap();
                assert_close(&fits(&found), &fits(&expected), 1e-6);
                for split in folds.splits() {
                    let seen = features.view().select_rows(&split.train);
                    let factorisation = Factorisation::new(seen.view()).unwrap();
                    let absolute = RidgeParams {
                        penalties: PenaltyGrid::absolute(vec![found.penalties()[0]]).unwrap(),
                        ..RidgeParams::default()
                    };
                    let system = absolute.prepare(&factorisation).unwrap();
                    let own = targets.view().select_rows(&split.train);
                    let refit = system.fit(&own).unwrap();
                    let unseen = features.view().select_rows(&split.test);
                    let expected = refit.model().predict(unseen.view()).unwrap();
                    let held_out = found.held_out().view().select_rows(&split.test);
                    assert_close(&held_out, &expected, 1e-4);
                }
            }
        }
    }

    #[test]
    fn the_penalty_minimises_the_held_out_error_and_noise_is_that_error() {
        let (x, targets) = (random(60, 20, 1), random(60, 4, 2));
        let (features, folds) = (Features::Sparse(Csr::from(&x)), three_folds(60));
        let basis = Basis::plain(features.view()).unwrap();
        let params = RidgeParams::default();
        let found = params
            .iterate(&basis, &folds)
            .unwrap()
            .fit(&targets)
            .unwrap();
        let total = basis.scatters().iter().sum();
        let grid = params.penalties.resolve(total);
        let alone: Vec<Ridge> = grid
            .iter()
            .map(|&penalty| {
                let only = RidgeParams {
                    penalties: PenaltyGrid::absolute(vec![penalty]).unwrap(),
                    ..RidgeParams::default()
                };
                only.iterate(&basis, &folds).unwrap().fit(&targets).unwrap()
            })
            .collect();
        for j in 0..4 {
            let best = (0..grid.len())
                .min_by(|&a, &b| alone[a].noise()[j].total_cmp(&alone[b].noise()[j]))
                .unwrap();
            assert_eq!(found.penalties()[j], grid[best]);
            assert!((found.noise()[j] / alone[best].noise()[j] - 1.0).abs() < 1e-3);
            let pairs = found.held_out().column(j).zip(targets.column(j));
            let error: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 60.0;
            assert!((found.noise()[j] / error - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn unconverged_regressions_are_reported() {
        let (x, targets) = (random(60, 50, 3), random(60, 2, 4));
        let (features, folds) = (Features::Dense(x), three_folds(60));
        let basis = Basis::plain(features.view()).unwrap();
        let mut ridge = RidgeParams::default().iterate(&basis, &folds).unwrap();
        ridge.limits.most_steps = 2;
        let found = ridge.fit(&targets).unwrap();
        let record = found.record().unwrap();
        assert!(!record.all_converged() && record.worst_gradient > 1e-8);
        assert!(
            found
                .model()
                .coefficients()
                .values()
                .iter()
                .all(|v| v.is_finite())
        );
    }

    #[test]
    fn constant_features_and_targets_are_accepted() {
        let folds = three_folds(9);
        let constant = Matrix::from_fn(9, 2, |_, _| 0.1);
        for x in both_forms(&constant)
            .iter()
            .chain(&both_forms(&random(9, 4, 5)))
        {
            let basis = Basis::plain(x.view()).unwrap();
            let ridge = RidgeParams::default().iterate(&basis, &folds).unwrap();
            let found = ridge.fit(&constant).unwrap();
            assert!(found.record().unwrap().all_converged());
            for value in found.held_out().values() {
                assert!((value - 0.1).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn rejects_mismatched_penalties_and_targets() {
        let x = Features::Dense(random(9, 4, 5));
        let (basis, targets) = (Basis::plain(x.view()).unwrap(), random(9, 2, 6));
        let params = RidgeParams::default();
        assert!(params.iterate(&basis, &three_folds(8)).is_err());
        let ridge = params.iterate(&basis, &three_folds(9)).unwrap();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ridge.fitted(&targets, &[1.0, bad]).is_err(), "{bad}");
        }
        assert!(ridge.fitted(&targets, &[1.0]).is_err());
        assert!(ridge.fit(&random(8, 2, 6)).is_err());
    }
}
