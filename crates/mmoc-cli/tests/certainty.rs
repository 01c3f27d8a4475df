//! The posterior over label sets from the command line: decisions, likely sets, confidence, and what is said of it.

mod common;

use std::fs;

use common::Folder;
use common::small::Small;
use mmoc::Silent;
use mmoc::data::Matrix;
use mmoc::method::Method;
use mmoc::posterior::{GivenEvidence, GivenKind};
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use serde_json::Value;

const DECISIONS: [&str; 5] = ["subset", "f1", "hamming", "micro-f1", "macro-f1"];

/// Songs to learn from and songs to predict, and a model with a posterior.
fn folder() -> Folder {
    let (train, test) = Small::new(160, 5, 3).split(100);
    let folder = Folder::with(&[
        ("train.csv", train.table(",")),
        ("test.csv", test.table(",")),
    ]);
    train_on(&folder, "train.csv --labels mood_*");
    folder
}

fn train_on(folder: &Folder, arguments: &str) {
    let arguments = format!("train {arguments} -o m.mmoc");
    folder.run(&arguments).succeeded();
}

fn predict(folder: &Folder, arguments: &str) -> String {
    folder.output(&format!("predict m.mmoc test.csv {arguments}"))
}

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

/// The cells of a table without its header.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let rows = table.lines().skip(1);
    rows.map(|row| row.split(',').collect()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn max_margin_is_trained_and_evaluated_by_default() {
    let folder = folder();
    let described = folder.json("inspect m.mmoc");
    assert_eq!(described["method"], "max-margin");
    let found = folder.json("evaluate train.csv --labels mood_* --folds 2");
    assert_eq!(found["datasets"][0]["methods"][0]["name"], "max-margin");
    for command in ["train", "evaluate"] {
        let help = folder.output(&format!("{command} -h"));
        assert!(help.contains("[default: max-margin]"), "{help}");
    }
}

#[test]
fn a_decision_is_overridden_and_scored_by_the_same_rows() {
    let folder = folder();
    let truth = fs::read_to_string(folder.path("test.csv")).unwrap();
    let truth = cells(&truth);
    assert_eq!(folder.json("score m.mmoc test.csv")["decide"], "subset");
    for decision in DECISIONS {
        let table = predict(&folder, &format!("--decide {decision}"));
        let found = cells(&table);
        let pairs = found.iter().zip(&truth);
        let right = pairs.filter(|(found, truth)| found[..] == truth[5..]);
        let share = right.count() as f64 / 60.0;
        let scored = folder.json(&format!("score m.mmoc test.csv --decide {decision}"));
        assert_eq!(scored["decide"], decision);
        let accuracy = number(&scored["metrics"]["subset_accuracy"]);
        assert!((accuracy - share).abs() < 1e-12, "{decision}");
        let text = folder.output(&format!("score m.mmoc test.csv --decide {decision}"));
        let first = format!("MaxMargin, 60 rows, decisions for {decision}\n");
        assert!(text.starts_with(&first), "{text}");
        // A model that was trained for the measure decides for it unasked.
        let train = format!("train.csv --labels mood_* --set decide={decision}");
        train_on(&folder, &train);
        let own = folder.json("score m.mmoc test.csv");
        assert_eq!(own["decide"], decision);
        train_on(&folder, "train.csv --labels mood_*");
    }
}

#[test]
fn decisions_differ_where_they_should() {
    let folder = folder();
    let chances = json_lines(&predict(&folder, "--format jsonl --proba --decide hamming"));
    for row in &chances {
        let predicted = row["labels"].as_array().unwrap();
        for (name, chance) in row["probabilities"].as_object().unwrap() {
            let has = predicted.iter().any(|label| label == name);
            assert_eq!(has, number(chance) > 0.5, "{row}");
        }
    }
    let likely = json_lines(&predict(&folder, "--format jsonl --sets 1 --decide subset"));
    for row in &likely {
        assert_eq!(row["sets"][0]["labels"], row["labels"]);
    }
}

#[test]
fn likely_sets_are_the_same_in_every_format_and_ordered() {
    let folder = folder();
    let table = predict(&folder, "--sets 3");
    let header =
        "\"set_1\",\"probability_1\",\"set_2\",\"probability_2\",\"set_3\",\"probability_3\"";
    assert_eq!(table.lines().next(), Some(header));
    let tabs = predict(&folder, "--sets 3 --format tsv");
    assert_eq!(tabs.replace('\t', ","), table);
    let rows = json_lines(&predict(&folder, "--sets 3 --format jsonl --confidence"));
    assert_eq!(rows.len(), 60);
    for (row, cells) in rows.iter().zip(cells(&table)) {
        let sets = row["sets"].as_array().unwrap();
        assert_eq!(sets.len(), 3);
        for (k, set) in sets.iter().enumerate() {
            let labels = set["labels"].as_array().unwrap();
            let names: Vec<&str> = labels.iter().map(|name| name.as_str().unwrap()).collect();
            assert_eq!(cells[2 * k], names.join(";"));
            let probability: f64 = cells[2 * k + 1].parse().unwrap();
            assert_eq!(set["probability"].as_f64(), Some(probability));
        }
        let chances: Vec<f64> = sets.iter().map(|set| number(&set["probability"])).collect();
        assert!(chances.is_sorted_by(|a, b| a >= b), "{row}");
        assert!(chances.iter().sum::<f64>() <= 1.0 + 1e-9, "{row}");
        // Confidence is recalibrated, so that it is not the probability itself.
        let confidence = number(&row["confidence"]);
        assert!(confidence > 0.0 && confidence < 1.0, "{row}");
    }
}

#[test]
fn names_with_the_separator_are_told_apart() {
    let (train, test) = Small::new(80, 4, 2).split(60);
    let renamed = |table: String| {
        let table = table.replace("mood_1", "rock;roll");
        table.replace("mood_2", "back\\slash")
    };
    let folder = Folder::with(&[
        ("train.csv", renamed(train.table(","))),
        ("test.csv", renamed(test.table(","))),
    ]);
    train_on(&folder, "train.csv --labels -2");
    let table = predict(&folder, "--sets 4");
    let rows = cells(&table);
    let sets = [
        "",
        "rock\\;roll",
        "back\\\\slash",
        "rock\\;roll;back\\\\slash",
    ];
    for row in rows {
        let mut found: Vec<&str> = row.iter().step_by(2).copied().collect();
        found.sort_unstable();
        let mut expected = sets;
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn confidence_is_a_column_or_a_key() {
    let folder = folder();
    let plain = predict(&folder, "");
    let table = predict(&folder, "--confidence");
    let header = "\"mood_1\",\"mood_2\",\"mood_3\",\"confidence\"";
    assert_eq!(table.lines().next(), Some(header));
    let lines = json_lines(&predict(&folder, "--confidence --format jsonl"));
    let arff = predict(&folder, "--confidence --format arff");
    assert!(arff.contains("@attribute confidence numeric\n"), "{arff}");
    let arff = arff.split_once("@data\n").unwrap().1;
    let chances = predict(&folder, "--confidence --proba");
    let best = predict(&folder, "--confidence --top-k 1");
    for (row, cells_of_row) in cells(&table).into_iter().enumerate() {
        let confidence: f64 = cells_of_row[3].parse().unwrap();
        assert!((0.0..=1.0).contains(&confidence));
        assert_eq!(cells(&plain)[row], cells_of_row[..3]);
        assert_eq!(lines[row]["confidence"].as_f64(), Some(confidence));
        assert_eq!(arff.lines().nth(row), Some(cells_of_row.join(",").as_str()));
        assert_eq!(cells(&chances)[row][3], cells_of_row[3]);
        assert_eq!(cells(&best)[row][1], cells_of_row[3]);
    }
    assert!(!predict(&folder, "--format jsonl").contains("confidence"));
}

#[test]
fn rows_of_low_confidence_are_left_undecided_and_counted() {
    let folder = folder();
    let sure = predict(&folder, "--confidence");
    let sure = cells(&sure);
    let least = 0.6;
    let low = |row: &Vec<&str>| row[3].parse::<f64>().unwrap() < least;
    let count = sure.iter().filter(|row| low(row)).count();
    assert!((1..60).contains(&count), "{count}");
    let run = |arguments: &str| {
        let arguments = format!("predict m.mmoc test.csv --min-confidence {least} {arguments}");
        let outcome = folder.run(&arguments).succeeded();
        let note = format!("note: {count} of 60 rows undecided");
        assert!(outcome.stderr.starts_with(&note), "{outcome:?}");
        outcome.stdout
    };
    let (table, arff, lines) = (run(""), run("--format arff"), run("--format jsonl"));
    let both = run("--confidence");
    assert!(!lines.contains("confidence"));
    let with_sets = json_lines(&run("--format jsonl --sets 2"));
    let lines = json_lines(&lines);
    let arff = arff.split_once("@data\n").unwrap().1;
    for (row, expected) in sure.iter().enumerate() {
        let flags = &cells(&table)[row];
        let is_open = low(expected);
        if is_open {
            assert_eq!(flags[..], [""; 3]);
            assert_eq!(arff.lines().nth(row), Some("?,?,?"));
        } else {
            assert_eq!(flags[..], expected[..3]);
        }
        assert_eq!(cells(&both)[row][3], expected[3]);
        assert_eq!(lines[row]["labels"].is_null(), is_open);
        assert_eq!(with_sets[row]["labels"].is_null(), is_open);
        assert_eq!(with_sets[row]["sets"].as_array().unwrap().len(), 2);
    }
    let all = "predict m.mmoc test.csv --min-confidence 0 -o out.csv";
    let outcome = folder.run(all).succeeded();
    assert!(
        outcome.stderr.starts_with("note: 0 of 60 rows undecided"),
        "{outcome:?}"
    );
}

#[test]
fn scores_say_how_sure_and_how_well_calibrated_a_model_is() {
    let folder = folder();
    let scored = folder.json("score m.mmoc test.csv");
    let sure = predict(&folder, "--confidence");
    let sum: f64 = cells(&sure)
        .iter()
        .map(|row| row[3].parse::<f64>().unwrap())
        .sum();
    let mean = number(&scored["mean_confidence"]);
    assert!((mean - sum / 60.0).abs() < 1e-12);
    let error = number(&scored["calibration_error"]);
    let accuracy = number(&scored["metrics"]["subset_accuracy"]);
    assert!(error >= (mean - accuracy).abs() - 1e-12 && error < 0.5);
    let text = folder.output("score m.mmoc test.csv");
    assert!(text.contains("Mean confidence"), "{text}");
    assert!(text.contains("Calibration error"), "{text}");

    train_on(&folder, "train.csv --labels mood_* --method br");
    let scored = folder.json("score m.mmoc test.csv");
    for key in ["decide", "mean_confidence", "calibration_error"] {
        assert!(scored[key].is_null(), "{scored}");
    }
    assert!(!folder.output("score m.mmoc test.csv").contains("onfidence"));
}

#[test]
fn a_posterior_is_shown_after_training_and_when_inspected() {
    let folder = folder();
    let shown = folder
        .run("train train.csv --labels mood_* -o m.mmoc")
        .succeeded()
        .stdout;
    let inspected = folder.output("inspect m.mmoc");
    let json = folder.json("inspect m.mmoc");
    assert_eq!(json["decide"], "subset");
    let posterior = &json["posterior"];
    let counts = format!("{} label sets (seen), unseen mass", posterior["sets"]);
    for text in [&shown, &inspected] {
        for part in [
            counts.as_str(),
            "decisions for subset",
            "term ",
            "weight",
            "worth",
            "terms tried",
            "chosen",
            "estimated on held-out rows, decisions for subset",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        for term in posterior["terms"].as_array().unwrap() {
            let weight = format!("{:.4}", number(&term["weight"]));
            let name = term["name"].as_str().unwrap();
            let line = text.lines().find(|line| line.contains(&weight));
            assert!(line.is_some_and(|line| line.contains(name)), "{text}");
        }
    }
    assert!(inspected.contains("mean log-likelihood"), "{inspected}");
    for key in ["unseen_mass", "independent_share", "gap", "log_likelihood"] {
        assert!(posterior[key].is_number(), "{key}: {posterior}");
    }
    let forms = posterior["forms"].as_array().unwrap();
    let chosen = forms.iter().filter(|form| form["chosen"] == true);
    assert_eq!(chosen.count(), 1);
    assert!(posterior["terms"][0]["worth"].is_number());

    train_on(&folder, "train.csv --labels mood_* --method lead");
    let json = folder.json("inspect m.mmoc");
    assert!(json["decide"].is_null() && json["posterior"].is_null());
    let inspected = folder.output("inspect m.mmoc");
    assert!(!inspected.contains("decisions for"), "{inspected}");
}

#[test]
fn a_label_called_confidence_is_never_ambiguous() {
    let (train, test) = Small::new(80, 4, 2).split(60);
    let renamed = |table: String| table.replace("mood_1", "confidence");
    let folder = Folder::with(&[
        ("train.csv", renamed(train.table(","))),
        ("test.csv", renamed(test.table(","))),
    ]);
    train_on(&folder, "train.csv --labels -2");
    for format in ["csv", "tsv", "arff"] {
        let arguments = format!("predict m.mmoc test.csv --confidence --format {format}");
        let outcome = folder.run(&arguments);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        let message = "--confidence: the model has a label 'confidence'";
        assert!(outcome.stderr.contains(message), "{outcome:?}");
    }
    for line in json_lines(&predict(&folder, "--confidence --format jsonl --proba")) {
        assert!(line["confidence"].is_number());
        assert!(line["probabilities"]["confidence"].is_number());
    }
    let table = predict(&folder, "--sets 1 --confidence");
    let header = "\"set_1\",\"probability_1\",\"confidence\"";
    assert_eq!(table.lines().next(), Some(header));
}

#[test]
fn a_model_without_a_posterior_says_how_to_get_one() {
    let folder = folder();
    for method in ["br", "lead", "max-margin --preset paper"] {
        train_on(
            &folder,
            &format!("train.csv --labels mood_* --method {method}"),
        );
        for command in [
            "predict m.mmoc test.csv --decide f1",
            "predict m.mmoc test.csv --sets 2",
            "predict m.mmoc test.csv --confidence",
            "predict m.mmoc test.csv --min-confidence 0.5",
            "score m.mmoc test.csv --decide f1",
        ] {
            let outcome = folder.run(command);
            assert_eq!(outcome.code, Some(2), "{outcome:?}");
            for part in [
                "this model has no posterior over label sets",
                "max-margin and its default parameters",
                "--method br --set candidates=seen",
            ] {
                assert!(outcome.stderr.contains(part), "{command}: {outcome:?}");
            }
        }
    }
    train_on(
        &folder,
        "train.csv --labels mood_* --method br --set candidates=seen",
    );
    assert_eq!(predict(&folder, "--confidence").lines().count(), 61);
}

#[test]
fn a_model_with_evidence_from_outside_says_what_is_missing_and_where_it_is() {
    let folder = folder();
    let train = mmoc_io::read(folder.path("train.csv"), mmoc_io::labels("mood_*")).unwrap();
    let (rows, labels) = (train.rows(), train.label_names().len());
    let numbers = Matrix::from_fn(rows, labels, |row, label| ((7 * row + label) % 5) as f64);
    let boosting = GivenEvidence::new("boosting", GivenKind::LogOdds, numbers).unwrap();
    let mut method: Method = "max-margin".parse().unwrap();
    method.set("terms", "labels").unwrap();
    let params = TrainParams::of(method);
    let model = params.train_with(train.view(), &[boosting], &Silent);
    model.unwrap().save(folder.path("m.mmoc")).unwrap();
    for command in ["predict", "score"] {
        let outcome = folder.run(&format!("{command} m.mmoc test.csv"));
        assert_eq!(outcome.code, Some(3), "{outcome:?}");
        for part in [
            "the model needs the evidence 'boosting'",
            "predict from Python, with the pickled estimator",
        ] {
            assert!(outcome.stderr.contains(part), "{command}: {outcome:?}");
        }
    }
    let described = folder.output("inspect m.mmoc");
    assert!(described.contains("boosting"), "{described}");
}

#[test]
fn a_forest_alone_is_trained_without_classifiers_and_code() {
    let folder = folder();
    train_on(
        &folder,
        "train.csv --labels mood_* --set terms=forest --set trees=50",
    );
    let described = folder.json("inspect m.mmoc");
    let record = described.to_string();
    assert!(!record.contains("max_margin"), "{record}");
    let terms = folder.output("inspect m.mmoc");
    assert!(terms.contains("forest"), "{terms}");
    assert_eq!(predict(&folder, "").lines().count(), 61);
}
