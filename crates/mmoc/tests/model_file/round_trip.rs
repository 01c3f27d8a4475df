//! Loading restores a saved model bitwise.

use mmoc::Model;
use mmoc::Silent;
use mmoc::data::{Dataset, Features, Matrix, Scaling};
use mmoc::learn::PenaltyGrid;
use mmoc::method::Predictor;
use mmoc::metrics::Metric;
use mmoc::model_file::is_model_file;
use mmoc::train::TrainParams;
use mmoc::{RowsWithEvidence, with_threads};
use proptest::prelude::*;
use safetensors::{Dtype, SafeTensors};

use super::{VARIANTS, bits, bytes, data, moderate, params, train, with_given};

fn assert_the_same(again: &Model, trained: &Model, new: &Dataset, what: &str) {
    assert_eq!(again.params(), trained.params(), "{what}");
    assert_eq!(again.schema(), trained.schema(), "{what}");
    assert_eq!(again.preprocessing(), trained.preprocessing(), "{what}");
    assert_eq!(again.record(), trained.record(), "{what}");
    let model = (again.predictor(), trained.predictor());
    assert_eq!(model.0.outputs(), model.1.outputs(), "{what}");
    let report = |model: &Predictor| model.code().map(|code| code.report.clone());
    assert_eq!(report(model.0), report(model.1), "{what}");
    let predicted = |trained: &Model| trained.predict(new.features().view()).unwrap();
    assert_eq!(bits(&predicted(again)), bits(&predicted(trained)), "{what}");
    let sets = again.label_sets(new.features().view()).unwrap();
    assert_eq!(sets, predicted(trained).labels, "{what}");
}

#[test]
fn every_method_in_every_variant_round_trips() {
    let (dataset, new) = (data(50, 5, 4, false, 1), data(30, 5, 4, false, 2));
    for variant in VARIANTS {
        let trained = train(&params(variant), &dataset);
        let written = bytes(&trained);
        let again = Model::read(&written[..], "m").unwrap();
        assert_the_same(&again, &trained, &new, &format!("{variant:?}"));
        assert_eq!(bytes(&again), written, "{variant:?}");
    }
}

#[test]
fn terms_from_outside_round_trip_without_their_evidence() {
    let dataset = data(50, 5, 4, false, 1);
    let (trained, evidence) = with_given(&dataset);
    let written = bytes(&trained);
    let again = Model::read(&written[..], "m").unwrap();
    assert_eq!(bytes(&again), written);
    assert_eq!(again.record(), trained.record());
    assert_eq!(again.given_evidence(), trained.given_evidence());
    let rows = RowsWithEvidence {
        rows: &dataset,
        evidence: &evidence,
    };
    let predicted = |model: &Model| bits(&model.predict(rows).unwrap());
    assert_eq!(predicted(&again), predicted(&trained));
    let refused = again.predict(&dataset).unwrap_err().to_string();
    assert!(
        refused.contains("the evidence 'boosting', 'trees'"),
        "{refused}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_data_and_parameters_round_trip(
        variant in 0..VARIANTS.len(),
        rows in 6usize..40,
        columns in 1usize..8,
        labels in 1usize..6,
        sparse: bool,
        scaling in 0usize..3,
        seed: u64,
    ) {
        let dataset = data(rows, columns, labels, sparse, seed);
        let new = data(9, columns, labels, sparse, !seed);
        let params = TrainParams {
            scaling: Scaling::ALL[scaling],
            seed,
            ..params(VARIANTS[variant])
        };
        let trained = train(&params, &dataset);
        let again = Model::read(&bytes(&trained)[..], "m").unwrap();
        assert_the_same(&again, &trained, &new, &format!("{:?}", VARIANTS[variant]));
    }
}

#[test]
fn files_and_streams_load_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a model.mmoc");
    let dataset = data(40, 5, 4, true, 1);
    let trained = train(&params(("coding-cca", &[])), &dataset);
    trained.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes(&trained));
    assert_the_same(&Model::load(&path).unwrap(), &trained, &dataset, "file");
    assert!(is_model_file(&path));
    let other = folder.path().join("other");
    for content in [&b""[..], b"a,b\n1,2\n", &[0; 100], b"12345678{\"a\": 1}"] {
        std::fs::write(&other, content).unwrap();
        assert!(!is_model_file(&other));
    }
    assert!(!is_model_file(folder.path()) && !is_model_file(folder.path().join("none")));
}

#[test]
fn missing_cells_are_filled_in_after_loading() {
    let dataset = data(40, 5, 3, false, 4);
    let trained = train(&params(("br", &[])), &dataset);
    let again = Model::read(&bytes(&trained)[..], "m").unwrap();
    let holes = Features::Dense(Matrix::from_fn(6, 5, |i, j| {
        if (i + j) % 2 == 0 { f64::NAN } else { 1.0 }
    }));
    let [a, b] = [&trained, &again].map(|trained| trained.predict(holes.view()).unwrap());
    assert_eq!(bits(&a), bits(&b));
}

#[test]
fn the_same_training_gives_the_same_bytes_on_any_number_of_threads() {
    let dataset = data(60, 12, 5, false, 5);
    for variant in VARIANTS {
        let params = params(variant);
        let on = |threads| with_threads(threads, || bytes(&train(&params, &dataset))).unwrap();
        let one = on(1);
        assert!(one == on(2) && one == on(3), "{variant:?}");
    }
    let with_seed = |seed| {
        let params = TrainParams {
            seed,
            ..params(("coding-cs", &[]))
        };
        bytes(&train(&params, &dataset))
    };
    assert_ne!(with_seed(1), with_seed(2));
}

#[test]
fn parameters_without_a_text_form_are_kept() {
    let mut params = params(("coding-pca-r", &[]));
    params.base.ridge.penalties = PenaltyGrid::absolute(vec![0.1, 7.0]).unwrap();
    params.base.logistic.tolerance = 1e-5;
    params.base.logistic.penalty = Some(1.0 / 3.0);
    params.seed = u64::MAX;
    let trained = train(&params, &data(30, 3, 2, false, 6));
    let again = Model::read(&bytes(&trained)[..], "m").unwrap();
    assert_eq!(again.params(), &params);
}

#[test]
fn any_names_round_trip() {
    let plain = data(30, 2, 2, false, 7);
    let odd = vec!["\"quoted\"\n\u{0}".into(), "<b>é…\u{202e}".into()];
    let labels = vec!["../../x; rm".into(), String::new()];
    let features = plain.features().clone();
    let dataset = Dataset::new("d\\\"", features, plain.labels().clone(), odd, labels).unwrap();
    let trained = train(&params(("br", &[])), &dataset);
    let again = Model::read(&bytes(&trained)[..], "m").unwrap();
    assert_eq!(again.schema(), &dataset.schema());
    assert_eq!(again.record().dataset, "d\\\"");
}

#[test]
fn many_labels_round_trip() {
    let dataset = data(40, 3, 700, false, 8);
    for name in ["br", "coding-cs", "coding-pca-r"] {
        let mut params = params((name, &[]));
        params.base.logistic.penalty = Some(0.1);
        let trained = train(&params, &dataset);
        let again = Model::read(&bytes(&trained)[..], "m").unwrap();
        assert_the_same(&again, &trained, &dataset, name);
    }
}

#[test]
fn the_safetensors_library_reads_the_same_tensors() {
    let written = moderate();
    let trained = Model::read(&written[..], "m").unwrap();
    let file = SafeTensors::deserialize(&written).unwrap();
    let (_, header) = SafeTensors::read_metadata(&written).unwrap();
    let words = header.metadata().as_ref().unwrap();
    assert_eq!(words.keys().collect::<Vec<_>>(), ["mmoc"]);
    let description: serde_json::Value = serde_json::from_str(&words["mmoc"]).unwrap();
    assert_eq!(description["method"], "max-margin");
    assert_eq!(description["record"]["rows"], 60);
    let coefficients = file.tensor("outputs.coefficients").unwrap();
    let expected = trained.predictor().outputs().coefficients();
    assert_eq!(coefficients.dtype(), Dtype::F64);
    assert_eq!(coefficients.shape(), [expected.rows(), expected.columns()]);
    let bytes: Vec<u8> = expected
        .values()
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(coefficients.data(), bytes);
    // Aligned, as tools that map files into memory require.
    assert_eq!(
        (coefficients.data().as_ptr() as usize - written.as_ptr() as usize) % 8,
        0
    );
    assert_eq!(file.tensor("sha256").unwrap().shape(), [32]);
}

#[test]
fn the_record_describes_the_training() {
    let dataset = data(60, 5, 4, false, 9);
    for variant in VARIANTS {
        let trained = train(&params(variant), &dataset);
        let record = trained.record();
        let sizes = (record.rows, record.columns, record.labels);
        assert_eq!(sizes, (60, 5, 4), "{variant:?}");
        assert_eq!(record.scaling, Scaling::Standard);
        assert_eq!(record.fingerprint, mmoc::train::fingerprint(dataset.view()));
        assert_eq!(record.base_models, trained.params().method.base_models(4));
        let (name, settings) = variant;
        let projections_alone = ["coding-cs", "coding-pca"].contains(&name)
            || settings.contains(&"lambda=0")
            || settings.contains(&"classifiers=false");
        // Only the models that the terms need are learnt.
        let has_models = !settings.contains(&"terms=forest");
        let classifiers = if projections_alone || !has_models {
            0
        } else {
            4
        };
        assert_eq!(
            record.penalties.classifiers.len(),
            classifiers,
            "{variant:?}"
        );
        assert_eq!(record.logistic.is_some(), classifiers > 0, "{variant:?}");
        let coded = has_models && !["br", "clr", "lead"].contains(&name);
        assert_eq!(record.code.is_some(), coded, "{variant:?}");
        assert!(record.estimates[&Metric::SubsetAccuracy] <= 1.0);
        assert!(record.estimates.contains_key(&Metric::MacroAuc));
    }
}

#[test]
fn progress_reports_stages() {
    use std::sync::Mutex;
    struct Heard(Mutex<Vec<String>>);
    impl mmoc::Progress for Heard {
        fn begin(&self, total: usize) {
            self.0.lock().unwrap().push(format!("of {total}"));
        }
        fn advance(&self) {
            self.0.lock().unwrap().push("done".into());
        }
        fn stage(&self, name: &str) {
            self.0.lock().unwrap().push(name.into());
        }
    }
    let heard = Heard(Mutex::new(Vec::new()));
    let dataset = data(20, 2, 2, false, 1);
    params(("br", &[])).train(dataset.view(), &heard).unwrap();
    let expected = [
        "of 3",
        "scaling the features",
        "done",
        "fitting the models",
        "factorising the features",
        "fitting the classifiers",
        "done",
        "estimating from held-out rows",
        "done",
    ];
    assert_eq!(*heard.0.lock().unwrap(), expected);
}

#[test]
fn a_batch_has_as_many_rows_as_fit_in_memory() {
    let rows = |columns, sparse| {
        let dataset = data(6, columns, 2, sparse, 1);
        train(&params(("br", &[])), &dataset).batch_rows()
    };
    assert_eq!(rows(3, false), 4096);
    assert_eq!(rows(1000, false), (1 << 20) / 1002);
    assert_eq!(rows(1000, true), 4096);
}

#[test]
fn rejects_invalid_parameters_and_too_few_rows() {
    let mut params = params(("br", &[]));
    assert!(
        params
            .train(data(1, 2, 2, false, 1).view(), &Silent)
            .is_err()
    );
    params.base.logistic.folds = 1;
    assert!(
        params
            .train(data(9, 2, 2, false, 1).view(), &Silent)
            .is_err()
    );
}
