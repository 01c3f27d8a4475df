//! How well the errors of some labels explain the error of another: the Bayesian information criterion.
//!
//! The errors e = y − p̂ of all labels are taken as jointly normal, so that a label given its parents is a linear
//! regression with normal noise, and its score is its largest log-likelihood less ½·log n for each parent:
//!
//! ```text
//! BIC(j | parents) = −n/2·log σ²_{j|parents} − |parents|/2·log n
//! ```
//!
//! up to a constant of j. σ²_{j|parents} is the variance that the parents leave unexplained, and needs only the
//! covariances of the errors, whatever the number of rows. Errors are measured in their own standard deviations,
//! which changes the score of each label by a constant.
//!
//! Where rows have weights, n is their total weight, and covariances are those of the weighted rows.

use crate::data::Matrix;
use crate::linalg::{dot, multiply_transposed, sum};

/// Part of its variance that an error keeps at least, whatever explains it: labels that are always the same leave
/// only rounding error, whose logarithm would have no meaning.
const LEAST_SHARE: f64 = 1e-10;

/// The scores of errors, n×q, that vary.
#[derive(Debug, Clone)]
pub(super) struct GaussianBic {
    rows: f64,
    correlations: Matrix,
}

impl GaussianBic {
    pub(super) fn new(errors: &Matrix, weights: Option<&[f64]>) -> Self {
        let (rows, labels) = (errors.rows(), errors.columns());
        let mut standardised = Matrix::zeros(rows, labels);
        for label in 0..labels {
            let column = standardise(errors.column(label).collect(), weights);
            for (row, value) in column.into_iter().enumerate() {
                standardised[(row, label)] = value;
            }
        }
        Self {
            rows: weights.map_or(rows as f64, sum),
            correlations: multiply_transposed(standardised.view(), standardised.view()),
        }
    }

    /// BIC(child | parents), zero without parents.
    pub(super) fn of(&self, child: usize, parents: &[usize]) -> f64 {
        let price = 0.5 * self.rows.ln() * parents.len() as f64;
        -0.5 * self.rows * self.unexplained(child, parents).ln() - price
    }

    /// The part of the variance of the child's error that its parents' errors leave unexplained: the last pivot of
    /// the Cholesky factorisation of their correlations, the child's last.
    fn unexplained(&self, child: usize, parents: &[usize]) -> f64 {
        let size = parents.len() + 1;
        let mut factor = Matrix::zeros(size, size);
        let node = |k: usize| parents.get(k).copied().unwrap_or(child);
        for i in 0..size {
            for j in 0..i {
                let known = dot(&factor.row(i)[..j], &factor.row(j)[..j]);
                let pivot = factor[(j, j)];
                // A parent that repeats those before it explains nothing more.
                if pivot > 0.0 {
                    factor[(i, j)] = (self.correlations[(node(i), node(j))] - known) / pivot;
                }
            }
            let explained = dot(&factor.row(i)[..i], &factor.row(i)[..i]);
            let rest = 1.0 - explained;
            factor[(i, i)] = if rest > LEAST_SHARE { rest.sqrt() } else { 0.0 };
        }
        factor[(size - 1, size - 1)].powi(2).max(LEAST_SHARE)
    }
}

/// The numbers less their mean, times the square roots of their weights, as a vector of length one; zeros if all are
/// the same, which then go with nothing.
fn standardise(mut values: Vec<f64>, weights: Option<&[f64]>) -> Vec<f64> {
    let mean = match weights {
        None => sum(&values) / values.len() as f64,
        Some(weights) => dot(&values, weights) / sum(weights),
    };
    values.iter_mut().for_each(|value| *value -= mean);
    if let Some(weights) = weights {
        let weighted = values.iter_mut().zip(weights);
        weighted.for_each(|(value, weight)| *value *= weight.sqrt());
    }
    let length = dot(&values, &values).sqrt();
    if length > 0.0 {
        values.iter_mut().for_each(|value| *value /= length);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::linalg::{Cholesky, multiply};

    fn errors(rows: usize) -> Matrix {
        let mut stream = Seed::new(3).stream();
        let mut e = Matrix::zeros(rows, 4);
        e.values_mut()
            .iter_mut()
            .for_each(|value| *value = 0.4 + stream.gaussian());
        for row in 0..rows {
            e[(row, 2)] = 3.0 * (e[(row, 2)] + e[(row, 0)] - 0.5 * e[(row, 1)]);
        }
        e
    }

    #[test]
    fn errors_that_never_vary_explain_nothing() {
        let mut e = errors(20);
        (0..20).for_each(|row| e[(row, 3)] = 0.25);
        let bic = GaussianBic::new(&e, None);
        assert!(bic.of(0, &[3]) < 0.0 && bic.of(3, &[0]) < 0.0);
    }

    /// The largest log-likelihood of a linear regression with normal noise, by its normal equations.
    fn log_likelihood(e: &Matrix, child: usize, parents: &[usize]) -> f64 {
        let n = e.rows();
        let design = Matrix::from_fn(n, parents.len() + 1, |i, k| {
            parents.get(k).map_or(1.0, |&parent| e[(i, parent)])
        });
        let target = Matrix::from_fn(n, 1, |i, _| e[(i, child)]);
        let gram = multiply_transposed(design.view(), design.view());
        let mut weights = multiply_transposed(design.view(), target.view())
            .values()
            .to_vec();
        Cholesky::new(gram.view()).unwrap().solve(&mut weights);
        let weights = Matrix::new(weights.len(), 1, weights).unwrap();
        let fitted = multiply(design.view(), weights.view());
        let squares = (0..n).map(|i| (target[(i, 0)] - fitted[(i, 0)]).powi(2));
        let variance = squares.sum::<f64>() / n as f64;
        -0.5 * n as f64 * ((2.0 * std::f64::consts::PI * variance).ln() + 1.0)
    }

    #[test]
    fn a_score_is_the_log_likelihood_gained_by_the_parents_less_their_price() {
        let e = errors(50);
        let bic = GaussianBic::new(&e, None);
        for child in 0..4 {
            let others: Vec<usize> = (0..4).filter(|&label| label != child).collect();
            for set in 0..8 {
                let members = (0..3).filter(|k| set >> k & 1 == 1);
                let parents: Vec<usize> = members.map(|k| others[k]).collect();
                let gain = log_likelihood(&e, child, &parents) - log_likelihood(&e, child, &[]);
                let expected = gain - 0.5 * parents.len() as f64 * 50f64.ln();
                let found = bic.of(child, &parents);
                assert!((found - expected).abs() < 1e-8, "{child} {parents:?}");
            }
        }
    }

    #[test]
    fn weights_count_as_repeats_of_rows() {
        let e = errors(20);
        let weights: Vec<f64> = (0..20).map(|row| f64::from(1 + row % 3)).collect();
        let repeated: Vec<usize> = (0..20)
            .flat_map(|row| std::iter::repeat_n(row, 1 + row % 3))
            .collect();
        let again = Matrix::from_fn(repeated.len(), 4, |i, j| e[(repeated[i], j)]);
        let weighted = GaussianBic::new(&e, Some(&weights));
        let expected = GaussianBic::new(&again, None);
        for (child, parents) in [(0, &[2][..]), (2, &[0, 1]), (3, &[0, 1, 2]), (1, &[])] {
            let (found, expected) = (weighted.of(child, parents), expected.of(child, parents));
            assert!((found - expected).abs() < 1e-9, "{child} {parents:?}");
        }
    }

    #[test]
    fn an_edge_between_two_errors_is_worth_the_same_either_way() {
        let bic = GaussianBic::new(&errors(30), None);
        assert!((bic.of(0, &[2]) - bic.of(2, &[0])).abs() < 1e-10);
    }

    #[test]
    fn errors_that_repeat_each_other_have_finite_scores() {
        let e = errors(20);
        let twice = Matrix::from_fn(20, 8, |i, j| e[(i, j % 4)]);
        let bic = GaussianBic::new(&twice, None);
        let found = bic.of(0, &[4]);
        assert!(found.is_finite() && found > 100.0);
        let again = bic.of(1, &[0, 4]) - bic.of(1, &[0]);
        assert!((again + 0.5 * 20f64.ln()).abs() < 1e-8, "{again}");
    }
}
