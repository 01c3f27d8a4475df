//! `mmoc methods`, and every method it lists on small data.

mod common;

use common::small::Small;
use common::{Folder, METHODS, without_timings};
use serde_json::{Value, json};

/// The methods there are, as `mmoc methods --json` lists them.
fn methods() -> Vec<Value> {
    let list = Folder::empty().json("methods");
    list["methods"].as_array().expect("a list").clone()
}

fn names() -> Vec<String> {
    let name = |method: &Value| method["name"].as_str().expect("a name").to_owned();
    methods().iter().map(name).collect()
}

fn folder() -> Folder {
    let small = Small::new(90, 6, 4);
    let wide = Small::new(40, 60, 5);
    Folder::with(&[
        ("small.arff", small.arff()),
        ("small.xml", small.xml()),
        ("wide.svm", wide.libsvm()),
    ])
}

fn evaluate(folder: &Folder, arguments: &str) -> Value {
    let report = folder.json(&format!("evaluate {arguments}"));
    report["datasets"][0]["methods"][0].clone()
}

fn mean(method: &Value, metric: &str) -> f64 {
    method["metrics"][metric]["mean"]
        .as_f64()
        .expect("a number")
}

#[test]
fn the_methods_are_those_of_the_paper_in_its_order() {
    assert_eq!(names(), METHODS);
}

#[test]
fn json_has_every_parameter_with_its_default_and_range() {
    let pca = methods()
        .into_iter()
        .find(|method| method["name"] == "coding-pca");
    let expected = json!({
        "name": "coding-pca",
        "title": "CodingPCA",
        "summary": "principal components of the labels, projected back and rounded (PLST)",
        "parameters": [
            {
                "name": "projections",
                "default": "all",
                "allowed": "all or a count of at least 1",
                "summary": "principal components to keep",
            },
            {
                "name": "centre",
                "default": false,
                "allowed": "true or false",
                "summary": "subtract the mean label vector first",
            },
        ],
    });
    assert_eq!(pca, Some(expected));
}

#[test]
fn text_names_every_method_and_parameter_within_a_hundred_columns() {
    let text = Folder::empty().output("methods");
    for method in methods() {
        let heading = format!(
            "{} ({})\n",
            method["name"].as_str().unwrap(),
            method["title"].as_str().unwrap()
        );
        assert!(text.contains(&heading), "{heading} in {text}");
        for parameter in method["parameters"].as_array().unwrap() {
            for key in ["name", "allowed", "summary"] {
                assert!(
                    text.contains(parameter[key].as_str().unwrap()),
                    "{parameter}"
                );
            }
        }
    }
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{text}");
}

#[test]
fn only_the_methods_asked_for_are_listed() {
    let folder = Folder::empty();
    let list = folder.json("methods coding-cca br");
    let names: Vec<&Value> = list["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["name"])
        .collect();
    assert_eq!(names, ["coding-cca", "br"]);
    assert!(!folder.output("methods br").contains("coding"));
}

#[test]
fn every_method_learns_and_says_how_it_was_set() {
    let folder = folder();
    for listed in methods() {
        let name = listed["name"].as_str().unwrap();
        let found = evaluate(&folder, &format!("small.arff --method {name} --folds 3"));
        assert_eq!(found["name"], listed["name"]);
        assert!(mean(&found, "micro_f1") > 0.6, "{name}: {found:#}");
        let parameters = listed["parameters"].as_array().unwrap();
        assert_eq!(
            found["parameters"].as_object().unwrap().len(),
            parameters.len()
        );
        for parameter in parameters {
            let key = parameter["name"].as_str().unwrap();
            assert_eq!(found["parameters"][key], parameter["default"], "{name}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_byte_of_any_method() {
    let folder = folder();
    for name in names() {
        for data in ["small.arff --folds 3", "wide.svm --train-size 25 --runs 1"] {
            let with = |threads| {
                let arguments =
                    format!("evaluate {data} --method {name} --json --threads {threads}");
                without_timings(&folder.output(&arguments))
            };
            assert_eq!(with(1), with(2), "{name}, {data}");
        }
    }
}

/// Settings that must make a difference.
const DIFFERENT: &[(&str, &str)] = &[
    ("coding-cs", "projections=3"),
    ("coding-cs", "distribution=bernoulli"),
    ("coding-cs", "sparsity=1"),
    ("coding-cs", "recovery=l1"),
    ("coding-pca", "projections=1"),
    ("coding-pca-r", "projections=1"),
    ("coding-pca-r --set terms=labels+code", "centre=true"),
    ("coding-pca-r --set weights=fixed", "lambda=0"),
    ("coding-pca-r", "weights=fixed"),
    ("coding-cca", "projections=1"),
    ("coding-cca", "ridge=10"),
    ("coding-cca --set weights=fixed", "lambda=0"),
    ("clr", "votes=soft"),
    ("lead", "max-parents=0"),
    ("lead", "evidence=probabilities"),
    ("coding-cca", "weights=fixed"),
    ("max-margin", "projections=1"),
    ("max-margin", "c=0.01"),
    ("max-margin", "classifiers=false"),
    ("max-margin", "separation=exact"),
    ("max-margin", "penalty-factor=50"),
    ("max-margin", "log-odds=in-sample"),
    ("max-margin", "rank-tolerance=1"),
    ("max-margin --set weights=fixed", "lambda=0"),
    ("max-margin", "regression=canonical"),
    ("max-margin", "weights=fixed"),
];

#[test]
fn what_is_set_is_shown_and_makes_a_difference() {
    let folder = folder();
    for (name, setting) in DIFFERENT {
        let arguments = format!("small.arff --folds 3 --method {name}");
        let before = evaluate(&folder, &arguments);
        let after = evaluate(&folder, &format!("{arguments} --set {setting}"));
        let (key, value) = setting.split_once('=').unwrap();
        let shown = after["parameters"][key].to_string();
        assert_eq!(
            shown.trim_matches('"').trim_end_matches(".0"),
            value,
            "{name}"
        );
        assert_ne!(after["metrics"], before["metrics"], "{name}, {setting}");
    }
}

#[test]
fn several_settings_are_taken_in_order() {
    let folder = folder();
    let found = evaluate(
        &folder,
        "small.arff --folds 2 --method coding-cca --set projections=1 --set ridge=0 --set projections=2",
    );
    let expected = json!({
        "projections": 2, "ridge": 0.0, "candidates": "seen", "terms": "auto", "trees": 500, "weights": "fitted",
        "lambda": 1.0, "inference": "auto", "decide": "subset"
    });
    assert_eq!(found["parameters"], expected);
    assert_eq!(found["base_models"], 4 + 2);
}

#[test]
fn text_shows_the_parameters() {
    let text =
        folder().output("evaluate small.arff --folds 2 --method coding-pca --set centre=true");
    let line = text.lines().nth(2);
    assert_eq!(line, Some("projections=all centre=true"), "{text}");
}

#[test]
fn only_methods_with_a_solver_report_one() {
    let folder = folder();
    for name in names() {
        let found = evaluate(&folder, &format!("small.arff --folds 2 --method {name}"));
        assert_eq!(
            found.get("solver").is_some(),
            name == "max-margin",
            "{name}"
        );
        let regressions_only = matches!(name.as_str(), "coding-cs" | "coding-pca");
        assert_eq!(found["logistic"].is_null(), regressions_only, "{name}");
    }
    let arguments = "small.arff --folds 2 --method max-margin --set classifiers=false";
    let found = evaluate(&folder, arguments);
    assert_eq!(
        (&found["logistic"], &found["base_models"]),
        (&Value::Null, &json!(4))
    );
}

#[test]
fn the_solver_reports_a_certified_gap() {
    let folder = folder();
    let objective = |algorithm: &str| {
        let options = format!("--set algorithm={algorithm} --set gap=1e-5");
        let arguments = format!("small.arff --folds 2 --method max-margin {options}");
        let solver = &evaluate(&folder, &arguments)["solver"];
        let number = |key: &str| solver[key].as_f64().unwrap_or_else(|| panic!("{key}"));
        assert!((0.0..=1e-5).contains(&number("relative_gap")), "{solver}");
        assert!(number("lower_bound") <= number("objective"), "{solver}");
        assert!((0.0..=4.0).contains(&number("rank")), "{solver}");
        assert!(
            number("iterations") > 0.0 && number("oracle_calls") > 0.0,
            "{solver}"
        );
        assert_eq!(
            (&solver["runs"], &solver["converged"]),
            (&json!(2), &json!(2))
        );
        number("objective")
    };
    let newton = objective("newton");
    for algorithm in ["newton-cg", "cutting-plane"] {
        let other = objective(algorithm);
        assert!(
            (other - newton).abs() <= 2e-5 * newton,
            "{algorithm}: {other}, {newton}"
        );
    }
}

#[test]
fn a_problem_that_is_not_solved_as_asked_is_a_warning() {
    let options = "--set algorithm=cutting-plane --set gap=1e-12 --json";
    let arguments = format!("evaluate small.arff --folds 2 --method max-margin {options}");
    let outcome = folder().run(&arguments).succeeded();
    let solver = &outcome.json()["datasets"][0]["methods"][0]["solver"];
    let unsolved = solver["runs"].as_u64() > solver["converged"].as_u64();
    let warning = "max-margin problems did not reach the requested gap";
    assert_eq!(outcome.stderr.contains(warning), unsolved, "{outcome:?}");
}

#[test]
fn text_names_the_worst_gap_and_the_mean_rank_in_one_line() {
    let text = folder().output("evaluate small.arff --folds 2 --method max-margin");
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("  max-margin problems: worst relative gap "),
        "{text}"
    );
    assert!(last.contains(", mean rank "), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 120),
        "{text}"
    );
}

#[test]
fn labels_that_never_or_always_occur_are_ordinary_for_every_method() {
    let rows = (0..24).map(|i| format!("{i},{},0,1,{},{}\n", i % 3, i % 2, i % 2));
    let table = format!("a,b,never,always,half,again\n{}", rows.collect::<String>());
    let constant = "a,l,m\n1,0,1\n2,0,1\n3,0,1\n4,0,1\n5,0,1\n6,0,1\n";
    let folder = Folder::with(&[("t.csv", table.as_str()), ("c.csv", constant)]);
    for name in names() {
        let found = evaluate(
            &folder,
            &format!("t.csv --labels -4 --folds 4 --method {name}"),
        );
        let labels = &found["label_metrics"];
        assert_eq!(labels[0]["predicted"], 0.0, "{name}");
        assert_eq!(labels[1]["recall"], 1.0, "{name}");
        let found = evaluate(
            &folder,
            &format!("c.csv --labels l,m --folds 2 --method {name}"),
        );
        assert_eq!(mean(&found, "subset_accuracy"), 1.0, "{name}");
    }
}
