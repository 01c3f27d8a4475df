//! Positive definite systems of a few unknowns, solved in memory that the caller keeps.

/// Replaces the lower triangle of a symmetric matrix, row by row, by its Cholesky factor. False if a pivot is
/// not above `least_pivot` times its diagonal entry, or is no number.
pub(crate) fn factorise(matrix: &mut [f64], size: usize, least_pivot: f64) -> bool {
    for row in 0..size {
        let (done, rest) = matrix.split_at_mut(row * size);
        let current = &mut rest[..size];
        for column in 0..row {
            let other = &done[column * size..][..=column];
            let mut value = current[column];
            for m in 0..column {
                value -= current[m] * other[m];
            }
            current[column] = value / other[column];
        }
        let diagonal = current[row];
        let mut pivot = diagonal;
        for entry in &current[..row] {
            pivot -= entry * entry;
        }
        let is_enough = pivot > least_pivot * diagonal;
        if !is_enough {
            return false;
        }
        current[row] = pivot.sqrt();
    }
    true
}

/// Solves L·Lᵀ·x = b in place.
pub(crate) fn substitute(factor: &[f64], x: &mut [f64]) {
    let size = x.len();
    for row in 0..size {
        let entries = &factor[row * size..][..=row];
        let mut value = x[row];
        for (entry, x) in entries.iter().zip(&x[..row]) {
            value -= entry * x;
        }
        x[row] = value / entries[row];
    }
    for row in (0..size).rev() {
        let value = x[row] / factor[row * size + row];
        x[row] = value;
        let entries = &factor[row * size..][..row];
        for (x, entry) in x.iter_mut().zip(entries) {
            *x -= entry * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Vec<f64> {
        vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 1.0, 3.0, 6.0]
    }

    #[test]
    fn a_system_is_solved() {
        let mut factor = matrix();
        assert!(factorise(&mut factor, 3, 0.0));
        // (4 2 1; 2 5 3; 1 3 6)·(1, −1, 2) = (4, 3, 10).
        let mut x = [4.0, 3.0, 10.0];
        substitute(&factor, &mut x);
        for (found, expected) in x.iter().zip([1.0, -1.0, 2.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn singular_and_invalid_matrices_are_refused() {
        assert!(!factorise(&mut [1.0, 0.0, 1.0, 1.0], 2, 1e-13));
        assert!(!factorise(&mut [-1.0], 1, 0.0));
        assert!(!factorise(&mut [f64::NAN], 1, 0.0));
        assert!(!factorise(&mut [0.0], 1, 0.0));
        assert!(factorise(&mut [], 0, 0.0));
    }
}
