//! The search for the intercept at which the loss is least, for given coefficients.

/// Limit on intercept steps: sixty bisections exhaust a double.
const MOST_STEPS: usize = 100;

/// The interval in which the derivative with respect to the intercept changes sign.
///
/// Each trial is a Newton step in one variable, so two or three are usual. Bisection takes over where the loss is too
/// flat for them.
#[derive(Debug, Clone)]
pub(super) struct InterceptSearch {
    /// The derivative that is small enough.
    enough: f64,
    low: f64,
    high: f64,
    tried: usize,
}

impl InterceptSearch {
    pub(super) fn new(enough: f64) -> Self {
        Self {
            enough,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            tried: 0,
        }
    }

    /// The next intercept to try, given the derivative of the loss and the total curvature at the current one; none if
    /// that is good enough.
    pub(super) fn next(&mut self, current: f64, slope: f64, curvature: f64) -> Option<f64> {
        if slope.abs() <= self.enough || self.tried == MOST_STEPS {
            return None;
        }
        self.tried += 1;
        if slope < 0.0 {
            self.low = current;
        } else {
            self.high = current;
        }
        Some(self.within(current, -slope / curvature))
    }

    /// A Newton step damped to `log(1 + |δ|)`, which descends since the third derivative of the logistic loss is at most
    /// its second, or the midpoint of the interval if that leaves it.
    fn within(&self, current: f64, newton: f64) -> f64 {
        let next = current + newton.abs().ln_1p().copysign(newton);
        let middle = 0.5 * (self.low + self.high);
        if (next > self.low && next < self.high) || !middle.is_finite() {
            next
        } else {
            middle
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::point::{RegressionRows, RowPoint};
    use super::*;

    /// The derivative of the loss after the search.
    fn slope_found(products: &[f64], start: f64) -> f64 {
        let bit = |holds: bool| f64::from(u8::from(holds));
        let targets: Vec<f64> = (0..12).map(|i| bit(i % 3 == 0)).collect();
        let counts: Vec<f64> = (0..12).map(|i| bit(i % 5 != 1)).collect();
        let rows = RegressionRows {
            targets: &targets,
            counts: &counts,
            are_fractional: false,
        };
        let mut search = InterceptSearch::new(1e-10 * rows.mass().total);
        let mut point = RowPoint::unknown(12);
        let mut intercept = start;
        loop {
            point.move_to(products, intercept);
            let slope = point.linearise(rows);
            match search.next(intercept, slope, point.total_curvature) {
                Some(next) => intercept = next,
                None => return slope,
            }
        }
    }

    proptest! {
        #[test]
        fn the_search_zeroes_the_derivative(
            products in prop::collection::vec(-100.0..100.0f64, 12), start in -30.0..30.0f64
        ) {
            let slope = slope_found(&products, start);
            prop_assert!(slope.abs() <= 1e-9, "{slope}");
        }
    }

    #[test]
    fn the_search_recovers_from_saturated_probabilities() {
        let products = [
            91.748, 0.0, 21.058, 42.093, 92.120, 92.291, 0.0, 53.179, 98.071, 64.760, 25.503, 0.0,
        ];
        assert!(slope_found(&products, 26.7).abs() <= 1e-9);
    }
}
