//! Means over runs.

use serde::Serialize;

/// A mean over runs and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean: the standard deviation of the runs (divisor n − 1) over √n. Absent
    /// for a single run.
    pub stderr: Option<f64>,
}

impl Mean {
    /// The mean of some numbers; `None` if there are none.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        (!numbers.is_empty()).then(|| Self::of_some(numbers))
    }

    /// The mean of at least one number.
    pub(super) fn of_some(numbers: &[f64]) -> Self {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        let stderr = (numbers.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        Self { mean, stderr }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_error_is_that_of_the_mean() {
        let found = Mean::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(found.mean, 2.5);
        assert!((found.stderr.unwrap() - (5.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_number_has_no_standard_error_and_none_has_no_mean() {
        assert_eq!(
            Mean::of(&[3.0]),
            Some(Mean {
                mean: 3.0,
                stderr: None
            })
        );
        assert_eq!(Mean::of(&[]), None);
    }
}
