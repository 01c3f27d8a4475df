//! How often a set occurs in the training rows: f(y) = log(n_y + ½).

use super::{Evidence, LearntTerm, Term};
use crate::Result;
use crate::data::Matrix;
use crate::model_file::{Refusal, StoredParts};

/// Counted to every set, so that sets without a row have a logarithm too.
const PSEUDO_COUNT: f64 = 0.5;

/// The logarithm of the number of training rows with the set.
#[derive(Debug, Clone)]
pub(crate) struct Frequency {
    base: Vec<f64>,
    scale: f64,
}

impl Frequency {
    /// The term for training rows; the counts themselves belong to the candidates.
    pub(crate) fn learn(labels: &crate::data::Labels, scale: f64, k: f64) -> LearntTerm {
        let rows = labels.rows();
        let base = labels.frequencies().into_iter().map(|count| k * ((count as f64 + 0.5) / ((rows - count) as f64 + 0.5)).ln()).collect();
        LearntTerm {
            term: Term::Frequency(Self { base, scale }),
            model: None,
            held_out: Matrix::zeros(rows, 0),
        }
    }
}

impl Evidence for Frequency {
    fn outputs(&self) -> usize {
        0
    }

    fn of_set(&self, set: &[u32], count: usize) -> f64 {
        self.scale * (count as f64 + PSEUDO_COUNT).ln() - set.iter().map(|&j| self.base[j as usize]).sum::<f64>()
    }

    fn of_own_row(&self, count: usize) -> f64 {
        self.of_set(&[], count) - self.of_set(&[], count - 1)
    }

    fn restore(_name: &str, _parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        Ok(Self { base: vec![], scale: 1.0 })
    }
}
