//! Products of a sparse matrix with interleaved vectors.
//!
//! An entry of the matrix multiplies one value of every vector, and these are contiguous. The sums of a row stay in
//! registers until all entries of the row have been added, so an entry costs one read and one multiply-add per
//! register, and only results are written. Eight registers at a time keep two multipliers with a latency of four
//! cycles busy.

use pulp::{Simd, WithSimd};

use super::vectorised;
use crate::data::CsrView;

/// `output = X·input`, both of `width` interleaved vectors: a row of `input` for each column of X, and a row of
/// `output` for each row of X.
pub(crate) fn multiply_interleaved(
    x: CsrView<'_>,
    input: &[f64],
    output: &mut [f64],
    width: usize,
) {
    vectorised(SparseProduct {
        x,
        input,
        output,
        width,
        adds: false,
    });
}

/// `output += X·input`, with the layout of [`multiply_interleaved`].
pub(super) fn add_interleaved(x: CsrView<'_>, input: &[f64], output: &mut [f64], width: usize) {
    vectorised(SparseProduct {
        x,
        input,
        output,
        width,
        adds: true,
    });
}

struct SparseProduct<'a> {
    x: CsrView<'a>,
    input: &'a [f64],
    output: &'a mut [f64],
    width: usize,
    /// Whether to add to the output.
    adds: bool,
}

impl WithSimd for SparseProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if self.width == 0 {
            return;
        }
        for (row, output) in self.output.chunks_exact_mut(self.width).enumerate() {
            let entries = Entries {
                row: self.x.row(row),
                input: self.input,
                width: self.width,
            };
            if !self.adds {
                output.fill(0.0);
            }
            entries.add_to(simd, output);
        }
    }
}

/// The entries of one row, and the interleaved input.
#[derive(Clone, Copy)]
struct Entries<'a> {
    row: (&'a [u32], &'a [f64]),
    input: &'a [f64],
    width: usize,
}

impl Entries<'_> {
    #[inline(always)]
    fn add_to<S: Simd>(self, simd: S, output: &mut [f64]) {
        if self.row.0.is_empty() {
            return;
        }
        let mut first = 0;
        while first < output.len() {
            let rest = &mut output[first..];
            let registers = rest.len() / S::F64_LANES;
            first += match registers {
                0 => self.add_part(simd, first, rest),
                1 => self.add_registers::<S, 1>(simd, first, rest),
                2 => self.add_registers::<S, 2>(simd, first, rest),
                3 => self.add_registers::<S, 3>(simd, first, rest),
                4 => self.add_registers::<S, 4>(simd, first, rest),
                5 => self.add_registers::<S, 5>(simd, first, rest),
                6 => self.add_registers::<S, 6>(simd, first, rest),
                7 => self.add_registers::<S, 7>(simd, first, rest),
                _ => self.add_registers::<S, 8>(simd, first, rest),
            };
        }
    }

    /// Adds to R registers of vectors; returns the number of vectors.
    #[inline(always)]
    fn add_registers<S: Simd, const R: usize>(
        self,
        simd: S,
        first: usize,
        output: &mut [f64],
    ) -> usize {
        let lanes = R * S::F64_LANES;
        let (results, _) = S::as_mut_simd_f64s(&mut output[..lanes]);
        let mut sums = [simd.splat_f64s(0.0); R];
        sums.copy_from_slice(results);
        for (&column, &value) in self.row.0.iter().zip(self.row.1) {
            let factors = &self.input[column as usize * self.width + first..][..lanes];
            let (factors, _) = S::as_simd_f64s(factors);
            let value = simd.splat_f64s(value);
            for (sum, &factor) in sums.iter_mut().zip(factors) {
                *sum = simd.mul_add_e_f64s(value, factor, *sum);
            }
        }
        results.copy_from_slice(&sums);
        lanes
    }

    /// Adds to vectors that do not fill a register; returns their number.
    #[inline(always)]
    fn add_part<S: Simd>(self, simd: S, first: usize, output: &mut [f64]) -> usize {
        let lanes = output.len();
        let mut sum = simd.partial_load_f64s(output);
        for (&column, &value) in self.row.0.iter().zip(self.row.1) {
            let factors = &self.input[column as usize * self.width + first..][..lanes];
            let factors = simd.partial_load_f64s(factors);
            sum = simd.mul_add_e_f64s(simd.splat_f64s(value), factors, sum);
        }
        simd.partial_store_f64s(output, sum);
        lanes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::{Csr, Matrix};

    #[test]
    fn products_agree_with_the_naive_ones_for_any_number_of_vectors() {
        let mut stream = Seed::new(5).stream();
        let x = Matrix::from_fn(13, 7, |i, j| {
            if (i * 5 + j * 3) % 4 == 0 {
                1.0 + i as f64
            } else {
                0.0
            }
        });
        let sparse = Csr::from(&x);
        for width in 0..90 {
            let input: Vec<f64> = (0..7 * width).map(|_| stream.gaussian()).collect();
            let mut output = vec![f64::NAN; 13 * width];
            multiply_interleaved(sparse.view(), &input, &mut output, width);
            for (place, found) in output.iter().enumerate() {
                let (row, vector) = (place / width, place % width);
                let expected: f64 = (0..7)
                    .map(|j| x[(row, j)] * input[j * width + vector])
                    .sum();
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{width}: {found} {expected}"
                );
            }
        }
    }
}
