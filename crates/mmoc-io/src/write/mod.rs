//! From a data set to a file, in every format that is read.
//!
//! Numbers are written so that reading gives back the same. What a format has no room for is an
//! error, save names: LIBSVM and extreme classification files have none.

mod arff;
#[cfg(feature = "parquet")]
mod arrow;
mod compressed;
mod json_lines;
mod mulan_xml;
mod outline;
mod pairs;
mod table;

use std::io::{self, Write};
use std::path::Path;

use compressed::compressed;

pub use arff::word as arff_word;
pub use mulan_xml::mulan_xml;
pub use outline::Outline;

use super::{Dataset, FeaturesView, Format, Labels};
use crate::{Error, Result, replace_file};

/// Writes rows batch by batch, all that comes before them being written.
pub(crate) trait WriteBatches {
    /// Adds some rows.
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()>;

    /// Ends the file. Fails silently only where the caller's writer does: it is not flushed here.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Begins a file of rows of which the outline is known and has been checked.
fn begin<'a>(
    outline: &'a Outline<'_>,
    format: Format,
    out: &'a mut dyn Write,
) -> io::Result<Box<dyn WriteBatches + 'a>> {
    Ok(match format {
        Format::Arff => Box::new(arff::ArffWriter::begin(outline, out)?),
        Format::Csv => Box::new(table::TableWriter::begin(outline, b',', out)?),
        Format::Tsv => Box::new(table::TableWriter::begin(outline, b'\t', out)?),
        Format::LibSvm => Box::new(pairs::PairWriter::libsvm(outline, out)),
        Format::Extreme => Box::new(pairs::PairWriter::extreme(outline, out)?),
        Format::JsonLines => Box::new(json_lines::JsonWriter::new(outline, out)?),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(arrow::ParquetWriter::begin(outline, out)?),
        #[cfg(feature = "parquet")]
        Format::Arrow => Box::new(arrow::IpcWriter::begin(outline, out)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => return Err(io::Error::other(format.left_out())),
    })
}

/// Where `fill` puts one batch after the other.
pub type PutBatch<'a> = dyn FnMut(FeaturesView<'_>, &Labels) -> io::Result<()> + 'a;

/// Writes the rows that `fill` puts, batch by batch, to a stream.
///
/// Fails if the format cannot hold rows of this outline.
///
/// | format | columns and labels | features become |
/// |---|---|---|
/// | ARFF | features, then labels; the relation's name ends in `-C -q`, so that no label file is needed | sparse rows if they are sparse |
/// | CSV, TSV | features, then labels | dense |
/// | LIBSVM | labels whose names are ascending numbers keep those, others are numbered from 0 | sparse |
/// | extreme | numbered from 0 | sparse |
/// | JSON lines | features, then labels as 0 and 1; missing cells as `null` | dense |
/// | Parquet, Arrow | features as numbers, then labels as booleans; the metadata say how many are labels | dense |
///
/// A format cannot hold everything: LIBSVM and extreme files have no missing cells, LIBSVM no label that no row
/// carries, ARFF, tables and JSON lines no feature with the name of a label, tables no empty name.
pub fn write_batches(
    outline: &Outline<'_>,
    format: Format,
    out: &mut dyn Write,
    fill: impl FnOnce(&mut PutBatch<'_>) -> Result<()>,
) -> Result<()> {
    outline.check(format)?;
    let failure = |source| Error::io(outline.name, source);
    let mut writer = begin(outline, format, out).map_err(failure)?;
    fill(&mut |features, labels| writer.batch(features, labels))?;
    writer.finish().map_err(failure)
}

/// Writes rows to a file, as [`write_batches`] and [`replace_file`] do; one whose name ends in `.gz` or `.bz2` is
/// compressed.
pub fn write_batches_to_file(
    outline: &Outline<'_>,
    format: Format,
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut PutBatch<'_>) -> Result<()>,
) -> Result<()> {
    outline.check(format)?;
    let path = path.as_ref();
    // An error of whoever puts the rows is not one of the file that is written.
    let mut failed = None;
    let written = replace_file(path, |out| {
        compressed(path, out, |out| {
            let mut writer = begin(outline, format, out)?;
            let mut unwritten = None;
            let filled = fill(&mut |features, labels| {
                writer.batch(features, labels).map_err(|error| {
                    let seen = io::Error::from(error.kind());
                    unwritten = Some(error);
                    seen
                })
            });
            match (filled, unwritten) {
                (_, Some(error)) => Err(error),
                (Err(error), None) => {
                    failed = Some(error);
                    Err(io::Error::other("the rows cannot be read"))
                }
                (Ok(()), None) => writer.finish(),
            }
        })
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

/// Writes a data set, as [`write_batches`] does.
pub fn write(dataset: &Dataset, format: Format, out: &mut impl Write) -> Result<()> {
    write_batches(&Outline::of(dataset), format, out, |put| {
        put_all(dataset, put)
    })
}

/// Writes a data set to a file, as [`write_batches_to_file`] does.
pub fn write_file(dataset: &Dataset, format: Format, path: impl AsRef<Path>) -> Result<()> {
    write_batches_to_file(&Outline::of(dataset), format, path, |put| {
        put_all(dataset, put)
    })
}

fn put_all(dataset: &Dataset, put: &mut PutBatch<'_>) -> Result<()> {
    let written = put(dataset.features().view(), dataset.labels());
    written.map_err(|source| Error::io(dataset.name(), source))
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
