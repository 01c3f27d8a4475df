//! Predictions of other programs stand beside methods, with their scores and nothing else.

use std::collections::BTreeMap;

use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::metrics::Metric;
use mmoc::{Prediction, Silent};
use mmoc_experiment::{
    Collection, Design, Entrant, Error, Experiment, ExternalPrediction, FileEntry, InputDataset,
    Protocol, Results, RunPrediction, Seconds, Shard, TestRows, text, write_report,
};

fn songs(rows: std::ops::Range<usize>) -> Dataset {
    named("songs", rows)
}

fn named(name: &str, rows: std::ops::Range<usize>) -> Dataset {
    let first = rows.start;
    let features = Matrix::from_fn(rows.len(), 2, |i, j| {
        f64::from((((first + i) * (j + 3)) % 11) as u8)
    });
    let sets = Labels::from_fn(rows.len(), 2, |i, j| features[(i, j)] > 5.0);
    let names = |names: [&str; 2]| names.map(String::from).to_vec();
    let (feature_names, label_names) = (names(["tempo", "key"]), names(["happy", "calm"]));
    let features = Features::Dense(features);
    Dataset::new(name, features, sets, feature_names, label_names).unwrap()
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

/// Three-fold cross-validation with seed 0 of a model of the caller, on two data sets.
fn of_caller() -> Experiment {
    let entrant = Entrant::of_caller("mine", "Mine(k=3)");
    let design = Design::of_entrants(vec![entrant], Protocol::cross_validation(3));
    let inputs = [songs(0..40), named("others", 10..50)].map(InputDataset::new);
    Experiment::new(design, inputs.into()).unwrap()
}

/// What a model predicts that is right for `right` test rows and wrong for all others.
fn prediction(collection: &Collection, dataset: usize, run: usize, right: usize) -> RunPrediction {
    let truth = songs(10 * dataset..10 * dataset + 40);
    let test = collection.split(dataset, run).unwrap().test;
    let truth = truth.labels().select_rows(&test);
    let labels = Labels::from_fn(test.len(), 2, |row, label| {
        truth.row(row).contains(&(label as u32)) == (row < right)
    });
    let prediction = Prediction {
        labels,
        scores: None,
        probabilities: None,
        confidence: None,
    };
    RunPrediction {
        prediction,
        seconds: SECONDS,
    }
}

/// Adds the predictions of a model that is always right, for what is missing.
fn add_missing(collection: &mut Collection) -> usize {
    let mut added = 0;
    for dataset in 0..2 {
        for run in (0..collection.runs(dataset)).rev() {
            if !collection.has(dataset, run, 0) {
                let predicted = prediction(collection, dataset, run, usize::MAX);
                collection.add(dataset, run, 0, &predicted).unwrap();
                added += 1;
            }
        }
    }
    added
}

#[test]
fn a_model_of_the_caller_is_scored_in_each_run_with_its_times() {
    let mut collection = of_caller().collect(None).unwrap();
    assert_eq!(add_missing(&mut collection), 6);
    let results = collection.finish().unwrap();
    assert!(results.is_complete());
    let summary = results.summary().unwrap();
    assert_eq!(summary.datasets.len(), 2);
    let own = &summary.datasets[0].methods[0];
    let accuracy = own.metric(Metric::SubsetAccuracy).unwrap();
    assert_eq!((own.name(), accuracy.mean.mean), ("mine", 1.0));
    assert_eq!(own.seconds, Some(SECONDS));
    let folder = tempfile::tempdir().unwrap();
    write_report(&summary, folder.path()).unwrap();
}

#[test]
fn only_the_caller_can_run_a_model_of_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let of_caller = of_caller();
    for error in [
        of_caller.run(&Silent).unwrap_err(),
        of_caller
            .run_in(folder.path(), Shard::WHOLE, &Silent)
            .unwrap_err(),
    ] {
        assert!(matches!(error, Error::OfCaller(name) if name == "mine"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn predictions_that_were_collected_in_a_folder_need_not_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let begin = || of_caller().collect(Some(folder.path()));
    let mut collection = begin().unwrap();
    let predicted = prediction(&collection, 1, 2, usize::MAX);
    let is_empty = std::fs::read_dir(folder.path()).unwrap().next().is_none();
    assert!(is_empty, "nothing is written before there is a result");
    collection.add(1, 2, 0, &predicted).unwrap();
    let error = begin().unwrap().add(1, 2, 0, &predicted);
    assert!(matches!(error.unwrap_err(), Error::Locked(_)));
    drop(collection);

    let mut collection = begin().unwrap();
    assert_eq!(add_missing(&mut collection), 5);
    let found = collection.finish().unwrap();
    assert!(found.is_complete());
    assert_eq!(Results::read(folder.path()).unwrap(), found);
    let mine = &found.manifest().methods[0];
    assert_eq!(mine.parameters["model"], "Mine(k=3)");

    let mut in_memory = of_caller().collect(None).unwrap();
    add_missing(&mut in_memory);
    assert_eq!(in_memory.finish().unwrap().records(), found.records());
    assert_eq!(add_missing(&mut begin().unwrap()), 0);
}

#[test]
fn a_prediction_takes_the_place_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    for kept in [None, Some(folder.path())] {
        let mut collection = of_caller().collect(kept).unwrap();
        add_missing(&mut collection);
        let wrong = prediction(&collection, 0, 1, 0);
        collection.add(0, 1, 0, &wrong).unwrap();
        let results = collection.finish().unwrap();
        let accuracies = results.records().iter();
        let accuracies = accuracies.map(|own| own.results.metrics[&Metric::SubsetAccuracy]);
        assert!(accuracies.eq([1.0, 0.0, 1.0, 1.0, 1.0, 1.0]));
    }
}

#[test]
fn predictions_that_are_not_expected_are_refused() {
    let mut collection = of_caller().collect(None).unwrap();
    let predicted = prediction(&collection, 0, 0, 1);
    for (dataset, run, method) in [(2, 0, 0), (0, 3, 0), (0, 0, 1)] {
        let error = collection.add(dataset, run, method, &predicted);
        assert!(matches!(error.unwrap_err(), Error::NotExpected { .. }));
        assert!(!collection.has(dataset, run, method));
    }
    assert!(collection.split(2, 0).is_err());
    let fewer = RunPrediction {
        prediction: Prediction {
            labels: predicted.prediction.labels.select_rows(&[0]),
            ..predicted.prediction
        },
        ..predicted
    };
    assert!(collection.add(0, 0, 0, &fewer).is_err(), "other rows");
}
