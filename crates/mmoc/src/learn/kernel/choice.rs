//! The width of the kernel, and whether it is worth its cost, by the leave-one-out errors of ridge regressions.
//!
//! γ is one of a few multiples of 1/m, with m the median squared distance between different rows. For each of them
//! every label is regressed by kernel ridge regression, with its own best penalty. The sum of squared leave-one-out
//! errors decides. The same sum for linear regressions on the features as they are says whether a kernel is needed.
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
use crate::data::{FeaturesView, Labels, Matrix};
use crate::learn::ridge::RidgeParams;
use crate::linalg::Factorisation;
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
    /// Squared leave-one-out error of kernel ridge regressions, summed over rows and labels.
    pub(crate) error: f64,
    /// That of linear ridge regressions on the features as they were given.
    pub(crate) linear_error: f64,
    /// Number of rows that errors are summed over.
    pub(crate) rows: usize,
    pub(super) preparation: Preparation,
}

impl KernelMap {
    /// Chooses γ on the training rows, or on some of them if there are many.
    pub(crate) fn choose(
        x: FeaturesView<'_>,
        labels: &Labels,
        params: &KernelParams,
        seed: Seed,
    ) -> Result<KernelChoice> {
        check_rows(x, labels)?;
        let preparation = Preparation::of(x)?;
        let drawn = drawn_rows(
            x.rows(),
            params.choice_rows.max(2),
            seed.named("kernel choice"),
        );
        let (some, labels) = (x.select_rows(&drawn), labels.select_rows(&drawn));
        let (some, targets) = (some.view(), labels.to_matrix());
        let distances = squared_distances(preparation.clone(), some)?;
        let unit = median_distance(&distances).unwrap_or(1.0).recip();
        let linear = || total_error(&Factorisation::new(some)?, &targets);
        let of_kernel = |multiple: &f64| {
            check_stop()?;
            let mut kernel = distances.clone();
            kernel_values(kernel.values_mut(), multiple * unit);
            total_error(&Factorisation::of_gram(kernel)?, &targets)
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
    Ok(ridge.noise().iter().sum::<f64>() * targets.rows() as f64)
}

fn check_rows(x: FeaturesView<'_>, labels: &Labels) -> Result<()> {
    check_size("rows of labels", x.rows(), labels.rows())?;
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

/// The multiple of least error, and that error; the widest kernel of equal ones.
fn least(errors: &[f64]) -> (f64, f64) {
    let pairs = MULTIPLES.into_iter().zip(errors.iter().copied());
    pairs
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are several widths")
}
