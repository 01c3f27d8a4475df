//! A table in memory, such as a data frame: its words become numbers as those of files do.

use std::borrow::Cow;

use super::columns::{CellKind, FileColumn, FileHeader};
use super::error::error_at;
use super::inference::Inference;
use super::label_source::ChosenLabels;
use super::matching::Matcher;
use super::note::ColumnNote;
use super::open::Fill;
use super::rows::Rows;
use super::sink::{Sink, TypedCell};
use super::stream::{Pace, StreamOptions, Unknown};
use super::wanted::{Owner, Wanted};
use super::{Attribute, Features, MissingCells, ReadOptions, Schema};
use crate::error::PlaceInFile;
use crate::{Error, Result, TextPlace};
use mmoc::text::excerpt;

/// Columns of numbers and of words, all of the same length.
///
/// ```
/// use mmoc_io::{MemoryColumn, MemoryTable};
///
/// let height = MemoryColumn::Numbers(vec![1.7, 1.8].into());
/// let colour = MemoryColumn::Words(vec![Some("red".into()), None]);
/// let table = MemoryTable::new("X", vec![("height".into(), height), ("colour".into(), colour)])?;
/// let (features, attributes) = table.infer()?;
/// assert_eq!(attributes[1].values(), Some(&["red".to_owned()][..]));
/// # Ok::<(), mmoc_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MemoryTable<'a> {
    name: String,
    columns: Vec<(String, MemoryColumn<'a>)>,
    rows: usize,
}

/// The cells of a column.
#[derive(Debug, Clone)]
pub enum MemoryColumn<'a> {
    /// Numbers; NaN is a missing cell.
    Numbers(Cow<'a, [f64]>),
    /// Words, or nothing where the cell is missing.
    Words(Vec<Option<Cow<'a, str>>>),
}

impl MemoryColumn<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(cells) => cells.len(),
            Self::Words(cells) => cells.len(),
        }
    }

    fn kind(&self) -> CellKind {
        match self {
            Self::Numbers(_) => CellKind::Numbers,
            Self::Words(_) => CellKind::Words,
        }
    }

    fn cell(&self, row: usize) -> TypedCell<'_> {
        match self {
            Self::Numbers(cells) => TypedCell::Number(cells[row]),
            Self::Words(cells) => {
                let word = cells[row].as_deref();
                word.map_or(TypedCell::Missing, TypedCell::Word)
            }
        }
    }
}

impl<'a> MemoryTable<'a> {
    /// A table that messages call `name`.
    ///
    /// Fails unless there is a column, all have the same length, and no two the same name.
    pub fn new(name: &str, columns: Vec<(String, MemoryColumn<'a>)>) -> Result<Self> {
        let Some(rows) = columns.first().map(|(_, column)| column.len()) else {
            return Err(Error::request("the number of columns", "at least 1", "0"));
        };
        if let Some((_, other)) = columns.iter().find(|(_, column)| column.len() != rows) {
            let (expected, found) = (rows.to_string(), other.len().to_string());
            return Err(Error::request("the length of all columns", expected, found));
        }
        let table = Self {
            name: name.to_owned(),
            columns,
            rows,
        };
        let mut names: Vec<&String> = table.columns.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(table),
            Some(pair) => Err(table.header().error(
                "a different name for each column",
                format!("{} twice", excerpt(pair[0])),
            )),
        }
    }

    /// The features that the columns are, and their numbers. Missing cells are NaN.
    pub fn infer(&self) -> Result<(Features, Vec<Attribute>)> {
        let options = ReadOptions::default().missing(MissingCells::Mean);
        let mut inference = Inference::new(&options, true);
        let no_labels = ChosenLabels::undeclared(vec![false; self.columns.len()]);
        let sink = inference.sink(self.header(), &no_labels)?;
        inference.take(&mut MemoryRows::new(self, sink))?;
        inference.finish_features()
    }

    /// The numbers of a schema's features, found by name, and what the user should know about the columns.
    pub fn matched(
        &self,
        schema: &Schema,
        unknown: Unknown,
    ) -> Result<(Features, Vec<ColumnNote>)> {
        let options = StreamOptions {
            missing: MissingCells::Mean,
            unknown,
            ..StreamOptions::default()
        };
        let matcher = Matcher {
            wanted: Wanted::of(schema, Owner::Model),
            options,
        };
        let (sink, mut notes) = matcher.sink(self.header())?;
        let mut rows = matcher.empty_rows();
        MemoryRows::new(self, sink).fill(&mut rows, self.rows, Pace::Full)?;
        notes.extend(ColumnNote::of_cells(rows.seen(), schema.attributes()));
        let (features, _) = rows.finish_as_is(schema.columns(), schema.label_names().len())?;
        Ok((features, notes))
    }

    fn header(&self) -> FileHeader {
        let columns = self.columns.iter();
        FileHeader {
            file: self.name.clone(),
            place: None,
            end: None,
            columns: columns
                .map(|(name, column)| FileColumn::new(name.as_str(), None, column.kind()))
                .collect(),
            sparse: false,
        }
    }
}

/// The rows of a table, from one on.
struct MemoryRows<'t> {
    table: &'t MemoryTable<'t>,
    sink: Sink<'t>,
    next: usize,
}

impl<'t> MemoryRows<'t> {
    fn new(table: &'t MemoryTable<'t>, sink: Sink<'t>) -> Self {
        let next = 0;
        Self { table, sink, next }
    }
}

impl Fill for MemoryRows<'_> {
    fn fill(&mut self, rows: &mut Rows, most: usize, _: Pace) -> Result<bool> {
        let end = self.table.rows.min(self.next.saturating_add(most));
        for row in self.next..end {
            for (index, (name, column)) in self.table.columns.iter().enumerate() {
                let put = self.sink.put_typed(index, column.cell(row), rows);
                put.map_err(|(expected, found)| {
                    let place = PlaceInFile::Table {
                        column: Some(excerpt(name)),
                        row: Some(row + 1),
                    };
                    expected.but_found(found, &self.table.name, place)
                })?;
            }
            self.sink.end_row(rows);
        }
        self.next = end;
        Ok(end == self.table.rows)
    }

    fn check_rows(&self) -> Result<()> {
        match self.table.rows {
            0 => Err(error_at(None, &self.table.name, "at least one row", "none")),
            _ => Ok(()),
        }
    }

    fn taken(&self) -> (usize, Option<TextPlace>) {
        (0, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    fn words(words: &[&str]) -> MemoryColumn<'static> {
        let word = |word: &&str| (!word.is_empty()).then(|| Cow::Owned((*word).to_owned()));
        MemoryColumn::Words(words.iter().map(word).collect())
    }

    fn table(colours: &[&str], sizes: &[f64]) -> MemoryTable<'static> {
        let sizes = MemoryColumn::Numbers(sizes.to_vec().into());
        let columns = vec![("colour".into(), words(colours)), ("size".into(), sizes)];
        MemoryTable::new("X", columns).unwrap()
    }

    #[test]
    fn words_become_the_columns_that_they_become_in_files() {
        let table = table(&["red", "", "blue", "green"], &[1.0, 2.0, f64::NAN, 4.0]);
        let (features, attributes) = table.infer().unwrap();
        let csv = "colour,size,l\nred,1,0\n,2,0\nblue,,1\ngreen,4,0\n";
        let options = crate::labels("l").missing(MissingCells::Mean);
        let options = options.format(crate::Format::Csv);
        let read = crate::read_from(csv.as_bytes(), "f", &options).unwrap();
        let (Features::Dense(found), Features::Dense(expected)) =
            (&features, read.dataset.features())
        else {
            panic!("both are dense");
        };
        let bits = |matrix: &Matrix| -> Vec<u64> {
            let cells = (0..4).flat_map(|row| (0..4).map(move |column| (row, column)));
            cells.map(|cell| matrix[cell].to_bits()).collect()
        };
        assert_eq!(bits(found), bits(expected));
        assert_eq!(attributes, read.dataset.schema().attributes());
    }

    #[test]
    fn known_columns_are_found_by_name_and_unknown_words_noted() {
        let (_, attributes) = table(&["red", "blue", "green"], &[1.0, 2.0, 3.0])
            .infer()
            .unwrap();
        let schema = Schema::new(attributes, vec!["l".into()], false).unwrap();
        let (features, notes) = table(&["green", "mauve"], &[5.0, 6.0])
            .matched(&schema, Unknown::Ignore)
            .unwrap();
        let expected = Matrix::new(2, 4, vec![0.0, 1.0, 0.0, 5.0, 0.0, 0.0, 0.0, 6.0]).unwrap();
        assert_eq!(features, Features::Dense(expected));
        assert_eq!(notes.len(), 1);
        let refused = table(&["mauve"], &[5.0]).matched(&schema, Unknown::Refuse);
        let message = refused.unwrap_err().to_string();
        let expected = "X: row 1 of 'colour': expected a value of 'colour' {'blue', 'green', 'red'}, found 'mauve'";
        assert_eq!(message, expected);
    }

    #[test]
    fn columns_must_fit_together() {
        let one = || MemoryColumn::Numbers(vec![1.0].into());
        let two = MemoryColumn::Numbers(vec![1.0, 2.0].into());
        let message = |columns| MemoryTable::new("X", columns).unwrap_err().to_string();
        assert_eq!(
            message(vec![]),
            "the number of columns must be at least 1, not 0"
        );
        let lengths = vec![("a".into(), one()), ("b".into(), two)];
        assert_eq!(
            message(lengths),
            "the length of all columns must be 1, not 2"
        );
        let names = vec![("a".into(), one()), ("a".into(), one())];
        assert_eq!(
            message(names),
            "X: expected a different name for each column, found 'a' twice"
        );
    }
}
