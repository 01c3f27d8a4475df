//! The size of the numbers in each column, and which sizes models can be computed with.

use std::ops::RangeInclusive;

use super::FeaturesView;
use crate::{Error, Result};

/// Largest magnitudes of columns that models can use unscaled. They need products of four features, and sums of these.
const USABLE: RangeInclusive<f64> = 1e-60..=1e60;

/// Columns whose largest magnitude is below this are standardised by default. Beside columns of usual size the penalties
/// would all but remove them.
const TINY: f64 = 1e-6;

/// Whether models can use a column of this largest magnitude unscaled.
pub(super) fn is_usable(magnitude: f64) -> bool {
    USABLE.contains(&magnitude)
}

/// The largest magnitude of each column; 0 for columns without a number other than 0.
pub(super) struct Magnitudes(Vec<f64>);

impl Magnitudes {
    /// From the largest magnitude of each column.
    pub(super) fn new(of_columns: Vec<f64>) -> Self {
        Self(of_columns)
    }

    pub(super) fn of(features: FeaturesView<'_>) -> Self {
        let mut largest = vec![0f64; features.columns()];
        features.for_each_stored(|_, column, value| {
            // The maximum with a missing cell is the other number.
            largest[column] = largest[column].max(value.abs());
        });
        Self(largest)
    }

    pub(super) fn of_columns(&self) -> &[f64] {
        &self.0
    }

    /// Whether columns have sizes for which they are standardised by default: above 1, or tiny.
    pub(super) fn suggest_scaling(&self) -> bool {
        let is_tiny = |size: f64| size > 0.0 && size < TINY;
        self.0.iter().any(|&size| size > 1.0 || is_tiny(size))
    }

    /// Fails if a column cannot be used unscaled: squares of its numbers would underflow to 0, as if it was constant, or
    /// overflow.
    pub(super) fn check_usable(&self) -> Result<()> {
        let is_bad = |size: &f64| *size > 0.0 && !is_usable(*size);
        match self.0.iter().position(is_bad) {
            None => Ok(()),
            Some(column) => Err(Error::Magnitude {
                column: column + 1,
                found: self.0[column],
                least: *USABLE.start(),
                most: *USABLE.end(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    fn of(values: &[f64]) -> Magnitudes {
        let matrix = Matrix::new(1, values.len(), values.to_vec()).unwrap();
        Magnitudes::of(FeaturesView::Dense(matrix.view()))
    }

    #[test]
    fn columns_above_one_or_below_a_millionth_suggest_scaling() {
        for quiet in [[0.0, 1.0], [-1.0, 1e-6], [f64::NAN, 0.5]] {
            assert!(!of(&quiet).suggest_scaling(), "{quiet:?}");
        }
        for loud in [[0.0, 1.1], [1.0, -9e-7], [1.0, 5e-324], [-1e300, 0.5]] {
            assert!(of(&loud).suggest_scaling(), "{loud:?}");
        }
    }

    #[test]
    fn unscaled_columns_must_have_sizes_that_can_be_squared() {
        assert!(of(&[1e-60, 0.0, -1e60, f64::NAN]).check_usable().is_ok());
        let message = of(&[1.0, -1e-300]).check_usable().unwrap_err().to_string();
        let expected = "the largest magnitude in column 2 is 1e-300; without scaling it must be from 1e-60 to 1e60";
        assert_eq!(message, expected);
        assert!(of(&[1e300]).check_usable().is_err());
    }
}
