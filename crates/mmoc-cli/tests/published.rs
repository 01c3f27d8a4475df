//! Published splits: files to train on and files to test on.

mod common;

use common::Folder;
use common::small::Small;
use serde_json::{Value, json};

/// A split of one data set in several formats, another split, and damaged test files.
fn folder() -> Folder {
    let (train, test) = Small::new(90, 6, 4).split(60);
    let (other_train, other_test) = Small::new(70, 5, 3).split(50);
    let table = test.table(",");
    let reordered = table.lines().map(|line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.rotate_left(3);
        cells.join(",") + "\n"
    });
    let (header, rows) = table.split_once('\n').unwrap();
    let middle = rows.lines().count() / 2;
    let part = |rows: Vec<&str>| format!("{header}\n{}\n", rows.join("\n"));
    Folder::with(&[
        ("small-train.arff", train.arff()),
        ("small-test.arff", test.arff()),
        ("small.xml", train.xml()),
        ("train.csv", train.table(",")),
        ("test.csv", table.clone()),
        ("reordered.csv", reordered.collect()),
        ("first.csv", part(rows.lines().take(middle).collect())),
        ("second.csv", part(rows.lines().skip(middle).collect())),
        ("lacks-label.csv", table.replace("mood_4", "mood_5")),
        ("lacks-feature.csv", table.replacen("x2", "y2", 1)),
        (
            "wrong-cell.csv",
            format!("{header}\n0,0,0,0,0,0,1,0,perhaps,0\n"),
        ),
        ("empty.csv", format!("{header}\n")),
        ("train.svm", train.libsvm()),
        ("test.svm", test.libsvm()),
        ("other-train.arff", other_train.arff()),
        ("other-test.arff", other_test.arff()),
        ("other.xml", other_train.xml()),
    ])
}

fn evaluate(folder: &Folder, arguments: &str) -> Value {
    folder.json(&format!("evaluate --method br {arguments}"))
}

fn metrics(report: &Value) -> &Value {
    &report["datasets"][0]["methods"][0]["metrics"]
}

#[test]
fn evaluate_trains_on_the_data_and_tests_on_the_test_files() {
    let folder = folder();
    let penalty = "--set base.penalty=0.01";
    let files = "small-train.arff --test small-test.arff";
    let report = evaluate(&folder, &format!("{files} {penalty}"));
    assert_eq!(report["protocol"], json!({"kind": "published_split"}));
    let dataset = &report["datasets"][0];
    assert_eq!(
        (&dataset["name"], &dataset["rows"]),
        (&json!("small"), &json!(60))
    );
    assert_eq!(dataset["test"]["rows"], 30);
    assert_eq!(dataset["test"]["fingerprint"].as_str().unwrap().len(), 64);
    assert_eq!(metrics(&report)["macro_f1"]["stderr"], Value::Null);

    // The same numbers as a model that is trained and then scored.
    folder
        .run(&format!(
            "train small-train.arff --method br {penalty} -o m.mmoc"
        ))
        .succeeded();
    let scored = folder.json("score m.mmoc small-test.arff");
    for metric in ["subset_accuracy", "macro_f1", "hamming_loss"] {
        let found = metrics(&report)[metric]["mean"].as_f64().unwrap();
        let expected = scored["metrics"][metric].as_f64().unwrap();
        assert!(
            (found - expected).abs() < 1e-12,
            "{metric}: {found}, {expected}"
        );
    }
    let text = folder.output("evaluate small-train.arff --test small-test.arff --method br");
    let heading = "small: 60 training rows, 30 test rows, 6 features, 4 labels\n";
    assert!(text.starts_with(heading), "{text}");
    assert!(text.contains("published split, scaling none"), "{text}");
}

#[test]
fn columns_are_matched_by_name_and_files_follow_each_other() {
    let folder = folder();
    let expected = evaluate(&folder, "train.csv --labels mood_* --test test.csv");
    for test in ["--test reordered.csv", "--test first.csv --test second.csv"] {
        let found = evaluate(&folder, &format!("train.csv --labels mood_* {test}"));
        assert_eq!(metrics(&found), metrics(&expected), "{test}");
    }
    let pairs = evaluate(&folder, "train.svm --test test.svm");
    let auc = |report: &Value| metrics(report)["macro_auc"]["mean"].as_f64().unwrap();
    assert!((auc(&pairs) - auc(&expected)).abs() < 1e-6);
}

#[test]
fn labels_and_rows_are_left_out_of_both_parts() {
    let folder = folder();
    for files in [
        "train.csv --labels mood_* --test test.csv",
        "train.svm --test test.svm",
    ] {
        let options = "--top-labels 2 --drop-empty-rows";
        let outcome = folder.run(&format!("evaluate {files} {options} --method br --json"));
        assert_eq!(outcome.stderr, "", "{files}");
        let report = outcome.succeeded().json();
        let dataset = &report["datasets"][0];
        assert_eq!(dataset["labels"], 2, "{files}");
        assert!(dataset["test"]["rows"].as_u64().unwrap() < 30, "{files}");
        assert!(dataset["rows"].as_u64().unwrap() < 60, "{files}");
    }
}

#[test]
fn compare_writes_the_split_down_and_a_report_that_says_how_to_run_it_again() {
    let folder = folder();
    let arguments =
        "compare small-train.arff --test small-test.arff --method br --method max-margin";
    let outcome = folder.run(&format!("{arguments} --out out")).succeeded();
    assert!(
        outcome.stdout.contains("published split"),
        "{}",
        outcome.stdout
    );
    let read = |name: &str| std::fs::read_to_string(folder.path("out").join(name)).unwrap();
    let manifest: Value = serde_json::from_str(&read("experiment.json")).unwrap();
    let test = &manifest["datasets"][0]["test"];
    assert_eq!(test["files"][0]["name"], "small-test.arff");
    assert_eq!(test["files"][0]["sha256"].as_str().unwrap().len(), 64);
    let page = read("report.html");
    let command = "mmoc compare small-train.arff --test small-test.arff";
    assert!(page.contains(command), "{page}");
    let place = page.find(command).unwrap();
    let again = page[place + "mmoc ".len()..]
        .split('<')
        .next()
        .unwrap()
        .trim();
    let outcome = folder.run(&format!("{again} --out out")).succeeded();
    assert_eq!(outcome.code, Some(0), "the folder has the same experiment");
    let shown = folder.json("report out");
    assert_eq!(shown["fits"], json!({"done": 2, "total": 2}));
    assert_eq!(shown["rankings"], json!([]));
}

#[test]
fn with_each_the_test_files_belong_to_the_data_files_in_their_order() {
    let folder = folder();
    let each = "compare small-train.arff other-train.arff --each --method br --method lead";
    let found = folder.json(&format!(
        "{each} --test small-test.arff --test other-test.arff --out out"
    ));
    let sizes: Vec<(&Value, &Value)> = found["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dataset| (&dataset["rows"], &dataset["test"]["rows"]))
        .collect();
    assert_eq!(sizes, [(&json!(60), &json!(30)), (&json!(50), &json!(20))]);
    let over: Vec<&Value> = found["rankings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ranking| &ranking["over"])
        .collect();
    assert_eq!(over, ["all data sets"; 3]);
    let outcome = folder.run(&format!("{each} --test small-test.arff --out other"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("every DATA needs a --test of its own"),
        "{}",
        outcome.stderr
    );
    assert!(!folder.path("other").exists());
}

#[test]
fn bad_test_files_are_answered_with_their_place() {
    let folder = folder();
    for (test, code, message) in [
        (
            "lacks-label.csv",
            3,
            "lacks-label.csv:1:1: expected the label 'mood_4' of the training rows, found no column of that name",
        ),
        (
            "lacks-feature.csv",
            3,
            "expected the feature 'x2' of the training rows, found no column of that name (--missing mean",
        ),
        (
            "wrong-cell.csv",
            3,
            "wrong-cell.csv:2:17: expected 0 or 1 for the label 'mood_3', found 'perhaps'",
        ),
        ("empty.csv", 3, "empty.csv:2:1: expected at least one row"),
        ("absent.csv", 1, "absent.csv: No such file"),
        ("-", 2, "--test must be a file"),
        ("test.csv --folds 3", 2, "cannot be used with"),
        ("test.csv --train-size 30", 2, "cannot be used with"),
        ("test.csv --repeats 2", 2, "cannot be used with"),
        ("test.csv --no-stratify", 2, "cannot be used with"),
    ] {
        for command in ["evaluate", "compare --out out"] {
            let arguments =
                format!("{command} train.csv --labels mood_* --method br --test {test}");
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

#[test]
fn columns_that_are_not_used_and_files_on_both_sides_are_pointed_out() {
    let folder = folder();
    let outcome = folder
        .run("evaluate train.csv --labels mood_* --test train.csv --method br")
        .succeeded();
    assert!(
        outcome
            .stderr
            .contains("warning: train.csv is both trained on and tested"),
        "{}",
        outcome.stderr
    );
    let outcome = folder
        .run("evaluate train.csv --labels mood_* --test lacks-feature.csv --missing mean --method br")
        .succeeded();
    for note in [
        "the column 'y2' is not used, because the training rows do not have it",
        "the feature 'x2' is not there and is filled in with its mean",
    ] {
        assert!(outcome.stderr.contains(note), "{note}: {}", outcome.stderr);
    }
}
