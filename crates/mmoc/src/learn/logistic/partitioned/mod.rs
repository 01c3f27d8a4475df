//! Logistic regressions on rows in partitions: the same regressions as on rows in memory ([`super::regression`]), all of
//! which get what they need in common rounds. In a round each partition computes its share for the whole block.
//!
//! | file | content |
//! |---|---|
//! | `space` | the coordinates in which regressions are solved |
//! | `share` | what partitions compute in a round |
//! | `margins` | products with rows, kept for the next round |
//! | `rounds` | rounds for a block of regressions |
//! | `folds` | the choice of penalties, and held-out predictions of the sample |

mod folds;
mod margins;
mod rounds;
mod share;
mod space;

pub(crate) use folds::{FoldLosses, FoldMasses, FoldModels};
pub(crate) use margins::KeptProducts;
pub(crate) use share::LogisticShare;

use self::folds::CrossValidation;
use self::rounds::{Block, PartitionedPath, follow};
use self::space::Space;
use super::label_fit::LabelFit;
use super::path::PenaltyPath;
use super::record::LogisticRecord;
use super::regression::{FitSettings, LogisticFit, Mass};
use super::scalar::smoothed_log_odds;
use super::{Classifiers, LogisticParams, OutOfFold};
use crate::Result;
use crate::learn::partitioned::PartitionedRows;

/// Numbers in the coefficients of a block of regressions, at most: 16 MiB of a message.
const MOST_NUMBERS: usize = 1 << 21;

/// What all regressions on the rows share.
struct Shared<'a> {
    rows: &'a PartitionedRows,
    space: &'a Space,
    params: &'a LogisticParams,
    /// The class weights of each label, negatives first.
    factors: Vec<f64>,
    /// The penalty grid, strongest first.
    penalties: Vec<f64>,
}

impl LogisticParams {
    /// One classifier per label on all rows, at the penalty that folds of the sample choose.
    pub(in crate::learn) fn fit_partitioned(&self, rows: &PartitionedRows) -> Result<Classifiers> {
        let space = Space::of(rows)?;
        let shared = Shared::new(self, rows, &space)?;
        let labels: Vec<usize> = (0..rows.label_weights.len()).collect();
        let validation = self
            .has_choice()
            .then(|| CrossValidation::of(&shared))
            .transpose()?;
        let mut fits = Vec::with_capacity(labels.len());
        for group in labels.chunks(shared.regressions_at_once(1)) {
            fits.extend(shared.fit_labels(group, validation.as_ref())?);
        }
        let out_of_fold = validation.map(|validation| validation.out_of_fold);
        shared.classifiers(&fits, out_of_fold)
    }

    /// Only the folds, for their predictions of the rows of the sample.
    pub(in crate::learn) fn fit_partitioned_folds(
        &self,
        rows: &PartitionedRows,
    ) -> Result<OutOfFold> {
        let space = Space::of(rows)?;
        let shared = Shared::new(self, rows, &space)?;
        Ok(CrossValidation::of(&shared)?.out_of_fold)
    }
}

impl<'a> Shared<'a> {
    fn new(
        params: &'a LogisticParams,
        rows: &'a PartitionedRows,
        space: &'a Space,
    ) -> Result<Self> {
        params.validate()?;
        params.class_weight.check_labels(rows.label_weights.len())?;
        let scatter = space.scatters().iter().sum();
        Ok(Self {
            rows,
            space,
            params,
            factors: rows.class_factors(params),
            penalties: params.penalties.resolve_or(params.penalty, scatter),
        })
    }

    /// Labels whose regressions advance together, each with so many.
    fn regressions_at_once(&self, of_label: usize) -> usize {
        (MOST_NUMBERS / (of_label * self.rows.columns).max(1)).max(1)
    }

    /// How much the rows of a label count, given how much those with the label and all rows count without class weights.
    fn mass(&self, label: usize, ones: f64, total: f64) -> Mass {
        let (negative, positive) = (self.factors[2 * label], self.factors[2 * label + 1]);
        let ones_by_class = positive * ones;
        Mass {
            ones: ones_by_class,
            total: ones_by_class + negative * (total - ones),
        }
    }

    /// The fits of some labels to all rows.
    fn fit_labels(
        &self,
        labels: &[usize],
        validation: Option<&CrossValidation>,
    ) -> Result<Vec<LabelFit>> {
        let settings = FitSettings {
            scatters: self.space.scatters(),
            total_weight: self.rows.total_weight,
            head: self.space.head(),
            tolerance: self.params.tolerance,
            max_steps: self.params.max_steps,
        };
        let mut paths = Vec::new();
        let mut fits = Vec::with_capacity(labels.len());
        for &label in labels {
            let start = validation.map(|validation| &validation.starts[label]);
            let chosen = start.map_or(0, |start| start.penalty);
            let penalty = &self.penalties[chosen..=chosen];
            let ones = self.rows.label_weights[label];
            let mass = self.mass(label, ones, self.rows.total_weight);
            if !mass.varies() {
                fits.push(Err(smoothed_log_odds(mass.ones, mass.total)));
                continue;
            }
            let mut regression = LogisticFit::new(settings, mass, penalty[0]);
            if let Some((coefficients, intercept)) = start.and_then(|start| start.point.clone()) {
                regression = regression.starting_from(coefficients, intercept);
            }
            fits.push(Ok(paths.len()));
            let path = PenaltyPath::new(regression, penalty);
            paths.push(PartitionedPath::new(path, label, None));
        }
        let block = Block {
            rows: &*self.rows.rows,
            space: self.space,
            factors: &self.factors,
            folds: 1,
            seed: 0,
        };
        follow(&block, &mut paths)?;
        let columns = self.space.scatters().len();
        let finished = labels.iter().zip(fits).map(|(&label, fit)| {
            let chosen = validation.map_or(0, |validation| validation.starts[label].penalty);
            let mut record = LogisticRecord::default();
            let (coefficients, intercept) = match fit {
                Err(base) => (vec![0.0; columns], base),
                Ok(path) => {
                    let path = paths[path].path();
                    record.add_kept(path);
                    let solution = &path.solutions()[0];
                    (solution.coefficients.clone(), solution.intercept)
                }
            };
            LabelFit {
                coefficients,
                intercept,
                penalty: self.penalties[chosen],
                record,
            }
        });
        Ok(finished.collect())
    }

    fn classifiers(
        &self,
        fits: &[LabelFit],
        out_of_fold: Option<OutOfFold>,
    ) -> Result<Classifiers> {
        let vectors: Vec<&[f64]> = fits.iter().map(|fit| fit.coefficients.as_slice()).collect();
        let coefficients = self.space.original(&vectors)?;
        let shifts = if self.rows.is_dense {
            self.rows.shifts(&coefficients)
        } else {
            vec![0.0; fits.len()]
        };
        let scatter = self.space.scatters().iter().sum();
        Classifiers::of_fits(fits, coefficients, &shifts, scatter, out_of_fold)
    }
}
