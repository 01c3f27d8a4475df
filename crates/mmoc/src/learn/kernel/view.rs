//! Outputs of radial basis functions, to be read.

use super::KernelModel;
use super::preparation::{LARGEST, Preparation};
use crate::data::FeaturesView;
use crate::learn::LinearModel;

/// Outputs `x ↦ Aᵀ·k(x, centres) + b` with k(x, c) = exp(−γ‖x̃ − c̃‖²).
#[derive(Debug, Clone, Copy)]
pub struct RadialBasisView<'a> {
    /// What makes x̃ of a row of scaled features.
    pub preparation: RowPreparation<'a>,
    /// The prepared centres c̃.
    pub centres: FeaturesView<'a>,
    /// γ.
    pub gamma: f64,
    /// A and b.
    pub outputs: &'a LinearModel,
}

/// What is done to a row before its distances are measured.
#[derive(Debug, Clone, Copy)]
pub enum RowPreparation<'a> {
    /// (x − shift)·scale, column by column, clamped to ±`largest`.
    Standardised {
        /// Offset subtracted from each column.
        shift: &'a [f64],
        /// Factor of each column, after the shift.
        scale: &'a [f64],
        /// The largest magnitude.
        largest: f64,
    },
    /// Rows divided by their length; rows of zeros stay zero.
    UnitLength,
}

impl KernelModel {
    /// The model to be read.
    pub(crate) fn view(&self) -> RadialBasisView<'_> {
        let centres = &self.kernel.centres;
        RadialBasisView {
            preparation: match centres.preparation() {
                Preparation::Standardised { shift, scale } => RowPreparation::Standardised {
                    shift,
                    scale,
                    largest: LARGEST,
                },
                Preparation::UnitLength { .. } => RowPreparation::UnitLength,
            },
            centres: centres.rows().view(),
            gamma: self.kernel.gamma,
            outputs: &self.outputs,
        }
    }
}
