//! What takes part in an experiment, what is added to it later, and what is shown of it.

mod common;

use std::fmt::Write;
use std::fs;

use common::small::Small;
use common::{Folder, Outcome};
use serde_json::{Value, json};

const FILES: &str = "compare small.csv --labels mood_*";

fn folder() -> Folder {
    Folder::with(&[
        ("small.csv", Small::new(120, 6, 4).table(",")),
        ("other.csv", Small::new(90, 5, 3).table(",")),
    ])
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

/// The records of a folder without their timings.
fn results(folder: &Folder, name: &str) -> Vec<Value> {
    let text = read(folder, &format!("{name}/results.jsonl"));
    let records = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        for timing in ["fit_seconds", "own_seconds", "predict_seconds"] {
            record[timing].take();
        }
        record
    });
    records.collect()
}

/// The command that a report says runs it again.
fn command(folder: &Folder, name: &str) -> String {
    let page = read(folder, &format!("{name}/report.html"));
    let start = page
        .find("mmoc compare ")
        .expect("the page has the command")
        + "mmoc ".len();
    let words = page[start..].split('<').next().unwrap();
    words.replace("&#39;", "")
}

fn check_refused(folder: &Folder, cases: &[(&str, &str)]) {
    for (arguments, message) in cases {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}\n{outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments}\n{message}\n{}",
            outcome.stderr
        );
    }
}

#[test]
fn a_method_takes_part_twice_with_parameters_of_its_own() {
    let folder = folder();
    let methods = "--method b=coding-cca:projections=2,decide=f1 --method br --method a=coding-cca:projections=1";
    let found = folder.json(&format!(
        "{FILES} {methods} --folds 2 --set a.decide=hamming --reference a --out out"
    ));
    let methods = found["datasets"][0]["methods"].as_array().unwrap();
    let parameter = |method: &Value, name: &str| method["parameters"][name].clone();
    let shown: Vec<Value> = methods
        .iter()
        .map(|method| {
            json!([
                method["name"],
                parameter(method, "projections"),
                parameter(method, "decide")
            ])
        })
        .collect();
    let expected = [
        json!(["br", null, "subset"]),
        json!(["b", 2, "f1"]),
        json!(["a", 1, "hamming"]),
    ];
    assert_eq!(shown, expected);
    assert_eq!(found["reference"], "a");
    let again = command(&folder, "out");
    assert!(again.contains("--method b=coding-cca"), "{again}");
    folder.run(&format!("{again} --out again")).succeeded();
    assert_eq!(results(&folder, "out"), results(&folder, "again"));
}

#[test]
fn entrants_that_cannot_be_are_refused() {
    check_refused(
        &folder(),
        &[
            (
                "compare small.csv --labels mood_* --method a=svm",
                "invalid value 'a=svm' for '--method <NAME>': method must be one of br",
            ),
            (
                "compare small.csv --labels mood_* --method lead=br",
                "'lead' is taken: choose another NAME",
            ),
            (
                "compare small.csv --labels mood_* --method base=br",
                "'base' is taken: choose another NAME",
            ),
            (
                "compare small.csv --labels mood_* --method a.b=br",
                "NAME must be made of letters, digits, - and _",
            ),
            (
                "compare small.csv --labels mood_* --method a=br:decide",
                "expected NAME=METHOD:KEY=VALUE,KEY=VALUE,…",
            ),
            (
                "compare small.csv --labels mood_* --method a=br --method a=lead",
                "two methods are called 'a' (--method NAME=METHOD and --external NAME=FILE give other names)",
            ),
            (
                "compare small.csv --labels mood_* --method a=br:c=1",
                "--method a, c=1: the name of a parameter must be one of candidates, decide, not 'c'",
            ),
        ],
    );
}

#[test]
fn a_parameter_in_the_wrong_place_points_to_the_right_one() {
    check_refused(
        &folder(),
        &[
            (
                "train small.csv --labels mood_* --method br --set penalty=1 -o m.mmoc",
                "not 'penalty' (use --set base.penalty=1)",
            ),
            (
                "evaluate small.csv --labels mood_* --method max-margin --set base.c=1",
                "not 'c' (use --set c=1)",
            ),
            (
                "evaluate small.csv --labels mood_* --method max-margin --set max-margin.c=1",
                "not 'max-margin.c' (use --set c=1)",
            ),
            (
                "compare small.csv --labels mood_* --set max-margin.penalty=1",
                "not 'penalty' (use --set base.penalty=1)",
            ),
            (
                "compare small.csv --labels mood_* --method a=max-margin:penalty=1",
                "not 'penalty' (use --set base.penalty=1)",
            ),
            (
                "compare small.csv --labels mood_* --method a=max-margin:base.penalty=1",
                "not 'base.penalty' (use --set base.penalty=1)",
            ),
            (
                "compare small.csv --labels mood_* --method br --method max-margin --set base.c=1",
                "not 'c' (use --set max-margin.c=1)",
            ),
            (
                "compare small.csv --labels mood_* --set penalty=1",
                "expected METHOD.KEY=VALUE, such as base.penalty=1",
            ),
            (
                "compare small.csv --labels mood_* --set c=1",
                "expected METHOD.KEY=VALUE, such as max-margin.c=1",
            ),
        ],
    );
}

#[test]
fn methods_and_runs_are_added_to_a_finished_experiment() {
    let folder = folder();
    let few = "--method br --train-size 60 --runs 2";
    let all = "--method br --method max-margin --method a=br:decide=f1 --train-size 60 --runs 3";
    folder
        .run(&format!("{FILES} {few} --out grown"))
        .succeeded();
    let before = read(&folder, "grown/results.jsonl");
    folder
        .run(&format!("{FILES} {all} --out grown"))
        .succeeded();
    folder
        .run(&format!("{FILES} {all} --out whole"))
        .succeeded();
    assert_eq!(results(&folder, "grown"), results(&folder, "whole"));
    assert_eq!(
        read(&folder, "grown/experiment.json"),
        read(&folder, "whole/experiment.json")
    );
    // Nothing that was there is computed again: not even times change.
    let after = read(&folder, "grown/results.jsonl");
    assert!(
        before
            .lines()
            .all(|line| after.lines().any(|other| other == line))
    );

    folder
        .run(&format!("{FILES} --method br --folds 2 --out folds"))
        .succeeded();
    folder
        .run(&format!(
            "{FILES} --method br --folds 2 --repeats 2 --out folds"
        ))
        .succeeded();
    assert_eq!(results(&folder, "folds").len(), 4);

    let other = "holds another experiment, which differs in";
    let hint = "methods and runs can be added to an experiment";
    for (less, part) in [
        (few, "protocol"),
        (
            "--method br --method max-margin --method a=br --train-size 60 --runs 3",
            "methods",
        ),
        (
            "--method br --method max-margin --method a=br:decide=f1 --train-size 50 --runs 4",
            "protocol",
        ),
    ] {
        let outcome = folder.run(&format!("{FILES} {less} --out grown"));
        assert_eq!(outcome.code, Some(2), "{less}\n{outcome:?}");
        let message = format!("grown: {other} {part} (choose another folder");
        assert!(
            outcome.stderr.contains(&message),
            "{less}\n{}",
            outcome.stderr
        );
        assert!(outcome.stderr.contains(hint), "{less}\n{}", outcome.stderr);
        assert_eq!(read(&folder, "grown/results.jsonl"), after, "{less}");
    }
}

#[test]
fn methods_of_a_folder_stay_without_being_repeated() {
    let folder = folder();
    let splits = "--train-size 60 --runs 2";
    for (added, kept) in [
        ("--method a=br:decide=f1", ""),
        ("--method coding-cs", "a"),
        ("--method br --reference coding-cs", "a, coding-cs"),
        ("--method a=br:decide=f1", "coding-cs, br"),
    ] {
        let outcome = folder.run(&format!("{FILES} {added} {splits} --out grown"));
        let outcome = outcome.succeeded();
        let note = format!("note: grown has results of {kept}, which stay in the comparison\n");
        let is_told = outcome.stderr.contains("which stay");
        assert_eq!(is_told, !kept.is_empty(), "{added}\n{}", outcome.stderr);
        assert!(
            kept.is_empty() || outcome.stderr.contains(&note),
            "{added}\n{}",
            outcome.stderr
        );
    }
    let all = "--method coding-cs --method br --method a=br:decide=f1";
    folder
        .run(&format!("{FILES} {all} {splits} --out whole"))
        .succeeded();
    let sorted = |name: &str| {
        let mut records: Vec<String> = results(&folder, name)
            .iter()
            .map(Value::to_string)
            .collect();
        records.sort();
        records
    };
    assert_eq!(sorted("grown"), sorted("whole"));

    let outcome = folder.run(&format!(
        "{FILES} --method a=br:decide=macro-f1 {splits} --out grown"
    ));
    let message = "grown: holds another experiment, which differs in methods";
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
}

#[test]
fn a_method_that_is_chosen_twice_needs_another_name() {
    let folder = folder();
    for (chosen, name) in [
        ("--method br --method br:decide=f1", "br:decide=f1"),
        ("--method br --method br", "br"),
    ] {
        let outcome = folder.run(&format!("{FILES} {chosen} --train-size 60 --out twice"));
        let message = format!(
            "--method br is there twice: two methods are called BR; give one another name, as in --method NAME={name}"
        );
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(&message), "{}", outcome.stderr);
        assert!(!folder.path("twice").exists());
    }
}

#[test]
fn settings_that_would_change_nothing_are_refused() {
    let folder = folder();
    let plain = "class-weight=balanced: coding-pca has no classifiers of labels";
    for (command, message) in [
        (
            format!("{FILES} --method coding-pca --set base.class-weight=balanced --out e"),
            plain,
        ),
        (
            format!("{FILES} --method br --set base.class_weight=balanced --out e"),
            "(use --set base.class-weight=balanced)",
        ),
        (
            format!("{FILES} --method br --train-size .001 --out e"),
            "which is 0",
        ),
    ] {
        let outcome = folder.run(&command);
        assert_eq!(outcome.code, Some(2), "{command}\n{outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{command}\n{}",
            outcome.stderr
        );
        assert!(!folder.path("e").exists(), "{command}");
    }
    let both =
        "--method br --method coding-pca --set base.class-weight=balanced --train-size 60 --runs 1";
    folder.run(&format!("{FILES} {both} --out e")).succeeded();
    let outcome = folder.run("report e --tables e/report.html");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("--tables e/report.html: is a file, and must be a folder"),
        "{}",
        outcome.stderr
    );
}

/// The sentences on top of the first data set of a report.
fn findings(folder: &Folder, name: &str) -> Vec<String> {
    let page = read(folder, &format!("{name}/report.html"));
    let parts = page.split("<p class=\"finding\">").skip(1);
    let sentence = |part: &str| part.split("</p>").next().unwrap().to_owned();
    parts.map(sentence).collect()
}

#[test]
fn the_chosen_metrics_are_in_tables_findings_and_ranks() {
    let folder = folder();
    let methods = "--method br --method coding-cs --method max-margin --train-size 60 --runs 3";
    let usual = folder
        .run(&format!("{FILES} {methods} --out out"))
        .succeeded();
    for title in ["Subset accuracy", "Macro-F1", "Micro-F1"] {
        assert!(
            usual.stdout.contains(&format!("\n{title} on small\n")),
            "{title}"
        );
    }
    let said = findings(&folder, "out");
    assert_eq!(said.len(), 3, "{said:?}");
    for (sentence, metric) in said.iter().zip(["subset accuracy", "macro-F1", "micro-F1"]) {
        assert!(
            sentence.contains(&format!(" is best in {metric}, ")),
            "{sentence}"
        );
    }

    let chosen = "--metrics hamming_loss,macro-f1,hamming_loss";
    let outcome = folder.run(&format!("report out {chosen}")).succeeded();
    let captions = outcome
        .stdout
        .lines()
        .filter(|line| line.ends_with(" on small"));
    assert_eq!(
        captions.collect::<Vec<_>>(),
        ["Hamming loss on small", "Macro-F1 on small"]
    );
    let found = folder.json(&format!("{FILES} {methods} {chosen} --out out"));
    let rankings = found["rankings"].as_array().unwrap().iter();
    let ranked: Vec<&str> = rankings
        .map(|own| own["metric"].as_str().unwrap())
        .collect();
    assert_eq!(ranked, ["hamming_loss", "macro_f1"]);

    // The lowest loss is the best one: in the finding, in the table and in the ranks.
    let methods = found["datasets"][0]["methods"].as_array().unwrap();
    let loss = |method: &Value| method["metrics"]["hamming_loss"]["mean"].as_f64().unwrap();
    let losses: Vec<f64> = methods.iter().map(loss).collect();
    let lowest = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let best = losses.iter().position(|&loss| loss == lowest).unwrap();
    let title = ["BR", "CodingCS", "MaxMargin"][best];
    let said = findings(&folder, "out");
    assert_eq!(said.len(), 2, "{said:?}");
    let begin = format!("{title} is best in Hamming loss, {lowest:.4}: ");
    assert!(said[0].starts_with(&begin), "{begin}\n{}", said[0]);
    let ranks = found["rankings"][0]["ranking"]["average_ranks"]
        .as_array()
        .unwrap();
    let ranks: Vec<f64> = ranks.iter().map(|rank| rank.as_f64().unwrap()).collect();
    let first = ranks.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(ranks[best], first, "{ranks:?} {losses:?}");

    check_refused(
        &folder,
        &[(
            "report out --metrics accuracy",
            "the metric must be one of subset_accuracy, hamming_loss,",
        )],
    );
}

#[test]
fn tables_are_written_as_latex_markdown_and_csv() {
    let folder = Folder::with(&[
        ("50%_a.csv", Small::new(120, 6, 4).table(",")),
        ("other.csv", Small::new(90, 5, 3).table(",")),
    ]);
    let files = "compare 50%_a.csv other.csv --each --labels mood_*";
    let found = folder.json(&format!(
        "{files} --method br --method max-margin --folds 2 --out out"
    ));
    let outcome = folder
        .run("report out --tables tables --metrics subset_accuracy")
        .succeeded();
    assert!(
        outcome.stderr.contains("wrote: 3 tables to tables\n"),
        "{}",
        outcome.stderr
    );
    let cell = |dataset: usize, method: usize| {
        let own = &found["datasets"][dataset]["methods"][method]["metrics"]["subset_accuracy"];
        (
            own["mean"].as_f64().unwrap(),
            own["stderr"].as_f64().unwrap(),
        )
    };
    let is_best =
        |dataset: usize, method: usize| cell(dataset, method).0 >= cell(dataset, 1 - method).0;

    let csv = read(&folder, "tables/subset-accuracy.csv");
    let mut expected = String::from("data_set,method,mean,std_error,runs,best\n");
    for (dataset, name) in ["50%_a", "other"].iter().enumerate() {
        for (method, title) in ["BR", "MaxMargin"].iter().enumerate() {
            let ((mean, stderr), best) =
                (cell(dataset, method), u8::from(is_best(dataset, method)));
            writeln!(expected, "{name},{title},{mean},{stderr},2,{best}").unwrap();
        }
    }
    assert_eq!(csv, expected);

    let row = |method: usize, bold: &dyn Fn(String) -> String, join: &str| {
        let cell = |dataset: usize| {
            let (mean, stderr) = cell(dataset, method);
            let mean = format!("{mean:.4}");
            let mean = if is_best(dataset, method) {
                bold(mean)
            } else {
                mean
            };
            format!("{mean}{join}{stderr:.4}")
        };
        [cell(0), cell(1)]
    };
    let markdown = read(&folder, "tables/subset-accuracy.md");
    let [first, second] = row(1, &|mean| format!("**{mean}**"), " ± ");
    assert!(
        markdown.contains("| method | 50%\\_a | other |\n|---|---|---|\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains(&format!("| MaxMargin | {first} | {second} |\n")),
        "{markdown}"
    );
    let latex = read(&folder, "tables/subset-accuracy.tex");
    let [first, second] = row(1, &|mean| format!("\\mathbf{{{mean}}}"), " \\pm ");
    assert!(
        latex.contains("\\begin{tabular}{lrr}\n\\hline\nmethod & 50\\%\\_a & other \\\\\n"),
        "{latex}"
    );
    assert!(
        latex.contains(&format!("MaxMargin & ${first}$ & ${second}$ \\\\\n")),
        "{latex}"
    );
}

#[test]
fn a_share_of_the_rows_is_trained_on() {
    let folder = folder();
    let each =
        "compare small.csv other.csv --each --labels mood_* --method br --train-size .7 --runs 2";
    let outcome: Outcome = folder.run(&format!("{each} --out out")).succeeded();
    let heading = "2 random splits with 0.7 of the rows to train on";
    assert!(outcome.stdout.contains(heading), "{}", outcome.stdout);
    let sizes: Vec<Value> = results(&folder, "out")
        .iter()
        .map(|record| {
            json!([
                record["dataset"],
                record["size"]["train"],
                record["size"]["test"]
            ])
        })
        .collect();
    let (small, other) = (json!(["small", 84, 36]), json!(["other", 63, 27]));
    assert_eq!(sizes, [small.clone(), small, other.clone(), other]);
    let again = command(&folder, "out");
    assert!(again.contains("--runs 2 --train-size 0.7"), "{again}");

    let same = |size: &str| {
        let arguments = "evaluate small.csv --labels mood_* --method br --runs 2 --train-size";
        folder.json(&format!("{arguments} {size}"))["datasets"][0]["methods"][0]["metrics"].clone()
    };
    assert_eq!(same("0.5"), same("60"));
    check_refused(
        &folder,
        &[
            (
                "evaluate small.csv --labels mood_* --train-size 1.5",
                "expected a number of rows, or a share between 0 and 1 such as .7",
            ),
            (
                "evaluate small.csv --labels mood_* --train-size 0.001",
                "the share of training rows must be at least 2 and fewer than all of the 120 rows, not 0.001, which is 0",
            ),
        ],
    );
}
