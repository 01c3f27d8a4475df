//! Splits: partitions of the right sizes, reproducible by seed, with proportional shares of labels.

use mmoc::Seed;
use mmoc::data::{Folds, Labels, Split, k_folds, random_split, stratified_folds, stratified_split};
use proptest::prelude::*;

fn labels() -> impl Strategy<Value = Labels> {
    (2usize..60, 1usize..7).prop_flat_map(|(rows, count)| {
        let bits = prop::collection::vec(prop::bool::weighted(0.3), rows * count);
        bits.prop_map(move |bits| {
            Labels::from_fn(rows, count, |row, label| bits[row * count + label])
        })
    })
}

/// Label sets with label j in a fraction `1 / (j + 2)` of the rows; some rows have none.
fn skewed(rows: usize, count: usize, seed: u64) -> Labels {
    let mut stream = Seed::new(seed).stream();
    let mut labels = Labels::empty(count);
    for _ in 0..rows {
        let chosen: Vec<usize> = (0..count).filter(|j| stream.below(j + 2) == 0).collect();
        labels.push_row(chosen);
    }
    labels
}

fn assert_partition(split: &Split, rows: usize) {
    assert!(split.train.is_sorted() && split.test.is_sorted());
    let mut all = [split.train.clone(), split.test.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, (0..rows).collect::<Vec<_>>());
}

fn assert_fair_sizes(folds: &Folds) {
    let rows = folds.of_row().len();
    for split in folds.splits() {
        assert_partition(&split, rows);
        let size = split.test.len();
        assert!(size == rows / folds.count() || size == rows.div_ceil(folds.count()));
    }
}

/// Rows of each label in each fold.
fn counts(labels: &Labels, folds: &Folds) -> Vec<Vec<usize>> {
    let tests = folds.splits().map(|split| split.test);
    tests
        .map(|rows| labels.select_rows(&rows).frequencies())
        .collect()
}

/// The mean over labels of the difference between the folds with the most and the fewest rows of it.
fn mean_spread(labels: &Labels, folds: &Folds) -> f64 {
    let counts = counts(labels, folds);
    let spread = |label: usize| {
        let of_label = || counts.iter().map(|fold| fold[label]);
        of_label().max().unwrap() - of_label().min().unwrap()
    };
    (0..labels.count()).map(spread).sum::<usize>() as f64 / labels.count() as f64
}

proptest! {
    #[test]
    fn random_splits_have_the_requested_size(rows in 2usize..80, part: prop::sample::Index, seed: u64) {
        let train_size = 1 + part.index(rows - 1);
        let split = random_split(rows, train_size, Seed::new(seed)).unwrap();
        assert_partition(&split, rows);
        prop_assert_eq!(split.train.len(), train_size);
        prop_assert_eq!(split, random_split(rows, train_size, Seed::new(seed)).unwrap());
    }

    #[test]
    fn random_folds_are_fair_partitions(rows in 2usize..80, part: prop::sample::Index, seed: u64) {
        let count = 2 + part.index(rows - 1);
        let folds = k_folds(rows, count, Seed::new(seed)).unwrap();
        prop_assert_eq!(folds.count(), count);
        assert_fair_sizes(&folds);
        prop_assert_eq!(folds, k_folds(rows, count, Seed::new(seed)).unwrap());
    }

    #[test]
    fn stratified_folds_are_fair_partitions(labels in labels(), part: prop::sample::Index, seed: u64) {
        let count = 2 + part.index(labels.rows() - 1);
        let folds = stratified_folds(&labels, count, Seed::new(seed)).unwrap();
        prop_assert_eq!(folds.count(), count);
        assert_fair_sizes(&folds);
        prop_assert_eq!(folds, stratified_folds(&labels, count, Seed::new(seed)).unwrap());
    }

    #[test]
    fn stratified_splits_have_the_requested_size(labels in labels(), part: prop::sample::Index, seed: u64) {
        let train_size = 1 + part.index(labels.rows() - 1);
        let split = stratified_split(&labels, train_size, Seed::new(seed)).unwrap();
        assert_partition(&split, labels.rows());
        prop_assert_eq!(split.train.len(), train_size);
        prop_assert_eq!(split, stratified_split(&labels, train_size, Seed::new(seed)).unwrap());
    }

    #[test]
    fn single_labels_are_stratified_to_within_one_row(classes in prop::collection::vec(0usize..4, 8..60), seed: u64) {
        let labels = Labels::from_fn(classes.len(), 4, |row, label| classes[row] == label);
        let folds = stratified_folds(&labels, 4, Seed::new(seed)).unwrap();
        for (label, total) in labels.frequencies().into_iter().enumerate() {
            for fold in counts(&labels, &folds) {
                prop_assert!(fold[label] + 2 > total / 4 && fold[label] < total.div_ceil(4) + 2);
            }
        }
    }

    #[test]
    fn disjoint_labels_of_equal_shares_are_stratified_exactly(of_each in 1usize..6, seed: u64) {
        let labels = Labels::from_fn(of_each * 15, 3, |row, label| row % 3 == label);
        let folds = stratified_folds(&labels, 5, Seed::new(seed)).unwrap();
        prop_assert_eq!(counts(&labels, &folds), vec![vec![of_each; 3]; 5]);
    }

    #[test]
    fn rows_without_labels_are_spread_evenly(rows in 4usize..40, seed: u64) {
        let labels = Labels::from_fn(4 * rows, 2, |row, label| row < 2 * rows && row % 2 == label);
        let folds = stratified_folds(&labels, 4, Seed::new(seed)).unwrap();
        for split in folds.splits() {
            let empty = split.test.iter().filter(|&&row| labels.row(row).is_empty()).count();
            prop_assert!(empty + 1 >= rows / 2 && empty <= rows / 2 + 1, "{empty} of {rows}");
        }
    }
}

#[test]
fn another_seed_gives_another_split() {
    let labels = skewed(100, 5, 1);
    let (one, other) = (Seed::new(1), Seed::new(2));
    let split = |seed| random_split(100, 40, seed).unwrap();
    assert_ne!(split(one), split(other));
    let folds = |seed| k_folds(100, 5, seed).unwrap();
    assert_ne!(folds(one), folds(other));
    let stratified = |seed| stratified_folds(&labels, 5, seed).unwrap();
    assert_ne!(stratified(one), stratified(other));
    let stratified = |seed| stratified_split(&labels, 40, seed).unwrap();
    assert_ne!(stratified(one), stratified(other));
}

#[test]
fn every_row_is_trained_on_equally_often() {
    let mut trained = [0usize; 10];
    for seed in 0..10_000 {
        let split = random_split(10, 3, Seed::new(seed)).unwrap();
        split.train.iter().for_each(|&row| trained[row] += 1);
    }
    let fair = |&count: &usize| (2_800..3_200).contains(&count);
    assert!(trained.iter().all(fair), "{trained:?}");
}

#[test]
fn stratified_folds_balance_labels_better_than_random_ones() {
    let labels = skewed(500, 12, 3);
    let spread = |folds: Folds| mean_spread(&labels, &folds);
    let runs = 10;
    let random: f64 = (0..runs)
        .map(|seed| spread(k_folds(500, 5, Seed::new(seed)).unwrap()))
        .sum();
    let stratified: f64 = (0..runs)
        .map(|seed| spread(stratified_folds(&labels, 5, Seed::new(seed)).unwrap()))
        .sum();
    assert!(stratified < 0.25 * random, "{stratified} against {random}");
}

#[test]
fn stratified_splits_give_each_label_its_share() {
    let labels = skewed(400, 10, 4);
    let split = stratified_split(&labels, 100, Seed::new(9)).unwrap();
    let trained = labels.select_rows(&split.train).frequencies();
    for (label, (&train, total)) in trained.iter().zip(labels.frequencies()).enumerate() {
        let share = total as f64 / 4.0;
        assert!(
            (train as f64 - share).abs() <= 2.0,
            "{label}: {train} of {total}"
        );
    }
}

#[test]
fn both_sides_of_a_stratified_split_have_label_sets_of_all_sizes() {
    let labels = skewed(400, 10, 4);
    let cardinality = |rows: &[usize]| labels.select_rows(rows).total() as f64 / rows.len() as f64;
    for seed in 0..10 {
        let split = stratified_split(&labels, 100, Seed::new(seed)).unwrap();
        let ratio = cardinality(&split.train) / cardinality(&split.test);
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
    }
}

#[test]
fn rejects_sizes_that_leave_a_side_empty() {
    let labels = skewed(10, 2, 5);
    for train_size in [0, 10, 11] {
        assert!(random_split(10, train_size, Seed::new(1)).is_err());
        assert!(stratified_split(&labels, train_size, Seed::new(1)).is_err());
    }
    for folds in [0, 1, 11] {
        assert!(k_folds(10, folds, Seed::new(1)).is_err());
        assert!(stratified_folds(&labels, folds, Seed::new(1)).is_err());
    }
    assert!(random_split(0, 0, Seed::new(1)).is_err());
    assert!(k_folds(1, 2, Seed::new(1)).is_err());
    let error = k_folds(10, 11, Seed::new(1)).unwrap_err().to_string();
    assert!(error.contains("from 2 to 10"), "{error}");
}
