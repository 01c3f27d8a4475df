//! Rows through a pipe, each answered before the next one comes; rows as JSON lines; and how the program speaks.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use common::small::Small;
use common::{BINARY, Folder, Outcome};
use serde_json::{Value, json};

/// An answer that takes longer will not come.
const PATIENCE: Duration = Duration::from_secs(120);

/// A model, and the rows to predict in every format of lines.
fn folder() -> Folder {
    let (train, test) = Small::new(130, 5, 3).split(100);
    let folder = Folder::with(&[
        ("train.csv", train.table(",")),
        ("test.csv", test.table(",")),
        ("test.tsv", test.table("\t")),
        ("test.svm", test.libsvm()),
        ("test.arff", test.arff()),
        ("test.xc", test.extreme()),
    ]);
    folder
        .run("train train.csv --labels mood_* --method br -o m.mmoc")
        .succeeded();
    folder
        .run("convert test.csv test.jsonl --labels mood_*")
        .succeeded();
    folder
}

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

/// The program while it runs, and the lines of its output as they come.
struct Coprocess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Coprocess {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let mut command = folder.command(BINARY);
        command.args(arguments.split_ascii_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                sender.send(line.unwrap()).unwrap();
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next line, which comes although the input goes on.
    fn answer(&self) -> String {
        let line = self.lines.recv_timeout(PATIENCE);
        line.expect("an answer comes before the next row is sent")
    }

    /// Ends the input; the lines that come after it.
    fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        let rest = self.lines.iter().collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

/// What is sent before the first row, and the rows.
fn split(text: &str, before: usize) -> (String, Vec<&str>) {
    let mut lines = text.split_inclusive('\n');
    let header = lines.by_ref().take(before).collect();
    (header, lines.collect())
}

#[test]
fn each_row_is_answered_before_the_next_one_is_sent() {
    let folder = folder();
    let expected = folder.output("predict m.mmoc test.csv");
    let expected: Vec<&str> = expected.lines().collect();
    // The lines before the first row, and what may stand between rows.
    let cases = [
        ("csv", "test.csv", 1, "\n  \r\n"),
        ("tsv", "test.tsv", 1, "\n"),
        ("libsvm", "test.svm", 0, "# a comment\n\n"),
        ("jsonl", "test.jsonl", 0, "\n"),
        ("arff", "test.arff", 10, "% a comment\n"),
        ("extreme", "test.xc", 1, ""),
    ];
    for (format, file, before, between) in cases {
        let rows = text(&folder, file);
        let (header, rows) = split(&rows, before);
        let mut predict = Coprocess::start(&folder, &format!("predict m.mmoc - --from {format}"));
        predict.send(&header);
        if before > 0 {
            assert_eq!(predict.answer(), expected[0], "{format}: the header");
        }
        for (index, row) in rows.iter().enumerate() {
            predict.send(&format!("{row}{between}"));
            if before == 0 && index == 0 {
                assert_eq!(predict.answer(), expected[0], "{format}: the header");
            }
            assert_eq!(
                predict.answer(),
                expected[index + 1],
                "{format}: row {index}"
            );
        }
        assert_eq!(predict.end(), [""; 0], "{format}");
    }
}

#[test]
fn rows_that_have_come_do_not_wait_for_the_rest_of_another() {
    let folder = folder();
    let table = text(&folder, "test.csv").replacen("x1", "note,x1", 1);
    let (header, rows) = split(&table, 1);
    let mut predict = Coprocess::start(&folder, "predict m.mmoc - --from csv --quiet");
    // A field in quotes goes on in the next line, which has not come.
    predict.send(&format!("{header}a,{}b,{}\"c\n", rows[0], rows[1]));
    for _ in ["header", "a", "b"] {
        predict.answer();
    }
    predict.send(&format!("d\",{}", rows[2]));
    predict.answer();
    assert_eq!(predict.end(), [""; 0]);
}

#[test]
fn a_pipe_a_file_and_batches_give_the_same() {
    let folder = folder();
    let expected = folder.output("predict m.mmoc test.csv --proba");
    let rows = text(&folder, "test.csv");
    for flush in ["", "--flush row", "--flush batch"] {
        let arguments = format!("predict m.mmoc - --from csv --proba {flush}");
        let mut predict = Coprocess::start(&folder, &arguments);
        predict.send(&rows);
        let found = predict.end().join("\n") + "\n";
        assert_eq!(found, expected, "{flush}");
        let file = format!("predict m.mmoc test.csv --proba {flush}");
        assert_eq!(folder.output(&file), expected, "{flush}");
    }
}

#[test]
fn rows_cannot_be_passed_on_one_by_one_everywhere() {
    let folder = folder();
    folder
        .run("convert test.csv test.parquet --labels mood_*")
        .succeeded();
    let cases = [
        (
            "predict m.mmoc test.parquet --flush row",
            "--flush row needs rows that are lines of text; parquet is read in whole batches",
        ),
        (
            "predict m.mmoc - --from arrow --flush row",
            "--flush row needs rows that are lines of text; arrow is read in whole batches",
        ),
        (
            "predict m.mmoc test.csv --flush row -o out.csv",
            "--flush row has a meaning only on standard output: a file appears as a whole",
        ),
    ];
    for (arguments, message) in cases {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}\n{outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments}\n{}",
            outcome.stderr
        );
    }
    folder.run("predict m.mmoc test.parquet").succeeded();
}

#[test]
fn input_without_rows_gives_output_without_rows() {
    let folder = folder();
    let header = "\"mood_1\",\"mood_2\",\"mood_3\"\n";
    let names = "x1,x2,x3,x4,x5\n";
    let arff = "@relation r\n@attribute x1 real\n@attribute x2 real\n@attribute x3 real\n\
                @attribute x4 real\n@attribute x5 real\n@data\n";
    let cases = [
        ("none.csv", names.to_owned()),
        ("none.tsv", names.replace(',', "\t")),
        ("none.svm", "# nothing\n".to_owned()),
        ("none.jsonl", "\n".to_owned()),
        ("none.arff", arff.to_owned()),
    ];
    for (name, contents) in cases {
        fs::write(folder.path(name), contents).unwrap();
        assert_eq!(
            folder.output(&format!("predict m.mmoc {name}")),
            header,
            "{name}"
        );
        let scored = folder.run(&format!("score m.mmoc {name}"));
        assert_eq!(scored.code, Some(3), "{name}: {scored:?}");
    }
    folder
        .run("predict m.mmoc none.csv -o none-predicted.csv")
        .succeeded();
    assert_eq!(text(&folder, "none-predicted.csv"), header);
    let outcome = folder.run("train none.jsonl --labels a -o none.mmoc");
    assert!(
        outcome
            .stderr
            .contains("none.jsonl:2:1: expected at least one row")
    );
}

#[test]
fn json_lines_are_a_format_as_all_others() {
    let folder = folder();
    folder
        .run("convert train.csv train.ndjson.gz --labels mood_*")
        .succeeded();
    folder
        .run("train train.ndjson.gz --labels mood_* --method br -o j.mmoc")
        .succeeded();
    let expected = folder.output("predict m.mmoc test.csv --proba");
    for arguments in [
        "m.mmoc test.jsonl",
        "j.mmoc test.csv",
        "j.mmoc test.jsonl --from jsonl",
    ] {
        let found = folder.output(&format!("predict {arguments} --proba"));
        assert_eq!(found, expected, "{arguments}");
    }
    let score = |file: &str| folder.json(&format!("score m.mmoc {file}"))["metrics"].clone();
    assert_eq!(score("test.jsonl"), score("test.csv"));
    folder
        .run("convert test.jsonl again.csv --labels mood_*")
        .succeeded();
    folder
        .run("convert test.csv once.csv --labels mood_*")
        .succeeded();
    assert_eq!(text(&folder, "again.csv"), text(&folder, "once.csv"));
    let inspected = folder.json("inspect test.jsonl --labels mood_*");
    assert_eq!(inspected["rows"], 30);
}

#[test]
fn keys_come_in_any_order_and_values_in_any_kind() {
    let table = "a,b,kind,mood_1\n1,0.5,x,1\n0,-2,y,0\n1,0.5,z,1\n0,3,x,0\n0,1,z,1\n1,-1,y,0\n";
    let folder = Folder::with(&[
        ("t.csv", table),
        ("rows.csv", "a,b,kind\n1,0.5,x\n0,3e2,z\n,,y\n"),
        (
            "rows.jsonl",
            "{\"kind\": \"x\", \"a\": true, \"b\": \"0.5\"}\n\
             {\"b\": 3E2, \"id\": {\"deep\": [1, 2]}, \"\\u0061\": false, \"kind\": \"\\u007a\"}\n\
             \n{\"kind\":\"y\", \"a\": null}\n",
        ),
    ]);
    folder
        .run("train t.csv --labels mood_1 --method br --estimates never -o m.mmoc")
        .succeeded();
    let expected = folder.output("predict m.mmoc rows.csv --proba --missing mean");
    let found = folder.output("predict m.mmoc rows.jsonl --proba --missing mean");
    assert_eq!(found, expected);
    fs::write(
        folder.path("note.jsonl"),
        "{\"a\":1,\"b\":1,\"kind\":\"x\",\"id\":7}\n",
    )
    .unwrap();
    let outcome = folder.run("predict m.mmoc note.jsonl").succeeded();
    let note =
        "note: note.jsonl: the column 'id' is not used, because the model does not know it\n";
    assert_eq!(outcome.stderr, note);
}

#[test]
fn wrong_json_lines_are_refused_at_their_places() {
    let table = "a,b,l,m\n1,2,0,1\n2,1,1,0\n3,3,1,1\n4,1,0,0\n";
    let folder = Folder::with(&[("t.csv", table)]);
    folder
        .run("train t.csv --labels l,m --method br --estimates never -o m.mmoc")
        .succeeded();
    // Predicted if the text has no labels, otherwise trained on.
    let cases = [
        (
            "{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":\n",
            "f.jsonl:2:11: expected a JSON object for each row, found a line that ends too early",
        ),
        (
            "[1,2]\n",
            "f.jsonl:1:1: expected a JSON object for each row, found '[1,2]'",
        ),
        (
            "{\"a\":NaN,\"b\":1}\n",
            "f.jsonl:1:6: expected a JSON object for each row, found NaN, which is not JSON: write null",
        ),
        (
            "{\"a\":1}\n",
            "f.jsonl:1:1: expected a value of 'b' in row 1, found no such key (--missing mean fills in",
        ),
        (
            "{\"a\":1,\"b\":null}\n",
            "f.jsonl:1:12: expected a value of 'b' in row 1, found 'null'",
        ),
        (
            "{\"a\":1,\"b\":\"two\"}\n",
            "f.jsonl:1:12: expected a finite number in 'b', found 'two'",
        ),
        (
            "{\"a\":1,\"b\":1e999}\n",
            "f.jsonl:1:12: expected a finite number in 'b', found '1e999'",
        ),
        (
            "{\"a\":1,\"b\":[2]}\n",
            "f.jsonl:1:12: expected a number, a string, true, false or null, found a list",
        ),
        (
            "{\"a\":1,\"b\":2,\"a\":3}\n",
            "f.jsonl:1:14: expected a key that the object has only once, found 'a' again",
        ),
        (
            "{\"c\":1}\n",
            "f.jsonl:1:1: expected one of the features 'a', 'b' of the model, found no columns of these names",
        ),
        (
            "{\"a\":1,\"l\":0}\n{\"a\":1,\"l\":1,\"x\":3}\n",
            "f.jsonl:2:14: expected a key of the first object, which names all columns, found 'x'",
        ),
        (
            "{\"a\":1,\"l\":0}\n{\"a\":1,\"l\":2}\n",
            "f.jsonl:2:12: expected 0 or 1 for the label 'l', found '2'",
        ),
        (
            "{\"a\":1,\"l\":0}\n{\"a\":1}\n",
            "f.jsonl:2:1: expected 0 or 1 for the label 'l', found no such key",
        ),
    ];
    for (text, message) in cases {
        fs::write(folder.path("f.jsonl"), text).unwrap();
        let arguments = if text.contains("\"l\"") {
            "train f.jsonl --labels l --method br -o n.mmoc"
        } else {
            "predict m.mmoc f.jsonl"
        };
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(3), "{text}\n{outcome:?}");
        assert!(
            outcome.stderr.contains(message),
            "{message}\n{}",
            outcome.stderr
        );
    }
    let outcome = folder.run("train f.jsonl --method br -o n.mmoc");
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome
            .stderr
            .contains("f.jsonl: a table needs --labels: name,name,…")
    );
}

#[test]
fn quiet_commands_say_nothing_but_errors() {
    let folder = folder();
    let songs = text(&folder, "test.csv").replacen("mood_1", "other", 1);
    fs::write(folder.path("other.csv"), songs).unwrap();
    let cases = [
        "train train.csv --labels mood_* --method br -o n.mmoc",
        "predict m.mmoc other.csv",
        "predict m.mmoc test.csv -o out.csv",
        "inspect test.csv test.csv --labels mood_*",
        "evaluate test.csv test.csv --labels mood_* --method br --folds 2",
        "convert test.csv out.tsv --labels mood_* --force",
        "compare test.csv --labels mood_* --method br --folds 2 --out c",
        "report c",
        "man --out pages",
    ];
    for arguments in cases {
        let usual = folder.run(arguments).succeeded();
        assert_ne!(usual.stderr, "", "{arguments}");
        let before = folder.run(&format!("--quiet {arguments}")).succeeded();
        let after = folder.run(&format!("{arguments} -q")).succeeded();
        assert_eq!(
            (before.stderr, after.stderr),
            (String::new(), String::new())
        );
    }
    let outcome = folder.run("predict m.mmoc absent.csv --quiet");
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome
            .stderr
            .starts_with("error: absent.csv: No such file")
    );
}

fn error_of(outcome: &Outcome) -> Value {
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{outcome:?}");
    serde_json::from_str(lines[0]).expect("the error is JSON")
}

#[test]
fn errors_are_json_where_it_is_asked_for() {
    let folder = folder();
    fs::write(folder.path("word.csv"), "x1,l\n1,0\ntwo,1\n").unwrap();
    let cases = [
        (
            "inspect word.csv --labels l --json",
            json!({"code": 3, "file": "word.csv", "line": 3, "column": 1,
                   "expected": "a finite number in 'x1'", "found": "'two'",
                   "error": "word.csv:3:1: expected a finite number in 'x1', found 'two' (--ignore NAME leaves a column out)"}),
        ),
        (
            "--json predict absent.mmoc test.csv",
            json!({"code": 1, "error": "absent.mmoc: No such file or directory (os error 2)"}),
        ),
        (
            "predict m.mmoc - --json",
            json!({"code": 2, "error": "- stands for standard input, which needs --from: \
                   one of arff, csv, tsv, libsvm, extreme, parquet, arrow, jsonl"}),
        ),
        (
            "convert test.csv test.csv --json --labels mood_* --force",
            json!({"code": 2, "error": "test.csv cannot be both read and written: choose another name for the output"}),
        ),
        (
            "inspect --nonsense --json",
            json!({"code": 2, "error": "unexpected argument '--nonsense' found\n\n  \
                   tip: to pass '--nonsense' as a value, use '-- --nonsense'"}),
        ),
    ];
    for (arguments, expected) in cases {
        let outcome = folder.run(arguments);
        let found = error_of(&outcome);
        assert_eq!(
            outcome.code,
            expected["code"].as_i64().map(|code| code as i32)
        );
        assert_eq!(outcome.stdout, "", "{arguments}");
        assert_eq!(found, expected, "{arguments}");
    }
    let predicted = folder.output("predict m.mmoc test.csv --json");
    assert_eq!(
        predicted,
        folder.output("predict m.mmoc test.csv --format jsonl")
    );
}

/// All rows at once, the bad one in the middle: those before it are answered as if they had come one by one.
#[test]
fn rows_before_a_bad_one_are_answered_however_they_come() {
    let folder = folder();
    for (name, header, bad) in [("test.csv", 1, "xx,yy\n"), ("test.jsonl", 0, "{\"x1\": \n")] {
        let rows = text(&folder, name);
        let good: Vec<&str> = rows.split_inclusive('\n').collect();
        let before = good[..header + 3].concat();
        let input = format!("{before}{bad}{}", good[header + 3..].concat());
        let format = name.split('.').next_back().unwrap();
        let expected = predict_piped(&folder, format, &before);
        assert_eq!(expected.code, Some(0), "{expected:?}");
        let outcome = predict_piped(&folder, format, &input);
        assert_eq!(outcome.code, Some(3), "{outcome:?}");
        assert_eq!(outcome.stdout, expected.stdout, "{name}");
        assert_eq!(outcome.stdout.lines().count(), 4, "{name}");
    }
}

#[test]
fn no_json_lines_are_no_predictions() {
    let folder = folder();
    let mut command = folder.command(BINARY);
    command.args(["predict", "m.mmoc", "-", "--from", "jsonl", "--id", "visit"]);
    let outcome = fed(command, "");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert_eq!(outcome.stdout.lines().count(), 1, "{}", outcome.stdout);
}

#[test]
fn ids_that_are_numbers_stay_numbers_in_json_lines() {
    let folder = folder();
    let rows = text(&folder, "test.jsonl");
    let row = rows.lines().next().unwrap().trim_start_matches('{');
    let ids = [
        "7",
        "-12345678901234567890",
        "2.50",
        "1e3",
        "\"7\"",
        "\"v1\"",
        "\"\"",
    ];
    let input: String = ids.map(|id| format!("{{\"visit\": {id}, {row}\n")).concat();
    let mut command = folder.command(BINARY);
    command.args(["predict", "m.mmoc", "-", "--from", "jsonl", "--id", "visit"]);
    let as_table = fed(command, &input).stdout;
    let mut command = folder.command(BINARY);
    command.args(["predict", "m.mmoc", "-", "--from", "jsonl", "--id", "visit"]);
    command.args(["--format", "jsonl"]);
    let as_json = fed(command, &input).stdout;
    assert_eq!(as_json.lines().count(), ids.len(), "{as_json}");
    let lines = as_json.lines().zip(as_table.lines().skip(1));
    for (id, (json, table)) in ids.into_iter().zip(lines) {
        assert!(json.starts_with(&format!("{{\"id\":{id},")), "{json}");
        let plain = id.trim_matches('"');
        let cell = table.split(',').next().unwrap().trim_matches('"');
        assert_eq!(cell, plain, "{table}");
    }
}

fn predict_piped(folder: &Folder, format: &str, input: &str) -> Outcome {
    let mut command = folder.command(BINARY);
    command.args(["predict", "m.mmoc", "-", "--from", format]);
    fed(command, input)
}

/// What comes of a command that gets all of its input at once.
fn fed(mut command: std::process::Command, input: &str) -> Outcome {
    let pipes = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
