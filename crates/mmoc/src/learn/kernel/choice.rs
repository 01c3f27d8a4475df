//! The width of the kernel, and whether it is worth its cost, by the leave-one-out errors of ridge regressions.
//!
//! γ is one of a few multiples of 1/m, with m the median squared distance between different rows. For each of them
//! every label is regressed by kernel ridge regression, with its own best penalty. The sum of squared leave-one-out
//! errors decides. The same sum for linear regressions on the features as they are says whether a kernel is needed.
//! Rows may have weights: a row of weight 2 counts as two such rows in these sums and in the median.
//!
//! A kernel takes one tridiagonal form and no eigenvectors, see [`RidgeSystem`](crate::learn::ridge::RidgeSystem). On
//! two cores (AMD EPYC) the choice for yeast, of 14 labels, takes 0.3 s with 600 rows, 0.7 s with 800, 1.3 s with 1000
//! and 4.8 s with all 1500. On scene and yeast 400 rows and all rows choose the same multiple, so 600 are enough.

use rayon::prelude::*;

use super::centres::Centres;
use super::map::KernelMap;
use super::preparation::Preparation;
use super::radial_basis::{by_blocks, kernel_values};
use super::{KernelParams, drawn_rows};
use crate::data::{FeaturesView, Matrix, Targets};
use crate::learn::ridge::RidgeParams;
use crate::linalg::{Factorisation, RowWeights};
use crate::{Error, Result, Seed, check_size, check_stop};

/// γ in units of 1/m, from wide kernels to narrow ones.
const MULTIPLES: [f64; 6] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0];

/// Rows at a smaller squared distance are the same.
const SAME: f64 = 1e-9;

/// A chosen kernel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KernelChoice {
    /// γ.
    pub(crate) gamma: f64,
    /// Squared leave-one-out error of kernel ridge regressions, summed over rows, with their weights, and labels.
    pub(crate) error: f64,
    /// That of linear ridge regressions on the features as they were given.
    pub(crate) linear_error: f64,
    /// Number of rows that errors are summed over.
    pub(crate) rows: usize,
    pub(super) preparation: Preparation,
}

impl KernelMap {
    /// Chooses γ on the training rows, or on some of them if there are many.
    pub(crate) fn choose<'a>(
        x: FeaturesView<'_>,
        targets: impl Into<Targets<'a>>,
        params: &KernelParams,
        seed: Seed,
    ) -> Result<KernelChoice> {
        let targets = targets.into();
        check_rows(x, targets)?;
        let weights = RowWeights::optional(targets.weights(), x.rows())?;
        let preparation = Preparation::of(x, weights.as_ref())?;
        let drawn = drawn_rows(
            x.rows(),
            params.choice_rows.max(2),
            seed.named("kernel choice"),
        );
        let weights = targets.weights().map(|all| select(all, &drawn));
        let weights = weights.as_deref();
        let (some, labels) = (x.select_rows(&drawn), targets.labels().select_rows(&drawn));
        let (some, targets) = (some.view(), labels.to_matrix());
        let distances = squared_distances(preparation.clone(), some)?;
        let median = match weights {
            None => median_distance(&distances),
            Some(weights) => weighted_median_distance(&distances, weights),
        };
        let unit = median.unwrap_or(1.0).recip();
        let linear = || total_error(&Factorisation::weighted(some, weights)?, &targets);
        let of_kernel = |multiple: &f64| {
            check_stop()?;
            let mut kernel = distances.clone();
            kernel_values(kernel.values_mut(), multiple * unit);
            total_error(&Factorisation::of_gram(kernel, weights)?, &targets)
        };
        let (linear_error, errors) = rayon::join(linear, || {
            let errors = MULTIPLES.par_iter().map(of_kernel);
            errors.collect::<Result<Vec<f64>>>()
        });
        let (multiple, error) = least(&errors?);
        Ok(KernelChoice {
            gamma: multiple * unit,
            error,
            linear_error: linear_error?,
            rows: drawn.len(),
            preparation,
        })
    }
}

/// The squared leave-one-out error of all rows and targets, each target at its best penalty.
fn total_error(features: &Factorisation<'_>, targets: &Matrix) -> Result<f64> {
    let ridge = RidgeParams::default().prepare(features)?.fit(targets)?;
    Ok(ridge.noise().iter().sum::<f64>() * features.total_weight())
}

fn select(weights: &[f64], rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&row| weights[row]).collect()
}

fn check_rows(x: FeaturesView<'_>, targets: Targets<'_>) -> Result<()> {
    check_size("rows of labels", x.rows(), targets.rows())?;
    let invalid = |expected: &str, found: &dyn ToString| {
        Err(Error::Dataset {
            expected: expected.into(),
            found: found.to_string(),
        })
    };
    if x.rows() < 2 {
        return invalid("at least two training rows", &x.rows());
    }
    match x.stored_values().iter().find(|value| !value.is_finite()) {
        Some(value) => invalid("finite features", value),
        None => Ok(()),
    }
}

/// The squared distances between all rows.
fn squared_distances(preparation: Preparation, x: FeaturesView<'_>) -> Result<Matrix> {
    let centres = Centres::new(preparation, x)?;
    let mut distances = by_blocks(x.rows(), x.rows(), x.rows(), |rows| {
        centres.squared_distances(x.rows_in(rows))
    })?;
    (0..x.rows()).for_each(|row| distances[(row, row)] = 0.0);
    Ok(distances)
}

/// The median squared distance between different rows; `None` if all are the same.
fn median_distance(distances: &Matrix) -> Option<f64> {
    let above = (0..distances.rows()).flat_map(|row| &distances.row(row)[row + 1..]);
    let mut pairs: Vec<f64> = above.copied().filter(|distance| *distance > SAME).collect();
    let middle = pairs.len() / 2;
    if pairs.is_empty() {
        return None;
    }
    let even = pairs.len().is_multiple_of(2);
    let (below, &mut upper, _) = pairs.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().fold(0.0, f64::max);
    Some(if even {
        f64::midpoint(lower, upper)
    } else {
        upper
    })
}

/// The median of the same distances, where a pair of rows counts as many times as there would be such pairs: rows that
/// are the same do not count among each other.
fn weighted_median_distance(distances: &Matrix, weights: &[f64]) -> Option<f64> {
    let size = distances.rows();
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let pairs = (0..size).flat_map(|i| (i + 1..size).map(move |j| (i, j)));
    let pairs = pairs.map(|(i, j)| {
        (
            distances[(i, j)],
            weights[i] / largest * weights[j] / largest,
        )
    });
    let mut pairs: Vec<(f64, f64)> = pairs.filter(|(distance, _)| *distance > SAME).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = pairs.iter().map(|(_, weight)| weight).sum();
    // Sums are rounded, so a half is recognised with a tolerance.
    let (half, rounding) = (total / 2.0, 1e-12 * total);
    let mut below = 0.0;
    let middle = pairs.iter().position(|(_, weight)| {
        below += weight;
        below >= half - rounding
    })?;
    let lower = pairs[middle].0;
    let upper = pairs
        .get(middle + 1)
        .map_or(lower, |(distance, _)| *distance);
    Some(if below <= half + rounding {
        f64::midpoint(lower, upper)
    } else {
        lower
    })
}

/// The multiple of least error, and that error; the widest kernel of equal ones.
fn least(errors: &[f64]) -> (f64, f64) {
    let pairs = MULTIPLES.into_iter().zip(errors.iter().copied());
    pairs
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are several widths")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weighted_median_is_that_of_repeated_rows() {
        let mut stream = Seed::new(2).stream();
        for rows in 2..15 {
            let places: Vec<f64> = (0..rows)
                .map(|_| (9.0 * stream.uniform()).floor())
                .collect();
            let counts: Vec<usize> = (0..rows).map(|_| 1 + stream.below(3)).collect();
            let between = |places: &[f64]| {
                Matrix::from_fn(places.len(), places.len(), |i, j| {
                    (places[i] - places[j]).powi(2)
                })
            };
            let pairs = places.iter().zip(&counts);
            let copies = pairs.flat_map(|(&place, &count)| vec![place; count]);
            let expected = median_distance(&between(&copies.collect::<Vec<_>>()));
            for unit in [1.0, 0.1, 1e-200] {
                let weights: Vec<f64> = counts.iter().map(|&count| unit * count as f64).collect();
                let found = weighted_median_distance(&between(&places), &weights);
                assert_eq!(found, expected, "{places:?}, {weights:?}");
            }
        }
    }
}
