//! What the rows of an ARFF file mean: for each attribute, which columns or which label it is.

use std::collections::HashSet;

use super::super::cell::MOST_VALUES;
use super::super::lines::excerpt;
use super::header::{Declared, Header};
use crate::{Error, Result};

/// Attributes and what they are for.
pub(super) struct Schema {
    /// The file that the schema comes from, as the user named it.
    pub(super) file: String,
    /// The attributes, by their index.
    pub(super) attributes: Vec<Declared>,
    /// What each attribute is for.
    pub(super) roles: Vec<Role>,
    /// The attributes that are other than zero where a sparse row leaves them out, ascending.
    pub(super) nonzero_defaults: Vec<usize>,
    /// Number of feature columns.
    pub(super) columns: usize,
}

/// What an attribute is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The label of this index.
    Label(usize),
    /// A feature; its columns begin at this one.
    Feature(usize),
}

impl Schema {
    /// The schema of a file whose labels are chosen.
    pub(super) fn new(file: &str, header: Header, is_label: &[bool]) -> Result<Self> {
        let attributes = header.attributes;
        let (mut columns, mut labels) = (0, 0);
        let roles = attributes.iter().zip(is_label).map(|(declared, &label)| {
            let (counter, width, role): (&mut usize, usize, fn(usize) -> Role) = if label {
                (&mut labels, 1, Role::Label)
            } else {
                (&mut columns, declared.attribute.width(), Role::Feature)
            };
            *counter += width;
            role(*counter - width)
        });
        let roles = roles.collect();
        let nonzero = |&index: &usize| attributes[index].default_is_nonzero();
        let schema = Self {
            file: file.to_owned(),
            nonzero_defaults: (0..attributes.len()).filter(nonzero).collect(),
            attributes,
            roles,
            columns,
        };
        schema.check_columns()?;
        Ok(schema)
    }

    /// Names of the labels.
    pub(super) fn label_names(&self) -> Vec<String> {
        let labels = self.attributes.iter().zip(&self.roles);
        let labels = labels.filter(|(_, role)| matches!(role, Role::Label(_)));
        labels
            .map(|(label, _)| label.attribute.name().to_owned())
            .collect()
    }

    /// The attributes that are features.
    pub(super) fn features(&self) -> impl Iterator<Item = &Declared> {
        let pairs = self.attributes.iter().zip(&self.roles);
        pairs
            .filter(|(_, role)| matches!(role, Role::Feature(_)))
            .map(|(declared, _)| declared)
    }

    /// Lists are not too long, and indicator columns `name=value` do not meet an attribute that is
    /// called so.
    fn check_columns(&self) -> Result<()> {
        let mut seen = HashSet::new();
        for Declared { attribute, place } in self.features() {
            if attribute.width() > MOST_VALUES {
                let expected = format!("at most {MOST_VALUES} values of a feature");
                let found = attribute.width().to_string();
                return Err(place.error(&self.file, expected, found));
            }
            for name in attribute.column_names() {
                if let Some(name) = seen.replace(name) {
                    let expected = "columns with names of their own";
                    let found = format!("{} again", excerpt(&name));
                    return Err(place.error(&self.file, expected, found));
                }
            }
        }
        Ok(())
    }

    /// Fails unless another file has the same attributes in the same order, for the same ends.
    pub(super) fn check_same(&self, file: &str, header: &Header, is_label: &[bool]) -> Result<()> {
        for (index, declared) in self.attributes.iter().enumerate() {
            let other = header.attributes.get(index);
            let role = matches!(self.roles[index], Role::Label(_));
            let same = other.is_some_and(|other| {
                other.attribute == declared.attribute && is_label[index] == role
            });
            if !same {
                let expected = describe(Some(declared), role);
                let found = describe(other, is_label.get(index).copied().unwrap_or(false));
                return Err(self.differs(file, header, other, &expected, &found));
            }
        }
        match header.attributes.get(self.attributes.len()) {
            None => Ok(()),
            extra => {
                let found = describe(extra, false);
                Err(self.differs(file, header, extra, "no more attributes", &found))
            }
        }
    }

    fn differs(
        &self,
        file: &str,
        header: &Header,
        other: Option<&Declared>,
        expected: &str,
        found: &str,
    ) -> Error {
        let place = other.map_or(header.data_place, |other| other.place);
        place.error(file, format!("{expected}, as in {}", self.file), found)
    }
}

fn describe(declared: Option<&Declared>, label: bool) -> String {
    match declared.map(|declared| &declared.attribute) {
        None => "the end of the header".to_owned(),
        Some(attribute) if label => format!("the label {attribute}"),
        Some(attribute) => format!("the feature {attribute}"),
    }
}
