//! The update of one label, a register of rows at a time.

use pulp::Simd;

use crate::linalg::exponential;

/// Sets marginals to σ of their fields; returns by how much they moved, and takes note of the largest move.
#[inline(always)]
pub(super) fn update<S: Simd>(
    simd: S,
    marginals: &mut S::f64s,
    fields: S::f64s,
    changes: &mut S::f64s,
) -> S::f64s {
    let next = sigmoid(simd, fields);
    let steps = simd.sub_f64s(next, *marginals);
    *marginals = next;
    *changes = simd.max_f64s(*changes, simd.abs_f64s(steps));
    steps
}

/// σ(m) = 1/(1 + exp(−m)), to a few units in the last place; beyond ±708 it stays where it is there.
///
/// The exponential of numbers of either sign keeps small probabilities accurate without a second formula for them.
#[inline(always)]
fn sigmoid<S: Simd>(simd: S, m: S::f64s) -> S::f64s {
    let one = simd.splat_f64s(1.0);
    let e = exponential(simd, simd.neg_f64s(m));
    simd.div_f64s(one, simd.add_f64s(one, e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::vectorised;

    struct Sigmoids<'a>(&'a mut [f64; 8]);

    impl pulp::WithSimd for Sigmoids<'_> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            for values in S::as_mut_simd_f64s(self.0).0 {
                *values = sigmoid(simd, *values);
            }
        }
    }

    #[test]
    fn our_logistic_function_equals_that_of_the_library() {
        for k in -70_000..70_000 {
            let m: [f64; 8] = std::array::from_fn(|lane| 0.01 * f64::from(k) + 0.001 * lane as f64);
            let mut found = m;
            vectorised(Sigmoids(&mut found));
            for (m, found) in m.iter().zip(found) {
                let expected = 1.0 / (1.0 + (-m).exp());
                assert!((found / expected - 1.0).abs() < 1e-15, "{m}: {found}");
            }
        }
    }

    #[test]
    fn extreme_log_odds_stay_numbers() {
        let mut values = [1e300, 709.0, 708.0, 40.0, -40.0, -708.0, -709.0, -1e300];
        vectorised(Sigmoids(&mut values));
        assert_eq!(values[..4], [1.0; 4]);
        assert!(values[5] > 0.0 && values[5] == values[6] && values[6] == values[7]);
    }
}
