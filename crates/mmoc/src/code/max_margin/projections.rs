//! From a metric to encoding projections, V = U·D^½ (26).
//!
//! Joint decoding (15) divides each projection by its own noise, so the size of an eigenvalue cancels and only the
//! choice of eigenvectors matters. An eigenvalue that only reflects the solver's tolerance would count as much as
//! the leading one, so the number of projections is at most the rank of the metric.

use crate::code::fix_signs;
use crate::data::Matrix;
use crate::linalg::SymmetricEigen;

/// The leading columns of U·D^½, q×d, for Q = UDUᵀ.
pub(super) fn projections(metric: &SymmetricEigen, count: usize) -> Matrix {
    let mut projections = Matrix::from_fn(metric.vectors.rows(), count, |j, k| {
        metric.vectors[(j, k)] * metric.values[k].max(0.0).sqrt()
    });
    fix_signs(&mut projections);
    projections
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{assert_close, semidefinite, stream};
    use crate::linalg::{multiply_by_transposed, multiply_transposed, symmetric_eigen};

    proptest! {
        #[test]
        fn projections_give_the_nearest_metric_of_their_rank(size in 1usize..8, seed: u64) {
            let metric = semidefinite(&mut stream(seed), size, size);
            let eigen = symmetric_eigen(metric.clone()).unwrap();
            let values = &eigen.values;
            for count in 0..=size {
                let v = projections(&eigen, count);
                prop_assert_eq!((v.rows(), v.columns()), (size, count));
                let gram = multiply_transposed(v.view(), v.view());
                let product = multiply_by_transposed(&v, &v);
                for j in 0..count {
                    for k in 0..count {
                        let expected = if j == k { values[j] } else { 0.0 };
                        prop_assert!((gram[(j, k)] - expected).abs() <= 1e-12 * values[0]);
                    }
                }
                // The error of the best matrix of this rank is the sum of the squared omitted eigenvalues (Eckart,
                // Young).
                let error: f64 = product
                    .values()
                    .iter()
                    .zip(metric.values())
                    .map(|(a, b)| (a - b).powi(2))
                    .sum();
                let least: f64 = values[count..].iter().map(|value| value * value).sum();
                prop_assert!((error - least).abs() <= 1e-11 * values[0].powi(2));
                if count == size {
                    assert_close(&product, &metric, 1e-12);
                }
            }
        }

        #[test]
        fn the_largest_entry_of_each_projection_is_positive(size in 1usize..8, seed: u64) {
            let metric = semidefinite(&mut stream(seed), size, size);
            let v = projections(&symmetric_eigen(metric).unwrap(), size);
            for k in 0..size {
                let largest = v.column(k).max_by(|a, b| a.abs().total_cmp(&b.abs()));
                prop_assert!(largest.unwrap() > 0.0);
            }
        }
    }

    #[test]
    fn negative_eigenvalues_count_as_zero() {
        let metric = Matrix::new(2, 2, vec![1.0, 0.0, 0.0, -1e-17]).unwrap();
        let v = projections(&symmetric_eigen(metric).unwrap(), 2);
        assert_eq!(v.values(), [1.0, 0.0, 0.0, 0.0]);
    }
}
