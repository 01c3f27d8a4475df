//! From a data set to a model to predictions to scores, and the ways in which rows may come.

mod common;

use std::fs;
use std::process::Stdio;

use common::small::Small;
use common::{BINARY, Folder, METHODS, Outcome};
use serde_json::Value;

/// Copies of a table in all formats.
const COPIES: [&str; 7] = [
    "a.arff",
    "a.tsv",
    "a.libsvm",
    "a.xc",
    "a.parquet",
    "a.csv.gz",
    "a.arff.bz2",
];

/// Songs to learn from and songs to predict.
fn folder() -> Folder {
    let (train, test) = Small::new(160, 5, 3).split(100);
    Folder::with(&[
        ("train.csv", train.table(",")),
        ("test.csv", test.table(",")),
    ])
}

fn train(folder: &Folder, method: &str, model: &str) -> Outcome {
    let arguments = format!("train train.csv --labels mood_* --method {method} -o {model}");
    folder.run(&arguments).succeeded()
}

/// Predictions of a file with a model, to standard output.
fn predict(folder: &Folder, arguments: &str) -> String {
    folder.output(&format!("predict {arguments}"))
}

/// Runs the binary with bytes on its standard input.
fn run_with_input(folder: &Folder, arguments: &str, input: &str) -> Outcome {
    fs::write(folder.path("input"), input).unwrap();
    let file = fs::File::open(folder.path("input")).unwrap();
    let mut command = folder.command(BINARY);
    command
        .args(arguments.split_ascii_whitespace())
        .stdin(Stdio::from(file));
    Outcome::of(&mut command)
}

/// The cells of a table without its header.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let rows = table.lines().skip(1);
    rows.map(|row| row.split(',').collect()).collect()
}

#[test]
fn every_method_trains_predicts_and_scores() {
    let folder = folder();
    let truth = fs::read_to_string(folder.path("test.csv")).unwrap();
    for method in METHODS {
        let outcome = train(&folder, method, "m.mmoc");
        assert!(
            outcome.stdout.contains("estimated on held-out rows"),
            "{}",
            outcome.stdout
        );
        assert!(
            outcome.stderr.starts_with("wrote: m.mmoc ("),
            "{}",
            outcome.stderr
        );
        let found = predict(&folder, "m.mmoc test.csv");
        assert_eq!(
            found.lines().next(),
            Some("\"mood_1\",\"mood_2\",\"mood_3\"")
        );
        let (found, truth) = (cells(&found), cells(&truth));
        assert_eq!(found.len(), 60);
        let right = found
            .iter()
            .zip(&truth)
            .filter(|(found, truth)| found[..] == truth[5..]);
        let share = right.count() as f64 / 60.0;
        let scored = folder.json("score m.mmoc test.csv");
        let subset = scored["metrics"]["subset_accuracy"].as_f64().unwrap();
        assert!((subset - share).abs() < 1e-12, "{method}: {subset} {share}");
        assert!(share > 0.4, "{method}: {share}");
        assert_eq!(
            (&scored["rows"], &scored["method"]),
            (&60.into(), &method.into())
        );
    }
}

#[test]
fn estimates_of_training_are_near_the_scores_of_new_rows() {
    let (train_rows, test_rows) = Small::new(1200, 5, 3).split(400);
    let folder = Folder::with(&[
        ("train.csv", train_rows.table(",")),
        ("test.csv", test_rows.table(",")),
    ]);
    for method in METHODS {
        train(&folder, method, "m.mmoc");
        let inspected = folder.json("inspect m.mmoc");
        let scored = folder.json("score m.mmoc test.csv");
        for metric in ["subset_accuracy", "micro_f1"] {
            let estimate = inspected["training"]["estimates"][metric].as_f64().unwrap();
            let truth = scored["metrics"][metric].as_f64().unwrap();
            assert!(
                (estimate - truth).abs() < 0.08,
                "{method} {metric}: {estimate} {truth}"
            );
        }
    }
}

#[test]
fn a_model_is_the_same_bytes_whatever_the_number_of_threads() {
    let folder = folder();
    for method in METHODS {
        let bytes: Vec<Vec<u8>> = ["1", "2"]
            .map(|threads| {
                let name = format!("m{threads}.mmoc");
                train(&folder, &format!("{method} --threads {threads}"), &name);
                fs::read(folder.path(&name)).unwrap()
            })
            .into();
        assert_eq!(bytes[0], bytes[1], "{method}");
        let [one, two] = ["1", "2"].map(|threads| {
            predict(
                &folder,
                &format!("m1.mmoc test.csv --top-k 3 --threads {threads}"),
            )
        });
        assert_eq!(one, two, "{method}");
    }
}

#[test]
fn copies_of_a_data_set_in_all_formats_are_predicted_the_same() {
    for (small, options) in [
        (Small::new(140, 6, 3), "--method max-margin"),
        (Small::new(140, 6, 3).enlarged(), "--method coding-cca"),
        (Small::new(140, 6, 3), "--method lead --scale standard"),
    ] {
        let folder = Folder::with(&[("a.csv", small.table(",")), ("s.svm", small.libsvm())]);
        folder
            .run(&format!("train a.csv --labels mood_* {options} -o m.mmoc"))
            .succeeded();
        for copy in COPIES {
            folder
                .run(&format!("convert a.csv {copy} --labels mood_*"))
                .succeeded();
        }
        for form in ["csv", "csv --proba", "jsonl --proba", "arff", "libsvm"] {
            let expected = predict(&folder, &format!("m.mmoc a.csv --format {form}"));
            for copy in COPIES.into_iter().chain(["s.svm"]) {
                let found = predict(&folder, &format!("m.mmoc {copy} --format {form}"));
                assert_eq!(found, expected, "{copy} {form} {options}");
            }
        }
        let expected = folder.json("score m.mmoc a.csv");
        for copy in COPIES.into_iter().chain(["s.svm"]) {
            assert_eq!(
                folder.json(&format!("score m.mmoc {copy}")),
                expected,
                "{copy}"
            );
        }
    }
}

#[test]
fn rows_in_several_files_are_predicted_as_in_one() {
    let folder = folder();
    train(&folder, "max-margin", "m.mmoc");
    let whole = fs::read_to_string(folder.path("test.csv")).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let part = |range: &[&str]| [&lines[..1], range].concat().concat();
    fs::write(folder.path("one.csv"), part(&lines[1..20])).unwrap();
    fs::write(folder.path("two.csv"), part(&lines[20..])).unwrap();
    let expected = predict(&folder, "m.mmoc test.csv --proba");
    assert_eq!(predict(&folder, "m.mmoc one.csv two.csv --proba"), expected);
}

#[test]
fn columns_are_matched_by_name() {
    let folder = folder();
    train(&folder, "max-margin", "m.mmoc");
    let expected = predict(&folder, "m.mmoc test.csv --proba");
    let whole = fs::read_to_string(folder.path("test.csv")).unwrap();
    let turned = |line: &str| {
        let mut fields: Vec<&str> = line.split(',').take(5).collect();
        fields.reverse();
        let id = if line.starts_with('x') { "id" } else { "17" };
        fields.insert(2, id);
        fields.join(",") + "\n"
    };
    let turned: String = whole.lines().map(turned).collect();
    fs::write(folder.path("turned.csv"), turned).unwrap();
    let outcome = folder.run("predict m.mmoc turned.csv --proba").succeeded();
    assert_eq!(outcome.stdout, expected);
    assert!(
        outcome
            .stderr
            .starts_with("note: turned.csv: the column 'id' is not used"),
        "{outcome:?}"
    );

    let without = |line: &str| line.split(',').skip(1).collect::<Vec<_>>().join(",") + "\n";
    let without: String = whole.lines().map(without).collect();
    fs::write(folder.path("without.csv"), without).unwrap();
    let outcome = folder.run("predict m.mmoc without.csv -o out.csv");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stderr.contains("'x1'"), "{outcome:?}");
    assert!(!folder.path("out.csv").exists());
    let outcome = folder
        .run("predict m.mmoc without.csv --missing mean")
        .succeeded();
    assert!(outcome.stderr.contains("'x1'"), "{outcome:?}");
    assert_eq!(outcome.stdout.lines().count(), 61);
}

#[test]
fn words_mean_what_they_meant_in_training() {
    let table = |rows: &[(&str, &str, u8)]| {
        let line = |(colour, size, flag): &(&str, &str, u8)| format!("{colour},{size},{flag}\n");
        let lines: String = rows.iter().map(line).collect();
        format!("colour,size,warm\n{lines}")
    };
    let mut rows = Vec::new();
    for _ in 0..10 {
        rows.extend([
            ("red", "big", 1),
            ("blue", "big", 0),
            ("green", "small", 0),
            ("red", "small", 1),
        ]);
    }
    let new = "size,colour\nsmall,red\nsmall,blue\n";
    let folder = Folder::with(&[
        ("train.csv", table(&rows)),
        ("new.csv", new.to_owned()),
        ("pink.csv", "size,colour\nsmall,pink\n".to_owned()),
    ]);
    folder
        .run("train train.csv --labels warm --method br -o m.mmoc")
        .succeeded();
    assert_eq!(predict(&folder, "m.mmoc new.csv"), "\"warm\"\n1\n0\n");
    let outcome = folder.run("predict m.mmoc pink.csv --unknown refuse");
    assert_eq!(outcome.code, Some(3));
    assert!(outcome.stderr.contains("pink.csv:2:7: "), "{outcome:?}");
    for word in ["'pink'", "blue", "green", "red"] {
        assert!(outcome.stderr.contains(word), "{outcome:?}");
    }
}

#[test]
fn standard_input_and_output_are_files_like_others() {
    let folder = folder();
    train(&folder, "coding-cca", "m.mmoc");
    let [train_rows, test_rows] =
        ["train.csv", "test.csv"].map(|name| fs::read_to_string(folder.path(name)).unwrap());
    let arguments = "train - --format csv --labels mood_* --method coding-cca -o n.mmoc";
    run_with_input(&folder, arguments, &train_rows).succeeded();
    let [m, n] =
        ["m.mmoc", "n.mmoc"].map(|model| predict(&folder, &format!("{model} test.csv --proba")));
    assert_eq!(m, n);
    let found =
        run_with_input(&folder, "predict m.mmoc - --from csv --proba", &test_rows).succeeded();
    assert_eq!(found.stdout, m);
    folder
        .run("predict m.mmoc test.csv --proba -o file.csv")
        .succeeded();
    assert_eq!(fs::read_to_string(folder.path("file.csv")).unwrap(), m);
    assert_eq!(predict(&folder, "m.mmoc test.csv --proba -o -"), m);

    // A model through a pipe.
    let line = format!(
        "'{BINARY}' train train.csv --labels 'mood_*' --method coding-cca -o - | \
         '{BINARY}' predict - test.csv --proba"
    );
    let piped = Outcome::of(folder.command("sh").args(["-c", &line])).succeeded();
    assert_eq!(piped.stdout, m);
}

#[test]
fn predictions_say_the_same_in_every_format() {
    let folder = folder();
    train(&folder, "max-margin", "m.mmoc");
    let table = predict(&folder, "m.mmoc test.csv");
    let chances = predict(&folder, "m.mmoc test.csv --proba");
    let best = predict(&folder, "m.mmoc test.csv --top-k 2 --proba");
    let lines = predict(&folder, "m.mmoc test.csv --format jsonl --proba");
    let ranked = predict(&folder, "m.mmoc test.csv --format jsonl --top-k 2");
    let arff = predict(&folder, "m.mmoc test.csv --format arff");
    let numbers = predict(&folder, "m.mmoc test.csv --format libsvm");
    assert_eq!(
        best.lines().next(),
        Some("\"label_1\",\"probability_1\",\"label_2\",\"probability_2\"")
    );
    let arff: Vec<&str> = arff
        .lines()
        .skip_while(|line| *line != "@data")
        .skip(1)
        .collect();
    for (row, line) in lines.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        let flags = &cells(&table)[row];
        let chance = &cells(&chances)[row];
        let set: Vec<usize> = (0..3).filter(|&j| flags[j] == "1").collect();
        let names: Vec<String> = set.iter().map(|j| format!("mood_{}", j + 1)).collect();
        assert_eq!(line["labels"], Value::from(names));
        for (j, chance) in chance.iter().enumerate() {
            let name = format!("mood_{}", j + 1);
            let own: f64 = chance.parse().unwrap();
            assert_eq!(line["probabilities"][&name].as_f64(), Some(own));
        }
        let ranked: Value = serde_json::from_str(ranked.lines().nth(row).unwrap()).unwrap();
        let best = &cells(&best)[row];
        for k in 0..2 {
            assert_eq!(ranked["best"][k]["label"], best[2 * k]);
        }
        let [first, second] = [1, 3].map(|k| best[k].parse::<f64>().unwrap());
        assert!(first >= second, "{best:?}");
        assert_eq!(arff[row], flags.join(","));
        let set: Vec<String> = set.iter().map(ToString::to_string).collect();
        assert_eq!(numbers.lines().nth(row), Some(set.join(",").as_str()));
    }
}

#[test]
fn a_model_tells_what_it_is() {
    let folder = folder();
    train(&folder, "max-margin --set projections=2", "m.mmoc");
    let text = folder.output("inspect m.mmoc");
    for part in [
        "train: 100 rows, 5 features, 3 labels",
        "MaxMargin (",
        "projections=2",
        "certified gap",
        "eigenvalue of the metric",
        "fingerprint",
        "Subset accuracy",
        "mood_3",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = folder.json("inspect m.mmoc");
    assert_eq!(
        json["label_names"],
        Value::from(vec!["mood_1", "mood_2", "mood_3"])
    );
    assert_eq!(json["parameters"]["projections"], 2);
    assert_eq!(json["projections"].as_array().unwrap().len(), 3);
    assert!(
        json["training"]["code"]["solver"]["relative_gap"]
            .as_f64()
            .unwrap()
            < 1e-6
    );
}

#[test]
fn training_again_replaces_a_model_but_nothing_else() {
    let folder = folder();
    train(&folder, "br", "m.mmoc");
    let before = fs::read(folder.path("m.mmoc")).unwrap();
    train(&folder, "lead", "m.mmoc");
    assert_ne!(fs::read(folder.path("m.mmoc")).unwrap(), before);
    for (arguments, message) in [
        (
            "train train.csv --labels mood_* --method br -o test.csv",
            "test.csv is there already and is no model",
        ),
        (
            "train train.csv --labels mood_* --method br -o ./train.csv",
            "train.csv cannot be both read and written",
        ),
        (
            "predict m.mmoc test.csv -o test.csv",
            "test.csv cannot be both read and written",
        ),
        (
            "predict m.mmoc test.csv --format csv -o m.mmoc",
            "m.mmoc cannot be both read and written",
        ),
    ] {
        let files =
            ["train.csv", "test.csv", "m.mmoc"].map(|name| fs::read(folder.path(name)).unwrap());
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(message), "{outcome:?}");
        let after =
            ["train.csv", "test.csv", "m.mmoc"].map(|name| fs::read(folder.path(name)).unwrap());
        assert!(files == after);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = folder();
    train(&folder, "br", "m.mmoc");
    let many = fs::read_to_string(folder.path("test.csv")).unwrap();
    let (header, rows) = many.split_once('\n').unwrap();
    fs::write(
        folder.path("many.csv"),
        format!("{header}\n{}", rows.repeat(2000)),
    )
    .unwrap();
    let line = format!("'{BINARY}' predict m.mmoc many.csv | head -n 2; echo ${{PIPESTATUS[0]}}");
    let outcome = Outcome::of(folder.command("bash").args(["-c", &line])).succeeded();
    assert_eq!(outcome.stderr, "");
    assert!(outcome.stdout.ends_with("\n0\n"), "{outcome:?}");
}

#[test]
fn estimates_are_made_as_asked() {
    let folder = folder();
    let given = "br --set base.penalty=1e-3";
    for (arguments, made) in [
        ("br", true),
        ("br --estimates never", false),
        (given, false),
        (&format!("{given} --estimates always"), true),
    ] {
        let shown = train(&folder, arguments, "m.mmoc").stdout;
        let inspected = folder.output("inspect m.mmoc");
        for text in [&shown, &inspected] {
            assert_eq!(text.contains("Subset accuracy"), made, "{text}");
            let missing = text.contains("nothing was estimated on held-out rows");
            assert_eq!(missing, !made, "{text}");
        }
        let described = folder.json("inspect m.mmoc");
        let estimates = described["training"]["estimates"].as_object().unwrap();
        assert_eq!(!estimates.is_empty(), made, "{arguments}");
    }
    let penalty = ["never", "always"].map(|answer| {
        train(&folder, &format!("{given} --estimates {answer}"), "m.mmoc");
        let regressions = &folder.json("inspect m.mmoc")["training"]["logistic"]["regressions"];
        (regressions.as_u64(), predict(&folder, "m.mmoc test.csv"))
    });
    assert_eq!((penalty[0].0, penalty[1].0), (Some(3), Some(18)));
    assert_eq!(penalty[0].1, penalty[1].1);
}
