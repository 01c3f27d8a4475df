use proptest::prelude::*;

use super::*;
use crate::learn::LinearModel;
use crate::learn::kernel::KernelModel;
use crate::model_file::{TensorReader, TensorWriter, read_back};

const NAME: &str = "outputs";

fn model(x: &Features) -> KernelModel {
    let map = fit(x, 0.3, &some_centres(8)).map;
    let functions = LinearModel::new(random(map.count(), 3, 1), vec![1.0, 2.0, 3.0]).unwrap();
    map.compose(&functions).unwrap()
}

fn written(model: &KernelModel) -> TensorReader {
    let mut file = TensorWriter::default();
    model.store(NAME, &mut file);
    read_back(file)
}

/// Changes one tensor.
fn damage(
    tensors: &mut TensorReader,
    name: &str,
    mut change: impl FnMut(&mut Vec<usize>, &mut Vec<f64>),
) {
    tensors.damage(|own, shape, values| {
        if own == name {
            change(shape, values);
        }
    });
}

#[test]
fn what_is_written_is_read() {
    for x in both_kinds(20, 6, 3) {
        let model = model(&x);
        let mut tensors = written(&model);
        let restored = KernelModel::restore(NAME, &mut tensors, 6).unwrap();
        assert_eq!(restored, model);
        assert!(tensors.finish().is_ok());
        let predict = |model: &KernelModel| model.predict(x.view()).unwrap();
        assert_eq!(predict(&restored), predict(&model));
    }
}

#[test]
fn files_for_other_columns_are_refused() {
    for x in both_kinds(20, 6, 3) {
        // A sparse file of more columns than are used is one of these columns.
        assert!(KernelModel::restore(NAME, &mut written(&model(&x)), 5).is_err());
    }
    let dense = model(&dense_rows(20, 6, 3));
    assert!(KernelModel::restore(NAME, &mut written(&dense), 7).is_err());
}

#[test]
fn every_tensor_is_needed_with_its_shape() {
    for x in both_kinds(20, 6, 3) {
        let model = model(&x);
        let names = written(&model).names();
        for name in names {
            let mut tensors = written(&model).without(&name);
            assert!(
                KernelModel::restore(NAME, &mut tensors, 6).is_err(),
                "{name}"
            );
            let mut tensors = written(&model);
            damage(&mut tensors, &name, |shape, values| {
                *shape = vec![1, values.len()];
            });
            assert!(
                KernelModel::restore(NAME, &mut tensors, 6).is_err(),
                "{name}"
            );
            let mut tensors = written(&model);
            damage(&mut tensors, &name, |shape, values| {
                values.push(0.0);
                *shape = vec![values.len()];
            });
            assert!(
                KernelModel::restore(NAME, &mut tensors, 6).is_err(),
                "{name}"
            );
        }
    }
}

#[test]
fn numbers_that_no_model_has_are_refused() {
    let [dense, sparse] = both_kinds(20, 6, 3).map(|x| model(&x));
    let cases = [
        (&dense, "gamma", vec![0.0, -1.0, f64::NAN, f64::INFINITY]),
        (&dense, "scale", vec![-1.0, f64::NAN, f64::INFINITY]),
        (&dense, "shift", vec![f64::NAN, f64::INFINITY]),
        (&dense, "centres", vec![f64::NAN, 1e200, -1e101]),
        (&dense, "coefficients", vec![f64::NAN, f64::INFINITY]),
        (&dense, "intercepts", vec![f64::NAN, f64::INFINITY]),
        (
            &sparse,
            "offsets",
            vec![1.0, -1.0, 0.5, 1e300, 7e9, f64::NAN],
        ),
        (
            &sparse,
            "indices",
            vec![6.0, -1.0, 0.5, 4_294_967_295.0, 1e18],
        ),
        (&sparse, "values", vec![1.1, -7.0, f64::NAN, 1e200]),
    ];
    for (model, part, numbers) in cases {
        for number in numbers {
            let mut tensors = written(model);
            let name = format!("{NAME}.{part}");
            damage(&mut tensors, &name, |_, values| values[0] = number);
            let found = KernelModel::restore(NAME, &mut tensors, 6);
            assert!(found.is_err(), "{part}: {number}");
        }
    }
}

/// Numbers that break careless readers.
fn hostile() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        (-3..40i32).prop_map(f64::from),
        Just(1e300),
        Just(4_294_967_296.0),
        Just(-0.0)
    ]
}

proptest! {
    #[test]
    fn any_damage_is_refused_or_harmless(
        kind in 0usize..2, tensor: prop::sample::Index, place: prop::sample::Index, number in hostile(),
        sizes in prop::collection::vec(0usize..30, 0..3), resized: bool
    ) {
        let x = &both_kinds(20, 6, 3)[kind];
        let mut tensors = written(&model(x));
        let names = tensors.names();
        let name: &String = tensor.get(&names);
        damage(&mut tensors, name, |shape, values| {
            if resized {
                values.resize(sizes.iter().product(), number);
                shape.clone_from(&sizes);
            } else {
                *place.get_mut(values) = number;
            }
        });
        if let Ok(restored) = KernelModel::restore(NAME, &mut tensors, 6) {
            let predicted = restored.predict(x.view()).unwrap();
            prop_assert_eq!((predicted.rows(), predicted.columns()), (20, restored.outputs()));
        }
    }
}
