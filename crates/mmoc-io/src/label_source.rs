//! Which columns of a file are labels.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::columns::{CellKind, FileHeader};
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
    /// The tags in the cells of a column, each a label.
    Tags(Tags),
    /// Text that chooses nothing, which is refused when a file is read.
    Unclear(String),
}

/// A column of tags, such as `food;wine`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tags {
    /// The name of the column.
    pub column: String,
    /// What stands between tags; blanks around them do not matter.
    pub separator: String,
}

impl Tags {
    /// Tags with semicolons between them.
    pub fn of(column: impl Into<String>) -> Self {
        Self {
            column: column.into(),
            separator: ";".into(),
        }
    }

    /// The tags of a cell.
    pub(super) fn split<'t>(&self, cell: &'t str) -> impl Iterator<Item = &'t str> {
        let tags = cell.split(self.separator.as_str()).map(str::trim);
        tags.filter(|tag| !tag.is_empty())
    }

    /// The place of the column in a file.
    pub(super) fn find(&self, header: &FileHeader) -> Result<usize> {
        if self.separator.is_empty() {
            return Err(Error::request("the separator of tags", "some text", "none"));
        }
        place_of(header, &self.column)
    }
}

/// Which columns of a file are labels.
pub(super) struct ChosenLabels {
    /// For each column, whether it was chosen.
    pub(super) is_label: Vec<bool>,
    /// For each column, whether the file itself, or a label file beside it, says that it is one.
    pub(super) is_declared: Vec<bool>,
}

impl ChosenLabels {
    /// Chosen among those that a file declares. If others are chosen too, what the file says is stale.
    pub(super) fn among(is_label: Vec<bool>, is_declared: Option<Vec<bool>>) -> Self {
        let contains = |declared: &Vec<bool>| {
            let mut columns = is_label.iter().zip(declared);
            columns.all(|(chosen, declared)| *declared || !chosen)
        };
        match is_declared.filter(contains) {
            Some(is_declared) => Self {
                is_label,
                is_declared,
            },
            None => Self::undeclared(is_label),
        }
    }

    /// Of a file that does not say anything about its labels.
    pub(super) fn undeclared(is_label: Vec<bool>) -> Self {
        Self {
            is_declared: vec![false; is_label.len()],
            is_label,
        }
    }
}

impl LabelSource {
    /// The choice that a text stands for.
    pub fn of_text(text: &str) -> Self {
        parse(text).unwrap_or_else(|| Self::Unclear(text.to_owned()))
    }

    /// The column of tags, if these are the labels.
    pub fn tags(&self) -> Option<&Tags> {
        match self {
            Self::Tags(tags) => Some(tags),
            _ => None,
        }
    }

    /// Whether it says of each label, or of their number, that it is one.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::First(_) | Self::Last(_) | Self::Names(_))
    }

    /// For each column, whether it is a label: at least one is, unless tags are the labels, and at least one is not.
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
            Self::Tags(_) => vec![false; columns.columns.len()],
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
            Self::Tags(tags) => write!(formatter, "the tags of {}", excerpt(&tags.column)),
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
    let first = usize::from(header.columns[0].kind == CellKind::Index);
    let columns = 0..header.columns.len();
    Ok(columns
        .map(|column| (first..first + count).contains(&column))
        .collect())
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
        let column = by_name.get(name.as_str());
        chosen[*column.ok_or_else(|| no_column(header, name))?] = true;
    }
    Ok(chosen)
}

/// The place of a column in a file.
pub(super) fn place_of(header: &FileHeader, name: &str) -> Result<usize> {
    let mut columns = header.columns.iter();
    let place = columns.position(|column| column.name == name);
    place.ok_or_else(|| no_column(header, name))
}

/// The error that a file has no column of a name.
pub(super) fn no_column(header: &FileHeader, name: &str) -> Error {
    let expected = format!("a column named {}", excerpt(name));
    header.error(expected, list(header))
}

/// The error that a file has no column whose name begins so.
pub(super) fn no_column_with(header: &FileHeader, prefix: &str) -> Error {
    let expected = format!("a column whose name begins with {}", excerpt(prefix));
    header.error(expected, list(header))
}

fn with_prefix(header: &FileHeader, prefix: &str) -> Result<Vec<bool>> {
    let columns = header.columns.iter();
    let chosen: Vec<bool> = columns
        .map(|column| column.name.starts_with(prefix))
        .collect();
    if chosen.contains(&true) {
        return Ok(chosen);
    }
    Err(no_column_with(header, prefix))
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
