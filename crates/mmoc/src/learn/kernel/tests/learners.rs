use super::*;
use crate::data::Targets;
use crate::learn::ridge::RidgeParams;
use crate::learn::{BaseParams, PenaltyGrid, Training};
use crate::linalg::{Cholesky, multiply};

/// A narrow kernel, whose eigenvalues are all kept.
const NARROW: f64 = 0.5;

/// Ridge regression at the given penalty, with the same for refits.
fn at_penalty(penalty: f64) -> BaseParams {
    let penalties = PenaltyGrid::absolute(vec![penalty]).unwrap();
    BaseParams {
        ridge: RidgeParams {
            penalties,
            ..RidgeParams::default()
        },
        ..BaseParams::default()
    }
}

/// t̄ + k̃(x)ᵀ(K̃ + αI)⁻¹(t − t̄) with the kernel centred: K between training rows, k from new rows to them.
fn kernel_ridge(between: &Matrix, new: &Matrix, targets: &Matrix, penalty: f64) -> Matrix {
    let n = between.rows();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = (0..n).map(|i| mean(between.row(i))).collect();
    let centred = |k: &Matrix| {
        Matrix::from_fn(k.rows(), n, |i, j| {
            k[(i, j)] - mean(k.row(i)) - means[j] + mean(&means)
        })
    };
    let mut system = centred(between);
    (0..n).for_each(|i| system[(i, i)] += penalty);
    let inverse = Cholesky::new(system.view()).unwrap().inverse();
    let target_means: Vec<f64> = (0..targets.columns())
        .map(|j| targets.column(j).sum::<f64>() / n as f64)
        .collect();
    let deviations = Matrix::from_fn(n, targets.columns(), |i, j| {
        targets[(i, j)] - target_means[j]
    });
    let duals = multiply(inverse.view(), deviations.view());
    let mut predicted = multiply(centred(new).view(), duals.view());
    for i in 0..predicted.rows() {
        let pairs = predicted.row_mut(i).iter_mut().zip(&target_means);
        pairs.for_each(|(value, mean)| *value += mean);
    }
    predicted
}

fn without(matrix: &Matrix, row: usize) -> Matrix {
    let others: Vec<usize> = (0..matrix.rows()).filter(|&i| i != row).collect();
    matrix.view().select_rows(&others)
}

#[test]
fn ridge_on_mapped_rows_is_kernel_ridge() {
    let pairs = both_kinds(40, 10, 1).into_iter().zip(both_kinds(15, 10, 2));
    for (train, x) in pairs {
        let (fit, labels) = (
            fit(&train, NARROW, &KernelParams::default()),
            labels_of(train.view(), 3),
        );
        let features = Features::Dense(fit.features.clone());
        let between = kernel_by_definition(train.view(), train.view(), NARROW);
        let new = kernel_by_definition(train.view(), x.view(), NARROW);
        for penalty in [1e-3, 0.1, 10.0] {
            let params = at_penalty(penalty);
            let training = Training::new(features.view(), &labels, params, Seed::new(3)).unwrap();
            let ridge = training.label_ridge().unwrap();
            let found = fit.map.compose(ridge.model()).unwrap();
            let expected = kernel_ridge(&between, &new, &labels.to_matrix(), penalty);
            assert_close(&found.predict(x.view()).unwrap(), &expected, 1e-8);
        }
    }
}

#[test]
fn leave_one_out_on_mapped_rows_is_as_many_refits_of_kernel_ridge() {
    for train in both_kinds(30, 10, 5) {
        let features = Features::Dense(fit(&train, NARROW, &KernelParams::default()).features);
        let labels = labels_of(train.view(), 2);
        let between = kernel_by_definition(train.view(), train.view(), NARROW);
        for penalty in [1e-3, 0.5] {
            let params = at_penalty(penalty);
            let training = Training::new(features.view(), &labels, params, Seed::new(3)).unwrap();
            let found = training.label_ridge().unwrap().held_out();
            for row in 0..30 {
                let others = without(&crate::linalg::transposed(&without(&between, row)), row);
                let new = without(
                    &crate::linalg::transposed(&between.view().select_rows(&[row])),
                    row,
                );
                let new = crate::linalg::transposed(&new);
                let targets = without(&labels.to_matrix(), row);
                let expected = kernel_ridge(&others, &new, &targets, penalty);
                let found = found.view().select_rows(&[row]);
                assert_close(&found, &expected, 1e-8);
            }
        }
    }
}

#[test]
fn the_error_of_the_choice_is_that_of_ridge_on_mapped_rows() {
    let x = dense_rows(60, 6, 4);
    let labels = labels_of(x.view(), 3);
    let weights: Vec<f64> = (0..60).map(|row| 0.5 + f64::from(row % 4)).collect();
    let (params, seed) = (KernelParams::default(), Seed::new(1));
    for weights in [None, Some(&weights[..])] {
        let targets = Targets::new(&labels).with_weights(weights).unwrap();
        let choice = KernelMap::choose(x.view(), targets, &params, seed).unwrap();
        assert_eq!(choice.rows, 60);
        let total = |features: FeaturesView<'_>| {
            let training = Training::new(features, targets, BaseParams::default(), seed).unwrap();
            let noise = training.label_ridge().unwrap().noise().iter();
            targets.total_weight() * noise.sum::<f64>()
        };
        let linear = total(x.view());
        assert!((choice.linear_error - linear).abs() < 1e-9 * linear);
        let fit = KernelMap::fit(x.view(), choice.clone(), &params, seed).unwrap();
        let mapped = total(Features::Dense(fit.features).view());
        // The map leaves out the smallest eigenvalues.
        assert!(
            (choice.error - mapped).abs() < 1e-3 * mapped,
            "{} {mapped}",
            choice.error
        );
    }
}

#[test]
fn rows_with_weights_are_prepared_as_repeated_rows_are() {
    let weights: Vec<f64> = (0..30).map(|row| f64::from(1 + row % 3)).collect();
    let copies: Vec<usize> = (0..30).flat_map(|row| vec![row; 1 + row % 3]).collect();
    for x in both_kinds(30, 6, 9) {
        let labels = labels_of(x.view(), 2);
        let targets = Targets::new(&labels).with_weights(Some(&weights)).unwrap();
        let (params, seed) = (KernelParams::default(), Seed::new(1));
        let found = KernelMap::choose(x.view(), targets, &params, seed).unwrap();
        let all = x.view().select_rows(&copies);
        let expected = choice_of(all.view(), found.gamma).preparation;
        let prepared = |preparation: &Preparation| {
            let prepared = preparation.apply(x.view()).unwrap();
            to_dense(prepared.view())
        };
        assert_close(&prepared(&found.preparation), &prepared(&expected), 1e-10);
    }
}

#[test]
fn a_ring_needs_a_kernel_and_a_half_space_does_not() {
    let x = random(200, 3, 6);
    let features = Features::Dense(x.clone());
    let (params, seed) = (KernelParams::default(), Seed::new(1));
    let ring = Labels::from_fn(200, 1, |i, _| {
        x.row(i).iter().map(|v| v * v).sum::<f64>() < 2.4
    });
    let choice = KernelMap::choose(features.view(), &ring, &params, seed).unwrap();
    assert!(choice.error < 0.7 * choice.linear_error, "{choice:?}");
    let noise = random(200, 1, 8);
    let side = Labels::from_fn(200, 1, |i, _| x[(i, 0)] + 2.0 * noise[(i, 0)] > 0.0);
    let choice = KernelMap::choose(features.view(), &side, &params, seed).unwrap();
    assert!(choice.error > 0.95 * choice.linear_error, "{choice:?}");
}

#[test]
fn a_choice_on_some_rows_depends_on_them_alone() {
    let x = dense_rows(80, 5, 7);
    let labels = labels_of(x.view(), 2);
    let params = KernelParams {
        choice_rows: 30,
        ..KernelParams::default()
    };
    let choose = |labels: &Labels| KernelMap::choose(x.view(), labels, &params, Seed::new(1));
    let expected = choose(&labels).unwrap();
    assert_eq!(expected.rows, 30);
    let drawn = drawn_rows(80, 30, Seed::new(1).named("kernel choice"));
    let changed = Labels::from_fn(80, 2, |i, j| {
        labels.contains(i, j) != drawn.binary_search(&i).is_err()
    });
    assert_ne!(changed, labels);
    assert_eq!(choose(&changed).unwrap(), expected);
}

#[test]
fn rows_that_cannot_be_learnt_from_are_refused() {
    let (params, seed) = (KernelParams::default(), Seed::new(1));
    let choose = |x: Matrix, rows: usize| {
        let labels = Labels::from_fn(rows, 2, |i, j| i == j);
        KernelMap::choose(Features::Dense(x).view(), &labels, &params, seed)
    };
    assert!(choose(Matrix::zeros(3, 2), 3).is_ok());
    assert!(choose(Matrix::zeros(3, 2), 4).is_err());
    assert!(choose(Matrix::zeros(1, 2), 1).is_err());
    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        let x = Matrix::new(3, 1, vec![0.0, 1.0, bad]).unwrap();
        assert!(choose(x, 3).is_err(), "{bad}");
    }
}
