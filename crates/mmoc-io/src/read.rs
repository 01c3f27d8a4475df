//! From files to a data set.

use std::borrow::Borrow;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::convert::Contents;
use super::format::dataset_name;
use super::inference::Inference;
use super::marks::LeftOutReason;
use super::note::SomeNames;
use super::open::{Purpose, open};
use super::source::Source;
use super::stream::Unknown;
use super::{ColumnNames, Dataset, Format, LabelSource};
use crate::{Error, Result};
use mmoc::text::excerpt;

/// How files are read: every field has a default, and a method of its name that sets it.
///
/// ```
/// use mmoc_io::{Format, MissingCells, ReadOptions, labels};
///
/// let options = labels("mood_*").missing(MissingCells::Mean).format(Format::Tsv);
/// assert_eq!(options.missing, MissingCells::Mean);
/// assert_eq!(ReadOptions::default().format, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Which columns are labels.
    pub labels: LabelSource,
    /// Columns that are left out.
    pub ignore: ColumnNames,
    /// The column of what rows are called, which is left out too.
    pub id: Option<String>,
    /// The column of the weights of rows, which is no feature: a row of weight 2 counts as two such rows, and one of
    /// weight 0 is left out.
    pub weight: Option<String>,
    /// Whether labels that a file declares, but that were not chosen, are features. Otherwise they are left out.
    pub labels_as_features: bool,
    /// What happens to missing cells.
    pub missing: MissingCells,
    /// What happens to missing labels.
    pub missing_labels: MissingLabels,
    /// What happens to dates and times.
    pub times: Times,
    /// What happens to words that are not among the values of a feature, where files are matched to others.
    pub unknown: Unknown,
    /// The format of the files; by default their names tell.
    pub format: Option<Format>,
}

/// Options that choose labels as [`LabelSource`] reads text, such as `"mood_*"`, `"-6"` or `"happy,sad"`.
pub fn labels(choice: &str) -> ReadOptions {
    ReadOptions::default().labels(LabelSource::of_text(choice))
}

impl ReadOptions {
    /// Chooses the labels.
    #[must_use]
    pub fn labels(mut self, labels: LabelSource) -> Self {
        self.labels = labels;
        self
    }

    /// Leaves columns out.
    #[must_use]
    pub fn ignore(mut self, columns: ColumnNames) -> Self {
        self.ignore = columns;
        self
    }

    /// Says which column has the names of rows.
    #[must_use]
    pub fn id(mut self, column: impl Into<String>) -> Self {
        self.id = Some(column.into());
        self
    }

    /// Says which column has the weights of rows.
    #[must_use]
    pub fn weight(mut self, column: impl Into<String>) -> Self {
        self.weight = Some(column.into());
        self
    }

    /// Says what happens to missing labels.
    #[must_use]
    pub fn missing_labels(mut self, missing: MissingLabels) -> Self {
        self.missing_labels = missing;
        self
    }

    /// Says what happens to missing cells.
    #[must_use]
    pub fn missing(mut self, missing: MissingCells) -> Self {
        self.missing = missing;
        self
    }

    /// Says what happens to dates and times.
    #[must_use]
    pub fn times(mut self, times: Times) -> Self {
        self.times = times;
        self
    }

    /// Says which format the files have.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }
}

/// What happens to missing cells of features. [`MissingLabels`] is about labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingCells {
    /// They are errors.
    #[default]
    Refuse,
    /// They are stored as NaN, in sparse features too, and in all columns of a feature that became
    /// several; preprocessing fills them in, with means of the training rows unless it is told otherwise.
    Mean,
    /// The same for cells, but columns that a file lacks, or keys that an object lacks, are errors.
    Cells,
}

impl FromStr for MissingCells {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "mean" => Ok(Self::Mean),
            _ => Err(Error::request(
                "the treatment of missing cells",
                "refuse or mean",
                format!("'{text}'"),
            )),
        }
    }
}

/// What happens to missing labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingLabels {
    /// They are errors.
    #[default]
    Refuse,
    /// They are not known ([`Dataset::unknown`]): neither training nor metrics count them. A row of which no label is
    /// known is left out.
    Ignore,
}

impl FromStr for MissingLabels {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "ignore" => Ok(Self::Ignore),
            _ => Err(Error::request(
                "the treatment of missing labels",
                "refuse or ignore",
                format!("'{text}'"),
            )),
        }
    }
}

/// What happens to columns of dates and times. Durations are always refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Times {
    /// They are errors.
    #[default]
    Refuse,
    /// They become numbers of days: dates and points in time those since 1970-01-01, times of day the part of the day
    /// since midnight, whatever the unit of the file.
    Numbers,
}

impl FromStr for Times {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "numbers" => Ok(Self::Numbers),
            _ => Err(Error::request(
                "the treatment of dates and times",
                "refuse or numbers",
                format!("'{text}'"),
            )),
        }
    }
}

/// A data set as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The data set.
    pub dataset: Dataset,
    /// The rows of its files that were left out, counted from zero.
    pub left_out: Vec<usize>,
    /// What the user should know about its files.
    pub warnings: Vec<Warning>,
}

/// Something about a file that is no error but that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The name of an ARFF relation says which attributes are labels, and a label file says
    /// otherwise. The label file is right.
    StaleRelation {
        /// The ARFF file, as the user named it.
        file: String,
        /// The option in the relation's name.
        option: String,
        /// The label file.
        label_file: PathBuf,
    },
    /// Labels that a file declares were not chosen, and are left out.
    OtherLabels {
        /// The file, as the user named it.
        file: String,
        /// The labels.
        labels: SomeNames,
    },
    /// Each value of a column is a label, or the second of two.
    LabelValues {
        /// The file, as the user named it.
        file: String,
        /// The columns.
        columns: SomeNames,
        /// Whether they have two values each, of which the second is the label.
        of_two: bool,
    },
    /// Words such as yes and no stand for 1 and 0.
    LabelWords {
        /// The first such word.
        word: String,
    },
    /// Rows were left out.
    LeftOut {
        /// How many.
        rows: usize,
        /// Why.
        reason: LeftOutReason,
    },
}

impl Warning {
    /// Whether something is probably wrong. Otherwise the reader says what it did.
    pub fn is_serious(&self) -> bool {
        matches!(self, Self::StaleRelation { .. })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StaleRelation {
                file,
                option,
                label_file,
            } => write!(
                formatter,
                "{file}: the labels are those of {}, not those of '{option}' in the relation's name",
                label_file.display()
            ),
            Self::OtherLabels { file, labels } => write!(
                formatter,
                "{file}: {labels} {} in the file, not chosen, and left out",
                if labels.is_one() {
                    "is a label"
                } else {
                    "are labels"
                }
            ),
            Self::LabelValues {
                file,
                columns,
                of_two,
            } => write!(
                formatter,
                "{file}: {columns} {} other values than 0 and 1, and {} a label",
                if columns.is_one() { "has" } else { "have" },
                if *of_two {
                    "the second of the two values is"
                } else {
                    "each value is"
                }
            ),
            Self::LabelWords { word } => write!(
                formatter,
                "true and yes count as 1, false and no as 0 in labels (found {})",
                excerpt(word)
            ),
            Self::LeftOut { rows, reason } => reason.write(*rows, formatter),
        }
    }
}

/// Reads a data set from a file.
///
/// ```no_run
/// use mmoc_io::{labels, read};
///
/// let songs = read("songs.csv", labels("mood_*"))?;
/// println!("{} rows", songs.rows());
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: impl Borrow<ReadOptions>) -> Result<Dataset> {
    Ok(read_files(&[path], options.borrow())?.dataset)
}

/// Reads a data set from files that follow each other, with what the user should know about them.
///
/// All files have one format. Their columns and labels agree by name and order; formats without
/// names have the columns and the labels of all files together. The data set is called after the
/// first file.
///
/// ```no_run
/// use mmoc_io::{ReadOptions, read_files};
///
/// let loaded = read_files(&["scene-train.arff", "scene-test.arff.gz"], &ReadOptions::default())?;
/// println!("{} rows", loaded.dataset.rows());
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub fn read_files<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<Loaded> {
    let first = first_path(paths)?;
    let format = common_format(paths, options.format)?;
    let sources = paths.iter().map(|path| Source::open(path.as_ref()));
    collect(sources, format, options, dataset_name(first))
}

/// The first of some files.
pub(super) fn first_path<P: AsRef<Path>>(paths: &[P]) -> Result<&Path> {
    let first = paths.first().map(AsRef::as_ref);
    first.ok_or_else(|| Error::request("the list of files", "at least one", "none"))
}

/// Reads a data set from a stream that messages call `name`; compressed streams are recognised.
///
/// ```
/// use mmoc_io::{Format, labels, read_from};
///
/// let table = "height,wings,bird\n0.5,2,1\n1.8,0,0\n";
/// let options = labels("bird").format(Format::Csv);
/// let dataset = read_from(table.as_bytes(), "standard input", &options)?.dataset;
/// assert_eq!(dataset.feature_names(), ["height", "wings"]);
/// assert_eq!(dataset.labels().frequencies(), [1]);
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub fn read_from(stream: impl Read, name: &str, options: &ReadOptions) -> Result<Loaded> {
    let path = Path::new(name);
    let format = common_format(&[path], options.format)?;
    let sources = std::iter::once_with(|| Source::new(name, stream));
    collect(sources, format, options, dataset_name(path))
}

pub(super) fn common_format<P: AsRef<Path>>(paths: &[P], given: Option<Format>) -> Result<Format> {
    if let Some(format) = given {
        return Ok(format);
    }
    let formats: Result<Vec<Format>> = paths.iter().map(Format::of_path).collect();
    let formats = formats?;
    match formats.iter().find(|&&format| format != formats[0]) {
        None => Ok(formats[0]),
        Some(other) => Err(Error::request(
            "the format of all files",
            format!("the same, {}", formats[0]),
            other.to_string(),
        )),
    }
}

/// Reads all files; rows are kept, or else counted.
fn infer<'a>(
    sources: impl Iterator<Item = Result<Source<'a>>>,
    format: Format,
    options: &'a ReadOptions,
    keep: bool,
) -> Result<Inference<'a>> {
    let mut inference = Inference::new(options, keep);
    for source in sources {
        let mut opened = open(source?, format, &mut Purpose::Infer(&mut inference))?;
        inference.take(&mut *opened.rows)?;
    }
    Ok(inference)
}

fn collect<'a>(
    sources: impl Iterator<Item = Result<Source<'a>>>,
    format: Format,
    options: &'a ReadOptions,
    name: String,
) -> Result<Loaded> {
    let inference = infer(sources, format, options, true)?;
    inference.finish(name)
}

/// Reads files as [`read_files`] does, but keeps no rows.
pub(super) fn survey<P: AsRef<Path>>(
    paths: &[P],
    options: &ReadOptions,
) -> Result<(Contents, Vec<Warning>)> {
    let first = first_path(paths)?;
    let format = common_format(paths, options.format)?;
    let sources = paths.iter().map(|path| Source::open(path.as_ref()));
    infer(sources, format, options, false)?.finish_counted(dataset_name(first))
}
