//! What is written is read back the same, and no bytes make a reader panic.

use mmoc::data::{Csr, Dataset, Features, Labels, Matrix};
use mmoc_io::{
    Format, LabelSource, Loaded, MissingCells, ReadOptions, mulan_xml, read_files, read_from,
    write, write_file,
};
use proptest::prelude::*;

/// Every stored number, missing cells as `None`.
fn cells(dataset: &Dataset) -> Vec<Vec<Option<f64>>> {
    let view = dataset.features().view();
    let mut cells = vec![vec![Some(0.0); dataset.columns()]; dataset.rows()];
    view.for_each_stored(|row, column, value| {
        cells[row][column] = (!value.is_nan()).then_some(value);
    });
    cells
}

fn options(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        missing: MissingCells::Mean,
        ..ReadOptions::default()
    }
}

fn written(dataset: &Dataset, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(dataset, format, &mut bytes).unwrap();
    bytes
}

/// The data set after it was written and read.
fn again(dataset: &Dataset, format: Format) -> Dataset {
    let mut options = options(format);
    if matches!(format, Format::Csv | Format::Tsv | Format::JsonLines) {
        options.labels = LabelSource::Last(dataset.label_names().len());
    }
    let bytes = written(dataset, format);
    let Loaded {
        dataset, warnings, ..
    } = read_from(bytes.as_slice(), "name", &options).unwrap();
    assert!(warnings.is_empty());
    dataset
}

/// A number of any size, often zero.
fn value() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NORMAL, SUBNORMAL};
    prop_oneof![3 => Just(0.0), 2 => (-9..9_i8).prop_map(f64::from), 2 => NORMAL, 1 => SUBNORMAL]
}

/// Different names full of signs that formats use for themselves.
fn names(count: usize) -> impl Strategy<Value = Vec<String>> {
    let name = r#"[a-z0-9 '"\\,;:{}%=?#@*&<>\-+.\t\n\r\u{FEFF}éß漢🎵]{1,6}"#;
    prop::collection::hash_set(name, count).prop_map(|names| names.into_iter().collect())
}

fn labels(rows: usize, count: usize) -> impl Strategy<Value = Labels> {
    prop::collection::vec(any::<bool>(), rows * count)
        .prop_map(move |bits| Labels::from_fn(rows, count, |row, label| bits[row * count + label]))
}

/// Data sets with few rows and columns, dense and sparse, whose cells are given by `value`.
fn datasets(value: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = Dataset> {
    (1..5_usize, 1..5_usize, 1..4_usize).prop_flat_map(move |(rows, columns, count)| {
        let values = prop::collection::vec(value.clone(), rows * columns);
        let parts = (
            values,
            labels(rows, count),
            names(columns + count),
            any::<bool>(),
        );
        parts.prop_map(move |(values, labels, mut names, dense)| {
            let label_names = names.split_off(columns);
            let cells = Matrix::new(rows, columns, values).unwrap();
            let features = if dense {
                Features::Dense(cells)
            } else {
                Features::Sparse(Csr::from(&cells))
            };
            Dataset::new("name", features, labels, names, label_names).unwrap()
        })
    })
}

/// The formats that are tables, of which Parquet and Arrow are not always built in.
fn tables() -> Vec<Format> {
    let mut formats = vec![Format::Csv, Format::Tsv, Format::JsonLines];
    if cfg!(feature = "parquet") {
        formats.extend([Format::Parquet, Format::Arrow]);
    }
    formats
}

fn with_missing() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![4 => value(), 1 => Just(f64::NAN)].boxed()
}

proptest! {
    #[test]
    fn arff_holds_everything(dataset in datasets(with_missing())) {
        let again = again(&dataset, Format::Arff);
        prop_assert_eq!(again.feature_names(), dataset.feature_names());
        prop_assert_eq!(again.label_names(), dataset.label_names());
        prop_assert_eq!(again.labels(), dataset.labels());
        prop_assert_eq!(cells(&again), cells(&dataset));
        let is_dense = |dataset: &Dataset| matches!(dataset.features(), Features::Dense(_));
        prop_assert!(is_dense(&again) || !is_dense(&dataset), "dense rows stay dense");
    }

    #[test]
    fn tables_hold_everything_densely(
        dataset in datasets(with_missing()),
        format in prop::sample::select(tables()),
    ) {
        let again = again(&dataset, format);
        prop_assert_eq!(again.feature_names(), dataset.feature_names());
        prop_assert_eq!(again.label_names(), dataset.label_names());
        prop_assert_eq!(again.labels(), dataset.labels());
        prop_assert_eq!(cells(&again), cells(&dataset));
    }

    #[test]
    fn libsvm_holds_numbers_and_labels_that_occur(dataset in datasets(value().boxed())) {
        if dataset.labels().frequencies().contains(&0) {
            prop_assert!(write(&dataset, Format::LibSvm, &mut Vec::new()).is_err());
            return Ok(());
        }
        let again = again(&dataset, Format::LibSvm);
        prop_assert_eq!(again.labels(), dataset.labels());
        prop_assert_eq!(cells(&again), cells(&dataset));
        prop_assert_eq!(written(&again, Format::LibSvm), written(&dataset, Format::LibSvm));
    }

    #[test]
    fn extreme_files_hold_all_but_names(dataset in datasets(value().boxed())) {
        let again = again(&dataset, Format::Extreme);
        prop_assert_eq!(again.labels(), dataset.labels());
        prop_assert_eq!(cells(&again), cells(&dataset));
        prop_assert_eq!(written(&again, Format::Extreme), written(&dataset, Format::Extreme));
    }

    #[test]
    fn label_files_name_the_labels(dataset in datasets(value().boxed())) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("name-train.arff");
        write_file(&dataset, Format::Arff, &path).unwrap();
        // Without its option the relation says nothing, so the label file must.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen(": -C -", ": -X -", 1)).unwrap();
        std::fs::write(folder.path().join("name.xml"), mulan_xml(dataset.label_names()).unwrap()).unwrap();
        let again = read_files(&[path], &ReadOptions::default()).unwrap().dataset;
        prop_assert_eq!(again.name(), "name");
        prop_assert_eq!(again.label_names(), dataset.label_names());
        prop_assert_eq!(again.labels(), dataset.labels());
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_every_way(&bytes);
    }

    #[test]
    fn arbitrary_signs_do_not_panic(text in "[0-3a,:{}'\"\\\\?%@# \\t\\r\\n-]{0,60}") {
        read_every_way(text.as_bytes());
        let header = "@relation r\n@attribute a {x,y,z}\n@attribute b {1,0}\n@data\n";
        read_every_way(format!("{header}{text}").as_bytes());
        read_every_way(format!("2 3 4\n{text}").as_bytes());
        read_every_way(format!("a,b\n{text}").as_bytes());
    }

    #[test]
    fn damaged_files_do_not_panic(
        dataset in datasets(value().boxed()),
        format in prop::sample::select(Format::ALL.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..5),
    ) {
        let mut bytes = Vec::new();
        if write(&dataset, format, &mut bytes).is_ok() {
            for (place, kind, byte) in damage {
                let place = place.index(bytes.len() + 1);
                inflict(&mut bytes, place, kind, byte);
            }
            read_every_way(&bytes);
        }
    }
}

/// Cuts, drops, inserts or changes a byte.
fn inflict(bytes: &mut Vec<u8>, place: usize, kind: u8, byte: u8) {
    match kind {
        0 => bytes.truncate(place),
        1 => bytes.insert(place, byte),
        2 if place < bytes.len() => drop(bytes.remove(place)),
        _ if place < bytes.len() => bytes[place] = byte,
        _ => (),
    }
}

fn read_every_way(bytes: &[u8]) {
    for format in Format::ALL {
        for labels in [
            LabelSource::Auto,
            LabelSource::First(1),
            LabelSource::Prefix("a".into()),
        ] {
            let options = ReadOptions {
                labels,
                ..options(format)
            };
            let _ = read_from(bytes, "f", &options);
        }
    }
}

fn small(feature: &str, label: &str, value: f64, carried: bool) -> Dataset {
    Dataset::new(
        "name: -C 7",
        Features::Dense(Matrix::new(1, 1, vec![value]).unwrap()),
        Labels::from_fn(1, 1, |_, _| carried),
        vec![feature.into()],
        vec![label.into()],
    )
    .unwrap()
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let cases = [
        (
            small("a", "a", 1.0, true),
            Format::Arff,
            "labels that are not named like features",
            "'a'",
        ),
        (
            small("a", "a", 1.0, true),
            Format::Csv,
            "labels that are not named like features",
            "'a'",
        ),
        (
            small("", "l", 1.0, true),
            Format::Tsv,
            "a name for every column",
            "one without",
        ),
        #[cfg(feature = "parquet")]
        (
            small("__index_level_12__", "l", 1.0, true),
            Format::Parquet,
            "names other than __index_level_N__, which pandas takes for itself",
            "'__index_level_12__'",
        ),
        (
            small("a", "l", f64::NAN, true),
            Format::LibSvm,
            "no missing cell",
            "one that has some",
        ),
        (
            small("a", "l", f64::NAN, true),
            Format::Extreme,
            "no missing cell",
            "one that has some",
        ),
        (
            small("a", "l", 1.0, false),
            Format::LibSvm,
            "rows for every label",
            "without 'l'",
        ),
    ];
    for (dataset, format, expected, found) in cases {
        let message = write(&dataset, format, &mut Vec::new())
            .unwrap_err()
            .to_string();
        let expected = format!(
            "the data set must be one with {expected} to be written as {format}, not {found}"
        );
        assert_eq!(message, expected);
    }
    let message = mulan_xml(small("a", "\u{1}", 1.0, true).label_names())
        .unwrap_err()
        .to_string();
    let expected = "the name of a label must be without control characters to be written as XML";
    assert_eq!(message, format!("{expected}, not '\\u{{1}}'"));
}

#[test]
fn the_name_of_a_data_set_cannot_choose_its_labels() {
    let dataset = small("", "l", 1.0, true);
    let text = String::from_utf8(written(&dataset, Format::Arff)).unwrap();
    assert!(
        text.starts_with("@relation 'name_ -C 7: -C -1'\n"),
        "{text}"
    );
    assert_eq!(again(&dataset, Format::Arff).label_names(), ["l"]);
}

#[test]
fn numbers_that_are_names_of_labels_are_kept_by_libsvm() {
    let text = "7,30 2:0.5\n 1:0\n4 3:1e-300\n";
    let dataset = read_from(text.as_bytes(), "f", &options(Format::LibSvm))
        .unwrap()
        .dataset;
    let again = again(&dataset, Format::LibSvm);
    assert_eq!(again.label_names(), ["4", "7", "30"]);
    assert_eq!(cells(&again), cells(&dataset));
}

#[test]
fn files_without_names_have_the_columns_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.svm", "b.svm"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], "5 1:1\n").unwrap();
    std::fs::write(&paths[1], "3 4:1\n").unwrap();
    let dataset = read_files(&paths, &ReadOptions::default()).unwrap().dataset;
    assert_eq!(dataset.label_names(), ["3", "5"]);
    assert_eq!((dataset.rows(), dataset.columns()), (2, 4));
}

#[test]
fn a_label_file_lies_beside_a_compressed_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = small("a", "l", 1.0, true);
    let path = folder.path().join("set-test.arff.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    write(&dataset, Format::Arff, &mut gzip).unwrap();
    gzip.finish().unwrap();
    // It names the other column, against the relation.
    std::fs::write(
        folder.path().join("set.xml"),
        "<labels><label name='a'/></labels>",
    )
    .unwrap();
    let loaded = read_files(&[path], &ReadOptions::default()).unwrap();
    assert_eq!(loaded.dataset.name(), "set");
    assert_eq!(loaded.dataset.label_names(), ["a"]);
    assert_eq!(loaded.warnings.len(), 1);
}

#[test]
fn tables_read_together_share_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], "colour,l\nred,1\nblue,0\n").unwrap();
    std::fs::write(&paths[1], "colour,l\ngreen,1\n").unwrap();
    let options = ReadOptions {
        labels: LabelSource::Names(vec!["l".into()]),
        ..ReadOptions::default()
    };
    let dataset = read_files(&paths, &options).unwrap().dataset;
    let names = ["colour=blue", "colour=green", "colour=red"];
    assert_eq!(dataset.feature_names(), names);
    assert_eq!(dataset.attributes().len(), 1);
    let row = |one: usize| {
        (0..3)
            .map(|column| Some(f64::from(u8::from(column == one))))
            .collect()
    };
    let expected: Vec<Vec<Option<f64>>> = [2, 0, 1].map(row).to_vec();
    assert_eq!(cells(&dataset), expected);
}

#[test]
fn sparse_and_dense_arff_rows_mean_the_same() {
    let header = "@relation 'r: -C -2'
@attribute n real
@attribute c {red,green,blue}
@attribute f {1,0}
@attribute g {no,yes}
@attribute l {0,1}
@attribute m {1,0}
@data
";
    let dense = "0,red,1,no,0,1\n2,blue,0,yes,1,0\n?,?,?,?,0,0\n";
    let sparse = "{}\n{0 2, 1 blue, 2 0, 3 yes, 4 1, 5 0}\n{0 ?,1 ?,2 ?,3 ?,5 0}\n";
    let read = |rows: &str| {
        let text = format!("{header}{rows}");
        read_from(text.as_bytes(), "f", &options(Format::Arff))
            .unwrap()
            .dataset
    };
    let (dense, sparse, mixed) = (read(dense), read(sparse), read(&format!("{dense}{sparse}")));
    let names = ["n", "c=red", "c=green", "c=blue", "f", "g=yes"];
    assert_eq!(dense.feature_names(), names);
    assert_eq!((dense.attributes().len(), dense.columns()), (4, 6));
    assert_eq!(cells(&sparse), cells(&dense));
    assert_eq!(sparse.labels(), dense.labels());
    assert_eq!(mixed.labels().rows(), 6);
    assert_eq!(cells(&mixed), [cells(&dense), cells(&dense)].concat());
    let expected: [Option<f64>; 6] = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0].map(Some);
    assert_eq!(cells(&dense)[0], expected);
    assert_eq!(cells(&dense)[2], [None; 6]);
    assert_eq!(dense.labels().row(0), [1]);
    assert!(matches!(mixed.features(), Features::Dense(_)));
}
