//! The binary on the public data sets, where a copy of them is found; otherwise every trial is
//! ignored, by name.

mod common;

use std::process::{Command, ExitCode};

use common::{BINARY, Outcome, without_timings};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// A data set and what `inspect` must say of it.
struct Set {
    name: &'static str,
    files: &'static [&'static str],
    rows: usize,
    features: usize,
    labels: usize,
    /// Mean labels of a row, to three decimals, where it is published.
    cardinality: Option<&'static str>,
    /// Different label sets, where their number is published.
    label_sets: Option<usize>,
}

const SETS: &[Set] = &[
    set(
        "emotions",
        &["emotions.arff"],
        (593, 72, 6),
        Some("1.868"),
        Some(27),
    ),
    set(
        "scene",
        &["scene-train.arff", "scene-test.arff"],
        (2407, 294, 6),
        Some("1.074"),
        Some(15),
    ),
    set(
        "medical",
        &["medical.arff"],
        (978, 1449, 45),
        Some("1.245"),
        Some(94),
    ),
    set(
        "medical",
        &["medical-train.arff", "medical-test.arff"],
        (978, 1449, 45),
        Some("1.245"),
        Some(94),
    ),
    set(
        "yeast",
        &["yeast-train.arff", "yeast-test.arff"],
        (2417, 103, 14),
        Some("4.237"),
        Some(198),
    ),
    set(
        "flags",
        &["flags.arff"],
        (194, 19, 7),
        Some("3.392"),
        Some(54),
    ),
    set(
        "cal500",
        &["cal500.arff"],
        (502, 68, 174),
        Some("26.044"),
        Some(502),
    ),
    set(
        "bibtex",
        &["bibtex-train.arff", "bibtex-test.arff"],
        (7395, 1836, 159),
        Some("2.402"),
        Some(2856),
    ),
    set(
        "delicious",
        &["delicious-train.arff", "delicious-test.arff"],
        (16105, 500, 983),
        Some("19.020"),
        Some(15806),
    ),
    // The header has one feature fewer than emotions, of which it is a copy.
    set("music-meka", &["music-meka.arff"], (592, 71, 6), None, None),
];

const fn set(
    name: &'static str,
    files: &'static [&'static str],
    (rows, features, labels): (usize, usize, usize),
    cardinality: Option<&'static str>,
    label_sets: Option<usize>,
) -> Set {
    Set {
        name,
        files,
        rows,
        features,
        labels,
        cardinality,
        label_sets,
    }
}

/// Methods whose parts together are those of all methods.
const THREADED_METHODS: [&str; 5] = ["br", "coding-cs", "clr", "lead", "max-margin"];

/// Evaluations that must not depend on the number of threads: many runs, and the pieces of one.
const THREADED: &[(&str, &str)] = &[
    (
        "emotions_of_10_runs",
        "emotions.arff --train-size 300 --runs 10",
    ),
    (
        "emotions_of_1_run",
        "emotions.arff --train-size 300 --runs 1",
    ),
    (
        "sparse_medical_of_1_run",
        "medical.arff --train-size 300 --runs 1",
    ),
    (
        "yeast_of_1_run",
        "yeast-train.arff --train-size 300 --runs 1",
    ),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, trials()).exit_code()
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for set in SETS {
        let file = set.files[0].trim_end_matches(".arff");
        let name = format!("inspect_agrees_with_the_list_on_{file}");
        trials.push(trial(&name, || inspect(set)));
    }
    for (name, data) in THREADED {
        for method in THREADED_METHODS {
            let name = format!("threads_change_no_byte_of_{method}_on_{name}");
            trials.push(trial(&name, || threads_change_no_byte(method, data)));
        }
    }
    trials
}

fn trial(name: &str, check: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    let name = name.replace('-', "_");
    Trial::test(name, check).with_ignored_flag(common::real_data().is_none())
}

/// Runs the binary in the folder of the data, which must succeed.
fn run(arguments: &str) -> Result<String, Failed> {
    let data = common::real_data().ok_or("the data are not there")?;
    let mut command = Command::new(BINARY);
    command.args(arguments.split(' ')).current_dir(data);
    let outcome = Outcome::of(&mut command);
    match outcome.code {
        Some(0) => Ok(outcome.stdout),
        _ => Err(format!("mmoc {arguments}: {outcome:#?}").into()),
    }
}

fn run_json(arguments: &str) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&run(&format!("{arguments} --json"))?)?)
}

fn inspect(set: &Set) -> Result<(), Failed> {
    let found = run_json(&format!("inspect {}", set.files.join(" ")))?;
    expect_equal("name", &found["name"], set.name)?;
    expect_equal("rows", &found["rows"], set.rows)?;
    expect_equal("features", &found["features"], set.features)?;
    expect_equal("labels", &found["labels"], set.labels)?;
    if let Some(cardinality) = set.cardinality {
        let found = found["cardinality"].as_f64().unwrap_or(f64::NAN);
        expect_equal("cardinality", &format!("{found:.3}").into(), cardinality)?;
    }
    if let Some(label_sets) = set.label_sets {
        expect_equal("label sets", &found["distinct_label_sets"], label_sets)?;
    }
    Ok(())
}

fn expect_equal(what: &str, found: &Value, expected: impl Into<Value>) -> Result<(), Failed> {
    let expected = expected.into();
    if *found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected}, found {found}").into())
    }
}

fn threads_change_no_byte(method: &str, data: &str) -> Result<(), Failed> {
    let with = |threads: usize| {
        let options = format!("--method {method} --threads {threads} --json");
        let json = run(&format!("evaluate {data} {options}"))?;
        Ok::<String, Failed>(without_timings(&json))
    };
    if with(1)? == with(2)? {
        Ok(())
    } else {
        Err(format!("{method} on {data}: the results differ").into())
    }
}
