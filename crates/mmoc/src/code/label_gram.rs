//! Gram matrices of the labels, computed from the label sets.
//!
//! Labels may be many more than the rows, and most of them may occur in no row. Then nothing here is as large as q×q: the
//! scatter of Y has at most as many directions as there are rows, and labels that do not occur have no part in them.

use super::embed_rows;
use crate::Result;
use crate::data::{Labels, Matrix, Targets};
use crate::learn::LabelTargets;
use crate::linalg::{add_scaled, symmetric_eigen};

/// The mean label vector: the frequency of each label.
pub(super) fn means(targets: Targets<'_>) -> Vec<f64> {
    let rows = targets.total_weight();
    let counts = targets.label_weights().into_iter();
    counts.map(|count| count / rows).collect()
}

/// YᵀY, or with `centre` the same for Y − 1ȳᵀ: O(q² + Σ_i |y_i|²).
///
/// With the number c_jk of rows that have both labels, the centred entry is (n·c_jk − c_j·c_k)/n. Products of
/// counts are exact, so the row of a constant label is exactly zero. If rows have weights, these are counted.
pub(super) fn gram(targets: Targets<'_>, centre: bool) -> Matrix {
    let labels = targets.labels();
    let mut gram = Matrix::zeros(labels.count(), labels.count());
    for (row, members) in labels.iter().enumerate() {
        let weight = targets.weight(row);
        for &j in members {
            for &k in members {
                gram[(j as usize, k as usize)] += weight;
            }
        }
    }
    if !centre || labels.rows() == 0 {
        return gram;
    }
    let (n, counts) = (targets.total_weight(), targets.label_weights());
    Matrix::from_fn(gram.rows(), gram.columns(), |j, k| {
        (n * gram[(j, k)] - counts[j] * counts[k]) / n
    })
}

/// The directions in which labels vary.
pub(super) struct Scatter {
    /// Eigenvalues of the Gram matrix, descending.
    pub(super) values: Vec<f64>,
    /// Their eigenvectors, one per column.
    pub(super) directions: Matrix,
}

/// The scatter of the labels, YᵀY or with `centre` the same for Y − 1ȳᵀ: its eigenvectors with eigenvalues above
/// rounding error.
pub(super) fn scatter(targets: Targets<'_>, centre: bool) -> Result<Scatter> {
    let labels = targets.labels();
    if is_narrow(labels) {
        return significant(gram(targets, centre));
    }
    let occurring = occurring(labels);
    let among = labels.select_labels(&occurring);
    let targets = targets.filled_in(&among);
    let Scatter { values, directions } = match among.count() {
        0 => significant(Matrix::default())?,
        count if count <= among.rows() => significant(gram(targets, centre))?,
        _ => of_rows(targets, centre)?,
    };
    Ok(Scatter {
        values,
        directions: embed_rows(&directions, &occurring, labels.count()),
    })
}

/// Whether a matrix of all pairs of labels is no larger than the data: all labels occur, and there are as many rows.
pub(super) fn is_narrow(labels: &Labels) -> bool {
    labels.count() <= labels.rows() && occurring(labels).len() == labels.count()
}

/// The labels that some row has.
fn occurring(labels: &Labels) -> Vec<usize> {
    let counts = labels.frequencies().into_iter().enumerate();
    counts
        .filter_map(|(label, count)| (count > 0).then_some(label))
        .collect()
}

/// The eigenvectors of a Gram matrix with eigenvalues above rounding error.
fn significant(gram: Matrix) -> Result<Scatter> {
    let size = gram.rows();
    let eigen = symmetric_eigen(gram)?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let floor = 64.0 * f64::EPSILON * size as f64 * largest;
    let rank = eigen
        .values
        .iter()
        .take_while(|&&value| value > floor)
        .count();
    Ok(Scatter {
        values: eigen.values[..rank].to_vec(),
        directions: Matrix::from_fn(size, rank, |j, k| eigen.vectors[(j, k)]),
    })
}

/// The scatter of labels that are more than the rows, from YYᵀ, which has the same eigenvalues: YᵀY has the eigenvector
/// Yᵀu/√λ where YYᵀ has u. Weights scale the rows of Y by their square roots s.
fn of_rows(targets: Targets<'_>, centre: bool) -> Result<Scatter> {
    let labels = targets.labels();
    let Scatter { values, directions } = significant(gram_of_rows(targets, centre))?;
    // If Y is centred sᵀu is zero, so that Yᵀu needs no centring.
    let mut of_labels = Matrix::zeros(labels.count(), values.len());
    for (row, members) in labels.iter().enumerate() {
        let root = targets.weight_root(row);
        for &label in members {
            add_scaled(of_labels.row_mut(label as usize), root, directions.row(row));
        }
    }
    for label in 0..labels.count() {
        let entries = of_labels.row_mut(label).iter_mut().zip(&values);
        entries.for_each(|(entry, value)| *entry /= value.sqrt());
    }
    Ok(Scatter {
        values,
        directions: of_labels,
    })
}

/// YYᵀ, or with `centre` the same for Y − 1ȳᵀ.
fn gram_of_rows(targets: Targets<'_>, centre: bool) -> Matrix {
    let rows = targets.rows();
    let roots: Vec<f64> = (0..rows).map(|row| targets.weight_root(row)).collect();
    let mut gram = Matrix::zeros(rows, rows);
    for of_label in targets.labels().rows_by_label() {
        for &i in &of_label {
            for &k in &of_label {
                gram[(i, k)] += roots[i] * roots[k];
            }
        }
    }
    if !centre {
        return gram;
    }
    // (I − ssᵀ/n)·G·(I − ssᵀ/n).
    let n = targets.total_weight();
    let along = |row: &[f64]| row.iter().zip(&roots).map(|(g, s)| g * s).sum::<f64>() / n;
    let means: Vec<f64> = (0..rows).map(|i| along(gram.row(i))).collect();
    let mean = along(&means);
    Matrix::from_fn(rows, rows, |i, k| {
        let (own, other) = (roots[i], roots[k]);
        gram[(i, k)] - means[i] * other - means[k] * own + mean * own * other
    })
}

/// (Y − 1ȳᵀ)·V, n×d: the projections of the centred labels.
pub(super) fn project_centred(targets: Targets<'_>, directions: &Matrix) -> Matrix {
    let means = means(targets);
    LabelTargets::along(directions)
        .from_origin(&means)
        .of(targets.labels())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::linalg::{multiply, multiply_transposed};

    #[test]
    fn the_gram_matrix_agrees_with_the_dense_product() {
        let mut stream = Seed::new(1).stream();
        let draws: Vec<f64> = (0..200).map(|_| stream.uniform()).collect();
        let labels = Labels::from_fn(40, 5, |i, j| draws[i * 5 + j] < 0.4);
        let (y, means) = (labels.to_matrix(), means((&labels).into()));
        for centre in [false, true] {
            let shift = if centre { 1.0 } else { 0.0 };
            let y = Matrix::from_fn(40, 5, |i, j| y[(i, j)] - shift * means[j]);
            let expected = multiply_transposed(y.view(), y.view());
            let found = gram((&labels).into(), centre);
            for (a, b) in found.values().iter().zip(expected.values()) {
                assert!((a - b).abs() < 1e-12, "{a}, {b}");
            }
        }
    }

    #[test]
    fn constant_labels_have_zero_scatter() {
        let labels = Labels::from_fn(7, 3, |i, j| j == 0 || (j == 2 && i % 3 == 0));
        let gram = gram((&labels).into(), true);
        for k in 0..3 {
            assert_eq!((gram[(0, k)], gram[(1, k)]), (0.0, 0.0));
        }
        assert_eq!(scatter((&labels).into(), true).unwrap().values.len(), 1);
    }

    /// Ten rows of 40 labels, of which every other one occurs in no row.
    fn wide() -> Labels {
        let mut stream = Seed::new(3).stream();
        let draws: Vec<f64> = (0..400).map(|_| stream.uniform()).collect();
        Labels::from_fn(10, 40, |i, j| j % 2 == 0 && draws[i * 40 + j] < 0.4)
    }

    #[test]
    fn more_labels_than_rows_have_the_scatter_of_their_gram_matrix() {
        let labels = wide();
        for centre in [false, true] {
            let (found, gram) = (
                scatter((&labels).into(), centre).unwrap(),
                gram((&labels).into(), centre),
            );
            let expected = significant(gram.clone()).unwrap();
            assert_eq!(found.values.len(), if centre { 9 } else { 10 });
            for (a, b) in found.values.iter().zip(&expected.values) {
                assert!((a - b).abs() < 1e-12 * expected.values[0], "{a}, {b}");
            }
            // Eigenvectors are unique up to their sign: YᵀY·V = V·Λ.
            let product = multiply(gram.view(), found.directions.view());
            for label in 0..40 {
                for (k, value) in found.values.iter().enumerate() {
                    let entry = value * found.directions[(label, k)];
                    assert!((product[(label, k)] - entry).abs() < 1e-11);
                }
            }
            let unit = multiply_transposed(found.directions.view(), found.directions.view());
            for k in 0..found.values.len() {
                assert!((unit[(k, k)] - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn labels_that_do_not_occur_have_no_part_in_any_direction() {
        let few = wide().select_rows(&[0, 1, 2]);
        let tall = Labels::from_fn(60, 5, |i, j| j != 3 && (i + j) % 3 == 0);
        for (labels, absent) in [(&few, 1), (&tall, 3)] {
            for centre in [false, true] {
                let found = scatter(labels.into(), centre).unwrap();
                assert!(
                    found
                        .directions
                        .row(absent)
                        .iter()
                        .all(|&entry| entry == 0.0)
                );
                assert!(!found.values.is_empty());
            }
        }
        assert!(
            scatter((&Labels::from_fn(4, 9, |_, _| false)).into(), true)
                .unwrap()
                .values
                .is_empty()
        );
    }

    #[test]
    fn projections_of_centred_labels_agree_with_the_dense_product() {
        let (labels, directions) = (wide(), Matrix::from_fn(40, 3, |j, k| (j * 3 + k) as f64));
        let (y, means) = (labels.to_matrix(), means((&labels).into()));
        let y = Matrix::from_fn(10, 40, |i, j| y[(i, j)] - means[j]);
        let expected = multiply(y.view(), directions.view());
        for (a, b) in project_centred((&labels).into(), &directions)
            .values()
            .iter()
            .zip(expected.values())
        {
            assert!((a - b).abs() < 1e-10, "{a}, {b}");
        }
    }
}
