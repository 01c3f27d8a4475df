//! Names of columns, some by their beginnings.

use std::fmt;
use std::str::FromStr;

use super::columns::FileHeader;
use super::label_source::{no_column, no_column_with};
use crate::{Error, Result};
use mmoc::text::excerpt;

/// Columns by their names, or by the beginning of their names: `name,name,prefix*`.
///
/// ```
/// use mmoc_io::ColumnNames;
///
/// let ignored: ColumnNames = "id,free text,date_*".parse()?;
/// assert!(ignored.contain("date_of_birth"));
/// assert!(!ignored.contain("identity"));
/// # Ok::<(), mmoc_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnNames(Vec<String>);

impl ColumnNames {
    /// Columns of these names; one that ends in `*` stands for all that begin so.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a column is among them.
    pub fn contain(&self, column: &str) -> bool {
        self.0.iter().any(|name| matches(name, column))
    }

    /// Fails unless each of the names stands for a column of the file.
    pub(crate) fn check(&self, header: &FileHeader) -> Result<()> {
        for name in &self.0 {
            let mut columns = header.columns.iter();
            if !columns.any(|column| matches(name, &column.name)) {
                return Err(match name.strip_suffix('*') {
                    Some(beginning) => no_column_with(header, beginning),
                    None => no_column(header, name),
                });
            }
        }
        Ok(())
    }
}

fn matches(name: &str, column: &str) -> bool {
    match name.strip_suffix('*') {
        Some(beginning) => column.starts_with(beginning) || column == name,
        None => column == name,
    }
}

impl FromStr for ColumnNames {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        if names.iter().any(|name| name.is_empty()) {
            let expected = "names with commas between them, or prefix*";
            return Err(Error::request(
                "the list of columns",
                expected,
                excerpt(text),
            ));
        }
        Ok(Self::new(names))
    }
}

impl fmt::Display for ColumnNames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(","))
    }
}
