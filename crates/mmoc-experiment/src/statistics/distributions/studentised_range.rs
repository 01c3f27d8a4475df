//! The range of k normal numbers: the studentised range with infinitely many degrees of freedom.

use super::normal_tail;

/// Beyond this the normal density is below the last digit of anything it is added to.
const FAR: f64 = 9.0;

/// The q that the range of `count` ≥ 2 independent standard normal numbers exceeds with probability `tail`.
///
/// Bisection until the numbers run out: the distribution function costs microseconds and a quantile is wanted
/// once a table. The tail is one minus an integral that is right to some 1e-14, so `tail` must be far above that.
pub(in crate::statistics) fn studentised_range_quantile(tail: f64, count: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while range_tail(high, count) > tail {
        high *= 2.0;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return high;
        }
        if range_tail(middle, count) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// P(max − min > q) of k numbers: 1 − k ∫ φ(z)(Φ(z) − Φ(z − q))ᵏ⁻¹ dz, where z is the greatest of them.
///
/// The integrand is entire and dies off like φ, so the trapezoidal rule errs by no more than the integrand's
/// Fourier transform at frequency 1/h, about exp(−2π²/(kh²)): e⁻⁷⁹ with a step of h = 1/(2√k).
fn range_tail(q: f64, count: usize) -> f64 {
    let k = count as f64;
    let step = 0.5 / k.sqrt();
    let reach = (FAR / step).ceil() as i64;
    let integral: f64 = (-reach..=reach)
        .map(|place| {
            let z = place as f64 * step;
            density(z) * between(z - q, z).powf(k - 1.0)
        })
        .sum();
    1.0 - k * step * integral
}

fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

/// P(low < Z ≤ high), from the tails on the side where they are small.
fn between(low: f64, high: f64) -> f64 {
    let mass = if low > 0.0 {
        normal_tail(low) - normal_tail(high)
    } else {
        normal_tail(-high) - normal_tail(-low)
    };
    mass.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_two_is_a_normal_difference() {
        for q in [0.1, 1.0, 2.77, 5.0, 9.0] {
            let expected = 2.0 * normal_tail(q / 2.0f64.sqrt());
            assert!((range_tail(q, 2) - expected).abs() < 1e-14, "{q}");
        }
    }

    #[test]
    fn half_the_step_changes_nothing() {
        let finer = |q: f64, count: usize| {
            let k = count as f64;
            let step = 0.25 / k.sqrt();
            let reach = (FAR / step).ceil() as i64;
            let term = |place: i64| {
                let z = place as f64 * step;
                density(z) * between(z - q, z).powf(k - 1.0)
            };
            1.0 - k * step * (-reach..=reach).map(term).sum::<f64>()
        };
        for (q, count) in [(0.5, 3), (3.3, 3), (4.0, 10), (5.0, 40), (6.0, 500)] {
            let difference = range_tail(q, count) - finer(q, count);
            assert!(difference.abs() < 1e-13, "{q}, {count}: {difference:e}");
        }
    }

    #[test]
    fn quantiles_invert_the_tail() {
        for count in [2, 3, 8, 25, 1000] {
            for tail in [0.5, 0.1, 0.05, 0.001] {
                let q = studentised_range_quantile(tail, count);
                assert!(
                    (range_tail(q, count) - tail).abs() < 1e-12,
                    "{count}, {tail}"
                );
            }
        }
    }

    #[test]
    fn critical_values_are_those_of_the_table_of_demsar() {
        // Demšar (2006), table 5: the quantiles over √2 for two to ten classifiers, to three digits.
        let at_5 = [
            1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164,
        ];
        let at_10 = [
            1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920,
        ];
        for (tail, table) in [(0.05, at_5), (0.10, at_10)] {
            for (count, expected) in (2..).zip(table) {
                let found = studentised_range_quantile(tail, count) / 2.0f64.sqrt();
                // Some entries of the table were cut off rather than rounded.
                assert!((found - expected).abs() < 1e-3, "{count}: {found}");
            }
        }
    }
}
