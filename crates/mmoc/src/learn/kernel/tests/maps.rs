use proptest::prelude::*;

use super::*;
use crate::data::Matrix;
use crate::learn::LinearModel;
use crate::linalg::multiply_by_transposed;
use crate::stop::Stop;
use crate::{Error, with_threads};

/// A matrix and its bits.
fn bits(matrix: &Matrix) -> Vec<u64> {
    matrix
        .values()
        .iter()
        .map(|value| value.to_bits())
        .collect()
}

/// The same row several times.
fn with_duplicates(x: &Features, times: usize) -> Features {
    let rows: Vec<usize> = (0..x.view().rows() * times).map(|k| k / times).collect();
    x.view().select_rows(&rows)
}

proptest! {
    #[test]
    fn inner_products_of_mapped_training_rows_are_kernel_values(
        rows in 2usize..60, columns in 2usize..10, times in 1usize..3, gamma in 0.01f64..2.0, seed: u64
    ) {
        for x in both_kinds(rows, columns, seed) {
            let x = with_duplicates(&x, times);
            let fit = fit(&x, gamma, &KernelParams::default());
            prop_assert!(fit.map.count() <= rows);
            prop_assert_eq!(fit.map.count(), fit.features.columns());
            let expected = kernel_by_definition(x.view(), x.view(), gamma);
            // What is left out has eigenvalues below 10⁻⁸ of the largest, which is at most the number of rows.
            let tolerance = 1.01e-8 * (rows * times) as f64;
            assert_close(&multiply_by_transposed(&fit.features, &fit.features), &expected, tolerance);
            assert_close(&fit.map.features(x.view()).unwrap(), &fit.features, 1e-9);
        }
    }

    #[test]
    fn a_composed_model_is_the_model_of_mapped_rows(
        rows in 2usize..40, landmarks in 1usize..50, outputs in 0usize..4, seed: u64
    ) {
        let pairs = both_kinds(rows, 5, seed).into_iter().zip(both_kinds(11, 5, seed ^ 1));
        for (train, x) in pairs {
            let map = fit(&train, 0.1, &some_centres(landmarks)).map;
            let coefficients = random(map.count(), outputs, seed ^ 2);
            let model = LinearModel::new(coefficients, vec![0.5; outputs]).unwrap();
            let mapped = Features::Dense(map.features(x.view()).unwrap());
            let composed = map.compose(&model).unwrap();
            prop_assert_eq!((composed.outputs(), composed.columns()), (outputs, 5));
            let found = composed.predict(x.view()).unwrap();
            assert_close(&found, &model.predict(mapped.view()).unwrap(), 1e-8);
        }
    }

    #[test]
    fn landmarks_are_exact_at_their_own_rows_and_lose_length_elsewhere(
        rows in 3usize..60, landmarks in 1usize..20, seed: u64
    ) {
        for x in both_kinds(rows, 6, seed) {
            let landmarks = landmarks.min(rows);
            let fit = fit(&x, 0.3, &some_centres(landmarks));
            let drawn = drawn_rows(rows, landmarks, Seed::new(4).named("landmarks"));
            prop_assert_eq!(drawn.len(), landmarks);
            prop_assert!(drawn.is_sorted_by(|a, b| a < b) && drawn[landmarks - 1] < rows);
            let own = fit.features.view().select_rows(&drawn);
            let kernel = kernel_by_definition(x.view(), x.view(), 0.3);
            let between = Matrix::from_fn(landmarks, landmarks, |i, j| kernel[(drawn[i], drawn[j])]);
            assert_close(&multiply_by_transposed(&own, &own), &between, 1e-6);
            for row in 0..rows {
                let square: f64 = fit.features.row(row).iter().map(|v| v * v).sum();
                prop_assert!(square <= 1.0 + 1e-6, "{square}");
            }
        }
    }
}

#[test]
fn as_many_landmarks_as_rows_are_all_rows() {
    for x in both_kinds(25, 6, 9) {
        let all = fit(&x, 0.2, &KernelParams::default());
        for landmarks in [25, 26, 1000] {
            let drawn = fit(&x, 0.2, &some_centres(landmarks));
            assert_eq!(drawn.map, all.map);
            assert_eq!(bits(&drawn.features), bits(&all.features));
        }
        assert!(fit(&x, 0.2, &some_centres(24)).map.count() <= 24);
    }
}

#[test]
fn other_seeds_draw_other_landmarks() {
    let x = dense_rows(40, 5, 2);
    let choice = choice_of(x.view(), 0.2);
    let fit = |seed| {
        KernelMap::fit(x.view(), choice.clone(), &some_centres(10), Seed::new(seed)).unwrap()
    };
    assert_eq!(fit(1).map, fit(1).map);
    assert_ne!(fit(1).map, fit(2).map);
}

#[test]
fn two_rows_one_column_and_equal_rows_are_mapped() {
    let cases = [
        Matrix::new(2, 1, vec![1.0, 2.0]).unwrap(),
        Matrix::zeros(2, 0),
        Matrix::zeros(5, 3),
        Matrix::from_fn(70, 2, |i, _| f64::from(u8::from(i > 3))),
    ];
    for x in cases {
        let labels = Labels::from_fn(x.rows(), 2, |i, j| i % 2 == j);
        for x in [Features::Sparse(Csr::from(&x)), Features::Dense(x)] {
            let (params, seed) = (KernelParams::default(), Seed::new(1));
            let choice = KernelMap::choose(x.view(), &labels, &params, seed).unwrap();
            assert!(choice.gamma > 0.0 && choice.gamma.is_finite());
            assert!(choice.error.is_finite() && choice.linear_error.is_finite());
            let fit = KernelMap::fit(x.view(), choice, &params, seed).unwrap();
            assert!((1..=2).contains(&fit.map.count()));
            assert!(fit.features.values().iter().all(|value| value.is_finite()));
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for x in both_kinds(300, 8, 3) {
        let labels = labels_of(x.view(), 4);
        let params = KernelParams {
            landmarks: 100,
            all_rows: 0,
            choice_rows: 150,
        };
        let work = || {
            let choice = KernelMap::choose(x.view(), &labels, &params, Seed::new(1)).unwrap();
            let numbers = [choice.gamma, choice.error, choice.linear_error];
            let fit = KernelMap::fit(x.view(), choice, &params, Seed::new(1)).unwrap();
            let model = LinearModel::new(random(fit.map.count(), 3, 1), vec![0.0; 3]).unwrap();
            let composed = fit.map.compose(&model).unwrap();
            let predicted = composed.predict(x.view()).unwrap();
            let all = [&numbers[..], fit.features.values(), predicted.values()].concat();
            bits(&Matrix::new(1, all.len(), all).unwrap())
        };
        assert!(with_threads(1, work).unwrap() == with_threads(3, work).unwrap());
    }
}

#[test]
fn work_stops_when_it_is_told_to() {
    let x = dense_rows(20, 4, 3);
    let labels = labels_of(x.view(), 2);
    let map = fit(&x, 0.2, &KernelParams::default()).map;
    let stop = Stop::default();
    stop.raise();
    let pool = crate::threads::pool(2, Some(stop)).unwrap();
    let (params, seed) = (KernelParams::default(), Seed::new(1));
    let chosen = pool.install(|| KernelMap::choose(x.view(), &labels, &params, seed));
    assert!(matches!(chosen, Err(Error::Stopped)));
    let mapped = pool.install(|| map.features(x.view()));
    assert!(matches!(mapped, Err(Error::Stopped)));
}

#[test]
fn models_of_other_features_are_refused() {
    let map = fit(&dense_rows(9, 4, 3), 0.2, &KernelParams::default()).map;
    let model = LinearModel::new(Matrix::zeros(map.count() + 1, 1), vec![0.0]).unwrap();
    assert!(map.compose(&model).is_err());
}
