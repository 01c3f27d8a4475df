//! A file of any format, opened for a purpose: its columns are known from a schema, or to be inferred.

#[cfg(feature = "parquet")]
use super::arrow;
use super::columns::FileHeader;
use super::inference::Inference;
use super::label_source::ChosenLabels;
use super::matching::Matcher;
use super::note::ColumnNote;
use super::pairs::{extreme, libsvm};
use super::rows::Rows;
use super::sink::Sink;
use super::source::Source;
use super::stream::Pace;
use super::{Format, arff, csv, json_lines};
use crate::{Result, TextPlace};

/// What the rows of files are read for.
pub(crate) enum Purpose<'a, 'p> {
    /// A schema that is known.
    Match(Matcher<'a>),
    /// A schema that is to be inferred.
    Infer(&'p mut Inference<'a>),
}

/// Adds the rows of one file to a store.
pub(crate) trait Fill {
    /// Adds so many rows, or fewer if the file ends or the pace is not to wait for more; whether the file is at its end.
    fn fill(&mut self, rows: &mut Rows, most: usize, pace: Pace) -> Result<bool>;

    /// Fails unless a row was added.
    fn check_rows(&self) -> Result<()>;

    /// The bytes of the rows read so far, and where the last of them stands.
    fn taken(&self) -> (usize, Option<TextPlace>);
}

/// A file whose columns have their roles.
pub(crate) struct Opened<'a> {
    /// The rows.
    pub(crate) rows: Box<dyn Fill + 'a>,
    /// What the user should know about the columns.
    pub(crate) notes: Vec<ColumnNote>,
}

impl<'a> Opened<'a> {
    /// The rows of a file and what is to be said about its columns.
    pub(crate) fn new(rows: impl Fill + 'a, notes: Vec<ColumnNote>) -> Self {
        let rows = Box::new(rows);
        Self { rows, notes }
    }
}

impl<'a> Purpose<'a, '_> {
    /// What happens to dates and times.
    #[cfg(feature = "parquet")]
    pub(crate) fn times(&self) -> super::Times {
        match self {
            Self::Match(matcher) => matcher.options.times,
            Self::Infer(inference) => inference.options.times,
        }
    }

    /// Where the cells of a file go; `choose` says which of its columns are labels, where that must be inferred, and
    /// reads what else the header is to say then.
    pub(crate) fn sink(
        &mut self,
        mut header: FileHeader,
        choose: impl FnOnce(&mut FileHeader, &mut Inference<'a>) -> Result<ChosenLabels>,
    ) -> Result<(Sink<'a>, Vec<ColumnNote>)> {
        match self {
            Self::Match(matcher) => matcher.sink(header),
            Self::Infer(inference) => {
                let chosen = choose(&mut header, inference)?;
                Ok((inference.sink(header, &chosen)?, Vec::new()))
            }
        }
    }
}

/// Opens a file; every format has its own way.
pub(crate) fn open<'a>(
    source: Source<'a>,
    format: Format,
    purpose: &mut Purpose<'a, '_>,
) -> Result<Opened<'a>> {
    match format {
        Format::Arff => arff::open(source, purpose),
        Format::Csv => csv::open(source, b',', purpose),
        Format::Tsv => csv::open(source, b'\t', purpose),
        Format::LibSvm => libsvm::open(source, purpose),
        Format::Extreme => extreme::open(source, purpose),
        Format::JsonLines => json_lines::open(source, purpose),
        #[cfg(feature = "parquet")]
        Format::Parquet | Format::Arrow => arrow::open(source, format, purpose),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => Err(format.left_out()),
    }
}
