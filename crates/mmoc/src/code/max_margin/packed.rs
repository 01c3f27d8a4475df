//! Symmetric matrices as vectors.
//!
//! The upper triangle, row by row, with off-diagonal entries times √2, so that inner products of packed vectors
//! equal those of the matrices.

use std::f64::consts::SQRT_2;

use crate::data::Matrix;

/// Length of a packed symmetric matrix.
pub(super) fn packed_size(size: usize) -> usize {
    size * (size + 1) / 2
}

/// Position of the entry (j, k) in the packed vector.
pub(super) fn index(size: usize, j: usize, k: usize) -> usize {
    let (j, k) = (j.min(k), j.max(k));
    j * (2 * size - j - 1) / 2 + k
}

/// Packs the upper triangle of a symmetric matrix.
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

/// The matrix that maps a packed X to the packed R·X·Rᵀ.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{assert_close, gaussian, inner, stream, symmetric};
    use crate::linalg::{dot, multiply, multiply_by_transposed};

    proptest! {
        #[test]
        fn packing_is_invertible_and_preserves_inner_products(size in 1usize..8, seed: u64) {
            let mut stream = stream(seed);
            let (a, b) = (symmetric(&mut stream, size), symmetric(&mut stream, size));
            prop_assert_eq!(pack(&a).len(), packed_size(size));
            let difference = dot(&pack(&a), &pack(&b)) - inner(&a, &b);
            prop_assert!(difference.abs() <= 1e-12 * (1.0 + inner(&a, &a) + inner(&b, &b)));
            assert_close(&unpack(size, &pack(&a)), &a, 1e-15);
        }

        #[test]
        fn the_packed_congruence_agrees_with_the_matrix_product(size in 1usize..7, seed: u64) {
            let mut stream = stream(seed);
            let (r, x) = (gaussian(&mut stream, size, size), symmetric(&mut stream, size));
            let expected = multiply_by_transposed(&multiply(r.view(), x.view()), &r);
            let packed = Matrix::new(packed_size(size), 1, pack(&x)).unwrap();
            let found = multiply(congruence(&r).view(), packed.view());
            assert_close(&unpack(size, found.values()), &expected, 1e-13);
        }
    }

    #[test]
    fn the_index_enumerates_the_upper_triangle() {
        let pairs = (0..5).flat_map(|j| (j..5).map(move |k| (j, k)));
        for (place, (j, k)) in pairs.enumerate() {
            assert_eq!((index(5, j, k), index(5, k, j)), (place, place));
        }
    }
}
