//! Where the cells of a file go: for each column its role, known from a schema or inferred from the file itself.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::cell::MISSING;
use super::cell::{
    NUMBER, WEIGHT, expected_flag, expected_point, expected_value, flag, flag_word,
    has_decimal_comma, looks_numeric, number, weight,
};
use super::columns::{CellKind, FileColumn, Role};
use super::dates::Moment;
use super::decimal::short_decimal;
use super::error::Expected;
use super::label_source::Tags;
use super::read::{MissingCells, MissingLabels, Times};
use super::row_id::RowId;
use super::rows::Rows;
use super::stream::Unknown;
use super::word_column::Content;
use super::{Attribute, MOST_VALUES};
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
    /// Whether the columns are inferred from the file, so that some can be left out.
    pub(crate) is_inferred: bool,
    /// What happens to missing cells.
    pub(crate) missing: MissingCells,
    /// What happens to missing labels.
    pub(crate) missing_labels: MissingLabels,
    /// Whether missing labels could be left out, if that was asked for.
    pub(crate) labels_may_be_missing: bool,
    /// What happens to dates and times.
    pub(crate) times: Times,
    /// What happens to words that are not in the list of their feature.
    pub(crate) unknown: Unknown,
    /// Number of labels that have columns.
    pub(crate) labels: usize,
    /// How tags are separated, if there are any, and their labels unless these are to be found.
    pub(crate) tags: Option<(Tags, Option<HashMap<String, usize>>)>,
}

/// A cell of a file whose columns have types.
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
        match self.roles[index] {
            Role::NewWord(vocabulary) => return self.put_new_word(index, vocabulary, text, rows),
            Role::Undecided(vocabulary) => return self.put_first(index, vocabulary, text, rows),
            Role::Tags => return self.put_tags(index, text, rows),
            Role::Id => rows.put_id(text.into()),
            Role::Weight => return put_weight(weight(text), rows),
            Role::Label(_) if flag_word(text).is_some() => rows.seen().note_label_word(text),
            _ => (),
        }
        match (self.read(index, text), self.roles[index], self.unknown) {
            (Some(Meaning::Number(column, value)), ..) => rows.put(column, value),
            (Some(Meaning::Label(label)), ..) => rows.add_label(label),
            (Some(Meaning::Nothing), ..) => (),
            (None, Role::Word(attribute, _), Unknown::Ignore) => {
                rows.seen().note_unknown(attribute, text);
            }
            (None, ..) => return Err(self.expected(index, text)),
        }
        Ok(())
    }

    /// Puts a cell of a column of which all cells were missing, as far as is known.
    fn put_first(
        &self,
        index: usize,
        vocabulary: usize,
        text: &str,
        rows: &mut Rows,
    ) -> Result<(), Expected> {
        let content = rows.content(vocabulary);
        let value = self.first_number(index, text);
        if value.is_none() && self.is_undeclared(index) && looks_numeric(text) {
            return Err(self.expected_number(index, text));
        }
        if *content == Content::Unknown {
            *content = match value {
                Some(_) => Content::Numbers,
                None => Content::Words,
            };
        }
        match (*content, value) {
            (Content::Words, _) => self.put_new_word(index, vocabulary, text, rows),
            (_, Some(value)) => {
                let columns = rows.columns_of_words(vocabulary);
                columns.for_each(|column| rows.put(column, value));
                Ok(())
            }
            (_, None) => Err(self.expected_number(index, text)),
        }
    }

    /// The number of a cell in a column that may be made of words: where words are declared, dates and times alone are
    /// numbers.
    fn first_number(&self, index: usize, text: &str) -> Option<f64> {
        match self.columns[index].kind {
            CellKind::Words => self.moment(text),
            _ => self.number(text),
        }
    }

    fn is_undeclared(&self, index: usize) -> bool {
        matches!(self.columns[index].kind, CellKind::Undeclared(_))
    }

    /// Lets the present row carry the labels that its tags name.
    fn put_tags(&self, index: usize, text: &str, rows: &mut Rows) -> Result<(), Expected> {
        match &self.tags {
            None => Ok(()),
            Some((tags, _)) => tags
                .split(text)
                .try_for_each(|tag| self.put_tag(index, tag, rows)),
        }
    }

    /// Lets the present row carry the label that a tag names.
    pub(crate) fn put_tag(&self, index: usize, tag: &str, rows: &mut Rows) -> Result<(), Expected> {
        let name = || excerpt(&self.columns[index].name);
        let Some((_, Some(labels))) = &self.tags else {
            let added = rows.add_tag(tag);
            return added.map_err(|_| format!("fewer different tags in {}", name()).into());
        };
        let label = labels.get(tag).copied().ok_or_else(|| {
            let tag = excerpt(tag);
            format!("tags in {} that are known as labels, not {tag}", name())
        })?;
        if !rows.has_label(label) {
            rows.add_label(label);
        }
        Ok(())
    }

    /// A number, be it that of a date or time.
    fn number(&self, text: &str) -> Option<f64> {
        number(text).or_else(|| self.moment(text))
    }

    /// The number of a date or time, if these are numbers. It is out of the way of cells that are numbers.
    #[cold]
    fn moment(&self, text: &str) -> Option<f64> {
        match self.times {
            Times::Numbers => Moment::of(text).and_then(Moment::number),
            Times::Refuse => None,
        }
    }

    /// The first cell decided that the column is made of words. A number among words, as a word among numbers, is an
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
        if self.is_undeclared(index) && looks_numeric(text) {
            let expected = format!("a word in {}, as in the first row", name());
            return Err(Expected::or(expected, Remedy::IgnoreColumn));
        }
        rows.put_word(vocabulary, text).map_err(|_| {
            let expected = format!("at most {MOST_VALUES} different words in {}", name());
            Expected::or(expected, Remedy::IgnoreColumn)
        })
    }

    /// Whether a row is the same with the cell as without it.
    pub(crate) fn leaves_zeros(&self, index: usize, text: &str) -> bool {
        let cell = self.read(index, text);
        matches!(cell, Some(Meaning::Nothing | Meaning::Number(_, 0.0)))
    }

    fn read(&self, index: usize, text: &str) -> Option<Meaning> {
        match self.roles[index] {
            Role::Unused | Role::NewWord(_) | Role::Undecided(_) | Role::Tags | Role::Id => {
                Some(Meaning::Nothing)
            }
            // Every row has a weight, be it the one that a sparse row leaves out.
            Role::Weight => None,
            Role::Number(column) => Some(Meaning::Number(column, self.number(text)?)),
            Role::Label(label) => Some(if flag(text)? {
                Meaning::Label(label)
            } else {
                Meaning::Nothing
            }),
            Role::LabelValue(first) => {
                let (offset, value) = self.columns[index].label_list()?.read(text)?;
                Some(if value > 0.0 {
                    Meaning::Label(first + offset)
                } else {
                    Meaning::Nothing
                })
            }
            Role::Word(attribute, first) => {
                let list = self.attributes[attribute].list()?;
                let (offset, value) = list.read(text)?;
                Some(Meaning::Number(first + offset, value))
            }
        }
    }

    /// What must stand in a cell, for messages.
    fn expected(&self, index: usize, found: &str) -> Expected {
        let column = &self.columns[index];
        match self.roles[index] {
            Role::Label(_) if looks_numeric(found) => expected_flag(&column.name).into(),
            Role::Label(_) => Expected::or(expected_flag(&column.name), Remedy::ReadTags),
            Role::LabelValue(_) => format!("a value of {}", column.attribute()).into(),
            Role::Word(attribute, _) => {
                let expected = format!("a value of {}", self.attributes[attribute]);
                if self.is_inferred {
                    expected.into()
                } else {
                    Expected::or(expected, Remedy::IgnoreUnknown)
                }
            }
            _ => self.expected_number(index, found),
        }
    }

    /// That a number must stand in a cell, for messages; where no number was declared, the column may be of no use.
    #[cold]
    fn expected_number(&self, index: usize, found: &str) -> Expected {
        let column = &self.columns[index];
        if has_decimal_comma(found) {
            return expected_point(&column.name);
        }
        let expected = format!("{NUMBER} in {}", excerpt(&column.name));
        let moment = Moment::of(found);
        if moment == Some(Moment::Unclear) && self.times == Times::Numbers {
            return format!("a date such as 2024-03-01 in {}", excerpt(&column.name)).into();
        }
        if moment.and_then(Moment::number).is_some() && !self.is_inferred {
            return Expected::or(expected, Remedy::ReadTimes);
        }
        if !self.is_undeclared(index) {
            return NUMBER.into();
        }
        if self.is_inferred {
            Expected::or(expected, Remedy::IgnoreColumn)
        } else {
            expected.into()
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
            Role::Unused | Role::Id => return Ok(()),
            Role::Label(_) | Role::LabelValue(_) | Role::Tags => {
                return self.put_missing_label(index, rows);
            }
            Role::Weight => return Err(WEIGHT.into()),
            Role::Number(column) => column..column + 1,
            Role::Word(attribute, first) => first..first + self.attributes[attribute].width(),
            Role::NewWord(vocabulary) | Role::Undecided(vocabulary) => {
                rows.columns_of_words(vocabulary)
            }
        };
        match self.missing {
            MissingCells::Mean | MissingCells::Cells => {
                columns.for_each(|column| rows.put(column, f64::NAN));
                Ok(())
            }
            MissingCells::Refuse => Err(expected_value(&self.columns[index].name, row)),
        }
    }

    /// Puts a cell without text: among tags there is none then, otherwise the cell is missing.
    pub(crate) fn put_empty(
        &self,
        index: usize,
        row: usize,
        rows: &mut Rows,
    ) -> Result<(), Expected> {
        match self.roles[index] {
            Role::Tags => Ok(()),
            _ => self.put_missing(index, row, rows),
        }
    }

    /// The labels of a missing cell are not known, or must be there.
    fn put_missing_label(&self, index: usize, rows: &mut Rows) -> Result<(), Expected> {
        let column = &self.columns[index];
        match (self.roles[index], self.missing_labels) {
            (Role::Tags, MissingLabels::Ignore) => rows.marks().set_unlabelled(),
            (Role::Label(label), MissingLabels::Ignore) => rows.add_unknown(label),
            (Role::LabelValue(first), MissingLabels::Ignore) => {
                let labels = first..first + column.label_names().len();
                labels.for_each(|label| rows.add_unknown(label));
            }
            (Role::LabelValue(_), _) => {
                let expected = format!("a value of {}", column.attribute());
                return Err(self.expected_label(expected, Remedy::IgnoreMissingLabels));
            }
            (Role::Tags, _) => {
                let expected = format!("tags in {}", excerpt(&column.name));
                return Err(self.expected_label(expected, Remedy::FillTags));
            }
            _ => {
                let expected = expected_flag(&column.name);
                return Err(self.expected_label(expected, Remedy::IgnoreMissingLabels));
            }
        }
        Ok(())
    }

    /// What must stand in the cell of a label that is missing, for messages.
    fn expected_label(&self, expected: String, remedy: Remedy) -> Expected {
        if self.labels_may_be_missing {
            Expected::or(expected, remedy)
        } else {
            expected.into()
        }
    }

    /// Puts a cell of a column that has a type; what was expected, and what the cell is, if it cannot be.
    ///
    /// Numbers may be words of a list; NaN is a missing number, as pandas writes it; an empty word and `?` are missing,
    /// as they are in a CSV file.
    pub(crate) fn put_typed(
        &self,
        index: usize,
        cell: TypedCell<'_>,
        rows: &mut Rows,
    ) -> Result<(), (Expected, String)> {
        let refused = |expected: Expected| (expected, cell.found());
        match (self.roles[index], cell.or_missing()) {
            (Role::Unused, _) => Ok(()),
            (Role::Label(_), TypedCell::Missing)
                if self.missing_labels == MissingLabels::Refuse =>
            {
                Err(refused(self.expected_label(
                    "0 or 1 for a label".into(),
                    Remedy::IgnoreMissingLabels,
                )))
            }
            (Role::Tags, TypedCell::Missing) if cell == TypedCell::Word("") => Ok(()),
            (
                Role::Label(_) | Role::LabelValue(_) | Role::Tags | Role::Weight,
                TypedCell::Missing,
            ) => self.put_missing(index, 0, rows).map_err(refused),
            (Role::Weight, TypedCell::Number(value)) => {
                let valid = Some(value).filter(|value| value.is_finite() && *value >= 0.0);
                put_weight(valid, rows).map_err(refused)
            }
            (Role::Label(label), _) => match cell {
                TypedCell::Number(1.0) => {
                    rows.add_label(label);
                    Ok(())
                }
                TypedCell::Number(0.0) => Ok(()),
                TypedCell::Word(word) => self.put(index, word, rows).map_err(refused),
                _ => Err(refused("0 or 1 for a label".into())),
            },
            (Role::Id, TypedCell::Missing) => {
                rows.put_id(RowId::default());
                Ok(())
            }
            (_, TypedCell::Missing) => self.put_missing(index, 0, rows).map_err(|_| {
                let expected = Expected::or("a value", Remedy::FillMissing);
                (expected, TypedCell::Missing.to_string())
            }),
            (Role::Number(column), TypedCell::Number(value)) if value.is_finite() => {
                rows.put(column, value);
                Ok(())
            }
            (Role::Number(column), TypedCell::Word(word)) => match self.moment(word) {
                Some(value) => {
                    rows.put(column, value);
                    Ok(())
                }
                None => Err(refused(self.expected_number(index, word))),
            },
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
        rows.end_marked_row(self.labels);
    }
}

/// Says how much the present row counts, if that is a weight.
fn put_weight(weight: Option<f64>, rows: &mut Rows) -> Result<(), Expected> {
    rows.marks().put_weight(weight.ok_or(WEIGHT)?);
    Ok(())
}

impl TypedCell<'_> {
    fn or_missing(self) -> Self {
        match self {
            Self::Number(value) if value.is_nan() => Self::Missing,
            Self::Word("" | MISSING) => Self::Missing,
            cell => cell,
        }
    }
}

impl TypedCell<'_> {
    /// What stands in the cell, for messages.
    fn found(self) -> String {
        match self {
            Self::Word(MISSING) => format!("'{MISSING}', a missing cell"),
            cell => cell.or_missing().to_string(),
        }
    }
}

impl std::fmt::Display for TypedCell<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => formatter.write_str("a missing cell"),
            Self::Number(value) => write!(formatter, "{value}"),
            Self::Word(word) => formatter.write_str(&excerpt(word)),
        }
    }
}
