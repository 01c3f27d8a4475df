//! Masses of labels, rows side by side.
//!
//! A list of masses by code gives those of its labels by folding: the upper half of the list is the sets with the
//! highest label, the lower half those without; with the upper half added onto the lower one, the list is that of the
//! other labels. Each lane is a row of its own and goes through the same arithmetic whatever its neighbours.

use pulp::{Simd, WithSimd};

use super::MOST_EXACT_LABELS;
use crate::linalg::exponential;

/// Rows side by side.
pub(super) const ROWS: usize = 8;

/// Low bits of a code: factors and sums of the rows fit into the first cache together with a block of weights.
pub(super) const LOW_BITS: usize = 7;

/// Labels below which others, that are in no set, are filled up.
pub(super) const LEAST_LABELS: usize = 2;

/// Codes that are added up apart from each other, so that an addition need not wait for the one before it.
const APART: usize = 1 << LEAST_LABELS;

/// A number for each row.
type Lanes = [f64; ROWS];

/// The masses of the sets with a label and of those without it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mass {
    pub(super) with: Lanes,
    pub(super) without: Lanes,
}

/// Room for the masses of a few rows.
#[derive(Debug)]
pub(super) struct Workspace {
    /// By low bits: u, then masses.
    low: Vec<Lanes>,
    /// By low bits: Σ_h T·s.
    sums: Vec<Lanes>,
    /// By block: the exponents of s, then s, then masses.
    high: Vec<Lanes>,
    /// By label.
    masses: Vec<Mass>,
}

impl Workspace {
    /// Room for this many labels.
    pub(super) fn new(labels: usize) -> Self {
        let labels = labels.max(LEAST_LABELS);
        let low_bits = labels.min(LOW_BITS);
        Self {
            low: vec![[0.0; ROWS]; 1 << low_bits],
            sums: vec![[0.0; ROWS]; 1 << low_bits],
            high: vec![[0.0; ROWS]; 1 << (labels - low_bits)],
            masses: vec![Mass::default(); labels],
        }
    }

    /// The masses by label, of the rows that were folded last.
    pub(super) fn masses(&self) -> &[Mass] {
        &self.masses
    }
}

/// Computes the masses of the labels of up to [`ROWS`] rows.
pub(super) struct Fold<'a> {
    /// T by code.
    pub(super) weights: &'a [f64],
    /// m by block.
    pub(super) least: &'a [f64],
    pub(super) labels: usize,
    /// b of the rows.
    pub(super) rows: &'a [f64],
    /// E* of the rows.
    pub(super) energies: &'a Lanes,
    pub(super) workspace: &'a mut Workspace,
}

impl WithSimd for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let evidence = self.evidence_by_label();
        let space = self.workspace;
        let (low, high) = evidence[..space.masses.len()].split_at(space.low.len().ilog2() as usize);
        let best = low_factors(simd, low, &mut space.low);
        block_scales(
            simd,
            high,
            self.energies,
            &best,
            self.least,
            &mut space.high,
        );
        space.sums.fill([0.0; ROWS]);
        let blocks = self.weights.chunks_exact(space.low.len());
        for (weights, scale) in blocks.zip(&mut space.high) {
            add_block(simd, weights, &space.low, &mut space.sums, scale);
        }
        for (mass, sum) in space.low.iter_mut().zip(&space.sums) {
            each(simd, mass, sum, |mass, sum| simd.mul_f64s(mass, sum));
        }
        let (of_low, of_high) = space.masses.split_at_mut(low.len());
        fold(simd, &mut space.low, of_low);
        fold(simd, &mut space.high, of_high);
    }
}

impl Fold<'_> {
    /// b label by label; those that only fill up say nothing.
    #[inline(always)]
    fn evidence_by_label(&self) -> [Lanes; MOST_EXACT_LABELS] {
        let mut evidence = [[0.0; ROWS]; MOST_EXACT_LABELS];
        for (lane, row) in self.rows.chunks_exact(self.labels).enumerate() {
            for (evidence, b) in evidence.iter_mut().zip(row) {
                evidence[lane] = *b;
            }
        }
        evidence
    }
}

/// Replaces each register of `a` by a function of it and that of `b`.
#[inline(always)]
fn each<S: Simd>(_: S, a: &mut Lanes, b: &Lanes, f: impl Fn(S::f64s, S::f64s) -> S::f64s) {
    for (a, b) in S::as_mut_simd_f64s(a)
        .0
        .iter_mut()
        .zip(S::as_simd_f64s(b).0)
    {
        *a = f(*a, *b);
    }
}

/// Fills in u by doubling; returns Σ max(b_j, 0).
#[inline(always)]
fn low_factors<S: Simd>(simd: S, evidence: &[Lanes], factors: &mut [Lanes]) -> Lanes {
    let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
    let mut best = [0.0; ROWS];
    factors[0] = [1.0; ROWS];
    for (j, b) in evidence.iter().enumerate() {
        each(simd, &mut best, b, |best, b| {
            simd.add_f64s(best, simd.max_f64s(b, zero))
        });
        let (mut of_with, mut of_without) = ([0.0; ROWS], [0.0; ROWS]);
        each(simd, &mut of_with, b, |_, b| {
            exponential(simd, simd.min_f64s(b, zero))
        });
        each(simd, &mut of_without, b, |_, b| {
            let e = exponential(simd, simd.neg_f64s(b));
            simd.min_f64s(e, one)
        });
        let (without, with) = factors.split_at_mut(1 << j);
        for (with, without) in with.iter_mut().zip(without) {
            *with = *without;
            each(simd, with, &of_with, |a, b| simd.mul_f64s(a, b));
            each(simd, without, &of_without, |a, b| simd.mul_f64s(a, b));
        }
    }
    best
}

/// Fills in s from E*, Σ max(b_j, 0) of the low labels, and m.
#[inline(always)]
fn block_scales<S: Simd>(
    simd: S,
    evidence: &[Lanes],
    energies: &Lanes,
    best: &Lanes,
    least: &[f64],
    scales: &mut [Lanes],
) {
    scales[0] = *energies;
    each(simd, &mut scales[0], best, |a, b| simd.add_f64s(a, b));
    for (j, b) in evidence.iter().enumerate() {
        let (without, with) = scales.split_at_mut(1 << j);
        for (with, without) in with.iter_mut().zip(without) {
            *with = *without;
            each(simd, with, b, |a, b| simd.add_f64s(a, b));
        }
    }
    for (scales, least) in scales.iter_mut().zip(least) {
        each(simd, scales, &[*least; ROWS], |exponent, least| {
            exponential(simd, simd.sub_f64s(exponent, least))
        });
    }
}

/// Adds what a block has to the sums by low bits, and turns its scale into its mass.
#[inline(always)]
fn add_block<S: Simd>(
    simd: S,
    weights: &[f64],
    factors: &[Lanes],
    sums: &mut [Lanes],
    scale: &mut Lanes,
) {
    let (weights, _) = weights.as_chunks::<APART>();
    let (factors, _) = factors.as_chunks::<APART>();
    for (r, scale) in S::as_mut_simd_f64s(scale).0.iter_mut().enumerate() {
        let (sums, _) = sums.as_chunks_mut::<APART>();
        let mut totals = [simd.splat_f64s(0.0); APART];
        for ((weights, factors), sums) in weights.iter().zip(factors).zip(sums) {
            for k in 0..APART {
                let weight = simd.splat_f64s(weights[k]);
                let factor = S::as_simd_f64s(&factors[k]).0[r];
                totals[k] = simd.mul_add_e_f64s(weight, factor, totals[k]);
                let sum = &mut S::as_mut_simd_f64s(&mut sums[k]).0[r];
                *sum = simd.mul_add_e_f64s(weight, *scale, *sum);
            }
        }
        let [a, b, c, d] = totals;
        let total = simd.add_f64s(simd.add_f64s(a, b), simd.add_f64s(c, d));
        *scale = simd.mul_f64s(*scale, total);
    }
}

/// Folds masses by code into those of the labels, the highest first.
#[inline(always)]
fn fold<S: Simd>(simd: S, codes: &mut [Lanes], labels: &mut [Mass]) {
    let mut codes = codes;
    for (j, mass) in labels.iter_mut().enumerate().rev() {
        let (without, with) = codes.split_at_mut(1 << j);
        *mass = Mass::default();
        for (without, with) in without.iter_mut().zip(with) {
            each(simd, &mut mass.with, with, |a, b| simd.add_f64s(a, b));
            each(simd, &mut mass.without, without, |a, b| simd.add_f64s(a, b));
            each(simd, without, with, |a, b| simd.add_f64s(a, b));
        }
        codes = without;
    }
}
