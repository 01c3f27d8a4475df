//! A sample of the rows.

use serde::{Deserialize, Serialize};

use super::Partition;

/// A sample of about a share of all rows. Which rows it has depends on their content, not on their partition.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Sampling {
    /// Rows whose hash is below this are chosen.
    below: u64,
    seed: u64,
}

impl Sampling {
    /// About `count` of `rows` rows, which are more.
    pub(crate) fn new(count: usize, rows: usize, seed: u64) -> Self {
        let share = count as f64 / rows as f64;
        #[expect(clippy::cast_sign_loss, reason = "a share is from zero to one")]
        let below = (share * 2f64.powi(64)) as u64;
        Self { below, seed }
    }

    pub(super) fn of(&self, partition: &Partition) -> Partition {
        partition.select_rows(&partition.sampled(self.below, self.seed))
    }
}
