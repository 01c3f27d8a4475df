//! The K likeliest label sets of each row.

use super::block::Block;
use super::{Inputs, Posterior};
use crate::Result;
use crate::decode::Outputs;

/// A label set and its probability.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelySet {
    /// The labels, ascending.
    pub labels: Vec<u32>,
    /// p(y|x).
    pub probability: f64,
}

impl Posterior {
    /// The K likeliest candidates of each row, the likeliest first.
    pub fn likeliest_sets(&self, outputs: &Outputs, k: usize) -> Result<Vec<Vec<LikelySet>>> {
        let inputs = self.inputs(outputs)?;
        Ok(self.by_blocks(&inputs, None, |block, rows| {
            block.normalise();
            let of_lane = |(lane, row)| self.likeliest_of_row(block, lane, &inputs, row, k);
            rows.enumerate().map(of_lane).collect()
        }))
    }

    fn likeliest_of_row(
        &self,
        block: &Block<'_>,
        lane: usize,
        inputs: &Inputs<'_>,
        row: usize,
        k: usize,
    ) -> Vec<LikelySet> {
        let share = |set: &usize| block.of_sets[*set][lane];
        let order = |a: &usize, b: &usize| share(b).total_cmp(&share(a)).then(a.cmp(b));
        let mut sets: Vec<usize> = (0..self.candidates.len()).collect();
        if k == 0 {
            return Vec::new();
        }
        if k < sets.len() {
            sets.select_nth_unstable_by(k - 1, order);
            sets.truncate(k);
        }
        sets.sort_unstable_by(order);
        let likely = |set| {
            let labels = self.candidates.sets().row(set).to_vec();
            LikelySet {
                probability: self.probability(share(&set), &labels, inputs.log_odds.row(row)),
                labels,
            }
        };
        sets.into_iter().map(likely).collect()
    }
}
