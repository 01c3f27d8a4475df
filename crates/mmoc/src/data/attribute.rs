//! Features as declared by the user, and their numeric columns.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::nominal::Nominal;
use crate::text::excerpt;
use crate::{Error, Result};

/// Maximum number of values of a nominal feature. A feature with more is a key or free text, for which indicator
/// columns are useless.
pub const MOST_VALUES: usize = 1000;

/// A feature as declared by the user: numeric, or nominal with a list of values.
///
/// | feature | columns | column names |
/// |---|---|---|
/// | numeric | the number | `name` |
/// | nominal, values `0` and `1` | the number | `name` |
/// | nominal, two other values | 0 for the first, 1 for the second | `name=second` |
/// | nominal, three or more values | one indicator for each value | `name=value`, … |
/// | nominal, one value | 0 | `name` |
///
/// ```
/// use mmoc::data::Attribute;
///
/// let values = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
/// let smoker = Attribute::nominal("smoker", values(&["no", "yes"]))?;
/// assert_eq!(smoker.column_names(), ["smoker=yes"]);
/// let colour = Attribute::nominal("colour", values(&["blue", "green", "red"]))?;
/// assert_eq!(colour.column_names(), ["colour=blue", "colour=green", "colour=red"]);
/// assert_eq!(Attribute::numeric("height").column_names(), ["height"]);
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawAttribute", into = "RawAttribute")]
pub struct Attribute {
    name: String,
    list: Option<Box<Nominal>>,
}

/// A serialised attribute: numeric ones have no values.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAttribute {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
}

impl Attribute {
    /// A numeric feature.
    pub fn numeric(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            list: None,
        }
    }

    /// A nominal feature. The order of its values determines its columns.
    ///
    /// Fails unless there are 1 to 1000 distinct values.
    pub fn nominal(name: impl Into<String>, values: Vec<String>) -> Result<Self> {
        let name = name.into();
        let refuse = |expected: &str, found: String| Error::Dataset {
            expected: format!("{expected} of the feature {}", excerpt(&name)),
            found,
        };
        if !(1..=MOST_VALUES).contains(&values.len()) {
            let expected = format!("from 1 to {MOST_VALUES} values");
            return Err(refuse(&expected, values.len().to_string()));
        }
        match Nominal::new(values) {
            Ok(list) => Ok(Self::of_list(name, list)),
            Err(position) => Err(refuse("distinct values", format!("value {position} again"))),
        }
    }

    /// A nominal feature with a list of any length, as a file declares it.
    pub fn of_list(name: impl Into<String>, list: Nominal) -> Self {
        Self {
            name: name.into(),
            list: Some(Box::new(list)),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its values, unless it is numeric.
    pub fn values(&self) -> Option<&[String]> {
        self.list.as_ref().map(|list| list.values())
    }

    /// Its list of values, unless it is numeric.
    pub fn list(&self) -> Option<&Nominal> {
        self.list.as_deref()
    }

    /// Names of its columns.
    pub fn column_names(&self) -> Vec<String> {
        let named = self
            .list
            .as_ref()
            .map_or(&[][..], |list| list.named_values());
        if named.is_empty() {
            return vec![self.name.clone()];
        }
        let name = |value: &String| format!("{}={value}", self.name);
        named.iter().map(name).collect()
    }

    /// Number of its columns.
    pub fn width(&self) -> usize {
        self.list.as_ref().map_or(1, |list| list.width())
    }

    /// Whether it can be a label: numeric, or with the values 0 and 1.
    pub fn can_be_label(&self) -> bool {
        self.list
            .as_ref()
            .is_none_or(|list| list.values().len() == 2 && list.zeros_and_ones())
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = excerpt(&self.name);
        match &self.list {
            None => write!(formatter, "{name} numeric"),
            Some(list) => write!(formatter, "{name} {list}"),
        }
    }
}

impl TryFrom<RawAttribute> for Attribute {
    type Error = Error;

    fn try_from(raw: RawAttribute) -> Result<Self> {
        match raw.values {
            None => Ok(Self::numeric(raw.name)),
            Some(values) => Self::nominal(raw.name, values),
        }
    }
}

impl From<Attribute> for RawAttribute {
    fn from(attribute: Attribute) -> Self {
        Self {
            values: attribute.values().map(<[String]>::to_vec),
            name: attribute.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[&str]) -> Vec<String> {
        values.iter().map(|&value| value.to_owned()).collect()
    }

    #[test]
    fn there_are_as_many_names_as_columns() {
        let lists = [
            &["a"][..],
            &["1"],
            &["0", "1"],
            &["1", "2"],
            &["a", "b", "c"],
        ];
        for values in lists {
            let attribute = Attribute::nominal("n", words(values)).unwrap();
            assert_eq!(
                attribute.column_names().len(),
                attribute.width(),
                "{attribute}"
            );
        }
    }

    #[test]
    fn serialisation_round_trips() {
        let cases = [
            (Attribute::numeric("a"), r#"{"name":"a"}"#),
            (
                Attribute::nominal("b", words(&["x", "y"])).unwrap(),
                r#"{"name":"b","values":["x","y"]}"#,
            ),
        ];
        for (attribute, json) in cases {
            assert_eq!(serde_json::to_string(&attribute).unwrap(), json);
            let again: Attribute = serde_json::from_str(json).unwrap();
            assert_eq!(again, attribute);
        }
    }

    #[test]
    fn rejects_invalid_lists() {
        let long: Vec<String> = (0..=MOST_VALUES).map(|word| word.to_string()).collect();
        for (values, found) in [
            (vec![], "from 1 to 1000 values of the feature 'f', found 0"),
            (long, "from 1 to 1000 values of the feature 'f', found 1001"),
            (
                words(&["a", "b", "a"]),
                "distinct values of the feature 'f', found value 2 again",
            ),
        ] {
            let json = serde_json::json!({"name": "f", "values": values}).to_string();
            let message = serde_json::from_str::<Attribute>(&json)
                .unwrap_err()
                .to_string();
            assert_eq!(message, format!("not valid: expected {found}"));
        }
    }
}
