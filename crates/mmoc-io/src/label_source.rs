//! Which columns of a file are labels.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::columns::FileHeader;
use super::error::Expected;
use super::mulan_xml::LabelFile;
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
    pub(super) fn choose(&self, columns: &FileHeader) -> Result<Vec<bool>> {
        let chosen = match self {
            Self::Auto => {
                let expected = Expected::or("a choice of labels", Remedy::ChooseLabels);
                return Err(columns.error(expected, "none"));
            }
            Self::Xml(path) => LabelFile::read(path)?.choose(columns)?,
            Self::First(count) => first(columns, *count)?,
            Self::Last(count) => last(columns, *count)?,
            Self::Names(names) => named(columns, names)?,
            Self::Prefix(prefix) => with_prefix(columns, prefix)?,
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

fn first(header: &FileHeader, count: usize) -> Result<Vec<bool>> {
    check_count(header, count)?;
    let columns = 0..header.columns.len();
    Ok(columns.map(|column| column < count).collect())
}

fn last(header: &FileHeader, count: usize) -> Result<Vec<bool>> {
    check_count(header, count)?;
    let columns = 0..header.columns.len();
    let features = columns.len() - count;
    Ok(columns.map(|column| column >= features).collect())
}

fn check_count(header: &FileHeader, count: usize) -> Result<()> {
    let columns = header.columns.len();
    if count > 0 && count < columns {
        return Ok(());
    }
    let expected = format!("at least one label and fewer than the {columns} columns");
    Err(header.error(expected, count.to_string()))
}

fn named(header: &FileHeader, wanted: &[String]) -> Result<Vec<bool>> {
    let by_name = header.by_name();
    let mut chosen = vec![false; header.columns.len()];
    for name in wanted {
        let Some(&column) = by_name.get(name.as_str()) else {
            let expected = format!("a column named {}", excerpt(name));
            return Err(header.error(expected, list(header)));
        };
        chosen[column] = true;
    }
    Ok(chosen)
}

fn with_prefix(header: &FileHeader, prefix: &str) -> Result<Vec<bool>> {
    let columns = header.columns.iter();
    let chosen: Vec<bool> = columns
        .map(|column| column.name.starts_with(prefix))
        .collect();
    if chosen.contains(&true) {
        return Ok(chosen);
    }
    let expected = format!("a column whose name begins with {}", excerpt(prefix));
    Err(header.error(expected, list(header)))
}

/// The columns there are, the first few by name.
fn list(header: &FileHeader) -> String {
    format!("only {}", first_names(&header.names()))
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
        let columns = FileHeader::of_names("f", &["a", "b", "TAG_a"]);
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
