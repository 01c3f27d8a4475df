//! How iterative ridge regressions were solved is recorded for each method by itself, and reported.

use std::fs;

use mmoc::Silent;
use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::learn::ridge::RidgeRecord;
use mmoc_experiment::{BASE, Design, Experiment, InputDataset, Protocol, Results, Shard};
use serde_json::Value;

fn songs() -> InputDataset {
    let features = Matrix::from_fn(40, 3, |i, j| f64::from(((i * (j + 3)) % 11) as u8));
    let labels = Labels::from_fn(40, 2, |i, j| features[(i, j)] > 5.0);
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let dataset = Dataset::new(
        "songs",
        Features::Dense(features),
        labels,
        names(&["tempo", "loudness", "key"]),
        names(&["happy", "calm"]),
    );
    InputDataset::new(dataset.unwrap())
}

/// An experiment whose ridge regressions are solved iteratively.
fn experiment(methods: &[&str]) -> Experiment {
    let methods = methods.iter().map(|name| name.parse().unwrap()).collect();
    let mut design = Design::new(methods, Protocol::cross_validation(2));
    design.set(BASE, "ridge-solver", "iterative").unwrap();
    Experiment::new(design, vec![songs()]).unwrap()
}

/// The records of a method in a comparison of several.
fn ridge_of(method: &str, methods: &[&str]) -> Vec<Option<RidgeRecord>> {
    let results = experiment(methods).run(&Silent).unwrap();
    let records = results.records().iter();
    let own = records.filter(|record| record.key.method == method);
    own.map(|record| record.results.ridge).collect()
}

#[test]
fn a_method_is_not_charged_with_the_regressions_of_others() {
    let alone = ridge_of("coding-pca", &["coding-pca"]);
    assert!(alone.iter().all(Option::is_some));
    let beside = ridge_of("coding-pca", &["br", "coding-cs", "coding-pca"]);
    assert_eq!(alone, beside);
    assert_eq!(ridge_of("br", &["coding-pca", "br"]), [None, None]);
}

#[test]
fn regressions_that_did_not_converge_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let run = experiment(&["coding-pca"]);
    let solved = run.run_in(folder.path(), Shard::WHOLE, &Silent).unwrap();
    assert!(
        solved.summary().unwrap().datasets[0].methods[0]
            .warnings()
            .is_empty()
    );

    let journal = folder.path().join("results.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let converged = record["ridge"]["converged"].as_u64().unwrap();
        record["ridge"]["converged"] = (converged - 1).into();
        record.to_string() + "\n"
    });
    fs::write(&journal, lines.collect::<String>()).unwrap();
    let unsolved = Results::read(folder.path()).unwrap();
    let warnings = unsolved.summary().unwrap().datasets[0].methods[0].warnings();
    assert_eq!(
        warnings,
        ["2 ridge regressions did not reach the tolerance"]
    );
}
