//! Predictions from files, made by this program or by any other.

mod json_lines;

use std::io::Read;
use std::path::Path;

use mmoc::Prediction;

use super::Format;
use super::note::ColumnNote;
use super::source::Source;
use super::stream::{RowStream, StreamOptions, WantedLabels};
use super::wanted::{Owner, Wanted};
use crate::Result;

/// Predictions as they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPrediction {
    /// The predictions, a row for each row of the file. Probabilities serve as scores.
    pub prediction: Prediction,
    /// What the user should know about the columns of the file.
    pub notes: Vec<ColumnNote>,
}

/// Reads predicted label sets: a table with a column of 0 and 1 for each label, found by name, in any format of data
/// sets; or JSON lines with the names of the `labels` of each row, and its `probabilities` by label if there are any.
/// The name of the file tells which.
///
/// ```no_run
/// let labels = ["beach".to_owned(), "sunset".to_owned()];
/// let predicted = mmoc_io::read_predictions("predicted.csv", &labels)?.prediction;
/// println!("{} rows", predicted.labels.rows());
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub fn read_predictions(path: impl AsRef<Path>, label_names: &[String]) -> Result<ReadPrediction> {
    let path = path.as_ref();
    let form = Form::of_path(path)?;
    read(Source::open(path)?, form, label_names)
}

/// Reads predictions as [`read_predictions`] does, from a stream that has the name of a file.
///
/// ```
/// let labels = ["beach".to_owned(), "sunset".to_owned()];
/// let table = "sunset,beach\n1,0\n";
/// let read = mmoc_io::read_predictions_from(table.as_bytes(), "predicted.csv", &labels)?;
/// assert!(read.prediction.labels.contains(0, 1));
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub fn read_predictions_from(
    stream: impl Read,
    name: &str,
    label_names: &[String],
) -> Result<ReadPrediction> {
    let form = Form::of_path(Path::new(name))?;
    read(Source::new(name, stream)?, form, label_names)
}

/// What predictions are written as.
#[derive(Clone, Copy)]
enum Form {
    Table(Format),
    JsonLines,
}

impl Form {
    fn of_path(path: &Path) -> Result<Self> {
        Ok(match Format::of_path(path)? {
            Format::JsonLines => Self::JsonLines,
            table => Self::Table(table),
        })
    }
}

fn read(source: Source<'_>, form: Form, label_names: &[String]) -> Result<ReadPrediction> {
    match form {
        Form::Table(format) => read_table(source, format, label_names),
        Form::JsonLines => Ok(ReadPrediction {
            prediction: json_lines::read(source, label_names)?,
            notes: Vec::new(),
        }),
    }
}

fn read_table(
    source: Source<'_>,
    format: Format,
    label_names: &[String],
) -> Result<ReadPrediction> {
    let options = StreamOptions {
        labels: WantedLabels::Required,
        ..StreamOptions::default()
    };
    let wanted = Wanted::labels(label_names, Owner::TestRows);
    let rows = RowStream::of_source(source, format, wanted, &options)?;
    let all = rows.into_all()?;
    Ok(ReadPrediction {
        prediction: Prediction {
            labels: all.batch.labels.expect("labels are wanted"),
            scores: None,
            probabilities: None,
            confidence: None,
        },
        notes: all.notes,
    })
}
