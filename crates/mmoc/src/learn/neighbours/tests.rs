//! The nearest sets against a comparison of all rows with all rows.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::data::Matrix;

/// Rows of numbers that often repeat, with classes.
#[derive(Debug, Clone)]
struct Example {
    train: Matrix,
    classes: Vec<u32>,
    queries: Matrix,
    class_count: usize,
    sparse: bool,
}

impl Example {
    fn new(sizes: [usize; 4], sparse: bool, seed: u64) -> Self {
        let [rows, columns, class_count, queries] = sizes;
        let mut stream = Seed::new(seed).stream();
        let mut value = || match stream.below(8) {
            0..4 => 0.0,
            4 => 1.0,
            5 => -0.5,
            6 => 2.0,
            _ => stream.gaussian(),
        };
        Self {
            train: Matrix::from_fn(rows, columns, |_, _| value()),
            queries: Matrix::from_fn(queries, columns, |_, _| value()),
            classes: (0..rows)
                .map(|_| stream.below(class_count) as u32)
                .collect(),
            class_count,
            sparse,
        }
    }

    fn features(&self, rows: &Matrix) -> Features {
        if self.sparse {
            Features::Sparse(Csr::from(rows))
        } else {
            Features::Dense(rows.clone())
        }
    }

    fn sets(&self) -> NearestSets {
        let x = self.features(&self.train);
        NearestSets::new(x.view(), &self.classes, self.class_count, Seed::new(0)).unwrap()
    }

    fn similarity(&self, a: &[f64], b: &[f64], unit: f64) -> f64 {
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        let lengths = (product(a, a) * product(b, b)).sqrt();
        match (self.sparse, lengths > 0.0) {
            (true, true) => product(a, b) / lengths,
            (true, false) => 0.0,
            (false, _) => -squared(a, b) / unit,
        }
    }

    /// What classes have above the floor, zero at the floor, from a comparison with the given training rows.
    fn expected(&self, row: &[f64], among: &[usize], unit: f64, kept: usize) -> Vec<f64> {
        let mut best: BTreeMap<u32, f64> = BTreeMap::new();
        for &i in among {
            let similarity = self.similarity(row, self.train.row(i), unit);
            let own = best.entry(self.classes[i]).or_insert(f64::NEG_INFINITY);
            *own = own.max(similarity);
        }
        let mut ranked: Vec<(u32, f64)> = best.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let floor = ranked
            .get(kept)
            .or(ranked.last())
            .map_or(0.0, |last| last.1);
        let mut above = vec![0.0; self.class_count];
        for (class, similarity) in ranked.into_iter().take(kept) {
            above[class as usize] = similarity - floor;
        }
        above
    }
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// The unit by sorting the distances of every row.
fn slow_unit(train: &Matrix) -> f64 {
    let rows = 0..train.rows();
    let typical = |i: usize| {
        let others = rows.clone().filter(|&k| k != i);
        let mut all: Vec<f64> = others
            .map(|k| squared(train.row(i), train.row(k)))
            .collect();
        all.sort_by(f64::total_cmp);
        all.get(4).or(all.last()).copied().unwrap_or(0.0)
    };
    let mut all: Vec<f64> = rows.clone().map(typical).collect();
    all.sort_by(f64::total_cmp);
    let median = f64::midpoint(all[(all.len() - 1) / 2], all[all.len() / 2]);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    [median, mean, 1.0].into_iter().find(|u| *u > 0.0).unwrap()
}

/// One row of a result with its zeros, if it has no more than `kept` entries, all positive.
fn spread(found: &Csr, row: usize, kept: usize) -> Vec<f64> {
    let found = found.view();
    let mut values = vec![0.0; found.columns()];
    assert!(found.row(row).0.len() <= kept);
    for (class, value) in found.entries(row) {
        assert!(value > 0.0 && value.is_finite(), "{value}");
        values[class] = value;
    }
    values
}

fn assert_close(found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < 1e-9 * size, "{found:?} {expected:?}");
    }
}

fn examples() -> impl Strategy<Value = Example> {
    let sizes = (1..40_usize, 0..9_usize, 1..15_usize, 0..9_usize);
    (sizes, any::<bool>(), any::<u64>())
        .prop_map(|((n, p, m, k), sparse, seed)| Example::new([n, p, m, k], sparse, seed))
}

proptest! {
    #[test]
    fn nearest_sets_are_those_of_a_comparison_with_all_rows(example in examples(), kept in 1..20_usize) {
        let sets = example.sets();
        prop_assert_eq!(sets.rows_kept(), example.train.rows());
        prop_assert_eq!(sets.columns(), example.train.columns());
        let all: Vec<usize> = (0..example.train.rows()).collect();
        // Rows may be stored in another way than the training rows.
        let other = Example { sparse: !example.sparse, ..example.clone() };
        for asked in [&example, &other] {
            let x = asked.features(&example.queries);
            let found = sets.nearest(x.view(), |_| None, kept).unwrap();
            prop_assert_eq!(found.view().rows(), example.queries.rows());
            prop_assert_eq!(found.view().columns(), example.class_count);
            for row in 0..example.queries.rows() {
                let expected = example.expected(example.queries.row(row), &all, sets.unit(), kept);
                assert_close(&spread(&found, row, kept), &expected);
            }
        }
    }

    #[test]
    fn the_unit_is_the_median_distance_to_the_fifth_neighbour(example in examples()) {
        let dense = Example { sparse: false, ..example };
        let expected = slow_unit(&dense.train);
        prop_assert!((dense.sets().unit() / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_row_that_is_held_out_is_as_if_it_were_new(example in examples(), kept in 1..20_usize) {
        let sets = example.sets();
        let x = example.features(&example.train);
        let found = sets.held_out_nearest(x.view(), kept).unwrap();
        for row in (0..example.train.rows()).filter(|_| example.train.rows() > 1) {
            let others: Vec<usize> = (0..example.train.rows()).filter(|&i| i != row).collect();
            let classes: Vec<u32> = others.iter().map(|&i| example.classes[i]).collect();
            let without = x.view().select_rows(&others);
            let mut without =
                NearestSets::new(without.view(), &classes, example.class_count, Seed::new(1)).unwrap();
            if let ComparedRows::Dense(distances) = without.rows {
                without.rows = ComparedRows::Dense(distances.with_unit(sets.unit()));
            }
            let alone = x.view().select_rows(&[row]);
            let expected = without.nearest(alone.view(), |_| None, kept).unwrap();
            assert_close(&spread(&found, row, kept), &spread(&expected, 0, kept));
        }
    }

    #[test]
    fn of_a_sample_a_row_leaves_itself_out_if_it_is_there(example in examples(), work in 1.0..2e4_f64) {
        let x = example.features(&example.train);
        let rows = x.view().rows();
        let sets = NearestSets::within(work, x.view(), &example.classes, example.class_count, Seed::new(3)).unwrap();
        prop_assert_eq!(sets.rows_kept(), sample::affordable_rows(x.view(), example.class_count, work));
        let found = sets.held_out_nearest(x.view(), 4).unwrap();
        let sampled: Vec<usize> = sets.origins.iter().map(|&row| row as usize).collect();
        for row in 0..rows {
            let others: Vec<usize> = sampled.iter().copied().filter(|&i| i != row).collect();
            let expected = example.expected(example.train.row(row), &others, sets.unit(), 4);
            assert_close(&spread(&found, row, 4), &expected);
        }
    }
}

#[test]
fn many_rows_of_many_classes_are_compared_piece_by_piece() {
    for sparse in [false, true] {
        let example = Example::new([1300, 12, 400, 70], sparse, 5);
        let sets = example.sets();
        let x = example.features(&example.queries);
        let found = sets.of_rows(x.view()).unwrap();
        let all: Vec<usize> = (0..1300).collect();
        for row in 0..70 {
            let expected = example.expected(example.queries.row(row), &all, sets.unit(), KEPT);
            assert_close(&spread(&found, row, KEPT), &expected);
        }
        let x = example.features(&example.train);
        let held_out = sets.held_out(x.view()).unwrap();
        for row in [0, 1, 63, 64, 511, 512, 1023, 1024, 1299] {
            let others: Vec<usize> = (0..1300).filter(|&i| i != row).collect();
            let expected = example.expected(example.train.row(row), &others, sets.unit(), KEPT);
            assert_close(&spread(&held_out, row, KEPT), &expected);
        }
    }
}

#[test]
fn neither_threads_nor_the_stored_zeros_of_a_row_change_a_bit() {
    for sparse in [false, true] {
        let example = Example::new([700, 9, 90, 200], sparse, 8);
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let sets = example.sets();
                let (train, x) = (&example.train, example.features(&example.queries));
                let held_out = sets.held_out(example.features(train).view()).unwrap();
                (
                    sets.unit().to_bits(),
                    sets.of_rows(x.view()).unwrap(),
                    held_out,
                )
            })
        };
        let one = with_threads(1);
        assert_eq!(one, with_threads(3));
        let dense = Features::Dense(example.queries.clone());
        assert_eq!(example.sets().of_rows(dense.view()).unwrap(), one.1);
    }
}

#[test]
fn rows_without_entries_are_as_far_from_every_class() {
    let mut example = Example::new([30, 5, 4, 2], true, 1);
    example.queries.row_mut(0).fill(0.0);
    let found = example
        .sets()
        .of_rows(example.features(&example.queries).view());
    assert_eq!(found.unwrap().view().row(0).0.len(), 0);
    // An entry of zero is none, and neither is it one of a training row.
    example.train.values_mut().fill(0.0);
    let zeros = Csr::new(5, vec![0, 1], vec![2], vec![0.0]).unwrap();
    let found = example.sets().of_rows(FeaturesView::Sparse(zeros.view()));
    assert_eq!(found.unwrap().view().stored(), 0);
}

#[test]
fn equal_rows_have_distance_zero_and_other_units_than_copies() {
    // Far from the origin, and from the mean, nearly all digits cancel in products.
    let mut stream = Seed::new(2).stream();
    let kinds = Matrix::from_fn(20, 7, |_, _| 1e6 + 1e-3 * stream.gaussian());
    let train = Matrix::from_fn(80, 7, |i, j| if i < 60 { kinds[(i % 20, j)] } else { -1e6 });
    let classes: Vec<u32> = (0..80).map(|i| i % 20).collect();
    let x = Features::Dense(train.clone());
    let sets = NearestSets::new(x.view(), &classes, 20, Seed::new(0)).unwrap();
    // Every row has two or nineteen copies: the fifth neighbour of most is the nearest other kind or the next.
    let expected = slow_unit(&train);
    assert!(
        (sets.unit() / expected - 1.0).abs() < 1e-6,
        "{}",
        sets.unit()
    );
    let found = sets.nearest(x.view(), |_| None, 19).unwrap();
    for row in 0..60 {
        let values = spread(&found, row, 19);
        let to_all = |class: usize| squared(train.row(row), kinds.row(class));
        let farthest = (0..20).map(to_all).fold(0.0, f64::max);
        for (class, value) in values.into_iter().enumerate() {
            let expected = (farthest - to_all(class)) / sets.unit();
            assert!((value - expected).abs() < 1e-6 * (1.0 + expected));
        }
    }
}

#[test]
fn copies_of_one_row_have_the_unit_one_and_nothing_above_the_floor() {
    for sparse in [false, true] {
        let mut example = Example::new([40, 5, 3, 40], sparse, 3);
        let row = [0.1, 0.0, 0.7, -3.3, 0.0];
        for rows in [&mut example.train, &mut example.queries] {
            (0..40).for_each(|i| rows.row_mut(i).copy_from_slice(&row));
        }
        let sets = example.sets();
        assert_eq!(sets.unit(), 1.0);
        let x = example.features(&example.train);
        assert_eq!(sets.of_rows(x.view()).unwrap().view().stored(), 0);
        assert_eq!(sets.held_out(x.view()).unwrap().view().stored(), 0);
    }
}

#[test]
fn the_mean_is_the_unit_if_most_rows_have_copies() {
    let train = Matrix::from_fn(20, 1, |i, _| if i < 18 { 0.5 } else { i as f64 });
    let x = Features::Dense(train.clone());
    let sets = NearestSets::new(x.view(), &[0; 20], 1, Seed::new(0)).unwrap();
    let expected = (17.5_f64.powi(2) + 18.5_f64.powi(2)) / 20.0;
    assert!((sets.unit() - expected).abs() < 1e-9);
}

#[test]
fn values_are_finite_however_small_the_unit() {
    let example = Example::new([40, 5, 9, 6], false, 3);
    let mut sets = example.sets();
    if let ComparedRows::Dense(distances) = sets.rows {
        sets.rows = ComparedRows::Dense(distances.with_unit(5e-324));
    }
    let found = sets
        .of_rows(example.features(&example.queries).view())
        .unwrap();
    assert!(found.view().stored() > 0);
    assert!(found.view().values().iter().all(|value| *value == 1e100));
}

#[test]
fn one_class_or_a_single_row_has_nothing_above_the_floor() {
    for sparse in [false, true] {
        for (rows, class_count) in [(25, 1), (1, 1), (1, 6)] {
            let example = Example::new([rows, 4, class_count, 9], sparse, 4);
            let sets = example.sets();
            for rows in [&example.queries, &example.train] {
                let x = example.features(rows);
                assert_eq!(sets.of_rows(x.view()).unwrap().view().stored(), 0);
            }
            let x = example.features(&example.train);
            assert_eq!(sets.held_out(x.view()).unwrap().view().stored(), 0);
        }
    }
}

#[test]
fn without_rows_to_ask_for_there_is_nothing() {
    let example = Example::new([10, 3, 2, 0], false, 4);
    let found = example
        .sets()
        .of_rows(example.features(&example.queries).view());
    assert_eq!(found.unwrap().view().rows(), 0);
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    for sparse in [false, true] {
        let example = Example::new([10, 3, 2, 4], sparse, 4);
        let new = |rows: &Matrix, classes: &[u32]| {
            NearestSets::new(example.features(rows).view(), classes, 2, Seed::new(0))
        };
        assert!(new(&example.train, &[0; 9]).is_err());
        assert!(new(&example.train, &[2; 10]).is_err());
        assert!(new(&Matrix::zeros(0, 3), &[]).is_err());
        let (sets, narrow) = (example.sets(), Matrix::zeros(4, 2));
        assert!(sets.of_rows(example.features(&narrow).view()).is_err());
        assert!(
            sets.held_out(example.features(&example.queries).view())
                .is_err()
        );
        for bad in [f64::NAN, f64::INFINITY] {
            let mut rows = example.train.clone();
            rows[(7, 1)] = bad;
            assert!(new(&rows, &[0; 10]).is_err());
            assert!(sets.of_rows(example.features(&rows).view()).is_err());
        }
    }
}

#[test]
fn huge_features_are_refused_where_squares_overflow_and_scaled_where_not() {
    let mut example = Example::new([10, 3, 2, 4], false, 4);
    let sets = example.sets();
    example.queries.values_mut().fill(1e160);
    assert!(
        sets.of_rows(example.features(&example.queries).view())
            .is_err()
    );
    example
        .train
        .values_mut()
        .iter_mut()
        .for_each(|value| *value *= 1e300);
    let train = FeaturesView::Dense(example.train.view());
    assert!(NearestSets::new(train, &example.classes, 2, Seed::new(0)).is_err());
    example.sparse = true;
    let sets = example.sets();
    let found = sets
        .of_rows(example.features(&example.queries).view())
        .unwrap();
    let all: Vec<usize> = (0..10).collect();
    example
        .train
        .values_mut()
        .iter_mut()
        .for_each(|value| *value /= 1e300);
    for row in 0..4 {
        let expected = example.expected(&[1.0; 3], &all, 1.0, KEPT);
        assert_close(&spread(&found, row, KEPT), &expected);
    }
}
