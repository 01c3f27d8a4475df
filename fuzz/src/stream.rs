//! Rows in batches, matched to a model's columns: what comes out depends neither on the size of batches nor on how
//! the bytes arrive.

use std::io::{self, Read};

use mmoc::data::{Attribute, Schema};
use mmoc_io::{Format, MissingCells, RowStream, StreamOptions, WantedLabels};

use super::readers::check_error;

/// A file for a model with fixed columns. The first byte chooses the format and the options.
pub fn stream(bytes: &[u8]) {
    let Some((&choice, file)) = bytes.split_first() else {
        return;
    };
    let pick = |bit: u8| choice >> bit & 1 == 1;
    let schema = schema(pick(3));
    let mut options = StreamOptions {
        format: Some(Format::ALL[usize::from(choice & 7) % Format::ALL.len()]),
        missing: if pick(4) {
            MissingCells::Mean
        } else {
            MissingCells::Refuse
        },
        labels: if pick(5) {
            WantedLabels::Required
        } else {
            WantedLabels::Ignored
        },
        batch_rows: 1000,
        ..StreamOptions::default()
    };
    let whole = rows(file, &schema, &options);
    options.batch_rows = 2;
    let parts = rows(Trickle(file), &schema, &options);
    assert_eq!(parts.end, whole.end);
    // The rows of a batch are lost with the one that is wrong.
    let is_complete = whole.end.is_none();
    assert!(parts.cells.starts_with(&whole.cells) && parts.labels.starts_with(&whole.labels));
    assert!(!is_complete || parts.cells.len() == whole.cells.len());
}

/// Numbers, words that become one column and words that become several; names that formats without names give too.
fn schema(sparse: bool) -> Schema {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let nominal = |name: &str, values| Attribute::nominal(name, values).expect("different words");
    let attributes = vec![
        Attribute::numeric("x1"),
        nominal("colour", words(&["blue", "green", "red"])),
        nominal("smoker", words(&["no", "yes"])),
        nominal("f", words(&["1", "0"])),
        Attribute::numeric("x 4"),
    ];
    Schema::new(attributes, words(&["0", "l"]), sparse).expect("different names")
}

/// What was read.
struct Rows {
    /// The numbers of each row, missing cells as none.
    cells: Vec<Vec<Option<f64>>>,
    labels: Vec<Vec<u32>>,
    /// The message of the error that ended it.
    end: Option<String>,
}

fn rows(file: impl Read, schema: &Schema, options: &StreamOptions) -> Rows {
    let (mut cells, mut labels) = (Vec::new(), Vec::new());
    let read = || {
        let mut stream = RowStream::from_reader(file, "input", schema, options)?;
        while let Some(batch) = stream.next_batch()? {
            let view = batch.features.view();
            assert_eq!(view.columns(), schema.columns());
            assert!((1..=options.batch_rows).contains(&view.rows()));
            let first = cells.len();
            cells.resize(first + view.rows(), vec![Some(0.0); view.columns()]);
            view.for_each_stored(|row, column, value| {
                assert!(
                    !value.is_infinite()
                        && (!value.is_nan() || options.missing == MissingCells::Mean)
                );
                cells[first + row][column] = (!value.is_nan()).then_some(value);
            });
            assert_eq!(
                batch.labels.is_some(),
                options.labels == WantedLabels::Required
            );
            labels.extend(
                batch
                    .labels
                    .iter()
                    .flat_map(mmoc::data::Labels::iter)
                    .map(<[u32]>::to_vec),
            );
        }
        for note in stream.notes() {
            assert!(!note.to_string().contains(char::is_control), "{note}");
        }
        Ok(())
    };
    let end = read().err().map(|error: mmoc_io::Error| {
        check_error(&error);
        error.to_string()
    });
    Rows { cells, labels, end }
}

/// Bytes that arrive three at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(3);
        self.0.read(&mut buffer[..most])
    }
}
