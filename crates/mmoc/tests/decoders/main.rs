//! Decoders against brute force, and invariances.

mod input;
mod joint;
mod marginals;
mod recovery;

use mmoc::Stream;
use mmoc::data::{Labels, Matrix};
use mmoc::linalg::symmetric_eigen;

pub(crate) fn gaussian(rows: usize, columns: usize, stream: &mut Stream) -> Matrix {
    filled(rows, columns, || stream.gaussian())
}

pub(crate) fn filled(rows: usize, columns: usize, mut draw: impl FnMut() -> f64) -> Matrix {
    Matrix::from_fn(rows, columns, |_, _| draw())
}

pub(crate) fn random_labels(rows: usize, labels: usize, share: f64, stream: &mut Stream) -> Matrix {
    filled(rows, labels, || {
        f64::from(u8::from(stream.uniform() < share))
    })
}

/// The columns of a random orthogonal matrix.
pub(crate) fn orthonormal(size: usize, stream: &mut Stream) -> Matrix {
    let a = gaussian(size, size, stream);
    let symmetric = Matrix::from_fn(size, size, |i, j| a[(i.min(j), i.max(j))]);
    symmetric_eigen(symmetric).unwrap().vectors
}

pub(crate) fn sets(y: &Matrix) -> Labels {
    Labels::from_fn(y.rows(), y.columns(), |i, j| y[(i, j)] > 0.5)
}

pub(crate) fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= tolerance, "{x} is not {y}");
    }
}
