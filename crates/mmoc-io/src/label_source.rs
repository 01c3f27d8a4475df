//! Which columns of a file are labels.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::mulan_xml::LabelFile;
use crate::TextPlace;
use crate::error::{Expected, error_at};
use crate::{Error, Remedy, Result};
use mmoc::text::{excerpt, first_names};

/// Says which columns of a table are labels; all other columns are features.
///
/// Labels keep the order of their columns in the table, however they are chosen. Formats whose rows
/// hold their labels apart (LIBSVM, extreme classification) take only [`LabelSource::Auto`].
///
/// | text | meaning |
/// |---|---|
/// | `FILE.xml` | the labels that a Mulan label file names |
/// | `N` | the first N columns |
/// | `-N` | the last N columns |
/// | `prefix*` | the columns whose names begin so |
/// | `name,name,…` | the columns of these names, which contain no commas |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LabelSource {
    /// What the file itself says. An ARFF file has a Mulan label file beside it (`scene.xml` for
    /// `scene.arff`, `scene-train.arff` and `scene-test.arff`), else MEKA's `-C N` in the name of
    /// its relation. A table says nothing.
    #[default]
    Auto,
    /// The labels named in a Mulan label file.
    Xml(PathBuf),
    /// The first so many columns.
    First(usize),
    /// The last so many columns.
    Last(usize),
    /// The columns of these names.
    Names(Vec<String>),
    /// The columns whose names begin so.
    Prefix(String),
    /// Text that chooses nothing, which is refused when a file is read.
    Unclear(String),
}

impl LabelSource {
    /// The choice that a text stands for.
    pub fn of_text(text: &str) -> Self {
        parse(text).unwrap_or_else(|| Self::Unclear(text.to_owned()))
    }

    /// For each column, whether it is a label: at least one is, and at least one is not.
    pub(super) fn choose(&self, columns: &Columns<'_>) -> Result<Vec<bool>> {
        let chosen = match self {
            Self::Auto => {
                let expected = Expected::or("a choice of labels", Remedy::ChooseLabels);
                return Err(columns.error(expected, "none"));
            }
            Self::Xml(path) => LabelFile::read(path)?.choose(columns)?,
            Self::First(count) => columns.first(*count)?,
            Self::Last(count) => columns.last(*count)?,
            Self::Names(names) => columns.named(names)?,
            Self::Prefix(prefix) => columns.with_prefix(prefix)?,
            Self::Unclear(text) => return Err(unclear(text)),
        };
        if chosen.iter().all(|&label| label) {
            return Err(columns.error("a column that is no label", "none"));
        }
        Ok(chosen)
    }
}

impl fmt::Display for LabelSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::Xml(path) => write!(formatter, "{}", path.display()),
            Self::First(count) => write!(formatter, "{count}"),
            Self::Last(count) => write!(formatter, "-{count}"),
            Self::Names(names) => formatter.write_str(&names.join(",")),
            Self::Prefix(prefix) => write!(formatter, "{prefix}*"),
            Self::Unclear(text) => formatter.write_str(text),
        }
    }
}

impl FromStr for LabelSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match Self::of_text(text) {
            Self::Unclear(text) => Err(unclear(&text)),
            choice => Ok(choice),
        }
    }
}

fn unclear(text: &str) -> Error {
    let expected = "FILE.xml, a number other than 0, prefix* or names with commas between them";
    Error::request("the choice of labels", expected, excerpt(text))
}

fn parse(text: &str) -> Option<LabelSource> {
    let is_file = text
        .rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("xml"));
    if is_file {
        return Some(LabelSource::Xml(text.into()));
    }
    if let Ok(count) = text.parse::<i64>() {
        return from_signed(count);
    }
    match text.strip_suffix('*') {
        Some(prefix) if !prefix.contains(',') => Some(LabelSource::Prefix(prefix.into())),
        _ => parse_names(text),
    }
}

/// The first columns for a positive number, the last for a negative one: MEKA's rule.
pub(super) fn from_signed(count: i64) -> Option<LabelSource> {
    let size = usize::try_from(count.unsigned_abs()).ok()?;
    match count {
        0 => None,
        1.. => Some(LabelSource::First(size)),
        _ => Some(LabelSource::Last(size)),
    }
}

fn parse_names(text: &str) -> Option<LabelSource> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().into()).collect();
    let complete = names.iter().all(|name: &String| !name.is_empty());
    complete.then_some(LabelSource::Names(names))
}

/// The columns of a table, as labels are chosen from them.
pub(super) struct Columns<'a> {
    /// The table's file, as the user named it.
    pub(super) file: &'a str,
    /// Where an error about the choice as a whole points to, in a file that has lines.
    pub(super) place: Option<TextPlace>,
    /// The name of each column.
    pub(super) names: Vec<&'a str>,
}

impl Columns<'_> {
    fn error(&self, expected: impl Into<Expected>, found: impl Into<String>) -> Error {
        error_at(self.place, self.file, expected, found)
    }

    fn first(&self, count: usize) -> Result<Vec<bool>> {
        self.check_count(count)?;
        Ok((0..self.names.len()).map(|column| column < count).collect())
    }

    fn last(&self, count: usize) -> Result<Vec<bool>> {
        self.check_count(count)?;
        let features = self.names.len() - count;
        Ok((0..self.names.len())
            .map(|column| column >= features)
            .collect())
    }

    fn check_count(&self, count: usize) -> Result<()> {
        if count > 0 && count < self.names.len() {
            return Ok(());
        }
        let columns = self.names.len();
        let expected = format!("at least one label and fewer than the {columns} columns");
        Err(self.error(expected, count.to_string()))
    }

    fn named(&self, wanted: &[String]) -> Result<Vec<bool>> {
        let by_name = self.by_name();
        let mut chosen = vec![false; self.names.len()];
        for name in wanted {
            let Some(&column) = by_name.get(name.as_str()) else {
                let expected = format!("a column named {}", excerpt(name));
                return Err(self.error(expected, self.list()));
            };
            chosen[column] = true;
        }
        Ok(chosen)
    }

    fn with_prefix(&self, prefix: &str) -> Result<Vec<bool>> {
        let chosen: Vec<bool> = self
            .names
            .iter()
            .map(|name| name.starts_with(prefix))
            .collect();
        if chosen.contains(&true) {
            return Ok(chosen);
        }
        let expected = format!("a column whose name begins with {}", excerpt(prefix));
        Err(self.error(expected, self.list()))
    }

    /// The columns there are, the first few by name.
    fn list(&self) -> String {
        format!("only {}", first_names(&self.names))
    }

    /// The column of each name.
    pub(super) fn by_name(&self) -> HashMap<&str, usize> {
        self.names
            .iter()
            .enumerate()
            .map(|(column, &name)| (name, column))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_choice_are_inverse() {
        let names = |names: &[&str]| {
            LabelSource::Names(names.iter().map(|&name| name.to_owned()).collect())
        };
        let cases = [
            ("dir/a.xml", LabelSource::Xml("dir/a.xml".into())),
            ("6", LabelSource::First(6)),
            ("-6", LabelSource::Last(6)),
            ("TAG_*", LabelSource::Prefix("TAG_".into())),
            ("a,b c,d", names(&["a", "b c", "d"])),
            ("a*,b", names(&["a*", "b"])),
        ];
        for (text, source) in cases {
            assert_eq!(text.parse::<LabelSource>().unwrap(), source);
            assert_eq!(source.to_string(), text);
        }
    }

    #[test]
    fn text_that_chooses_nothing_is_refused() {
        for text in ["", "0", "-0", "a,,b", ","] {
            assert!(text.parse::<LabelSource>().is_err(), "{text}");
        }
    }

    #[test]
    fn columns_are_chosen_by_place_name_and_prefix() {
        let columns = Columns {
            file: "f",
            place: Some(TextPlace::START),
            names: vec!["a", "b", "TAG_a"],
        };
        let chosen = |text: &str| {
            let source: LabelSource = text.parse().unwrap();
            source.choose(&columns).unwrap()
        };
        assert_eq!(chosen("1"), [true, false, false]);
        assert_eq!(chosen("-2"), [false, true, true]);
        assert_eq!(chosen("b"), [false, true, false]);
        assert_eq!(chosen("TAG*"), [false, false, true]);
    }
}
