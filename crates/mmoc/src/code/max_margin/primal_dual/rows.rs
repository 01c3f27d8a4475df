//! Parallel operations on the rows of large matrices.

use rayon::prelude::*;

use crate::code::max_margin::Problem;
use crate::data::Matrix;

/// Rows per parallel task.
const CHUNK: usize = 64;

/// Changes every row of a matrix; returns the results in row order.
pub(super) fn map_rows<T: Send>(
    matrix: &mut Matrix,
    change: impl Fn(usize, &mut [f64]) -> T + Sync,
) -> Vec<T> {
    let columns = matrix.columns();
    if columns == 0 {
        return (0..matrix.rows()).map(|row| change(row, &mut [])).collect();
    }
    matrix
        .values_mut()
        .par_chunks_exact_mut(columns)
        .with_min_len(CHUNK)
        .enumerate()
        .map(|(row, values)| change(row, values))
        .collect()
}

/// Multiplies the row of a sample by the root of its weight.
pub(super) fn weigh_row(problem: &Problem, sample: usize, row: &mut [f64]) {
    if let Some(root) = problem.root_weight(sample) {
        row.iter_mut().for_each(|value| *value *= root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_changes_and_results_are_in_row_order() {
        for columns in [0, 3] {
            let mut matrix = Matrix::zeros(1000, columns);
            let answers = map_rows(&mut matrix, |i, row| {
                row.fill(i as f64);
                i
            });
            assert!(answers.into_iter().eq(0..1000));
            assert_eq!(matrix, Matrix::from_fn(1000, columns, |i, _| i as f64));
        }
    }
}
