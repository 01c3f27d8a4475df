//! Preprocessing: its effect on training rows, and that it depends on nothing else.

use mmoc::data::{Csr, Features, FeaturesView, Matrix, Missing, Preprocessed, Preprocessing, Scaling};
use mmoc::{Error, Result};
use proptest::prelude::*;

const NAN: f64 = f64::NAN;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![6 => -50.0f64..50.0, 2 => Just(0.0), 1 => Just(NAN)]
}

fn matrix() -> impl Strategy<Value = Matrix> {
    (1usize..20, 1usize..6).prop_flat_map(|(rows, columns)| {
        prop::collection::vec(number(), rows * columns)
            .prop_map(move |values| Matrix::new(rows, columns, values).unwrap())
    })
}

/// The values of a column, including zeros that are not stored.
fn column(features: FeaturesView<'_>, column: usize) -> Vec<f64> {
    let mut values = vec![0.0; features.rows()];
    features.for_each_stored(|row, at, value| {
        if at == column {
            values[row] = value;
        }
    });
    values
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64
}

fn is_constant(column: &[f64]) -> bool {
    let mut present = column.iter().filter(|value| !value.is_nan());
    let first = present.next();
    present.all(|value| Some(value) == first)
}

fn dense_row(values: &[f64]) -> Features {
    Features::Dense(Matrix::new(1, values.len(), values.to_vec()).unwrap())
}

fn dense_column(values: &[f64]) -> Features {
    Features::Dense(Matrix::new(values.len(), 1, values.to_vec()).unwrap())
}

fn applied(train: &Features, scaling: Scaling, rows: &Features) -> Vec<f64> {
    let preprocessing = Preprocessing::fit(train.view(), scaling, Missing::Mean, None).unwrap();
    let result = preprocessing.apply(rows.view()).unwrap();
    result.view().stored_values().to_vec()
}

proptest! {
    #[test]
    fn standardised_training_columns_have_mean_zero_and_variance_one(matrix in matrix()) {
        let train = Features::Dense(matrix);
        let preprocessing = Preprocessing::fit(train.view(), Scaling::Standard, Missing::Mean, None).unwrap();
        let result = preprocessing.apply(train.view()).unwrap();
        for index in 0..train.view().columns() {
            let after = column(result.view(), index);
            let expected = f64::from(!is_constant(&column(train.view(), index)));
            prop_assert!(mean(&after).abs() < 1e-12, "{after:?}");
            prop_assert!((variance(&after) - expected).abs() < 1e-12, "{after:?}");
        }
    }

    #[test]
    fn sparse_columns_get_variance_one_and_keep_their_pattern(matrix in matrix()) {
        let train = Csr::from(&matrix);
        let view = FeaturesView::Sparse(train.view());
        let preprocessing = Preprocessing::fit(view, Scaling::Standard, Missing::Mean, None).unwrap();
        let result = preprocessing.apply(view).unwrap();
        let FeaturesView::Sparse(after) = result.view() else { panic!("no longer sparse") };
        for row in 0..train.view().rows() {
            prop_assert_eq!(after.row(row).0, train.view().row(row).0);
        }
        for index in 0..matrix.columns() {
            let before: Vec<f64> = matrix.column(index).collect();
            let expected = f64::from(!is_constant(&before));
            prop_assert!((variance(&column(result.view(), index)) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn missing_cells_become_the_mean_of_the_present_ones(matrix in matrix()) {
        for train in [Features::Dense(matrix.clone()), Features::Sparse(Csr::from(&matrix))] {
            let preprocessing = Preprocessing::fit(train.view(), Scaling::None, Missing::Mean, None).unwrap();
            let result = preprocessing.apply(train.view()).unwrap();
            for index in 0..matrix.columns() {
                let before = column(train.view(), index);
                let present: Vec<f64> = before.iter().copied().filter(|x| !x.is_nan()).collect();
                let fill = if present.is_empty() { 0.0 } else { mean(&present) };
                for (old, new) in before.iter().zip(column(result.view(), index)) {
                    let expected = if old.is_nan() { fill } else { *old };
                    prop_assert!((new - expected).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn dense_and_sparse_storage_give_equal_values(matrix in matrix(), scaling in prop::sample::select(&Scaling::ALL[..])) {
        let dense = Features::Dense(matrix.clone());
        let sparse = Features::Sparse(Csr::from(&matrix));
        for train in [&dense, &sparse] {
            let preprocessing = Preprocessing::fit(train.view(), scaling, Missing::Mean, None).unwrap();
            let one = preprocessing.apply(dense.view()).unwrap();
            let other = preprocessing.apply(sparse.view()).unwrap();
            for index in 0..matrix.columns() {
                prop_assert_eq!(column(one.view(), index), column(other.view(), index));
            }
        }
    }

    #[test]
    fn the_unit_of_a_column_makes_no_difference_to_standardised_values(
        cells in prop::collection::vec(-400i32..400, 24),
        exponents in prop::collection::vec(-1000i32..=1000, 3),
        sparse: bool,
    ) {
        let features = |unit: &dyn Fn(usize) -> f64| {
            let cell = |row: usize, column: usize| f64::from(cells[3 * row + column]) / 8.0 * unit(column);
            let matrix = Matrix::from_fn(8, 3, cell);
            if sparse { Features::Sparse(Csr::from(&matrix)) } else { Features::Dense(matrix) }
        };
        let (usual, other) = (features(&|_| 1.0), features(&|column| 2f64.powi(exponents[column])));
        let expected = applied(&usual, Scaling::Standard, &usual);
        let found = applied(&other, Scaling::Standard, &other);
        let constant = |index: usize| is_constant(&column(usual.view(), index));
        // Constant columns of sparse features are not scaled, unless nothing can be computed with them.
        if !sparse || !(0..3).any(constant) {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn from_parts_restores_a_preprocessing(matrix in matrix()) {
        let train = Features::Dense(matrix);
        let fitted = Preprocessing::fit(train.view(), Scaling::Standard, Missing::Mean, None).unwrap();
        let parts = [fitted.fill(), fitted.shift(), fitted.scale()].map(<[f64]>::to_vec);
        let [fill, shift, scale] = parts;
        prop_assert_eq!(Preprocessing::from_parts(fill, shift, scale).unwrap(), fitted);
    }
}

#[test]
fn other_rows_are_treated_with_the_statistics_of_the_training_rows() {
    let train = dense_column(&[1.0, 3.0, NAN]);
    let scale = (2.0f64 / 3.0).sqrt();
    let found = applied(&train, Scaling::Standard, &dense_column(&[2.0, 102.0, NAN]));
    assert_eq!(found, [0.0, 100.0 / scale, 0.0]);
}

#[test]
fn auto_standardises_only_values_above_one() {
    let within = dense_column(&[-1.0, 0.5, 1.0]);
    assert_eq!(
        applied(&within, Scaling::Auto, &within),
        within.view().stored_values()
    );
    let missing = dense_column(&[-1.0, NAN, 1.0]);
    assert_eq!(applied(&missing, Scaling::Auto, &missing), [-1.0, 0.0, 1.0]);
    for beyond in [[-1.5, 0.5], [0.5, 1.5]].map(|values| dense_column(&values)) {
        assert_eq!(applied(&beyond, Scaling::Auto, &beyond), [-1.0, 1.0]);
    }
}

#[test]
fn auto_standardises_tiny_columns() {
    let tiny = dense_column(&[-3.0, 1.0].map(|value| value * 2f64.powi(-997)));
    assert_eq!(applied(&tiny, Scaling::Auto, &tiny), [-1.0, 1.0]);
    let zeros = dense_column(&[0.0, 0.0]);
    assert_eq!(applied(&zeros, Scaling::Auto, &zeros), [0.0, 0.0]);
    let small = dense_column(&[0.0, 1e-5]);
    assert_eq!(applied(&small, Scaling::Auto, &small), [0.0, 1e-5]);
}

#[test]
fn unscaled_columns_that_models_cannot_use_are_refused() {
    for size in [1e-300, 1e300] {
        let column = dense_column(&[size, -size]);
        let refused = Preprocessing::fit(column.view(), Scaling::None, Missing::Mean, None).unwrap_err();
        let expected = format!("from 1e-60 to 1e60, found {size:e} in column 1");
        assert!(refused.to_string().ends_with(&expected), "{refused}");
    }
}

#[test]
fn auto_depends_on_the_training_rows_alone() {
    let found = applied(
        &dense_column(&[0.0, 1.0]),
        Scaling::Auto,
        &dense_column(&[70.0]),
    );
    assert_eq!(found, [70.0]);
}

#[test]
fn unchanged_features_are_not_copied() {
    let train = dense_column(&[0.0, 1.0]);
    let preprocessing = Preprocessing::fit(train.view(), Scaling::Auto, Missing::Mean, None).unwrap();
    let unchanged = preprocessing.apply(train.view()).unwrap();
    assert!(matches!(unchanged, Preprocessed::Unchanged(view) if view == train.view()));
    let missing = dense_column(&[NAN]);
    let filled = preprocessing.apply(missing.view()).unwrap();
    assert!(matches!(&filled, Preprocessed::Changed(new) if *new == dense_column(&[0.5])));
}

#[test]
fn constant_and_empty_columns_are_accepted() {
    let matrix = Matrix::new(2, 2, vec![0.1, NAN, 0.1, NAN]).unwrap();
    let train = Features::Dense(matrix);
    assert_eq!(applied(&train, Scaling::Standard, &train), [0.0; 4]);
    let found = applied(&train, Scaling::Standard, &dense_row(&[1.1, 5.0]));
    assert_eq!(found, [1.0, 5.0]);
}

#[test]
fn rejects_another_number_of_columns() {
    let train = dense_row(&[1.0, 2.0]);
    let preprocessing = Preprocessing::fit(train.view(), Scaling::None, Missing::Mean, None).unwrap();
    let other = dense_row(&[1.0]);
    let error = preprocessing.apply(other.view()).unwrap_err();
    let (expected, found) = (2, 1);
    assert!(
        matches!(error, Error::Shape { expected: e, found: f, .. } if (e, f) == (expected, found))
    );
}

#[test]
fn rejects_infinite_values_but_no_large_ones() {
    let fit = |values: &[f64]| -> Result<Preprocessing> {
        Preprocessing::fit(dense_column(values).view(), Scaling::Standard, Missing::Mean, None)
    };
    assert!(fit(&[f64::INFINITY, 1.0]).is_err());
    let largest = dense_column(&[f64::MAX, f64::MIN]);
    assert_eq!(applied(&largest, Scaling::Standard, &largest), [1.0, -1.0]);
    let infinite = dense_column(&[f64::NEG_INFINITY]);
    assert!(fit(&[1.0, 2.0]).unwrap().apply(infinite.view()).is_err());
}

#[test]
fn rejects_zero_training_rows() {
    let nothing = Features::Dense(Matrix::zeros(0, 3));
    assert!(Preprocessing::fit(nothing.view(), Scaling::None, Missing::Mean, None).is_err());
}

#[test]
fn rejects_inconsistent_parts() {
    let parts = [
        (vec![0.0], vec![0.0], vec![1.0, 1.0]),
        (vec![0.0], vec![], vec![1.0]),
        (vec![NAN], vec![0.0], vec![1.0]),
        (vec![0.0], vec![f64::INFINITY], vec![1.0]),
        (vec![0.0], vec![0.0], vec![0.0]),
        (vec![0.0], vec![0.0], vec![-1.0]),
    ];
    for (fill, shift, scale) in parts {
        assert!(Preprocessing::from_parts(fill, shift, scale).is_err());
    }
}
