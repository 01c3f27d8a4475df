//! Regressions on given features, by factorisation or by iteration.

use super::partitioned::PartitionedRidge;
use super::{IterativeRidge, Ridge, RidgeRecord, RidgeSystem};
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::learn::LabelTargets;

/// What solves the regressions of a training set.
#[derive(Debug)]
pub(in crate::learn) enum RidgeBackend<'a> {
    Factorised(RidgeSystem<'a>),
    Iterated(IterativeRidge<'a>),
    Partitioned(PartitionedRidge<'a>),
}

impl RidgeBackend<'_> {
    /// The trace of XᵀX, which relative penalties are multiples of.
    pub(in crate::learn) fn total_scatter(&self) -> f64 {
        match self {
            Self::Factorised(system) => system.total_scatter(),
            Self::Iterated(ridge) => ridge.total_scatter(),
            Self::Partitioned(ridge) => ridge.total_scatter(),
        }
    }

    /// Regresses functions of the labels on the features.
    pub(in crate::learn) fn fit(
        &self,
        targets: &LabelTargets<'_>,
        labels: &Labels,
    ) -> Result<Ridge> {
        match self {
            Self::Factorised(system) => system.fit(&targets.of(labels)),
            Self::Iterated(ridge) => ridge.fit(&targets.of(labels)),
            Self::Partitioned(ridge) => ridge.fit(targets),
        }
    }

    /// The fitted values of targets at penalties of their own, with a record of the solver if it iterates.
    pub(in crate::learn) fn fitted(
        &self,
        targets: &LabelTargets<'_>,
        labels: &Labels,
        penalties: &[f64],
    ) -> Result<(Matrix, Option<RidgeRecord>)> {
        match self {
            Self::Factorised(system) => Ok((system.fitted(&targets.of(labels), penalties)?, None)),
            Self::Iterated(ridge) => {
                let (fitted, record) = ridge.fitted(&targets.of(labels), penalties)?;
                Ok((fitted, Some(record)))
            }
            Self::Partitioned(ridge) => Ok((ridge.fitted(targets, penalties)?, None)),
        }
    }
}
