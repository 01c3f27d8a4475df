//! From a data set to a file, in every format that is read.
//!
//! Numbers are written so that reading gives back the same. What a format has no room for is an
//! error, save names: LIBSVM and extreme classification files have none.

mod arff;
mod compressed;
mod mulan_xml;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
mod table;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use compressed::compressed;

pub use arff::word as arff_word;
pub use mulan_xml::mulan_xml;

#[cfg(feature = "parquet")]
use super::parquet::is_pandas_index;
use super::{Dataset, FeaturesView, Format};
use crate::{Error, Result, replace_file};
use mmoc::text::excerpt;

/// Writes a data set.
///
/// | format | columns and labels | features become |
/// |---|---|---|
/// | ARFF | features, then labels; the relation's name ends in `-C -q`, so that no label file is needed | sparse rows if they are sparse |
/// | CSV, TSV | features, then labels | dense |
/// | LIBSVM | labels whose names are ascending numbers keep those, others are numbered from 0 | sparse |
/// | extreme | numbered from 0 | sparse |
/// | Parquet | features as numbers, then labels as booleans; the metadata say how many are labels | dense |
///
/// Fails if the format cannot hold the data set: a missing cell or, in LIBSVM, a label that no row
/// carries; in ARFF and tables a feature with the name of a label; in tables an empty name.
pub fn write(dataset: &Dataset, format: Format, out: &mut impl Write) -> Result<()> {
    check(dataset, format)?;
    write_checked(dataset, format, out).map_err(|source| Error::io(dataset.name(), source))
}

/// Writes a data set to a file, as [`write()`] and [`replace_file`] do; one whose name ends in `.gz` or `.bz2` is
/// compressed.
pub fn write_file(dataset: &Dataset, format: Format, path: impl AsRef<Path>) -> Result<()> {
    check(dataset, format)?;
    let path = path.as_ref();
    replace_file(path, |out| {
        compressed(path, out, |mut out| {
            write_checked(dataset, format, &mut out)
        })
    })?;
    Ok(())
}

fn write_checked(dataset: &Dataset, format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Arff => arff::write(dataset, out),
        Format::Csv => table::write(dataset, b',', out),
        Format::Tsv => table::write(dataset, b'\t', out),
        Format::LibSvm => pairs::write_libsvm(dataset, out),
        Format::Extreme => pairs::write_extreme(dataset, out),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(dataset, out),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(io::Error::other(Format::no_parquet())),
    }
}

fn check(dataset: &Dataset, format: Format) -> Result<()> {
    let refuse = |expected: &str, found: String| {
        let expected = format!("one with {expected} to be written as {format}");
        Err(Error::request("the data set", expected, found))
    };
    #[cfg(not(feature = "parquet"))]
    if format == Format::Parquet {
        return Err(Format::no_parquet());
    }
    match format {
        Format::Arff | Format::Csv | Format::Tsv | Format::Parquet => {
            if let Some(name) = shared_name(dataset) {
                return refuse("labels that are not named like features", quoted(name));
            }
            if format != Format::Arff && names(dataset).any(String::is_empty) {
                return refuse("a name for every column", "one without".to_owned());
            }
            #[cfg(feature = "parquet")]
            if let (Format::Parquet, Some(name)) =
                (format, names(dataset).find(|name| is_pandas_index(name)))
            {
                let expected = "names other than __index_level_N__, which pandas takes for itself";
                return refuse(expected, quoted(name));
            }
        }
        Format::LibSvm | Format::Extreme => {
            if dataset.has_missing() {
                return refuse("no missing cell", "one that has some".to_owned());
            }
            if let (Format::LibSvm, Some(name)) = (format, unused_label(dataset)) {
                return refuse("rows for every label", format!("without {}", quoted(name)));
            }
        }
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    excerpt(name)
}

fn names(dataset: &Dataset) -> impl Iterator<Item = &String> {
    let features = dataset.feature_names().iter();
    features.chain(dataset.label_names())
}

fn shared_name(dataset: &Dataset) -> Option<&String> {
    let features: HashSet<&String> = dataset.feature_names().iter().collect();
    let mut labels = dataset.label_names().iter();
    labels.find(|name| features.contains(name))
}

fn unused_label(dataset: &Dataset) -> Option<&String> {
    let frequencies = dataset.labels().frequencies();
    let unused = frequencies.iter().position(|&count| count == 0);
    unused.map(|label| &dataset.label_names()[label])
}

/// A finite number as text that is read back as the same number.
pub fn number_text(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        // Without an exponent these would be rows of zeros.
        format!("{value:e}")
    }
}

/// The numbers of a row that are not zero, by ascending column.
fn nonzeros<'a>(
    features: FeaturesView<'a>,
    row: usize,
) -> Box<dyn Iterator<Item = (usize, f64)> + 'a> {
    let entries: Box<dyn Iterator<Item = (usize, f64)> + 'a> = match features {
        FeaturesView::Dense(matrix) => Box::new(matrix.row(row).iter().copied().enumerate()),
        FeaturesView::Sparse(matrix) => Box::new(matrix.entries(row)),
    };
    Box::new(entries.filter(|&(_, value)| value != 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_the_same() {
        let cases = [
            0.0,
            -0.0,
            0.1,
            1.0 / 3.0,
            -1e300,
            f64::MIN_POSITIVE,
            5e-324,
            f64::MAX,
            9_007_199_254_740_993.0,
        ];
        for value in cases {
            let again: f64 = number_text(value).parse().unwrap();
            assert_eq!(again.to_bits(), value.to_bits(), "{value}");
        }
        assert_eq!(number_text(1.0), "1");
        assert_eq!(number_text(1e300), "1e300");
    }
}
