//! From files to a data set.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::arff::ArffCollector;
use super::csv::TableCollector;
use super::extreme::ExtremeCollector;
use super::format::dataset_name;
use super::libsvm::LibSvmCollector;
#[cfg(feature = "parquet")]
use super::parquet::ParquetCollector;
use super::source::Source;
use super::{Dataset, Format, LabelSource};
use crate::{Error, Result};

/// How files are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Which columns are labels.
    pub labels: LabelSource,
    /// What happens to missing cells.
    pub missing: Missing,
    /// The format of the files; by default their names tell.
    pub format: Option<Format>,
}

/// What happens to missing cells of features. A missing label is always an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Missing {
    /// They are errors.
    #[default]
    Refuse,
    /// They are stored as NaN, in sparse features too, and in all columns of a feature that became
    /// several; preprocessing fills in the mean of the training rows.
    Mean,
}

impl FromStr for Missing {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "mean" => Ok(Self::Mean),
            _ => Err(Error::Parameter {
                parameter: "the treatment of missing cells",
                expected: "refuse or mean".into(),
                found: format!("'{text}'"),
            }),
        }
    }
}

/// A data set as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The data set.
    pub dataset: Dataset,
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
        }
    }
}

/// Reads a data set from one file or from several that follow each other.
///
/// All files have one format. Their columns and labels agree by name and order; formats without
/// names have the columns and the labels of all files together. The data set is called after the
/// first file.
///
/// ```no_run
/// use mmoc_io::{ReadOptions, read};
///
/// let loaded = read(&["scene-train.arff", "scene-test.arff.gz"], &ReadOptions::default())?;
/// println!("{} rows", loaded.dataset.rows());
/// # Ok::<(), mmoc::Error>(())
/// ```
pub fn read<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<Loaded> {
    let first = first_path(paths)?;
    let format = common_format(paths, options.format)?;
    let sources = paths.iter().map(|path| Source::open(path.as_ref()));
    collect(sources, format, options, dataset_name(first))
}

/// The first of some files.
pub(super) fn first_path<P: AsRef<Path>>(paths: &[P]) -> Result<&Path> {
    let first = paths.first().map(AsRef::as_ref);
    first.ok_or_else(|| Error::Parameter {
        parameter: "the list of files",
        expected: "at least one".into(),
        found: "none".into(),
    })
}

/// Reads a data set from a stream that messages call `name`; compressed streams are recognised.
///
/// ```
/// use mmoc_io::{Format, LabelSource, ReadOptions, read_from};
///
/// let table = "height,wings,bird\n0.5,2,1\n1.8,0,0\n";
/// let options = ReadOptions {
///     labels: LabelSource::Last(1),
///     format: Some(Format::Csv),
///     ..ReadOptions::default()
/// };
/// let dataset = read_from(table.as_bytes(), "standard input", &options)?.dataset;
/// assert_eq!(dataset.feature_names(), ["height", "wings"]);
/// assert_eq!(dataset.labels().frequencies(), [1]);
/// # Ok::<(), mmoc::Error>(())
/// ```
pub fn read_from(stream: impl Read, name: &str, options: &ReadOptions) -> Result<Loaded> {
    let path = Path::new(name);
    let format = common_format(&[path], options.format)?;
    let sources = std::iter::once_with(|| Source::new(name, stream));
    collect(sources, format, options, dataset_name(path))
}

/// What reads the files of one format, one after the other.
pub(super) trait Collect {
    /// Adds the rows of a file.
    fn read(&mut self, source: Source<'_>, warnings: &mut Vec<Warning>) -> Result<()>;

    /// All rows; at least one file was read.
    fn finish(self: Box<Self>, name: String) -> Result<Dataset>;
}

pub(super) fn common_format<P: AsRef<Path>>(paths: &[P], given: Option<Format>) -> Result<Format> {
    if let Some(format) = given {
        return Ok(format);
    }
    let formats: Result<Vec<Format>> = paths.iter().map(Format::of_path).collect();
    let formats = formats?;
    match formats.iter().find(|&&format| format != formats[0]) {
        None => Ok(formats[0]),
        Some(other) => Err(Error::Parameter {
            parameter: "the format of all files",
            expected: format!("the same, {}", formats[0]),
            found: other.to_string(),
        }),
    }
}

fn collect<'a>(
    sources: impl Iterator<Item = Result<Source<'a>>>,
    format: Format,
    options: &ReadOptions,
    name: String,
) -> Result<Loaded> {
    let mut collector = collector(format, options)?;
    let mut warnings = Vec::new();
    for source in sources {
        collector.read(source?, &mut warnings)?;
    }
    let dataset = collector.finish(name)?;
    Ok(Loaded { dataset, warnings })
}

fn collector(format: Format, options: &ReadOptions) -> Result<Box<dyn Collect + '_>> {
    Ok(match format {
        Format::Arff => Box::new(ArffCollector::new(options)),
        Format::Csv => Box::new(TableCollector::new(b',', options)),
        Format::Tsv => Box::new(TableCollector::new(b'\t', options)),
        Format::LibSvm => {
            refuse_label_choice(options)?;
            Box::new(LibSvmCollector::default())
        }
        Format::Extreme => {
            refuse_label_choice(options)?;
            Box::new(ExtremeCollector::default())
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(ParquetCollector::new(options)),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(Format::no_parquet()),
    })
}

/// Formats whose rows begin with their labels leave nothing to choose.
fn refuse_label_choice(options: &ReadOptions) -> Result<()> {
    match &options.labels {
        LabelSource::Auto => Ok(()),
        choice => Err(Error::Parameter {
            parameter: "the label option",
            expected: "left out for libsvm and extreme files, whose rows name their labels".into(),
            found: format!("'{choice}'"),
        }),
    }
}
