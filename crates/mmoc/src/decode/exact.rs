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
//! Several rows go through the table together, because reading it from the second cache would else take
//! longer than the arithmetic.

use pulp::NullaryFnOnce;
use rayon::prelude::*;

use super::sets::{Sets, joined};
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::linalg::vectorised;

/// Labels up to which all label sets can be enumerated: the table takes 8·2^q bytes, 8 MiB at 20.
pub const MOST_EXACT_LABELS: usize = 20;

/// Low bits of a code: a block of the table and the sums of the rows fit into the first cache together.
const LOW_BITS: usize = 8;

/// Codes that are compared side by side: those of the lowest three bits.
const LANES: usize = 8;

/// Rows that go through the table together.
const ROWS: usize = 4;

/// Rows that one thread decodes at a time.
const CHUNK: usize = 128;

/// A number for each of the codes that are compared side by side.
type Lanes = [f64; LANES];

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
        let mut table = vec![0.0; LANES.max(1 << labels)];
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
        table[1 << labels..].fill(f64::INFINITY);
        Self {
            labels,
            low_bits: LOW_BITS.min(table.len().ilog2() as usize),
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
                let mut sums = Sums::new(self);
                let mut sets = Sets::default();
                for rows in chunk.chunks(ROWS * self.labels) {
                    let codes = vectorised(Search {
                        enumeration: self,
                        rows,
                        sums: &mut sums,
                    });
                    let given = rows.len() / self.labels;
                    codes[..given].iter().for_each(|&c| sets.push(labels_of(c)));
                }
                sets
            })
            .collect();
        joined(self.labels, &pieces)
    }
}

/// bᵀy of a few rows, for the low and for the high bits of all codes.
#[derive(Debug)]
struct Sums {
    low: Vec<[Lanes; ROWS]>,
    high: Vec<[f64; ROWS]>,
}

impl Sums {
    fn new(enumeration: &Enumeration) -> Self {
        Self {
            low: vec![[[0.0; LANES]; ROWS]; (1 << enumeration.low_bits) / LANES],
            high: vec![[0.0; ROWS]; enumeration.table.len() >> enumeration.low_bits],
        }
    }

    /// Fills in the sums of one row; labels that are not there say nothing.
    #[inline(always)]
    fn fill(&mut self, row: usize, b: &[f64]) {
        let (lowest, rest) = b.split_at(b.len().min(3));
        let mut first = [0.0; LANES];
        sums_of_subsets(lowest, &mut first);
        self.low[0][row] = first;
        let (low, high) = rest.split_at(rest.len().min(LOW_BITS - 3));
        for (j, value) in low.iter().enumerate() {
            let (without, with) = self.low.split_at_mut(1 << j);
            for (with, without) in with.iter_mut().zip(without) {
                for (with, without) in with[row].iter_mut().zip(&without[row]) {
                    *with = without + value;
                }
            }
        }
        for (j, value) in high.iter().enumerate() {
            let (without, with) = self.high.split_at_mut(1 << j);
            for (with, without) in with.iter_mut().zip(without) {
                with[row] = without[row] + value;
            }
        }
    }
}

/// The codes of least energy of up to [`ROWS`] rows.
struct Search<'a> {
    enumeration: &'a Enumeration,
    rows: &'a [f64],
    sums: &'a mut Sums,
}

impl NullaryFnOnce for Search<'_> {
    type Output = [usize; ROWS];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self {
            enumeration, sums, ..
        } = self;
        for (row, b) in self.rows.chunks_exact(enumeration.labels).enumerate() {
            sums.fill(row, b);
        }
        let (table, _) = enumeration.table.as_chunks::<LANES>();
        let mut best = [Block::default(); ROWS];
        let blocks = table.chunks_exact(sums.low.len());
        for (index, (block, high)) in blocks.zip(&sums.high).enumerate() {
            let least = least_of_block(block, &sums.low);
            for row in 0..ROWS {
                let energy = least[row] - high[row];
                // The first of equals: its code is the smallest.
                if energy < best[row].energy {
                    best[row] = Block {
                        energy,
                        index,
                        least: least[row],
                    };
                }
            }
        }
        std::array::from_fn(|row| {
            let first = best[row].index * sums.low.len();
            let block = &table[first..][..sums.low.len()];
            first * LANES + position(block, &sums.low, row, best[row].least)
        })
    }
}

/// The block of low codes that holds the least energy.
#[derive(Clone, Copy)]
struct Block {
    energy: f64,
    index: usize,
    /// The least energy before the part of the high bits is taken off.
    least: f64,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            energy: f64::INFINITY,
            index: 0,
            least: f64::INFINITY,
        }
    }
}

/// The least of table − b_low in a block, for every row.
#[inline(always)]
fn least_of_block(block: &[Lanes], low: &[[Lanes; ROWS]]) -> [f64; ROWS] {
    let mut least = [[f64::INFINITY; LANES]; ROWS];
    for (energies, sums) in block.iter().zip(low) {
        for (least, sums) in least.iter_mut().zip(sums) {
            for lane in 0..LANES {
                let energy = energies[lane] - sums[lane];
                least[lane] = if energy < least[lane] {
                    energy
                } else {
                    least[lane]
                };
            }
        }
    }
    least.map(|lanes| least_of(lanes, |a, b| a < b))
}

/// The smallest low code of a row whose energy before the high bits is the given one.
#[inline(always)]
fn position(block: &[Lanes], low: &[[Lanes; ROWS]], row: usize, least: f64) -> usize {
    let mut found = [u64::MAX; LANES];
    let mut code: [u64; LANES] = std::array::from_fn(|lane| lane as u64);
    for (energies, sums) in block.iter().zip(low) {
        for lane in 0..LANES {
            let hit = energies[lane] - sums[row][lane] == least && found[lane] == u64::MAX;
            found[lane] = if hit { code[lane] } else { found[lane] };
            code[lane] += LANES as u64;
        }
    }
    least_of(found, |a, b| a < b) as usize
}

/// The least of a few numbers, by halves.
#[inline(always)]
fn least_of<T: Copy>(lanes: [T; LANES], less: impl Fn(T, T) -> bool) -> T {
    let min = |a, b| if less(b, a) { b } else { a };
    let four: [T; 4] = std::array::from_fn(|k| min(lanes[k], lanes[k + 4]));
    min(min(four[0], four[2]), min(four[1], four[3]))
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

/// The labels of a code, ascending.
fn labels_of(code: usize) -> impl Iterator<Item = u32> {
    let mut left = code;
    std::iter::from_fn(move || {
        let lowest = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(lowest)
    })
}
