//! Features as the user knows them, and the columns that they become.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::nominal::Nominal;
use crate::text::excerpt;
use crate::{Error, Result};

/// A feature that is one of more different words than this is refused: it is a key or free text, and
/// an indicator for each word would help nobody.
pub const MOST_VALUES: usize = 1000;

/// A feature as the user knows it: a number, or one of a list of words.
///
/// | feature | columns | their names |
/// |---|---|---|
/// | a number | the number | `name` |
/// | one of `0` and `1` | the number | `name` |
/// | one of two other words | 0 for the first, 1 for the second | `name=second` |
/// | one of three words or more | for each word, whether it is there | `name=word`, … |
/// | always the same word | 0 | `name` |
///
/// ```
/// use mmoc::data::Attribute;
///
/// let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
/// let smoker = Attribute::nominal("smoker", words(&["no", "yes"]))?;
/// assert_eq!(smoker.column_names(), ["smoker=yes"]);
/// let colour = Attribute::nominal("colour", words(&["blue", "green", "red"]))?;
/// assert_eq!(colour.column_names(), ["colour=blue", "colour=green", "colour=red"]);
/// assert_eq!(Attribute::numeric("height").column_names(), ["height"]);
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Attribute {
    name: String,
    list: Option<Box<Nominal>>,
}

/// An attribute as it is stored: words only if it has some.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
}

impl Attribute {
    /// A feature that is a number.
    pub fn numeric(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            list: None,
        }
    }

    /// A feature that is one of some words, of which the order says what columns they become.
    ///
    /// Fails unless there are from 1 to 1000 words, all different.
    pub fn nominal(name: impl Into<String>, values: Vec<String>) -> Result<Self> {
        let name = name.into();
        let refuse = |expected: &str, found: String| Error::Dataset {
            expected: format!("{expected} of the feature {}", excerpt(&name)),
            found,
        };
        if !(1..=MOST_VALUES).contains(&values.len()) {
            let expected = format!("from 1 to {MOST_VALUES} words");
            return Err(refuse(&expected, values.len().to_string()));
        }
        match Nominal::new(values) {
            Ok(list) => Ok(Self::of_list(name, list)),
            Err(position) => Err(refuse("different words", format!("word {position} again"))),
        }
    }

    /// A feature with a list of any length, as a file declares it.
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

    /// The words that it is one of, unless it is a number.
    pub fn values(&self) -> Option<&[String]> {
        self.list.as_ref().map(|list| list.values())
    }

    /// The list of its words, unless it is a number.
    pub fn list(&self) -> Option<&Nominal> {
        self.list.as_deref()
    }

    /// Names of the columns that it becomes.
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

    /// Number of columns that it becomes.
    pub fn width(&self) -> usize {
        self.list.as_ref().map_or(1, |list| list.width())
    }

    /// Whether it can be a label: a number, or one of 0 and 1.
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

impl TryFrom<Parts> for Attribute {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        match parts.values {
            None => Ok(Self::numeric(parts.name)),
            Some(values) => Self::nominal(parts.name, values),
        }
    }
}

impl From<Attribute> for Parts {
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
    fn what_is_stored_is_read_back() {
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
    fn lists_that_cannot_be_are_refused() {
        let long: Vec<String> = (0..=MOST_VALUES).map(|word| word.to_string()).collect();
        for (values, found) in [
            (vec![], "from 1 to 1000 words of the feature 'f', found 0"),
            (long, "from 1 to 1000 words of the feature 'f', found 1001"),
            (
                words(&["a", "b", "a"]),
                "different words of the feature 'f', found word 2 again",
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
