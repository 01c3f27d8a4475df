//! Which columns of a file are those that are wanted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::Attribute;
use super::column_checks::check_one_purpose;
use super::columns::{CellKind, FileHeader, Role, count_labels};
use super::error::Expected;
use super::label_source::{Tags, place_of};
use super::note::{ColumnNote, SomeNames};
use super::read::MissingCells;
use super::rows::Rows;
use super::sink::Sink;
use super::stream::{StreamOptions, WantedLabels};
use super::wanted::{Owner, Wanted};
use crate::{Error, Remedy, Result};
use mmoc::text::excerpt;

/// What files are matched to.
#[derive(Debug, Clone)]
pub(crate) struct Matcher<'f> {
    /// The columns and labels that are wanted.
    pub(crate) wanted: Wanted<'f>,
    /// What happens to cells that are missing or unknown, and what else is wanted.
    pub(crate) options: StreamOptions,
}

impl<'f> Matcher<'f> {
    /// No rows yet, stored as is wanted.
    pub(crate) fn empty_rows(&self) -> Rows {
        let rows = Rows::new(self.wanted.sparse, self.wanted.columns());
        match self.options.id {
            None => rows,
            Some(_) => rows.with_ids(),
        }
    }

    /// Fails if columns are wanted by name of a file whose columns have none.
    pub(crate) fn check_no_names(&self) -> Result<()> {
        let tags = self.options.tags.as_ref().map(|tags| &tags.column);
        let options = &self.options;
        match options.id.as_ref().or(options.weight.as_ref()).or(tags) {
            None => Ok(()),
            Some(name) => Err(Error::request(
                "the choice of columns",
                "left out for libsvm and extreme files, whose columns have no names",
                excerpt(name),
            )),
        }
    }

    /// Where the cells of a file go, and what the user should know about its columns.
    ///
    /// A feature is found under its own name, else under the names of all of its columns, which
    /// are then numbers.
    pub(crate) fn sink(&self, header: FileHeader) -> Result<(Sink<'f>, Vec<ColumnNote>)> {
        let options = &self.options;
        let mut columns = FoundRoles::new(&header);
        let absent = columns.find_features(self.wanted);
        let tags = self.find_tags(&header, &mut columns)?;
        let absent_labels = match tags {
            None => columns.find_labels(&header, self.wanted, options.labels),
            Some(_) => Vec::new(),
        };
        if let Some(id) = &options.id {
            columns.set_unused(&header, place_of(&header, id)?, Role::Id)?;
        }
        if let Some(weight) = &options.weight {
            columns.set_unused(&header, place_of(&header, weight)?, Role::Weight)?;
        }
        columns.check_usable(&header)?;
        let owner = self.wanted.owner;
        let refuse = |absent: Absent<'_>| Err(absent.error(&header, owner));
        if !absent_labels.is_empty() && options.labels == WantedLabels::Required {
            return refuse(Absent::Labels(&absent_labels));
        }
        let absent_names: Vec<&str> = absent.iter().map(|(one, _)| one.name()).collect();
        if !absent.is_empty() && absent.len() == self.wanted.attributes.len() {
            return refuse(Absent::AllFeatures(&absent_names));
        }
        if !absent.is_empty() && options.missing != MissingCells::Mean {
            return refuse(Absent::SomeFeatures(&absent_names));
        }
        let notes = notes(
            &header.file,
            owner,
            &columns.unknown(&header),
            &absent_names,
        );
        let sink = Sink {
            labels: count_labels(&header.columns, &columns.roles),
            roles: columns.roles,
            columns: header.columns,
            attributes: Cow::Borrowed(self.wanted.attributes),
            absent: absent.into_iter().map(|(_, columns)| columns).collect(),
            is_inferred: false,
            missing: options.missing,
            missing_labels: options.missing_labels,
            labels_may_be_missing: owner != Owner::TestRows,
            times: options.times,
            unknown: options.unknown,
            tags,
        };
        Ok((sink, notes))
    }

    /// The column of tags, if labels are wanted and these are they, with the labels that they stand for.
    fn find_tags(&self, header: &FileHeader, columns: &mut FoundRoles<'_>) -> Result<FoundTags> {
        let Some(tags) = &self.options.tags else {
            return Ok(None);
        };
        if self.options.labels == WantedLabels::Ignored {
            return Ok(None);
        }
        columns.set_unused(header, tags.find(header)?, Role::Tags)?;
        let labels = self.wanted.label_names.iter().cloned();
        let labels = labels.enumerate().map(|(label, name)| (name, label));
        Ok(Some((tags.clone(), Some(labels.collect()))))
    }
}

/// A column of tags with the labels that they stand for.
type FoundTags = Option<(Tags, Option<HashMap<String, usize>>)>;

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

    /// Gives a role to a column that must not have one already.
    fn set_unused(&mut self, header: &FileHeader, index: usize, role: Role) -> Result<()> {
        if self.roles[index] == Role::Unused {
            self.set(index, role);
            return Ok(());
        }
        let found = match self.roles[index] {
            Role::Label(_) | Role::LabelValue(_) => "a label",
            Role::Tags => "the column of tags",
            Role::Id => "the column of what rows are called",
            _ => "one of the model's features",
        };
        if role == Role::Weight {
            let purposes = [(found, true), ("the column of weights", true)];
            return check_one_purpose(header, index, purposes);
        }
        let name = excerpt(&header.columns[index].name);
        let expected = format!("{name} to be no feature");
        Err(header.error(expected, found))
    }

    /// Fails if a column that is used is neither numbers nor words.
    fn check_usable(&self, header: &FileHeader) -> Result<()> {
        let columns = header.columns.iter().zip(&self.roles);
        let mut used = columns.filter(|(_, role)| !matches!(role, Role::Unused | Role::Id));
        used.try_for_each(|(column, _)| column.check_usable(&header.file))
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
    fn find_labels<'f>(
        &mut self,
        header: &FileHeader,
        wanted: Wanted<'f>,
        labels: WantedLabels,
    ) -> Vec<&'f str> {
        let needed = |role: Role| match labels {
            WantedLabels::Required => role,
            WantedLabels::Ignored => Role::Unused,
        };
        let mut absent = Vec::new();
        for (label, name) in wanted.label_names.iter().enumerate() {
            match self.by_name.get(name.as_str()) {
                Some(&index) if !self.known[index] => self.set(index, needed(Role::Label(label))),
                _ => absent.push((label, name.as_str())),
            }
        }
        if !absent.is_empty() {
            for (index, first, count) in self.find_label_values(header, wanted.label_names) {
                self.set(index, needed(Role::LabelValue(first)));
                absent.retain(|(label, _)| !(first..first + count).contains(label));
            }
        }
        absent.into_iter().map(|(_, name)| name).collect()
    }

    /// The columns of which each value is a label: their places, with the first of their labels and how many they are.
    fn find_label_values(
        &self,
        header: &FileHeader,
        label_names: &[String],
    ) -> Vec<(usize, usize, usize)> {
        let columns = header.columns.iter().enumerate();
        let lists =
            columns.filter(|(index, column)| !self.known[*index] && column.label_list().is_some());
        let found = lists.filter_map(|(index, column)| {
            let names = column.label_names();
            let first = label_names.iter().position(|label| *label == names[0])?;
            let is_there = label_names[first..].starts_with(&names);
            is_there.then_some((index, first, names.len()))
        });
        found.collect()
    }

    /// The columns that are neither features nor labels.
    fn unknown<'h>(&self, header: &'h FileHeader) -> Vec<&'h str> {
        let columns = header.columns.iter().zip(&self.known);
        columns
            .filter(|(column, known)| !**known && column.kind != CellKind::Index)
            .map(|(column, _)| column.name.as_str())
            .collect()
    }
}
