//! Enumeration for few labels: rows side by side, code after code.
//!
//! With at most 64 codes a row by itself would spend most of its time on putting the best of several lanes
//! together, so here every lane is a row of its own. The quarters of the table, in which the two highest labels are
//! fixed, are searched next to each other: a comparison has to wait for the one before it in the same quarter only.

use pulp::{Simd, WithSimd};

/// Labels up to which rows are taken side by side; fewer are filled up to as many.
pub(super) const MOST_LABELS: usize = LOW_LABELS + 2;

/// Rows side by side.
pub(super) const ROWS: usize = 16;

/// Labels that are not fixed within a quarter of the table.
const LOW_LABELS: usize = 4;

/// Codes in a quarter of the table.
const QUARTER: usize = 1 << LOW_LABELS;

/// The codes of least energy of up to [`ROWS`] rows.
pub(super) struct Search<'a> {
    /// ½yᵀAy by code, of four quarters.
    pub(super) table: &'a [f64],
    pub(super) labels: usize,
    /// b of the rows.
    pub(super) rows: &'a [f64],
}

impl WithSimd for Search<'_> {
    type Output = [f64; ROWS];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let evidence = self.evidence_by_label();
        let sums = sums_of_low_labels(simd, &evidence);
        let mut codes = [0.0; ROWS];
        for (r, codes) in S::as_mut_simd_f64s(&mut codes).0.iter_mut().enumerate() {
            let [.., fifth, sixth] = &evidence;
            let high = [S::as_simd_f64s(fifth).0[r], S::as_simd_f64s(sixth).0[r]];
            *codes = self.least_codes(simd, &sums, r, high);
        }
        codes
    }
}

impl Search<'_> {
    /// b label by label; those that only fill up say nothing.
    #[inline(always)]
    fn evidence_by_label(&self) -> [[f64; ROWS]; MOST_LABELS] {
        let mut evidence = [[0.0; ROWS]; MOST_LABELS];
        for (lane, row) in self.rows.chunks_exact(self.labels).enumerate() {
            for (evidence, b) in evidence.iter_mut().zip(row) {
                evidence[lane] = *b;
            }
        }
        evidence
    }

    /// The codes of least energy of the rows in register r, given their evidence for the two highest labels.
    #[inline(always)]
    fn least_codes<S: Simd>(
        &self,
        simd: S,
        sums: &[[f64; ROWS]; QUARTER],
        r: usize,
        high: [S::f64s; 2],
    ) -> S::f64s {
        let (quarters, _) = self.table.as_chunks::<QUARTER>();
        let mut least = [simd.splat_f64s(f64::INFINITY); 4];
        let mut codes = [simd.splat_f64s(0.0); 4];
        let mut code = 0.0;
        for (c, sums) in sums.iter().enumerate() {
            let sum = S::as_simd_f64s(sums).0[r];
            for t in 0..4 {
                let energies = simd.sub_f64s(simd.splat_f64s(quarters[t][c]), sum);
                // The first of equals: its code is the smallest.
                let better = simd.less_than_f64s(energies, least[t]);
                codes[t] = simd.select_f64s(better, simd.splat_f64s(code), codes[t]);
                least[t] = simd.min_f64s(energies, least[t]);
            }
            code += 1.0;
        }
        let of_quarters = [high[0], high[1], simd.add_f64s(high[0], high[1])];
        let (mut best, mut best_codes, mut first) = (least[0], codes[0], 0.0);
        for t in 1..4 {
            first += QUARTER as f64;
            let energies = simd.sub_f64s(least[t], of_quarters[t - 1]);
            let better = simd.less_than_f64s(energies, best);
            let candidates = simd.add_f64s(codes[t], simd.splat_f64s(first));
            best_codes = simd.select_f64s(better, candidates, best_codes);
            best = simd.min_f64s(energies, best);
        }
        best_codes
    }
}

/// bᵀy of every row for all codes of the low labels.
#[inline(always)]
fn sums_of_low_labels<S: Simd>(
    simd: S,
    evidence: &[[f64; ROWS]; MOST_LABELS],
) -> [[f64; ROWS]; QUARTER] {
    let mut sums = [[0.0; ROWS]; QUARTER];
    for (label, evidence) in evidence[..LOW_LABELS].iter().enumerate() {
        let evidence = S::as_simd_f64s(evidence).0;
        let (without, with) = sums.split_at_mut(1 << label);
        for (with, without) in with.iter_mut().zip(without) {
            let pairs = S::as_mut_simd_f64s(with).0.iter_mut().zip(evidence);
            for ((with, b), without) in pairs.zip(S::as_simd_f64s(without).0) {
                *with = simd.add_f64s(*without, *b);
            }
        }
    }
    sums
}
