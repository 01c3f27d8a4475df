//! The label classifiers of a training set.

use rayon::prelude::*;

use super::cross_validation::{LabelFit, Shared, fit_labels};
use super::regression::Settings;
use super::{LogisticParams, LogisticRecord};
use crate::data::{Folds, Labels, Matrix};
use crate::learn::penalties::shares_of;
use crate::learn::{Basis, LinearModel};
use crate::{Result, check_size};

/// Most labels that one thread fits side by side: with five folds a block of forty vectors, wide enough
/// for the matrix product to run near its best rate.
const LABELS_AT_ONCE: usize = 8;

/// Columns among which the preconditioner inverts the Hessian exactly.
const HEAD_COLUMNS: usize = 24;

/// Logistic regressions p̂, one per label, with the penalties that cross-validation chose.
#[derive(Debug, Clone)]
pub struct Classifiers {
    model: LinearModel,
    penalties: Vec<f64>,
    scatter: f64,
    out_of_fold: Matrix,
    losses: Matrix,
    record: LogisticRecord,
}

impl LogisticParams {
    /// Fits one classifier per label to all rows.
    pub fn fit(&self, basis: &Basis<'_>, labels: &Labels, folds: &Folds) -> Result<Classifiers> {
        self.validate()?;
        check_size("rows of labels", basis.rows(), labels.rows())?;
        check_size("rows in folds", basis.rows(), folds.of_row().len())?;
        let scatters = basis.scatters();
        let penalties = self
            .penalties
            .resolve_or(self.penalty, scatters.iter().sum());
        let head = basis.head(HEAD_COLUMNS);
        let everywhere = vec![1.0; basis.rows()];
        let held_out: Vec<Vec<usize>> = (0..folds.count())
            .map(|fold| folds.split(fold).test)
            .collect();
        let outside: Vec<Vec<f64>> = held_out
            .iter()
            .map(|rows| zeros_at(rows, &everywhere))
            .collect();
        let shared = Shared {
            design: basis.design(),
            settings: Settings {
                scatters,
                head: &head,
                tolerance: self.tolerance,
                max_steps: self.max_steps,
            },
            penalties: &penalties,
            criterion: self.criterion,
            held_out: &held_out,
            outside: &outside,
            everywhere: &everywhere,
        };
        let (fits, record) = fit_in_groups(&shared, labels)?;
        Classifiers::assemble(basis, &fits, record)
    }
}

fn zeros_at(rows: &[usize], ones: &[f64]) -> Vec<f64> {
    let mut weights = ones.to_vec();
    for &row in rows {
        weights[row] = 0.0;
    }
    weights
}

fn fit_in_groups(shared: &Shared<'_>, labels: &Labels) -> Result<(Vec<LabelFit>, LogisticRecord)> {
    let rows_by_label = labels.rows_by_label();
    let groups: Vec<(Vec<LabelFit>, LogisticRecord)> = rows_by_label
        .par_chunks(group_size(labels.count()))
        .map(|group| {
            let targets: Vec<Vec<f64>> = group
                .iter()
                .map(|rows| ones_at(rows, labels.rows()))
                .collect();
            fit_labels(shared, &targets)
        })
        .collect::<Result<_>>()?;
    let mut record = LogisticRecord::default();
    for (_, part) in &groups {
        record.merge(part);
    }
    let fits = groups.into_iter().flat_map(|(fits, _)| fits).collect();
    Ok((fits, record))
}

fn ones_at(rows: &[usize], count: usize) -> Vec<f64> {
    let mut targets = vec![0.0; count];
    for &row in rows {
        targets[row] = 1.0;
    }
    targets
}

/// Labels in one group: an even number of groups of about equal size, so that two threads share the work
/// of a few labels evenly. It depends on the number of labels only, never on the number of threads: the
/// grouping decides the shape of the matrix products, and so the last bits of the results.
fn group_size(labels: usize) -> usize {
    let pairs = labels.div_ceil(2 * LABELS_AT_ONCE);
    labels.div_ceil(2 * pairs.max(1)).max(1)
}

impl Classifiers {
    fn assemble(basis: &Basis<'_>, fits: &[LabelFit], record: LogisticRecord) -> Result<Self> {
        let by_label = |rows, entry: fn(&LabelFit, usize) -> f64| {
            Matrix::from_fn(rows, fits.len(), |row, label| entry(&fits[label], row))
        };
        let columns = basis.design().columns();
        let penalties = fits.first().map_or(0, |fit| fit.losses.len());
        let (coefficients, shifts) =
            basis.to_original(&by_label(columns, |fit, k| fit.coefficients[k]));
        let intercepts = fits
            .iter()
            .zip(shifts)
            .map(|(fit, shift)| fit.intercept + shift)
            .collect();
        Ok(Self {
            model: LinearModel::new(coefficients, intercepts)?,
            penalties: fits.iter().map(|fit| fit.penalty).collect(),
            scatter: basis.scatters().iter().sum(),
            out_of_fold: by_label(basis.rows(), |fit, row| fit.out_of_fold[row]),
            losses: by_label(penalties, |fit, penalty| fit.losses[penalty]),
            record,
        })
    }

    /// The log-odds of each label as functions of the features.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// The penalty chosen for each label.
    pub fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// The penalty chosen for each label, as a share of the scatter of the features.
    pub fn penalty_shares(&self) -> Vec<f64> {
        shares_of(&self.penalties, self.scatter)
    }

    /// The log-odds of each label for each training row, from the fold that held the row out, n×q.
    pub fn out_of_fold(&self) -> &Matrix {
        &self.out_of_fold
    }

    /// The mean held-out log loss of each penalty, strongest first, and label.
    pub fn losses(&self) -> &Matrix {
        &self.losses
    }

    /// How the regressions were solved.
    pub fn record(&self) -> &LogisticRecord {
        &self.record
    }
}
