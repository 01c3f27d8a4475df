//! A file that was opened: its metadata, and the columns that are read.

use std::collections::HashSet;

use super::fault::Fault;
use super::footer::Footer;
use super::input::Input;
use super::schema::Declared;
use crate::LabelSource;
use crate::label_source::Columns;
use crate::source::Source;
use crate::{Error, Result};
use mmoc::text::excerpt;

/// The cells of a file that are read at once, of which each takes eight bytes, are at most so many, or so many for
/// each byte of the file if those are more: a few bytes can declare any number of equal cells.
const CELLS: u64 = 1 << 28;
const CELLS_PER_BYTE: u64 = 64;

/// An open file.
pub(super) struct Table {
    /// The file, as the user named it.
    pub(super) name: String,
    pub(super) input: Input,
    pub(super) footer: Footer,
    /// The columns that are read, by their places in the file.
    pub(super) used: Vec<usize>,
}

impl Table {
    pub(super) fn open(mut source: Source<'_>) -> Result<Self> {
        let input = Input::new(&mut source)?;
        let name = source.name;
        let footer = Footer::read(&input).map_err(|fault| fault.at(&name, None, None))?;
        let columns = footer.columns.iter().enumerate();
        let used = columns.filter(|(_, column)| !is_pandas_index(&column.name));
        let table = Self {
            used: used.map(|(index, _)| index).collect(),
            name,
            input,
            footer,
        };
        table.check_names()?;
        if table.footer.rows == 0 {
            return Err(table.error("at least one row", "none"));
        }
        Ok(table)
    }

    /// The columns that are read.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Declared> {
        self.used.iter().map(|&index| &self.footer.columns[index])
    }

    /// For each column that is read, whether it is a label.
    pub(super) fn choose_labels(&self, labels: &LabelSource) -> Result<Vec<bool>> {
        let own = self.footer.labels.as_ref().map(|text| text.parse());
        let own = own.and_then(|parsed: Result<LabelSource>| parsed.ok());
        let labels = match (labels, &own) {
            // A file must not make us read another one.
            (LabelSource::Auto, Some(own)) if !matches!(own, LabelSource::Xml(_)) => own,
            (given, _) => given,
        };
        labels.choose(&Columns {
            file: &self.name,
            place: None,
            names: self.columns().map(|column| column.name.as_str()).collect(),
        })
    }

    /// Fails if all cells together are more than can sensibly be in the file.
    pub(super) fn check_size(&self) -> Result<()> {
        let cells = (self.footer.rows as u64).saturating_mul(self.used.len() as u64);
        let most = CELLS.max(self.input.size().saturating_mul(CELLS_PER_BYTE));
        if cells <= most {
            return Ok(());
        }
        Err(self.error(format!("at most {most} cells"), cells.to_string()))
    }

    fn check_names(&self) -> Result<()> {
        let mut seen = HashSet::new();
        for column in self.columns() {
            if column.name.is_empty() {
                return Err(self.error("a name for every column", "one without"));
            }
            if !seen.insert(&column.name) {
                let found = format!("{} twice", excerpt(&column.name));
                return Err(self.error("columns with names of their own", found));
            }
        }
        Ok(())
    }

    /// The error that the file as a whole is not as it should be.
    pub(super) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Fault::new(expected.into(), found.into()).at(&self.name, None, None)
    }
}

/// The column in which pandas keeps the names of rows; it reads them back as no column either.
pub(crate) fn is_pandas_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_");
    let level = level.and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}
