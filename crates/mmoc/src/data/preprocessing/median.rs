//! Medians of columns.

use rayon::prelude::*;

use super::FeaturesView;

/// Sums of weights that differ by no more than this share are equal: six weights of 1/6 do not add up to exactly 1.
const ROUNDING: f64 = 1e-12;

/// A present cell, or several that are equal, and how much they count.
type WeightedCell = (f64, f64);

/// The median of the present cells of each column; 0 for columns without any. Zeros that are not stored are present.
///
/// Half of the weight lies on either side of a median. Where a gap between two cells divides the weight into halves, the
/// median is in the middle of the gap.
pub(super) fn medians(features: FeaturesView<'_>, weights: Option<&[f64]>) -> Vec<f64> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let columns = (0..features.columns()).into_par_iter();
    match features {
        FeaturesView::Dense(matrix) => columns
            .map(|column| {
                let cells = (0..matrix.rows()).map(|row| (matrix.row(row)[column], weight(row)));
                median(present(cells))
            })
            .collect(),
        FeaturesView::Sparse(matrix) => {
            let total: f64 = (0..matrix.rows()).map(weight).sum();
            let transposed = matrix.transposed();
            columns
                .map(|column| {
                    let stored: Vec<WeightedCell> = transposed
                        .view()
                        .entries(column)
                        .map(|(row, value)| (value, weight(row)))
                        .collect();
                    let zeros = total - stored.iter().map(|(_, weight)| weight).sum::<f64>();
                    let has_zeros = stored.len() < matrix.rows() && zeros > 0.0;
                    let zeros = has_zeros.then_some((0.0, zeros));
                    median(present(stored.into_iter().chain(zeros)))
                })
                .collect()
        }
    }
}

fn present(cells: impl Iterator<Item = WeightedCell>) -> Vec<WeightedCell> {
    cells.filter(|(value, _)| !value.is_nan()).collect()
}

fn median(mut cells: Vec<WeightedCell>) -> f64 {
    cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = cells.iter().map(|(_, weight)| weight).sum();
    let mut twice = 0.0;
    for (place, &(value, weight)) in cells.iter().enumerate() {
        twice += 2.0 * weight;
        if (twice - total).abs() <= ROUNDING * total {
            let next = cells.get(place + 1).map_or(value, |&(next, _)| next);
            return value.midpoint(next);
        }
        if twice > total {
            return value;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Matrix};

    fn of_column(values: &[f64], weights: Option<&[f64]>) -> f64 {
        let matrix = Matrix::new(values.len(), 1, values.to_vec()).unwrap();
        let dense = medians(FeaturesView::Dense(matrix.view()), weights);
        let sparse = Csr::from(&matrix);
        assert_eq!(medians(FeaturesView::Sparse(sparse.view()), weights), dense);
        dense[0]
    }

    /// The middle of the cells that are as much above as below, by counting pairs.
    fn brute_force(values: &[f64]) -> f64 {
        let present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
        let is_median = |m: f64| {
            let below = present.iter().filter(|&&v| v < m).count();
            let above = present.iter().filter(|&&v| v > m).count();
            2 * below <= present.len() && 2 * above <= present.len()
        };
        let medians = present.iter().copied().filter(|&v| is_median(v));
        let low = medians.clone().fold(f64::INFINITY, f64::min);
        let high = medians.fold(f64::NEG_INFINITY, f64::max);
        f64::midpoint(low, high)
    }

    #[test]
    fn medians_are_in_the_middle_of_the_present_cells() {
        let none = f64::NAN;
        assert_eq!(of_column(&[3.0, none, 1.0, 100.0], None), 3.0);
        assert_eq!(of_column(&[4.0, 1.0, none, 2.0, 100.0], None), 3.0);
        assert_eq!(of_column(&[none, none], None), 0.0);
        assert_eq!(of_column(&[none, -7.5], None), -7.5);
        assert_eq!(of_column(&[f64::MAX, f64::MAX], None), f64::MAX);
    }

    #[test]
    fn zeros_that_are_not_stored_count() {
        assert_eq!(of_column(&[5.0, 0.0, 0.0, f64::NAN], None), 0.0);
        assert_eq!(of_column(&[5.0, 0.0, f64::NAN], None), 2.5);
        assert_eq!(of_column(&[-5.0, -1.0, 0.0, 9.0, 9.0], None), 0.0);
    }

    #[test]
    fn medians_are_those_that_counting_finds() {
        let mut state = 1u64;
        for length in 1..40 {
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let cell = (state >> 60) as f64 - 5.0;
                if cell > 8.0 { f64::NAN } else { cell }
            };
            let mut column: Vec<f64> = (0..length).map(|_| next()).collect();
            column.push(1.0);
            assert_eq!(of_column(&column, None), brute_force(&column), "{column:?}");
        }
    }

    #[test]
    fn a_row_of_weight_two_counts_as_two_rows() {
        let weighted = of_column(&[1.0, 2.0, 7.0, 9.0], Some(&[2.0, 1.0, 1.0, 4.0]));
        let repeated = of_column(&[1.0, 1.0, 2.0, 7.0, 9.0, 9.0, 9.0, 9.0], None);
        assert_eq!((weighted, repeated), (8.0, 8.0));
        let sparse = of_column(&[0.0, 3.0, f64::NAN], Some(&[2.0, 2.0, 50.0]));
        assert_eq!(sparse, 1.5);
    }

    #[test]
    fn equal_weights_of_any_size_change_nothing() {
        for weight in [0.1, 1.0 / 6.0, 1.0 / 3.0, 1e-300, 1e300] {
            assert_eq!(
                of_column(&[1.0, 2.0, 3.0, 5.0, 6.0, 7.0], Some(&[weight; 6])),
                4.0
            );
        }
    }
}
