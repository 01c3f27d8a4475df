//! From files to a data set with the columns and labels of another one.

use std::path::Path;

use super::format::dataset_name;
use super::note::ColumnNote;
use super::read::first_path;
use super::stream::{RowStream, StreamOptions, WantedLabels};
use super::wanted::{Owner, Wanted};
use super::{Dataset, ReadOptions, Schema};
use crate::Result;

/// A data set as it was matched.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The data set.
    pub dataset: Dataset,
    /// What the user should know about the columns of its files.
    pub notes: Vec<ColumnNote>,
}

/// Reads rows to test on: files that follow each other, matched to the schema of the rows that are trained on.
///
/// Columns are found as [`RowStream`] finds them, and all labels must be there. The schema says which columns are
/// labels; the options say the rest.
///
/// ```no_run
/// use mmoc_io::{ReadOptions, read, read_matched};
///
/// let options = ReadOptions::default();
/// let train = read("scene-train.arff", &options)?;
/// let test = read_matched(&["scene-test.arff"], &train.schema(), &options)?.dataset;
/// assert_eq!(test.feature_names(), train.feature_names());
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub fn read_matched<P: AsRef<Path>>(
    paths: &[P],
    schema: &Schema,
    options: &ReadOptions,
) -> Result<Matched> {
    let name = dataset_name(first_path(paths)?);
    let options = StreamOptions {
        format: options.format,
        missing: options.missing,
        times: options.times,
        labels: WantedLabels::Required,
        tags: options.labels.tags().cloned(),
        unknown: options.unknown,
        ..StreamOptions::default()
    };
    let wanted = Wanted::of(schema, Owner::TrainingRows);
    let rows = RowStream::open_for(paths, wanted, &options)?;
    let (features, labels, notes) = rows.into_all()?;
    let dataset = Dataset::from_attributes(
        name,
        features,
        labels,
        schema.attributes().to_vec(),
        schema.label_names().to_vec(),
    )?;
    Ok(Matched { dataset, notes })
}
