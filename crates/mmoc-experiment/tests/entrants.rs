//! Entrants have names of their own, by which manifest, records and summaries know them.

use mmoc::Silent;
use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::method::Method;
use mmoc_experiment::{
    Design, Entrant, Error, Experiment, InputDataset, MethodSummary, Protocol, Results, Shard,
    paper, text,
};
use serde_json::{Value, json};

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

fn method(name: &str) -> Method {
    name.parse().unwrap()
}

/// Binary relevance, and max-margin twice.
fn design() -> Design {
    let entrants = vec![
        Entrant::from(method("br")),
        Entrant::from(method("max-margin")),
        Entrant::named("tuned", method("max-margin")).titled("Max-margin, tuned"),
    ];
    let mut design = Design::of_entrants(entrants, Protocol::cross_validation(2));
    design.set("tuned", "c", "10").unwrap();
    design
}

fn experiment(design: Design) -> Experiment {
    Experiment::new(design, vec![songs()]).unwrap()
}

#[test]
fn the_manifest_names_the_method_only_where_the_name_does_not() {
    let run = experiment(design());
    let manifest = serde_json::to_value(run.manifest()).unwrap();
    let entries = manifest["methods"].as_array().unwrap();
    let keys =
        |entry: &Value| -> Vec<String> { entry.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(keys(&entries[0]), ["name", "parameters"]);
    assert_eq!(keys(&entries[1]), ["name", "parameters"]);
    assert_eq!(entries[2]["name"], "tuned");
    assert_eq!(entries[2]["method"], "max-margin");
    assert_eq!(entries[2]["title"], "Max-margin, tuned");
    assert_eq!(entries[2]["parameters"]["c"], "10");
}

#[test]
fn a_method_can_take_part_twice() {
    let folder = tempfile::tempdir().unwrap();
    let run = experiment(design());
    run.run_in(folder.path(), Shard::WHOLE, &Silent).unwrap();
    let results = Results::read(folder.path()).unwrap();
    let keys: Vec<&str> = results
        .records()
        .iter()
        .map(|record| record.key.method.as_str())
        .collect();
    assert_eq!(keys[..3], ["br", "max-margin", "tuned"]);
    let summary = results.summary().unwrap();
    let titles: Vec<&str> = summary.datasets[0]
        .methods
        .iter()
        .map(MethodSummary::title)
        .collect();
    assert_eq!(titles, ["BR", "MaxMargin", "Max-margin, tuned"]);
    let written = text::comparison(&summary, text::Emphasis::Plain);
    assert!(written.contains("\n  Max-margin, tuned ("), "{written}");
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["datasets"][0]["methods"][2]["name"], "tuned");
    assert_eq!(
        json["rankings"][0]["methods"],
        json!(["br", "max-margin", "tuned"])
    );
}

/// The parameters decide, not the name.
#[test]
fn the_same_parameters_under_another_name_give_the_same_results() {
    let entrants = vec![
        Entrant::from(method("max-margin")),
        Entrant::named("again", method("max-margin")),
    ];
    let design = Design::of_entrants(entrants, Protocol::cross_validation(2));
    let results = experiment(design).run(&Silent).unwrap();
    let metrics = |record: usize| &results.records()[record].results.metrics;
    assert_eq!(metrics(0), metrics(1));
    assert_eq!(metrics(2), metrics(3));
}

#[test]
fn names_are_distinct_and_known() {
    let repeated = vec![
        Entrant::from(method("br")),
        Entrant::named("br", method("lead")),
    ];
    let design = Design::of_entrants(repeated, Protocol::cross_validation(2));
    let error = Experiment::new(design, vec![songs()]).unwrap_err();
    assert!(matches!(error, Error::SameEntrant(name) if name == "br"));

    let error = self::design().set("lead", "c", "1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown method 'lead': expected one of br, max-margin, tuned, base"
    );
    let mut design = self::design();
    assert_eq!(design.reference_name().unwrap(), "max-margin");
    design.reference = Some("tuned".into());
    assert_eq!(design.reference_name().unwrap(), "tuned");
}

#[test]
fn the_paper_s_eight_methods_are_joined_by_a_ninth_entrant() {
    let entrants = paper::entrants();
    let names: Vec<&str> = entrants.iter().map(Entrant::name).collect();
    let methods = Method::all();
    let mut expected: Vec<&str> = methods.iter().map(Method::name).collect();
    expected.push("mmoc");
    assert_eq!(names, expected);
    assert_eq!(entrants[8].title(), "mmoc");
    let manifest = experiment(Design::of_entrants(entrants, Protocol::cross_validation(2)));
    let parameters = |index: usize| &manifest.manifest().methods[index].parameters;
    assert_eq!(parameters(7)["inference"], "mean-field", "as published");
    assert_ne!(parameters(8), parameters(7), "by default");
}
