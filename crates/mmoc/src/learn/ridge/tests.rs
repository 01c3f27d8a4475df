//! Rows with weights, against repeated rows, refits without a row, and other units of the weights.

use proptest::prelude::*;

use super::{Ridge, RidgeParams, RidgeSolver};
use crate::data::{Csr, Features, FeaturesView, Folds, Labels, Matrix, Targets};
use crate::learn::{BaseParams, Basis, PenaltyGrid, Training};
use crate::linalg::Factorisation;
use crate::{Result, Seed};

/// Shapes of which XᵀX, XXᵀ and what is close to both are factorised.
const SHAPES: [(usize, usize); 7] = [
    (30, 6),
    (12, 12),
    (13, 12),
    (14, 12),
    (10, 40),
    (25, 1),
    (3, 2),
];

/// About half of the values are zero.
fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut stream = Seed::new(seed).stream();
    Matrix::from_fn(rows, columns, |_, _| stream.gaussian().max(0.0))
}

fn both_forms(x: &Matrix) -> [Features; 2] {
    [Features::Sparse(Csr::from(x)), Features::Dense(x.clone())]
}

/// Weights from 0.2 to 5.
fn fractional(rows: usize, seed: u64) -> Vec<f64> {
    let mut stream = Seed::new(seed).stream();
    let weight = |_| 5f64.powf(2.0 * stream.uniform() - 1.0);
    (0..rows).map(weight).collect()
}

/// Weights from 1 to 3.
fn whole(rows: usize, seed: u64) -> Vec<usize> {
    let mut stream = Seed::new(seed).stream();
    let weight = |_| 1 + stream.below(3);
    (0..rows).map(weight).collect()
}

fn to_numbers(counts: &[usize]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}

/// The index of each row, as many times as it counts.
fn repeated(counts: &[usize]) -> Vec<usize> {
    let rows = counts.iter().enumerate();
    rows.flat_map(|(row, &count)| vec![row; count]).collect()
}

fn at_penalty(penalty: f64) -> RidgeParams {
    RidgeParams {
        penalties: PenaltyGrid::absolute(vec![penalty]).unwrap(),
        ..RidgeParams::default()
    }
}

fn factorised(
    params: &RidgeParams,
    x: FeaturesView<'_>,
    weights: Option<&[f64]>,
    targets: &Matrix,
) -> Ridge {
    let factorisation = Factorisation::weighted(x, weights).unwrap();
    let system = params.prepare(&factorisation).unwrap();
    system.fit(targets).unwrap()
}

fn iterated(
    params: &RidgeParams,
    x: FeaturesView<'_>,
    weights: Option<&[f64]>,
    folds: &Folds,
    targets: &Matrix,
) -> Ridge {
    let basis = Basis::plain_weighted(x, weights).unwrap();
    let ridge = params.iterate(&basis, folds).unwrap();
    ridge.fit(targets).unwrap()
}

fn three_folds(rows: usize) -> Folds {
    Folds::new((0..rows).map(|row| row % 3).collect()).unwrap()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() < tolerance * (1.0 + b.abs()),
            "{a} is not {b}"
        );
    }
}

fn assert_same_model(found: &Ridge, expected: &Ridge, tolerance: f64) {
    let (found, expected) = (found.model(), expected.model());
    let (a, b) = (found.coefficients(), expected.coefficients());
    assert_close(a.values(), b.values(), tolerance);
    assert_close(found.intercepts(), expected.intercepts(), tolerance);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_row_of_weight_k_counts_as_k_rows_in_a_factorisation(
        rows in 3usize..25, columns in 1usize..40, seed in 0..1000u64, share in -4i32..1
    ) {
        let (x, targets) = (random(rows, columns, seed), random(rows, 2, seed + 1));
        let counts = whole(rows, seed + 2);
        let (weights, copies) = (to_numbers(&counts), repeated(&counts));
        let all_targets = targets.view().select_rows(&copies);
        for features in both_forms(&x) {
            let all = features.view().select_rows(&copies);
            let single = Factorisation::weighted(features.view(), Some(&weights)).unwrap();
            let many = Factorisation::new(all.view()).unwrap();
            assert_close(&[single.total_scatter()], &[many.total_scatter()], 1e-10);
            assert_close(single.means(), many.means(), 1e-12);
            let params = RidgeParams { penalty: Some(10f64.powi(share)), ..RidgeParams::default() };
            let systems = [&single, &many].map(|own| params.prepare(own).unwrap());
            let [found, expected] = [
                systems[0].fit(&targets).unwrap(),
                systems[1].fit(&all_targets).unwrap(),
            ];
            assert_same_model(&found, &expected, 1e-8);
            let penalties = [0.3, 2.5];
            let found = systems[0].fitted(&targets, &penalties).unwrap();
            let expected = systems[1].fitted(&all_targets, &penalties).unwrap();
            assert_close(found.view().select_rows(&copies).values(), expected.values(), 1e-8);
        }
    }

    #[test]
    fn a_row_of_weight_k_counts_as_k_rows_of_its_fold_in_iterations(
        rows in 6usize..25, columns in 1usize..30, seed in 0..1000u64, share in -3i32..1
    ) {
        let (x, targets) = (random(rows, columns, seed), random(rows, 2, seed + 1));
        let counts = whole(rows, seed + 2);
        let (weights, copies) = (to_numbers(&counts), repeated(&counts));
        let all_targets = targets.view().select_rows(&copies);
        let folds = three_folds(rows);
        let all_folds = Folds::new(copies.iter().map(|row| row % 3).collect()).unwrap();
        let params = RidgeParams { penalty: Some(10f64.powi(share)), ..RidgeParams::default() };
        for features in both_forms(&x) {
            let all = features.view().select_rows(&copies);
            let found = iterated(&params, features.view(), Some(&weights), &folds, &targets);
            let expected = iterated(&params, all.view(), None, &all_folds, &all_targets);
            prop_assert!(found.record().unwrap().all_converged());
            assert_same_model(&found, &expected, 1e-5);
            assert_close(found.penalties(), expected.penalties(), 1e-10);
            assert_close(found.noise(), expected.noise(), 1e-2);
            let held_out = found.held_out().view().select_rows(&copies);
            assert_close(held_out.values(), expected.held_out().values(), 1e-2);
        }
    }
}

#[test]
fn leave_one_out_equals_refits_without_the_whole_weight_of_a_row() {
    for ((rows, columns), seed) in SHAPES.into_iter().zip(1..) {
        let (x, targets) = (random(rows, columns, seed), random(rows, 2, seed + 50));
        let weights = fractional(rows, seed + 100);
        for features in both_forms(&x) {
            for penalty in [1e-2, 1.0, 30.0] {
                let params = at_penalty(penalty);
                let found = factorised(&params, features.view(), Some(&weights), &targets);
                for left_out in 0..rows {
                    let kept: Vec<usize> = (0..rows).filter(|&row| row != left_out).collect();
                    let others: Vec<f64> = kept.iter().map(|&row| weights[row]).collect();
                    let seen = features.view().select_rows(&kept);
                    let own = targets.view().select_rows(&kept);
                    let refit = factorised(&params, seen.view(), Some(&others), &own);
                    let unseen = features.view().select_rows(&[left_out]);
                    let expected = refit.model().predict(unseen.view()).unwrap();
                    assert_close(found.held_out().row(left_out), expected.values(), 1e-9);
                }
            }
        }
    }
}

#[test]
fn noise_is_the_weighted_mean_of_squared_held_out_errors() {
    let (x, targets, weights) = (random(30, 6, 1), random(30, 2, 2), fractional(30, 3));
    let (params, folds) = (RidgeParams::default(), three_folds(30));
    for features in both_forms(&x) {
        let (x, own) = (features.view(), Some(&weights[..]));
        let ridges = [
            factorised(&params, x, own, &targets),
            iterated(&params, x, own, &folds, &targets),
        ];
        for ridge in ridges {
            let square = |row: usize, j| (ridge.held_out()[(row, j)] - targets[(row, j)]).powi(2);
            let mean = |j| {
                let squares = (0..30).map(|row| weights[row] * square(row, j));
                squares.sum::<f64>() / weights.iter().sum::<f64>()
            };
            assert_close(ridge.noise(), &[mean(0), mean(1)], 1e-12);
        }
    }
}

#[test]
fn the_penalty_minimises_the_weighted_error() {
    let (x, targets, weights) = (random(40, 12, 1), random(40, 3, 2), fractional(40, 3));
    let features = Features::Dense(x);
    let chosen = factorised(
        &RidgeParams::default(),
        features.view(),
        Some(&weights),
        &targets,
    );
    let grid = RidgeParams::default().penalties.resolve(
        Factorisation::weighted(features.view(), Some(&weights))
            .unwrap()
            .total_scatter(),
    );
    for penalty in grid {
        let alone = factorised(
            &at_penalty(penalty),
            features.view(),
            Some(&weights),
            &targets,
        );
        for (least, other) in chosen.noise().iter().zip(alone.noise()) {
            assert!(*least <= other * (1.0 + 1e-12));
        }
    }
}

#[test]
fn the_unit_of_the_weights_does_not_matter_where_penalties_are_relative() {
    for (rows, columns) in SHAPES {
        let (x, targets) = (random(rows, columns, 4), random(rows, 2, 5));
        let weights = fractional(rows, 6);
        let scaled: Vec<f64> = weights.iter().map(|weight| 1e3 * weight).collect();
        let (params, folds) = (RidgeParams::default(), three_folds(rows));
        for features in both_forms(&x) {
            let both = |weights: &[f64]| {
                let (x, weights) = (features.view(), Some(weights));
                [
                    factorised(&params, x, weights, &targets),
                    iterated(&params, x, weights, &folds, &targets),
                ]
            };
            for (found, expected) in both(&scaled).iter().zip(both(&weights)) {
                assert_same_model(found, &expected, 1e-6);
                let (a, b) = (found.held_out(), expected.held_out());
                assert_close(a.values(), b.values(), 1e-6);
                assert_close(found.noise(), expected.noise(), 1e-6);
                let penalties: Vec<f64> = found.penalties().iter().map(|p| p / 1e3).collect();
                assert_close(&penalties, expected.penalties(), 1e-9);
            }
        }
    }
}

#[test]
fn iterations_agree_with_factorisation_and_with_refits_without_each_fold() {
    for (rows, columns) in [(30, 6), (12, 20)] {
        let (x, targets) = (random(rows, columns, 7), random(rows, 2, 8));
        let (weights, folds) = (fractional(rows, 9), three_folds(rows));
        for features in both_forms(&x) {
            let (x, params) = (features.view(), at_penalty(0.7));
            let found = iterated(&params, x, Some(&weights), &folds, &targets);
            let expected = factorised(&params, x, Some(&weights), &targets);
            assert_same_model(&found, &expected, 1e-6);
            for split in folds.splits() {
                let others: Vec<f64> = split.train.iter().map(|&row| weights[row]).collect();
                let seen = x.select_rows(&split.train);
                let own = targets.view().select_rows(&split.train);
                let refit = factorised(&params, seen.view(), Some(&others), &own);
                let unseen = x.select_rows(&split.test);
                let expected = refit.model().predict(unseen.view()).unwrap();
                let found = found.held_out().view().select_rows(&split.test);
                assert_close(found.values(), expected.values(), 1e-3);
            }
        }
    }
}

#[test]
fn a_training_set_regresses_its_labels_with_the_weights_of_its_rows() -> Result<()> {
    let x = random(20, 5, 10);
    let labels = Labels::from_fn(20, 2, |i, j| x[(i, j)] > 0.3);
    let (counts, features) = (whole(20, 11), Features::Dense(x.clone()));
    let (weights, copies) = (to_numbers(&counts), repeated(&counts));
    let (all, all_labels) = (
        features.view().select_rows(&copies),
        labels.select_rows(&copies),
    );
    for solver in [RidgeSolver::Factorisation, RidgeSolver::Iterative] {
        let params = BaseParams {
            ridge: RidgeParams {
                solver,
                ..at_penalty(0.5)
            },
            ..BaseParams::default()
        };
        let targets = Targets::new(&labels).with_weights(Some(&weights))?;
        let weighted = Training::new(features.view(), targets, params.clone(), Seed::new(1))?;
        let many = Training::new(all.view(), &all_labels, params, Seed::new(1))?;
        assert_same_model(weighted.label_ridge()?, many.label_ridge()?, 1e-6);
        let (a, b) = (weighted.fitted_labels(2.0)?, many.fitted_labels(2.0)?);
        assert_close(a.view().select_rows(&copies).values(), b.values(), 1e-6);
    }
    Ok(())
}

#[test]
fn weights_that_are_too_few_or_not_positive_are_refused() {
    for features in both_forms(&random(4, 3, 12)) {
        for bad in [
            &[1.0; 3][..],
            &[1.0, 1.0, 0.0, 1.0],
            &[1.0, f64::NAN, 1.0, 1.0],
        ] {
            assert!(Factorisation::weighted(features.view(), Some(bad)).is_err());
            assert!(Basis::plain_weighted(features.view(), Some(bad)).is_err());
        }
    }
}
