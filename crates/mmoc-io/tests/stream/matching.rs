//! Which columns of a file are those of a schema.

use mmoc::data::{Attribute, Csr, Features, Matrix, Schema};
use mmoc_io::{Format, MissingCells, RowStream, StreamOptions, WantedLabels};
use proptest::prelude::*;

use super::{batches, bits, only_batch, options, sets, words};

/// A number, a list of two and one of three, and two labels.
fn schema(sparse: bool) -> Schema {
    let attributes = vec![
        Attribute::numeric("height"),
        Attribute::nominal("smoker", words(&["no", "yes"])).unwrap(),
        Attribute::nominal("colour", words(&["blue", "green", "red"])).unwrap(),
    ];
    Schema::new(attributes, words(&["calm", "happy"]), sparse).unwrap()
}

/// The columns of a row of these words.
fn row(height: f64, smoker: usize, colour: usize) -> Vec<f64> {
    let mut row = vec![height, smoker as f64, 0.0, 0.0, 0.0];
    row[2 + colour] = 1.0;
    row
}

const SMOKER: [&str; 2] = ["no", "yes"];
const COLOUR: [&str; 3] = ["blue", "green", "red"];

/// Some rows: a height, the places of two words, and two labels.
type Rows = Vec<(i8, usize, usize, bool, bool)>;

fn rows() -> impl Strategy<Value = Rows> {
    let row = (
        any::<i8>(),
        0..2_usize,
        0..3_usize,
        any::<bool>(),
        any::<bool>(),
    );
    prop::collection::vec(row, 1..20)
}

/// The cells of a row by the names of their columns.
fn cells(
    (height, smoker, colour, calm, happy): (i8, usize, usize, bool, bool),
) -> Vec<[String; 2]> {
    let flag = |flag: bool| u8::from(flag).to_string();
    let cell = |name: &str, text: String| [name.to_owned(), text];
    vec![
        cell("height", height.to_string()),
        cell("smoker", SMOKER[smoker].to_owned()),
        cell("colour", COLOUR[colour].to_owned()),
        cell("calm", flag(calm)),
        cell("happy", flag(happy)),
        cell("other", "anything".to_owned()),
    ]
}

fn check(text: &str, format: Format, rows: &Rows, sparse: bool) -> Result<(), TestCaseError> {
    let schema = schema(sparse);
    let options = options(format, WantedLabels::Required, 7);
    let mut stream = RowStream::from_reader(text.as_bytes(), "f", &schema, &options).unwrap();
    let notes: Vec<String> = stream.notes().iter().map(ToString::to_string).collect();
    prop_assert_eq!(
        notes,
        ["f: the column 'other' is not used, because the model does not know it"]
    );
    let batches = batches(&mut stream).unwrap();
    let values = rows
        .iter()
        .flat_map(|&(height, smoker, colour, ..)| row(f64::from(height), smoker, colour));
    let expected = Matrix::new(rows.len(), 5, values.collect()).unwrap();
    let found: Vec<_> = batches.iter().flat_map(|b| bits(&b.features)).collect();
    prop_assert_eq!(found, bits(&Features::Dense(expected)));
    let labels = batches
        .iter()
        .flat_map(|b| sets(b.labels.as_ref().unwrap()));
    let expected: Vec<Vec<u32>> = rows
        .iter()
        .map(|&(.., calm, happy)| {
            [calm, happy]
                .iter()
                .zip(0..)
                .filter(|(f, _)| **f)
                .map(|(_, l)| l)
                .collect()
        })
        .collect();
    prop_assert_eq!(labels.collect::<Vec<_>>(), expected);
    Ok(())
}

proptest! {
    #[test]
    fn columns_of_tables_are_found_in_any_order(
        rows in rows(),
        order in Just((0..6_usize).collect::<Vec<_>>()).prop_shuffle(),
        sparse in any::<bool>(),
    ) {
        let line = |row: &[[String; 2]], part: usize| {
            let fields: Vec<&str> = order.iter().map(|&index| row[index][part].as_str()).collect();
            fields.join(",") + "\n"
        };
        let mut text = line(&cells(rows[0]), 0);
        text.extend(rows.iter().map(|&row| line(&cells(row), 1)));
        check(&text, Format::Csv, &rows, sparse)?;
    }

    /// Lists of the file have words in another order, and more; sparse rows leave out the first.
    #[test]
    fn attributes_of_arff_files_are_found_in_any_order(
        rows in rows(),
        order in Just((0..6_usize).collect::<Vec<_>>()).prop_shuffle(),
        first in 0..3_usize,
        leave_out in prop::collection::vec(any::<bool>(), 20),
        sparse in any::<bool>(),
    ) {
        let rotated = [&COLOUR[first..], &COLOUR[..first], &["pink"]].concat().join(",");
        let kinds = ["real".to_owned(), "{yes,no}".into(), format!("{{{rotated}}}"), "{1,0}".into(), "real".into(), "{anything,x}".into()];
        let defaults = ["0", "yes", COLOUR[first], "1", "0", "anything"];
        let names: Vec<[String; 2]> = cells(rows[0]);
        let mut text = "@relation r\n".to_owned();
        text.extend(order.iter().map(|&index| format!("@attribute {} {}\n", names[index][0], kinds[index])));
        text.push_str("@data\n");
        for (&row, leave_out) in rows.iter().zip(leave_out) {
            let cells = cells(row);
            let all = order.iter().enumerate().map(|(place, &index)| (place, index, cells[index][1].as_str()));
            if leave_out {
                let kept = all.filter(|&(_, index, text)| text != defaults[index]);
                let kept: Vec<String> = kept.map(|(place, _, text)| format!("{place} {text}")).collect();
                text.extend(["{", &kept.join(","), "}\n"]);
            } else {
                let all: Vec<&str> = all.map(|(_, _, text)| text).collect();
                text.push_str(&(all.join(",") + "\n"));
            }
        }
        check(&text, Format::Arff, &rows, sparse)?;
    }
}

#[test]
fn a_feature_is_found_under_the_names_of_its_columns() {
    let text = "smoker=yes,colour=red,colour=green,colour=blue,height\n1,0,1,0,2\n";
    let options = options(Format::Csv, WantedLabels::Ignored, 8);
    let batch = only_batch(text, &schema(false), &options).unwrap();
    assert_eq!(
        bits(&batch.features),
        [row(2.0, 1, 1)
            .iter()
            .map(|v| v.to_bits())
            .collect::<Vec<_>>()]
    );
    assert!(batch.labels.is_none());
}

#[test]
fn its_own_name_comes_before_those_of_its_columns() {
    let schema = schema(false);
    let text = "colour=red,colour=green,colour=blue,colour,smoker,height,calm\n1,0,0,blue,no,2,x\n";
    let options = options(Format::Csv, WantedLabels::Ignored, 8);
    let mut stream = RowStream::from_reader(text.as_bytes(), "f", &schema, &options).unwrap();
    let notes: Vec<String> = stream.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "f: the columns 'colour=red', 'colour=green', 'colour=blue' are not used, because the model does not know them"
        ]
    );
    let batch = stream.next_batch().unwrap().unwrap();
    let expected = Matrix::new(1, 5, row(2.0, 0, 0)).unwrap();
    assert_eq!(batch.features, Features::Dense(expected));
}

#[test]
fn features_that_are_not_there_are_missing() {
    let options = StreamOptions {
        missing: MissingCells::Mean,
        ..options(Format::Csv, WantedLabels::Ignored, 8)
    };
    let schema = schema(true);
    let text = "colour=red,smoker\n1,yes\n0,?\n";
    let mut stream = RowStream::from_reader(text.as_bytes(), "f", &schema, &options).unwrap();
    let notes: Vec<String> = stream.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "f: the column 'colour=red' is not used, because the model does not know it",
            "f: the features 'height', 'colour' are not there and are filled in with their means",
        ]
    );
    assert_eq!(stream.notes(), []);
    let batch = stream.next_batch().unwrap().unwrap();
    let nan = f64::NAN;
    let indices = vec![0, 1, 2, 3, 4, 0, 1, 2, 3, 4];
    let values = vec![nan, 1.0, nan, nan, nan, nan, nan, nan, nan, nan];
    let expected = Csr::new(5, vec![0, 5, 10], indices, values).unwrap();
    assert_eq!(bits(&batch.features), bits(&Features::Sparse(expected)));
}

#[test]
fn a_missing_word_is_missing_in_all_of_its_columns() {
    let table = "height,smoker,colour\n1,no,?\n";
    let header = "@relation r\n@attribute height real\n@attribute smoker {no,yes}\n@attribute colour {red,blue}\n";
    let rows = format!("{header}@data\n1,no,?\n{{0 1,2 ?}}\n");
    for (format, text, count) in [(Format::Csv, table, 1), (Format::Arff, rows.as_str(), 2)] {
        let options = StreamOptions {
            missing: MissingCells::Mean,
            ..options(format, WantedLabels::Ignored, 8)
        };
        let batch = only_batch(text, &schema(false), &options).unwrap();
        let row = [1.0, 0.0, f64::NAN, f64::NAN, f64::NAN].map(f64::to_bits);
        assert_eq!(bits(&batch.features), vec![row.to_vec(); count]);
    }
}

#[test]
fn what_files_have_in_common_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let header = "height,smoker,colour";
    let paths = [
        write("a.csv", &format!("{header},a\n1,no,red,0\n")),
        write("b.csv", &format!("a,{header}\n0,2,no,red\n")),
        write("c.csv", &format!("{header},b\n3,no,red,0\n")),
    ];
    let schema = schema(false);
    let options = StreamOptions {
        batch_rows: 2,
        ..StreamOptions::default()
    };
    let mut stream = RowStream::open(&paths, &schema, &options).unwrap();
    let mut said = Vec::new();
    loop {
        said.push(stream.notes().len());
        if stream.next_batch().unwrap().is_none() {
            break;
        }
    }
    assert_eq!(said, [1, 0, 1]);
}

#[test]
fn libsvm_labels_go_by_their_numbers_if_names_are_numbers() {
    let features = vec![Attribute::numeric("x1"), Attribute::numeric("x2")];
    let labels = |names: &[&str], text: &str| {
        let schema = Schema::new(features.clone(), words(names), false).unwrap();
        let options = options(Format::LibSvm, WantedLabels::Required, 8);
        only_batch(text, &schema, &options).map(|batch| sets(&batch.labels.unwrap()))
    };
    assert_eq!(
        labels(&["4", "30"], "30 1:1\n30,4 2:1\n").unwrap(),
        [vec![1], vec![0, 1]]
    );
    assert_eq!(
        labels(&["30", "4"], "1 1:1\n0,1 2:1\n").unwrap(),
        [vec![1], vec![0, 1]]
    );
    assert_eq!(
        labels(&["a", "b"], "1 1:1\n 1:1\n").unwrap(),
        [vec![1], vec![]]
    );
}

#[test]
fn rows_of_pairs_may_leave_out_the_last_columns() {
    let features = vec![Attribute::numeric("a"), Attribute::numeric("b")];
    let schema = Schema::new(features, words(&["l"]), false).unwrap();
    let expected = Features::Dense(Matrix::new(1, 2, vec![3.0, 0.0]).unwrap());
    for (format, text) in [
        (Format::LibSvm, "9 1:3 # c\n"),
        (Format::Extreme, "1 1 7\n6 0:3\n"),
    ] {
        let options = options(format, WantedLabels::Ignored, 8);
        assert_eq!(
            only_batch(text, &schema, &options).unwrap().features,
            expected
        );
    }
}

#[test]
fn numbers_may_stand_for_zeros_and_ones() {
    let list = Attribute::nominal("c", words(&["1", "0"])).unwrap();
    let schema = Schema::new(vec![list], words(&["l"]), false).unwrap();
    let options = options(Format::Csv, WantedLabels::Ignored, 8);
    let batch = only_batch("c\n1.0\n0\n1\n0.0\n", &schema, &options).unwrap();
    let expected = Matrix::new(4, 1, vec![1.0, 0.0, 1.0, 0.0]).unwrap();
    assert_eq!(batch.features, Features::Dense(expected));
}

#[test]
fn a_number_of_json_is_the_word_that_is_written_like_it_in_any_notation() {
    let cases: [(&[&str], &str, usize); 7] = [
        (&["1", "2", "3"], "2", 1),
        (&["1", "2", "3"], "2.0", 1),
        (&["1", "2", "3"], "0.2e1", 1),
        (&["1", "2", "3"], "\"2\"", 1),
        (&["1", "0.5", "3"], "0.50", 1),
        (&["1", "1.0", "3"], "1.0", 1),
        (&["1", "1.0", "3"], "1", 0),
    ];
    for (list, cell, place) in cases {
        let list = Attribute::nominal("c", words(list)).unwrap();
        let schema = Schema::new(vec![list], words(&["l"]), false).unwrap();
        let options = options(Format::JsonLines, WantedLabels::Ignored, 8);
        let batch = only_batch(&format!("{{\"c\":{cell}}}\n"), &schema, &options).unwrap();
        let expected = Matrix::from_fn(1, 3, |_, column| f64::from(u8::from(column == place)));
        assert_eq!(batch.features, Features::Dense(expected), "{cell}");
    }
}
