//! Predicted codewords for joint decoding: directions, their regressions, and the noise of each.

use std::ops::Range;

use crate::code::{CanonicalRegression, Code};
use crate::data::Matrix;
use crate::learn::ridge::Ridge;
use crate::learn::{LinearModel, Training, shares_of};
use crate::linalg::{
    Cholesky, multiply, multiply_by_transposed, multiply_transposed, symmetric_eigen,
};
use crate::{Error, Result};

/// How far the covariance of residuals is shrunk to its diagonal: a few hundred rows do not determine all its entries.
const SHRINKAGE: f64 = 0.02;
/// The least variance of a residual of a canonical direction, whose own variance is one.
const LEAST_VARIANCE: f64 = 1e-8;
/// Eigenvalues of directions of length one that are below this are rounding.
const SPANNED: f64 = 1e-10;

/// Directions of label space for joint decoding: first those of the code, then, if there are any, those that the code
/// leaves out.
#[derive(Debug, Clone)]
pub(super) struct Codewords {
    /// q×r.
    pub(super) projections: Matrix,
    /// Predictions of the projected labels.
    pub(super) model: LinearModel,
    /// Held-out predictions of the training rows, n×r.
    pub(super) held_out: Matrix,
    /// The mean squared error of each prediction.
    pub(super) noise: Vec<f64>,
    /// The number of directions of the code.
    pub(super) of_code: usize,
    /// The penalty of each regression that predictions are made of, as a share of the scatter of the features.
    pub(super) penalties: Vec<f64>,
}

impl Codewords {
    /// The directions of a code, each regressed by itself (4), with errors taken to be uncorrelated (15).
    pub(super) fn regressed(training: &Training<'_>, code: &Code) -> Result<Self> {
        let ridge = training.regress(&code.encode(training.labels())?)?;
        Ok(Self {
            projections: code.projections.clone(),
            model: ridge.model().clone(),
            held_out: ridge.held_out().clone(),
            noise: ridge.noise().to_vec(),
            of_code: code.projections.columns(),
            penalties: penalties(training, &ridge)?,
        })
    }

    /// The span of the code and the rest of label space, in coordinates in which errors are uncorrelated and of
    /// variance one.
    ///
    /// Let m̂ predict the canonical directions Wᵀy, Σ = LLᵀ be the covariance of its held-out errors, and K the
    /// code in canonical coordinates. With an orthonormal basis G of the span of LᵀK and any G⊥ that completes it,
    /// the errors of
    ///
    /// ```text
    /// [G G⊥]ᵀL⁻¹·Wᵀy
    /// ```
    ///
    /// have covariance one. The first part is a basis of the code: its energy ½‖·‖² is that of Gaussian errors
    /// Vᵀ(y − ŷ) with all their correlations, whichever basis V the code came in. The second part has the energy of
    /// what is left *given* the first, and the two add up to that of the whole y − ŷ.
    pub(super) fn whitened(
        training: &Training<'_>,
        code: &Code,
        regression: &CanonicalRegression,
    ) -> Result<Self> {
        let directions = regression.directions();
        let held_out = regression.ridge().held_out();
        let mut errors = multiply(training.labels().to_matrix().view(), directions.view());
        let pairs = errors.values_mut().iter_mut().zip(held_out.values());
        pairs.for_each(|(error, prediction)| *error -= prediction);
        let (turn, of_code) = whitening(&errors, regression.coordinates(&code.projections))?;
        Ok(Self {
            projections: multiply(directions.view(), turn.view()),
            model: regression.ridge().model().combined(&turn)?,
            held_out: multiply(held_out.view(), turn.view()),
            noise: vec![1.0; turn.columns()],
            of_code,
            penalties: penalties(training, regression.ridge())?,
        })
    }

    /// The columns of the code and those of the rest, without empty ones.
    pub(super) fn groups(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let groups = [0..self.of_code, self.of_code..self.noise.len()];
        groups.into_iter().filter(|group| !group.is_empty())
    }

    /// The same with a weight for each group: noise divided by it.
    pub(super) fn weighed(mut self, weights: &[f64]) -> Self {
        for (group, weight) in self.groups().zip(weights) {
            let noise = self.noise[group].iter_mut();
            noise.for_each(|noise| *noise /= weight);
        }
        self
    }

    /// The directions of the code alone.
    pub(super) fn without_rest(self) -> Result<Self> {
        let kept = self.of_code;
        self.first(kept)
    }

    /// The first directions alone.
    pub(super) fn first(self, kept: usize) -> Result<Self> {
        let all = self.noise.len();
        if all == kept {
            return Ok(self);
        }
        let first = Matrix::from_fn(all, kept, |j, k| if j == k { 1.0 } else { 0.0 });
        Ok(Self {
            projections: self.projections.select_columns(0..kept),
            model: self.model.combined(&first)?,
            held_out: self.held_out.select_columns(0..kept),
            noise: self.noise[..kept].to_vec(),
            of_code: kept,
            penalties: self.penalties,
        })
    }
}

fn penalties(training: &Training<'_>, ridge: &Ridge) -> Result<Vec<f64>> {
    Ok(shares_of(ridge.penalties(), training.total_scatter()?))
}

/// L⁻ᵀ[G G⊥] for the errors of r coordinates (n×r) and the directions K of a code (r×d), and the size of G.
fn whitening(errors: &Matrix, mut code: Matrix) -> Result<(Matrix, usize)> {
    let covariance = shrunk_covariance(errors);
    let factor = Cholesky::nearly(covariance).ok_or_else(|| Error::Parameter {
        parameter: "the errors of the canonical directions",
        expected: "finite numbers".into(),
        found: "NaN or infinite values".into(),
    })?;
    let lower = factor.lower();
    normalise_columns(&mut code);
    let mut image = multiply_transposed(lower.view(), code.view());
    normalise_columns(&mut image);
    let eigen = symmetric_eigen(multiply_by_transposed(&image, &image))?;
    let spanned = eigen.values.iter().filter(|value| **value > SPANNED);
    let of_code = spanned.count().min(code.columns());
    // Σ⁻¹L = L⁻ᵀ.
    let inverse = multiply(factor.inverse().view(), lower.view());
    Ok((multiply(inverse.view(), eigen.vectors.view()), of_code))
}

fn shrunk_covariance(errors: &Matrix) -> Matrix {
    let mut covariance = multiply_transposed(errors.view(), errors.view());
    let rows = errors.rows() as f64;
    for j in 0..covariance.rows() {
        for k in 0..covariance.rows() {
            let share = if j == k { 1.0 } else { 1.0 - SHRINKAGE };
            covariance[(j, k)] *= share / rows;
        }
        covariance[(j, j)] = covariance[(j, j)].max(LEAST_VARIANCE);
    }
    covariance
}

fn normalise_columns(matrix: &mut Matrix) {
    for k in 0..matrix.columns() {
        let length = matrix
            .column(k)
            .map(|value| value * value)
            .sum::<f64>()
            .sqrt();
        if length > 0.0 {
            (0..matrix.rows()).for_each(|j| matrix[(j, k)] /= length);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seed;

    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        Matrix::from_fn(rows, columns, |_, _| stream.gaussian())
    }

    /// The first or the other columns of the turn, times their transpose: the weight of squares in the energy.
    fn coupling(turn: &Matrix, columns: Range<usize>) -> Matrix {
        let some = Matrix::from_fn(turn.rows(), columns.len(), |j, k| {
            turn[(j, columns.start + k)]
        });
        multiply_by_transposed(&some, &some)
    }

    fn inverse(matrix: &Matrix) -> Matrix {
        Cholesky::new(matrix.view()).unwrap().inverse()
    }

    fn assert_close(a: &Matrix, b: &Matrix) {
        let size = b.values().iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < 1e-7 * size, "{x} {y}");
        }
    }

    proptest! {
        #[test]
        fn the_code_has_the_gaussian_energy_of_its_errors_and_the_rest_what_is_missing_to_all(
            size in 1usize..6,
            columns in 1usize..6,
            seed: u64,
        ) {
            let columns = columns.min(size);
            let errors = multiply(random(40, size, seed).view(), random(size, size, seed ^ 1).view());
            let code = random(size, columns, seed ^ 2);
            // Inverses lose their digits where directions are nearly the same.
            let lengths = symmetric_eigen(multiply_transposed(code.view(), code.view())).unwrap().values;
            prop_assume!(lengths[columns - 1] > 1e-4 * lengths[0]);
            let covariance = shrunk_covariance(&errors);
            let (turn, of_code) = whitening(&errors, code.clone()).unwrap();
            prop_assert_eq!(of_code, columns);
            // K(KᵀΣK)⁻¹Kᵀ, the inverse covariance of the errors of the code.
            let half = multiply(covariance.view(), code.view());
            let precision = inverse(&multiply_transposed(code.view(), half.view()));
            let expected = multiply_by_transposed(&multiply(code.view(), precision.view()), &code);
            assert_close(&coupling(&turn, 0..of_code), &expected);
            assert_close(&coupling(&turn, 0..size), &inverse(&covariance));
        }

        #[test]
        fn any_basis_of_the_code_is_as_good(seed: u64) {
            let errors = random(30, 5, seed);
            let code = random(5, 2, seed ^ 1);
            let mix = random(2, 2, seed ^ 2);
            // Directions that are nearly the same are one, up to rounding.
            prop_assume!((mix[(0, 0)] * mix[(1, 1)] - mix[(0, 1)] * mix[(1, 0)]).abs() > 0.01);
            let mixed = multiply(code.view(), mix.view());
            let twice = Matrix::from_fn(5, 4, |j, k| mixed[(j, k % 2)] * (1.0 + k as f64));
            let expected = whitening(&errors, code).unwrap();
            for basis in [mixed, twice] {
                let (turn, of_code) = whitening(&errors, basis).unwrap();
                prop_assert_eq!(of_code, expected.1);
                for part in [0..2, 2..5] {
                    let size = coupling(&expected.0, part.clone());
                    assert_close(&coupling(&turn, part), &size);
                }
            }
        }
    }
}
