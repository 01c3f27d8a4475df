//! Models of rows with missing cells.

use mmoc::Model;
use mmoc::data::{Csr, Dataset, Features, Matrix, Missing};
use mmoc::train::TrainParams;
use serde_json::json;

use super::opened::{Opened, integers, numbers};
use super::{VARIANTS, bits, bytes, data, params, train};

const INDICATORS: &str = "preprocessing.indicators";

/// The data set without some cells of the second column and the last one.
fn with_holes(dataset: &Dataset, sparse: bool) -> Dataset {
    let columns = dataset.feature_names().len();
    let mut x = Matrix::zeros(dataset.rows(), columns);
    let features = dataset.features().view();
    features.for_each_stored(|row, column, value| x[(row, column)] = value);
    for row in 0..dataset.rows() {
        let of_label = dataset.labels().contains(row, 0);
        let at = if of_label { 1 } else { columns - 1 };
        if row % 3 > 0 {
            x[(row, at)] = f64::NAN;
        }
    }
    let features = if sparse {
        Features::Sparse(Csr::from(&x))
    } else {
        Features::Dense(x)
    };
    let (columns, labels) = (dataset.feature_names(), dataset.label_names());
    let (columns, labels) = (columns.to_vec(), labels.to_vec());
    Dataset::new("holes", features, dataset.labels().clone(), columns, labels).unwrap()
}

#[test]
fn every_method_keeps_how_missing_cells_are_filled_in() {
    for sparse in [false, true] {
        let dataset = with_holes(&data(50, 5, 4, sparse, 1), sparse);
        let new = with_holes(&data(30, 5, 4, sparse, 2), sparse);
        for (index, variant) in VARIANTS.into_iter().enumerate() {
            let missing = Missing::ALL[1 + index % 2];
            let params = params(variant).missing(missing);
            let trained = train(&params, &dataset);
            let written = bytes(&trained);
            let again = Model::read(&written[..], "m").unwrap();
            assert_eq!(again.params(), trained.params());
            assert_eq!(again.preprocessing(), trained.preprocessing());
            let predicted = |model: &Model| bits(&model.predict(new.features()).unwrap());
            assert_eq!(predicted(&again), predicted(&trained), "{variant:?}");
            assert_eq!(bytes(&again), written, "{variant:?}");
        }
    }
}

fn file(missing: Missing) -> Opened {
    let dataset = with_holes(&data(40, 3, 4, false, 1), false);
    let params: TrainParams = params(("br", &[])).missing(missing);
    Opened::new(&bytes(&train(&params, &dataset)))
}

#[test]
fn files_mention_only_what_is_unusual() {
    for missing in Missing::ALL {
        let file = file(missing);
        let is_mean = missing == Missing::Mean;
        assert_eq!(file.description.get("missing").is_none(), is_mean);
        let has_indicators = missing == Missing::Indicator;
        assert_eq!(file.tensors.contains_key(INDICATORS), has_indicators);
    }
    let whole = train(
        &params(("br", &[])).missing(Missing::Indicator),
        &data(40, 3, 4, false, 1),
    );
    assert!(!Opened::new(&bytes(&whole)).tensors.contains_key(INDICATORS));
}

#[test]
fn rejects_indicators_that_cannot_be() {
    type Change = fn(&mut Opened);
    let cases: [(Change, &str); 10] = [
        (
            |file| *file.tensor(INDICATORS) = integers(&[2, 1]),
            "indicators of ascending columns below 3, found 1 after 2",
        ),
        (
            |file| *file.tensor(INDICATORS) = integers(&[1, 1]),
            "indicators of ascending columns below 3, found 1 after 1",
        ),
        (
            |file| *file.tensor(INDICATORS) = integers(&[1, 3]),
            "indicators of ascending columns below 3, found 3",
        ),
        (
            |file| *file.tensor(INDICATORS) = integers(&[1, u32::MAX]),
            "found 4294967295",
        ),
        (
            |file| *file.tensor(INDICATORS) = integers(&[]),
            "only if a column has an indicator, found an empty tensor",
        ),
        (
            |file| *file.tensor(INDICATORS) = integers(&[1]),
            "'outputs.coefficients' of shape [4, any], found [5, 4]",
        ),
        (
            |file| *file.tensor(INDICATORS) = numbers(&[2], &[1.0, 2.0]),
            "'preprocessing.indicators' to be U32, found F64",
        ),
        (
            |file| file.remove(INDICATORS),
            "'outputs.coefficients' of shape [3, any], found [5, 4]",
        ),
        (
            |file| file.description["missing"] = json!("median"),
            "'outputs.coefficients' of shape [3, any], found [5, 4]",
        ),
        (
            |file| file.description["missing"] = json!("mode"),
            "unknown variant `mode`",
        ),
    ];
    let good = file(Missing::Indicator);
    Model::read(&good.sealed()[..], "m").unwrap();
    for (change, expected) in cases {
        let mut changed = good.clone();
        change(&mut changed);
        let message = Model::read(&changed.sealed()[..], "m.mmoc")
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let mut superfluous = file(Missing::Median);
    superfluous.put(INDICATORS, integers(&[1]));
    let message = Model::read(&superfluous.sealed()[..], "m.mmoc")
        .unwrap_err()
        .to_string();
    assert!(message.contains("no tensors but those"), "{message}");
}
