//! Label sets in which unknown labels are filled in.
//!
//! Classifiers can leave unknown labels out, but codes, candidates and terms about whole sets need a label set for each row.
//! Let p be the out-of-fold probabilities of such classifiers, e = y − p for known labels, and S the covariance of e,
//! estimated for each pair of labels from the rows that know both. What is expected of the unknown labels u of a row, given
//! its features and its known labels k, is to first order (as for Gaussian errors)
//!
//! ```text
//! m_u = p_u + S_uk·S_kk⁻¹·e_k = p_u − Λ_uu⁻¹·Λ_uk·e_k,      Λ = S⁻¹
//! ```
//!
//! and a row gets an unknown label if m is above [`LIKELY`]. `docs/weights.md` compares that with other ways.

use rayon::prelude::*;

use super::logistic::sigmoid;
use crate::data::{Labels, Matrix, Targets};
use crate::linalg::{multiply_by_transposed, small, symmetric_eigen};
use crate::{Result, check_stop};

/// What is expected of a label that is filled in. With one half, rare labels would become rarer.
const LIKELY: f64 = 0.3;

/// How far the covariance is shrunk: this share of the mean variance is added to each variance.
const SHRINKAGE: f64 = 0.02;

/// The smallest eigenvalue of the covariance, relative to the largest.
const SMALLEST_EIGENVALUE: f64 = 1e-3;

/// Labels up to which they are filled in given the other labels of the row. Beyond, a covariance for each pair takes too
/// much memory, and features alone decide.
const MOST_JOINT_LABELS: usize = 2000;

/// Work on all rows, u³ for u unknown labels, up to which the other labels count.
const MOST_WORK: f64 = 1e12;

/// The label sets of targets with unknown labels, these filled in, given out-of-fold log-odds of the classifiers, n×q.
pub(super) fn filled_in(
    targets: Targets<'_>,
    unknown: &Labels,
    log_odds: &Matrix,
) -> Result<Labels> {
    let mut expected = Matrix::from_fn(log_odds.rows(), log_odds.columns(), |i, j| {
        sigmoid(log_odds[(i, j)])
    });
    if is_affordable(unknown) {
        let precision = precision(targets, &expected)?;
        add_evidence_of_labels(targets, unknown, &precision, &mut expected)?;
    }
    Ok(Labels::from_fn(
        unknown.rows(),
        unknown.count(),
        |row, label| {
            if unknown.contains(row, label) {
                expected[(row, label)] > LIKELY
            } else {
                targets.labels().contains(row, label)
            }
        },
    ))
}

fn is_affordable(unknown: &Labels) -> bool {
    let work: f64 = unknown.iter().map(|own| (own.len() as f64).powi(3)).sum();
    unknown.count() <= MOST_JOINT_LABELS && work <= MOST_WORK
}

/// y − p of the known labels, zero for the others.
fn errors(targets: Targets<'_>, expected: &Matrix) -> Matrix {
    Matrix::from_fn(expected.rows(), expected.columns(), |row, label| {
        if !targets.is_known(row, label) {
            return 0.0;
        }
        f64::from(u8::from(targets.labels().contains(row, label))) - expected[(row, label)]
    })
}

/// Λ: the inverse of the shrunk covariance of the errors.
fn precision(targets: Targets<'_>, expected: &Matrix) -> Result<Matrix> {
    let (rows, labels) = (expected.rows(), expected.columns());
    let root = |row: usize| targets.weight_root(row);
    let errors = errors(targets, expected);
    let scaled = Matrix::from_fn(labels, rows, |j, i| root(i) * errors[(i, j)]);
    let known = Matrix::from_fn(labels, rows, |j, i| {
        if targets.is_known(i, j) { root(i) } else { 0.0 }
    });
    let (products, weights) = (
        multiply_by_transposed(&scaled, &scaled),
        multiply_by_transposed(&known, &known),
    );
    let mut covariance = Matrix::from_fn(labels, labels, |j, k| {
        let weight = weights[(j, k)];
        if weight > 0.0 {
            products[(j, k)] / weight
        } else {
            0.0
        }
    });
    let mean = (0..labels).map(|j| covariance[(j, j)]).sum::<f64>() / labels as f64;
    (0..labels).for_each(|j| covariance[(j, j)] += SHRINKAGE * mean.max(f64::MIN_POSITIVE));
    inverse_of_positive_part(covariance)
}

/// The inverse of a symmetric matrix whose small and negative eigenvalues are raised: covariances that are estimated from
/// different rows need not be positive definite.
fn inverse_of_positive_part(matrix: Matrix) -> Result<Matrix> {
    let eigen = symmetric_eigen(matrix)?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let floor = (SMALLEST_EIGENVALUE * largest).max(f64::MIN_POSITIVE);
    let vectors = &eigen.vectors;
    let scaled = Matrix::from_fn(vectors.rows(), vectors.columns(), |j, k| {
        vectors[(j, k)] / eigen.values[k].max(floor)
    });
    Ok(multiply_by_transposed(&scaled, vectors))
}

/// Replaces what is expected of unknown labels by what is expected given the known labels of the row.
fn add_evidence_of_labels(
    targets: Targets<'_>,
    unknown: &Labels,
    precision: &Matrix,
    expected: &mut Matrix,
) -> Result<()> {
    check_stop()?;
    let errors = errors(targets, expected);
    let labels = expected.columns();
    let rows = expected.values_mut().par_chunks_mut(labels.max(1));
    rows.enumerate().for_each(|(row, expected)| {
        let own = unknown.row(row);
        if own.is_empty() || own.len() == labels {
            return;
        }
        let along = |&label: &u32| {
            let pairs = precision.row(label as usize).iter().zip(errors.row(row));
            pairs.map(|(entry, error)| entry * error).sum::<f64>()
        };
        let mut steps: Vec<f64> = own.iter().map(along).collect();
        let mut square = Vec::with_capacity(own.len() * own.len());
        for &j in own {
            square.extend(own.iter().map(|&k| precision[(j as usize, k as usize)]));
        }
        if small::factorise(&mut square, own.len(), 0.0) {
            small::substitute(&square, &mut steps);
            for (&label, step) in own.iter().zip(steps) {
                let cell = &mut expected[label as usize];
                *cell = (*cell - step).clamp(0.0, 1.0);
            }
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::linalg::Cholesky;

    /// Labels that follow a common cause, of which some are unknown.
    fn example(rows: usize, labels: usize, seed: u64) -> (Labels, Labels, Matrix) {
        let mut stream = Seed::new(seed).stream();
        let common: Vec<f64> = (0..rows).map(|_| stream.gaussian()).collect();
        let own = Matrix::from_fn(rows, labels, |_, _| stream.gaussian());
        let drawn = Matrix::from_fn(rows, labels, |_, _| stream.uniform());
        let truth = Labels::from_fn(rows, labels, |i, j| 2.0 * common[i] + own[(i, j)] > 0.8);
        let unknown = Labels::from_fn(rows, labels, |i, j| drawn[(i, j)] < 0.3);
        let log_odds = Matrix::from_fn(rows, labels, |i, j| 0.3 * own[(i, j)] - 0.5);
        (truth, unknown, log_odds)
    }

    fn without(truth: &Labels, unknown: &Labels) -> Labels {
        Labels::from_fn(truth.rows(), truth.count(), |i, j| {
            truth.contains(i, j) && !unknown.contains(i, j)
        })
    }

    #[test]
    fn known_labels_stay() {
        let (truth, unknown, log_odds) = example(200, 4, 3);
        let known = without(&truth, &unknown);
        let targets = Targets::new(&known).with_unknown(Some(&unknown)).unwrap();
        let found = filled_in(targets, &unknown, &log_odds).unwrap();
        for row in 0..200 {
            for label in (0..4).filter(|&label| !unknown.contains(row, label)) {
                assert_eq!(found.contains(row, label), truth.contains(row, label));
            }
        }
    }

    #[test]
    fn other_labels_of_the_row_count() {
        let (truth, unknown, log_odds) = example(400, 6, 5);
        let known = without(&truth, &unknown);
        let targets = Targets::new(&known).with_unknown(Some(&unknown)).unwrap();
        let found = filled_in(targets, &unknown, &log_odds).unwrap();
        let wrong = |labels: &Labels| -> usize {
            let cells = unknown.iter().enumerate();
            let wrong = cells.map(|(row, own)| {
                let differs = |&&label: &&u32| {
                    labels.contains(row, label as usize) != truth.contains(row, label as usize)
                };
                own.iter().filter(differs).count()
            });
            wrong.sum()
        };
        let alone = Labels::from_fn(400, 6, |i, j| {
            unknown.contains(i, j) && sigmoid(log_odds[(i, j)]) > LIKELY
        });
        assert!(
            3 * wrong(&found) < 2 * wrong(&alone),
            "{} {}",
            wrong(&found),
            wrong(&alone)
        );
    }

    #[test]
    fn what_is_expected_is_the_mean_of_a_gaussian_given_the_known_labels() {
        let (truth, unknown, log_odds) = example(60, 5, 9);
        let known = without(&truth, &unknown);
        let targets = Targets::new(&known).with_unknown(Some(&unknown)).unwrap();
        let before = Matrix::from_fn(60, 5, |i, j| sigmoid(log_odds[(i, j)]));
        let precision = precision(targets, &before).unwrap();
        let covariance = Cholesky::new(precision.view()).unwrap().inverse();
        let mut found = before.clone();
        add_evidence_of_labels(targets, &unknown, &precision, &mut found).unwrap();
        let errors = errors(targets, &before);
        for row in 0..60 {
            let knows: Vec<usize> = (0..5).filter(|&j| !unknown.contains(row, j)).collect();
            let square = Matrix::from_fn(knows.len(), knows.len(), |a, b| {
                covariance[(knows[a], knows[b])]
            });
            let mut solved: Vec<f64> = knows.iter().map(|&j| errors[(row, j)]).collect();
            if !knows.is_empty() {
                Cholesky::new(square.view()).unwrap().solve(&mut solved);
            }
            for &label in unknown.row(row) {
                let label = label as usize;
                let step: f64 = knows
                    .iter()
                    .zip(&solved)
                    .map(|(&j, value)| covariance[(label, j)] * value)
                    .sum();
                let expected = (before[(row, label)] + step).clamp(0.0, 1.0);
                assert!((found[(row, label)] - expected).abs() < 1e-9);
            }
        }
    }
}
