//! Tails of the distributions that tests refer to.
//!
//! All follow from two incomplete functions, gamma and beta, each a series or a continued fraction.

mod beta;
mod continued_fraction;
mod gamma;
mod studentised_range;

use beta::incomplete_beta;
use gamma::upper_gamma;
pub(super) use studentised_range::studentised_range_quantile;

/// P(Z > z) of the standard normal distribution: P(Z² > z²) = Q(½, z²/2) holds both tails.
pub(super) fn normal_tail(z: f64) -> f64 {
    let tail = upper_gamma(0.5, z * z / 2.0) / 2.0;
    if z < 0.0 { 1.0 - tail } else { tail }
}

/// P(|T| > |t|) of Student's distribution with ν degrees of freedom: I_x(ν/2, ½) at x = ν/(ν + t²).
pub(super) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    f_tail(t * t, 1.0, degrees)
}

/// P(F > f) of Fisher's distribution with d₁ and d₂ degrees of freedom: I_x(d₂/2, d₁/2) at
/// x = d₂/(d₂ + d₁f).
pub(super) fn f_tail(f: f64, above: f64, below: f64) -> f64 {
    let total = below + above * f;
    // 1 − x is not computed from x: near f = 0 it would have no digits left.
    incomplete_beta(below / total, above * f / total, below / 2.0, above / 2.0)
}

/// P(χ² > x) with ν degrees of freedom: Q(ν/2, x/2).
pub(super) fn chi_squared_tail(x: f64, degrees: f64) -> f64 {
    upper_gamma(degrees / 2.0, x / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64) {
        let error = (found - expected).abs() / expected;
        assert!(error < 1e-13, "{found}, not {expected}");
    }

    #[test]
    fn student_has_the_closed_forms_of_one_and_two_degrees() {
        for t in [1e-9, 0.1, 1.0, 3.0, 40.0, 1e6] {
            assert_close(
                student_two_sided(t, 1.0),
                2.0 / std::f64::consts::PI * (1.0 / t).atan(),
            );
            // 1 − t/√(2 + t²), written so that nothing cancels.
            let root = (2.0 + t * t).sqrt();
            assert_close(student_two_sided(t, 2.0), 2.0 / (root * (root + t)));
        }
    }

    #[test]
    fn student_tends_to_the_normal_distribution() {
        for t in [0.3, 1.0, 2.0, 4.0] {
            let ratio = student_two_sided(t, 1e7) / (2.0 * normal_tail(t));
            assert!((ratio - 1.0).abs() < 1e-4, "{t}: {ratio}");
        }
    }

    #[test]
    fn f_of_two_degrees_above_has_a_closed_form() {
        for (f, below) in [(0.01, 3.0f64), (1.0, 8.0), (7.0, 27.0)] {
            let expected = (1.0 + 2.0 * f / below).powf(-below / 2.0);
            assert_close(f_tail(f, 2.0, below), expected);
        }
    }

    #[test]
    fn chi_squared_of_even_degrees_is_a_sum() {
        // P(χ² > x) with 2m degrees is the probability of fewer than m Poisson events of mean x/2.
        for (x, half) in [(0.1f64, 1), (2.0, 3), (9.0, 4), (60.0, 5), (700.0, 2)] {
            let mean = x / 2.0;
            let mut event = (-mean).exp();
            let mut sum = 0.0;
            for count in 0..half {
                sum += event;
                event *= mean / f64::from(count + 1);
            }
            assert_close(chi_squared_tail(x, 2.0 * f64::from(half)), sum);
        }
    }

    #[test]
    fn normal_tails_are_symmetric_and_known() {
        assert_close(normal_tail(0.0), 0.5);
        assert_close(normal_tail(1.0), 0.158_655_253_931_457_05);
        assert_close(normal_tail(6.0), 9.865_876_450_376_98e-10);
        for z in [0.1, 1.3, 5.0] {
            assert_eq!(normal_tail(-z) + normal_tail(z), 1.0);
        }
    }

    #[test]
    fn tails_end_at_one_and_zero() {
        for tail in [|x| f_tail(x, 3.0, 5.0), |x| chi_squared_tail(x, 3.0)] {
            assert_eq!(tail(0.0), 1.0);
            assert!(tail(1e8) < 1e-15);
        }
    }
}
