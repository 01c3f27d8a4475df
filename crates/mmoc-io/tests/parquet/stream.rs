//! Rows in batches are the rows of the whole.

use std::path::{Path, PathBuf};

use mmoc::data::{Attribute, Dataset, Features, Schema};
use mmoc_io::{
    Format, MissingCells, ReadOptions, RowStream, StreamOptions, Unknown, WantedLabels, read_files,
    write_file,
};

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/parquet");
    folder.join(format!("{name}.parquet"))
}

fn whole(path: &Path) -> Dataset {
    let options = ReadOptions {
        labels: "mood_*".parse().unwrap(),
        missing: MissingCells::Mean,
        ..ReadOptions::default()
    };
    read_files(&[path], &options).unwrap().dataset
}

fn options(batch_rows: usize) -> StreamOptions {
    StreamOptions {
        missing: MissingCells::Mean,
        labels: WantedLabels::Required,
        batch_rows,
        ..StreamOptions::default()
    }
}

/// All rows of a file, which must come in batches of the size that was asked for: the bits of the features, and
/// the labels.
fn streamed(path: &Path, schema: &Schema, batch_rows: usize) -> (Vec<u64>, Vec<Vec<u32>>) {
    let mut stream = RowStream::open(&[path], schema, &options(batch_rows)).unwrap();
    assert!(stream.notes().is_empty());
    let (mut features, mut labels, mut ended) = (Vec::new(), Vec::new(), false);
    while let Some(batch) = stream.next_batch().unwrap() {
        assert!(!ended, "only the last batch is smaller");
        ended = batch.features.view().rows() < batch_rows;
        features.extend(bits(&batch.features));
        labels.extend(batch.labels.unwrap().iter().map(<[u32]>::to_vec));
    }
    (features, labels)
}

/// Dense numbers bit by bit, in which all missing cells are the same.
fn bits(features: &Features) -> Vec<u64> {
    let bit = |value: &f64| {
        if value.is_nan() {
            u64::MAX
        } else {
            value.to_bits()
        }
    };
    features.view().stored_values().iter().map(bit).collect()
}

#[test]
fn batches_of_any_size_are_the_whole_file() {
    let dataset = whole(&fixture("pandas"));
    let labels: Vec<Vec<u32>> = dataset.labels().iter().map(<[u32]>::to_vec).collect();
    let expected = (bits(dataset.features()), labels);
    let files = [
        "pandas",
        "pandas-index",
        "polars-groups",
        "pyarrow-pages-2-zstd",
        "pyarrow-plain",
        "pyarrow-deltas-2",
    ];
    for file in files {
        for batch_rows in [1, 7, 13, 100] {
            let found = streamed(&fixture(file), &dataset.schema(), batch_rows);
            assert_eq!(found, expected, "{file}, {batch_rows}");
        }
    }
}

#[test]
fn a_copy_without_words_is_matched_by_the_names_of_its_columns() {
    let dataset = whole(&fixture("polars"));
    let folder = tempfile::tempdir().unwrap();
    let copies = [Format::Parquet, Format::Csv].map(|format| {
        let path = folder.path().join(format!("copy.{format}"));
        write_file(&dataset, format, &path).unwrap();
        path
    });
    let [parquet, csv] = copies.map(|path| streamed(&path, &dataset.schema(), 9));
    assert_eq!(parquet, csv);
    assert_eq!(parquet.0, bits(dataset.features()));
}

#[test]
fn columns_are_found_by_name_and_others_are_noted() {
    let features = ["scale", "year"];
    let words = vec!["minor".to_owned(), "major".to_owned()];
    let attributes = vec![
        Attribute::nominal(features[0], words).unwrap(),
        Attribute::numeric(features[1]),
        Attribute::numeric("height"),
    ];
    let schema = Schema::new(attributes, vec!["mood_happy".into()], false).unwrap();
    let path = fixture("pandas");
    let mut stream = RowStream::open(&[&path], &schema, &options(100)).unwrap();
    let notes: Vec<String> = stream.notes().iter().map(ToString::to_string).collect();
    let name = path.display();
    let expected = [
        format!(
            "{name}: the columns 'tempo', 'loud', 'plays', 'bytes', 'live' and 3 more are not used, because \
             the model does not know them"
        ),
        format!("{name}: the feature 'height' is not there and is filled in with its mean"),
    ];
    assert_eq!(notes, expected);
    let batch = stream.next_batch().unwrap().unwrap();
    let dataset = whole(&path);
    let column = |name: &str| {
        let mut names = dataset.feature_names().iter();
        names.position(|own| own == name).unwrap()
    };
    let (minor, year) = (column("scale=minor"), column("year"));
    let (Features::Dense(found), Features::Dense(all)) = (batch.features, dataset.features())
    else {
        panic!("tables are dense");
    };
    for row in 0..dataset.rows() {
        assert_eq!(found[(row, 0)], 1.0 - all[(row, minor)]);
        assert_eq!(found[(row, 1)], all[(row, year)]);
        assert!(found[(row, 2)].is_nan());
    }
}

#[test]
fn what_does_not_fit_the_model_is_said() {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let nominal = |name: &str, list: &[&str]| Attribute::nominal(name, words(list)).unwrap();
    let cases = [
        (
            nominal("scale", &["minor", "other"]),
            "row 1 of 'scale': expected a value of 'scale' {'minor', 'other'}, found 'major'",
        ),
        (
            Attribute::numeric("scale"),
            "row 1 of 'scale': expected a finite number, found 'major'",
        ),
        (
            nominal("same", &["0", "1"]),
            "row 1 of 'same': expected a value of 'same' {'0', '1'}, found 2.5",
        ),
        (
            Attribute::numeric("tempo"),
            "row 4 of 'tempo': expected a value, found a missing cell",
        ),
        (
            Attribute::numeric("height"),
            "pandas.parquet: expected the feature 'height' of the model, found no column of that name",
        ),
    ];
    for (attribute, expected) in cases {
        let schema = Schema::new(vec![attribute], vec!["mood_calm".into()], false).unwrap();
        let options = StreamOptions {
            missing: MissingCells::Refuse,
            unknown: Unknown::Refuse,
            ..options(100)
        };
        let opened = RowStream::open(&[fixture("pandas")], &schema, &options);
        let failed = opened.and_then(|mut stream| stream.next_batch());
        let message = failed.unwrap_err().to_string();
        assert!(message.ends_with(expected), "{message}");
    }
}
