//! Forests against slow and obvious computations from the rows.

use proptest::prelude::*;

use super::*;
use crate::learn::forest::bag::Chances;
use crate::learn::forest::seed_of_tree;
use crate::learn::forest::tree::Kind;

/// A node with the rows that come to it, in a tree that is read recursively.
struct SlowNode {
    rows: Vec<usize>,
    /// The column and threshold of a cut.
    cut: Option<(usize, f64)>,
}

/// All nodes of a tree that begins at a place in the forest; returns the place after the tree.
fn walk(
    forest: &Forest,
    x: &Matrix,
    place: usize,
    rows: Vec<usize>,
    found: &mut Vec<SlowNode>,
) -> usize {
    let trees = &forest.trees;
    let Kind::Cut(cut) = trees.numbering.kind(trees.nodes[place].number) else {
        found.push(SlowNode { rows, cut: None });
        return place + 1;
    };
    let column = trees.cuts.columns[cut] as usize;
    let threshold = trees.cuts.thresholds[cut];
    let is_left = |row: &usize| x[(*row, column)] <= threshold;
    let (left, right) = rows.iter().partition(|row| is_left(row));
    let cut = Some((column, threshold));
    found.push(SlowNode { rows, cut });
    let place = walk(forest, x, place + 1, left, found);
    walk(forest, x, place, right, found)
}

/// The nodes of each tree, and how often it has drawn each row.
fn slow_trees(forest: &Forest, x: &Matrix, seed: u64) -> Vec<(Vec<SlowNode>, Vec<u32>)> {
    let mut place = 0;
    let trees = (0..TREES).map(|tree| {
        let mut stream = seed_of_tree(Seed::new(seed), tree).stream();
        let weights = Chances::new(x.rows(), None).draw_weights(&mut stream);
        let mut found = Vec::new();
        place = walk(forest, x, place, (0..x.rows()).collect(), &mut found);
        (found, weights)
    });
    let trees = trees.collect();
    assert_eq!(place, forest.trees.nodes.len());
    trees
}

/// Rows of each class among those drawn.
fn counts(rows: &[usize], weights: &[u32], own: &[u32], classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    for &row in rows {
        counts[own[row] as usize] += f64::from(weights[row]);
    }
    counts
}

/// The Gini impurity of counts, times the number of rows.
fn impurity(counts: &[f64]) -> f64 {
    let rows: f64 = counts.iter().sum();
    let pure: f64 = counts.iter().map(|count| (count / rows).powi(2)).sum();
    rows * (1.0 - pure)
}

/// The impurities of the two sides of a cut.
fn sides(
    rows: &[usize],
    is_left: impl Fn(usize) -> bool,
    counts: impl Fn(&[usize]) -> Vec<f64>,
) -> f64 {
    let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_left(**row));
    impurity(&counts(&left)) + impurity(&counts(&right))
}

proptest! {
    #[test]
    fn out_of_bag_votes_are_the_mean_of_leaves_of_trees_that_have_not_drawn_the_row(
        rows in 1usize..40,
        columns in 1usize..6,
        classes in 1usize..6,
        seed: u64,
    ) {
        let (x, own) = drawn(rows, columns, classes, seed);
        let (forest, out_of_bag) = grown(&sparse(&x), &own, classes, seed);
        let mut sums = Matrix::zeros(rows, classes);
        let mut voters = vec![0.0; rows];
        for (nodes, weights) in slow_trees(&forest, &x, seed) {
            prop_assert_eq!(weights.iter().sum::<u32>() as usize, rows);
            for leaf in nodes.iter().filter(|node| node.cut.is_none()) {
                let counts = counts(&leaf.rows, &weights, &own, classes);
                let all: f64 = counts.iter().sum();
                for &row in leaf.rows.iter().filter(|row| weights[**row] == 0) {
                    voters[row] += 1.0;
                    (0..classes).for_each(|k| sums[(row, k)] += counts[k] / all);
                }
            }
        }
        for row in 0..rows {
            let mut found = vec![0.0; classes];
            let shares = out_of_bag.view().entries(row);
            shares.for_each(|(class, share)| found[class] = share);
            for class in 0..classes {
                let expected = if voters[row] == 0.0 { 0.0 } else { sums[(row, class)] / voters[row] };
                prop_assert!((found[class] - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn leaves_are_pure_unless_their_rows_are_equal_in_all_columns(
        rows in 2usize..50,
        columns in 1usize..4,
        seed: u64,
    ) {
        let (x, own) = drawn(rows, columns, 4, seed);
        let (forest, _) = grown(&Features::Dense(x.clone()), &own, 4, seed);
        for (nodes, weights) in slow_trees(&forest, &x, seed) {
            for leaf in nodes.iter().filter(|node| node.cut.is_none()) {
                let drawn: Vec<usize> = leaf.rows.iter().copied().filter(|row| weights[*row] > 0).collect();
                prop_assert!(!drawn.is_empty());
                let first = drawn[0];
                let same_class = drawn.iter().all(|row| own[*row] == own[first]);
                let same_row = drawn.iter().all(|row| x.row(*row) == x.row(first));
                prop_assert!(same_class || same_row);
            }
        }
    }

    #[test]
    fn the_only_column_is_cut_where_impurity_is_least_and_midway(rows in 2usize..40, seed: u64) {
        let (x, own) = drawn(rows, 1, 5, seed);
        for features in [sparse(&x), Features::Dense(x.clone())] {
            let (forest, _) = grown(&features, &own, 5, seed);
            for (nodes, weights) in slow_trees(&forest, &x, seed) {
                for node in &nodes {
                    let Some((_, threshold)) = node.cut else { continue };
                    let drawn: Vec<usize> = node.rows.iter().copied().filter(|row| weights[*row] > 0).collect();
                    let counts = |rows: &[usize]| counts(rows, &weights, &own, 5);
                    let mut values: Vec<f64> = drawn.iter().map(|row| x[(*row, 0)]).collect();
                    values.sort_by(f64::total_cmp);
                    values.dedup();
                    let cut_at = |at: f64| sides(&drawn, |row| x[(row, 0)] <= at, counts);
                    let found = cut_at(threshold);
                    let others = values[..values.len() - 1].iter().map(|value| cut_at(*value));
                    let least = others.fold(f64::INFINITY, f64::min);
                    prop_assert!((found - least).abs() < 1e-9, "{} {}", found, least);
                }
            }
        }
    }
}

#[test]
fn gaps_between_drawn_values_are_cut_in_the_middle() {
    // Of the columns' values 0, 1, … 9 a tree may lack some; it cuts in the middle of what it has.
    let x = Matrix::from_fn(10, 1, |row, _| row as f64);
    let own: Vec<u32> = (0..10).map(|row| row / 5).collect();
    let (forest, _) = grown(&Features::Dense(x.clone()), &own, 2, 9);
    for (nodes, weights) in slow_trees(&forest, &x, 9) {
        let drawn = |range: std::ops::Range<usize>| range.filter(|row| weights[*row] > 0);
        let (Some(low), Some(high)) = (drawn(0..5).max(), drawn(5..10).min()) else {
            continue;
        };
        let (_, threshold) = nodes[0].cut.unwrap();
        let expected = low + (high - low - 1) / 2;
        assert_eq!(threshold, expected as f64 + 0.5);
    }
}
