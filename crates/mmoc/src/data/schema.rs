//! What is known of the columns of some data without its rows.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Attribute;
use crate::text::excerpt;
use crate::{Error, Result};

/// The most columns and the most labels of a data set. Each has a name in memory, so that a few
/// bytes of a file could otherwise fill it; the largest sets of the extreme classification repository
/// stay below.
pub const MOST_COLUMNS: u64 = 1 << 22;

/// Features and labels by name, and how features are stored: what a model knows about the columns
/// of its data, and what rows of other files are matched to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Schema {
    attributes: Vec<Attribute>,
    feature_names: Vec<String>,
    label_names: Vec<String>,
    sparse: bool,
}

/// A schema as it is stored: the names of columns follow from the attributes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    attributes: Vec<Attribute>,
    label_names: Vec<String>,
    sparse: bool,
}

impl Schema {
    /// A schema from its parts.
    ///
    /// Fails unless there is at least one feature and one label and at most 2²² columns and as many
    /// labels, and no two features, two of their columns or two labels share a name.
    pub fn new(attributes: Vec<Attribute>, label_names: Vec<String>, sparse: bool) -> Result<Self> {
        check_count("feature", attributes.len())?;
        check_count("column", attributes.iter().map(Attribute::width).sum())?;
        check_count("label", label_names.len())?;
        check_distinct("feature", attributes.iter().map(Attribute::name))?;
        let columns = attributes.iter().flat_map(Attribute::column_names);
        let feature_names: Vec<String> = columns.collect();
        check_distinct("column", feature_names.iter().map(String::as_str))?;
        check_distinct("label", label_names.iter().map(String::as_str))?;
        Ok(Self {
            attributes,
            feature_names,
            label_names,
            sparse,
        })
    }

    /// The features as the user knows them.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// A name for each feature column.
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// Number of feature columns, p.
    pub fn columns(&self) -> usize {
        self.feature_names.len()
    }

    /// A name for each label.
    pub fn label_names(&self) -> &[String] {
        &self.label_names
    }

    /// Whether features are stored sparse.
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// The same schema with some of the labels, which are there and different.
    pub fn with_labels(mut self, label_names: Vec<String>) -> Self {
        self.label_names = label_names;
        self
    }
}

fn check_count(what: &str, count: usize) -> Result<()> {
    let refuse = |expected: String, found: String| Err(Error::Dataset { expected, found });
    match count as u64 {
        0 => refuse(format!("at least one {what}"), "none".into()),
        1..=MOST_COLUMNS => Ok(()),
        _ => refuse(format!("at most {MOST_COLUMNS} {what}s"), count.to_string()),
    }
}

fn check_distinct<'a>(what: &str, mut names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    match names.find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(name) => Err(Error::Dataset {
            expected: format!("a different name for each {what}"),
            found: format!("{} twice", excerpt(name)),
        }),
    }
}

impl TryFrom<Parts> for Schema {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.attributes, parts.label_names, parts.sparse)
    }
}

impl From<Schema> for Parts {
    fn from(schema: Schema) -> Self {
        Self {
            attributes: schema.attributes,
            label_names: schema.label_names,
            sparse: schema.sparse,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(json: &Value) -> String {
        let read = serde_json::from_str::<Schema>(&json.to_string());
        read.expect_err("not a schema").to_string()
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let values = ["a", "b", "c"].map(str::to_owned).to_vec();
        let attributes = vec![
            Attribute::numeric("x"),
            Attribute::nominal("y", values).unwrap(),
        ];
        let schema = Schema::new(attributes, vec!["l".into()], true).unwrap();
        let json = serde_json::to_string(&schema).unwrap();
        let again: Schema = serde_json::from_str(&json).unwrap();
        assert_eq!(again, schema);
        assert_eq!(again.feature_names(), ["x", "y=a", "y=b", "y=c"]);
    }

    #[test]
    fn frames_that_cannot_be_are_refused() {
        let number = |name: &str| json!({"name": name});
        let list = json!({"name": "a", "values": ["x", "y"]});
        let schema = |attributes: Value, labels: Value| json!({"attributes": attributes, "label_names": labels, "sparse": false});
        let cases = [
            (
                schema(json!([]), json!(["l"])),
                "at least one feature, found none",
            ),
            (
                schema(json!([number("a")]), json!([])),
                "at least one label, found none",
            ),
            (
                schema(json!([number("a"), list]), json!(["l"])),
                "a different name for each feature, found 'a' twice",
            ),
            (
                schema(json!([number("a=y"), list]), json!(["l"])),
                "a different name for each column, found 'a=y' twice",
            ),
            (
                schema(json!([number("a")]), json!(["l", "l"])),
                "a different name for each label, found 'l' twice",
            ),
        ];
        for (json, expected) in cases {
            assert_eq!(message(&json), format!("not valid: expected {expected}"));
        }
    }

    #[test]
    fn more_columns_than_can_be_named_are_refused() {
        let count = usize::try_from(MOST_COLUMNS).unwrap() + 1;
        let names = vec![String::new(); count];
        let message = Schema::new(vec![Attribute::numeric("a")], names, false).unwrap_err();
        let expected = "not valid: expected at most 4194304 labels, found 4194305";
        assert_eq!(message.to_string(), expected);
    }
}
