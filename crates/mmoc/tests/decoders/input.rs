//! Invalid inputs of decoders, and the smallest valid ones.

use mmoc::data::Matrix;
use mmoc::decode::{BackProjection, CoSaMp, Inference, Joint, L1};
use mmoc::{Error, Prediction};

#[test]
fn wrong_sizes_are_errors() {
    let v = Matrix::zeros(3, 2);
    let (two, three) = (Matrix::zeros(5, 2), Matrix::zeros(5, 3));
    let is_shape = |result: mmoc::Result<Prediction>| matches!(result, Err(Error::Shape { .. }));
    assert!(is_shape(
        BackProjection::new(&v, &[0.0; 3]).unwrap().decode(&three)
    ));
    assert!(is_shape(
        BackProjection::new(&v, &[0.0; 2]).and_then(|decoder| decoder.decode(&two))
    ));
    assert!(is_shape(CoSaMp::new(&v, 1).unwrap().decode(&three)));
    assert!(is_shape(L1::new(&v, 1.0).unwrap().decode(&three)));
    let joint = Joint::new(&v, &[1.0, 1.0], 1.0, Inference::Auto).unwrap();
    assert!(is_shape(joint.decode(&three, &three)));
    assert!(is_shape(joint.decode(&two, &two)));
    assert!(is_shape(joint.decode(&two, &Matrix::zeros(4, 3))));
    let noise = Joint::new(&v, &[1.0], 1.0, Inference::Auto);
    assert!(matches!(noise, Err(Error::Shape { .. })));
}

#[test]
fn parameters_outside_of_their_range_are_errors() {
    let v = Matrix::from_fn(3, 1, |_, _| 1.0);
    let bad = Matrix::from_fn(3, 1, |_, _| f64::NAN);
    let joint =
        |v: &Matrix, noise: f64, lambda: f64| Joint::new(v, &[noise], lambda, Inference::Auto);
    let is_parameter = |error: Option<Error>| matches!(error, Some(Error::Parameter { .. }));
    for number in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(is_parameter(joint(&v, number, 1.0).err()));
        assert!(is_parameter(joint(&v, 1.0, number).err()));
        assert!(is_parameter(L1::new(&v, number).err()));
    }
    assert!(is_parameter(CoSaMp::new(&v, 0).err()));
    assert!(is_parameter(CoSaMp::new(&bad, 1).err()));
    assert!(is_parameter(L1::new(&bad, 1.0).err()));
    assert!(is_parameter(joint(&bad, 1.0, 1.0).err()));
    let (fine, not_a_number) = (Matrix::zeros(1, 3), bad.view().select_rows(&[0]));
    assert!(is_parameter(
        CoSaMp::new(&v, 1).unwrap().decode(&not_a_number).err()
    ));
    assert!(is_parameter(
        joint(&v, 1.0, 1.0)
            .unwrap()
            .decode(&not_a_number, &fine)
            .err()
    ));
    let odds = Matrix::from_fn(1, 3, |_, _| f64::NAN);
    assert!(is_parameter(
        joint(&v, 1.0, 1.0)
            .unwrap()
            .decode(&Matrix::zeros(1, 1), &odds)
            .err()
    ));
}

#[test]
fn zero_rows_and_zero_labels_are_accepted() {
    for (n, q, d) in [(0, 3, 2), (4, 0, 2), (4, 0, 0), (0, 0, 0)] {
        let (v, z, l) = (
            Matrix::zeros(q, d),
            Matrix::zeros(n, d),
            Matrix::zeros(n, q),
        );
        let joint = Joint::new(&v, &vec![1.0; d], 1.0, Inference::Auto).unwrap();
        for found in [
            joint.decode(&z, &l).unwrap(),
            CoSaMp::new(&v, 1).unwrap().decode(&z).unwrap(),
            L1::new(&v, 1.0).unwrap().decode(&z).unwrap(),
            BackProjection::new(&v, &vec![0.0; q])
                .unwrap()
                .decode(&z)
                .unwrap(),
        ] {
            assert_eq!((found.labels.rows(), found.labels.count()), (n, q));
        }
    }
}
