//! The logistic function of one number, for any finite argument.
//!
//! All functions need the exponential of a nonpositive number. Calls of the library function would take most of the
//! time of a small problem; this one is plain arithmetic that the compiler vectorises inside a loop.
//! `linalg::exponential` is the explicit SIMD form for any argument.

/// `exp(x)` for x ≤ 0, to within two units in the last place; constant below −708.
///
/// With k the nearest integer to x/log 2 and r = x − k·log 2, exp(x) = 2ᵏ·exp(r), where |r| ≤ 0.35 and fourteen
/// terms of the series reach double precision.
#[inline(always)]
pub(super) fn exp_of_nonpositive(x: f64) -> f64 {
    // Adding this number rounds the sum to an integer, which is then in the last bits of the mantissa.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    // log 2 in two parts, the first with enough trailing zeros for an exact product with k.
    const LOG_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LOG_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const SERIES: [f64; 14] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        1.0 / 2.0,
        1.0,
        1.0,
    ];
    let x = x.max(-708.0);
    let rounded = x * std::f64::consts::LOG2_E + ROUNDER;
    let k = rounded - ROUNDER;
    let r = (x - k * LOG_2_HIGH) - k * LOG_2_LOW;
    let mut series = SERIES[0];
    for term in &SERIES[1..] {
        series = series * r + term;
    }
    // The exponent field of a double is its exponent plus 1023.
    let power = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    series * power
}

/// `log(1 + x)` for 0 ≤ x ≤ 1, to within a few units in the last place.
///
/// With s = x/(2 + x) ≤ ⅓, log(1 + x) = 2·artanh(s) = 2s·Σ s²ᵏ/(2k + 1), and sixteen terms of the series reach double
/// precision, also relative to a small x.
#[inline(always)]
pub(super) fn ln_1p_of_fraction(x: f64) -> f64 {
    const SERIES: [f64; 16] = [
        1.0 / 31.0,
        1.0 / 29.0,
        1.0 / 27.0,
        1.0 / 25.0,
        1.0 / 23.0,
        1.0 / 21.0,
        1.0 / 19.0,
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
        1.0 / 3.0,
        1.0,
    ];
    let s = x / (2.0 + x);
    let square = s * s;
    let mut series = SERIES[0];
    for term in &SERIES[1..] {
        series = series * square + term;
    }
    2.0 * s * series
}

/// The probability `1 / (1 + exp(−m))` of log-odds m, which must not be NaN.
#[inline(always)]
pub fn sigmoid(m: f64) -> f64 {
    let e = exp_of_nonpositive(-m.abs());
    let larger = 1.0 / (1.0 + e);
    if m >= 0.0 { larger } else { e * larger }
}

/// The log loss `log(1 + exp(m)) − y·m` of log-odds m for the target y.
pub(super) fn log_loss(m: f64, y: f64) -> f64 {
    m.max(0.0) + exp_of_nonpositive(-m.abs()).ln_1p() - y * m
}

/// The log-odds of the smoothed base rate `(ones + ½)/(rows + 1)`; one half without rows.
pub(crate) fn smoothed_log_odds(ones: f64, rows: f64) -> f64 {
    ((ones + 0.5) / (rows - ones + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_agrees_with_the_standard_library() {
        for k in 0..=700_000 {
            let x = -f64::from(k) * 1e-3;
            let (found, expected) = (exp_of_nonpositive(x), x.exp());
            assert!(
                (found / expected - 1.0).abs() < 2.0 * f64::EPSILON,
                "{x}: {found} {expected}"
            );
        }
        assert_eq!(exp_of_nonpositive(0.0), 1.0);
        assert!(exp_of_nonpositive(-1e9) < 1e-300);
        assert!(exp_of_nonpositive(f64::NEG_INFINITY) < 1e-300);
    }

    #[test]
    fn the_logarithm_agrees_with_the_standard_library() {
        for k in 0..=100_000 {
            let x = f64::from(k) * 1e-5;
            for x in [x, x * 1e-9, x * 1e-300] {
                let (found, expected) = (ln_1p_of_fraction(x), x.ln_1p());
                assert!(
                    (found - expected).abs() <= 3.0 * f64::EPSILON * expected,
                    "{x}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn extreme_log_odds_give_finite_results() {
        assert_eq!(sigmoid(800.0), 1.0);
        assert!(sigmoid(-800.0) < 1e-300);
        assert!(log_loss(800.0, 1.0) < 1e-300 && log_loss(-800.0, 0.0) < 1e-300);
        assert_eq!(
            (log_loss(800.0, 0.0), log_loss(-800.0, 1.0)),
            (800.0, 800.0)
        );
    }

    #[test]
    fn sigmoid_is_the_derivative_of_the_loss_of_a_zero() {
        for m in [-30.0, -2.0, -1e-3, 0.0, 0.5, 3.0, 25.0] {
            let h = 1e-6;
            let slope = (log_loss(m + h, 0.0) - log_loss(m - h, 0.0)) / (2.0 * h);
            assert!((slope - sigmoid(m)).abs() < 1e-8);
        }
    }

    #[test]
    fn smoothed_base_rates_are_strictly_between_zero_and_one() {
        assert!(sigmoid(smoothed_log_odds(0.0, 10.0)) > 0.0);
        assert!(sigmoid(smoothed_log_odds(10.0, 10.0)) < 1.0);
        assert_eq!(smoothed_log_odds(5.0, 10.0), 0.0);
        assert_eq!(smoothed_log_odds(0.0, 0.0), 0.0);
    }
}
