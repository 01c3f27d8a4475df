//! Exact minimisation of E(y) = ½yᵀAy − bᵀy over all label sets, by enumeration, and exact marginals.
//!
//! A label set is a code, the integer whose bit j says whether label j is in it. ½yᵀAy of all 2^q codes is
//! tabulated once, so that a row needs bᵀy of every code, which comes by doubling, and the least difference: for
//! few labels with rows side by side ([`narrow`]), else with codes side by side ([`wide`]). The marginals of
//! exp(−E) are sums over the same table ([`gibbs`]).

mod fold;
mod gibbs;
mod narrow;
mod scaled;
mod wide;

pub(super) use gibbs::Gibbs;
use rayon::prelude::*;

use super::sets::Sets;
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::linalg::vectorised;

/// Labels up to which all label sets can be enumerated: the table takes 8·2^q bytes, 8 MiB at 20.
pub const MOST_EXACT_LABELS: usize = 20;

/// Rows that one thread decodes at a time.
const CHUNK: usize = 256;

/// The energies ½yᵀAy of all label sets.
#[derive(Debug, Clone)]
pub(crate) struct Enumeration {
    labels: usize,
    /// By code; codes that only fill up the table have infinite energy.
    table: Vec<f64>,
}

impl Enumeration {
    /// Tabulates the energies for a coupling A, q×q.
    pub(crate) fn new(coupling: &Matrix) -> Self {
        let labels = coupling.rows();
        let mut table = vec![0.0; 1 << labels];
        let mut couplings = vec![0.0; table.len()];
        for j in 0..labels {
            // With label j the energy of a code grows by ½A_jj and by the couplings to its labels below j.
            let (without, with) = table.split_at_mut(1 << j);
            couplings[0] = 0.5 * coupling[(j, j)];
            sums_of_subsets(&coupling.row(j)[..j], &mut couplings);
            for ((with, without), added) in with.iter_mut().zip(without).zip(&couplings) {
                *with = *without + added;
            }
        }
        table.resize(table.len().max(1 << narrow::MOST_LABELS), f64::INFINITY);
        Self { labels, table }
    }

    /// The label set of least energy for each row of b, n×q; among equals the one with the smallest code.
    pub(crate) fn minimisers(&self, evidence: &Matrix) -> Result<Labels> {
        if self.labels == 0 {
            return Ok(Labels::from_fn(evidence.rows(), 0, |_, _| false));
        }
        let pieces = evidence
            .values()
            .par_chunks(CHUNK * self.labels)
            .map(|rows| {
                let mut sets = Sets::new(self.labels, rows.len() / self.labels);
                if self.labels <= narrow::MOST_LABELS {
                    self.search_narrow(rows, &mut sets);
                } else {
                    self.search_wide(rows, &mut sets);
                }
                sets.finish()
            })
            .collect::<Result<Vec<Labels>>>()?;
        Ok(Labels::concatenated(self.labels, &pieces))
    }

    /// E of a label set for a row b.
    fn energy(&self, set: &[u32], b: &[f64]) -> f64 {
        let code: usize = set.iter().map(|label| 1 << label).sum();
        self.table[code] - set.iter().map(|&label| b[label as usize]).sum::<f64>()
    }

    fn search_narrow(&self, rows: &[f64], sets: &mut Sets) {
        for rows in rows.chunks(narrow::ROWS * self.labels) {
            let codes = vectorised(narrow::Search {
                table: &self.table,
                labels: self.labels,
                rows,
            });
            for code in &codes[..rows.len() / self.labels] {
                // From 2^52 on the last bits of a number are its units.
                let code = (code + 4_503_599_627_370_496.0).to_bits();
                sets.push(|label| code >> label & 1 == 1);
            }
        }
    }

    fn search_wide(&self, rows: &[f64], sets: &mut Sets) {
        let mut sums = wide::Sums::new(self.labels);
        for rows in rows.chunks(wide::ROWS * self.labels) {
            let codes = vectorised(wide::Search {
                table: &self.table,
                labels: self.labels,
                rows,
                sums: &mut sums,
            });
            for code in &codes[..rows.len() / self.labels] {
                sets.push(|label| code >> label & 1 == 1);
            }
        }
    }
}

/// Adds the sum of the values in each subset to the first number, by the code of the subset.
#[inline(always)]
fn sums_of_subsets(values: &[f64], sums: &mut [f64]) {
    for (j, value) in values.iter().enumerate() {
        let (without, with) = sums.split_at_mut(1 << j);
        for (with, without) in with.iter_mut().zip(without) {
            *with = *without + value;
        }
    }
}
