//! How often a set occurs in the training rows, beside what its labels alone suggest:
//!
//! ```text
//! f(y) = log(n_y + ½) − Σ_j y_j·log(n_j/(n − n_j))
//! ```
//!
//! with n_y the rows that have the set y, and n_j those with label j. The log-odds of the classifiers contain how frequent
//! each label is. So it is taken off the frequency of the set, lest it counts twice: what is left is how much more often
//! labels occur together than independent ones would. With log(n_y + ½) alone the term is of little use where sets are many
//! (`docs/posterior.md` has the comparison).

use super::{Evidence, LearntTerm, Term};
use crate::Result;
use crate::data::{Labels, Matrix, Targets};
use crate::model_file::{Refusal, StoredParts, TensorWriter};

/// Counted to every set, so that sets without a row have a logarithm too.
const PSEUDO_COUNT: f64 = 0.5;

/// The logarithm of the number of training rows with the set, relative to independent labels.
#[derive(Debug, Clone)]
pub(crate) struct Frequency {
    /// The log-odds of each label in the training rows.
    base: Vec<f64>,
}

impl Frequency {
    /// The term for training rows; the counts of sets belong to the candidates.
    pub(crate) fn learn(labels: &Labels) -> LearntTerm {
        let nothing = Matrix::zeros(labels.rows(), 0);
        LearntTerm::linear(Term::Frequency(Self::new(labels)), None, nothing)
    }

    pub(crate) fn new(labels: &Labels) -> Self {
        Self {
            base: base_log_odds(labels.into()),
        }
    }
}

/// The smoothed log-odds of each label.
pub(crate) fn base_log_odds(targets: Targets<'_>) -> Vec<f64> {
    let rows = targets.total_weight();
    let odds = |count: f64| ((count + 0.5) / (rows - count + 0.5)).ln();
    targets.label_weights().into_iter().map(odds).collect()
}

impl Evidence for Frequency {
    fn outputs(&self) -> usize {
        0
    }

    fn of_set(&self, set: &[u32], count: usize) -> f64 {
        let of_labels: f64 = set.iter().map(|&label| self.base[label as usize]).sum();
        (count as f64 + PSEUDO_COUNT).ln() - of_labels
    }

    fn of_own_row(&self, count: usize) -> f64 {
        self.of_set(&[], count) - self.of_set(&[], count - 1)
    }

    fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        file.vector(&tensor(name), &self.base);
    }

    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let base = parts.tensors.vector(&tensor(name), parts.labels)?;
        Ok(Self { base })
    }
}

fn tensor(term: &str) -> String {
    format!("evidence.{term}.log_odds")
}
