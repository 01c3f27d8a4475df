//! Gram matrices of the labels, computed from the label sets.

use crate::Result;
use crate::data::{Labels, Matrix};
use crate::linalg::symmetric_eigen;

/// The mean label vector: the frequency of each label.
pub(super) fn means(labels: &Labels) -> Vec<f64> {
    let rows = labels.rows().max(1) as f64;
    let frequencies = labels.frequencies().into_iter();
    frequencies.map(|count| count as f64 / rows).collect()
}

/// YᵀY, or with `centre` the same for Y − 1ȳᵀ: O(q² + Σ_i |y_i|²).
///
/// With the number c_jk of rows that have both labels, the centred entry is (n·c_jk − c_j·c_k)/n. Products of
/// counts are exact, so the row of a constant label is exactly zero.
pub(super) fn gram(labels: &Labels, centre: bool) -> Matrix {
    let mut gram = Matrix::zeros(labels.count(), labels.count());
    for members in labels.iter() {
        for &j in members {
            for &k in members {
                gram[(j as usize, k as usize)] += 1.0;
            }
        }
    }
    if !centre || labels.rows() == 0 {
        return gram;
    }
    let (n, counts) = (labels.rows() as f64, labels.frequencies());
    Matrix::from_fn(gram.rows(), gram.columns(), |j, k| {
        (n * gram[(j, k)] - counts[j] as f64 * counts[k] as f64) / n
    })
}

/// The directions in which labels vary.
pub(super) struct Scatter {
    /// Eigenvalues of the Gram matrix, descending.
    pub(super) values: Vec<f64>,
    /// Their eigenvectors, one per column.
    pub(super) directions: Matrix,
}

/// The eigenvectors of a Gram matrix with eigenvalues above rounding error.
pub(super) fn scatter(gram: Matrix) -> Result<Scatter> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::linalg::multiply_transposed;

    #[test]
    fn the_gram_matrix_agrees_with_the_dense_product() {
        let mut stream = Seed::new(1).stream();
        let draws: Vec<f64> = (0..200).map(|_| stream.uniform()).collect();
        let labels = Labels::from_fn(40, 5, |i, j| draws[i * 5 + j] < 0.4);
        let (y, means) = (labels.to_matrix(), means(&labels));
        for centre in [false, true] {
            let shift = if centre { 1.0 } else { 0.0 };
            let y = Matrix::from_fn(40, 5, |i, j| y[(i, j)] - shift * means[j]);
            let expected = multiply_transposed(y.view(), y.view());
            let found = gram(&labels, centre);
            for (a, b) in found.values().iter().zip(expected.values()) {
                assert!((a - b).abs() < 1e-12, "{a}, {b}");
            }
        }
    }

    #[test]
    fn constant_labels_have_zero_scatter() {
        let labels = Labels::from_fn(7, 3, |i, j| j == 0 || (j == 2 && i % 3 == 0));
        let gram = gram(&labels, true);
        for k in 0..3 {
            assert_eq!((gram[(0, k)], gram[(1, k)]), (0.0, 0.0));
        }
        assert_eq!(scatter(gram).unwrap().values.len(), 1);
    }
}
