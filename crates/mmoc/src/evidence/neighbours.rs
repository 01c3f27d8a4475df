//! Neighbours as evidence: f(x, y) = max over the training rows i with set y of similarity(x, x_i).
//!
//! Cosines of sparse rows, and minus squared distances of dense rows ([`NearestSets`]). The nearest label sets of a row
//! count; all others are as near as the nearest of them that is left out.

use std::sync::Arc;

use super::{Evidence, EvidenceSize, LearntTerm, SetClasses, Term};
use crate::Result;
use crate::data::{Csr, FeaturesView};
use crate::learn::Training;
use crate::learn::neighbours::NearestSets;
use crate::model_file::{Refusal, StoredParts, TensorWriter};

/// The similarity of the nearest training row with each set.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours {
    nearest: Arc<NearestSets>,
    candidates: usize,
}

impl Neighbours {
    /// The training rows, each with itself left out of its own neighbours.
    pub(crate) fn learn(training: &Training<'_>, sets: &SetClasses) -> Result<LearntTerm> {
        let (x, seed) = (training.features(), training.seed());
        let nearest = NearestSets::new(x, &sets.of_rows, sets.count, seed)?;
        let held_out = nearest.held_out(x)?;
        let candidates = sets.count;
        let term = Term::Neighbours(Self {
            nearest: Arc::new(nearest),
            candidates,
        });
        Ok(LearntTerm::of_sets(term, held_out))
    }
}

#[cfg(test)]
impl Neighbours {
    /// Neighbours among as many rows as there are candidates, one of each.
    pub(crate) fn of_one_row_each(candidates: usize) -> Self {
        let x = crate::data::Matrix::from_fn(candidates, 1, |row, _| row as f64);
        let classes: Vec<u32> = (0..candidates as u32).collect();
        let seed = crate::Seed::new(0);
        let nearest = NearestSets::new(FeaturesView::Dense(x.view()), &classes, candidates, seed);
        Self {
            nearest: Arc::new(nearest.unwrap()),
            candidates,
        }
    }
}

impl Evidence for Neighbours {
    fn outputs(&self) -> usize {
        0
    }

    fn of_candidates(&self, x: FeaturesView<'_>) -> Result<Option<Csr>> {
        self.nearest.of_rows(x).map(Some)
    }

    fn size(&self) -> Option<EvidenceSize> {
        Some(EvidenceSize {
            candidates: self.candidates,
            columns: self.nearest.columns(),
        })
    }

    fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        self.nearest.store(&format!("evidence.{name}"), file);
    }

    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let (name, columns) = (format!("evidence.{name}"), Some(parts.columns));
        let nearest = NearestSets::restore(&name, parts.tensors, columns, parts.candidates)?;
        Ok(Self {
            nearest: Arc::new(nearest),
            candidates: parts.candidates,
        })
    }
}
