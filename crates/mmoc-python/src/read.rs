//! Reading data files, and tables in memory as if they were files.

use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use arrow_ipc::writer::StreamWriter;
use mmoc::data::Dataset;
use mmoc_io::{
    ColumnNames, Format, LabelSource, LeftOutReason, Loaded, MissingCells, MissingLabels,
    ReadOptions, Tags, Times, Warning, read_files, read_from,
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{Pattern, features, pattern, vector};
use crate::failure::{exception, file_exception, invalid};
use crate::job;
use crate::stream::batches;
use crate::tag_lists::TagLists;

type Read<'py> = (
    Bound<'py, PyAny>,
    Pattern<'py>,
    Option<Pattern<'py>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Vec<String>,
    Vec<String>,
    String,
    Vec<String>,
);

/// What tables in memory are called in messages.
const TABLE: &str = "table";

/// What is read.
enum Origin {
    Files(Vec<PathBuf>),
    /// An Arrow stream.
    Table(Vec<u8>),
}

impl Origin {
    /// A list of paths, or a table with an Arrow stream, whose column of tags may have lists.
    fn new(py: Python<'_>, origin: &Bound<'_, PyAny>, tags: Option<&Tags>) -> PyResult<Self> {
        if !origin.hasattr("__arrow_c_stream__")? {
            return Ok(Self::Files(origin.extract()?));
        }
        let reader = batches(origin)?;
        // A stream may be computed by Python code on other threads.
        let written = py.detach(|| {
            let lists = tags.and_then(|tags| TagLists::of(&reader.schema(), tags));
            let schema = lists.as_ref().map_or(reader.schema(), TagLists::schema);
            let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
            for batch in reader {
                match &lists {
                    Some(lists) => writer.write(&lists.joined(&batch?)?)?,
                    None => writer.write(&batch?)?,
                }
            }
            writer.into_inner()
        });
        let written =
            written.map_err(|error| invalid(format!("the table cannot be read: {error}")));
        Ok(Self::Table(written?))
    }

    fn read(&self, options: &ReadOptions) -> mmoc_io::Result<Loaded> {
        match self {
            Self::Files(paths) => read_files(paths, options),
            Self::Table(bytes) => {
                let options = ReadOptions {
                    format: Some(Format::Arrow),
                    ..options.clone()
                };
                read_from(bytes.as_slice(), TABLE, &options)
            }
        }
    }
}

/// Keeps the most frequent labels, if so many are asked for, and leaves rows out of which none of these is known.
fn with_top_labels(mut loaded: Loaded, count: Option<usize>) -> mmoc::Result<Loaded> {
    let Some(count) = count else {
        return Ok(loaded);
    };
    let dataset = loaded.dataset.keep_frequent_labels(count)?;
    let is_known = |&row: &usize| {
        let unknown = dataset.unknown();
        unknown.is_none_or(|unknown| unknown.row(row).len() < count)
    };
    let kept: Vec<usize> = (0..dataset.rows()).filter(is_known).collect();
    let rows = dataset.rows() - kept.len();
    if rows > 0 {
        let reason = LeftOutReason::NoKnownLabel;
        loaded.warnings.push(Warning::LeftOut { rows, reason });
    }
    loaded.dataset = dataset.select_rows(&kept)?;
    Ok(loaded)
}

/// The rows with a label.
fn without_empty_rows(dataset: &Dataset) -> PyResult<Dataset> {
    if dataset.labels().total() == 0 {
        return Err(invalid("drop_empty_rows leaves no row: none has a label"));
    }
    dataset.drop_empty_rows().map_err(exception)
}

/// Reads files, given by their paths, or a table with an Arrow stream. Returns features, label sets, the labels that are
/// not known if there are any, the weights of the rows if they have any, column names, label names, the name of the data
/// set, and warnings.
#[pyfunction]
#[pyo3(signature = (
    origin, *, labels, label_names, tags, ignore, id, weight, labels_as_features, format, missing, missing_labels, times,
    top_labels, drop_empty_rows, threads
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn read<'py>(
    py: Python<'py>,
    origin: &Bound<'py, PyAny>,
    labels: Option<&str>,
    label_names: Option<Vec<String>>,
    tags: Option<(String, String)>,
    ignore: Vec<String>,
    id: Option<String>,
    weight: Option<String>,
    labels_as_features: bool,
    format: Option<&str>,
    missing: &str,
    missing_labels: &str,
    times: &str,
    top_labels: Option<usize>,
    drop_empty_rows: bool,
    threads: usize,
) -> PyResult<Read<'py>> {
    let tags = tags.map(|(column, separator)| Tags { column, separator });
    let origin = Origin::new(py, origin, tags.as_ref())?;
    let labels = match (labels, label_names, tags) {
        (.., Some(tags)) => LabelSource::Tags(tags),
        (_, Some(names), None) => LabelSource::Names(names),
        (Some(text), None, None) => text.parse().map_err(file_exception)?,
        (None, None, None) => LabelSource::Auto,
    };
    let options = ReadOptions {
        labels,
        ignore: ColumnNames::new(ignore),
        id,
        weight,
        labels_as_features,
        missing: missing.parse::<MissingCells>().map_err(file_exception)?,
        missing_labels: missing_labels
            .parse::<MissingLabels>()
            .map_err(file_exception)?,
        format: format
            .map(str::parse::<Format>)
            .transpose()
            .map_err(file_exception)?,
        times: times.parse::<Times>().map_err(file_exception)?,
        ..ReadOptions::default()
    };
    let loaded = job::run(py, threads, move || Ok(origin.read(&options)))?;
    let loaded = loaded.map_err(file_exception)?;
    let mut loaded = with_top_labels(loaded, top_labels).map_err(exception)?;
    if drop_empty_rows {
        loaded.dataset = without_empty_rows(&loaded.dataset)?;
    }
    let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
    let name = loaded.dataset.name().to_owned();
    let unknown = loaded.dataset.unknown().cloned();
    let weights = loaded.dataset.weights().map(|own| vector(py, own));
    let (x, y, schema) = loaded.dataset.into_parts();
    Ok((
        features(py, x)?,
        pattern(py, y),
        unknown.map(|cells| pattern(py, cells)),
        weights,
        schema.feature_names().to_vec(),
        schema.label_names().to_vec(),
        name,
        warnings,
    ))
}
