//! A published split is one run: it trains on all rows and tests on those that come with them.

use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::method::Method;
use mmoc::metrics::Metric;
use mmoc::{Seed, Silent};
use mmoc_experiment::{
    Design, Experiment, InputDataset, Protocol, Results, RunParams, RunSize, Runs, Shard, TestRows,
    text, write_report,
};
use serde_json::{Value, json};

fn songs(rows: std::ops::Range<usize>, labels: [&str; 2]) -> Dataset {
    let first = rows.start;
    let features = Matrix::from_fn(rows.len(), 3, |i, j| {
        f64::from((((first + i) * (j + 3)) % 11) as u8)
    });
    let sets = Labels::from_fn(rows.len(), 2, |i, j| features[(i, j)] > 5.0);
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let features = Features::Dense(features);
    let feature_names = names(&["tempo", "loudness", "key"]);
    Dataset::new("songs", features, sets, feature_names, names(&labels)).unwrap()
}

const LABELS: [&str; 2] = ["happy", "calm"];

fn input() -> InputDataset {
    InputDataset {
        test: Some(TestRows::new(songs(40..55, LABELS))),
        ..InputDataset::new(songs(0..40, LABELS))
    }
}

fn design(names: &[&str]) -> Design {
    let methods = names.iter().map(|name| name.parse().unwrap()).collect();
    Design::new(methods, Protocol::PublishedSplit)
}

#[test]
fn the_scores_are_those_of_a_model_of_all_training_rows() {
    let experiment = Experiment::new(design(&["br", "max-margin"]), vec![input()]).unwrap();
    let results = experiment.run(&Silent).unwrap();
    assert_eq!(results.records().len(), 2);
    assert!(results.is_complete());
    let record = &results.records()[0];
    assert_eq!(
        record.size,
        RunSize {
            train: 40,
            test: 15
        }
    );
    assert_eq!(record.results.labels.len(), 2);
    let positives: usize = record
        .results
        .labels
        .iter()
        .map(|label| label.positives)
        .sum();
    assert_eq!(positives, songs(40..55, LABELS).labels().total());
}

/// The same rows as test rows of a split and by themselves.
#[test]
fn a_published_split_is_scored_as_a_random_one_would_be() {
    let all = songs(0..55, LABELS);
    let params = |protocol| RunParams {
        protocol,
        scaling: mmoc::data::Scaling::None,
        missing: mmoc::data::Missing::Mean,
        base: mmoc::learn::BaseParams::default(),
        seed: Seed::new(3),
    };
    let random = params(Protocol::RandomSplits {
        runs: 1,
        train_size: 40,
    });
    let split = mmoc::data::random_split(55, 40, Seed::new(3).named("split").numbered(0)).unwrap();
    let (train, test) = (
        all.select_rows(&split.train).unwrap(),
        all.select_rows(&split.test).unwrap(),
    );
    let published = params(Protocol::PublishedSplit);
    let method: Method = "max-margin".parse().unwrap();
    let metrics = |runs: Runs<'_>| {
        let mut found = None;
        let keep = |_: usize, run: mmoc_experiment::Run, _: &mmoc::method::Predictor| {
            found = Some(run.metrics);
            Ok(())
        };
        runs.run(0, &[&method], keep).unwrap();
        found.unwrap()
    };
    assert_eq!(
        metrics(Runs::new(&all, None, &random).unwrap()),
        metrics(Runs::new(&train, Some(&test), &published).unwrap())
    );
}

#[test]
fn a_single_run_has_no_standard_errors_no_tests_and_no_ranks() {
    let experiment = Experiment::new(design(&["br", "max-margin"]), vec![input()]).unwrap();
    let results = experiment.run(&Silent).unwrap();
    let summary = results.summary().unwrap();
    assert!(summary.rankings.is_empty());
    let own = summary.datasets[0].methods[0].metric(Metric::SubsetAccuracy);
    let own = own.unwrap();
    assert_eq!(own.mean.stderr, None);
    let difference = own.difference.unwrap();
    assert_eq!((difference.wilcoxon, difference.resampled_t), (None, None));
    let written = text::comparison(&summary, text::Emphasis::Plain);
    for part in [
        ": published split, seed 0\n",
        "A single run has no standard errors and no tests",
        "songs: 40 training rows, 15 test rows, 3 features, 2 labels",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let folder = tempfile::tempdir().unwrap();
    write_report(&summary, folder.path()).unwrap();
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("There is a single run"), "{page}");
    assert!(page.contains("40 training rows, 15 test rows"));
    let around = |place: usize| &page[place.saturating_sub(200)..place + 60];
    assert_eq!(page.find("NaN").map(around), None);
}

#[test]
fn several_data_sets_are_ranked_by_their_only_runs() {
    let renamed = |name: &str| {
        let rename = |dataset: Dataset| {
            let (features, labels, schema) = dataset.into_parts();
            let labels_of = schema.label_names().to_vec();
            Dataset::new(
                name,
                features,
                labels,
                schema.feature_names().to_vec(),
                labels_of,
            )
        };
        InputDataset {
            test: Some(TestRows::new(rename(songs(40..55, LABELS)).unwrap())),
            ..InputDataset::new(rename(songs(0..40, LABELS)).unwrap())
        }
    };
    let inputs = vec![renamed("one"), renamed("two")];
    let experiment = Experiment::new(design(&["br", "max-margin"]), inputs).unwrap();
    let results = experiment.run(&Silent).unwrap();
    let summary = results.summary().unwrap();
    let over: Vec<&str> = summary
        .rankings
        .iter()
        .map(|ranking| ranking.over)
        .collect();
    assert_eq!(over, ["all data sets"; 3]);
    let folder = tempfile::tempdir().unwrap();
    write_report(&summary, folder.path()).unwrap();
}

#[test]
fn the_manifest_has_the_test_rows_and_resumes_only_with_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = Experiment::new(design(&["br"]), vec![input()]).unwrap();
    let shard = Shard::WHOLE;
    experiment.run_in(folder.path(), shard, &Silent).unwrap();
    let text = std::fs::read_to_string(folder.path().join("experiment.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["protocol"], json!({"kind": "published_split"}));
    let test = &manifest["datasets"][0]["test"];
    assert_eq!((&test["rows"], &test["files"]), (&json!(15), &json!([])));
    assert_eq!(test["fingerprint"].as_str().unwrap().len(), 64);
    assert_eq!(manifest["datasets"][0]["rows"], 40);
    assert!(Results::read(folder.path()).unwrap().is_complete());

    let other = InputDataset {
        test: Some(TestRows::new(songs(41..56, LABELS))),
        ..input()
    };
    let other = Experiment::new(design(&["br"]), vec![other]).unwrap();
    let error = other.run_in(folder.path(), shard, &Silent).unwrap_err();
    assert!(error.to_string().contains("differs in datasets"), "{error}");

    let damaged = text.replace(
        "\"published_split\"",
        "\"random_splits\", \"runs\": 1, \"train_size\": 9",
    );
    std::fs::write(folder.path().join("experiment.json"), damaged).unwrap();
    let error = Results::read(folder.path()).unwrap_err();
    assert!(
        error.to_string().contains("only a published split"),
        "{error}"
    );
}

#[test]
fn test_rows_and_protocol_belong_together() {
    let error = |design: Design, input: InputDataset| {
        let experiment = Experiment::new(design, vec![input]).unwrap();
        experiment.run(&Silent).unwrap_err().to_string()
    };
    let without = InputDataset::new(songs(0..40, LABELS));
    let message = error(design(&["br"]), without);
    assert!(
        message.contains("expected test rows beside the others"),
        "{message}"
    );
    let folds = Design::new(vec!["br".parse().unwrap()], Protocol::cross_validation(2));
    let message = error(folds, input());
    assert!(message.contains("expected no test rows"), "{message}");
    let other = InputDataset {
        test: Some(TestRows::new(songs(40..55, ["happy", "sad"]))),
        ..input()
    };
    let message = error(design(&["br"]), other);
    assert!(
        message.contains("columns and labels of the training rows"),
        "{message}"
    );
    let one = InputDataset {
        test: input().test,
        ..InputDataset::new(songs(0..1, LABELS))
    };
    let message = error(design(&["br"]), one);
    assert!(
        message.contains("the number of training rows must be at least 2"),
        "{message}"
    );
}
