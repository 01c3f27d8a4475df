//! The exponential of a SIMD register.

use pulp::{Simd, WithSimd, bytemuck};

use super::vectorised;

/// Replaces each of some groups of eight numbers by their exponentials, as [`exponential`] finds them.
pub(crate) fn exponentials(values: &mut [[f64; 8]]) {
    vectorised(Exponentials(values.as_flattened_mut()));
}

struct Exponentials<'a>(&'a mut [f64]);

impl WithSimd for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Registers hold one, two, four or eight numbers, so that none is left.
        for values in S::as_mut_simd_f64s(self.0).0 {
            *values = exponential(simd, *values);
        }
    }
}

/// exp(x) to a few units in the last place; arguments are clamped to ±708.
///
/// With k the nearest integer to x/log 2 and r = x − k·log 2, exp(x) = 2ᵏ·exp(r), where |r| ≤ 0.35 and thirteen
/// terms of the series reach double precision.
#[inline(always)]
pub(crate) fn exponential<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    // Adding this number rounds the sum to an integer, which is then in the last bits of the mantissa.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    // log 2 in two parts, the first with enough trailing zeros for an exact product with k.
    const LOG_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LOG_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const LARGEST: f64 = 708.0;
    let all = |number| simd.splat_f64s(number);
    let x = simd.min_f64s(simd.max_f64s(x, all(-LARGEST)), all(LARGEST));
    let rounded = simd.mul_add_e_f64s(x, all(std::f64::consts::LOG2_E), all(ROUNDER));
    let k = simd.sub_f64s(rounded, all(ROUNDER));
    let r = simd.negate_mul_add_e_f64s(k, all(LOG_2_HIGH), x);
    let r = simd.negate_mul_add_e_f64s(k, all(LOG_2_LOW), r);
    simd.mul_f64s(series(simd, r), powers_of_two(simd, rounded))
}

/// Σ rⁿ/n! up to the twelfth power.
///
/// Terms are combined in pairs, then pairs of pairs (Estrin's scheme): callers often wait for this sum, and
/// Horner's scheme would take three times as long.
#[inline(always)]
fn series<S: Simd>(simd: S, r: S::f64s) -> S::f64s {
    let square = simd.mul_f64s(r, r);
    let fourth = simd.mul_f64s(square, square);
    let eighth = simd.mul_f64s(fourth, fourth);
    let pair =
        |low: f64, high: f64| simd.mul_add_e_f64s(simd.splat_f64s(high), r, simd.splat_f64s(low));
    let four = |low, high| simd.mul_add_e_f64s(high, square, low);
    let first = four(pair(1.0, 1.0), pair(1.0 / 2.0, 1.0 / 6.0));
    let second = four(
        pair(1.0 / 24.0, 1.0 / 120.0),
        pair(1.0 / 720.0, 1.0 / 5_040.0),
    );
    let third = four(
        pair(1.0 / 40_320.0, 1.0 / 362_880.0),
        pair(1.0 / 3_628_800.0, 1.0 / 39_916_800.0),
    );
    let last = simd.mul_add_e_f64s(simd.splat_f64s(1.0 / 479_001_600.0), fourth, third);
    let low = simd.mul_add_e_f64s(second, fourth, first);
    simd.mul_add_e_f64s(last, eighth, low)
}

/// 2ᵏ for integers k in the last bits of the mantissas.
#[inline(always)]
fn powers_of_two<S: Simd>(simd: S, rounded: S::f64s) -> S::f64s {
    let mut bits = simd.transmute_u64s_f64s(rounded);
    for bits in bytemuck::cast_slice_mut::<S::u64s, u64>(std::slice::from_mut(&mut bits)) {
        // The exponent field of a double is its exponent plus 1023.
        *bits = bits.wrapping_add(1023) << 52;
    }
    simd.transmute_f64s_u64s(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_agrees_with_the_standard_library() {
        for k in -70_000..70_000 {
            let x: [f64; 8] = std::array::from_fn(|lane| 0.01 * f64::from(k) + 0.001 * lane as f64);
            let mut found = x;
            exponentials(std::slice::from_mut(&mut found));
            for (x, found) in x.iter().zip(found) {
                assert!((found / x.exp() - 1.0).abs() < 1e-15, "{x}: {found}");
            }
        }
    }

    #[test]
    fn extreme_arguments_give_positive_finite_numbers() {
        let mut values = [1e300, 709.0, 708.0, 0.0, -0.0, -708.0, -709.0, -1e300];
        exponentials(std::slice::from_mut(&mut values));
        assert!(values.iter().all(|value| value.is_finite() && *value > 0.0));
        assert_eq!(values[3..5], [1.0; 2]);
        assert!(values[..3].iter().all(|value| *value == values[2]));
        assert!(values[5..].iter().all(|value| *value == values[5]));
    }
}
