//! A random forest as evidence: f(x, y) = log(s_y(x) + .01), with s_y the share of the votes for the label set y.
//!
//! Trees are grown with the label sets of the training rows as classes ([`Forest`]). Of a training row only the trees
//! count whose bootstrap left it out. As only differences between sets matter, f is taken relative to a set without a vote.

use std::sync::Arc;

use super::{Evidence, EvidenceSize, LearntTerm, SetClasses, Term};
use crate::Result;
use crate::data::{Csr, FeaturesView};
use crate::learn::Training;
use crate::learn::forest::{ClassRows, Forest, ForestParams};
use crate::model_file::{Refusal, StoredParts, TensorWriter};

/// Counted to every share, so that sets without a vote have a logarithm too.
const PSEUDO_SHARE: f64 = 0.01;

/// The logarithms of the votes of a forest.
#[derive(Debug, Clone)]
pub(crate) struct ForestVotes {
    forest: Arc<Forest>,
}

impl ForestVotes {
    /// A forest grown on the training rows, with the votes of trees that have not seen the row.
    pub(crate) fn learn(
        training: &Training<'_>,
        sets: &SetClasses,
        params: &ForestParams,
    ) -> Result<LearntTerm> {
        let (x, seed) = (training.features(), training.seed());
        let rows = ClassRows {
            classes: &sets.of_rows,
            class_count: sets.count,
            weights: training.weights(),
        };
        let (forest, out_of_bag) = Forest::grow(x, rows, params, seed)?;
        let term = Term::Forest(Self {
            forest: Arc::new(forest),
        });
        Ok(LearntTerm::of_sets(term, logarithms(out_of_bag)))
    }
}

/// log(s + .01) − log(.01) of each share.
fn logarithms(mut shares: Csr) -> Csr {
    for share in shares.values_mut() {
        *share = (*share / PSEUDO_SHARE).ln_1p();
    }
    shares
}

impl Evidence for ForestVotes {
    fn outputs(&self) -> usize {
        0
    }

    fn of_candidates(&self, x: FeaturesView<'_>) -> Result<Option<Csr>> {
        Ok(Some(logarithms(self.forest.votes(x)?)))
    }

    fn column_shares(&self) -> Option<Vec<f64>> {
        Some(self.forest.column_shares())
    }

    fn size(&self) -> Option<EvidenceSize> {
        Some(EvidenceSize {
            candidates: self.forest.class_count(),
            columns: self.forest.columns(),
        })
    }

    fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        self.forest.store(&format!("evidence.{name}"), file);
    }

    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let (name, columns) = (format!("evidence.{name}"), Some(parts.columns));
        let forest = Forest::restore(&name, parts.tensors, columns, parts.candidates)?;
        Ok(Self {
            forest: Arc::new(forest),
        })
    }
}
