//! Labels regressed through their canonical directions (Breiman & Friedman 1997, "curds and whey").
//!
//! A separate ridge regression of each label (19) has one penalty for everything that the label shares with others.
//! What several labels have in common may be predicted far better, or worse, than any of them: the sum of mutually
//! exclusive labels may be known exactly. So the labels are first transformed to their canonical directions W
//! ([`CcaParams`]), which are uncorrelated and ordered by predictability. Each direction is regressed with its own
//! penalty, and the predictions m̂ are transformed back:
//!
//! ```text
//! ŷ = ȳ + D(m̂ − Wᵀȳ),      D = (1/n)·Σ_i (y_i − ȳ)(y_i − ȳ)ᵀW
//! ```
//!
//! As WᵀBW = n·I for the scatter B of the labels, DWᵀ is the identity on labels that vary; the prediction of a
//! constant label is its mean.

use super::label_gram::{gram, is_narrow, project_centred};
use super::{CcaParams, Code};
use crate::Result;
use crate::data::{Matrix, Targets};
use crate::learn::Training;
use crate::learn::ridge::Ridge;
use crate::linalg::{multiply, multiply_transposed};

/// Regressions of the canonical directions of the labels.
#[derive(Debug, Clone)]
pub struct CanonicalRegression {
    code: Code,
    ridge: Ridge,
    /// Dᵀ, r×q.
    back: Matrix,
}

impl CanonicalRegression {
    /// Finds the canonical directions of a training set and fits their regressions.
    pub fn fit(training: &Training<'_>) -> Result<Self> {
        let code = CcaParams::default().fit(training)?;
        let ridge = training.regress(&code.targets())?;
        let back = back(&code.projections, training.targets());
        Ok(Self { code, ridge, back })
    }

    /// W, q×r.
    pub fn directions(&self) -> &Matrix {
        &self.code.projections
    }

    /// The regressions of Wᵀy.
    pub fn ridge(&self) -> &Ridge {
        &self.ridge
    }

    /// DᵀV, r×d: directions of label space in canonical coordinates, as Vᵀ(y − ȳ) = VᵀD·Wᵀ(y − ȳ).
    pub fn coordinates(&self, directions: &Matrix) -> Matrix {
        multiply(self.back.view(), directions.view())
    }

    /// ŷ for the training rows, n×q, with each direction at `factor` times its chosen penalty.
    pub fn fitted_labels(&self, training: &Training<'_>, factor: f64) -> Result<Matrix> {
        let penalties: Vec<f64> = self.ridge.penalties().iter().map(|p| p * factor).collect();
        let mut fitted = training.fitted(&self.code.targets(), &penalties)?;
        let (means, directions) = (&self.code.origin, self.directions());
        let centre: Vec<f64> = (0..directions.columns())
            .map(|k| directions.column(k).zip(means).map(|(w, y)| w * y).sum())
            .collect();
        for row in 0..fitted.rows() {
            let deviations = fitted.row_mut(row).iter_mut().zip(&centre);
            deviations.for_each(|(value, centre)| *value -= centre);
        }
        let mut labels = multiply(fitted.view(), self.back.view());
        for row in 0..labels.rows() {
            let values = labels.row_mut(row).iter_mut().zip(means);
            values.for_each(|(value, mean)| *value += mean);
        }
        Ok(labels)
    }
}

/// Dᵀ.
fn back(directions: &Matrix, targets: Targets<'_>) -> Matrix {
    let mut back = if is_narrow(targets.labels()) {
        multiply_transposed(directions.view(), gram(targets, true).view())
    } else {
        spread(&project_centred(targets, directions), targets)
    };
    let rows = targets.total_weight();
    back.values_mut()
        .iter_mut()
        .for_each(|value| *value /= rows);
    back
}

/// ZᵀY for n×d numbers Z, d×q, rows counting by their weights.
fn spread(numbers: &Matrix, targets: Targets<'_>) -> Matrix {
    let mut spread = Matrix::zeros(numbers.columns(), targets.labels().count());
    for (row, members) in targets.labels().iter().enumerate() {
        let weight = targets.weight(row);
        for &label in members {
            for (k, number) in numbers.row(row).iter().enumerate() {
                spread[(k, label as usize)] += weight * number;
            }
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::code::label_gram::means;
    use crate::data::{Features, Labels};
    use crate::learn::BaseParams;

    /// Five labels: two independent ones, one that excludes the first, a constant one, and a copy of the second.
    fn with_training<T>(check: impl FnOnce(&Training<'_>) -> T) -> T {
        let mut stream = Seed::new(8).stream();
        let mut x = Matrix::zeros(50, 4);
        let values = x.values_mut().iter_mut();
        values.for_each(|value| *value = stream.gaussian());
        let labels = Labels::from_fn(50, 5, |i, j| match j {
            0 => x[(i, 0)] > 0.3,
            1 | 4 => x[(i, 1)] + x[(i, 2)] * x[(i, 3)] > 0.0,
            2 => x[(i, 0)] <= 0.3,
            _ => true,
        });
        let x = Features::Dense(x);
        check(&Training::new(x.view(), &labels, BaseParams::default(), Seed::new(1)).unwrap())
    }

    #[test]
    fn codewords_transform_back_to_labels() {
        with_training(|training| {
            let regression = CanonicalRegression::fit(training).unwrap();
            assert_eq!(regression.directions().columns(), 2);
            let y = training.labels().to_matrix();
            let means = means(training.targets());
            let deviations = Matrix::from_fn(50, 5, |i, j| y[(i, j)] - means[j]);
            let codewords = multiply(deviations.view(), regression.directions().view());
            let found = multiply(codewords.view(), regression.back.view());
            for (a, b) in found.values().iter().zip(deviations.values()) {
                assert!((a - b).abs() < 1e-10, "{a} {b}");
            }
        });
    }

    #[test]
    fn sums_of_labels_are_kept_and_constant_labels_are_exact() {
        with_training(|training| {
            let regression = CanonicalRegression::fit(training).unwrap();
            let fitted = regression.fitted_labels(training, 3.0).unwrap();
            for row in 0..50 {
                let y = fitted.row(row);
                assert!((y[0] + y[2] - 1.0).abs() < 1e-10);
                assert!((y[1] - y[4]).abs() < 1e-10 && (y[3] - 1.0).abs() < 1e-12);
            }
            // Directions in these coordinates are the same functions of the labels.
            let v = Matrix::from_fn(5, 2, |j, k| (1 + j + 2 * k) as f64);
            let coordinates = regression.coordinates(&v);
            let product = multiply(regression.directions().view(), coordinates.view());
            let y = training.labels().to_matrix();
            let direct = multiply(y.view(), v.view());
            let through = multiply(y.view(), product.view());
            let shift = direct[(0, 1)] - through[(0, 1)];
            for row in 0..50 {
                assert!((direct[(row, 1)] - through[(row, 1)] - shift).abs() < 1e-9);
            }
            assert!(regression.fitted_labels(training, -1.0).is_err());
        });
    }
}
