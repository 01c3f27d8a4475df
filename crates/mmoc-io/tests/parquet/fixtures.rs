//! Files of `fixtures/parquet_files.py`, which records the versions of pandas, PyArrow and Polars.

use std::path::{Path, PathBuf};

use mmoc::data::Dataset;
use mmoc_io::{MissingCells, ReadOptions, read_files};
use serde_json::Value;

use super::cells;

const FILES: [&str; 10] = [
    "pandas",
    "pandas-index",
    "polars",
    "polars-groups",
    "pyarrow-pages-2-zstd",
    "pyarrow-gzip",
    "pyarrow-lz4",
    "pyarrow-plain",
    "pyarrow-deltas",
    "pyarrow-deltas-2",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/parquet")
}

fn read_fixture(name: &str, missing: MissingCells) -> mmoc_io::Result<Dataset> {
    let options = ReadOptions {
        labels: "mood_*".parse().unwrap(),
        missing,
        ..ReadOptions::default()
    };
    let path = folder().join(format!("{name}.parquet"));
    read_files(&[path], &options).map(|loaded| loaded.dataset)
}

/// The table as its script wrote it down: names and cells of the columns.
fn table() -> Vec<(String, Vec<Value>)> {
    let text = std::fs::read_to_string(folder().join("table.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let column = |column: &Value| {
        let name = column["name"].as_str().unwrap().to_owned();
        (name, column["cells"].as_array().unwrap().clone())
    };
    json["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(column)
        .collect()
}

/// The columns that a column of the table becomes: numbers as they are, words in the order of their characters.
fn expected_columns(name: &str, column: &[Value]) -> Vec<(String, Vec<Option<f64>>)> {
    let mut words: Vec<&str> = column.iter().filter_map(Value::as_str).collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() {
        return vec![(name.to_owned(), column.iter().map(Value::as_f64).collect())];
    }
    let shown = if words.len() == 2 {
        &words[1..]
    } else {
        &words
    };
    let is = |word: &str, cell: &Value| cell.as_str().map(|cell| f64::from(u8::from(cell == word)));
    let column = |&word: &&str| {
        let cells = column.iter().map(|cell| is(word, cell)).collect();
        (format!("{name}={word}"), cells)
    };
    shown.iter().map(column).collect()
}

#[test]
fn files_of_pandas_pyarrow_and_polars_are_read_the_same() {
    let table = table();
    let (features, labels) = table.split_at(table.len() - 2);
    let expected: Vec<_> = features
        .iter()
        .flat_map(|(name, cells)| expected_columns(name, cells))
        .collect();
    for file in FILES {
        let dataset = read_fixture(file, MissingCells::Mean).unwrap();
        let names: Vec<&String> = expected.iter().map(|(name, _)| name).collect();
        assert_eq!(dataset.feature_names().iter().collect::<Vec<_>>(), names);
        for (row, found) in cells(&dataset).iter().enumerate() {
            let wanted: Vec<_> = expected.iter().map(|(_, cells)| cells[row]).collect();
            assert_eq!(found, &wanted, "{file}, row {row}");
        }
        for (label, (name, cells)) in labels.iter().enumerate() {
            assert_eq!(&dataset.label_names()[label], name);
            for (row, cell) in cells.iter().enumerate() {
                let carried = dataset.labels().contains(row, label);
                assert_eq!(
                    f64::from(u8::from(carried)),
                    cell.as_f64().unwrap(),
                    "{file}"
                );
            }
        }
    }
}

#[test]
fn a_missing_cell_is_named_unless_it_may_be_filled_in() {
    for file in FILES {
        let message = read_fixture(file, MissingCells::Refuse)
            .unwrap_err()
            .to_string();
        let expected = "row 4 of 'tempo': expected a value, found a missing cell";
        assert!(message.ends_with(expected), "{file}: {message}");
    }
}

#[test]
fn compressed_wrappers_and_streams_are_read_as_files_are() {
    let plain = std::fs::read(folder().join("pandas.parquet")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &plain).unwrap();
    let expected = read_fixture("pandas", MissingCells::Mean).unwrap();
    for bytes in [plain.clone(), gzip.finish().unwrap()] {
        let again = super::read_bytes(&bytes, "mood_*").unwrap();
        assert_eq!(cells(&again), cells(&expected));
        assert_eq!(again.labels(), expected.labels());
    }
}

#[test]
fn files_of_different_writers_are_read_together() {
    let options = ReadOptions {
        labels: "mood_*".parse().unwrap(),
        missing: MissingCells::Mean,
        ..ReadOptions::default()
    };
    let paths = ["pandas", "polars"].map(|name| folder().join(format!("{name}.parquet")));
    let both = read_files(&paths, &options).unwrap().dataset;
    let one = read_fixture("pandas", MissingCells::Mean).unwrap();
    assert_eq!(cells(&both), [cells(&one), cells(&one)].concat());
}
