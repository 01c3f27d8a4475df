//! Predictions that any program made: scored by themselves, and beside the methods of a comparison.

mod common;

use common::Folder;
use common::small::Small;
use serde_json::{Value, json};

/// A published split, and the true labels of its test rows as predictions.
fn folder() -> Folder {
    let (train, test) = Small::new(90, 6, 4).split(60);
    let (other_train, other_test) = Small::new(70, 5, 3).split(50);
    let truth = test.label_table(",");
    let reordered = truth.lines().map(|line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.reverse();
        format!("{},7\n", cells.join(","))
    });
    let reordered: String = reordered.collect();
    let short: Vec<&str> = truth.lines().take(20).collect();
    let wrong = truth.replacen("\n0,", "\n0.25,", 1);
    Folder::with(&[
        ("train.csv", train.table(",")),
        ("test.csv", test.table(",")),
        ("truth.csv", truth.clone()),
        ("truth.tsv", test.label_table("\t")),
        ("reordered.csv", reordered.replacen(",7\n", ",id\n", 1)),
        ("short.csv", short.join("\n")),
        ("wrong.csv", wrong),
        ("lacks.csv", truth.replace("mood_2", "mood_9")),
        ("empty.csv", "mood_1,mood_2,mood_3,mood_4\n".into()),
        ("other-train.csv", other_train.table(",")),
        ("other-test.csv", other_test.table(",")),
        ("other-truth.csv", other_test.label_table(",")),
        (
            "unknown.jsonl",
            "{\"labels\": [\"mood_1\", \"gloom\"]}\n".into(),
        ),
        (
            "damaged.jsonl",
            "{\"labels\": []}\n{\"labels\": 1}\n".into(),
        ),
        (
            "probability.jsonl",
            "{\"labels\": [], \"probabilities\": {\"mood_1\": 1.5}}\n".into(),
        ),
    ])
}

const TEST: &str = "test.csv --labels mood_*";

#[test]
fn true_labels_have_the_best_scores_in_every_form() {
    let folder = folder();
    for file in ["truth.csv", "truth.tsv", "reordered.csv"] {
        let scored = folder.json(&format!("score --predictions {file} {TEST}"));
        assert_eq!(
            (&scored["rows"], &scored["method"]),
            (&json!(30), &Value::Null)
        );
        assert_eq!(scored["metrics"]["subset_accuracy"], 1.0, "{file}");
        assert_eq!(scored["metrics"]["hamming_loss"], 0.0, "{file}");
        assert!(scored["metrics"].get("log_loss").is_none(), "{file}");
        assert_eq!(scored["label_metrics"][1]["name"], "mood_2", "{file}");
    }
    let text = folder.output(&format!("score --predictions truth.csv {TEST} --per-label"));
    assert!(text.starts_with("truth.csv, 30 rows\n"), "{text}");
    assert!(text.contains("\n  mood_4 "), "{text}");
    let outcome = folder.run(&format!("score --predictions reordered.csv {TEST}"));
    let note = "the column 'id' is not used, because the test rows have no label of that name";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
}

#[test]
fn predictions_of_a_model_are_scored_as_the_model_is() {
    let folder = folder();
    folder
        .run("train train.csv --labels mood_* --method br -o m.mmoc")
        .succeeded();
    let expected = folder.json("score m.mmoc test.csv");
    for (out, options) in [
        ("p.csv", ""),
        ("p.tsv", ""),
        ("p.arff", ""),
        ("p.jsonl", ""),
        ("q.jsonl", "--proba"),
    ] {
        folder
            .run(&format!("predict m.mmoc test.csv -o {out} {options}"))
            .succeeded();
        let scored = folder.json(&format!("score --predictions {out} {TEST}"));
        for metric in ["subset_accuracy", "macro_f1", "hamming_loss"] {
            assert_eq!(
                scored["metrics"][metric], expected["metrics"][metric],
                "{out}"
            );
        }
        let has_probabilities = scored["metrics"].get("log_loss").is_some();
        assert_eq!(has_probabilities, options == "--proba", "{out}");
    }
    let scored = folder.json(&format!("score --predictions q.jsonl {TEST}"));
    for metric in ["log_loss", "macro_auc"] {
        let (found, expected) = (&scored["metrics"][metric], &expected["metrics"][metric]);
        let difference = found.as_f64().unwrap() - expected.as_f64().unwrap();
        assert!(difference.abs() < 1e-9, "{metric}: {found}, {expected}");
    }
}

/// Predictions are for the files as they are, whatever is left out of them.
#[test]
fn what_is_left_out_of_the_rows_is_left_out_of_their_predictions() {
    let folder = folder();
    let options = "--top-labels 2 --drop-empty-rows";
    let scored = folder.json(&format!("score --predictions truth.csv {TEST} {options}"));
    assert!(scored["rows"].as_u64().unwrap() < 30);
    assert_eq!(scored["label_metrics"].as_array().unwrap().len(), 2);
    assert_eq!(scored["metrics"]["subset_accuracy"], 1.0);
}

#[test]
fn bad_predictions_are_answered_with_their_place() {
    let folder = folder();
    for (file, code, message) in [
        (
            "short.csv",
            3,
            "short.csv: expected 30 rows, one for each row of the test files, found 19",
        ),
        (
            "lacks.csv",
            3,
            "lacks.csv:1:1: expected the label 'mood_2' of the test rows, found no column of that name",
        ),
        (
            "wrong.csv",
            3,
            ":1: expected 0 or 1 for the label 'mood_1', found '0.25'",
        ),
        ("empty.csv", 3, "empty.csv:2:1: expected at least one row"),
        (
            "unknown.jsonl",
            3,
            "unknown.jsonl:1:23: expected the name of a label of the test rows, found 'gloom'",
        ),
        ("damaged.jsonl", 3, "damaged.jsonl:2:"),
        (
            "probability.jsonl",
            3,
            "expected a probability of the label 'mood_1', found 1.5",
        ),
        ("absent.csv", 1, "absent.csv: No such file"),
        ("truth", 2, "clear from the file name"),
        ("-", 2, "predictions must be in a file"),
    ] {
        for arguments in [
            format!("score --predictions {file} {TEST}"),
            format!(
                "compare train.csv --labels mood_* --test test.csv --method br --external x={file} --out out"
            ),
        ] {
            let outcome = folder.run(&arguments);
            assert_eq!(outcome.code, Some(code), "{arguments}: {outcome:?}");
            assert!(
                outcome.stderr.contains(message),
                "{arguments}: {}",
                outcome.stderr
            );
            assert!(!folder.path("out").exists(), "{arguments}");
        }
    }
}

const COMPARE: &str =
    "compare train.csv --labels mood_* --test test.csv --method br --method max-margin";

#[test]
fn external_entrants_stand_beside_the_methods() {
    let folder = folder();
    let arguments = format!("{COMPARE} --external their_own=truth.csv");
    let outcome = folder.run(&format!("{arguments} --out out")).succeeded();
    assert!(
        outcome.stdout.contains("\n  their_own (–) "),
        "{}",
        outcome.stdout
    );
    let times = outcome.stdout.split("Seconds per run").nth(1).unwrap();
    let line = times
        .lines()
        .find(|line| line.contains("their_own"))
        .unwrap();
    assert_eq!(line.matches('–').count(), 3, "{line}");

    let found = folder.json("report out");
    let own = &found["datasets"][0]["methods"][2];
    assert_eq!(
        (&own["name"], &own["base_models"]),
        (&json!("their_own"), &Value::Null)
    );
    assert_eq!(own["parameters"], json!({}));
    assert_eq!(own["fit_seconds"], json!({"mean": null}));
    assert_eq!(own["metrics"]["subset_accuracy"]["mean"], 1.0);
    assert_eq!(found["reference"], "max-margin");

    let read = |name: &str| std::fs::read_to_string(folder.path("out").join(name)).unwrap();
    let manifest: Value = serde_json::from_str(&read("experiment.json")).unwrap();
    let entry = &manifest["methods"][2];
    assert_eq!(entry["external"][0]["name"], "truth.csv");
    assert_eq!(entry["external"][0]["sha256"].as_str().unwrap().len(), 64);
    assert!(manifest["methods"][0].get("external").is_none());
    let page = read("report.html");
    assert!(
        page.contains("truth.csv, predictions of their_own"),
        "{page}"
    );
    assert!(!page.contains("NaN"));
    let command = "mmoc compare train.csv --test test.csv";
    let place = page.find(command).expect("the page has the command");
    let again = page[place + "mmoc ".len()..].split('<').next().unwrap();
    assert!(again.contains("--external their_own=truth.csv"), "{again}");

    // Other predictions are another experiment.
    std::fs::copy(folder.path("test.csv"), folder.path("changed.csv")).unwrap();
    let outcome = folder.run(&format!(
        "{COMPARE} --external their_own=changed.csv --out out"
    ));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("differs in methods"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn with_each_every_data_set_has_its_own_predictions() {
    let folder = folder();
    let each = "compare train.csv other-train.csv --each --labels mood_* --test test.csv --test other-test.csv --method br";
    let external = "--external x=truth.csv --external x=other-truth.csv";
    let found = folder.json(&format!("{each} {external} --reference x --out out"));
    for dataset in found["datasets"].as_array().unwrap() {
        let own = &dataset["methods"][1];
        assert_eq!(
            own["metrics"]["subset_accuracy"]["mean"], 1.0,
            "{}",
            dataset["name"]
        );
    }
    assert_eq!(found["reference"], "x");
    assert_eq!(found["rankings"][0]["methods"], json!(["br", "x"]));
    let outcome = folder.run(&format!("{each} --external x=truth.csv --out one"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("there are 2 and 1"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn wrong_usage_is_answered_before_anything_is_read() {
    let folder = folder();
    for (arguments, message) in [
        ("--external x", "expected NAME=FILE"),
        ("--external br=truth.csv", "'br' is taken"),
        ("--external base=truth.csv", "'base' is taken"),
        ("--external a.b=truth.csv", "letters, digits, - and _"),
        ("--external =truth.csv", "letters, digits, - and _"),
        (
            "--external x=truth.csv --external x=truth.csv",
            "there are 1 and 2",
        ),
        (
            "--external x=truth.csv --set x.c=1",
            "unknown method 'x': expected one of br, max-margin, base",
        ),
        ("--reference x", "--reference x: unknown method 'x'"),
    ] {
        let outcome = folder.run(&format!("{COMPARE} {arguments} --out out"));
        assert_eq!(outcome.code, Some(2), "{arguments}: {outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments}: {}",
            outcome.stderr
        );
        assert!(!folder.path("out").exists(), "{arguments}");
    }
    for (arguments, message) in [
        (
            "compare train.csv --labels mood_* --external x=truth.csv",
            "--test <FILE>",
        ),
        ("score truth.csv", "mmoc score [OPTIONS] <MODEL> <DATA>..."),
        (
            "score m.mmoc test.csv --labels 4",
            "--labels has a meaning only with --predictions",
        ),
        (
            "score --predictions truth.csv test.csv",
            "test.csv: a table needs --labels",
        ),
        ("score --predictions truth.csv", "MODEL|DATA"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}: {outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments}: {}",
            outcome.stderr
        );
    }
}

/// Methods that a folder has stay by themselves. Of predictions it has the scores only.
#[test]
fn predictions_of_a_folder_must_be_repeated() {
    let folder = folder();
    let compare = "compare train.csv --test test.csv --labels mood_* --out grown";
    let external = "--external theirs=truth.csv";
    folder
        .run(&format!("{compare} --method br {external}"))
        .succeeded();
    let outcome = folder.run(&format!("{compare} --method coding-pca"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    let message = "grown: also holds results of theirs (repeat the predictions that are there: --external theirs=FILE)";
    assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    folder
        .run(&format!("{compare} --method coding-pca {external}"))
        .succeeded();
    let summary = folder.json("report grown");
    let methods = summary["datasets"][0]["methods"].as_array().unwrap();
    let names: Vec<&Value> = methods.iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, ["br", "coding-pca", "theirs"]);
}
