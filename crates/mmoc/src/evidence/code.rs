//! A code as evidence: f(x, y) = −½‖Bᵀ(y − ŷ(x))‖², the Gaussian log-likelihood of the errors of its regressions (4).
//!
//! B spans the directions of the code, in coordinates in which the leave-one-out errors of the training rows are
//! uncorrelated and of variance one. Up to a constant of the row,
//!
//! ```text
//! f(x, y) = ẑᵀBᵀy − ½‖Bᵀy‖²,      ẑ = Bᵀŷ(x)
//! ```
//!
//! Label by label, ŷ are the regressions of the labels (19). Through canonical directions W, let m̂ predict Wᵀy,
//! Σ = LLᵀ be the covariance of its errors, and K the code in canonical coordinates. With an orthonormal basis G of the
//! span of LᵀK and any G⊥ that completes it, the errors of
//!
//! ```text
//! [G G⊥]ᵀL⁻¹·Wᵀy
//! ```
//!
//! have covariance one. The first part is a basis of the code, whichever basis it came in. The second part, the *rest*, is
//! what errors outside the code say given those of the code: the two terms add up to the evidence of the whole y − ŷ.

use super::{Evidence, LearntTerm, Term};
use crate::code::{CanonicalRegression, Code};
use crate::data::Matrix;
use crate::learn::ridge::Ridge;
use crate::learn::{LinearModel, Training};
use crate::linalg::{
    Cholesky, add_scaled, dot, multiply, multiply_by_transposed, multiply_transposed,
    symmetric_eigen,
};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::{Error, Result};

/// How far the covariance of errors is shrunk to its diagonal: a few hundred rows do not determine all its entries.
const SHRINKAGE: f64 = 0.02;
/// The least variance of an error.
const LEAST_VARIANCE: f64 = 1e-8;
/// Eigenvalues of directions of length one that are below this are rounding.
const SPANNED: f64 = 1e-10;

/// Whitened errors of a code.
#[derive(Debug, Clone)]
pub(crate) struct CodeError {
    /// B, q×r.
    directions: Matrix,
}

impl CodeError {
    /// A code whose directions are regressed by combining regressions of the labels.
    pub(crate) fn of_label_ridge(training: &Training<'_>, code: &Code) -> Result<LearntTerm> {
        let labels = training.label_ridge()?;
        let regressed = Regressed {
            directions: &code.projections,
            model: labels.model().combined(&code.projections)?,
            held_out: multiply(labels.held_out().view(), code.projections.view()),
        };
        let (turn, _) = whitening(&regressed.errors(training), training.weights(), None)?;
        regressed.turned(&turn, Term::Code)
    }

    /// A code whose directions are regressed one by one.
    pub(crate) fn of_codewords(
        training: &Training<'_>,
        code: &Code,
        codewords: &Ridge,
    ) -> Result<LearntTerm> {
        let regressed = Regressed::new(&code.projections, codewords);
        let (turn, _) = whitening(&regressed.errors(training), training.weights(), None)?;
        regressed.turned(&turn, Term::Code)
    }

    /// A code and the rest of label space, as far as there are any, regressed through canonical directions.
    pub(crate) fn of_canonical(
        training: &Training<'_>,
        code: &Code,
        regression: &CanonicalRegression,
    ) -> Result<Vec<LearntTerm>> {
        let regressed = Regressed::new(regression.directions(), regression.ridge());
        let coordinates = regression.coordinates(&code.projections);
        let errors = regressed.errors(training);
        let (turn, of_code) = whitening(&errors, training.weights(), Some(coordinates))?;
        let parts = [
            (0..of_code, Term::Code as fn(Self) -> Term),
            (of_code..turn.columns(), Term::Rest),
        ];
        let parts = parts.into_iter().filter(|(columns, _)| !columns.is_empty());
        let turned = parts.map(|(own, term)| regressed.turned(&turn.select_columns(own), term));
        turned.collect()
    }

    /// Errors of regressions of all labels, n×q, in rows that may have weights.
    pub(crate) fn whitened(errors: &Matrix, weights: Option<&[f64]>) -> Result<Self> {
        let (directions, _) = whitening(errors, weights, None)?;
        Ok(Self { directions })
    }

    /// B, q×r.
    pub(crate) fn directions(&self) -> &Matrix {
        &self.directions
    }

    /// The errors along B, q×r.
    #[cfg(test)]
    pub(crate) fn new(directions: Matrix) -> Self {
        Self { directions }
    }
}

/// Regressions m̂ of directions Wᵀy.
struct Regressed<'a> {
    /// W, q×r.
    directions: &'a Matrix,
    model: LinearModel,
    /// m̂ of the training rows by leave-one-out, n×r.
    held_out: Matrix,
}

impl<'a> Regressed<'a> {
    fn new(directions: &'a Matrix, ridge: &Ridge) -> Self {
        Self {
            directions,
            model: ridge.model().clone(),
            held_out: ridge.held_out().clone(),
        }
    }

    /// Wᵀy − m̂ of the training rows, n×r.
    fn errors(&self, training: &Training<'_>) -> Matrix {
        let labels = training.labels().to_matrix();
        let mut errors = multiply(labels.view(), self.directions.view());
        add_scaled(errors.values_mut(), -1.0, self.held_out.values());
        errors
    }

    /// The term of the directions WT.
    fn turned(&self, turn: &Matrix, term: fn(CodeError) -> Term) -> Result<LearntTerm> {
        let directions = multiply(self.directions.view(), turn.view());
        Ok(LearntTerm::linear(
            term(CodeError { directions }),
            Some(self.model.combined(turn)?),
            multiply(self.held_out.view(), turn.view()),
        ))
    }
}

impl Evidence for CodeError {
    fn outputs(&self) -> usize {
        self.directions.columns()
    }

    fn of_labels(&self, outputs: Matrix) -> Option<Matrix> {
        Some(multiply_by_transposed(&outputs, &self.directions))
    }

    fn of_set(&self, set: &[u32], _count: usize) -> f64 {
        let mut codeword = vec![0.0; self.directions.columns()];
        for &label in set {
            add_scaled(&mut codeword, 1.0, self.directions.row(label as usize));
        }
        -0.5 * dot(&codeword, &codeword)
    }

    fn coupling(&self) -> Option<&Matrix> {
        Some(&self.directions)
    }

    fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        file.matrix(&tensor(name), &self.directions);
    }

    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let directions = parts.tensors.matrix(&tensor(name), parts.labels, None)?;
        Ok(Self { directions })
    }
}

fn tensor(term: &str) -> String {
    format!("evidence.{term}.directions")
}

/// L⁻ᵀ[G G⊥] for the errors of r coordinates (n×r) and the directions K of a code (r×d), by default all, and the size of
/// G.
fn whitening(
    errors: &Matrix,
    weights: Option<&[f64]>,
    code: Option<Matrix>,
) -> Result<(Matrix, usize)> {
    let covariance = shrunk_covariance(errors, weights);
    let factor = Cholesky::nearly(covariance).ok_or_else(|| Error::Parameter {
        parameter: "the errors of the regressions",
        expected: "finite numbers".into(),
        found: "NaN or infinite values".into(),
    })?;
    let lower = factor.lower();
    // Σ⁻¹L = L⁻ᵀ.
    let inverse = multiply(factor.inverse().view(), lower.view());
    let Some(mut code) = code else {
        return Ok((inverse, errors.columns()));
    };
    normalise_columns(&mut code);
    let mut image = multiply_transposed(lower.view(), code.view());
    normalise_columns(&mut image);
    let eigen = symmetric_eigen(multiply_by_transposed(&image, &image))?;
    let spanned = eigen.values.iter().filter(|value| **value > SPANNED);
    let of_code = spanned.count().min(code.columns());
    Ok((multiply(inverse.view(), eigen.vectors.view()), of_code))
}

fn shrunk_covariance(errors: &Matrix, weights: Option<&[f64]>) -> Matrix {
    let weighted = weights.map(|weights| {
        let cell = |row, column| weights[row] * errors[(row, column)];
        Matrix::from_fn(errors.rows(), errors.columns(), cell)
    });
    let other = weighted.as_ref().unwrap_or(errors);
    let mut covariance = multiply_transposed(errors.view(), other.view());
    let rows = weights.map_or(errors.rows() as f64, |weights| weights.iter().sum());
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
    use std::ops::Range;

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
            let covariance = shrunk_covariance(&errors, None);
            let (turn, of_code) = whitening(&errors, None, Some(code.clone())).unwrap();
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
            let expected = whitening(&errors, None, Some(code)).unwrap();
            for basis in [mixed, twice] {
                let (turn, of_code) = whitening(&errors, None, Some(basis)).unwrap();
                prop_assert_eq!(of_code, expected.1);
                for part in [0..2, 2..5] {
                    let size = coupling(&expected.0, part.clone());
                    assert_close(&coupling(&turn, part), &size);
                }
            }
        }
    }
}
