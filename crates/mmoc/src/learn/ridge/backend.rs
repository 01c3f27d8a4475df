//! Regressions on given features, by factorisation or by iteration.

use super::{IterativeRidge, Ridge, RidgeRecord, RidgeSystem};
use crate::Result;
use crate::data::Matrix;

/// What solves the regressions of a training set.
#[derive(Debug)]
pub(in crate::learn) enum RidgeBackend<'a> {
    Factorised(RidgeSystem<'a>),
    Iterated(IterativeRidge<'a>),
}

impl RidgeBackend<'_> {
    /// The trace of XᵀX, which relative penalties are multiples of.
    pub(in crate::learn) fn total_scatter(&self) -> f64 {
        match self {
            Self::Factorised(system) => system.total_scatter(),
            Self::Iterated(ridge) => ridge.total_scatter(),
        }
    }

    /// Regresses each column of `targets` on the features.
    pub(in crate::learn) fn fit(&self, targets: &Matrix) -> Result<Ridge> {
        match self {
            Self::Factorised(system) => system.fit(targets),
            Self::Iterated(ridge) => ridge.fit(targets),
        }
    }

    /// The fitted values of targets at penalties of their own, with a record of the solver if it iterates.
    pub(in crate::learn) fn fitted(
        &self,
        targets: &Matrix,
        penalties: &[f64],
    ) -> Result<(Matrix, Option<RidgeRecord>)> {
        match self {
            Self::Factorised(system) => Ok((system.fitted(targets, penalties)?, None)),
            Self::Iterated(ridge) => {
                let (fitted, record) = ridge.fitted(targets, penalties)?;
                Ok((fitted, Some(record)))
            }
        }
    }
}
