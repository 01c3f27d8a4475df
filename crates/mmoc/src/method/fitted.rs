//! The result of a fit: a predictor, the penalties that were chosen, and held-out outputs of the training rows.
//!
//! Every output of a model has a prediction for each training row from a fit that left the row out:
//!
//! - a ridge regression by its exact leave-one-out formula, at the penalty chosen from all rows, or, where it was solved by
//!   iteration, from the fold that held the row out;
//! - a classifier from the fold that held the row out;
//! - the classifier of a pair of labels from its folds for the rows of the pair. It was not fitted to the other rows, so
//!   that its own prediction of these is held out already.
//!
//! Decoded, these *held-out outputs* estimate how well new rows will be predicted, at little cost where folds were
//! fitted to choose penalties. Where penalties are given, folds are fitted when the outputs are first needed. The code, the
//! noise of its projections and the network of LEAD are learnt from all rows; each is a few numbers from many rows, so
//! that estimates are slightly optimistic where rows are few.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Predictor;
use crate::data::{Csr, Matrix};
use crate::decode::{Outputs, rows_of_sets};
use crate::learn::Training;
use crate::learn::kernel::KernelMap;
use crate::learn::logistic::LogisticRecord;
use crate::posterior::PosteriorRecord;
use crate::{Prediction, Result};

/// The penalties chosen in training, as shares of the scatter of the features that the models were fitted to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalties {
    /// Of the classifier of each label; empty if the method has none. Those of pairs of labels are not kept.
    pub classifiers: Vec<f64>,
    /// Of the regression of each codeword entry, or of each canonical direction if codewords are made of these.
    pub codewords: Vec<f64>,
}

/// A fitted method with the choices and held-out outputs of its training.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// What predicts.
    pub predictor: Predictor,
    /// The penalties that were chosen.
    pub penalties: Penalties,
    /// How the regressions were solved that the method does not share with others, if it has any.
    pub logistic: Option<LogisticRecord>,
    /// How the posterior was fitted, if there is one.
    pub posterior: Option<PosteriorRecord>,
    held_out: Vec<HeldOutOutputs>,
    /// What terms about whole label sets say about the training rows, held out.
    of_sets: Vec<Csr>,
}

/// Some consecutive outputs of the training rows, held out.
#[derive(Debug, Clone)]
pub(super) enum HeldOutOutputs {
    /// The log-odds of the label classifiers from their folds.
    Classifiers,
    /// The numbers themselves, n×m.
    Known(Matrix),
    /// One output for each entry, whose fit has seen some rows only.
    Partial(Vec<SeenRows>),
    /// From folds that have not been fitted yet.
    Unfitted(UnfittedFolds),
}

impl HeldOutOutputs {
    /// From folds of the method's own, which `fit` fits when they are needed.
    pub(super) fn unfitted(
        fit: impl Fn(&Training<'_>) -> Result<(Self, LogisticRecord)> + Send + Sync + 'static,
    ) -> Self {
        Self::Unfitted(UnfittedFolds(Arc::new(fit)))
    }

    /// Whether it is known without any further fit.
    fn is_known(&self, training: &Training<'_>) -> bool {
        match self {
            Self::Classifiers => training.has_out_of_fold(),
            Self::Known(_) | Self::Partial(_) => true,
            Self::Unfitted(_) => false,
        }
    }
}

type FitFolds = dyn Fn(&Training<'_>) -> Result<(HeldOutOutputs, LogisticRecord)> + Send + Sync;

/// Folds of a method's own, to be fitted when they are needed.
#[derive(Clone)]
pub(super) struct UnfittedFolds(Arc<FitFolds>);

impl fmt::Debug for UnfittedFolds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("UnfittedFolds")
    }
}

/// The rows that a fit has seen, ascending, and their held-out outputs.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenRows {
    pub(super) rows: Vec<usize>,
    pub(super) held_out: Vec<f64>,
}

impl Fitted {
    /// A model with its held-out outputs, in the order of the outputs.
    pub(super) fn new(
        predictor: Predictor,
        penalties: Penalties,
        held_out: Vec<HeldOutOutputs>,
    ) -> Self {
        Self {
            predictor,
            penalties,
            logistic: None,
            posterior: None,
            held_out,
            of_sets: Vec::new(),
        }
    }

    /// A model whose held-out outputs are all known.
    pub(super) fn decoded(predictor: Predictor, penalties: Penalties, held_out: Outputs) -> Self {
        let known = vec![HeldOutOutputs::Known(held_out.numbers)];
        Self {
            of_sets: held_out.of_sets,
            ..Self::new(predictor, penalties, known)
        }
    }

    /// The same method, fitted to mapped features, as one of the features themselves.
    pub(super) fn composed(mut self, mapped: &Training<'_>, map: &KernelMap) -> Result<Self> {
        let known = HeldOutOutputs::Known(self.held_out(mapped)?);
        if let Some(record) = mapped.logistic_record(mapped.settle_usage()) {
            self.logistic.get_or_insert_default().merge(&record);
        }
        Ok(Self {
            predictor: self.predictor.composed(map)?,
            held_out: vec![known],
            ..self
        })
    }

    /// The same with regressions of its own.
    pub(super) fn with_record(mut self, record: LogisticRecord) -> Self {
        self.logistic = Some(record);
        self
    }

    /// The same with the record of its posterior.
    pub(super) fn with_posterior(mut self, record: PosteriorRecord) -> Self {
        self.posterior = Some(record);
        self
    }

    /// Whether the held-out outputs are known without any further fit.
    pub fn has_held_out(&self, training: &Training<'_>) -> bool {
        self.held_out.iter().all(|group| group.is_known(training))
    }

    /// The held-out outputs of the training set that the method was fitted to, n×m. Folds that have not been fitted yet
    /// are fitted and kept.
    pub fn held_out(&mut self, training: &Training<'_>) -> Result<Matrix> {
        self.fit_folds(training)?;
        self.held_out_rows(training, 0..training.labels().rows())
    }

    /// The label sets of the held-out outputs, a batch of rows at a time.
    pub fn held_out_prediction(&mut self, training: &Training<'_>) -> Result<Prediction> {
        self.fit_folds(training)?;
        let rows = training.labels().rows();
        let batch = self.predictor.batch_rows(training.features().columns());
        let mut pieces = Vec::with_capacity(rows.div_ceil(batch));
        for start in (0..rows).step_by(batch) {
            let some = start..rows.min(start + batch);
            let outputs = Outputs {
                numbers: self.held_out_rows(training, some.clone())?,
                of_sets: rows_of_sets(&self.of_sets, &some),
            };
            let own = training.labels().select_rows(&some.collect::<Vec<_>>());
            pieces.push(self.predictor.decoder().decode_held_out(outputs, &own)?);
        }
        Ok(Prediction::concatenated(self.predictor.labels(), pieces))
    }

    /// Fits the method's own folds, unless they have been fitted.
    fn fit_folds(&mut self, training: &Training<'_>) -> Result<()> {
        for group in &mut self.held_out {
            if let HeldOutOutputs::Unfitted(UnfittedFolds(fit)) = group {
                let (known, record) = fit(training)?;
                *group = known;
                self.logistic.get_or_insert_default().merge(&record);
            }
        }
        Ok(())
    }

    fn held_out_rows(&self, training: &Training<'_>, rows: Range<usize>) -> Result<Matrix> {
        let mut first = 0;
        let mut groups = Vec::with_capacity(self.held_out.len());
        for group in &self.held_out {
            let outputs = match group {
                HeldOutOutputs::Classifiers => of_rows(training.out_of_fold()?.log_odds(), &rows),
                HeldOutOutputs::Known(outputs) => of_rows(outputs, &rows),
                HeldOutOutputs::Partial(seen) => {
                    let columns = first..first + seen.len();
                    let mut outputs = self.outputs_of(training, &rows)?.select_columns(columns);
                    replace_seen(&mut outputs, seen, &rows);
                    outputs
                }
                HeldOutOutputs::Unfitted(_) => unreachable!("folds were fitted before"),
            };
            first += outputs.columns();
            groups.push(outputs);
        }
        Matrix::hstack(&groups.iter().collect::<Vec<_>>())
    }

    fn outputs_of(&self, training: &Training<'_>, rows: &Range<usize>) -> Result<Matrix> {
        let rows: Vec<usize> = rows.clone().collect();
        let features = training.features().select_rows(&rows);
        self.predictor.numbers(features.view())
    }
}

fn of_rows(matrix: &Matrix, rows: &Range<usize>) -> Matrix {
    let rows: Vec<usize> = rows.clone().collect();
    matrix.view().select_rows(&rows)
}

/// Replaces the outputs of rows that the final fits have seen by held-out ones.
fn replace_seen(outputs: &mut Matrix, seen: &[SeenRows], rows: &Range<usize>) {
    for (column, seen) in seen.iter().enumerate() {
        let begin = seen.rows.partition_point(|&row| row < rows.start);
        let known = seen.rows[begin..].iter().zip(&seen.held_out[begin..]);
        for (&row, &value) in known.take_while(|&(&row, _)| row < rows.end) {
            outputs[(row - rows.start, column)] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_seen_are_replaced_wherever_batches_begin() {
        let seen = SeenRows {
            rows: vec![0, 2, 3, 5],
            held_out: vec![10.0, 12.0, 13.0, 15.0],
        };
        let none = SeenRows::default();
        let expected = [10.0, 0.0, 12.0, 13.0, 0.0, 15.0];
        for batch in 1..=6 {
            for start in (0..6).step_by(batch) {
                let rows = start..6.min(start + batch);
                let mut outputs = Matrix::from_fn(rows.len(), 2, |_, _| 0.0);
                replace_seen(&mut outputs, &[seen.clone(), none.clone()], &rows);
                let wanted = Matrix::from_fn(rows.len(), 2, |i, j| [expected[start + i], 0.0][j]);
                assert_eq!(outputs, wanted, "rows {rows:?}");
            }
        }
    }
}
