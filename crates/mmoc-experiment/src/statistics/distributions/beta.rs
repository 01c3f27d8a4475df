//! The regularised incomplete beta function.

use super::continued_fraction::continued_fraction;
use super::gamma::ln_gamma;

/// I_x(a, b), the share of the integral of tᵃ⁻¹(1 − t)ᵇ⁻¹ over [0, 1] below x, for a, b > 0; x comes with its
/// `complement` 1 − x, in which the caller may have more digits than a subtraction leaves.
///
/// The continued fraction xᵃ(1 − x)ᵇ/(a B(a, b)) · 1/(1 + c₁/(1 + c₂/(1 + …))) with
/// c₂ₘ₊₁ = −(a + m)(a + b + m)x/((a + 2m)(a + 2m + 1)) and c₂ₘ = m(b − m)x/((a + 2m − 1)(a + 2m)) converges fast
/// below the mean, about a/(a + b); above it I_x(a, b) = 1 − I₁₋ₓ(b, a).
pub(super) fn incomplete_beta(x: f64, complement: f64, a: f64, b: f64) -> f64 {
    if x == 0.0 || complement == 0.0 {
        return f64::from(u8::from(complement == 0.0));
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        1.0 - below_mean(complement, x, b, a)
    } else {
        below_mean(x, complement, a, b)
    }
}

fn below_mean(x: f64, complement: f64, a: f64, b: f64) -> f64 {
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let scale = (a * x.ln() + b * complement.ln() - ln_beta).exp();
    scale / (a * continued_fraction(1.0, |n| (coefficient(n, x, a, b), 1.0)))
}

/// The coefficient cₙ of the fraction.
fn coefficient(n: f64, x: f64, a: f64, b: f64) -> f64 {
    let m = (n / 2.0).floor();
    let numerator = if n % 2.0 == 1.0 {
        -(a + m) * (a + b + m)
    } else {
        m * (b - m)
    };
    numerator * x / ((a + n - 1.0) * (a + n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beta(x: f64, a: f64, b: f64) -> f64 {
        incomplete_beta(x, 1.0 - x, a, b)
    }

    #[test]
    fn a_parameter_of_one_gives_powers() {
        for x in [0.01f64, 0.3, 0.5, 0.9] {
            for a in [0.5, 1.0, 2.5, 30.0] {
                assert!((beta(x, a, 1.0) - x.powf(a)).abs() < 1e-14);
                assert!((beta(x, 1.0, a) - (1.0 - (1.0 - x).powf(a))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn whole_parameters_give_binomial_tails() {
        // I_x(a, b) is the probability of at least a successes of chance x in a + b − 1 trials.
        let (x, trials) = (0.35f64, 12);
        let mut chance = (1.0 - x).powi(trials);
        let mut at_least = 1.0;
        for successes in 0..trials {
            at_least -= chance;
            let found = beta(x, f64::from(successes + 1), f64::from(trials - successes));
            assert!((found - at_least).abs() < 1e-14, "{successes}");
            chance *= f64::from(trials - successes) / f64::from(successes + 1) * x / (1.0 - x);
        }
    }
}
