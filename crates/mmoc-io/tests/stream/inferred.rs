//! Reading files whole, and streaming or converting them with the schema that was inferred, give the same rows.

use std::fmt::Write;
use std::path::Path;

use mmoc::data::Dataset;
use mmoc_io::{
    Conversion, Format, LabelSource, MissingCells, ReadOptions, RowStream, StreamOptions,
    WantedLabels, read_files, read_from, write,
};
use proptest::prelude::*;

use super::{batches, bits, sets};

/// A table of text: for each column its cells, of numbers or of words. Missing cells are empty.
#[derive(Debug, Clone)]
struct Table {
    features: Vec<Vec<String>>,
    flags: Vec<bool>,
    rows: usize,
}

const LABELS: usize = 2;

fn tables() -> impl Strategy<Value = Table> {
    let number = prop_oneof![
        "-?[0-9]{1,3}",
        "[0-9]\\.[0-9]{1,4}",
        "-1e-[0-9]",
        Just(String::new())
    ];
    // A letter at the front: words are no numbers and not missing.
    let word = prop_oneof!["w[ab,;\"'\t {}%é\n]{0,3}", Just(String::new())];
    (1..60_usize, 1..4_usize).prop_flat_map(move |(rows, features)| {
        let column = prop_oneof![
            prop::collection::vec(number.clone(), rows),
            prop::collection::vec(word.clone(), rows),
        ];
        (
            prop::collection::vec(column, features),
            prop::collection::vec(any::<bool>(), rows * LABELS),
        )
            .prop_map(move |(mut features, flags)| {
                for column in &mut features {
                    let is_words = column.iter().any(|cell| cell.starts_with('w'));
                    if is_words && column[0].is_empty() {
                        column[0] = "w".into();
                    }
                    // Words that never occur again would be refused.
                    for row in 8..column.len() {
                        if is_words && !column[row].is_empty() {
                            let word = column[row % 8].clone();
                            column[row] = word;
                        }
                    }
                }
                Table {
                    features,
                    flags,
                    rows,
                }
            })
    })
}

impl Table {
    fn cells(&self, row: usize) -> impl Iterator<Item = String> + '_ {
        let features = self.features.iter().map(move |column| column[row].clone());
        let flags = (0..LABELS).map(move |label| self.flags[row * LABELS + label]);
        features.chain(flags.map(|flag| u8::from(flag).to_string()))
    }

    fn separated(&self, separator: char) -> String {
        let quoted = |cell: String| match cell.as_str() {
            "" => cell,
            text => format!("\"{}\"", text.replace('"', "\"\"")),
        };
        let names = (0..self.features.len() + LABELS).map(|column| format!("c{column}"));
        let mut lines = vec![names.collect::<Vec<_>>()];
        lines.extend((0..self.rows).map(|row| self.cells(row).map(quoted).collect()));
        let lines = lines
            .iter()
            .map(|fields| fields.join(&separator.to_string()));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Words as values of lists, missing cells as `?`.
    fn arff(&self) -> String {
        let quoted = |text: &str| {
            let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
            format!("'{}'", escaped.replace('\n', "\\n").replace('\t', "\\t"))
        };
        let mut text = format!("@relation 'r: -C -{LABELS}'\n");
        for (index, column) in self.features.iter().enumerate() {
            let mut words: Vec<String> = column
                .iter()
                .filter(|cell| cell.starts_with('w'))
                .map(|cell| quoted(cell))
                .collect();
            words.sort_unstable();
            words.dedup();
            let kind = if words.is_empty() {
                "numeric".to_owned()
            } else {
                format!("{{{}}}", words.join(","))
            };
            writeln!(text, "@attribute c{index} {kind}").unwrap();
        }
        for label in 0..LABELS {
            writeln!(text, "@attribute l{label} {{0,1}}").unwrap();
        }
        text.push_str("@data\n");
        for row in 0..self.rows {
            let cells = self.cells(row).map(|cell| match cell.as_str() {
                "" => "?".to_owned(),
                word if word.starts_with('w') => quoted(word),
                number => number.to_owned(),
            });
            text.push_str(&cells.collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        text
    }
}

/// Streams the file with the data set's schema, and converts it; all rows must be those of the data set.
fn check(dataset: &Dataset, path: &Path, read: &ReadOptions, batch_rows: usize) {
    let schema = dataset.schema();
    let options = StreamOptions {
        format: read.format,
        missing: read.missing,
        times: read.times,
        labels: WantedLabels::Required,
        batch_rows,
        ..StreamOptions::default()
    };
    let mut rows = RowStream::open(&[path], &schema, &options).unwrap();
    let batches = batches(&mut rows).unwrap();
    let features: Vec<_> = batches
        .iter()
        .flat_map(|batch| bits(&batch.features))
        .collect();
    let labels = batches
        .iter()
        .flat_map(|batch| sets(batch.labels.as_ref().unwrap()));
    assert_eq!(features, bits(dataset.features()));
    assert_eq!(labels.collect::<Vec<_>>(), sets(dataset.labels()));

    let files = Conversion::open(&[path], read).unwrap();
    for format in Format::ALL {
        let (mut whole, mut converted) = (Vec::new(), Vec::new());
        let written = write(dataset, format, &mut whole).map_err(|error| error.to_string());
        let streamed = files.write(format, &mut converted);
        assert_eq!(streamed.map_err(|error| error.to_string()), written);
        // Parquet and Arrow files keep the batches that rows come in.
        if written.is_ok() && !matches!(format, Format::Parquet | Format::Arrow) {
            assert!(whole == converted, "{format}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn streaming_with_the_inferred_schema_is_reading(table in tables(), batch_rows in 1..40_usize) {
        let folder = tempfile::tempdir().unwrap();
        let texts = [
            (Format::Csv, table.separated(','), LabelSource::Last(LABELS)),
            (Format::Tsv, table.separated('\t'), LabelSource::Last(LABELS)),
            (Format::Arff, table.arff(), LabelSource::Auto),
        ];
        for (format, text, labels) in texts {
            let path = folder.path().join(format!("t.{format}"));
            std::fs::write(&path, text).unwrap();
            let read = ReadOptions::default().labels(labels).missing(MissingCells::Mean).format(format);
            let dataset = read_files(&[&path], &read).unwrap().dataset;
            check(&dataset, &path, &read, batch_rows);
        }
    }

    #[test]
    fn rows_of_pairs_are_streamed_as_they_are_read(table in tables(), batch_rows in 1..40_usize) {
        let folder = tempfile::tempdir().unwrap();
        let labels = LabelSource::Last(LABELS);
        let csv = ReadOptions::default().labels(labels).missing(MissingCells::Mean).format(Format::Csv);
        let text = table.separated(',');
        let dataset = read_from(text.as_bytes(), "t", &csv).unwrap().dataset;
        for format in [Format::LibSvm, Format::Extreme] {
            let mut bytes = Vec::new();
            // Missing cells and labels that no row carries are refused.
            if write(&dataset, format, &mut bytes).is_err() {
                continue;
            }
            let path = folder.path().join(format!("t.{format}"));
            std::fs::write(&path, bytes).unwrap();
            let read = ReadOptions::default().format(format);
            let dataset = read_files(&[&path], &read).unwrap().dataset;
            check(&dataset, &path, &read, batch_rows);
        }
    }
}
