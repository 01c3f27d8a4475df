//! Continued fractions b₀ + a₁/(b₁ + a₂/(b₂ + …)).

/// Terms after which we stop whatever has been reached. The fractions here need about √a of them for
/// parameters of size a, so this is enough for millions of degrees of freedom.
const MOST_TERMS: usize = 100_000;

/// The fraction that begins with b₀ and goes on with the pairs (aₙ, bₙ) of `term(n)`.
///
/// Lentz's method: successive convergents differ by the factor cₙdₙ, where cₙ = bₙ + aₙ/cₙ₋₁ and
/// 1/dₙ = bₙ + aₙdₙ₋₁, and a zero in a denominator is replaced by a tiny number.
pub(super) fn continued_fraction(first: f64, term: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut value = not_zero(first);
    let (mut c, mut d) = (value, 0.0);
    for n in 1..=MOST_TERMS {
        let (a, b) = term(n as f64);
        d = 1.0 / not_zero(b + a * d);
        c = not_zero(b + a / c);
        value *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}

fn not_zero(x: f64) -> f64 {
    if x == 0.0 { 1e-300 } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_ones_twos_and_squares_have_their_known_values() {
        let golden = continued_fraction(1.0, |_| (1.0, 1.0));
        assert!((golden - f64::midpoint(1.0, 5.0f64.sqrt())).abs() < 1e-15);
        let root = continued_fraction(1.0, |_| (1.0, 2.0));
        assert!((root - 2.0f64.sqrt()).abs() < 1e-15);
        let quarter_turn = 1.0 / continued_fraction(1.0, |n| (n * n, 2.0 * n + 1.0));
        assert!((quarter_turn - std::f64::consts::FRAC_PI_4).abs() < 1e-15);
    }
}
