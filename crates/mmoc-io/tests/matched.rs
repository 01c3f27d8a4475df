//! Rows to test on, matched to the rows that are trained on, and predictions, matched to their labels.

use std::fs;

use mmoc::data::Labels;
use mmoc_io::{
    MissingLabels, ReadOptions, RowStream, StreamOptions, Unknown, WantedLabels, labels, read,
    read_files, read_matched, read_predictions, read_predictions_from,
};
use tempfile::TempDir;

const TRAIN: &str = "colour,size,round,small\nred,1,1,0\nblue,2,0,1\ngreen,3,1,1\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn options() -> ReadOptions {
    labels("round,small")
}

#[test]
fn test_rows_have_the_columns_the_words_and_the_labels_of_the_training_rows() {
    let files = folder(&[
        ("train.csv", TRAIN),
        ("first.csv", "small,round,size,colour\n0,1,5,green\n"),
        ("second.csv", "colour,size,round,small,id\nblue,6,0,0,7\n"),
    ]);
    let path = |name: &str| files.path().join(name);
    let train = read(path("train.csv"), options()).unwrap();
    let paths = [path("first.csv"), path("second.csv")];
    let matched = read_matched(&paths, &train.schema(), &options()).unwrap();
    let test = &matched.dataset;
    assert_eq!(test.name(), "first");
    assert_eq!(test.schema(), train.schema());
    assert_eq!(
        test.labels(),
        &Labels::new(2, vec![0, 1, 1], vec![0]).unwrap()
    );
    let mut cells = Vec::new();
    test.features()
        .view()
        .for_each_stored(|_, _, value| cells.push(value));
    assert_eq!(cells, [0.0, 1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0]);
    let notes: Vec<String> = matched.notes.iter().map(ToString::to_string).collect();
    let second = path("second.csv");
    let expected = format!(
        "{}: the column 'id' is not used, because the training rows do not have it",
        second.display()
    );
    assert_eq!(notes, [expected]);
}

#[test]
fn test_rows_that_do_not_match_are_refused_with_their_place() {
    let files = folder(&[("train.csv", TRAIN)]);
    let train = read(files.path().join("train.csv"), options()).unwrap();
    for (text, message) in [
        (
            "colour,size,round\nred,1,1\n",
            ":1:1: expected the label 'small' of the training rows, found no column of that name",
        ),
        (
            "size,round,small\n1,1,0\n",
            ":1:1: expected the feature 'colour' of the training rows, found no column of that name",
        ),
        (
            "colour,size,round,small\npink,1,1,0\n",
            ":2:1: expected a value of 'colour'",
        ),
        (
            "colour,size,round,small\n",
            ":2:1: expected at least one row",
        ),
    ] {
        let path = files.path().join("test.csv");
        fs::write(&path, text).unwrap();
        let options = ReadOptions {
            unknown: Unknown::Refuse,
            ..options()
        };
        let error = read_matched(&[path], &train.schema(), &options).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

fn names() -> Vec<String> {
    ["beach", "sunset", "\u{f6}l"].map(String::from).to_vec()
}

#[test]
fn predictions_are_found_by_name_in_tables_and_json_lines() {
    let expected = Labels::new(3, vec![0, 2, 2], vec![0, 2]).unwrap();
    for (name, text) in [
        ("p.csv", "beach,sunset,\u{f6}l\n1,0,1\n0,0,0\n"),
        (
            "p.tsv",
            "\u{f6}l\tid\tbeach\tsunset\n1.0\tx\t1\t0\n0\ty\t0\t0\n",
        ),
        (
            "p.jsonl",
            "{\"labels\": [\"\u{f6}l\", \"beach\"]}\n\n{\"labels\": [], \"best\": []}\n",
        ),
    ] {
        let read = read_predictions_from(text.as_bytes(), name, &names());
        let found = read.unwrap().prediction;
        assert_eq!(found.labels, expected, "{name}");
        assert_eq!((found.scores, found.probabilities), (None, None), "{name}");
    }
    let files = folder(&[("p.jsonl", "{\"labels\": [\"sunset\"]}")]);
    let found = read_predictions(files.path().join("p.jsonl"), &names()).unwrap();
    assert!(found.prediction.labels.contains(0, 1));
}

#[test]
fn probabilities_are_scores_too_and_are_there_for_all_rows_or_none() {
    let row =
        "{\"labels\": [], \"probabilities\": {\"sunset\": 0.5, \"beach\": 0.25, \"\u{f6}l\": 1}}\n";
    let found = read_predictions_from(row.as_bytes(), "p.jsonl", &names()).unwrap();
    let probabilities = found.prediction.probabilities.unwrap();
    assert_eq!(probabilities.values(), [0.25, 0.5, 1.0]);
    assert_eq!(found.prediction.scores, Some(probabilities));
    let plain = "{\"labels\": []}\n";
    for (text, message) in [
        (
            format!("{row}{plain}"),
            "p.jsonl:2:1: expected probabilities, as in the first row, found none",
        ),
        (
            format!("{plain}{row}"),
            "p.jsonl:2:1: expected no probabilities, as in the first row, found some",
        ),
    ] {
        let error = read_predictions_from(text.as_bytes(), "p.jsonl", &names()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn bad_predictions_are_refused_with_their_place() {
    for (name, text, message) in [
        (
            "p.csv",
            "beach,sunset,\u{f6}l\n1,0,perhaps\n",
            "p.csv:2:5: expected 0 or 1 for the label '\u{f6}l', found 'perhaps'",
        ),
        (
            "p.csv",
            "beach,\u{f6}l\n1,0\n",
            "p.csv:1:1: expected the label 'sunset' of the test rows, found no column of that name",
        ),
        (
            "p.jsonl",
            "{\"labels\": [\"\u{f6}l\", \"sea\"]}",
            "p.jsonl:1:19: expected the name of a label of the test rows, found 'sea'",
        ),
        (
            "p.jsonl",
            "{\"labels\": [\"beach\", 3]}",
            "p.jsonl:1:22: expected an object with the list of its labels, found '{\"labels\": [\"beach\", 3]}'",
        ),
        ("p.jsonl", "[]", "p.jsonl:1:"),
        (
            "p.jsonl",
            "{\"labels\": [], \"probabilities\": {\"beach\": 2}}",
            "p.jsonl:1:34: expected a probability of the label 'beach', found 2",
        ),
        (
            "p.jsonl",
            "\n",
            "p.jsonl:2:1: expected at least one row, found the end of the file",
        ),
        (
            "p.doc",
            "",
            "the file format must be clear from the file name",
        ),
    ] {
        let error = read_predictions_from(text.as_bytes(), name, &names()).unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn batches_have_the_weights_and_unknown_labels_of_the_whole() {
    let table = "x,w,a,b\n1,1,1,0\n2,2,0,?\n3,0,1,1\n4,0.5,?,?\n5,1.5,0,1\n6,0,?,?\n7,1,?,0\n";
    let files = folder(&[("t.csv", table)]);
    let path = files.path().join("t.csv");
    let options = labels("a,b")
        .weight("w")
        .missing_labels(MissingLabels::Ignore);
    let whole = read_files(&[&path], &options).unwrap();
    assert_eq!(whole.left_out, [2, 3, 5]);
    assert_eq!(whole.dataset.weights(), Some(&[1.0, 2.0, 1.5, 1.0][..]));
    let schema = whole.dataset.schema();
    let matched = read_matched(&[&path], &schema, &options).unwrap();
    assert_eq!(matched.dataset, whole.dataset);
    assert_eq!(matched.left_out, whole.left_out);
    for batch_rows in 1..9 {
        let options = StreamOptions {
            labels: WantedLabels::Required,
            missing_labels: MissingLabels::Ignore,
            weight: Some("w".into()),
            batch_rows,
            ..StreamOptions::default()
        };
        let mut rows = RowStream::open(&[&path], &schema, &options).unwrap();
        let mut first = 0;
        while let Some(batch) = rows.next_batch().unwrap() {
            let targets = batch.targets().unwrap().unwrap();
            assert!(targets.rows() <= batch_rows);
            for row in 0..targets.rows() {
                let all = whole.dataset.view().targets();
                assert_eq!(targets.labels().row(row), all.labels().row(first + row));
                assert_eq!(targets.weight(row), all.weight(first + row));
                for label in 0..2 {
                    assert_eq!(
                        targets.is_known(row, label),
                        all.is_known(first + row, label)
                    );
                }
            }
            first += targets.rows();
        }
        assert_eq!(first, 4, "{batch_rows}");
        let notes: Vec<String> = rows.notes().iter().map(ToString::to_string).collect();
        let expected = [
            "2 rows of weight 0 are left out",
            "1 row without a known label is left out",
        ];
        assert_eq!(notes, expected, "{batch_rows}");
    }
}
