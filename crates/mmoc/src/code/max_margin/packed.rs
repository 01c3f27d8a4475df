//! Symmetric matrices as vectors.
//!
//! The upper triangle, row by row, with the entries off the diagonal times √2, so that the inner product of
//! two vectors is that of the matrices.

use std::f64::consts::SQRT_2;

use crate::data::Matrix;

/// Entries of a packed symmetric matrix.
pub(super) fn packed_size(size: usize) -> usize {
    size * (size + 1) / 2
}

/// Where the entry (j, k) of a matrix lies.
pub(super) fn index(size: usize, j: usize, k: usize) -> usize {
    let (j, k) = (j.min(k), j.max(k));
    j * (2 * size - j - 1) / 2 + k
}

/// Packs a symmetric matrix, of which the upper triangle is read.
pub(super) fn pack(matrix: &Matrix) -> Vec<f64> {
    let size = matrix.rows();
    let mut packed = Vec::with_capacity(packed_size(size));
    for j in 0..size {
        packed.push(matrix[(j, j)]);
        packed.extend(matrix.row(j)[j + 1..].iter().map(|entry| SQRT_2 * entry));
    }
    packed
}

/// Unpacks a symmetric matrix.
pub(super) fn unpack(size: usize, packed: &[f64]) -> Matrix {
    Matrix::from_fn(size, size, |j, k| {
        let entry = packed[index(size, j, k)];
        if j == k { entry } else { entry / SQRT_2 }
    })
}

/// The matrix that takes a packed X to the packed R·X·Rᵀ.
pub(super) fn congruence(r: &Matrix) -> Matrix {
    let size = r.rows();
    let pairs: Vec<(usize, usize)> = (0..size)
        .flat_map(|j| (j..size).map(move |k| (j, k)))
        .collect();
    Matrix::from_fn(pairs.len(), pairs.len(), |row, column| {
        let ((a, b), (k, l)) = (pairs[row], pairs[column]);
        let product = r[(a, k)] * r[(b, l)];
        match (a == b, k == l) {
            (true, true) => product,
            (false, false) => product + r[(a, l)] * r[(b, k)],
            _ => SQRT_2 * product,
        }
    })
}
