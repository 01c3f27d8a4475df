//! Whatever bytes come, nothing panics, and what is found does not depend on how they are read.

use mmoc::data::{Dataset, Schema};
use mmoc_io::{
    Format, LabelSource, MissingCells, ReadOptions, RowStream, StreamOptions, WantedLabels,
    read_from,
};
use proptest::prelude::*;

use super::{batches, bits, sets};

/// The bits of the features and the labels of a row.
type Row = (Vec<u64>, Vec<u32>);

/// All rows in batches of so many, or the message.
fn stream(
    bytes: &[u8],
    schema: &Schema,
    format: Format,
    batch_rows: usize,
) -> Result<Vec<Row>, String> {
    let options = StreamOptions {
        format: Some(format),
        missing: MissingCells::Mean,
        labels: WantedLabels::Required,
        batch_rows,
        ..StreamOptions::default()
    };
    let rows = RowStream::from_reader(bytes, "f", schema, &options);
    let batches = rows.and_then(|mut rows| batches(&mut rows));
    let batches = batches.map_err(|error| error.to_string())?;
    let rows = batches.iter().flat_map(|batch| {
        let labels = sets(batch.labels.as_ref().unwrap());
        bits(&batch.features).into_iter().zip(labels)
    });
    Ok(rows.collect())
}

/// Why Parquet is damaged elsewhere, in the tests of its own.
const NO_TEXT: &str = "Parquet files are no text";

/// A table of numbers and words, as text that is then damaged.
fn text(format: Format, rows: usize) -> String {
    let row = |row: usize| {
        let word = ["x", "y", "z"][row % 3];
        let label = row % 2;
        match format {
            Format::Arff => format!("{row}.5,{word},{label}\n{{1 {word},2 1}}\n"),
            Format::Csv => format!("{row}.5,{word},{label}\n\"0\",\"{word}\", 1\n"),
            Format::Tsv => format!("{row}.5\t{word}\t{label}\n"),
            Format::LibSvm | Format::Extreme => format!("{label} 1:{row} 2:0.5\n"),
            Format::JsonLines => {
                format!(
                    "{{\"n\":{row}.5,\"w\":\"{word}\",\"l\":{label}}}\n\n{{\"l\":true,\"w\":\"{word}\"}}\n"
                )
            }
            Format::Parquet | Format::Arrow => unreachable!("{NO_TEXT}"),
        }
    };
    let header = match format {
        Format::Arff => "@relation 'r: -C -1'\n@attribute n real\n@attribute w {x,y,z}\n@attribute l {0,1}\n@data\n".to_owned(),
        Format::Csv => "n,w,l\n".to_owned(),
        Format::Tsv => "n\tw\tl\n".to_owned(),
        Format::LibSvm | Format::JsonLines => String::new(),
        Format::Extreme => format!("{rows} 3 2\n"),
        Format::Parquet | Format::Arrow => unreachable!("{NO_TEXT}"),
    };
    header + &(0..rows).map(row).collect::<String>()
}

fn read_whole(bytes: &[u8], format: Format) -> Option<Dataset> {
    let labels = match format {
        Format::Csv | Format::Tsv | Format::JsonLines => LabelSource::Last(1),
        _ => LabelSource::Auto,
    };
    let options = ReadOptions {
        labels,
        missing: MissingCells::Mean,
        format: Some(format),
        ..ReadOptions::default()
    };
    let read = read_from(bytes, "f", &options);
    read.ok().map(|loaded| loaded.dataset)
}

fn formats() -> impl Strategy<Value = Format> {
    let texts = Format::ALL
        .into_iter()
        .filter(|format| !matches!(format, Format::Parquet | Format::Arrow));
    prop::sample::select(texts.collect::<Vec<_>>())
}

/// Places in text, and what is put there instead of what stands there.
fn damages() -> impl Strategy<Value = Vec<(prop::sample::Index, String)>> {
    let text = prop_oneof!["[0-9xyz,\t:{}'\"?\\n ]{0,3}", Just("\u{FEFF}".to_owned())];
    prop::collection::vec((any::<prop::sample::Index>(), text), 0..4)
}

fn inflict(text: &str, damages: &[(prop::sample::Index, String)]) -> String {
    let mut characters: Vec<String> = text.chars().map(String::from).collect();
    for (place, instead) in damages {
        let place = place.index(characters.len());
        characters[place].clone_from(instead);
    }
    characters.concat()
}

proptest! {
    /// Batches of one row are parsed one after the other, larger ones side by side.
    #[test]
    fn rows_and_first_error_do_not_depend_on_the_batches(
        format in formats(),
        damages in damages(),
        batch_rows in 2..100_usize,
    ) {
        let whole = text(format, 40);
        let schema = read_whole(whole.as_bytes(), format).unwrap().schema();
        let bytes = inflict(&whole, &damages);
        let single = stream(bytes.as_bytes(), &schema, format, 1);
        prop_assert_eq!(stream(bytes.as_bytes(), &schema, format, batch_rows), single);
    }

    /// The rows of any file that is read whole are those that its own schema finds in it.
    #[test]
    fn streams_agree_with_files_read_whole(format in formats(), damages in damages()) {
        let bytes = inflict(&text(format, 6), &damages);
        if let Some(dataset) = read_whole(bytes.as_bytes(), format) {
            let expected: Vec<_> = bits(dataset.features())
                .into_iter()
                .zip(sets(dataset.labels()))
                .collect();
            let found = stream(bytes.as_bytes(), &dataset.schema(), format, 4);
            prop_assert_eq!(found, Ok(expected));
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(
        format in formats(),
        bytes in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let whole = text(format, 2);
        let schema = read_whole(whole.as_bytes(), format).unwrap().schema();
        let _ = stream(&bytes, &schema, format, 3);
        let _ = stream(&[whole.as_bytes(), &bytes].concat(), &schema, format, 3);
    }
}
