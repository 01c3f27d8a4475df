//! Sweeps with the coupling A itself: q terms per update.
//!
//! Labels are taken in blocks. The sums of all labels of a block are computed together from the marginals before
//! the block, so that each marginal is read once for the whole block; then the labels are updated one after the
//! other, each correcting the sums of those after it. That is the same sequence of updates as one by one.

use pulp::Simd;

use super::Sweeps;
use super::lanes::Lanes;
use super::update::update;
use crate::data::Matrix;

/// Rows side by side: the marginals of 159 labels just fit into the first cache.
const LANES: usize = 16;

/// Labels whose sums are computed together.
const BLOCK: usize = 4;

/// Registers per label in the inner loop. With [`BLOCK`] labels that makes eight sums in flight, as many as it
/// takes to keep two multipliers with a latency of four cycles busy.
const REGISTERS: usize = 2;

/// −A without its diagonal: for each block of labels, the couplings of its labels to every label.
#[derive(Debug, Clone)]
pub(super) struct Dense {
    /// The labels, and those with what fills up the last block.
    labels: usize,
    padded: usize,
    couplings: Vec<[f64; BLOCK]>,
}

impl Dense {
    /// Packs A, filled up with zeros to whole blocks.
    pub(super) fn new(coupling: &Matrix) -> Self {
        let padded = coupling.rows().next_multiple_of(BLOCK);
        let entry = |j: usize, k: usize| {
            let inside = j.max(k) < coupling.rows() && j != k;
            if inside { -coupling[(j, k)] } else { 0.0 }
        };
        let couplings = (0..padded)
            .step_by(BLOCK)
            .flat_map(|first| (0..padded).map(move |k| (first, k)))
            .map(|(first, k)| std::array::from_fn(|i| entry(first + i, k)))
            .collect();
        Self {
            labels: coupling.rows(),
            padded,
            couplings,
        }
    }
}

impl Sweeps<LANES> for Dense {
    fn padded_labels(&self) -> usize {
        self.padded
    }

    #[inline(always)]
    fn sweep_with<S: Simd>(&self, simd: S, lanes: &mut Lanes<LANES>) -> [f64; LANES] {
        let mut changes = [0.0; LANES];
        let blocks = self.couplings.chunks_exact(self.padded);
        for (index, couplings) in blocks.enumerate() {
            let first = index * BLOCK;
            let (within, _) = couplings[first..].as_chunks::<BLOCK>();
            fields_before_block(simd, lanes, couplings, first);
            let filled = BLOCK.min(self.labels - first);
            update_block(simd, lanes, &within[0][..filled], first, &mut changes);
        }
        changes
    }
}

/// Sets the fields of the labels of a block to what they are before any of these labels is updated.
#[inline(always)]
fn fields_before_block<S: Simd>(
    simd: S,
    lanes: &mut Lanes<LANES>,
    couplings: &[[f64; BLOCK]],
    first: usize,
) {
    for start in (0..lanes.registers::<S>()).step_by(REGISTERS) {
        let mut sums = [[simd.splat_f64s(0.0); REGISTERS]; BLOCK];
        for (couplings, marginals) in couplings.iter().zip(&lanes.marginals) {
            let marginals = &S::as_simd_f64s(marginals).0[start..][..REGISTERS];
            for (sums, coupling) in sums.iter_mut().zip(couplings) {
                let coupling = simd.splat_f64s(*coupling);
                for (sum, marginals) in sums.iter_mut().zip(marginals) {
                    *sum = simd.mul_add_e_f64s(coupling, *marginals, *sum);
                }
            }
        }
        for (i, sums) in sums.into_iter().enumerate() {
            let biases = &S::as_simd_f64s(&lanes.biases[first + i]).0[start..];
            let fields = &mut S::as_mut_simd_f64s(&mut lanes.fields[first + i]).0[start..];
            for ((field, bias), sum) in fields.iter_mut().zip(biases).zip(sums) {
                *field = simd.add_f64s(*bias, sum);
            }
        }
    }
}

/// Updates the labels of a block one after the other.
#[inline(always)]
fn update_block<S: Simd>(
    simd: S,
    lanes: &mut Lanes<LANES>,
    within: &[[f64; BLOCK]],
    first: usize,
    changes: &mut [f64; LANES],
) {
    let registers = lanes.registers::<S>();
    let changes = &mut S::as_mut_simd_f64s(changes).0[..registers];
    for (i, couplings) in within.iter().enumerate() {
        let marginals = S::as_mut_simd_f64s(&mut lanes.marginals[first + i]).0;
        let (before, later) = lanes.fields[first..][..BLOCK].split_at_mut(i + 1);
        let fields = S::as_simd_f64s(&before[i]).0;
        for (r, change) in changes.iter_mut().enumerate() {
            let steps = update(simd, &mut marginals[r], fields[r], change);
            for (fields, coupling) in later.iter_mut().zip(&couplings[i + 1..]) {
                let field = &mut S::as_mut_simd_f64s(fields).0[r];
                *field = simd.mul_add_e_f64s(simd.splat_f64s(*coupling), steps, *field);
            }
        }
    }
}
