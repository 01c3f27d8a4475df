//! The rows of files in batches, matched to what a model knows.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::marks::LeftOut;
use super::matching::Matcher;
use super::note::ColumnNote;
use super::open::{Fill, Purpose, open};
use super::read::{common_format, first_path};
use super::row_id::RowId;
use super::rows::Rows;
use super::seen::Seen;
use super::source::Source;
use super::wanted::{Owner, Wanted};
use super::{Features, Format, Labels, MissingCells, MissingLabels, Schema, Tags, Targets, Times};
use crate::{Error, Result};

/// How rows are read for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamOptions {
    /// The format of the files; by default their names tell.
    pub format: Option<Format>,
    /// What happens to missing cells, and to features that a file lacks.
    pub missing: MissingCells,
    /// What happens to missing labels, where labels are wanted.
    pub missing_labels: MissingLabels,
    /// What happens to dates and times.
    pub times: Times,
    /// What happens to labels.
    pub labels: WantedLabels,
    /// The column of tags that are the labels, where they are not columns of their own.
    pub tags: Option<Tags>,
    /// What happens to words that are not among the values of their feature.
    pub unknown: Unknown,
    /// The column of what rows are called, if that is wanted.
    pub id: Option<String>,
    /// The column of the weights of rows, if these are wanted. Rows of weight 0 are left out.
    pub weight: Option<String>,
    /// Number of rows in a batch, at least one.
    pub batch_rows: usize,
    /// When a batch ends that could have more rows.
    pub pace: Pace,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            format: None,
            missing: MissingCells::default(),
            missing_labels: MissingLabels::default(),
            times: Times::default(),
            labels: WantedLabels::default(),
            tags: None,
            unknown: Unknown::default(),
            id: None,
            weight: None,
            batch_rows: 1024,
            pace: Pace::default(),
        }
    }
}

impl StreamOptions {
    /// The columns that are named.
    pub(crate) fn columns_by_name(&self) -> impl Iterator<Item = &str> {
        let tags = self.tags.as_ref().map(|tags| &tags.column);
        let named = [self.id.as_ref(), self.weight.as_ref(), tags];
        named.into_iter().flatten().map(String::as_str)
    }

    /// Whether labels are wanted, and each is a column.
    pub(crate) fn are_columns_labels(&self) -> bool {
        self.labels == WantedLabels::Required && self.tags.is_none()
    }
}

/// When a batch ends that could have more rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Pace {
    /// At the end of the last file only.
    #[default]
    Full,
    /// Where the next row would have to be waited for: a batch has the rows that have come, at least one. Formats whose
    /// rows are not lines ([`Format::has_lines`]) have full batches still.
    Available,
}

/// What happens to the labels of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WantedLabels {
    /// They are not read, and need not be there.
    #[default]
    Ignored,
    /// All labels of the schema must be there.
    Required,
}

/// What happens to words that are not among the values of their feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unknown {
    /// The row has none of the known values, and a note says so.
    #[default]
    Ignore,
    /// They are errors.
    Refuse,
}

impl FromStr for Unknown {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "ignore" => Ok(Self::Ignore),
            "refuse" => Ok(Self::Refuse),
            _ => Err(Error::request(
                "the treatment of unknown words",
                "ignore or refuse",
                format!("'{text}'"),
            )),
        }
    }
}

/// Some rows of the files.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The columns of the schema, dense or sparse as the schema says.
    pub features: Features,
    /// The labels of the schema, if they are wanted.
    pub labels: Option<Labels>,
    /// What the rows are called, if that is wanted.
    pub ids: Option<Vec<RowId>>,
    /// The weights of the rows, if these are wanted.
    pub weights: Option<Vec<f64>>,
    /// The labels of the rows that are not known, if there are any.
    pub unknown: Option<Labels>,
}

impl Batch {
    /// The labels, if they are wanted, with the weights of rows and the labels that are not known.
    pub fn targets(&self) -> Result<Option<Targets<'_>>> {
        let Some(labels) = &self.labels else {
            return Ok(None);
        };
        let targets = Targets::new(labels).with_weights(self.weights.as_deref())?;
        Ok(Some(targets.with_unknown(self.unknown.as_ref())?))
    }
}

/// The rows of all files.
pub(crate) struct AllRows {
    /// The rows, with their labels.
    pub(crate) batch: Batch,
    /// What is to be said about the columns.
    pub(crate) notes: Vec<ColumnNote>,
    /// The rows that were left out, counted from zero.
    pub(crate) left_out: Vec<usize>,
}

/// Reads the rows of one file, or of several that follow each other, in batches.
///
/// Columns are found by name in formats that have names, and by position in those that have none. All
/// files have one format. Every batch has as many rows as it may have, save the last, wherever one
/// file ends and the next begins, unless [`Pace::Available`] is asked for. In memory there are one batch
/// and about a megabyte of text, or one row of text if that is longer. Files without rows are an error
/// if labels are required, and otherwise have no batch.
///
/// ```
/// use mmoc::data::{Attribute, Features, Matrix, Schema};
/// use mmoc_io::{Format, RowStream, StreamOptions};
///
/// let features = vec![Attribute::numeric("height"), Attribute::numeric("wings")];
/// let schema = Schema::new(features, vec!["bird".into()], false)?;
/// let options = StreamOptions {
///     format: Some(Format::Csv),
///     ..StreamOptions::default()
/// };
/// let table = "wings,name,height\n2,robin,0.2\n0,cat,0.4\n";
/// let mut rows = RowStream::from_reader(table.as_bytes(), "standard input", &schema, &options)?;
/// let notes: Vec<String> = rows.notes().iter().map(ToString::to_string).collect();
/// assert_eq!(
///     notes,
///     ["standard input: the column 'name' is not used, because the model does not know it"]
/// );
/// let batch = rows.next_batch()?.expect("two rows");
/// let expected = Matrix::new(2, 2, vec![0.2, 2.0, 0.4, 0.0])?;
/// assert_eq!(batch.features, Features::Dense(expected));
/// assert!(rows.next_batch()?.is_none());
/// # Ok::<(), mmoc_io::Error>(())
/// ```
pub struct RowStream<'a> {
    matcher: Matcher<'a>,
    format: Format,
    batch_rows: usize,
    pace: Pace,
    /// The file that is being read, unless all are read or one failed.
    present: Option<Box<dyn Fill + 'a>>,
    /// The files that follow, the next one last.
    waiting: Vec<PathBuf>,
    /// The first file, as the user named it.
    first_file: String,
    /// Rows that batches have had so far, and those that were left out.
    kept: usize,
    left_out: LeftOut,
    /// What was seen in the cells of all rows so far.
    seen: Seen,
    notes: Vec<ColumnNote>,
    /// The notes that were asked for.
    said: Vec<ColumnNote>,
}

impl<'a> RowStream<'a> {
    /// Opens the first of some files, to read them all.
    pub fn open<P: AsRef<Path>>(
        paths: &[P],
        schema: &'a Schema,
        options: &StreamOptions,
    ) -> Result<Self> {
        Self::open_for(paths, Wanted::of(schema, Owner::Model), options)
    }

    /// Opens the first of some files, to read them all as they are wanted.
    pub(crate) fn open_for<P: AsRef<Path>>(
        paths: &[P],
        wanted: Wanted<'a>,
        options: &StreamOptions,
    ) -> Result<Self> {
        let first = first_path(paths)?;
        let format = common_format(paths, options.format)?;
        let mut stream = Self::new(wanted, format, options)?;
        let rest = paths[1..].iter().rev();
        stream.waiting = rest.map(|path| path.as_ref().to_owned()).collect();
        stream.begin(Source::open(first)?)?;
        Ok(stream)
    }

    /// Reads from a stream that messages call `name`; compressed streams are recognised.
    pub fn from_reader(
        stream: impl Read + 'a,
        name: &str,
        schema: &'a Schema,
        options: &StreamOptions,
    ) -> Result<Self> {
        let format = common_format(&[name], options.format)?;
        let wanted = Wanted::of(schema, Owner::Model);
        Self::of_source(Source::new(name, stream)?, format, wanted, options)
    }

    /// Reads from one source what is wanted of it.
    pub(crate) fn of_source(
        source: Source<'a>,
        format: Format,
        wanted: Wanted<'a>,
        options: &StreamOptions,
    ) -> Result<Self> {
        let mut rows = Self::new(wanted, format, options)?;
        rows.begin(source)?;
        Ok(rows)
    }

    fn new(wanted: Wanted<'a>, format: Format, options: &StreamOptions) -> Result<Self> {
        if options.batch_rows == 0 {
            return Err(Error::request(
                "the number of rows in a batch",
                "at least 1",
                "0",
            ));
        }
        Ok(Self {
            matcher: Matcher {
                wanted,
                options: options.clone(),
            },
            format,
            batch_rows: options.batch_rows,
            pace: options.pace,
            present: None,
            waiting: Vec::new(),
            first_file: String::new(),
            kept: 0,
            left_out: LeftOut::default(),
            seen: Seen::default(),
            notes: Vec::new(),
            said: Vec::new(),
        })
    }

    /// The next rows, or `None` after the last.
    ///
    /// After an error there are no more.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let batch = self.fill_batch();
        if batch.is_err() {
            self.present = None;
            self.waiting.clear();
        }
        batch
    }

    /// All rows at once.
    pub(crate) fn into_all(mut self) -> Result<AllRows> {
        self.batch_rows = usize::MAX;
        let batch = self.next_batch()?;
        let batch = batch.ok_or_else(|| Error::request("the number of rows", "at least 1", "0"))?;
        Ok(AllRows {
            batch,
            notes: self.notes(),
            left_out: self.left_out.rows,
        })
    }

    /// What is to be said about the columns of the files opened so far: what was not given before,
    /// and of what several files have in common only the first.
    pub fn notes(&mut self) -> Vec<ColumnNote> {
        let new = std::mem::take(&mut self.notes);
        self.said.extend_from_slice(&new);
        new
    }

    fn fill_batch(&mut self) -> Result<Option<Batch>> {
        let mut rows = self.matcher.empty_rows();
        while !self.is_done(rows.count()) {
            let Some(present) = &mut self.present else {
                let Some(path) = self.waiting.pop() else {
                    break;
                };
                self.begin(Source::open(&path)?)?;
                continue;
            };
            let wanted = self.batch_rows - rows.count();
            if present.fill(&mut rows, wanted, self.pace)? {
                if self.matcher.options.labels == WantedLabels::Required {
                    present.check_rows()?;
                }
                self.present = None;
            }
        }
        self.take_left_out(&mut rows)?;
        self.seen.add(rows.seen());
        if self.is_at_end() {
            self.note_seen();
        }
        if rows.count() == 0 {
            return Ok(None);
        }
        let ids = rows.take_ids();
        let wanted = self.matcher.wanted;
        let count = rows.count();
        let weights = rows.marks().take_weights();
        let unknown = rows.marks().take_unknown(count, wanted.label_names.len());
        let (features, labels) = rows.finish_as_is(wanted.columns(), wanted.label_names.len())?;
        let with_labels = self.matcher.options.labels == WantedLabels::Required;
        Ok(Some(Batch {
            features,
            labels: with_labels.then_some(labels),
            ids,
            weights,
            unknown,
        }))
    }

    /// Counts the rows that were left out, and says how many they are after the last of all.
    fn take_left_out(&mut self, rows: &mut Rows) -> Result<()> {
        let left_out = std::mem::take(&mut rows.marks().left_out);
        self.left_out.append(&left_out, self.kept);
        self.kept += rows.count();
        if self.is_at_end() {
            self.left_out.check_not_all(self.kept, &self.first_file)?;
            for (rows, reason) in self.left_out.reasons() {
                self.add_note(ColumnNote::LeftOut { rows, reason });
            }
        }
        Ok(())
    }

    /// Whether all rows were read.
    fn is_at_end(&self) -> bool {
        self.present.is_none() && self.waiting.is_empty()
    }

    /// Whether a batch of so many rows gets no more.
    fn is_done(&self, rows: usize) -> bool {
        match self.pace {
            Pace::Full => rows == self.batch_rows,
            Pace::Available => rows > 0,
        }
    }

    /// Adds what is to be said about the cells of all rows.
    fn note_seen(&mut self) {
        let notes = ColumnNote::of_cells(&self.seen, self.matcher.wanted.attributes);
        notes.into_iter().for_each(|note| self.add_note(note));
    }

    fn add_note(&mut self, note: ColumnNote) {
        let mut others = self.said.iter().chain(&self.notes);
        if !others.any(|other| other.says_the_same(&note)) {
            self.notes.push(note);
        }
    }

    fn begin(&mut self, source: Source<'a>) -> Result<()> {
        if self.first_file.is_empty() {
            self.first_file.clone_from(&source.name);
        }
        let opened = open(
            source,
            self.format,
            &mut Purpose::Match(self.matcher.clone()),
        )?;
        self.present = Some(opened.rows);
        opened
            .notes
            .into_iter()
            .for_each(|note| self.add_note(note));
        Ok(())
    }
}
