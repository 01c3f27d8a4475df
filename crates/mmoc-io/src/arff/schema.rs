//! What the rows of an ARFF file mean: for each attribute, which columns or which label it is.

use std::collections::HashSet;
use std::sync::Arc;

use super::header::{Declared, Header};
use crate::MOST_VALUES;
use crate::Schema;
use crate::meaning::{Meaning, Target};
use crate::read::Missing;
use crate::{Error, Result};
use mmoc::text::excerpt;

/// Attributes and what they are for.
pub(super) struct ArffColumns {
    /// The file that the schema comes from, as the user named it.
    pub(super) file: String,
    /// The attributes, by their index.
    pub(super) attributes: Arc<[Declared]>,
    /// What each attribute is for.
    targets: Vec<Target>,
    /// The attributes that are features, and the names of the others.
    schema: Schema,
}

impl ArffColumns {
    /// The schema of a file whose labels are chosen.
    pub(super) fn new(file: &str, header: Header, is_label: &[bool]) -> Result<Self> {
        let attributes = header.attributes;
        check_columns(file, &attributes, is_label)?;
        let (mut features, mut label_names) = (Vec::new(), Vec::new());
        let (mut targets, mut column) = (Vec::new(), 0);
        for (Declared { attribute, .. }, &label) in attributes.iter().zip(is_label) {
            if label {
                targets.push(Target::Label(label_names.len()));
                label_names.push(attribute.name().to_owned());
            } else {
                targets.push(Target::of(attribute, features.len(), column));
                column += attribute.width();
                features.push(attribute.clone());
            }
        }
        Ok(Self {
            file: file.to_owned(),
            attributes: attributes.into(),
            targets,
            schema: Schema::new(features, label_names, false)?,
        })
    }

    /// Features and names of labels.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What the cells of rows mean.
    pub(super) fn meaning(&self, missing: Missing) -> Meaning<'_> {
        Meaning {
            schema: &self.schema,
            targets: self.targets.clone(),
            absent: Vec::new(),
            missing,
        }
    }

    /// Fails unless another file has the same attributes in the same order, for the same ends.
    pub(super) fn check_same(&self, file: &str, header: &Header, is_label: &[bool]) -> Result<()> {
        for (index, declared) in self.attributes.iter().enumerate() {
            let other = header.attributes.get(index);
            let role = matches!(self.targets[index], Target::Label(_));
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

/// Lists are not too long, and columns `name=value` do not meet an attribute that is called so.
fn check_columns(file: &str, attributes: &[Declared], is_label: &[bool]) -> Result<()> {
    let mut seen = HashSet::new();
    let features = attributes
        .iter()
        .zip(is_label)
        .filter(|(_, label)| !**label);
    for (Declared { attribute, place }, _) in features {
        if attribute.width() > MOST_VALUES {
            let expected = format!("at most {MOST_VALUES} values of a feature");
            let found = attribute.width().to_string();
            return Err(place.error(file, expected, found));
        }
        for name in attribute.column_names() {
            if let Some(name) = seen.replace(name) {
                let expected = "columns with names of their own";
                let found = format!("{} again", excerpt(&name));
                return Err(place.error(file, expected, found));
            }
        }
    }
    Ok(())
}

fn describe(declared: Option<&Declared>, label: bool) -> String {
    match declared.map(|declared| &declared.attribute) {
        None => "the end of the header".to_owned(),
        Some(attribute) if label => format!("the label {attribute}"),
        Some(attribute) => format!("the feature {attribute}"),
    }
}
