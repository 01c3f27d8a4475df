//! Tests of whole forests.

mod hostile;
mod reference;
mod slow;

use proptest::prelude::*;

use super::{ClassRows, Forest, ForestParams};
use crate::data::{Csr, Features, Matrix};
use crate::model_file::{TensorWriter, read_back, written};
use crate::{Error, Result, Seed, with_threads};

const TREES: usize = 12;

/// Whole numbers, many of them zero, some negative, with classes that depend on the first column.
fn drawn(rows: usize, columns: usize, classes: usize, seed: u64) -> (Matrix, Vec<u32>) {
    let mut stream = Seed::new(seed).stream();
    let x = Matrix::from_fn(rows, columns, |_, _| {
        [0.0, 0.0, 0.0, 1.0, 2.0, -1.0, -3.5][stream.below(7)]
    });
    let class = |row: usize| {
        let first = x.row(row).first().is_some_and(|value| *value > 0.0);
        let drawn = stream.below(classes);
        if first { 0 } else { drawn as u32 }
    };
    let own = (0..rows).map(class).collect();
    (x, own)
}

fn sparse(x: &Matrix) -> Features {
    Features::Sparse(Csr::from(x))
}

fn grow(x: &Features, classes: &[u32], class_count: usize, seed: u64) -> Result<(Forest, Csr)> {
    let params = ForestParams { trees: TREES };
    let rows = unweighted(classes, class_count);
    Forest::grow(x.view(), rows, &params, Seed::new(seed))
}

fn unweighted(classes: &[u32], class_count: usize) -> ClassRows<'_> {
    ClassRows {
        classes,
        class_count,
        weights: None,
    }
}

/// The forest and its votes, after checks that hold of any.
fn grown(x: &Features, classes: &[u32], class_count: usize, seed: u64) -> (Forest, Csr) {
    let (forest, out_of_bag) = grow(x, classes, class_count, seed).unwrap();
    let votes = forest.votes(x.view()).unwrap();
    assert_eq!(forest.columns(), x.view().columns());
    assert_eq!(forest.class_count(), class_count);
    assert_shares(&votes, x.view().rows(), class_count, false);
    assert_shares(&out_of_bag, x.view().rows(), class_count, true);
    (forest, out_of_bag)
}

/// Each row has positive shares that add up to one, or, where that may be, none.
fn assert_shares(votes: &Csr, rows: usize, class_count: usize, may_be_empty: bool) {
    let votes = votes.view();
    assert_eq!((votes.rows(), votes.columns()), (rows, class_count));
    for row in 0..rows {
        let (_, shares) = votes.row(row);
        let sum: f64 = shares.iter().sum();
        assert!(shares.iter().all(|share| *share > 0.0));
        let is_one = (sum - 1.0).abs() < 1e-12;
        assert!(is_one || (may_be_empty && shares.is_empty()), "{sum}");
    }
}

fn stored(forest: &Forest) -> TensorWriter<'_> {
    let mut file = TensorWriter::default();
    forest.store("forest", &mut file);
    file
}

proptest! {
    #[test]
    fn dense_and_sparse_rows_of_the_same_numbers_give_the_same_forest(
        rows in 1usize..60,
        columns in 0usize..30,
        classes in 1usize..9,
        seed: u64,
    ) {
        let (x, own) = drawn(rows, columns, classes, seed);
        let (of_sparse, out_of_bag) = grown(&sparse(&x), &own, classes, seed);
        let (forest, expected) = grown(&Features::Dense(x), &own, classes, seed);
        prop_assert_eq!(of_sparse, forest);
        prop_assert_eq!(out_of_bag, expected);
    }

    #[test]
    fn a_forest_is_read_as_it_was_written(
        rows in 1usize..40,
        columns in 0usize..9,
        classes in 1usize..9,
        seed: u64,
    ) {
        let (x, own) = drawn(rows, columns, classes, seed);
        let (forest, _) = grown(&sparse(&x), &own, classes, seed);
        for expected in [None, Some(columns)] {
            let mut file = read_back(stored(&forest));
            let again = Forest::restore("forest", &mut file, expected, classes).unwrap();
            prop_assert!(file.finish().is_ok());
            prop_assert_eq!(&again, &forest);
        }
    }
}

#[test]
fn values_of_more_than_256_kinds_give_the_same_forest_dense_and_sparse() {
    let mut stream = Seed::new(5).stream();
    let x = Matrix::from_fn(900, 7, |_, _| {
        let value = stream.gaussian();
        if value < 0.6 { 0.0 } else { stream.gaussian() }
    });
    let own: Vec<u32> = (0..900).map(|_| stream.below(40) as u32).collect();
    let (of_sparse, out_of_bag) = grown(&sparse(&x), &own, 40, 2);
    let (forest, expected) = grown(&Features::Dense(x), &own, 40, 2);
    assert_eq!(of_sparse, forest);
    assert_eq!(out_of_bag, expected);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (x, own) = drawn(150, 12, 20, 3);
    for x in [sparse(&x), Features::Dense(x)] {
        let with = |threads| {
            let work = || {
                let (forest, out_of_bag) = grown(&x, &own, 20, 4);
                let votes = forest.votes(x.view()).unwrap();
                (written(stored(&forest)), votes, out_of_bag)
            };
            with_threads(threads, work).unwrap()
        };
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn rows_that_are_equal_in_all_columns_get_the_shares_of_their_classes() {
    let cases = [
        ("constant columns", Matrix::from_fn(6, 3, |_, _| 2.5)),
        ("only zeros", Matrix::zeros(6, 3)),
        ("no columns", Matrix::zeros(6, 0)),
    ];
    let own = [0, 0, 0, 2, 2, 4];
    for (name, x) in cases {
        for x in [sparse(&x), Features::Dense(x)] {
            let (forest, out_of_bag) = grown(&x, &own, 5, 1);
            let votes = forest.votes(x.view()).unwrap();
            let (classes, _) = votes.view().row(0);
            assert_eq!(classes, [0, 2, 4], "{name}");
            let rows = (0..6).map(|row| votes.view().row(row));
            assert!(rows.clone().all(|row| row == votes.view().row(0)), "{name}");
            assert!(out_of_bag.view().stored() > 0, "{name}");
        }
    }
}

#[test]
fn one_class_and_one_row_are_enough() {
    let (x, _) = drawn(20, 3, 2, 1);
    let (forest, _) = grown(&Features::Dense(x.clone()), &[1; 20], 3, 1);
    let votes = forest.votes(Features::Dense(x).view()).unwrap();
    assert!((0..20).all(|row| votes.view().row(row) == (&[1][..], &[1.0][..])));

    let one = Matrix::new(1, 2, vec![1.0, 0.0]).unwrap();
    for x in [sparse(&one), Features::Dense(one)] {
        let (forest, out_of_bag) = grown(&x, &[0], 1, 1);
        assert_eq!(out_of_bag.view().stored(), 0);
        let none = Features::Dense(Matrix::zeros(0, 2));
        assert_eq!(forest.votes(none.view()).unwrap().view().rows(), 0);
    }
}

#[test]
fn the_only_column_that_varies_is_found() {
    let x = Matrix::from_fn(
        40,
        200,
        |row, column| {
            if column == 71 { row as f64 } else { 1.0 }
        },
    );
    let own: Vec<u32> = (0..40).map(|row| row / 10).collect();
    for x in [sparse(&x), Features::Dense(x)] {
        let (forest, _) = grown(&x, &own, 4, 1);
        assert!(forest.trees.cuts.columns.iter().all(|column| *column == 71));
        let votes = forest.votes(x.view()).unwrap();
        assert_eq!(votes.view().row(5).0, [0]);
        assert_eq!(votes.view().row(35).0, [3]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (x, own) = drawn(20, 3, 4, 1);
    let x = Features::Dense(x);
    let none = Features::Dense(Matrix::zeros(0, 3));
    let params = ForestParams { trees: 0 };
    let refused = [
        grow(&x, &own[1..], 4, 1),
        grow(&x, &own, 1, 1),
        grow(&x, &own, 0, 1),
        grow(&none, &[], 1, 1),
        Forest::grow(x.view(), unweighted(&own, 4), &params, Seed::new(1)),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    let (forest, _) = grown(&x, &own, 4, 1);
    let other = Features::Dense(Matrix::zeros(5, 4));
    let error = forest.votes(other.view()).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
}
