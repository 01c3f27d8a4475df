//! How many training rows are kept, and which.

use crate::Seed;
use crate::data::FeaturesView;

/// Work up to which all training rows are kept, 20 s on two cores (AMD EPYC): the unit is a nanosecond of one of them,
/// and the other constants were measured there.
pub(super) const MOST_WORK: f64 = 4e10;
/// Work of comparing a pair of dense rows, once for the unit of distances and once for their classes: for each column,
/// and for the rest.
const OF_COLUMN: f64 = 0.2;
const OF_DENSE_PAIR: f64 = 12.0;
/// Work of comparing a pair of sparse rows: for each column in which both have an entry, and for the rest.
const OF_SHARED_ENTRY: f64 = 2.0;
const OF_SPARSE_PAIR: f64 = 2.0;
/// Work of ranking a class for a row.
const OF_CLASS: f64 = 12.0;

/// The number of training rows to keep, so that comparing all of them with those kept is no more than so much work.
pub(super) fn affordable_rows(x: FeaturesView<'_>, class_count: usize, most_work: f64) -> usize {
    let of_row = most_work / x.rows() as f64;
    let (of_pair, classes) = (work_of_pair(x), class_count as f64);
    // There are as many classes as rows at most.
    let with_own_classes = of_row / (of_pair + OF_CLASS);
    let affordable = if with_own_classes < classes {
        with_own_classes
    } else {
        (of_row - OF_CLASS * classes) / of_pair
    };
    #[allow(clippy::cast_sign_loss, reason = "work is positive")]
    let affordable = affordable as usize;
    affordable.clamp(1, x.rows())
}

/// The mean work of comparing two rows.
fn work_of_pair(x: FeaturesView<'_>) -> f64 {
    match x {
        FeaturesView::Dense(_) => OF_DENSE_PAIR + OF_COLUMN * x.columns() as f64,
        FeaturesView::Sparse(_) => {
            let shared = shared_entries(x) / (x.rows() as f64).powi(2);
            OF_SPARSE_PAIR + OF_SHARED_ENTRY * shared
        }
    }
}

/// How many entries pairs of rows have in the same column.
fn shared_entries(x: FeaturesView<'_>) -> f64 {
    let mut entries = vec![0.0_f64; x.columns()];
    x.for_each_stored(|_, column, _| entries[column] += 1.0);
    entries.iter().map(|count| count * count).sum()
}

/// As many rows, drawn at random without replacement, in their order: one of each class, if that many fit, and others.
pub(super) fn draw(classes: &[u32], class_count: usize, size: usize, seed: Seed) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..classes.len()).collect();
    if size >= rows.len() {
        return rows;
    }
    seed.stream().shuffle(&mut rows);
    let mut met = vec![false; class_count];
    let mut is_first = vec![false; rows.len()];
    for &row in &rows {
        is_first[row] = !std::mem::replace(&mut met[classes[row] as usize], true);
    }
    if is_first.iter().filter(|first| **first).count() <= size {
        rows.sort_by_key(|&row| !is_first[row]);
    }
    rows.truncate(size);
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Csr, Features, Matrix};

    /// Rows with entries in as many random columns.
    fn sparse(rows: usize, columns: usize, in_row: usize) -> Features {
        let mut stream = Seed::new(7).stream();
        let mut indices = Vec::with_capacity(rows * in_row);
        for _ in 0..rows {
            let first = indices.len();
            indices.extend((0..in_row).map(|_| stream.below(columns - in_row) as u32));
            indices[first..].sort_unstable();
            (0..)
                .zip(&mut indices[first..])
                .for_each(|(k, column)| *column += k);
        }
        let offsets = (0..=rows).map(|row| row * in_row).collect();
        let values = vec![1.0; indices.len()];
        Features::Sparse(Csr::new(columns, offsets, indices, values).unwrap())
    }

    #[test]
    fn all_rows_of_common_data_sets_are_kept() {
        for (x, classes) in [
            (Features::Dense(Matrix::zeros(2407, 294)), 15),
            (Features::Dense(Matrix::zeros(30_000, 100)), 30_000),
            (sparse(4880, 1836, 68), 2058),
            (sparse(12_920, 500, 18), 12_714),
        ] {
            let rows = x.view().rows();
            assert_eq!(affordable_rows(x.view(), classes, MOST_WORK), rows);
        }
    }

    #[test]
    fn of_many_rows_as_many_are_kept_as_the_work_allows() {
        for (x, classes) in [
            (Features::Dense(Matrix::zeros(100_000, 50)), 20),
            (Features::Dense(Matrix::zeros(100_000, 50)), 100_000),
            (sparse(120_919, 1001, 20), 4503),
        ] {
            let (rows, of_pair) = (x.view().rows() as f64, work_of_pair(x.view()));
            let work =
                |kept: usize| rows * (kept as f64 * of_pair + kept.min(classes) as f64 * OF_CLASS);
            let kept = affordable_rows(x.view(), classes, MOST_WORK);
            assert!(
                kept < x.view().rows() && work(kept) <= MOST_WORK && work(kept + 1) > MOST_WORK
            );
        }
        let x = Features::Dense(Matrix::zeros(1000, 1));
        assert_eq!(affordable_rows(x.view(), 1000, 1.0), 1);
    }

    proptest! {
        #[test]
        fn a_sample_has_rows_of_as_many_classes_as_fit(
            classes in prop::collection::vec(0..12_u32, 1..60),
            size in 1..70_usize,
            seed: u64,
        ) {
            let drawn = draw(&classes, 12, size, Seed::new(seed));
            prop_assert_eq!(drawn.len(), size.min(classes.len()));
            prop_assert!(drawn.is_sorted_by(|a, b| a < b) && drawn.iter().all(|&row| row < classes.len()));
            let distinct = |classes: Vec<u32>| {
                let classes: std::collections::BTreeSet<u32> = classes.into_iter().collect();
                classes.len()
            };
            let all = distinct(classes.clone());
            let found = distinct(drawn.iter().map(|&row| classes[row]).collect());
            prop_assert!(found == all || size < all);
            prop_assert_eq!(drawn, draw(&classes, 12, size, Seed::new(seed)));
        }
    }

    #[test]
    fn every_row_is_drawn_as_often() {
        let classes: Vec<u32> = (0..20).map(|row| row % 2).collect();
        let mut counts = [0; 20];
        for seed in 0..4000 {
            let drawn = draw(&classes, 2, 5, Seed::new(seed));
            drawn.into_iter().for_each(|row| counts[row] += 1);
        }
        // A thousand each, with a standard deviation of 27.
        assert!(counts.iter().all(|c| (880..1120).contains(c)), "{counts:?}");
    }
}
