//! Regressions on given features, whichever way they are solved.

use super::{IterativeRidge, Ridge, RidgeRecord, RidgeSystem};
use crate::Result;
use crate::data::Matrix;
use crate::linalg::Factorisation;

/// What solves the regressions of a training set.
#[derive(Debug)]
pub(in crate::learn) enum Way<'a> {
    Factorised(&'a RidgeSystem, &'a Factorisation<'a>),
    Iterated(IterativeRidge<'a>),
}

impl Way<'_> {
    /// The trace of XᵀX, which relative penalties are multiples of.
    pub(in crate::learn) fn total_scatter(&self) -> f64 {
        match self {
            Self::Factorised(_, factorisation) => factorisation.total_scatter(),
            Self::Iterated(ridge) => ridge.total_scatter(),
        }
    }

    /// Regresses each column of `targets` on the features.
    pub(in crate::learn) fn fit(&self, targets: &Matrix) -> Result<Ridge> {
        match self {
            Self::Factorised(system, factorisation) => system.fit(factorisation, targets),
            Self::Iterated(ridge) => ridge.fit(targets),
        }
    }

    /// The fitted values of targets at penalties of their own, and how they were found if that took iterations.
    pub(in crate::learn) fn fitted(
        &self,
        targets: &Matrix,
        penalties: &[f64],
    ) -> Result<(Matrix, Option<RidgeRecord>)> {
        match self {
            Self::Factorised(system, factorisation) => {
                let fitted = system.fitted(factorisation, targets, penalties)?;
                Ok((fitted, None))
            }
            Self::Iterated(ridge) => {
                let (fitted, record) = ridge.fitted(targets, penalties)?;
                Ok((fitted, Some(record)))
            }
        }
    }
}
