//! The same rows in every format, in one file or in several, give the same bits.

use std::io::Write;
use std::path::{Path, PathBuf};

use mmoc::data::{Attribute, Csr, Dataset, Features, Labels, Matrix, Schema};
use mmoc_io::{Format, MissingCells, RowStream, StreamOptions, WantedLabels, write};
use proptest::prelude::*;

use super::{batches, bits, sets};

/// A feature: its number of words, none for a number, and the cells of all rows. A cell is missing,
/// a word or a number.
#[derive(Debug, Clone)]
struct Feature {
    words: usize,
    cells: Vec<(bool, usize, f64)>,
}

fn feature(rows: usize, missing: bool) -> impl Strategy<Value = Feature> {
    use prop::num::f64::{NORMAL, SUBNORMAL};
    let number = prop_oneof![
        4 => Just(0.0),
        1 => Just(-0.0),
        3 => (-9..9_i8).prop_map(f64::from),
        2 => NORMAL,
        1 => SUBNORMAL
    ];
    let absent = prop::bool::weighted(if missing { 0.2 } else { 0.0 });
    let cell = (absent, 0..12_usize, number);
    (0..5_usize, prop::collection::vec(cell, rows))
        .prop_map(|(words, cells)| Feature { words, cells })
}

/// The numbers of a feature's columns for each row, by the rule that the documentation states.
fn columns_of(feature: &Feature) -> Vec<Vec<f64>> {
    let width = if feature.words > 2 { feature.words } else { 1 };
    let row = |&(missing, word, number): &(bool, usize, f64)| match feature.words {
        _ if missing => vec![f64::NAN; width],
        0 => vec![number],
        1 => vec![0.0],
        2 => vec![(word % 2) as f64],
        count => (0..count)
            .map(|column| f64::from(u8::from(column == word % count)))
            .collect(),
    };
    feature.cells.iter().map(row).collect()
}

fn attribute(feature: &Feature, name: &str) -> Attribute {
    let words = (0..feature.words).map(|word| format!("{word} {name}"));
    match feature.words {
        0 => Attribute::numeric(name),
        _ => Attribute::nominal(name, words.collect()).unwrap(),
    }
}

fn stored(rows: &[Vec<f64>], columns: usize, sparse: bool) -> Features {
    let dense = Matrix::new(rows.len(), columns, rows.concat()).unwrap();
    if sparse {
        Features::Sparse(Csr::from(&dense))
    } else {
        Features::Dense(dense)
    }
}

/// Data sets with words and numbers, which every format can hold unless cells are missing.
fn datasets(missing: bool) -> impl Strategy<Value = Dataset> {
    (1..12_usize, 1..5_usize, 1..4_usize, any::<bool>()).prop_flat_map(
        move |(rows, features, count, sparse)| {
            let names = prop::collection::hash_set("[a-c,'\"{}%?é ]{1,5}", features + count);
            (
                prop::collection::vec(feature(rows, missing), features),
                prop::collection::vec(any::<bool>(), rows * count),
                names,
            )
                .prop_map(move |(features, flags, names)| {
                    let names: Vec<String> = names.into_iter().collect();
                    let parts: Vec<_> = features.iter().map(columns_of).collect();
                    let cells: Vec<Vec<f64>> = (0..rows)
                        .map(|row| parts.iter().flat_map(|part| part[row].clone()).collect())
                        .collect();
                    let attributes = features.iter().zip(&names);
                    let attributes = attributes.map(|(feature, name)| attribute(feature, name));
                    // Every label occurs, as LIBSVM files need it.
                    let labels = Labels::from_fn(rows, count, |row, label| {
                        row == 0 || flags[row * count + label]
                    });
                    Dataset::from_attributes(
                        "name",
                        stored(&cells, cells[0].len(), sparse),
                        labels,
                        attributes.collect(),
                        names[features.len()..].to_vec(),
                    )
                    .unwrap()
                })
        },
    )
}

/// Writes the rows between `cuts` into files of their own, every other one compressed.
fn write_parts(dataset: &Dataset, format: Format, cuts: &[usize], folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for bounds in cuts.windows(2).filter(|bounds| bounds[0] < bounds[1]) {
        let part: Vec<usize> = (bounds[0]..bounds[1]).collect();
        let mut bytes = part_bytes(dataset, format, &part);
        let path = folder.join(format!("{}.{}", paths.len(), format.extensions()[0]));
        if paths.len() % 2 == 1 {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&bytes).unwrap();
            bytes = gzip.finish().unwrap();
        }
        std::fs::write(&path, bytes).unwrap();
        paths.push(path);
    }
    paths
}

/// Some rows as a file. Those of LIBSVM are lines of the whole, since its parts need not have all
/// labels.
fn part_bytes(dataset: &Dataset, format: Format, rows: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::new();
    if format == Format::LibSvm {
        write(dataset, format, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        return rows
            .iter()
            .map(|&row| lines[row])
            .collect::<String>()
            .into();
    }
    write(&dataset.select_rows(rows).unwrap(), format, &mut bytes).unwrap();
    bytes
}

fn check_all(
    dataset: &Dataset,
    formats: &[Format],
    cuts: &[prop::sample::Index],
    batch_rows: usize,
    sparse: bool,
) -> Result<(), TestCaseError> {
    let rows = dataset.rows();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(rows + 1)).collect();
    cuts.extend([0, rows]);
    cuts.sort_unstable();
    let schema = Schema::new(
        dataset.attributes().to_vec(),
        dataset.label_names().to_vec(),
        sparse,
    )
    .unwrap();
    for &format in formats {
        let folder = tempfile::tempdir().unwrap();
        let paths = write_parts(dataset, format, &cuts, folder.path());
        let options = StreamOptions {
            missing: MissingCells::Mean,
            labels: WantedLabels::Required,
            batch_rows,
            ..StreamOptions::default()
        };
        let mut stream = RowStream::open(&paths, &schema, &options).unwrap();
        let batches = batches(&mut stream).unwrap();
        prop_assert_eq!(stream.notes(), vec![]);
        let sizes: Vec<usize> = batches.iter().map(|b| b.features.view().rows()).collect();
        let full = rows / batch_rows;
        prop_assert!(sizes[..full].iter().all(|&size| size == batch_rows));
        prop_assert_eq!(sizes.len(), rows.div_ceil(batch_rows));
        for batch in &batches {
            let is_sparse = matches!(batch.features, Features::Sparse(_));
            prop_assert_eq!(is_sparse, sparse, "as the schema says");
        }
        let found: Vec<_> = batches.iter().flat_map(|b| bits(&b.features)).collect();
        prop_assert_eq!(
            found,
            unsigned_zeros(bits(dataset.features())),
            "{}",
            format
        );
        let labels = batches
            .iter()
            .flat_map(|b| sets(b.labels.as_ref().unwrap()));
        prop_assert_eq!(
            labels.collect::<Vec<_>>(),
            sets(dataset.labels()),
            "{}",
            format
        );
    }
    Ok(())
}

/// Every format that is built in.
fn formats() -> Vec<Format> {
    let mut formats = Format::ALL.to_vec();
    let is_left_out = |format| matches!(format, Format::Parquet | Format::Arrow);
    formats.retain(|&format| cfg!(feature = "parquet") || !is_left_out(format));
    formats
}

/// Rows of files have no negative zeros.
fn unsigned_zeros(mut rows: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
    let negative = (-0.0_f64).to_bits();
    for bits in rows.iter_mut().flatten().filter(|bits| **bits == negative) {
        *bits = 0;
    }
    rows
}

proptest! {
    #[test]
    fn every_format_gives_the_same_rows(
        dataset in datasets(false),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        batch_rows in 1..8_usize,
        sparse in any::<bool>(),
    ) {
        check_all(&dataset, &formats(), &cuts, batch_rows, sparse)?;
    }

    #[test]
    fn missing_cells_are_the_same_in_every_format_that_has_them(
        dataset in datasets(true),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        batch_rows in 1..8_usize,
        sparse in any::<bool>(),
    ) {
        let formats = [Format::Arff, Format::Csv, Format::Tsv, Format::JsonLines];
        check_all(&dataset, &formats, &cuts, batch_rows, sparse)?;
    }
}
