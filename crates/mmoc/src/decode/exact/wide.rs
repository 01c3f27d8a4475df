//! Enumeration for many labels: codes side by side, a few rows together.
//!
//! bᵀy is split into the part of the low bits and that of the high bits, so that the inner loop takes one
//! subtraction and one comparison per code:
//!
//! ```text
//! min over codes = min over high bits of (min over low bits of (table[high, low] − b_low[low]) − b_high[high])
//! ```
//!
//! Only the least energy of each block of low codes is kept; the best block is gone through again for its code.
//! Several rows go through the table together, because reading it from the second cache would else take
//! longer than the arithmetic.

use pulp::NullaryFnOnce;

use super::sums_of_subsets;

/// Low bits of a code: a block of the table and the sums of the rows fit into the first cache together.
const LOW_BITS: usize = 8;

/// Bits of the codes that are compared side by side.
const LANE_BITS: usize = 3;

/// Codes that are compared side by side.
const LANES: usize = 1 << LANE_BITS;

/// Rows that go through the table together.
pub(super) const ROWS: usize = 4;

/// A number for each of the codes that are compared side by side.
type Lanes = [f64; LANES];

/// bᵀy of a few rows, for the low and for the high bits of all codes.
#[derive(Debug)]
pub(super) struct Sums {
    low: Vec<[Lanes; ROWS]>,
    high: Vec<[f64; ROWS]>,
}

impl Sums {
    /// Room for the sums of this many labels, at least [`LANE_BITS`].
    pub(super) fn new(labels: usize) -> Self {
        let low_bits = labels.min(LOW_BITS);
        Self {
            low: vec![[[0.0; LANES]; ROWS]; 1 << (low_bits - LANE_BITS)],
            high: vec![[0.0; ROWS]; 1 << (labels - low_bits)],
        }
    }

    /// Fills in the sums of one row.
    #[inline(always)]
    fn fill(&mut self, row: usize, b: &[f64]) {
        let (lowest, rest) = b.split_at(LANE_BITS);
        let mut first = [0.0; LANES];
        sums_of_subsets(lowest, &mut first);
        self.low[0][row] = first;
        let (low, high) = rest.split_at(rest.len().min(LOW_BITS - LANE_BITS));
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
pub(super) struct Search<'a> {
    /// ½yᵀAy by code.
    pub(super) table: &'a [f64],
    pub(super) labels: usize,
    /// b of the rows.
    pub(super) rows: &'a [f64],
    pub(super) sums: &'a mut Sums,
}

impl NullaryFnOnce for Search<'_> {
    type Output = [usize; ROWS];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let sums = self.sums;
        for (row, b) in self.rows.chunks_exact(self.labels).enumerate() {
            sums.fill(row, b);
        }
        let (table, _) = self.table.as_chunks::<LANES>();
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
        let mut codes = [0; ROWS];
        for (row, code) in codes.iter_mut().enumerate() {
            let first = best[row].index * sums.low.len();
            let block = &table[first..][..sums.low.len()];
            *code = first * LANES + position(block, &sums.low, row, best[row].least);
        }
        codes
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
    let mut found = [0.0; ROWS];
    for (found, lanes) in found.iter_mut().zip(&least) {
        *found = lanes
            .iter()
            .fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
    }
    found
}

/// The smallest low code of a row whose energy before the high bits is the given one.
#[inline(always)]
fn position(block: &[Lanes], low: &[[Lanes; ROWS]], row: usize, least: f64) -> usize {
    for (index, (energies, sums)) in block.iter().zip(low).enumerate() {
        let mut hits = 0u32;
        for lane in 0..LANES {
            hits |= u32::from(energies[lane] - sums[row][lane] == least) << lane;
        }
        if hits != 0 {
            return index * LANES + hits.trailing_zeros() as usize;
        }
    }
    // Only numbers beyond all bounds have no least.
    0
}
