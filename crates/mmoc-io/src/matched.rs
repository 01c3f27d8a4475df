//! From files to a data set with the columns and labels of another one.

use std::path::Path;

use super::format::dataset_name;
use super::note::ColumnNote;
use super::read::first_path;
use super::stream::{AllRows, Batch, RowStream, StreamOptions, WantedLabels};
use super::wanted::{Owner, Wanted};
use super::{Dataset, ReadOptions, Schema};
use crate::Result;

/// A data set as it was matched.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The data set.
    pub dataset: Dataset,
    /// The rows of its files that were left out, counted from zero.
    pub left_out: Vec<usize>,
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
        missing_labels: options.missing_labels,
        weight: options.weight.clone(),
        times: options.times,
        labels: WantedLabels::Required,
        tags: options.labels.tags().cloned(),
        unknown: options.unknown,
        ..StreamOptions::default()
    };
    let wanted = Wanted::of(schema, Owner::TrainingRows);
    let rows = RowStream::open_for(paths, wanted, &options)?;
    let AllRows {
        batch,
        notes,
        left_out,
    } = rows.into_all()?;
    Ok(Matched {
        dataset: dataset_of(batch, name, schema)?,
        left_out,
        notes,
    })
}

/// The rows of a batch with labels as a data set.
fn dataset_of(batch: Batch, name: String, schema: &Schema) -> Result<Dataset> {
    let mut dataset = Dataset::from_attributes(
        name,
        batch.features,
        batch.labels.expect("labels are wanted"),
        schema.attributes().to_vec(),
        schema.label_names().to_vec(),
    )?;
    if let Some(weights) = batch.weights {
        dataset = dataset.with_weights(weights)?;
    }
    if let Some(unknown) = batch.unknown {
        dataset = dataset.with_unknown(unknown)?;
    }
    Ok(dataset)
}
