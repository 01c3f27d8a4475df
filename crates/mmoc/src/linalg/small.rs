//! Small positive definite systems in memory provided by the caller.

use pulp::NullaryFnOnce;

use super::vector::{inlined_dot, vectorised};

/// Unknowns from which on runtime SIMD dispatch pays off.
const SIMD_SIZE: usize = 12;

/// Replaces the lower triangle of a symmetric matrix, row by row, by its Cholesky factor. Returns false if a pivot
/// is NaN or not above `least_pivot` times its diagonal entry.
pub(crate) fn factorise(matrix: &mut [f64], size: usize, least_pivot: f64) -> bool {
    let work = Factorise {
        matrix,
        size,
        least_pivot,
    };
    if size < SIMD_SIZE {
        work.call()
    } else {
        vectorised(work)
    }
}

struct Factorise<'a> {
    matrix: &'a mut [f64],
    size: usize,
    least_pivot: f64,
}

impl NullaryFnOnce for Factorise<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let size = self.size;
        for row in 0..size {
            let (done, rest) = self.matrix.split_at_mut(row * size);
            let current = &mut rest[..size];
            for column in 0..row {
                let other = &done[column * size..][..=column];
                let known = inlined_dot(&current[..column], &other[..column]);
                current[column] = (current[column] - known) / other[column];
            }
            let diagonal = current[row];
            let pivot = diagonal - inlined_dot(&current[..row], &current[..row]);
            let is_enough = pivot > self.least_pivot * diagonal;
            if !is_enough {
                return false;
            }
            current[row] = pivot.sqrt();
        }
        true
    }
}

/// Replaces x by the solution of L·Lᵀ·x = b.
pub(crate) fn substitute(factor: &[f64], x: &mut [f64]) {
    let wide = x.len() >= SIMD_SIZE;
    let work = Substitute { factor, x };
    if wide {
        vectorised(work);
    } else {
        work.call();
    }
}

struct Substitute<'a> {
    factor: &'a [f64],
    x: &'a mut [f64],
}

impl NullaryFnOnce for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let size = self.x.len();
        let (factor, x) = (self.factor, self.x);
        for row in 0..size {
            let entries = &factor[row * size..][..=row];
            x[row] = (x[row] - inlined_dot(&entries[..row], &x[..row])) / entries[row];
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
    fn rejects_singular_and_invalid_matrices() {
        assert!(!factorise(&mut [1.0, 0.0, 1.0, 1.0], 2, 1e-13));
        assert!(!factorise(&mut [-1.0], 1, 0.0));
        assert!(!factorise(&mut [f64::NAN], 1, 0.0));
        assert!(!factorise(&mut [0.0], 1, 0.0));
        assert!(factorise(&mut [], 0, 0.0));
    }
}
