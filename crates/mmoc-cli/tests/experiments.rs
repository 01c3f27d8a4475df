//! Experiments that are interrupted, split into parts and merged come out as if they had not been.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::small::Small;
use common::{BINARY, Folder};
use serde_json::{Value, json};

const COMPARE: &str = "compare small.arff --method br --method coding-cca --method max-margin --train-size 60 --runs 4";

fn folder() -> Folder {
    let (small, other) = (Small::new(120, 6, 4), Small::new(90, 5, 3));
    Folder::with(&[
        ("small.arff", small.arff()),
        ("small.xml", small.xml()),
        ("other.arff", other.arff()),
        ("other.xml", other.xml()),
    ])
}

/// The results of a folder without their timings, line by line.
fn results(folder: &Folder, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path(name).join("results.jsonl")).unwrap();
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        for timing in ["fit_seconds", "own_seconds", "predict_seconds"] {
            let seconds = record[timing].take().as_f64().unwrap();
            assert!(seconds >= 0.0, "{timing}");
        }
        record
    });
    lines.collect()
}

fn run(folder: &Folder, arguments: &str) -> String {
    common::without_times(&folder.run(arguments).succeeded().stdout)
}

#[test]
fn every_run_of_every_method_is_a_line_in_order() {
    let folder = folder();
    run(&folder, &format!("{COMPARE} --out out"));
    let found = results(&folder, "out");
    let keys: Vec<(u64, &str)> = found
        .iter()
        .map(|record| {
            (
                record["run"].as_u64().unwrap(),
                record["method"].as_str().unwrap(),
            )
        })
        .collect();
    let expected: Vec<(u64, &str)> = (0..4)
        .flat_map(|run| ["br", "coding-cca", "max-margin"].map(|method| (run, method)))
        .collect();
    assert_eq!(keys, expected);
    assert_eq!(found[0]["size"], json!({"train": 60, "test": 60}));
    assert!(found[2]["code"]["metric"].as_array().unwrap().len() == 4);
    assert!(
        found[5].get("code").is_none(),
        "only the first run has a picture"
    );
}

#[test]
fn whatever_was_written_before_an_interruption_is_kept_and_the_outcome_is_the_same() {
    let folder = folder();
    let whole = run(&folder, &format!("{COMPARE} --out whole"));
    let expected = results(&folder, "whole");
    let path = folder.path("whole").join("results.jsonl");
    let bytes = std::fs::read(&path).unwrap();
    for share in [0, 1, 13, 37, 50, 88, 99] {
        std::fs::write(&path, &bytes[..bytes.len() * share / 100]).unwrap();
        assert_eq!(
            run(&folder, &format!("{COMPARE} --out whole")),
            whole,
            "{share}"
        );
        assert_eq!(results(&folder, "whole"), expected, "{share}");
    }
    // Whole lines are not computed again, timings and all.
    let first = bytes.split_inclusive(|&byte| byte == b'\n').next().unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(first));
}

#[test]
fn a_killed_process_loses_nothing() {
    let folder = folder();
    let arguments = format!("{COMPARE} --runs 30 --out out");
    let arguments = arguments.replacen("--runs 4 ", "", 1);
    let whole = run(&folder, &arguments.replace("--out out", "--out whole"));
    for milliseconds in [5, 15, 30, 60] {
        let mut child = folder
            .command(BINARY)
            .args(arguments.split(' '))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(run(&folder, &arguments), whole);
    assert_eq!(results(&folder, "out"), results(&folder, "whole"));
    assert!(leftovers(&folder.path("out")).is_empty());
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.into_string().unwrap()
    });
    names.filter(|name| name.contains(".part")).collect()
}

#[test]
fn parts_put_together_are_the_whole() {
    let folder = folder();
    let whole = run(&folder, &format!("{COMPARE} --out whole"));
    for part in 1..=3 {
        let outcome = folder.run(&format!("{COMPARE} --shard {part}/3 --out part{part}"));
        let outcome = outcome.succeeded();
        assert_eq!(outcome.stdout, "");
        let place = format!("12 fits are in part{part}; `mmoc report` merges parts");
        assert!(outcome.stderr.contains(&place), "{}", outcome.stderr);
    }
    assert_eq!(run(&folder, "report part3 part1 part2 --out merged"), whole);
    assert_eq!(results(&folder, "merged"), results(&folder, "whole"));
    // One part after the other into one folder.
    folder
        .run(&format!("{COMPARE} --shard 2/2 --out two"))
        .succeeded();
    assert_eq!(
        run(&folder, &format!("{COMPARE} --shard 1/2 --out two")),
        whole
    );
    assert_eq!(results(&folder, "two"), results(&folder, "whole"));
}

#[test]
fn the_number_of_threads_and_the_other_methods_change_nothing() {
    let folder = folder();
    let one = run(&folder, &format!("{COMPARE} --threads 1 --out one"));
    let three = run(&folder, &format!("{COMPARE} --threads 3 --out three"));
    assert_eq!(one, three);
    assert_eq!(results(&folder, "one"), results(&folder, "three"));
    run(
        &folder,
        "compare small.arff --method max-margin --train-size 60 --runs 4 --out alone",
    );
    let of_method = |record: &Value| record["method"] == "max-margin";
    let mut among_others = results(&folder, "one");
    among_others.retain(of_method);
    assert_eq!(results(&folder, "alone"), among_others);
}

#[test]
fn json_has_the_documented_keys_and_agrees_with_evaluate() {
    let folder = folder();
    let compared = folder.json(&format!("{COMPARE} --preset default --out out"));
    let dataset = &compared["datasets"][0];
    assert_eq!(dataset["name"], "small");
    assert_eq!(dataset["source"], "real");
    assert_eq!(
        (&dataset["rows"], &dataset["labels"]),
        (&json!(120), &json!(4))
    );
    let alone = folder.json("evaluate small.arff --method coding-cca --train-size 60 --runs 4");
    let (ours, other) = (&dataset["methods"][1], &alone["datasets"][0]["methods"][0]);
    for key in [
        "name",
        "base_models",
        "parameters",
        "logistic",
        "label_metrics",
    ] {
        assert_eq!(ours[key], other[key], "{key}");
    }
    for key in ["subset_accuracy", "macro_f1", "hamming_loss", "log_loss"] {
        for number in ["mean", "stderr"] {
            assert_eq!(
                ours["metrics"][key][number], other["metrics"][key][number],
                "{key}"
            );
        }
    }
    assert!(ours["metrics"]["macro_f1"].get("paper").is_none());
    assert!(
        dataset["methods"][2]["solver"]["relative_gap"]
            .as_f64()
            .unwrap()
            < 1e-5
    );
}

#[test]
fn a_posterior_and_its_confidence_are_summed_up_over_the_runs() {
    let folder = folder();
    let found = folder.json(&format!("{COMPARE} --out out"));
    let methods = found["datasets"][0]["methods"].as_array().unwrap();
    for key in ["decide", "posterior", "confidence"] {
        assert!(methods[0].get(key).is_none(), "br has no {key}");
    }
    let (method, number) = (&methods[2], |value: &Value| value.as_f64().unwrap());
    assert_eq!(method["decide"], "subset");
    let confidence = &method["confidence"];
    let bins = confidence["bins"].as_array().unwrap();
    let rows = bins.iter().map(|bin| bin["rows"].as_u64().unwrap());
    assert_eq!(rows.collect::<Vec<_>>(), [24; 10], "four runs of 60 rows");
    // All runs have as many test rows, so that the accuracy of all rows is the mean over runs.
    let (all, mean) = (
        number(&confidence["answered"][9]),
        number(&method["metrics"]["subset_accuracy"]["mean"]),
    );
    assert!((all - mean).abs() < 1e-12, "{all} and {mean}");
    let pooled = number(&confidence["calibration_error"]);
    let of_run = number(&confidence["run_calibration_error"]["mean"]);
    assert!(pooled <= of_run + 1e-12, "{pooled} and {of_run}");
    let labels = confidence["labels"]["bins"].as_array().unwrap();
    let cells = labels.iter().map(|bin| bin["rows"].as_u64().unwrap());
    assert_eq!(cells.sum::<u64>(), 4 * 60 * 4, "runs, rows and labels");

    let records = results(&folder, "out");
    let own = records.iter().filter(|own| own["method"] == "max-margin");
    let own: Vec<&Value> = own.collect();
    let errors = own
        .iter()
        .map(|record| number(&record["confidence"]["calibration_error"]));
    assert!((errors.sum::<f64>() / 4.0 - of_run).abs() < 1e-12);
    let unseen = own
        .iter()
        .map(|record| number(&record["posterior"]["unseen_mass"]));
    let mean = number(&method["posterior"]["unseen_mass"]);
    assert!((unseen.sum::<f64>() / 4.0 - mean).abs() < 1e-12);
    for term in method["posterior"]["terms"].as_array().unwrap() {
        let with = |record: &&&Value| {
            let terms = record["posterior"]["terms"].as_array().unwrap();
            terms.iter().any(|own| own["name"] == term["name"])
        };
        assert_eq!(term["runs"], json!(own.iter().filter(with).count()));
        assert!(term["weight"].is_f64() && term["worth"].is_f64(), "{term}");
    }
}

#[test]
fn records_of_the_methods_as_published_know_nothing_of_posteriors() {
    let folder = folder();
    let found = folder.json(&format!("{COMPARE} --preset paper --out out"));
    let methods = found["datasets"][0]["methods"].as_array().unwrap();
    for key in ["decide", "posterior", "confidence"] {
        assert!(methods.iter().all(|method| method.get(key).is_none()));
        let records = results(&folder, "out");
        assert!(records.iter().all(|record| record.get(key).is_none()));
    }
}

#[test]
fn differences_and_ranks_are_those_of_the_runs() {
    let folder = folder();
    let found = folder.json(&format!("{COMPARE} --reference br --out out"));
    assert_eq!(found["reference"], "br");
    let methods = &found["datasets"][0]["methods"];
    let mean = |i: usize| {
        methods[i]["metrics"]["subset_accuracy"]["mean"]
            .as_f64()
            .unwrap()
    };
    let of_pair = &methods[2]["metrics"]["subset_accuracy"]["difference"];
    let difference = of_pair["difference"]["mean"].as_f64().unwrap();
    assert!((difference - (mean(2) - mean(0))).abs() < 1e-12);
    assert!(
        methods[0]["metrics"]["subset_accuracy"]
            .get("difference")
            .is_none()
    );
    let ranking = &found["rankings"][0];
    assert_eq!(
        (&ranking["over"], &ranking["metric"]),
        (&json!("small"), &json!("subset_accuracy"))
    );
    let ranks = ranking["ranking"]["average_ranks"].as_array().unwrap();
    let sum: f64 = ranks.iter().map(|rank| rank.as_f64().unwrap()).sum();
    assert!(
        (sum - 6.0).abs() < 1e-12,
        "three ranks of every run sum to six"
    );
}

#[test]
fn each_file_can_be_a_data_set_of_its_own() {
    let folder = folder();
    let found = folder.json("compare small.arff other.arff --each --method br --folds 3 --out out");
    let names: Vec<&Value> = found["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["name"])
        .collect();
    assert_eq!(names, ["small", "other"]);
    assert_eq!(results(&folder, "out").len(), 6);
    let repeated = folder.json("compare other.arff --method br --folds 3 --repeats 2 --out twice");
    assert_eq!(repeated["protocol"]["repeats"], 2);
    let records = results(&folder, "twice");
    assert_eq!(records.len(), 6);
    assert_eq!(
        records[..3],
        results(&folder, "out")[3..],
        "the first repeat is the plain one"
    );
    assert_ne!(
        records[3]["labels"], records[0]["labels"],
        "the second deals anew"
    );
}

#[test]
fn the_command_in_the_report_runs_the_same_experiment_again() {
    let folder = folder();
    let changes = "--top-labels 3 --set max-margin.c=10 --set base.criterion=f1 --reference br";
    for (arguments, start) in [
        (format!("{COMPARE} {changes}"), "mmoc compare "),
        (
            "reproduce --synthetic --dataset emotions --runs 2 --method br --preset paper".into(),
            "mmoc reproduce ",
        ),
        (
            "reproduce --synthetic --dataset emotions --runs 2 --method br --method mmoc --set mmoc.c=10".into(),
            "mmoc reproduce ",
        ),
    ] {
        run(&folder, &format!("{arguments} --out first"));
        let page = std::fs::read_to_string(folder.path("first").join("report.html")).unwrap();
        let place = page.find(start).expect("the page has the command");
        let command = page[place + "mmoc ".len()..].split('<').next().unwrap();
        run(&folder, &format!("{} --out second", command.trim()));
        assert_eq!(
            results(&folder, "first"),
            results(&folder, "second"),
            "{command}"
        );
        for name in ["first", "second"] {
            std::fs::remove_dir_all(folder.path(name)).unwrap();
        }
    }
}

#[test]
fn a_folder_of_another_experiment_is_left_alone() {
    let folder = folder();
    run(&folder, &format!("{COMPARE} --out out"));
    let before = std::fs::read(folder.path("out").join("results.jsonl")).unwrap();
    for (change, part) in [
        ("--seed 1", "seed"),
        ("--set max-margin.c=10", "methods"),
        ("--runs 3", "protocol"),
        ("--top-labels 3", "data options, datasets"),
        ("--preset paper", "methods, preset"),
    ] {
        let arguments = format!("{COMPARE} --out out {change}");
        let arguments = match change {
            "--runs 3" => arguments.replacen("--runs 4 ", "", 1),
            _ => arguments,
        };
        let outcome = folder.run(&arguments);
        assert_eq!(outcome.code, Some(2), "{change}: {outcome:?}");
        let message = format!("out: holds another experiment, which differs in {part}");
        assert!(
            outcome.stderr.contains(&message),
            "{change}: {}",
            outcome.stderr
        );
        let after = std::fs::read(folder.path("out").join("results.jsonl")).unwrap();
        assert_eq!(before, after, "{change}");
    }
}

#[test]
fn another_reference_shows_the_same_results() {
    let folder = folder();
    run(&folder, &format!("{COMPARE} --out out"));
    let before = results(&folder, "out");
    let found = folder.json(&format!("{COMPARE} --reference br --out out"));
    assert_eq!(found["reference"], "br");
    assert_eq!(results(&folder, "out"), before);
}

#[test]
fn results_that_belong_to_nothing_are_left_alone() {
    let folder = folder();
    std::fs::create_dir(folder.path("out")).unwrap();
    let path = folder.path("out").join("results.jsonl");
    std::fs::write(&path, "my notes").unwrap();
    let outcome = folder.run(&format!("{COMPARE} --out out"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("has results but no experiment.json"),
        "{outcome:?}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"my notes");
}

#[test]
fn an_unfinished_experiment_says_so_and_a_report_of_a_part_loses_nothing() {
    let folder = folder();
    for part in 1..=2 {
        folder
            .run(&format!("{COMPARE} --shard {part}/2 --out part{part}"))
            .succeeded();
    }
    let outcome = folder.run("report part1 --json").succeeded();
    assert!(
        outcome.stderr.contains("UNFINISHED: 6 of 12 fits"),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.json()["fits"], json!({"done": 6, "total": 12}));
    let page = std::fs::read_to_string(folder.path("part1").join("report.html")).unwrap();
    assert!(page.contains("UNFINISHED: 6 of 12 fits"));
    folder.run("report part1 part2 --out all").succeeded();
    folder.run("report part1 --out all").succeeded();
    assert_eq!(results(&folder, "all").len(), 12);
}

#[test]
fn damaged_results_are_refused_with_their_place() {
    let folder = folder();
    run(&folder, &format!("{COMPARE} --out out"));
    let path = folder.path("out").join("results.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"run\":1", "\"run\":x", 1)).unwrap();
    for arguments in [format!("{COMPARE} --out out"), "report out".into()] {
        let outcome = folder.run(&arguments);
        assert_eq!(outcome.code, Some(3), "{outcome:?}");
        assert!(
            outcome
                .stderr
                .contains("results.jsonl:4: not a valid result"),
            "{}",
            outcome.stderr
        );
    }
    // What parses but does not fit is refused as well.
    for (from, to) in [
        ("\"positives\":", "\"positives\":-"),
        ("\"dataset\":\"small\"", "\"dataset\":\"other\""),
        ("\"method\":\"br\"", "\"method\":\"lead\""),
        ("\"train\":60", "\"train\":0"),
        ("\"run\":1", "\"run\":18446744073709551615"),
        ("\"converged\":", "\"converged\":9"),
        ("\"macro_f1\":", "\"macro_f1\":1e308,\"x\":"),
        ("\"metric\":[[", "\"metric\":[[1.0],["),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let outcome = folder.run("report out");
        assert_eq!(outcome.code, Some(3), "{to}: {outcome:?}");
        assert!(
            outcome.stderr.contains(": not a valid result"),
            "{}",
            outcome.stderr
        );
    }
    std::fs::write(&path, &text).unwrap();
    let manifest = folder.path("out").join("experiment.json");
    let whole = std::fs::read_to_string(&manifest).unwrap();
    for (from, to) in [
        ("\"labels\": 4", "\"labels\": 5"),
        ("\"max-margin\"", "\"no-such\""),
        ("\"format\": 1", "\"format\": []"),
        ("\"format\": 1", "\"format\": 99"),
        ("\"reference\": \"max-margin\"", "\"reference\": \"lead\""),
    ] {
        std::fs::write(&manifest, whole.replace(from, to)).unwrap();
        let outcome = folder.run("report out");
        assert_eq!(outcome.code, Some(3), "{to}: {outcome:?}");
    }
    std::fs::write(folder.path("out").join("experiment.json"), "{").unwrap();
    let outcome = folder.run("report out");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("experiment.json: not a valid manifest"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn parts_of_different_experiments_are_not_merged() {
    let folder = folder();
    folder
        .run(&format!("{COMPARE} --out one --shard 1/2"))
        .succeeded();
    folder
        .run(&format!("{COMPARE} --out two --shard 2/2 --seed 3"))
        .succeeded();
    let outcome = folder.run("report one two --out merged");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("two: holds another experiment, which differs in seed"),
        "{outcome:?}"
    );
    assert!(!folder.path("merged").exists());
    let outcome = folder.run("report nothing-here");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(
        outcome.stderr.contains("not the folder of an experiment"),
        "{outcome:?}"
    );
}

#[test]
fn wrong_usage_is_answered_before_anything_is_written() {
    let folder = folder();
    for (arguments, message) in [
        ("--set br.c=1", "--set br.c=1"),
        (
            "--set lead.c=1",
            "unknown method 'lead': expected one of br, coding-cca, max-margin, base",
        ),
        ("--set max-margin.c=-1", "--set max-margin.c=-1: c must be"),
        ("--set max-margin", "expected METHOD.KEY=VALUE"),
        (
            "--reference coding-cs",
            "--reference coding-cs: unknown method 'coding-cs': expected one of br",
        ),
        ("--shard 3/2", "expected I/N"),
        ("--repeats 2", "cannot be used with"),
        ("--runs 0", "the number of runs must be from 1 to 1000000"),
        (
            "--train-size 500",
            "the number of training rows must be from 2 to 119",
        ),
    ] {
        let base = match arguments.split(' ').next() {
            Some("--runs") => COMPARE.replacen(" --runs 4", "", 1),
            Some("--train-size") => COMPARE.replacen("--train-size 60", "", 1),
            _ => COMPARE.into(),
        };
        let outcome = folder.run(&format!("{base} {arguments} --out out"));
        assert_eq!(outcome.code, Some(2), "{arguments}: {outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments}: {}",
            outcome.stderr
        );
        assert!(!folder.path("out").exists(), "{arguments}");
    }
    let outcome = folder.run(&format!("{COMPARE} --out small.xml"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("small.xml: is a file"),
        "{outcome:?}"
    );
    let outcome = folder.run("compare small.arff small.arff --each --out out");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("two data sets are called 'small'"),
        "{outcome:?}"
    );
}

#[test]
fn mmoc_takes_part_in_the_paper_s_experiment_unless_a_preset_is_chosen() {
    let folder = folder();
    let reproduce = "reproduce --synthetic --dataset emotions --runs 2";
    let names = |report: &Value| -> Vec<String> {
        let methods = report["datasets"][0]["methods"].as_array().unwrap().iter();
        methods
            .map(|method| method["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let nine = folder.json(&format!("{reproduce} --out nine"));
    let mut expected: Vec<&str> = common::METHODS.to_vec();
    assert_eq!(names(&nine)[..8], expected);
    expected.push("mmoc");
    assert_eq!(names(&nine), expected);
    assert_eq!(nine["reference"], "mmoc");
    let parameters = |report: &Value, method: usize| {
        report["datasets"][0]["methods"][method]["parameters"].clone()
    };
    let default = folder.json(&format!(
        "{reproduce} --method max-margin --preset default --out default"
    ));
    assert_eq!(parameters(&nine, 8), parameters(&default, 0));

    let paper = folder.json(&format!("{reproduce} --preset paper --out paper"));
    assert_eq!(names(&paper), common::METHODS);
    assert_eq!(
        (&paper["reference"], &paper["preset"]),
        (&json!("max-margin"), &json!("paper"))
    );
    for method in 0..8 {
        assert_eq!(parameters(&paper, method), parameters(&nine, method));
    }
    let of_the_eight: Vec<Value> = results(&folder, "nine")
        .into_iter()
        .filter(|record| record["method"] != "mmoc")
        .collect();
    assert_eq!(of_the_eight, results(&folder, "paper"));

    let chosen = folder.json(&format!(
        "{reproduce} --method br --method mmoc --set mmoc.c=10 --out two"
    ));
    assert_eq!(names(&chosen), ["br", "mmoc"]);
    assert_eq!(parameters(&chosen, 1)["c"], 10.0);
    assert_eq!(
        folder.json(&format!(
            "{reproduce} --method br --method max-margin --out three"
        ))["reference"],
        "max-margin"
    );
    let page = std::fs::read_to_string(folder.path("nine").join("report.html")).unwrap();
    for method in ["MaxMargin", "mmoc"] {
        assert!(page.contains(&format!("<h4><bdi>{method}</bdi></h4>")));
        let title =
            format!("Eigenvalues of the learnt metric on emotions-twin (SYNTHETIC data), {method}");
        assert!(page.contains(&title), "{title}");
    }
}

#[test]
fn without_real_data_the_paper_is_reproduced_on_synthetic_twins() {
    let folder = folder();
    let arguments = "reproduce --dataset emotions --method br --method max-margin --runs 2";
    let outcome = folder
        .run(&format!("{arguments} --synthetic --out out"))
        .succeeded();
    assert!(
        outcome
            .stdout
            .contains("emotions-twin (SYNTHETIC twin, not the real data): 593 rows")
    );
    assert!(!outcome.stdout.contains("paper"), "{}", outcome.stdout);
    let json = folder.json("report out");
    assert_eq!(json["datasets"][0]["source"], "synthetic");
    assert!(json.get("preset").is_none(), "{json}");
    // The same where nothing is found, and it says so.
    let mut command = folder.command(BINARY);
    let command = command.args(arguments.split(' ')).args(["--out", "again"]);
    let command = command
        .env_remove("MMOC_DATA")
        .env("MMOC_CACHE", folder.path("no-cache"));
    let outcome = common::Outcome::of(command).succeeded();
    assert!(
        outcome.stderr.contains("no copy of emotions was found"),
        "{}",
        outcome.stderr
    );
    assert_eq!(results(&folder, "again"), results(&folder, "out"));
}
