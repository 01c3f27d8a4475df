//! The columns of a file as the file has them, and what they are for.

use std::collections::HashMap;

use super::cell::flag;
use super::error::{Expected, error_at};
use super::{Attribute, Nominal};
use crate::{Error, Remedy, TextPlace};
use mmoc::text::excerpt;

/// A column as the file has it.
#[derive(Debug, Clone)]
pub(crate) struct FileColumn {
    /// Its name.
    pub(crate) name: String,
    /// Where the name stands, in a file that has lines.
    pub(crate) place: Option<TextPlace>,
    /// What the file says about the cells.
    pub(crate) kind: CellKind,
}

/// What a file says about the cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CellKind {
    /// Nothing: the first cell that is not missing decides. This is what the first row of the first file has, as far
    /// as it was read.
    Undeclared(FirstCell),
    /// They are numbers.
    Numbers,
    /// They are words, as columns with types declare.
    Words,
    /// They are values of a list.
    List(Box<Nominal>),
    /// They are of a type that is neither numbers nor words.
    Unusable(&'static str),
    /// They number the rows of the table, and the column has no name.
    Index,
}

/// What the cell of a column in the first row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstCell {
    Missing,
    Number,
    Word,
}

/// What a file says before its rows.
pub(crate) struct FileHeader {
    /// The file, as the user named it.
    pub(crate) file: String,
    /// Where errors about all columns point to, in a file that has lines.
    pub(crate) place: Option<TextPlace>,
    /// Where the header ends, in a file that has lines.
    pub(crate) end: Option<TextPlace>,
    /// The columns, no two of one name.
    pub(crate) columns: Vec<FileColumn>,
    /// Whether features are stored sparse.
    pub(crate) sparse: bool,
}

/// What a column of a file is read as, where that is to be inferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Feature,
    Label,
    Tags,
    Weight,
    LeftOut,
}

/// What a column of a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing.
    Unused,
    /// The label of this index.
    Label(usize),
    /// A value of a list, of which each is a label from this index on.
    LabelValue(usize),
    /// The number of this column.
    Number(usize),
    /// A word of the attribute of this index, whose columns begin at the second number.
    Word(usize, usize),
    /// A word of the growing vocabulary of this index.
    NewWord(usize),
    /// A number, or a word of the growing vocabulary of this index: whatever the first cell that is not missing is.
    Undecided(usize),
    /// Tags, of which each is a label.
    Tags,
    /// What the row is called.
    Id,
    /// How much the row counts.
    Weight,
}

impl FileColumn {
    /// The column of a file's declaration.
    pub(crate) fn new(name: impl Into<String>, place: Option<TextPlace>, kind: CellKind) -> Self {
        Self {
            name: name.into(),
            place,
            kind,
        }
    }

    /// The feature that the column is, as far as the file declares it.
    pub(crate) fn attribute(&self) -> Attribute {
        match &self.kind {
            CellKind::List(list) => Attribute::of_list(self.name.as_str(), (**list).clone()),
            _ => Attribute::numeric(self.name.as_str()),
        }
    }

    /// The labels that the column is: one of its name, unless it has a list of other values than 0 and 1. Then they
    /// are called as the columns of such a feature are.
    pub(crate) fn label_names(&self) -> Vec<String> {
        match self.label_list() {
            None => vec![self.name.clone()],
            Some(_) => self.attribute().column_names(),
        }
    }

    /// The list of values of a label, if they are not 0 and 1 or words for these.
    pub(crate) fn label_list(&self) -> Option<&Nominal> {
        match &self.kind {
            CellKind::List(list) if list.values().iter().any(|value| flag(value).is_none()) => {
                Some(list)
            }
            _ => None,
        }
    }

    /// Fails if the cells are neither numbers nor words.
    pub(crate) fn check_usable(&self, file: &str) -> Result<(), Error> {
        let CellKind::Unusable(found) = self.kind else {
            return Ok(());
        };
        let expected = format!("numbers or a list of values in {}", excerpt(&self.name));
        let expected = Expected::or(expected, Remedy::IgnoreColumn);
        Err(error_at(self.place, file, expected, found))
    }

    /// What the column is, for messages and to compare files.
    pub(crate) fn describe(&self, used: Use) -> String {
        let name = excerpt(&self.name);
        let is_label = used == Use::Label;
        match &self.kind {
            _ if used == Use::LeftOut => format!("the column {name}, which is not used"),
            _ if used == Use::Tags => format!("the tags {name}"),
            _ if used == Use::Weight => format!("the weights {name}"),
            CellKind::Undeclared(_) | CellKind::Index => format!("the column {name}"),
            CellKind::Unusable(kind) => format!("the column {name} of {kind}"),
            CellKind::List(list) if is_label => format!("the label {name} {list}"),
            CellKind::Numbers | CellKind::Words if is_label => format!("the label {name}"),
            CellKind::Numbers => format!("the feature {name} numeric"),
            CellKind::Words => format!("the feature {name} of words"),
            CellKind::List(list) => format!("the feature {name} {list}"),
        }
    }
}

impl Role {
    /// That of the attribute of an index, whose columns begin at `first`.
    pub(crate) fn of(attribute: &Attribute, index: usize, first: usize) -> Self {
        match attribute.list() {
            None => Self::Number(first),
            Some(_) => Self::Word(index, first),
        }
    }
}

/// Number of labels that columns of these roles are.
pub(crate) fn count_labels(columns: &[FileColumn], roles: &[Role]) -> usize {
    let columns = columns.iter().zip(roles);
    let labels = columns.map(|(column, role)| match role {
        Role::Label(_) => 1,
        Role::LabelValue(_) => column.label_names().len(),
        _ => 0,
    });
    labels.sum()
}

impl FileHeader {
    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|one| one.name.as_str()).collect()
    }

    /// Columns of which nothing but their names is known.
    #[cfg(test)]
    pub(crate) fn of_names(file: &str, names: &[&str]) -> Self {
        let start = Some(TextPlace::START);
        let column = |name: &&str| FileColumn::new(*name, start, CellKind::Numbers);
        Self {
            file: file.to_owned(),
            place: start,
            end: start,
            columns: names.iter().map(column).collect(),
            sparse: false,
        }
    }

    /// The column of each name.
    pub(crate) fn by_name(&self) -> HashMap<&str, usize> {
        let names = self.columns.iter().enumerate();
        names
            .map(|(index, column)| (column.name.as_str(), index))
            .collect()
    }

    /// The error that something else was expected of the columns as a whole.
    pub(crate) fn error(&self, expected: impl Into<Expected>, found: impl Into<String>) -> Error {
        error_at(self.place, &self.file, expected, found)
    }
}
