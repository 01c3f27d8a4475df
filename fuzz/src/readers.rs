//! The readers of data: every input is either refused at a place in it, or becomes a data set that survives being
//! written.

use mmoc::data::Dataset;
use mmoc_io::Error;
use mmoc_io::{Format, LabelSource, MissingCells, ReadOptions, read_from};

use super::survival::check_dataset;

/// Each column beyond this has a name in memory. What great numbers of them do is tested by itself; here they would
/// only make it slow.
const MOST_COLUMNS: u64 = 200;

/// An ARFF file.
pub fn arff(bytes: &[u8]) {
    let choices = [LabelSource::Auto, LabelSource::Last(1), prefix("l")];
    check(bytes, Format::Arff, &choices);
}

/// A table, its fields separated by commas or by tabs.
pub fn table(bytes: &[u8]) {
    for format in [Format::Csv, Format::Tsv] {
        check(bytes, format, &[LabelSource::Last(1), prefix("l")]);
    }
}

/// A LIBSVM file.
pub fn libsvm(bytes: &[u8]) {
    let mut numbers = numbers(bytes);
    if numbers.all(|(number, next)| next != Some(b':') || number <= MOST_COLUMNS) {
        check(bytes, Format::LibSvm, &[LabelSource::Auto]);
    }
}

/// A file of the extreme classification repository.
pub fn extreme(bytes: &[u8]) {
    let mut sizes = numbers(bytes).skip(1).take(2);
    if sizes.all(|(size, _)| size <= MOST_COLUMNS) {
        check(bytes, Format::Extreme, &[LabelSource::Auto]);
    }
}

/// A Parquet file.
pub fn parquet(bytes: &[u8]) {
    check(
        bytes,
        Format::Parquet,
        &[LabelSource::Auto, LabelSource::Last(1)],
    );
}

/// An Arrow IPC file or stream.
pub fn arrow(bytes: &[u8]) {
    check(
        bytes,
        Format::Arrow,
        &[LabelSource::Auto, LabelSource::Last(1)],
    );
}

fn prefix(text: &str) -> LabelSource {
    LabelSource::Prefix(text.into())
}

fn check(bytes: &[u8], format: Format, choices: &[LabelSource]) {
    for labels in choices {
        let read = |missing| read_with(bytes, format, labels, missing);
        match (read(MissingCells::Mean), read(MissingCells::Refuse)) {
            (Ok(dataset), strict) if dataset.has_missing() => {
                check_error(&strict.expect_err("missing cells are refused"));
                check_dataset(&dataset);
            }
            (Ok(dataset), strict) => {
                assert_eq!(strict.expect("no cell is missing"), dataset);
                check_dataset(&dataset);
            }
            (Err(error), strict) => {
                assert!(strict.is_err(), "{error}");
                check_error(&error);
            }
        }
    }
}

pub(crate) fn read_with(
    bytes: &[u8],
    format: Format,
    labels: &LabelSource,
    missing: MissingCells,
) -> mmoc_io::Result<Dataset> {
    let options = ReadOptions {
        labels: labels.clone(),
        missing,
        format: Some(format),
        ..ReadOptions::default()
    };
    read_from(bytes, "input", &options).map(|loaded| loaded.dataset)
}

/// An error names a place in the input and can be shown on a terminal.
pub(crate) fn check_error(error: &Error) {
    let message = error.to_string();
    assert!(matches!(error, Error::Data(_)), "{message}");
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.len() < 1000, "{message}");
}

/// Every number written in digits, with the byte after it.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = (u64, Option<u8>)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let start = rest.iter().position(u8::is_ascii_digit)?;
        let digits = &rest[start..];
        let length = digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = digits[..length].iter().fold(0_u64, |number, &digit| {
            number
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        });
        rest = &digits[length..];
        Some((number, rest.first().copied()))
    })
}
