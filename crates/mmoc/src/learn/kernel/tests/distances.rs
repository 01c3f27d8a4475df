use proptest::prelude::*;

use super::*;
use crate::learn::kernel::centres::Centres;
use crate::learn::kernel::radial_basis::{RadialBasis, by_blocks};

fn kernel(train: FeaturesView<'_>, gamma: f64) -> RadialBasis {
    let preparation = Preparation::of(train, None).unwrap();
    let centres = Centres::new(preparation, train).unwrap();
    RadialBasis { centres, gamma }
}

proptest! {
    #[test]
    fn kernel_values_are_those_of_the_definition(
        rows in 2usize..150, new in 0usize..150, columns in 2usize..12, gamma in 0.01f64..3.0, seed: u64
    ) {
        let pairs = both_kinds(rows, columns, seed).into_iter().zip(both_kinds(new, columns, seed ^ 1));
        for (train, x) in pairs {
            let kernel = kernel(train.view(), gamma);
            for x in [&x, &train] {
                let expected = kernel_by_definition(train.view(), x.view(), gamma);
                assert_close(&kernel.values(x.view()).unwrap(), &expected, 1e-10);
            }
        }
    }
}

#[test]
fn rows_have_the_same_values_whether_they_come_dense_or_sparse() {
    for train in both_kinds(20, 6, 3) {
        let kernel = kernel(train.view(), 0.2);
        let dense = to_dense(sparse_rows(9, 6, 4).view());
        let sparse = Features::Sparse(Csr::from(&dense));
        let dense = Features::Dense(dense);
        assert_eq!(
            kernel.values(dense.view()).unwrap(),
            kernel.values(sparse.view()).unwrap()
        );
    }
}

#[test]
fn a_stored_zero_is_no_entry() {
    let with_zeros = |values: Vec<f64>| {
        Features::Sparse(Csr::new(2, vec![0, 2, 4, 4], vec![0, 1, 0, 1], values).unwrap())
    };
    let train = with_zeros(vec![3.0, 4.0, 0.0, 0.0]);
    let found = kernel(train.view(), 1.0).values(train.view()).unwrap();
    let far = (-1.0f64).exp();
    let expected = [1.0, far, far, far, 1.0, 1.0, far, 1.0, 1.0];
    assert_close(
        &found,
        &Matrix::new(3, 3, expected.to_vec()).unwrap(),
        1e-15,
    );
}

#[test]
fn a_change_of_a_constant_column_or_of_units_changes_nothing() {
    let Features::Dense(train) = dense_rows(30, 4, 5) else {
        unreachable!("dense rows")
    };
    let Features::Dense(x) = dense_rows(7, 4, 6) else {
        unreachable!("dense rows")
    };
    let changed = |x: &Matrix, constant: f64| {
        Features::Dense(Matrix::from_fn(x.rows(), 4, |i, k| match k {
            1 => constant,
            2 => 1e-3 * x[(i, k)] + 5.0,
            _ => x[(i, k)],
        }))
    };
    let expected = kernel(Features::Dense(train.clone()).view(), 0.1)
        .values(Features::Dense(x.clone()).view())
        .unwrap();
    let found = kernel(changed(&train, 3.0).view(), 0.1)
        .values(changed(&x, 1e6).view())
        .unwrap();
    assert_close(&found, &expected, 1e-9);
}

#[test]
fn far_rows_have_no_kernel_and_rows_with_nan_have_nan() {
    for train in both_kinds(70, 3, 8) {
        let mut x = to_dense(train.view());
        x.row_mut(0).copy_from_slice(&[1e300, -1e300, 1e300]);
        x.row_mut(5).copy_from_slice(&[f64::NAN, 1.0, 1.0]);
        let dense = Features::Dense(x);
        let found = kernel(train.view(), 0.5).values(dense.view()).unwrap();
        let finite_and_at_most_one = |row: usize| found.row(row).iter().all(|v| *v <= 1.0);
        assert!((0..70).all(|row| (row == 5) != finite_and_at_most_one(row)));
        assert!(found.row(5).iter().all(|value| value.is_nan()));
        if let Features::Dense(_) = train {
            assert!(found.row(0).iter().all(|value| *value < 1e-300));
        }
    }
}

#[test]
fn every_row_is_in_one_block_whatever_its_size() {
    for (rows, values_per_row) in [
        (0, 1),
        (1, 1),
        (64, 10),
        (200, 10),
        (130, 1 << 15),
        (9, 1 << 30),
    ] {
        let numbered = |rows: std::ops::Range<usize>| {
            let first = rows.start;
            Ok(Matrix::from_fn(rows.len(), 2, |i, k| {
                (2 * (first + i) + k) as f64
            }))
        };
        let found = by_blocks(rows, 2, values_per_row, numbered).unwrap();
        assert_eq!(found, Matrix::from_fn(rows, 2, |i, k| (2 * i + k) as f64));
    }
}

#[test]
fn rows_of_other_columns_are_refused() {
    for train in both_kinds(10, 4, 1) {
        let kernel = kernel(train.view(), 1.0);
        assert!(kernel.values(dense_rows(3, 5, 1).view()).is_err());
        assert!(kernel.values(sparse_rows(3, 3, 1).view()).is_err());
    }
}
