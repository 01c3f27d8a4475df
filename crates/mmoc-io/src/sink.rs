//! Where the cells of a file go: for each column its role, known from a schema or inferred from the file itself.

use std::borrow::Cow;
use std::ops::Range;

#[cfg(feature = "parquet")]
use super::cell::MISSING;
use super::cell::{NUMBER, expected_flag, expected_value, flag, looks_numeric, number};
use super::columns::{CellKind, FileColumn, Role};
use super::decimal::short_decimal;
use super::error::Expected;
use super::read::Missing;
use super::rows::Rows;
use super::{Attribute, MOST_VALUES};
#[cfg(feature = "parquet")]
use crate::Remedy;
use mmoc::text::excerpt;

/// Puts the cells of a file's rows into a store.
#[derive(Debug)]
pub(crate) struct Sink<'s> {
    /// The columns of the file.
    pub(crate) columns: Vec<FileColumn>,
    /// What each of them is for.
    pub(crate) roles: Vec<Role>,
    /// The features, as far as their lists of words are known.
    pub(crate) attributes: Cow<'s, [Attribute]>,
    /// Columns of the store for which the file has none: they are missing in every row.
    pub(crate) absent: Vec<Range<usize>>,
    /// What happens to missing cells.
    pub(crate) missing: Missing,
}

/// A cell of a file whose columns have types.
#[cfg(feature = "parquet")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TypedCell<'a> {
    Missing,
    Number(f64),
    Word(&'a str),
}

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    /// Nothing, or that a label is not carried.
    Nothing,
    /// That the row carries a label.
    Label(usize),
    /// The number of a column.
    Number(usize, f64),
}

impl Sink<'_> {
    /// Puts a cell that is a short decimal of a numeric column, as most are, into the present row;
    /// false if it is anything else.
    #[inline]
    pub(crate) fn put_decimal(&self, index: usize, text: &[u8], rows: &mut Rows) -> bool {
        match (self.roles[index], short_decimal(text)) {
            (Role::Number(column), Some(value)) => {
                rows.put(column, value);
                true
            }
            _ => false,
        }
    }

    /// Puts a cell that is not missing into the present row; what was expected instead if it
    /// cannot be.
    pub(crate) fn put(&self, index: usize, text: &str, rows: &mut Rows) -> Result<(), Expected> {
        if let Role::NewWord(vocabulary) = self.roles[index] {
            return self.put_new_word(index, vocabulary, text, rows);
        }
        match self.read(index, text) {
            Some(Meaning::Number(column, value)) => rows.put(column, value),
            Some(Meaning::Label(label)) => rows.add_label(label),
            Some(Meaning::Nothing) => (),
            None => return Err(self.expected(index).into()),
        }
        Ok(())
    }

    /// The first row decided that the column is made of words. A number among words, as a word among numbers, is an
    /// error: it would otherwise turn a column with a slip, or with a mark for missing cells that we do not know, into
    /// a thousand indicators.
    fn put_new_word(
        &self,
        index: usize,
        vocabulary: usize,
        text: &str,
        rows: &mut Rows,
    ) -> Result<(), Expected> {
        let name = || excerpt(&self.columns[index].name);
        let undeclared = matches!(self.columns[index].kind, CellKind::Undeclared { .. });
        if undeclared && looks_numeric(text) {
            return Err(format!("a word in {}, as in the first row", name()).into());
        }
        let put = rows.put_word(vocabulary, text);
        put.map_err(|_| format!("at most {MOST_VALUES} different words in {}", name()).into())
    }

    /// Whether a row is the same with the cell as without it.
    pub(crate) fn leaves_zeros(&self, index: usize, text: &str) -> bool {
        let cell = self.read(index, text);
        matches!(cell, Some(Meaning::Nothing | Meaning::Number(_, 0.0)))
    }

    fn read(&self, index: usize, text: &str) -> Option<Meaning> {
        match self.roles[index] {
            Role::Unused | Role::NewWord(_) => Some(Meaning::Nothing),
            Role::Number(column) => Some(Meaning::Number(column, number(text)?)),
            Role::Label(label) => Some(if flag(text)? {
                Meaning::Label(label)
            } else {
                Meaning::Nothing
            }),
            Role::Word(attribute, first) => {
                let list = self.attributes[attribute].list()?;
                let (offset, value) = list.read(text)?;
                Some(Meaning::Number(first + offset, value))
            }
        }
    }

    /// What must stand in a cell, for messages.
    fn expected(&self, index: usize) -> String {
        match self.roles[index] {
            Role::Unused | Role::Number(_) | Role::NewWord(_) => NUMBER.to_owned(),
            Role::Label(_) => expected_flag(&self.columns[index].name),
            Role::Word(attribute, _) => format!("a value of {}", self.attributes[attribute]),
        }
    }

    /// Puts a missing cell into row `row` of a file, or says what was expected. A missing feature
    /// is NaN in all of its columns, to be filled in from the training rows.
    pub(crate) fn put_missing(
        &self,
        index: usize,
        row: usize,
        rows: &mut Rows,
    ) -> Result<(), Expected> {
        let columns = match self.roles[index] {
            Role::Unused => return Ok(()),
            Role::Label(_) => return Err(self.expected(index).into()),
            Role::Number(column) => column..column + 1,
            Role::Word(attribute, first) => first..first + self.attributes[attribute].width(),
            Role::NewWord(vocabulary) => rows.columns_of_words(vocabulary),
        };
        match self.missing {
            Missing::Mean => {
                columns.for_each(|column| rows.put(column, f64::NAN));
                Ok(())
            }
            Missing::Refuse => Err(expected_value(&self.columns[index].name, row)),
        }
    }

    /// Puts a cell of a column that has a type; what was expected, and what the cell is, if it cannot be.
    ///
    /// Numbers may be words of a list; NaN is a missing number, as pandas writes it; an empty word and `?` are missing,
    /// as they are in a CSV file.
    #[cfg(feature = "parquet")]
    pub(crate) fn put_typed(
        &self,
        index: usize,
        cell: TypedCell<'_>,
        rows: &mut Rows,
    ) -> Result<(), (Expected, String)> {
        let refused = |expected: Expected| (expected, cell.or_missing().to_string());
        match (self.roles[index], cell.or_missing()) {
            (Role::Unused, _) => Ok(()),
            (Role::Label(label), _) => match cell {
                TypedCell::Number(1.0) => {
                    rows.add_label(label);
                    Ok(())
                }
                TypedCell::Number(0.0) => Ok(()),
                _ => Err(refused("0 or 1 for a label".into())),
            },
            (_, TypedCell::Missing) => self.put_missing(index, 0, rows).map_err(|_| {
                let expected = Expected::or("a value", Remedy::FillMissing);
                (expected, TypedCell::Missing.to_string())
            }),
            (Role::Number(column), TypedCell::Number(value)) if value.is_finite() => {
                rows.put(column, value);
                Ok(())
            }
            (Role::Number(_), _) => Err(refused(NUMBER.into())),
            (_, TypedCell::Word(word)) => self.put(index, word, rows).map_err(refused),
            (_, TypedCell::Number(value)) => {
                self.put(index, &value.to_string(), rows).map_err(refused)
            }
        }
    }

    /// Ends the present row.
    pub(crate) fn end_row(&self, rows: &mut Rows) {
        for column in self.absent.iter().cloned().flatten() {
            rows.put(column, f64::NAN);
        }
        rows.end_row();
    }
}

#[cfg(feature = "parquet")]
impl TypedCell<'_> {
    fn or_missing(self) -> Self {
        match self {
            Self::Number(value) if value.is_nan() => Self::Missing,
            Self::Word("" | MISSING) => Self::Missing,
            cell => cell,
        }
    }
}

#[cfg(feature = "parquet")]
impl std::fmt::Display for TypedCell<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => formatter.write_str("a missing cell"),
            Self::Number(value) => write!(formatter, "{value}"),
            Self::Word(word) => formatter.write_str(&excerpt(word)),
        }
    }
}
