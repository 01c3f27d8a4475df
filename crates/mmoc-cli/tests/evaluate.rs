//! `mmoc evaluate` on small data.

mod common;

use common::small::Small;
use common::{BINARY, Folder, Outcome, without_timings};
use serde_json::{Value, json};

/// Files with the same rows, features within [-1, 1] in `small` and beyond in `large`.
fn folder() -> Folder {
    let small = Small::new(90, 6, 4);
    let large = Small::new(90, 6, 4).enlarged();
    Folder::with(&[
        ("small.arff", small.arff()),
        ("small.xml", small.xml()),
        ("small.csv", small.table(",")),
        ("small.svm", small.libsvm()),
        ("small.xc", small.extreme()),
        ("large.csv", large.table(",")),
    ])
}

fn evaluate(folder: &Folder, arguments: &str) -> Value {
    folder.json(&format!("evaluate --method br {arguments}"))
}

fn method(report: &Value) -> &Value {
    &report["datasets"][0]["methods"][0]
}

fn metric(report: &Value, name: &str) -> f64 {
    let mean = &method(report)["metrics"][name]["mean"];
    mean.as_f64().unwrap_or_else(|| panic!("{name} is {mean}"))
}

#[test]
fn json_has_the_promised_keys_and_right_values() {
    let report = evaluate(&folder(), "small.arff --folds 3");
    let dataset = &report["datasets"][0];
    let promised = json!({
        "name": "small", "source": "real", "rows": 90, "features": 6, "labels": 4,
    });
    for (key, value) in promised.as_object().unwrap() {
        assert_eq!(&dataset[key], value, "{key}");
    }
    let method = method(&report);
    assert_eq!(
        (&method["name"], &method["base_models"]),
        (&json!("br"), &json!(4))
    );
    for name in ["subset_accuracy", "macro_f1", "micro_f1"] {
        let found = &method["metrics"][name];
        assert!(
            (0.0..=1.0).contains(&found["mean"].as_f64().unwrap()),
            "{name}"
        );
        assert!(found["stderr"].as_f64().unwrap() >= 0.0, "{name}");
    }
    for timing in ["fit_seconds", "predict_seconds"] {
        assert!(method[timing]["mean"].as_f64().unwrap() > 0.0, "{timing}");
    }
    assert_eq!(method["label_metrics"].as_array().unwrap().len(), 4);
    assert_eq!(method["label_metrics"][3]["name"], "mood_4");
}

#[test]
fn the_protocol_is_what_was_asked_for() {
    let cases = [
        (
            "",
            json!({"kind": "cross_validation", "folds": 5, "stratified": true, "repeats": 1}),
        ),
        (
            "--folds 3",
            json!({"kind": "cross_validation", "folds": 3, "stratified": true, "repeats": 1}),
        ),
        (
            "--no-stratify",
            json!({"kind": "cross_validation", "folds": 5, "stratified": false, "repeats": 1}),
        ),
        (
            "--train-size 60",
            json!({"kind": "random_splits", "runs": 30, "train_size": 60}),
        ),
        (
            "--train-size 60 --runs 2",
            json!({"kind": "random_splits", "runs": 2, "train_size": 60}),
        ),
    ];
    let folder = folder();
    for (options, protocol) in cases {
        let report = evaluate(&folder, &format!("small.arff {options}"));
        assert_eq!(report["protocol"], protocol, "{options}");
    }
}

#[test]
fn each_test_row_of_cross_validation_is_counted_once() {
    let report = evaluate(&folder(), "small.arff --folds 3");
    let counts = Small::new(90, 6, 4).label_counts();
    for (label, count) in counts.iter().enumerate() {
        let mean = method(&report)["label_metrics"][label]["positives"].as_f64();
        let expected = *count as f64 / 3.0;
        assert!(
            (mean.unwrap() - expected).abs() < 1e-9,
            "label {label}: {mean:?}"
        );
    }
}

#[test]
fn one_run_has_no_standard_error() {
    let folder = folder();
    let report = evaluate(&folder, "small.arff --train-size 60 --runs 1");
    assert_eq!(
        method(&report)["metrics"]["subset_accuracy"]["stderr"],
        Value::Null
    );
    let text = folder.output("evaluate small.arff --method br --train-size 60 --runs 1");
    let line = text
        .lines()
        .find(|line| line.contains("Subset accuracy"))
        .unwrap();
    assert!(line.ends_with('–'), "{line}");
}

#[test]
fn what_can_be_learnt_is_learnt() {
    let report = evaluate(&folder(), "small.arff");
    assert!(metric(&report, "macro_auc") > 0.8, "{report:#}");
    assert!(metric(&report, "micro_f1") > 0.6, "{report:#}");
}

#[test]
fn text_says_what_was_done_and_what_came_out() {
    let text = folder().output("evaluate small.arff --method br --folds 3 --seed 7");
    let heading = "\
small: 90 rows, 6 features, 4 labels
BR (4 base models), 3 stratified folds, scaling none, seed 7
candidates=all decide=subset

";
    assert!(text.starts_with(heading), "{text}");
    for title in [
        "Subset accuracy",
        "Hamming loss",
        "Macro-F1",
        "Micro-F1",
        "Log loss",
    ] {
        assert!(text.contains(&format!("\n  {title} ")), "{title} in {text}");
    }
    assert!(!text.contains("mood_1"), "{text}");
}

#[test]
fn text_and_json_have_the_same_numbers() {
    let folder = folder();
    let report = evaluate(&folder, "small.arff --folds 3");
    let text = folder.output("evaluate small.arff --method br --folds 3");
    let line = text.lines().find(|line| line.contains("Macro-F1")).unwrap();
    let shown = line.split_whitespace().nth(1).unwrap();
    assert_eq!(shown, format!("{:.4}", metric(&report, "macro_f1")));
}

#[test]
fn each_label_is_shown_on_request_with_control_characters_escaped() {
    let table = Small::new(60, 4, 2)
        .table(",")
        .replace("mood_2", "mood\u{1b}[2J");
    let folder = Folder::with(&[("t.csv", table)]);
    let text = folder.output("evaluate t.csv --labels -2 --method br --folds 2 --per-label");
    assert!(text.contains("\n  mood_1 "), "{text}");
    assert!(text.contains("\n  mood\\u{1b}[2J "), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn every_format_gives_the_same_scores() {
    let folder = folder();
    let expected = metric(&evaluate(&folder, "small.arff"), "macro_auc");
    for data in ["small.csv --labels mood_*", "small.svm", "small.xc"] {
        let found = metric(&evaluate(&folder, data), "macro_auc");
        assert!(
            (found - expected).abs() < 1e-6,
            "{data}: {found}, {expected}"
        );
    }
}

#[test]
fn features_are_scaled_as_asked() {
    let folder = folder();
    let loss = |data: &str, scale: &str| {
        let arguments = format!("{data}.csv --labels mood_* {scale}");
        metric(&evaluate(&folder, &arguments), "log_loss")
    };
    let (none, standard) = ("--scale none", "--scale standard");
    assert_eq!(
        loss("small", "--scale auto").to_bits(),
        loss("small", none).to_bits()
    );
    assert_eq!(loss("small", "").to_bits(), loss("small", none).to_bits());
    assert_eq!(
        loss("large", "").to_bits(),
        loss("large", standard).to_bits()
    );
    assert_ne!(
        loss("small", standard).to_bits(),
        loss("small", none).to_bits()
    );
    assert_ne!(
        loss("large", standard).to_bits(),
        loss("large", none).to_bits()
    );
}

#[test]
fn missing_cells_are_filled_in_on_request() {
    let table = Small::new(60, 4, 2).table(",");
    let gap = |(number, line): (usize, &str)| match line.split_once(',') {
        Some((_, rest)) if number % 7 == 3 => format!("?,{rest}\n"),
        _ => format!("{line}\n"),
    };
    let table: String = table.lines().enumerate().map(gap).collect();
    let folder = Folder::with(&[("t.csv", table)]);
    let report = evaluate(&folder, "t.csv --labels -2 --missing mean");
    assert!(metric(&report, "macro_auc") > 0.6, "{report:#}");
    assert_eq!(
        folder.run("evaluate t.csv --labels -2 --method br").code,
        Some(3)
    );
}

#[test]
fn labels_and_rows_are_left_out_before_the_evaluation() {
    let report = evaluate(
        &folder(),
        "small.arff --top-labels 2 --drop-empty-rows --folds 2",
    );
    let dataset = &report["datasets"][0];
    assert_eq!(dataset["labels"], 2);
    assert!(dataset["rows"].as_u64().unwrap() < 90);
}

/// Ways to split that differ in what happens side by side: many runs, or the pieces of one.
const SPLITS: [&str; 4] = [
    "--folds 4",
    "--folds 4 --no-stratify",
    "--train-size 60 --runs 5",
    "--train-size 60 --runs 1",
];

fn report_without_timings(folder: &Folder, options: &str) -> String {
    let arguments = format!("evaluate small.arff --method br --json {options}");
    without_timings(&folder.output(&arguments))
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_other_results() {
    let folder = folder();
    for split in SPLITS {
        let with_seed = |seed| report_without_timings(&folder, &format!("{split} --seed {seed}"));
        let results = |report: &str| report.replace("\"seed\": 2", "\"seed\": 1");
        assert_eq!(with_seed(1), with_seed(1), "{split}");
        assert_ne!(with_seed(1), results(&with_seed(2)), "{split}");
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = folder();
    for split in SPLITS {
        let with =
            |threads| report_without_timings(&folder, &format!("{split} --threads {threads}"));
        let one = with(1);
        for threads in [2, 3, 16] {
            assert_eq!(with(threads), one, "{split}, {threads} threads");
        }
    }
}

#[test]
fn a_label_that_never_or_always_occurs_is_ordinary() {
    let rows = (0..20).map(|i| format!("{i},{},0,1,{}\n", i % 3, i % 2));
    let table = format!("a,b,never,always,half\n{}", rows.collect::<String>());
    let folder = Folder::with(&[("t.csv", table)]);
    let report = evaluate(&folder, "t.csv --labels -3 --folds 4");
    let labels = &method(&report)["label_metrics"];
    assert_eq!(
        (&labels[0]["predicted"], &labels[0]["auc"]),
        (&json!(0.0), &Value::Null)
    );
    assert_eq!(
        (&labels[1]["recall"], &labels[1]["auc"]),
        (&json!(1.0), &Value::Null)
    );
    assert!(labels[2]["auc"].is_number(), "{labels:#}");
}

#[test]
fn without_a_terminal_there_is_no_progress_bar() {
    let arguments = "evaluate small.arff --method br --train-size 60 --runs 40 --threads 2";
    assert_eq!(folder().run(arguments).succeeded().stderr, "");
}

#[test]
fn a_reader_that_closed_standard_output_is_no_failure() {
    let folder = folder();
    for options in ["", " --json"] {
        let arguments = format!("evaluate small.arff --method br --folds 2{options}");
        let (_, nobody) = std::io::pipe().expect("the system has pipes");
        let mut command = folder.command(BINARY);
        command.args(arguments.split(' ')).stdout(nobody);
        let outcome = Outcome::of(&mut command).succeeded();
        assert_eq!(outcome.stderr, "");
    }
}
