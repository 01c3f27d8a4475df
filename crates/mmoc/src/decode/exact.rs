//! Exact minimisation of E(y) = ½yᵀAy − bᵀy over all label sets, by enumeration.
//!
//! A label set is a code, the integer whose bit j says whether label j is in it. ½yᵀAy of all 2^q codes is
//! tabulated once. For a row, bᵀy is split into the part of the low bits and that of the high bits, so
//! that the inner loop takes one subtraction and one comparison per code:
//!
//! ```text
//! min over codes = min over high bits of (min over low bits of (table[high, low] − b_low[low]) − b_high[high])
//! ```
//!
//! Only the least energy of each block of low codes is kept; the best block is gone through again for its code.

use rayon::prelude::*;

use super::sets::{Sets, joined};
use crate::Result;
use crate::data::{Labels, Matrix};

/// Labels up to which all label sets can be enumerated: the table takes 8·2^q bytes, 8 MiB at 20.
pub const MOST_EXACT_LABELS: usize = 20;

/// Low bits of a code: a block of the table and the sums of one row fit into the first cache together.
const LOW_BITS: usize = 8;

/// Numbers that are compared side by side.
const LANES: usize = 8;

/// Rows that one thread decodes at a time.
const CHUNK: usize = 128;

/// The energies ½yᵀAy of all label sets.
#[derive(Debug, Clone)]
pub(crate) struct Enumeration {
    labels: usize,
    low_bits: usize,
    /// By code; of at least [`LANES`] codes, those beyond 2^q with infinite energy.
    table: Vec<f64>,
}

impl Enumeration {
    /// Tabulates the energies for a coupling A, q×q.
    pub(crate) fn new(coupling: &Matrix) -> Self {
        let labels = coupling.rows();
        let mut table = vec![0.0];
        for j in 0..labels {
            // With label j the energy of a code grows by ½A_jj and its couplings to the labels below.
            let couplings = sums_of_subsets(&coupling.row(j)[..j]);
            let own = 0.5 * coupling[(j, j)];
            let with: Vec<f64> = table
                .iter()
                .zip(couplings)
                .map(|(energy, coupling)| energy + (own + coupling))
                .collect();
            table.extend(with);
        }
        table.resize(table.len().max(LANES), f64::INFINITY);
        let low_bits = LOW_BITS.min(table.len().ilog2() as usize);
        Self {
            labels,
            low_bits,
            table,
        }
    }

    /// The label set of least energy for each row of b, n×q; among equals the one with the smallest code.
    pub(crate) fn minimisers(&self, evidence: &Matrix) -> Result<Labels> {
        if self.labels == 0 {
            return Ok(Labels::from_fn(evidence.rows(), 0, |_, _| false));
        }
        let chunks = evidence.values().par_chunks(CHUNK * self.labels);
        let pieces: Vec<Sets> = chunks
            .map(|chunk| {
                let mut sets = Sets::default();
                for row in chunk.chunks_exact(self.labels) {
                    sets.push(labels_of(self.minimiser(row)));
                }
                sets
            })
            .collect();
        joined(self.labels, &pieces)
    }

    fn minimiser(&self, b: &[f64]) -> usize {
        let low = sums_of_subsets(&b[..self.low_bits.min(b.len())]);
        let high = sums_of_subsets(&b[self.low_bits.min(b.len())..]);
        let size = 1 << self.low_bits;
        let mut best = (f64::INFINITY, 0);
        for (h, block) in self.table.chunks_exact(size).enumerate() {
            for (l, (energy, sum)) in block.iter().zip(&low).enumerate() {
                let energy = energy - sum - high[h];
                if energy < best.0 {
                    best = (energy, h * size + l);
                }
            }
        }
        best.1
    }
}

/// Σ of the values in each subset, by the code of the subset.
fn sums_of_subsets(values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for value in values {
        let with: Vec<f64> = sums.iter().map(|sum| sum + value).collect();
        sums.extend(with);
    }
    sums
}

/// The labels of a code, ascending.
fn labels_of(code: usize) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(code), |code| Some(code & (code - 1)))
        .take_while(|&code| code != 0)
        .map(usize::trailing_zeros)
}
