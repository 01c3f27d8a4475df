//! Preprocessing: its effect on training rows, and that it depends on nothing else.

use mmoc::data::{
    Csr, Dataset, Features, FeaturesView, Labels, Matrix, Missing, Preprocessed, Preprocessing,
    Scaling,
};
use mmoc::train::TrainParams;
use mmoc::{Error, Result, Seed};
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
        let refused =
            Preprocessing::fit(column.view(), Scaling::None, Missing::Mean, None).unwrap_err();
        let expected = format!(
            "the largest magnitude in column 1 is {size:e}; without scaling it must be from 1e-60 to 1e60"
        );
        assert_eq!(refused.to_string(), expected);
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
    let preprocessing =
        Preprocessing::fit(train.view(), Scaling::Auto, Missing::Mean, None).unwrap();
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
    let preprocessing =
        Preprocessing::fit(train.view(), Scaling::None, Missing::Mean, None).unwrap();
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
        Preprocessing::fit(
            dense_column(values).view(),
            Scaling::Standard,
            Missing::Mean,
            None,
        )
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

/// All values row by row, including zeros that are not stored.
fn all_values(features: FeaturesView<'_>) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; features.columns()]; features.rows()];
    features.for_each_stored(|row, column, value| rows[row][column] = value);
    rows
}

/// The matrix with each row as often as its weight says.
fn repeated(matrix: &Matrix, weights: &[u8]) -> Matrix {
    let rows: Vec<usize> = (0..matrix.rows())
        .flat_map(|row| vec![row; weights[row].into()])
        .collect();
    matrix.view().select_rows(&rows)
}

fn close(one: &[f64], other: &[f64]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9)
}

proptest! {
    #[test]
    fn weighted_statistics_are_those_of_repeated_rows(
        matrix in matrix(),
        weights in prop::collection::vec(1u8..5, 20),
        missing in prop::sample::select(&Missing::ALL[..]),
        scaling in prop::sample::select(&Scaling::ALL[..]),
    ) {
        let many = repeated(&matrix, &weights);
        let weights: Vec<f64> = weights.into_iter().take(matrix.rows()).map(f64::from).collect();
        let pairs = [
            (Features::Dense(matrix.clone()), Features::Dense(many.clone())),
            (Features::Sparse(Csr::from(&matrix)), Features::Sparse(Csr::from(&many))),
        ];
        for (few, many) in pairs {
            let weighted = Preprocessing::fit(few.view(), scaling, missing, Some(&weights)).unwrap();
            let repeated = Preprocessing::fit(many.view(), scaling, missing, None).unwrap();
            prop_assert!(close(weighted.fill(), repeated.fill()));
            prop_assert!(close(weighted.shift(), repeated.shift()));
            prop_assert!(close(weighted.scale(), repeated.scale()));
            prop_assert_eq!(weighted.indicators(), repeated.indicators());
        }
    }

    #[test]
    fn equal_weights_change_no_bit(matrix in matrix(), missing in prop::sample::select(&Missing::ALL[..])) {
        let ones = vec![1.0; matrix.rows()];
        for train in [Features::Dense(matrix.clone()), Features::Sparse(Csr::from(&matrix))] {
            let fit = |weights| Preprocessing::fit(train.view(), Scaling::Standard, missing, weights).unwrap();
            prop_assert_eq!(fit(Some(&ones[..])), fit(None));
        }
    }

    #[test]
    fn scaled_columns_have_variance_one_whatever_they_are_filled_with(matrix in matrix()) {
        let train = Features::Dense(matrix);
        let preprocessing = Preprocessing::fit(train.view(), Scaling::Standard, Missing::Median, None).unwrap();
        let result = preprocessing.apply(train.view()).unwrap();
        for at in 0..preprocessing.columns() {
            if !is_constant(&column(train.view(), at)) {
                let scaled = column(result.view(), at);
                prop_assert!(mean(&scaled).abs() < 1e-9);
                prop_assert!((variance(&scaled) - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn indicators_follow_the_other_columns_which_are_those_without_indicators(
        matrix in matrix(),
        scaling in prop::sample::select(&Scaling::ALL[..]),
    ) {
        let forms = [Features::Dense(matrix.clone()), Features::Sparse(Csr::from(&matrix))];
        for train in &forms {
            let fit = |missing| Preprocessing::fit(train.view(), scaling, missing, None).unwrap();
            let (plain, with) = (fit(Missing::Mean), fit(Missing::Indicator));
            for rows in &forms {
                let result = with.apply(rows.view()).unwrap();
                let cells = all_values(plain.apply(rows.view()).unwrap().view());
                prop_assert_eq!(result.view().columns(), with.output_columns());
                for (row, found) in all_values(result.view()).iter().enumerate() {
                    let indicated = with.indicators().iter();
                    let flags = indicated.map(|&c| f64::from(u8::from(matrix[(row, c as usize)].is_nan())));
                    let expected: Vec<f64> = cells[row].iter().copied().chain(flags).collect();
                    prop_assert_eq!(found, &expected);
                }
            }
        }
    }
}

#[test]
fn columns_with_missing_cells_in_training_have_indicators() {
    let values = vec![1.0, NAN, 0.5, 0.0, NAN, NAN, 0.5, 0.0, 1.0];
    let matrix = Matrix::new(3, 3, values).unwrap();
    let new = Matrix::new(1, 3, vec![NAN, 1.0, NAN]).unwrap();
    let names: Vec<String> = ["a", "b", "c"].map(Into::into).to_vec();
    for (train, new) in [
        (
            Features::Dense(matrix.clone()),
            Features::Dense(new.clone()),
        ),
        (
            Features::Sparse(Csr::from(&matrix)),
            Features::Sparse(Csr::from(&new)),
        ),
    ] {
        let fitted =
            Preprocessing::fit(train.view(), Scaling::None, Missing::Indicator, None).unwrap();
        assert_eq!(fitted.indicators(), [1, 2]);
        assert_eq!((fitted.columns(), fitted.output_columns()), (3, 5));
        let expected = ["a", "b", "c", "b is missing", "c is missing"];
        assert_eq!(fitted.output_names(&names), expected);
        let result = fitted.apply(new.view()).unwrap();
        assert_eq!(all_values(result.view()), [[0.5, 1.0, 0.75, 0.0, 1.0]]);
        let is_sparse = |view| matches!(view, FeaturesView::Sparse(_));
        assert_eq!(is_sparse(result.view()), is_sparse(new.view()));
    }
}

#[test]
fn rows_that_miss_nothing_have_indicators_of_zero() {
    let train = dense_column(&[0.5, NAN]);
    let fitted = Preprocessing::fit(train.view(), Scaling::None, Missing::Indicator, None).unwrap();
    let whole = dense_column(&[0.25]);
    let result = fitted.apply(whole.view()).unwrap();
    assert_eq!(all_values(result.view()), [[0.25, 0.0]]);
    let no_rows = Features::Sparse(Csr::new(1, vec![0], vec![], vec![]).unwrap());
    let result = fitted.apply(no_rows.view()).unwrap();
    assert_eq!((result.view().rows(), result.view().columns()), (0, 2));
}

#[test]
fn a_column_without_any_cell_is_filled_with_zeros() {
    for missing in Missing::ALL {
        let train = dense_column(&[NAN, NAN]);
        let fitted = Preprocessing::fit(train.view(), Scaling::Standard, missing, None).unwrap();
        assert_eq!((fitted.fill(), fitted.scale()), (&[0.0][..], &[1.0][..]));
        let filled = all_values(fitted.apply(train.view()).unwrap().view());
        assert!(filled.iter().all(|row| row[0] == 0.0));
    }
}

#[test]
fn each_row_needs_a_weight() {
    let train = dense_column(&[1.0, 2.0]);
    let fit = |weights: &[f64]| {
        Preprocessing::fit(train.view(), Scaling::None, Missing::Mean, Some(weights))
    };
    assert!(fit(&[1.0, 2.0]).is_ok());
    assert!(fit(&[1.0]).is_err());
}

/// Rows of noise whose second feature is missing exactly where they carry the first label.
fn informative(sparse: bool) -> Dataset {
    let mut stream = Seed::new(1).stream();
    let x = Matrix::from_fn(120, 2, |row, column| match (row % 3, column) {
        (0, 1) => NAN,
        _ => stream.gaussian(),
    });
    let features = if sparse {
        Features::Sparse(Csr::from(&x))
    } else {
        Features::Dense(x)
    };
    let labels = Labels::from_fn(120, 2, |row, label| row % (3 - label) == 0);
    let names = |names: [&str; 2]| names.map(Into::into).to_vec();
    Dataset::new("d", features, labels, names(["a", "b"]), names(["l", "m"])).unwrap()
}

#[test]
fn with_indicators_a_missing_cell_can_decide() {
    for sparse in [false, true] {
        let dataset = informative(sparse);
        let right = |method: &str, missing| {
            let params = TrainParams::of(method.parse().unwrap()).missing(missing);
            let found = params.fit(&dataset).unwrap().label_sets(&dataset).unwrap();
            let is_right = |&row: &usize| found.contains(row, 0) == (row % 3 == 0);
            (0..120).filter(is_right).count()
        };
        assert_eq!(right("br", Missing::Indicator), 120);
        assert_eq!(right("max-margin", Missing::Indicator), 120);
        // Terms of max-margin that are not linear can find the mean among other numbers.
        assert!(right("br", Missing::Mean) < 110);
    }
}
