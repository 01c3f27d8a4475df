//! Which columns of a file are those that are wanted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::Attribute;
use super::columns::{FileHeader, Role};
use super::error::Expected;
use super::note::{ColumnNote, SomeNames};
use super::read::Missing;
#[cfg(feature = "parquet")]
use super::read::Times;
use super::rows::Rows;
use super::sink::Sink;
use super::stream::WantedLabels;
use super::wanted::{Owner, Wanted};
use crate::{Error, Remedy, Result};

/// What files are matched to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matcher<'f> {
    /// The columns and labels that are wanted.
    pub(crate) wanted: Wanted<'f>,
    /// What happens to missing cells and to features that a file lacks.
    pub(crate) missing: Missing,
    /// What happens to dates and times.
    #[cfg(feature = "parquet")]
    pub(crate) times: Times,
    /// Whether labels are wanted.
    pub(crate) labels: WantedLabels,
}

impl<'f> Matcher<'f> {
    /// No rows yet, stored as is wanted.
    pub(crate) fn empty_rows(self) -> Rows {
        Rows::new(self.wanted.sparse, self.wanted.columns())
    }

    /// Where the cells of a file go, and what the user should know about its columns.
    ///
    /// A feature is found under its own name, else under the names of all of its columns, which
    /// are then numbers.
    pub(crate) fn sink(self, header: FileHeader) -> Result<(Sink<'f>, Vec<ColumnNote>)> {
        let mut columns = FoundRoles::new(&header);
        let absent = columns.find_features(self.wanted);
        let absent_labels = columns.find_labels(self.wanted, self.labels);
        let owner = self.wanted.owner;
        let refuse = |absent: Absent<'_>| Err(absent.error(&header, owner));
        if !absent_labels.is_empty() && self.labels == WantedLabels::Required {
            return refuse(Absent::Labels(&absent_labels));
        }
        let absent_names: Vec<&str> = absent.iter().map(|(one, _)| one.name()).collect();
        if !absent.is_empty() && absent.len() == self.wanted.attributes.len() {
            return refuse(Absent::AllFeatures(&absent_names));
        }
        if !absent.is_empty() && self.missing == Missing::Refuse {
            return refuse(Absent::SomeFeatures(&absent_names));
        }
        let notes = notes(
            &header.file,
            owner,
            &columns.unknown(&header),
            &absent_names,
        );
        let sink = Sink {
            roles: columns.roles,
            columns: header.columns,
            attributes: Cow::Borrowed(self.wanted.attributes),
            absent: absent.into_iter().map(|(_, columns)| columns).collect(),
            missing: self.missing,
        };
        Ok((sink, notes))
    }
}

/// Names for which a file has no column.
enum Absent<'n> {
    Labels(&'n [&'n str]),
    AllFeatures(&'n [&'n str]),
    SomeFeatures(&'n [&'n str]),
}

impl Absent<'_> {
    fn error(&self, header: &FileHeader, owner: Owner) -> Error {
        let (Self::Labels(names) | Self::AllFeatures(names) | Self::SomeFeatures(names)) = *self;
        let one = names.len() == 1;
        let what = match self {
            Self::Labels(_) if one => "the label",
            Self::Labels(_) => "the labels",
            _ if one => "the feature",
            Self::AllFeatures(_) => "one of the features",
            Self::SomeFeatures(_) => "the features",
        };
        let expected = format!("{what} {} of {owner}", SomeNames::of(names));
        let expected = match self {
            Self::SomeFeatures(_) => Expected::or(expected, Remedy::FillMissing),
            _ => expected.into(),
        };
        let found = if one {
            "no column of that name"
        } else {
            "no columns of these names"
        };
        header.error(expected, found)
    }
}

fn notes(file: &str, owner: Owner, unknown: &[&str], absent: &[&str]) -> Vec<ColumnNote> {
    let unused = (!unknown.is_empty()).then(|| ColumnNote::Unused {
        file: file.to_owned(),
        owner,
        columns: SomeNames::of(unknown),
    });
    let filled_in = (!absent.is_empty()).then(|| ColumnNote::FilledIn {
        file: file.to_owned(),
        features: SomeNames::of(absent),
    });
    unused.into_iter().chain(filled_in).collect()
}

/// The roles of a file's columns while they are found.
struct FoundRoles<'n> {
    by_name: HashMap<&'n str, usize>,
    roles: Vec<Role>,
    known: Vec<bool>,
}

impl<'n> FoundRoles<'n> {
    fn new(header: &'n FileHeader) -> Self {
        let count = header.columns.len();
        Self {
            by_name: header.by_name(),
            roles: vec![Role::Unused; count],
            known: vec![false; count],
        }
    }

    fn set(&mut self, index: usize, role: Role) {
        self.roles[index] = role;
        self.known[index] = true;
    }

    /// Finds the features; those that are not there, with the columns that are wanted of them.
    fn find_features<'f>(&mut self, wanted: Wanted<'f>) -> Vec<(&'f Attribute, Range<usize>)> {
        let mut absent = Vec::new();
        let mut first = 0;
        for (index, attribute) in wanted.attributes.iter().enumerate() {
            let columns = first..first + attribute.width();
            first = columns.end;
            if let Some(&own) = self.by_name.get(attribute.name()) {
                self.set(own, Role::of(attribute, index, columns.start));
            } else if let Some(found) = self.find_all(&wanted.feature_names[columns.clone()]) {
                for (index, column) in found.into_iter().zip(columns) {
                    self.set(index, Role::Number(column));
                }
            } else {
                absent.push((attribute, columns));
            }
        }
        absent
    }

    /// The columns of all of these names, if they are there.
    fn find_all(&self, names: &[String]) -> Option<Vec<usize>> {
        let index = |name: &String| self.by_name.get(name.as_str()).copied();
        names.iter().map(index).collect()
    }

    /// Finds the labels, to be read if they are needed; those that are not there.
    ///
    /// A column that is a feature already is no label.
    fn find_labels<'f>(&mut self, wanted: Wanted<'f>, labels: WantedLabels) -> Vec<&'f str> {
        let mut absent = Vec::new();
        for (label, name) in wanted.label_names.iter().enumerate() {
            match self.by_name.get(name.as_str()) {
                Some(&index) if !self.known[index] => {
                    let role = match labels {
                        WantedLabels::Required => Role::Label(label),
                        WantedLabels::Ignored => Role::Unused,
                    };
                    self.set(index, role);
                }
                _ => absent.push(name.as_str()),
            }
        }
        absent
    }

    /// The columns that are neither features nor labels.
    fn unknown<'h>(&self, header: &'h FileHeader) -> Vec<&'h str> {
        let columns = header.columns.iter().zip(&self.known);
        columns
            .filter(|(_, known)| !**known)
            .map(|(column, _)| column.name.as_str())
            .collect()
    }
}
