//! Means and standard deviations of columns in two passes.
//!
//! The textbook formula `E[x²] − E[x]²` cancels for columns with a mean much larger than their spread. Here a
//! second pass sums deviations from the mean of the first pass, and corrects that mean for its rounding error
//! (Chan, Golub & `LeVeque` 1983).

use super::FeaturesView;

/// The statistics of all columns. Missing cells do not count in the means and have zero deviation, as if filled in.
pub(super) struct ColumnStatistics {
    /// Means of present cells; 0 for columns without any.
    pub(super) means: Vec<f64>,
    /// Population standard deviations; 1 for constant columns.
    pub(super) deviations: Vec<f64>,
}

impl ColumnStatistics {
    pub(super) fn of(features: FeaturesView<'_>) -> Self {
        let mut columns = vec![ColumnSums::default(); features.columns()];
        features.for_each_stored(|_, column, value| columns[column].add(value));
        for column in &mut columns {
            column.end_of_first_pass(features.rows());
        }
        features.for_each_stored(|_, column, value| columns[column].add_deviation(value));
        Self {
            means: columns.iter().map(ColumnSums::corrected_mean).collect(),
            deviations: columns
                .iter()
                .map(|column| column.deviation(features.rows()))
                .collect(),
        }
    }
}

/// The sums of one column.
#[derive(Clone)]
struct ColumnSums {
    stored: usize,
    present: usize,
    lowest: f64,
    highest: f64,
    /// Sum in the first pass, mean after it.
    mean: f64,
    sum: f64,
    sum_of_squares: f64,
}

impl Default for ColumnSums {
    fn default() -> Self {
        Self {
            stored: 0,
            present: 0,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            mean: 0.0,
            sum: 0.0,
            sum_of_squares: 0.0,
        }
    }
}

impl ColumnSums {
    fn add(&mut self, value: f64) {
        self.stored += 1;
        if !value.is_nan() {
            self.present += 1;
            self.mean += value;
            self.extend_range(value);
        }
    }

    fn extend_range(&mut self, value: f64) {
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
    }

    /// Adds the zeros that are not stored, and their contribution to the second pass.
    fn end_of_first_pass(&mut self, rows: usize) {
        let zeros = rows - self.stored;
        self.present += zeros;
        if zeros > 0 {
            self.extend_range(0.0);
        }
        if self.present > 0 {
            self.mean /= self.present as f64;
        }
        self.sum = -self.mean * zeros as f64;
        self.sum_of_squares = self.mean * self.mean * zeros as f64;
    }

    fn add_deviation(&mut self, value: f64) {
        if !value.is_nan() {
            let deviation = value - self.mean;
            self.sum += deviation;
            self.sum_of_squares += deviation * deviation;
        }
    }

    /// Rounding errors must not give a constant column a spread.
    fn is_constant(&self) -> bool {
        self.lowest >= self.highest
    }

    fn corrected_mean(&self) -> f64 {
        if self.present == 0 {
            0.0
        } else if self.is_constant() {
            self.lowest
        } else {
            self.mean + self.sum / self.present as f64
        }
    }

    fn deviation(&self, rows: usize) -> f64 {
        if self.is_constant() {
            return 1.0;
        }
        let squares = self.sum_of_squares - self.sum * self.sum / self.present as f64;
        let deviation = (squares / rows as f64).sqrt();
        // The squares of numbers below 1e-154 underflow to zero.
        if deviation == 0.0 { 1.0 } else { deviation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Matrix};

    fn of_column(values: &[f64]) -> (f64, f64) {
        let matrix = Matrix::new(values.len(), 1, values.to_vec()).unwrap();
        let columns = ColumnStatistics::of(FeaturesView::Dense(matrix.view()));
        (columns.means[0], columns.deviations[0])
    }

    #[test]
    fn a_small_spread_around_a_large_mean_is_not_lost() {
        let (mean, deviation) = of_column(&[1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0, 1e9 + 4.0]);
        assert_eq!(mean.to_bits(), (1e9f64 + 2.5).to_bits());
        assert!((deviation - 1.25f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_constant_column_has_its_value_as_mean_and_deviation_one() {
        assert_eq!(of_column(&[0.1; 7]), (0.1, 1.0));
        assert_eq!(of_column(&[0.1, f64::NAN, 0.1]), (0.1, 1.0));
        assert_eq!(of_column(&[f64::NAN; 3]), (0.0, 1.0));
        assert_eq!(of_column(&[0.0, 1e-200]).1.to_bits(), 1f64.to_bits());
    }

    #[test]
    fn missing_cells_count_as_filled_in() {
        let (mean, deviation) = of_column(&[1.0, f64::NAN, 5.0, f64::NAN]);
        assert_eq!((mean, deviation), of_column(&[1.0, 3.0, 5.0, 3.0]));
    }

    #[test]
    fn zeros_that_are_not_stored_count() {
        let sparse = Csr::new(2, vec![0, 1, 2, 2], vec![0, 0], vec![3.0, f64::NAN]).unwrap();
        let columns = ColumnStatistics::of(FeaturesView::Sparse(sparse.view()));
        let (mean, deviation) = of_column(&[3.0, f64::NAN, 0.0]);
        assert_eq!(columns.means, [mean, 0.0]);
        assert_eq!(columns.deviations, [deviation, 1.0]);
    }
}
