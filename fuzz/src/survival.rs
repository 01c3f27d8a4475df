//! What was read can be written, in every format that can hold it, and is read back the same.

use mmoc::data::Dataset;
use mmoc_io::Error;
use mmoc_io::{Format, LabelSource, MissingCells, write};

use super::readers::read_with;

/// More cells than this take too long to be written densely.
const MOST_CELLS: usize = 1 << 12;

/// Fails unless the data set survives.
pub(crate) fn check_dataset(dataset: &Dataset) {
    if dataset.rows() * dataset.columns() > MOST_CELLS {
        return;
    }
    for format in Format::ALL {
        match written(dataset, format) {
            Ok(bytes) => check_again(dataset, format, &bytes),
            Err(error) => assert!(matches!(error, Error::Request { .. }), "{error}"),
        }
    }
}

fn written(dataset: &Dataset, format: Format) -> mmoc_io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(dataset, format, &mut bytes).map(|()| bytes)
}

fn check_again(dataset: &Dataset, format: Format, bytes: &[u8]) {
    let has_names = !matches!(format, Format::LibSvm | Format::Extreme);
    let labels = match format {
        Format::Csv | Format::Tsv | Format::JsonLines => {
            LabelSource::Last(dataset.labels().count())
        }
        _ => LabelSource::Auto,
    };
    let again =
        read_with(bytes, format, &labels, MissingCells::Mean).expect("what was written is read");
    assert_eq!(again.labels(), dataset.labels(), "{format}");
    assert_eq!(cells(&again), cells(dataset), "{format}");
    if has_names {
        assert_eq!(again.feature_names(), dataset.feature_names(), "{format}");
        assert_eq!(again.label_names(), dataset.label_names(), "{format}");
    }
    let twice = written(&again, format).expect("it was written before");
    assert!(has_names || twice == bytes, "{format}");
}

/// Every number, missing cells as none.
fn cells(dataset: &Dataset) -> Vec<Option<f64>> {
    let columns = dataset.columns();
    let mut cells = vec![Some(0.0); dataset.rows() * columns];
    dataset
        .features()
        .view()
        .for_each_stored(|row, column, value| {
            cells[row * columns + column] = (!value.is_nan()).then_some(value);
        });
    cells
}
