//! From files to a file of another format, without ever holding all rows: a first pass infers the schema and counts, a
//! second streams the rows to the writer.

use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::read::survey;
use super::write::{Outline, PutBatch, write_batches, write_batches_to_file};
use super::{
    Batch, Format, MissingLabels, ReadOptions, RowStream, Schema, StreamOptions, Unknown,
    WantedLabels, Warning,
};
use crate::{Error, Result};
use mmoc::text::excerpt;

/// About so many numbers are in memory at once.
const BATCH_CELLS: usize = 1 << 20;

/// Files whose columns, labels and sizes are known, and whose rows are read when they are written.
///
/// ```no_run
/// use mmoc_io::{Conversion, Format, labels};
///
/// let songs = Conversion::open(&["songs.csv"], &labels("mood_*"))?;
/// songs.write_file(Format::Parquet, "songs.parquet")?;
/// # Ok::<(), mmoc_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Conversion {
    paths: Vec<PathBuf>,
    options: ReadOptions,
    /// What the files hold.
    contents: Contents,
    /// What is written.
    written: Contents,
    /// The labels that are written, if they are not all.
    kept: Option<Vec<usize>>,
    without_empty_rows: bool,
    warnings: Vec<Warning>,
}

/// What rows hold, without the rows.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    /// What a data set of these rows is called.
    pub(crate) name: String,
    /// Its columns and labels.
    pub(crate) schema: Schema,
    /// Number of rows.
    pub(crate) rows: usize,
    /// For each column, whether it has a missing cell.
    pub(crate) missing: Vec<bool>,
    /// For each label, how many rows carry it.
    pub(crate) frequencies: Vec<usize>,
}

impl Conversion {
    /// Reads files that follow each other, as [`crate::read_files`] does, but keeps no rows.
    ///
    /// Fails if weights are to be read or missing labels to be left out, which no file that is written can say.
    pub fn open<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<Self> {
        check_no_marks(options)?;
        let (contents, warnings) = survey(paths, options)?;
        Ok(Self {
            paths: paths.iter().map(|path| path.as_ref().into()).collect(),
            options: options.clone(),
            written: contents.clone(),
            contents,
            kept: None,
            without_empty_rows: false,
            warnings,
        })
    }

    /// What the user should know about the files.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What is written.
    pub fn outline(&self) -> Outline<'_> {
        let written = &self.written;
        Outline {
            name: &written.name,
            schema: &written.schema,
            rows: written.rows,
            missing: written.missing.clone(),
            frequencies: written.frequencies.clone(),
        }
    }

    /// Writes only the `count` most frequent labels, in their old order; of equally frequent ones the first.
    pub fn keep_frequent_labels(mut self, count: usize) -> Result<Self> {
        let frequencies = &self.contents.frequencies;
        if count == 0 || count > frequencies.len() {
            let expected = format!("from 1 to {}", frequencies.len());
            let what = "the number of labels to keep";
            return Err(Error::request(what, expected, count.to_string()));
        }
        let mut kept: Vec<usize> = (0..frequencies.len()).collect();
        kept.sort_by_key(|&label| Reverse(frequencies[label]));
        kept.truncate(count);
        kept.sort_unstable();
        let schema = &self.contents.schema;
        let names = kept
            .iter()
            .map(|&label| schema.label_names()[label].clone());
        self.written.schema = schema.clone().with_labels(names.collect());
        self.written.frequencies = kept.iter().map(|&label| frequencies[label]).collect();
        self.kept = Some(kept);
        Ok(self)
    }

    /// Writes only the rows that carry a label that is written. They are counted, which reads the files once more.
    pub fn drop_empty_rows(mut self) -> Result<Self> {
        self.without_empty_rows = true;
        let (mut rows, mut missing) = (0, vec![false; self.written.missing.len()]);
        self.put_batches(&mut |features, labels| {
            rows += labels.rows();
            features.for_each_stored(|_, column, value| missing[column] |= value.is_nan());
            Ok(())
        })?;
        (self.written.rows, self.written.missing) = (rows, missing);
        Ok(self)
    }

    /// Writes the rows to a stream, as [`write_batches`] does.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> Result<()> {
        write_batches(&self.outline(), format, out, |put| self.put_batches(put))
    }

    /// Writes the rows to a file, as [`write_batches_to_file`] does.
    pub fn write_file(&self, format: Format, path: impl AsRef<Path>) -> Result<()> {
        write_batches_to_file(&self.outline(), format, path, |put| self.put_batches(put))
    }

    fn put_batches(&self, put: &mut PutBatch<'_>) -> Result<()> {
        let schema = &self.contents.schema;
        let cells = schema.columns() + schema.label_names().len();
        let options = StreamOptions {
            format: self.options.format,
            missing: self.options.missing,
            times: self.options.times,
            labels: WantedLabels::Required,
            tags: self.options.labels.tags().cloned(),
            unknown: Unknown::Refuse,
            id: None,
            batch_rows: (BATCH_CELLS / cells).max(1),
            ..StreamOptions::default()
        };
        let mut rows = RowStream::open(&self.paths, schema, &options)?;
        while let Some(batch) = rows.next_batch()? {
            let written = self.put_batch(batch, put);
            written.map_err(|source| Error::io(&self.written.name, source))?;
        }
        Ok(())
    }

    fn put_batch(&self, batch: Batch, put: &mut PutBatch<'_>) -> std::io::Result<()> {
        let mut labels = batch.labels.expect("labels are required");
        if let Some(kept) = &self.kept {
            labels = labels.select_labels(kept);
        }
        if !self.without_empty_rows {
            return put(batch.features.view(), &labels);
        }
        let rows = (0..labels.rows()).filter(|&row| !labels.row(row).is_empty());
        let rows: Vec<usize> = rows.collect();
        let features = batch.features.view().select_rows(&rows);
        put(features.view(), &labels.select_rows(&rows))
    }
}

/// Files that are written have neither weights nor missing labels.
fn check_no_marks(options: &ReadOptions) -> Result<()> {
    if let Some(column) = &options.weight {
        let (what, expected) = (
            "the column of weights",
            "left out, so that it is converted as the other columns are",
        );
        return Err(Error::request(what, expected, excerpt(column)));
    }
    if options.missing_labels == MissingLabels::Ignore {
        let (what, expected) = ("the treatment of missing labels", "refuse for a conversion");
        return Err(Error::request(what, expected, "ignore"));
    }
    Ok(())
}
