//! The gamma function and its upper part.

use super::continued_fraction::continued_fraction;

/// Above this the asymptotic series of ln Γ has all digits with the terms below.
const ASYMPTOTIC: f64 = 16.0;

/// Bₘ/(m(m − 1)) for the Bernoulli numbers of m = 2, 4, 6, …
const STIRLING: [f64; 6] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
];

/// ln Γ(x) for x > 0.
///
/// Stirling: (x − ½) ln x − x + ½ ln 2π + Σ Bₘ/(m(m − 1)xᵐ⁻¹) once x is large, to which
/// Γ(x) = Γ(x + s)/(x(x + 1)…(x + s − 1)) brings every other x.
pub(super) fn ln_gamma(x: f64) -> f64 {
    let (mut large, mut product) = (x, 1.0);
    while large < ASYMPTOTIC {
        product *= large;
        large += 1.0;
    }
    let square = 1.0 / (large * large);
    let series = STIRLING.iter().rev().fold(0.0, |sum, b| sum * square + b) / large;
    let half_ln_tau = 0.5 * std::f64::consts::TAU.ln();
    (large - 0.5) * large.ln() - large + half_ln_tau + series - product.ln()
}

/// Q(a, x) = Γ(a, x)/Γ(a) for a > 0 and x ≥ 0: the share of the integral of tᵃ⁻¹e⁻ᵗ above x.
///
/// For small x one minus the series P = xᵃe⁻ˣ/Γ(a + 1) · Σ xⁿ/((a + 1)…(a + n)), for large x the continued
/// fraction Q = xᵃe⁻ˣ/Γ(a) · 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))).
pub(super) fn upper_gamma(a: f64, x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        1.0 - scale / a * lower_series(a, x)
    } else {
        let fraction = |n: f64| (n * (a - n), x + 2.0 * n + 1.0 - a);
        scale / continued_fraction(x + 1.0 - a, fraction)
    }
}

/// Σ xⁿ/((a + 1)…(a + n)) from n = 0. Terms fall from the start where x < a + 1.
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while term > f64::EPSILON * sum {
        term *= x / (a + n);
        sum += term;
        n += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ln_gamma_has_factorials_and_half_integers() {
        let (mut integer, mut half) = (0.0f64, std::f64::consts::PI.ln() / 2.0);
        for n in 1..60 {
            let x = f64::from(n);
            for (found, expected) in [(ln_gamma(x), integer), (ln_gamma(x - 0.5), half)] {
                let error = (found - expected).abs();
                assert!(error <= 1e-14 * expected.abs().max(1.0), "{x}: {error:e}");
            }
            integer += x.ln();
            half += (x - 0.5).ln();
        }
    }

    #[test]
    fn series_and_fraction_agree_where_they_meet() {
        for a in [0.5, 1.0, 3.5, 20.0, 300.0] {
            let below = upper_gamma(a, a + 1.0 - 1e-9);
            let above = upper_gamma(a, a + 1.0 + 1e-9);
            assert!((below - above).abs() < 2e-9 && below > above, "{a}");
        }
    }
}
