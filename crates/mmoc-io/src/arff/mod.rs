//! ARFF, the attribute-relation files of Weka, as Mulan and MEKA use them for several labels.
//!
//! - Rows are dense (`1,0,?`) or sparse (`{0 1, 2 ?}`), also in turns; features are sparse if the
//!   first row is. A cell that a sparse row leaves out is zero or the *first* value of a list.
//! - Lists of values become columns as [`super::Attribute`] says.
//! - Labels are numeric with values 0 and 1, or one of `{0,1}`.
//! - Names in quotes may hold escapes; without quotes a backslash is a character.
//! - Strings, dates, relational attributes and weights of rows are refused.

mod header;
mod labels;
mod rows;
mod schema;
mod stream;
mod tokens;

use std::sync::Arc;

use super::Dataset;
use super::growth::too_many;
use super::lines::Lines;
use super::read::{Collect, ReadOptions, Warning};
use super::rows::Rows;
use super::source::Source;
use crate::Result;
use header::Header;
use rows::{RowGrammar, is_sparse};
use schema::ArffColumns;
pub(super) use stream::open;

/// Collects ARFF files that have the same attributes.
pub(super) struct ArffCollector<'o> {
    options: &'o ReadOptions,
    schema: Option<ArffColumns>,
    rows: Option<Rows>,
    /// Bytes of all rows.
    bytes: usize,
}

impl<'o> ArffCollector<'o> {
    /// No file read yet.
    pub(super) fn new(options: &'o ReadOptions) -> Self {
        Self {
            options,
            schema: None,
            rows: None,
            bytes: 0,
        }
    }

    /// The schema of a file, which is that of the files before.
    fn read_schema(
        &mut self,
        lines: &mut Lines<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<ArffColumns> {
        let header = Header::read(lines)?;
        let chosen = labels::choose(&header, lines.source(), &self.options.labels, warnings)?;
        match self.schema.take() {
            None => ArffColumns::new(lines.file(), header, &chosen),
            Some(schema) => {
                schema.check_same(lines.file(), &header, &chosen)?;
                Ok(schema)
            }
        }
    }

    /// Reads the rows of a file; how many they are.
    fn read_rows(&mut self, lines: &mut Lines<'_>, schema: &ArffColumns) -> Result<usize> {
        let before = self.rows.as_ref().map_or(0, Rows::count);
        let grammar = RowGrammar::new(
            Arc::clone(&schema.attributes),
            schema.meaning(self.options.missing),
        );
        while let Some(line) = lines.next_line()? {
            let Some(sparse) = is_sparse(line) else {
                continue;
            };
            let rows = self.rows.get_or_insert_with(|| {
                if sparse {
                    Rows::sparse()
                } else {
                    Rows::dense(schema.schema().columns())
                }
            });
            let row = rows.count() - before + 1;
            grammar.read(line, row, rows)?;
            self.bytes += line.text.len() + line.ending.len();
            if let Some(expected) = too_many(rows.stored(), self.bytes) {
                return Err(line.error(0, expected, rows.stored().to_string()));
            }
        }
        Ok(self.rows.as_ref().map_or(0, Rows::count) - before)
    }
}

impl Collect for ArffCollector<'_> {
    fn read(&mut self, source: Source<'_>, warnings: &mut Vec<Warning>) -> Result<()> {
        let mut lines = Lines::new(source);
        let schema = self.read_schema(&mut lines, warnings)?;
        let count = self.read_rows(&mut lines, &schema)?;
        self.schema = Some(schema);
        match count {
            0 => Err(lines.error_at_end("at least one row")),
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>, name: String) -> Result<Dataset> {
        let (schema, rows) = self.schema.zip(self.rows).expect("a file was read");
        let schema = schema.schema();
        let label_names = schema.label_names().to_vec();
        let (features, labels) = rows.finish(schema.columns(), label_names.len())?;
        let attributes = schema.attributes().to_vec();
        let dataset = Dataset::from_attributes(name, features, labels, attributes, label_names)?;
        Ok(dataset)
    }
}
