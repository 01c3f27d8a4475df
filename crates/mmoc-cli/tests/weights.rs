//! Weights of rows and missing labels, through the real binary: every format, the wording of notes and errors, and test
//! files.

mod common;

use common::{Folder, Outcome};
use serde_json::{Value, json};

/// Five rows count: the third has no weight, and of the fourth no label is known.
const TABLE: &str = "x,w,a,b,z
1,1,1,0,1
2,2,0,?,0
3,0,1,1,1
4,0.5,NA,null,0
5,1.5,0,1,1
6,1,1,,0
7,1,0,0,1
";

const OPTIONS: &str = "--labels a,b --ignore z --weight w --missing-labels ignore";

const NOTES: &str =
    "note: 1 row of weight 0 is left out\nnote: 1 row without a known label is left out\n";

fn folder() -> Folder {
    Folder::with(&[("t.csv", TABLE)])
}

/// Runs each line of a table of cases: exit code, arguments, what is essential of the message.
fn check(folder: &Folder, cases: &str) {
    for line in cases.lines().filter(|line| !line.is_empty()) {
        let [code, arguments, message] = line.splitn(3, '|').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        let Outcome {
            code: found,
            stderr,
            ..
        } = folder.run(arguments);
        assert_eq!(found, code.parse().ok(), "{arguments}\n{stderr}");
        assert!(stderr.contains(message), "{arguments}\n{stderr}\n{message}");
    }
}

#[test]
fn every_format_has_the_same_weights_and_missing_labels() {
    let folder = folder();
    for format in ["csv", "tsv", "arff", "jsonl", "parquet", "arrow"] {
        let file = format!("copy.{format}");
        folder
            .run(&format!("convert t.csv {file} --labels z --missing mean"))
            .succeeded();
        let outcome = folder.run(&format!("inspect {file} {OPTIONS} --json"));
        let shown = outcome.succeeded();
        assert_eq!(shown.stderr, NOTES, "{format}");
        let found = shown.json();
        let expected = [
            ("rows", json!(5)),
            ("columns", json!(1)),
            ("missing_cells", json!(0)),
            ("missing_labels", json!(2)),
            ("weight_sum", json!(6.5)),
            ("label_counts", json!([2, 1])),
        ];
        for (key, value) in expected {
            assert_eq!(found[key], value, "{format}: {key}");
        }
    }
}

#[test]
fn inspect_shows_weights_and_missing_labels_only_where_they_are() {
    let folder = folder();
    let shown = folder.run(&format!("inspect t.csv {OPTIONS}")).succeeded();
    assert!(
        shown
            .stdout
            .contains("rows                  5 (sum of weights 6.5)"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("missing labels        2\n"),
        "{}",
        shown.stdout
    );
    let plain = folder.json("inspect t.csv --labels z --ignore a,b");
    assert_eq!(
        plain.get("missing_labels").or(plain.get("weight_sum")),
        None
    );
}

const REFUSED: &str = "
3 | inspect t.csv --labels a,b --weight w                              | t.csv:3:7: expected 0 or 1 for the label 'b', found '?' (--missing-labels ignore leaves such cells out)
2 | inspect t.csv --labels a,b --missing-labels mean                   | the treatment of missing labels must be refuse or ignore, not 'mean'
3 | inspect t.csv --labels z --weight v                                | expected a column named 'v', found only 'x', 'w'
3 | inspect t.csv --labels z,w --weight w                              | t.csv:1:3: expected one purpose of the column 'w', found 2: a label, the column of weights
3 | inspect t.csv --labels z --weight w --id w                         | t.csv:1:3: expected one purpose of the column 'w', found 2: the column of weights, the column of what rows are called
3 | inspect t.csv --tags w --weight w                                  | t.csv:1:3: expected one purpose of the column 'w', found 2: the column of tags, the column of weights
3 | inspect t.csv --labels z --weight b                                | t.csv:3:7: expected a weight: a number of at least 0, found '?'
3 | inspect bad.csv --labels l --weight negative                       | bad.csv:3:3: expected a weight: a number of at least 0, found '-1'
3 | inspect bad.csv --labels l --weight word                           | bad.csv:3:6: expected a weight: a number of at least 0, found 'heavy'
3 | inspect bad.csv --labels l --weight infinite --ignore word         | bad.csv:3:12: expected a weight: a number of at least 0, found 'inf'
3 | inspect bad.csv --labels l --weight empty --ignore word,infinite   | bad.csv:3:16: expected a weight: a number of at least 0, found an empty cell
3 | inspect bad.csv --labels l --weight zero --ignore word,infinite,empty | bad.csv: expected a row with a positive weight, found none
3 | inspect bad.jsonl --labels l --weight w                            | bad.jsonl:2:1: expected a weight: a number of at least 0, found no such key
3 | inspect list.jsonl --labels l --weight w                           | list.jsonl:1:15: expected a weight: a number of at least 0, found a list
3 | inspect bad.arff --labels l --weight w                             | bad.arff:6:3: expected a weight: a number of at least 0, found '?'
3 | inspect bad.parquet --labels l --weight negative                   | bad.parquet: row 2 of 'negative': expected a weight: a number of at least 0, found -1
3 | inspect hole.parquet --labels l --weight w                         | hole.parquet: row 2 of 'w': expected a weight: a number of at least 0, found a missing cell
3 | inspect hole.parquet --labels w                                    | hole.parquet: row 2 of 'w': expected 0 or 1 for a label, found a missing cell (--missing-labels ignore leaves such cells out)
3 | inspect never.csv --labels l,m --missing-labels ignore             | never.csv:1:5: expected the label 'm' in some row, found only missing cells
3 | inspect never.csv --labels m --missing-labels ignore               | never.csv: expected a row with a known label, found none
2 | inspect t.svm --weight w                                           | the column of weights must be left out for libsvm and extreme files, whose columns have no names, not 'w'
2 | convert t.csv out.csv --labels a,b --weight w                      | --weight has no meaning for convert
2 | convert t.csv out.csv --labels a,b --missing-labels ignore         | --missing-labels ignore has no meaning for convert
";

#[test]
fn what_is_no_weight_and_what_cannot_be_known_is_refused() {
    let folder = Folder::with(&[
        ("t.csv", TABLE),
        (
            "bad.csv",
            "x,negative,word,infinite,empty,zero,l\n1,1,1,1,1,0,1\n2,-1,heavy,inf,,0,0\n",
        ),
        ("numbers.csv", "x,negative,l\n1,1,1\n2,-1,0\n"),
        ("hole.csv", "x,w,l\n1,1,1\n2,,0\n"),
        ("never.csv", "x,l,m\n1,1,NA\n2,0,NA\n"),
        (
            "bad.jsonl",
            "{\"x\": 1, \"w\": 2, \"l\": 1}\n{\"x\": 1, \"l\": 1}\n",
        ),
        ("list.jsonl", "{\"x\": 1, \"w\": [2], \"l\": 1}\n"),
        (
            "bad.arff",
            "@relation r\n@attribute x numeric\n@attribute w numeric\n@attribute l {0,1}\n@data\n1,?,1\n",
        ),
        ("t.svm", "1 1:2\n2 1:3\n"),
    ]);
    folder
        .run("convert numbers.csv bad.parquet --labels l")
        .succeeded();
    folder
        .run("convert hole.csv hole.parquet --labels l --missing mean")
        .succeeded();
    check(&folder, REFUSED);
}

#[test]
fn missing_cells_of_predictions_have_no_remedy() {
    let folder = Folder::with(&[("rows.csv", "x,l\n1,1\n"), ("said.csv", "l\n?\n")]);
    let outcome = folder.run("score --predictions said.csv rows.csv --labels l");
    assert_eq!(
        outcome.stderr,
        "error: said.csv:2:1: expected 0 or 1 for the label 'l', found '?'\n"
    );
}

#[test]
fn a_cell_of_tags_is_empty_or_missing() {
    let table = "x,tags\n1,a;b\n2,\n3,NA\n4,b\n5,?\n";
    let rows = "{\"x\": 1, \"tags\": [\"a\", \"b\"]}\n{\"x\": 2, \"tags\": \"\"}\n{\"x\": 3, \"tags\": null}\n{\"x\": 4, \"tags\": \"b\"}\n{\"x\": 5}\n";
    let folder = Folder::with(&[("t.csv", table), ("t.jsonl", rows)]);
    for file in ["t.csv", "t.jsonl"] {
        let refused = folder.run(&format!("inspect {file} --tags tags"));
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.stderr.contains("expected tags in 'tags', found"));
        let command = format!("inspect {file} --tags tags --missing-labels ignore --json");
        let outcome = folder.run(&command).succeeded();
        assert_eq!(
            outcome.stderr,
            "note: 2 rows without a known label are left out\n"
        );
        let known = outcome.json();
        assert_eq!(
            (&known["rows"], &known["empty_rows"]),
            (&json!(3), &json!(1))
        );
    }
}

#[test]
fn all_values_of_a_nominal_label_are_missing_together() {
    let header = "@relation 'r: -C 2'\n@attribute c {p,q,r}\n@attribute l {0,1}\n@attribute x numeric\n@attribute w numeric\n@data\n";
    let dense = format!("{header}p,1,1,1\n?,0,2,2\nq,?,3,1\n?,?,4,1\nr,1,5,0\n");
    let sparse = format!(
        "{header}{{1 1,2 1,3 1}}\n{{0 ?,2 2,3 2}}\n{{0 q,1 ?,2 3,3 1}}\n{{0 ?,1 ?,2 4,3 1}}\n{{0 r,1 1,2 5}}\n"
    );
    let folder = Folder::with(&[("dense.arff", dense), ("sparse.arff", sparse)]);
    for file in ["dense.arff", "sparse.arff"] {
        let command = format!("inspect {file} --weight w --missing-labels ignore --json");
        let outcome = folder.run(&command).succeeded();
        assert!(outcome.stderr.ends_with(NOTES), "{}", outcome.stderr);
        let found = outcome.json();
        assert_eq!(
            found["label_names"],
            json!(["c=p", "c=q", "c=r", "l"]),
            "{file}"
        );
        assert_eq!(found["label_counts"], json!([1, 1, 0, 1]), "{file}");
        assert_eq!(
            (&found["rows"], &found["missing_labels"]),
            (&json!(3), &json!(4))
        );
        assert_eq!(found["weight_sum"], json!(4.0), "{file}");
    }
    let refused = folder.run("inspect dense.arff --ignore w");
    let expected = "dense.arff:8:1: expected a value of 'c' {'p', 'q', 'r'}, found '?' (--missing-labels ignore leaves such cells out)";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
}

const USED: &str = "
0 | score m.mmoc t.csv --weight w --missing-labels ignore                                      | note: 1 row without a known label is left out
0 | predict m.mmoc t.csv                                                                       | t.csv: the columns 'w', 'z' are not used, because the model does not know them
2 | predict m.mmoc t.csv --weight w                                                            | unexpected argument '--weight'
3 | score m.mmoc t.csv --weight w                                                              | t.csv:3:7: expected 0 or 1 for the label 'b', found '?' (--missing-labels ignore leaves such cells out)
3 | score m.mmoc t.csv --weight x --missing-labels ignore                                      | t.csv:1:1: expected one purpose of the column 'x', found 2: one of the model's features, the column of weights
3 | score m.mmoc t.csv --weight a --missing-labels ignore                                      | t.csv:1:5: expected one purpose of the column 'a', found 2: a label, the column of weights
3 | score m.mmoc t.csv --weight v --missing-labels ignore                                      | expected a column named 'v', found only
3 | score m.mmoc unknown.csv --missing-labels ignore                                           | unknown.csv: expected a row with a known label, found none
0 | score m.mmoc some.jsonl --missing-labels ignore                                            | note: 1 row without a known label is left out
0 | evaluate t.csv --test t.csv --method br --labels a,b --ignore z --weight w --missing-labels ignore | note: 1 row of weight 0 is left out
3 | evaluate t.csv --test unknown.csv --method br --labels a,b --ignore z,w --missing-labels ignore | unknown.csv: expected a row with a known label, found none
";

#[test]
fn models_and_test_files_leave_the_same_rows_out() {
    let some = "{\"x\": 1, \"b\": 1}\n{\"x\": 2}\n{\"x\": 3, \"a\": 0, \"b\": null}\n";
    let folder = Folder::with(&[
        ("t.csv", TABLE),
        ("unknown.csv", "x,a,b\n1,?,?\n"),
        ("some.jsonl", some),
    ]);
    folder
        .run(&format!("train t.csv {OPTIONS} --method br -o m.mmoc"))
        .succeeded();
    check(&folder, USED);
    let scored = folder.json("score m.mmoc t.csv --weight w --missing-labels ignore");
    assert_eq!(scored["rows"], json!(5));
    let scored = folder.json("score m.mmoc some.jsonl --missing-labels ignore");
    assert_eq!(scored["rows"], json!(2));
}

#[test]
fn predictions_belong_to_the_rows_of_the_files() {
    // Where a row is left out its prediction is wrong.
    let said = "a,b\n1,0\n0,0\n0,0\n1,1\n0,1\n1,0\n0,0\n";
    let folder = Folder::with(&[("t.csv", TABLE), ("said.csv", said)]);
    let scored = folder.json(&format!("score --predictions said.csv t.csv {OPTIONS}"));
    assert_eq!(
        (&scored["rows"], &scored["metrics"]["hamming_loss"]),
        (&json!(5), &json!(0.0))
    );
    let short = Folder::with(&[
        ("t.csv", TABLE),
        ("said.csv", "a,b\n1,0\n0,0\n0,1\n1,0\n0,0\n"),
    ]);
    let outcome = short.run(&format!("score --predictions said.csv t.csv {OPTIONS}"));
    let expected = "said.csv: expected 7 rows, one for each row of the test files, found 5";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
}

#[test]
fn rows_whose_kept_labels_are_unknown_are_left_out_with_the_other_labels() {
    let table = "x,a,b\n1,1,1\n2,1,0\n3,?,1\n4,0,0\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let outcome =
        folder.run("inspect t.csv --labels a,b --missing-labels ignore --top-labels 1 --json");
    let outcome = outcome.succeeded();
    assert_eq!(
        outcome.stderr,
        "note: 1 row without a known label is left out\n"
    );
    let found = outcome.json();
    assert_eq!(
        (&found["rows"], found.get("missing_labels")),
        (&json!(3), None::<&Value>)
    );
}

#[test]
fn a_row_of_weight_two_is_scored_as_two_rows() {
    let weighted = "x,w,a,b\n1,2,1,0\n2,1,0,?\n3,3,1,1\n4,1,0,0\n5,2,?,1\n6,1,0,1\n";
    let mut repeated = "x,a,b\n".to_owned();
    for line in weighted.lines().skip(1) {
        let [x, weight, labels] = line.splitn(3, ',').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let rows = weight.parse().unwrap();
        repeated.push_str(&format!("{x},{labels}\n").repeat(rows));
    }
    let folder = Folder::with(&[
        (
            "train.csv",
            "x,a,b\n1,1,0\n2,0,0\n3,1,1\n4,0,1\n5,1,1\n6,0,0\n",
        ),
        ("weighted.csv", weighted),
        ("repeated.csv", &repeated),
    ]);
    folder
        .run("train train.csv --labels a,b --method br -o m.mmoc")
        .succeeded();
    let score = |rest: &str| folder.json(&format!("score m.mmoc {rest} --missing-labels ignore"));
    let by_weight = score("weighted.csv --weight w");
    let by_rows = score("repeated.csv");
    let plain = score("weighted.csv");
    assert_eq!(
        (&by_weight["rows"], &by_rows["rows"]),
        (&json!(6), &json!(10))
    );
    let metrics = by_rows["metrics"].as_object().unwrap();
    for (name, expected) in metrics {
        let found = by_weight["metrics"][name].as_f64().unwrap();
        let difference = (found - expected.as_f64().unwrap()).abs();
        assert!(difference < 1e-12, "{name}: {found} and {expected}");
    }
    assert_ne!(plain["metrics"]["log_loss"], by_rows["metrics"]["log_loss"]);
}
