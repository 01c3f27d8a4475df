//! Rows as models are fitted to them: scaled, and centred where features are dense.

use serde::{Deserialize, Serialize};

use super::{Bulk, Partition};
use crate::Result;
use crate::data::{Features, PackedPreprocessing};
use crate::linalg::centred;

/// How rows are scaled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ScaledRows {
    pub(crate) preprocessing: PackedPreprocessing,
    /// The means that dense features lose.
    pub(crate) means: Bulk<f64>,
    /// What weights are multiplied by.
    pub(crate) weight_unit: f64,
}

impl ScaledRows {
    pub(super) fn of(&self, partition: &Partition) -> Result<Partition> {
        let features = match self.preprocessing.apply(partition.features())? {
            Features::Dense(x) => Features::Dense(centred(x.view(), &self.means)),
            sparse @ Features::Sparse(_) => sparse,
        };
        Ok(partition.with_features(features, self.weight_unit))
    }
}
