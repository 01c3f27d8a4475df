//! Means and standard deviations of columns in two passes.
//!
//! The textbook formula `E[x²] − E[x]²` cancels for columns with a mean much larger than their spread. Here a
//! second pass sums deviations from the mean of the first pass, and corrects that mean for its rounding error
//! (Chan, Golub & `LeVeque` 1983).
//!
//! Squares of numbers below 1e-154 underflow, and those above 1e154 overflow. So each column is first divided by the
//! power of two below its largest magnitude, which changes no digit, and its statistics are multiplied by it again.

use super::FeaturesView;
use super::magnitude::{self, Magnitudes};

/// The statistics of all columns. Missing cells do not count in the means and have zero deviation, as if filled in.
pub(super) struct ColumnStatistics {
    /// Means of present cells; 0 for columns without any.
    pub(super) means: Vec<f64>,
    /// Population standard deviations; of constant columns 1, or their magnitude if its square is not a number that
    /// can be computed with.
    pub(super) deviations: Vec<f64>,
}

impl ColumnStatistics {
    /// The statistics of rows that all count the same, or as much as their weights say.
    pub(super) fn of(
        features: FeaturesView<'_>,
        magnitudes: &Magnitudes,
        weights: Option<&[f64]>,
    ) -> Self {
        match weights {
            None => Self::weighted(features, magnitudes, |_| 1.0),
            Some(weights) => Self::weighted(features, magnitudes, |row| weights[row]),
        }
    }

    fn weighted(
        features: FeaturesView<'_>,
        magnitudes: &Magnitudes,
        weight: impl Fn(usize) -> f64,
    ) -> Self {
        let rows = features.rows();
        let total: f64 = (0..rows).map(&weight).sum();
        let mut columns = ColumnSums::in_units_of(magnitudes.of_columns());
        features.for_each_stored(|row, column, value| columns[column].add(value, weight(row)));
        for column in &mut columns {
            column.end_of_first_pass(rows, total);
        }
        features.for_each_stored(|row, column, value| {
            columns[column].add_deviation(value, weight(row));
        });
        Self::of_sums(&columns, total)
    }

    /// The statistics after two passes over rows of this total weight.
    pub(super) fn of_sums(columns: &[ColumnSums], total: f64) -> Self {
        Self {
            means: columns.iter().map(ColumnSums::corrected_mean).collect(),
            deviations: columns
                .iter()
                .map(|column| column.deviation(total))
                .collect(),
        }
    }
}

/// The power of two that a column is divided by.
#[derive(Clone, Copy)]
struct Unit {
    size: f64,
    /// Its inverse, a power of two as well.
    inverse: f64,
}

impl Unit {
    /// The power of two below a magnitude. The largest and the smallest powers have no inverse; their neighbours do as
    /// well.
    fn of(magnitude: f64) -> Self {
        let exponent = match magnitude {
            0.0 => 0,
            magnitude => exponent_of(magnitude).clamp(-1022, 1022),
        };
        Self {
            size: 2f64.powi(exponent),
            inverse: 2f64.powi(-exponent),
        }
    }
}

/// The exponent of a normal number; of smaller ones, that of the smallest normal number.
fn exponent_of(number: f64) -> i32 {
    ((number.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// The sums of one column, whose values are counted in units.
#[derive(Clone)]
pub(super) struct ColumnSums {
    unit: Unit,
    stored: usize,
    /// The weight of the present cells.
    present: f64,
    /// The weight of the missing cells.
    missing: f64,
    lowest: f64,
    highest: f64,
    /// Sum in the first pass, mean after it.
    pub(super) mean: f64,
    sum: f64,
    sum_of_squares: f64,
}

impl ColumnSums {
    /// The sums of columns of these magnitudes.
    pub(super) fn in_units_of(magnitudes: &[f64]) -> Vec<Self> {
        let units = magnitudes.iter().copied().map(Unit::of);
        units.map(Self::in_unit).collect()
    }

    /// The sums of the first pass.
    pub(super) fn of_first_pass(&self) -> [f64; 4] {
        [self.stored as f64, self.present, self.missing, self.mean]
    }

    /// Takes the sums of the first pass over all rows, with the highest and the lowest of the stored values.
    pub(super) fn take_first_pass(&mut self, sums: &[f64], highest: f64, lowest: f64) {
        #[expect(clippy::cast_sign_loss, reason = "it counts cells")]
        let stored = sums[0] as usize;
        self.stored = stored;
        (self.present, self.missing, self.mean) = (sums[1], sums[2], sums[3]);
        (self.highest, self.lowest) = (highest, lowest);
    }

    /// The sums of the second pass.
    pub(super) fn of_second_pass(&self) -> [f64; 2] {
        [self.sum, self.sum_of_squares]
    }

    /// Adds the sums of the second pass over all rows.
    pub(super) fn take_second_pass(&mut self, sums: &[f64]) {
        self.sum += sums[0];
        self.sum_of_squares += sums[1];
    }

    /// Whether cells are missing.
    pub(super) fn has_missing(&self) -> bool {
        self.missing > 0.0
    }

    fn in_unit(unit: Unit) -> Self {
        Self {
            unit,
            stored: 0,
            present: 0.0,
            missing: 0.0,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            mean: 0.0,
            sum: 0.0,
            sum_of_squares: 0.0,
        }
    }

    pub(super) fn add(&mut self, value: f64, weight: f64) {
        self.stored += 1;
        if value.is_nan() {
            self.missing += weight;
        } else {
            self.present += weight;
            self.mean += weight * (value * self.unit.inverse);
            self.extend_range(value);
        }
    }

    fn extend_range(&mut self, value: f64) {
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
    }

    /// Adds the zeros that are not stored, and their contribution to the second pass.
    pub(super) fn end_of_first_pass(&mut self, rows: usize, total: f64) {
        let mut zeros = 0.0;
        if self.stored < rows {
            // Rounding errors of sums must not make a weight negative.
            zeros = (total - self.present - self.missing).max(0.0);
            self.extend_range(0.0);
        }
        self.present += zeros;
        if self.present > 0.0 {
            self.mean /= self.present;
        }
        self.sum = -self.mean * zeros;
        self.sum_of_squares = self.mean * self.mean * zeros;
    }

    pub(super) fn add_deviation(&mut self, value: f64, weight: f64) {
        if !value.is_nan() {
            let deviation = value * self.unit.inverse - self.mean;
            self.sum += weight * deviation;
            self.sum_of_squares += weight * (deviation * deviation);
        }
    }

    /// Rounding errors must not give a constant column a spread.
    fn is_constant(&self) -> bool {
        self.lowest >= self.highest
    }

    fn corrected_mean(&self) -> f64 {
        if self.present == 0.0 {
            0.0
        } else if self.is_constant() {
            self.lowest
        } else {
            (self.mean + self.sum / self.present) * self.unit.size
        }
    }

    fn deviation(&self, total: f64) -> f64 {
        if self.is_constant() {
            return self.divisor_of_constant();
        }
        let squares = self.sum_of_squares - self.sum * self.sum / self.present;
        let deviation = (squares.max(0.0) / total).sqrt();
        if deviation == 0.0 {
            return 1.0;
        }
        // Half of the smallest number there is rounds to 0.
        (deviation * self.unit.size).max(f64::from_bits(1))
    }

    /// Constant columns of sparse features are not centred, and keep their value unless nothing can be computed with it.
    fn divisor_of_constant(&self) -> f64 {
        let value = self.lowest.abs();
        let is_extreme = value.is_finite() && value > 0.0 && !magnitude::is_usable(value);
        if is_extreme { value } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Matrix};

    fn statistics(features: FeaturesView<'_>) -> ColumnStatistics {
        ColumnStatistics::of(features, &Magnitudes::of(features), None)
    }

    fn of_column(values: &[f64]) -> (f64, f64) {
        let matrix = Matrix::new(values.len(), 1, values.to_vec()).unwrap();
        let columns = statistics(FeaturesView::Dense(matrix.view()));
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
    }

    #[test]
    fn constant_columns_of_extreme_size_have_it_as_their_deviation() {
        for value in [1e-300, -1e-300, 1e300] {
            assert_eq!(of_column(&[value; 3]), (value, value.abs()));
        }
    }

    #[test]
    fn statistics_keep_their_digits_at_any_size() {
        let usual = [0.25, 3.0, -1.5, f64::NAN, 7.75];
        let (mean, deviation) = of_column(&usual);
        for exponent in [-1000, -500, 500, 1000] {
            let unit = 2f64.powi(exponent);
            let column: Vec<f64> = usual.iter().map(|value| value * unit).collect();
            assert_eq!(
                of_column(&column),
                (mean * unit, deviation * unit),
                "2^{exponent}"
            );
        }
    }

    #[test]
    fn the_largest_and_the_smallest_numbers_have_statistics() {
        for size in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
            let (mean, deviation) = of_column(&[size, 0.0, size, 0.0]);
            assert!((mean / size - 0.5).abs() <= 0.5, "{size}: {mean}");
            assert!(deviation > 0.0 && deviation <= size, "{size}: {deviation}");
        }
    }

    #[test]
    fn missing_cells_count_as_filled_in() {
        let (mean, deviation) = of_column(&[1.0, f64::NAN, 5.0, f64::NAN]);
        assert_eq!((mean, deviation), of_column(&[1.0, 3.0, 5.0, 3.0]));
    }

    #[test]
    fn zeros_that_are_not_stored_count() {
        let sparse = Csr::new(2, vec![0, 1, 2, 2], vec![0, 0], vec![3.0, f64::NAN]).unwrap();
        let columns = statistics(FeaturesView::Sparse(sparse.view()));
        let (mean, deviation) = of_column(&[3.0, f64::NAN, 0.0]);
        assert_eq!(columns.means, [mean, 0.0]);
        assert_eq!(columns.deviations, [deviation, 1.0]);
    }

    #[test]
    fn weighted_statistics_are_those_of_repeated_rows() {
        let rows = [0.1, 0.0, f64::NAN, 7.3, -2.0];
        let counts = [3u8, 2, 4, 1, 5];
        let weights = counts.map(f64::from);
        let repeat = |(&row, &count): (&f64, &u8)| vec![row; count.into()];
        let repeated: Vec<f64> = rows.iter().zip(&counts).flat_map(repeat).collect();
        let (mean, deviation) = of_column(&repeated);
        let matrix = Matrix::new(rows.len(), 1, rows.to_vec()).unwrap();
        let sparse = Csr::from(&matrix);
        for features in [
            FeaturesView::Dense(matrix.view()),
            FeaturesView::Sparse(sparse.view()),
        ] {
            let magnitudes = Magnitudes::of(features);
            let columns = ColumnStatistics::of(features, &magnitudes, Some(&weights));
            assert!((columns.means[0] - mean).abs() < 1e-15);
            assert!((columns.deviations[0] - deviation).abs() < 1e-15);
        }
    }

    #[test]
    fn weights_that_are_no_whole_numbers_do_not_disturb_columns_without_spread() {
        let weights = [0.1, 0.7, 1e-9];
        for column in [[0.3; 3], [f64::NAN; 3], [0.3, f64::NAN, 0.3]] {
            let matrix = Matrix::new(3, 1, column.to_vec()).unwrap();
            let features = FeaturesView::Dense(matrix.view());
            let columns = ColumnStatistics::of(features, &Magnitudes::of(features), Some(&weights));
            let mean = if column[0].is_nan() { 0.0 } else { 0.3 };
            assert_eq!((columns.means[0], columns.deviations[0]), (mean, 1.0));
        }
    }
}
