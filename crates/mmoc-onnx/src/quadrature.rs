//! Gauss's rule for integrals from 0 to 1.

/// Points and weights with which the integrals of all polynomials of degree 2·count − 1 at most are exact.
///
/// The points are the zeros of the Legendre polynomial P_n, found by Newton's method from Tricomi's approximation.
pub(crate) fn gauss_legendre(count: usize) -> (Vec<f64>, Vec<f64>) {
    let n = count as f64;
    let of_point = |k: usize| {
        let angle = std::f64::consts::PI * (k as f64 + 0.75) / (n + 0.5);
        let mut x = (1.0 - (n - 1.0) / (8.0 * n * n * n)) * angle.cos();
        for _ in 0..STEPS {
            let (value, slope) = legendre(count, x);
            x -= value / slope;
        }
        let slope = legendre(count, x).1;
        (0.5 + 0.5 * x, 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..count).map(of_point).unzip()
}

/// Newton steps; three are taken from the approximation, and more change nothing.
const STEPS: usize = 6;

/// P_n(x) and its derivative, for −1 < x < 1.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (0.0, 1.0);
    for k in 0..n {
        let k = k as f64;
        let next = ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0);
        (before, value) = (value, next);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_of_powers_are_exact_up_to_the_degree_and_not_beyond() {
        for count in [1, 2, 3, 5, 14, 53, 159, 400] {
            let (points, weights) = gauss_legendre(count);
            let integral = |degree: usize| -> f64 {
                let at = points.iter().zip(&weights);
                at.map(|(x, w)| w * x.powf(degree as f64)).sum()
            };
            for degree in 0..2 * count {
                let error = integral(degree) - 1.0 / (degree + 1) as f64;
                assert!(
                    error.abs() < 1e-14,
                    "{count} points, degree {degree}: {error:e}"
                );
            }
            if count < 5 {
                let error = integral(2 * count) - 1.0 / (2 * count + 1) as f64;
                assert!(error.abs() > 1e-8, "{count} points: {error:e}");
            }
        }
    }
}
