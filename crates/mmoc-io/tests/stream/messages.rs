//! Malformed files, each with the whole message it must give.

// A table of cases is one function, however long.
#![allow(clippy::too_many_lines, reason = "tables of cases are long")]

use mmoc::data::{Attribute, Schema};
use mmoc_io::{Format, MissingCells, RowStream, StreamOptions, Unknown, WantedLabels};

use super::{batches, words};

fn schema() -> Schema {
    let attributes = vec![
        Attribute::numeric("height"),
        Attribute::nominal("smoker", words(&["no", "yes"])).unwrap(),
        Attribute::nominal("size", words(&["1", "2", "3", "4", "5", "6"])).unwrap(),
    ];
    Schema::new(attributes, words(&["4", "30"]), false).unwrap()
}

/// The message that follows from some text, labels being required.
fn message(format: Format, missing: MissingCells, text: &str) -> String {
    let schema = schema();
    let options = StreamOptions {
        format: Some(format),
        missing,
        labels: WantedLabels::Required,
        batch_rows: 2,
        unknown: Unknown::Refuse,
        ..StreamOptions::default()
    };
    let rows = RowStream::from_reader(text.as_bytes(), "f", &schema, &options);
    match rows.and_then(|mut rows| batches(&mut rows)) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn check(format: Format, cases: &[(&str, &str)]) {
    let found = |text| message(format, MissingCells::Refuse, text);
    let wrong: Vec<String> = cases
        .iter()
        .map(|&(text, expected)| (expected, found(text)))
        .filter(|(expected, found)| expected != found)
        .map(|(expected, found)| format!("expected {expected}\n   found {found}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn tables() {
    check(
        Format::Csv,
        &[
            (
                "",
                "f:1:1: expected a line with the names of the columns, found the end of the file",
            ),
            (
                "height,smoker,size,4,30\n",
                "f:2:1: expected at least one row, found the end of the file",
            ),
            (
                "height,smoker,smoker,4,30\n",
                "f:1:15: expected a name that no other column has, found 'smoker' again",
            ),
            (
                "height,,size,4,30\n",
                "f:1:8: expected the name of a column, found an empty field",
            ),
            (
                "smoker,size,4,30\nno,1,0,0\n",
                "f:1:1: expected the feature 'height' of the model, found no column of that name",
            ),
            (
                "smoker,4,30\nno,0,0\n",
                "f:1:1: expected the features 'height', 'size' of the model, found no columns of these names",
            ),
            (
                "4,30\n0,0\n",
                "f:1:1: expected one of the features 'height', 'smoker', 'size' of the model, found no columns of these names",
            ),
            (
                "height,smoker,size,4\n1,no,1,0\n",
                "f:1:1: expected the label '30' of the model, found no column of that name",
            ),
            (
                "height,smoker,size\n1,no,1\n",
                "f:1:1: expected the labels '4', '30' of the model, found no columns of these names",
            ),
            (
                "height,smoker,size,4,30\n1,no,1,0,0\n1,no,1,0\n",
                "f:3:9: expected 5 fields as in the header, found 4",
            ),
            (
                "height,smoker,size,4,30\n1,no,1,0,0\n1,no,1,0,2\n",
                "f:3:10: expected 0 or 1 for the label '30', found '2'",
            ),
            (
                "height,smoker,size,4,30\n1,no,1,0,\n",
                "f:2:10: expected 0 or 1 for the label '30', found an empty cell",
            ),
            (
                "height,smoker,size,4,30\ntall,no,1,0,0\n",
                "f:2:1: expected a finite number in 'height', found 'tall'",
            ),
            (
                "height,smoker,size,4,30\n1,no,1,0,0\n1e999,no,1,0,0\n",
                "f:3:1: expected a finite number in 'height', found '1e999'",
            ),
            (
                "height,smoker,size,4,30\n1,maybe,1,0,0\n",
                "f:2:3: expected a value of 'smoker' {'no', 'yes'}, found 'maybe'",
            ),
            (
                "height,smoker,size,4,30\n1,1,1,0,0\n",
                "f:2:3: expected a value of 'smoker' {'no', 'yes'}, found '1'",
            ),
            (
                "height,smoker,size,4,30\n1,no,7,0,0\n",
                "f:2:6: expected a value of 'size' {'1', '2', '3', '4', '5', …}, found '7'",
            ),
            (
                "height,smoker,size,4,30\n1,no,1,0,0\n1,no,1,0,0\n1,?,1,0,0\n",
                "f:4:3: expected a value of 'smoker' in row 3, found '?'",
            ),
            (
                "height,smoker,size,4,30\n1,no,1,0,0\n\"1,no,1,0,0\n",
                "f:3:1: expected a closing quote for this field, found none",
            ),
            (
                "height,smoker,size,4,30\n\"1\",\"n\no\",1,0,0\n",
                "f:2:6: expected a value of 'smoker' {'no', 'yes'}, found 'n\\no'",
            ),
        ],
    );
}

#[test]
fn arff_files() {
    let header = "@relation r\n@attribute height real\n@attribute smoker {yes,perhaps,no}\n@attribute size numeric\n@attribute 4 {0,1}\n@attribute 30 real\n@data\n";
    let file = |rows: &str| format!("{header}{rows}");
    let cases = [
        (
            "",
            "f:8:1: expected at least one row, found the end of the file",
        ),
        (
            "1,no,1,0,0\n\n% c\n1,perhaps,1,0,0\n",
            "f:11:3: expected a value of 'smoker' {'no', 'yes'}, found 'perhaps'",
        ),
        (
            "1,never,1,0,0\n",
            "f:8:3: expected a value of 'smoker' {'yes', 'perhaps', 'no'}, found 'never'",
        ),
        (
            "1,no,1,0\n",
            "f:8:9: expected ',' and a value of '30', found the end of the line",
        ),
        (
            "1,no,0,0,0\n",
            "f:8:6: expected a value of 'size' {'1', '2', '3', '4', '5', …}, found '0'",
        ),
        (
            "{0 1, 3 1}\n",
            "f:8:8: expected a value of 'size' {'1', '2', '3', '4', '5', …}, found none, which stands for '0'",
        ),
        (
            "{2 1, 3 ?}\n",
            "f:8:9: expected 0 or 1 for the label '4', found '?'",
        ),
        (
            "{2 ?}\n",
            "f:8:4: expected a value of 'size' in row 1, found '?'",
        ),
        (
            "{2 1,4 0.5}\n",
            "f:8:8: expected 0 or 1 for the label '30', found '0.5'",
        ),
    ];
    let cases: Vec<(String, &str)> = cases.iter().map(|&(rows, m)| (file(rows), m)).collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, m)| (text.as_str(), *m)).collect();
    check(Format::Arff, &cases);
    check(
        Format::Arff,
        &[
            (
                "@relation r\n",
                "f:2:1: expected @attribute, found the end of the file",
            ),
            (
                "@relation r\n@attribute height real\n@attribute '4' real\n@attribute '30' real\n@data\n1,0,0\n",
                "f:5:1: expected the features 'smoker', 'size' of the model, found no columns of these names",
            ),
        ],
    );
}

#[test]
fn rows_of_pairs() {
    check(
        Format::LibSvm,
        &[
            (
                "",
                "f:1:1: expected at least one row, found the end of the file",
            ),
            (
                "4 1:1\n\n4 9:1\n",
                "f:3:3: expected an index from 1 to 8, found '9'",
            ),
            (
                "4,5 1:1\n",
                "f:1:3: expected a label: one of 4, 30, found '5'",
            ),
            ("4 1:x\n", "f:1:5: expected a finite number, found 'x'"),
            ("4 0:1\n", "f:1:3: expected an index from 1 on, found 0"),
        ],
    );
    check(
        Format::Extreme,
        &[
            (
                "",
                "f:1:1: expected the numbers of rows, features and labels, found the end of the file",
            ),
            (
                "2 9 9\n0 1:1\n",
                "f:3:1: expected row 2 of 2, found the end of the file",
            ),
            (
                "1 9 9\n0 1:1\n1 1:1\n",
                "f:3:1: expected no row after 1 as the first line says, found one more",
            ),
            (
                "1 9 9\n0 8:1\n",
                "f:2:3: expected an index from 0 to 7, found '8'",
            ),
            (
                "1 5 9\n0 5:1\n",
                "f:2:3: expected an index from 0 to 4, found '5'",
            ),
            (
                "1 9 9\n2 0:1\n",
                "f:2:1: expected a label: a whole number from 0 to 1, found '2'",
            ),
        ],
    );
}

#[test]
fn an_error_comes_after_those_of_the_rows_before_it() {
    // The second row is wrong, the third is no text: both are read before the second is parsed.
    let text = b"height,smoker,size,4,30\n1,no,1,0,0\n1,no,1,0,x\n1,no,1,0,\xFF\n";
    let schema = schema();
    let options = StreamOptions {
        format: Some(Format::Csv),
        ..StreamOptions::default()
    };
    let first = |labels| {
        let options = StreamOptions {
            labels,
            ..options.clone()
        };
        let mut rows = RowStream::from_reader(&text[..], "f", &schema, &options).unwrap();
        let message = rows.next_batch().unwrap_err().to_string();
        assert!(
            rows.next_batch().unwrap().is_none(),
            "nothing after an error"
        );
        message
    };
    assert_eq!(
        first(WantedLabels::Required),
        "f:3:10: expected 0 or 1 for the label '30', found 'x'"
    );
    assert_eq!(
        first(WantedLabels::Ignored),
        "f:4:10: expected UTF-8 text, found the byte 0xFF"
    );
}

#[test]
fn wrong_use_is_refused() {
    let schema = schema();
    let message = |paths: &[&str], options: &StreamOptions| {
        let opened = RowStream::open(paths, &schema, options);
        opened.err().expect("wrong use").to_string()
    };
    let usual = StreamOptions::default();
    let none = StreamOptions {
        batch_rows: 0,
        ..usual.clone()
    };
    assert_eq!(
        message(&["a.csv"], &none),
        "the number of rows in a batch must be at least 1, not 0"
    );
    assert_eq!(
        message(&[], &usual),
        "the list of files must be at least one, not none"
    );
    assert_eq!(
        message(&["a.csv", "a.tsv"], &usual),
        "the format of all files must be the same, csv, not tsv"
    );
    assert!(message(&["no/such.csv"], &usual).starts_with("no/such.csv: "));
}
