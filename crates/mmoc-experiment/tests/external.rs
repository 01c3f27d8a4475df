//! Predictions of other programs stand beside methods, with their scores and nothing else.

use std::collections::BTreeMap;

use mmoc::data::{Dataset, Features, Labels, Matrix, Missing, Scaling};
use mmoc::learn::BaseParams;
use mmoc::metrics::Metric;
use mmoc::{Prediction, Seed, Silent};
use mmoc_experiment::{
    Design, Entrant, Error, Experiment, ExternalPrediction, FileEntry, InputDataset, Protocol,
    Results, RunParams, RunPrediction, Runs, Seconds, Shard, TestRows, text, write_report,
};

fn songs(rows: std::ops::Range<usize>) -> Dataset {
    let first = rows.start;
    let features = Matrix::from_fn(rows.len(), 2, |i, j| {
        f64::from((((first + i) * (j + 3)) % 11) as u8)
    });
    let sets = Labels::from_fn(rows.len(), 2, |i, j| features[(i, j)] > 5.0);
    let names = |names: [&str; 2]| names.map(String::from).to_vec();
    let (feature_names, label_names) = (names(["tempo", "key"]), names(["happy", "calm"]));
    let features = Features::Dense(features);
    Dataset::new("songs", features, sets, feature_names, label_names).unwrap()
}

fn input() -> InputDataset {
    InputDataset {
        test: Some(TestRows::new(songs(40..55))),
        ..InputDataset::new(songs(0..40))
    }
}

fn external(labels: Labels) -> Entrant {
    let prediction = Prediction {
        labels,
        scores: None,
        probabilities: None,
        confidence: None,
    };
    let file = FileEntry {
        name: "theirs.csv".into(),
        sha256: "0".repeat(64),
    };
    Entrant::external("theirs", vec![ExternalPrediction { file, prediction }])
}

fn design(entrant: Entrant) -> Design {
    let methods = vec!["br".parse().unwrap()];
    let mut design = Design::new(methods, Protocol::PublishedSplit);
    design.entrants.push(entrant);
    design
}

fn truth() -> Labels {
    songs(40..55).labels().clone()
}

#[test]
fn their_scores_are_shown_without_times_base_models_and_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = Experiment::new(design(external(truth())), vec![input()]).unwrap();
    let shard = Shard::WHOLE;
    experiment.run_in(folder.path(), shard, &Silent).unwrap();
    let results = Results::read(folder.path()).unwrap();
    assert!(results.is_complete());
    assert_eq!(results.records()[1].results.seconds, None);

    let summary = results.summary().unwrap();
    let own = &summary.datasets[0].methods[1];
    assert_eq!((own.name(), own.title()), ("theirs", "theirs"));
    assert_eq!((own.base_models, own.seconds), (None, None));
    let accuracy = own.metric(Metric::SubsetAccuracy).unwrap();
    assert_eq!(accuracy.mean.mean, 1.0);
    assert!(own.metric(Metric::LogLoss).is_none());
    let manifest = &results.manifest().methods[1];
    assert_eq!(manifest.parameters, BTreeMap::new());
    assert_eq!(manifest.external.as_ref().unwrap()[0].name, "theirs.csv");

    let written = text::comparison(&summary, text::Emphasis::Plain);
    assert!(written.contains("theirs (–)"), "{written}");
    let written = text::evaluation(&summary, true);
    assert!(written.contains("theirs, published split"), "{written}");
    write_report(&summary, folder.path()).unwrap();
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("theirs.csv, predictions of theirs"));
}

#[test]
fn a_record_has_times_if_and_only_if_a_method_was_run() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = Experiment::new(design(external(truth())), vec![input()]).unwrap();
    experiment
        .run_in(folder.path(), Shard::WHOLE, &Silent)
        .unwrap();
    let path = folder.path().join("results.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"fit_seconds\"", "\"seconds\""),
        (
            "\"method\":\"theirs\"",
            "\"method\":\"theirs\",\"fit_seconds\":1,\"own_seconds\":1,\"predict_seconds\":1",
        ),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = Results::read(folder.path()).unwrap_err();
        assert!(matches!(error, Error::Record { .. }), "{error}");
    }
}

#[test]
fn predictions_must_be_for_the_test_rows_and_their_labels() {
    let refused = |entrant: Entrant, protocol: Protocol, input: InputDataset| {
        let mut design = design(entrant);
        design.protocol = protocol;
        let error = Experiment::new(design, vec![input]).unwrap_err();
        assert!(matches!(error, Error::ExternalRows(name) if name == "theirs"));
    };
    let published = Protocol::PublishedSplit;
    refused(external(songs(40..54).labels().clone()), published, input());
    refused(
        external(Labels::from_fn(15, 3, |_, _| true)),
        published,
        input(),
    );
    let folds = Protocol::cross_validation(2);
    refused(external(truth()), folds, InputDataset::new(songs(0..40)));
}

const SECONDS: Seconds = Seconds {
    fit: 2.0,
    own: 2.0,
    predict: 1.0,
};

/// A model of the caller that is always right, in the first runs of three-fold cross-validation with seed 0.
fn always_right(runs: usize) -> Design {
    let (dataset, protocol) = (songs(0..40), Protocol::cross_validation(3));
    let params = RunParams {
        protocol,
        scaling: Scaling::None,
        missing: Missing::Mean,
        base: BaseParams::default(),
        seed: Seed::new(0),
    };
    let plan = Runs::new(&dataset, None, &params).unwrap();
    let of_run = |run| RunPrediction {
        prediction: Prediction {
            labels: dataset
                .labels()
                .select_rows(&plan.split(run).unwrap().unwrap().test),
            scores: None,
            probabilities: None,
            confidence: None,
        },
        seconds: SECONDS,
    };
    let entrant = Entrant::of_runs("mine", "Mine(k=3)", (0..runs).map(of_run).collect());
    Design {
        protocol,
        ..design(entrant)
    }
}

#[test]
fn a_model_of_the_caller_is_scored_in_each_run_with_its_times() {
    let experiment = Experiment::new(always_right(3), vec![InputDataset::new(songs(0..40))]);
    let experiment = experiment.unwrap();
    let results = experiment.run(&Silent).unwrap();
    assert!(results.is_complete());
    let summary = results.summary().unwrap();
    let own = &summary.datasets[0].methods[1];
    let accuracy = own.metric(Metric::SubsetAccuracy).unwrap();
    assert_eq!((own.name(), accuracy.mean.mean), ("mine", 1.0));
    assert_eq!(own.seconds, Some(SECONDS));
    let folder = tempfile::tempdir().unwrap();
    write_report(&summary, folder.path()).unwrap();

    let error = experiment.run_in(folder.path(), Shard::WHOLE, &Silent);
    assert!(
        matches!(error.unwrap_err(), Error::PredictionsWithoutFiles(name) if name == "mine"),
        "results in a folder could not be resumed"
    );
}

#[test]
fn results_of_a_model_of_the_caller_are_read_back_from_a_folder() {
    let experiment = Experiment::new(always_right(3), vec![InputDataset::new(songs(0..40))]);
    let experiment = experiment.unwrap();
    let folder = tempfile::tempdir().unwrap();
    experiment.manifest().check_folder(folder.path()).unwrap();
    let written = experiment
        .run(&Silent)
        .unwrap()
        .write(folder.path())
        .unwrap();
    let read = Results::read(folder.path()).unwrap();
    assert_eq!(read, written);
    assert!(read.is_complete());
    let mine = &read.manifest().methods[1];
    assert_eq!(mine.parameters["model"], "Mine(k=3)");

    experiment.manifest().check_folder(folder.path()).unwrap();
    let mut other = experiment.manifest().clone();
    other.seed = 5;
    let error = other.check_folder(folder.path()).unwrap_err();
    assert!(matches!(error, Error::OtherExperiment { .. }), "{error}");
}

#[test]
fn a_model_of_the_caller_must_have_predictions_for_each_run_on_one_data_set() {
    let one = || InputDataset::new(songs(0..40));
    let other = || InputDataset {
        dataset: songs(0..30),
        ..one()
    };
    for (runs, inputs) in [(2, vec![one()]), (3, Vec::new())] {
        let error = Experiment::new(always_right(runs), inputs).unwrap_err();
        assert!(matches!(error, Error::RunsOfPredictions(name) if name == "mine"));
    }
    let experiment = Experiment::new(always_right(3), vec![other()]).unwrap();
    assert!(experiment.run(&Silent).is_err(), "test rows of other data");
}
