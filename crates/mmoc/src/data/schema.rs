//! The schema of a data set: everything about its columns, without the rows.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Attribute;
use crate::text::excerpt;
use crate::{Error, Result};

/// Maximum number of columns and of labels. Each has a name in memory, so a few bytes of a file could otherwise
/// exhaust it. The largest data sets of the extreme classification repository are below.
pub const MOST_COLUMNS: u64 = 1 << 22;

/// Attributes and label names, and whether features are sparse: what a model knows about its columns, and what
/// other files are matched against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawSchema", into = "RawSchema")]
pub struct Schema {
    attributes: Vec<Attribute>,
    feature_names: Vec<String>,
    label_names: Vec<String>,
    sparse: bool,
}

/// A serialised schema: column names follow from the attributes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSchema {
    attributes: Vec<Attribute>,
    label_names: Vec<String>,
    sparse: bool,
}

impl Schema {
    /// A schema from its attributes and label names.
    ///
    /// Fails unless there is at least one feature and one label, at most 2²² columns and labels, and the names of
    /// features, columns and labels are distinct.
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

    /// The features as declared.
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

    /// The same schema with other labels, which must be distinct.
    #[must_use]
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

impl TryFrom<RawSchema> for Schema {
    type Error = Error;

    fn try_from(raw: RawSchema) -> Result<Self> {
        Self::new(raw.attributes, raw.label_names, raw.sparse)
    }
}

impl From<Schema> for RawSchema {
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
    fn serialisation_round_trips() {
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
    fn rejects_invalid_schemas() {
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
    fn rejects_too_many_columns() {
        let count = usize::try_from(MOST_COLUMNS).unwrap() + 1;
        let names = vec![String::new(); count];
        let message = Schema::new(vec![Attribute::numeric("a")], names, false).unwrap_err();
        let expected = "not valid: expected at most 4194304 labels, found 4194305";
        assert_eq!(message.to_string(), expected);
    }
}
