//! Mulan label files: which attributes of an ARFF file are labels.
//!
//! ```xml
//! <labels xmlns="http://mulan.sourceforge.net/labels">
//!   <label name="outdoors"><label name="beach"/></label>
//! </labels>
//! ```
//!
//! A hierarchy is flattened: every label counts, wherever it is nested. Document types and entities
//! of one's own are refused.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use roxmltree::{Document, Node};

use super::columns::FileHeader;
use super::lines::{Line, Lines};
use super::source::Source;
use crate::TextPlace;
use crate::{Error, Result};
use mmoc::text::{excerpt, safe};

/// A larger file is refused; a label takes some thirty bytes.
const LARGEST: usize = 1 << 26;

/// A label file that was read.
pub(super) struct LabelFile {
    file: String,
    text: String,
    labels: Vec<Label>,
}

struct Label {
    name: String,
    /// Where the name begins in the file's text.
    offset: usize,
}

impl LabelFile {
    /// Reads a label file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut lines = Lines::new(Source::open(path)?);
        let text = read_text(&mut lines)?;
        let mut file = Self {
            file: lines.file().to_owned(),
            text,
            labels: Vec::new(),
        };
        file.labels = file.parse()?;
        file.check_names()?;
        Ok(file)
    }

    /// For each column, whether the file names it.
    ///
    /// A label is the column of exactly its name. Where there is none, names are compared with
    /// backslash escapes undone on both sides: an ARFF file may write `'m\'usica'` in quotes, where
    /// the backslash escapes, or `m\'usica` without, where it is a character, and label files are
    /// made by copying either.
    pub(super) fn choose(&self, columns: &FileHeader) -> Result<Vec<bool>> {
        let exact = columns.by_name();
        let mut unescaped = None;
        let mut chosen = vec![false; columns.columns.len()];
        for label in &self.labels {
            let column = exact.get(label.name.as_str()).copied().or_else(|| {
                let unescaped = unescaped.get_or_insert_with(|| by_unescaped_name(columns));
                unescaped.get(&unescape(&label.name)).copied().flatten()
            });
            let column = column.ok_or_else(|| {
                let expected = format!("the name of a column of {}", columns.file);
                self.error(label.offset, expected, excerpt(&label.name))
            })?;
            chosen[column] = true;
        }
        Ok(chosen)
    }

    fn error(&self, offset: usize, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let whole = Line {
            file: &self.file,
            number: 1,
            text: &self.text,
            ending: "",
        };
        whole.error(offset, expected, found)
    }

    fn parse(&self) -> Result<Vec<Label>> {
        let document = Document::parse(&self.text).map_err(|error| self.not_xml(&error))?;
        let root = document.root_element();
        if root.tag_name().name() != "labels" {
            return Err(self.unexpected_element(root, "the element <labels>"));
        }
        let elements = root.descendants().skip(1).filter(Node::is_element);
        elements.map(|element| self.label(element)).collect()
    }

    fn label(&self, element: Node<'_, '_>) -> Result<Label> {
        if element.tag_name().name() != "label" {
            return Err(self.unexpected_element(element, "an element <label>"));
        }
        match element.attribute_node("name") {
            Some(attribute) => Ok(Label {
                name: attribute.value().to_owned(),
                offset: attribute.range_value().start,
            }),
            None => Err(self.error(element.range().start, "a label with a name", "one without")),
        }
    }

    fn unexpected_element(&self, element: Node<'_, '_>, expected: &str) -> Error {
        let found = format!("<{}>", element.tag_name().name());
        self.error(element.range().start, expected, found)
    }

    /// The parser's own message without the position, which is said before it. It may show what
    /// the file holds.
    fn not_xml(&self, error: &roxmltree::Error) -> Error {
        const LONGEST: usize = 100;
        let position = error.pos();
        let place = TextPlace {
            line: position.row as usize,
            column: position.col as usize,
        };
        let message = error.to_string();
        let message = message.split(" at ").next().unwrap_or(&message);
        place.error(
            &self.file,
            "well-formed XML",
            format!("an error ({})", safe(message, LONGEST)),
        )
    }

    fn check_names(&self) -> Result<()> {
        if self.labels.is_empty() {
            return Err(self.error(0, "at least one label", "none"));
        }
        let mut seen = HashSet::new();
        let mut labels = self.labels.iter();
        match labels.find(|label| !seen.insert(label.name.as_str())) {
            None => Ok(()),
            Some(label) => {
                let found = format!("{} again", excerpt(&label.name));
                Err(self.error(label.offset, "a name not used before", found))
            }
        }
    }
}

fn read_text(lines: &mut Lines<'_>) -> Result<String> {
    let mut text = String::new();
    while let Some(line) = lines.next_line()? {
        text.push_str(line.text);
        text.push('\n');
        if text.len() > LARGEST {
            let expected = format!("a label file of at most {LARGEST} bytes");
            return Err(line.error(0, expected, "a larger one"));
        }
    }
    Ok(text)
}

/// The column of each name once its escapes are undone; of a name that several share, none.
fn by_unescaped_name(header: &FileHeader) -> HashMap<String, Option<usize>> {
    let mut by_name = HashMap::new();
    for (column, found) in header.columns.iter().enumerate() {
        by_name
            .entry(unescape(&found.name))
            .and_modify(|entry| *entry = None)
            .or_insert(Some(column));
    }
    by_name
}

/// The text with `\c` replaced by `c`.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.push(characters.next().unwrap_or('\\')),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(xml: &str, names: &[&str]) -> Result<Vec<bool>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.xml");
        std::fs::write(&path, xml).unwrap();
        LabelFile::read(&path)?.choose(&FileHeader::of_names("a.arff", names))
    }

    #[test]
    fn nested_labels_are_flattened() {
        let xml = "<labels><label name='a'><label name='c'/></label></labels>";
        assert_eq!(chosen(xml, &["a", "b", "c"]).unwrap(), [true, false, true]);
    }

    #[test]
    fn escapes_matter_only_where_the_exact_name_is_not_there() {
        let xml = r#"<labels><label name="m\'u"/></labels>"#;
        assert_eq!(chosen(xml, &["m'u", r"m\'u"]).unwrap(), [false, true]);
        assert_eq!(chosen(xml, &["m'u", "x"]).unwrap(), [true, false]);
        let xml = r#"<labels><label name="m'u"/></labels>"#;
        assert_eq!(chosen(xml, &["x", r"m\'u"]).unwrap(), [false, true]);
    }

    #[test]
    fn a_name_that_could_mean_two_columns_means_none() {
        let xml = r#"<labels><label name="a\b"/></labels>"#;
        assert!(chosen(xml, &["ab", r"\ab"]).is_err());
    }

    #[test]
    fn document_types_are_refused() {
        let xml = "<!DOCTYPE labels [<!ENTITY e 'x'>]><labels><label name='&e;'/></labels>";
        assert!(chosen(xml, &["x", "y"]).is_err());
    }

    #[test]
    fn what_the_parser_shows_of_the_file_is_safe_to_show() {
        for (xml, shown) in [
            ("<labels a\0='b'/>".to_owned(), r"'\u{0}'"),
            (format!("<{}></b>", "a".repeat(9000)), "aaa…)"),
        ] {
            let message = chosen(&xml, &["x", "y"]).unwrap_err().to_string();
            assert!(message.contains(shown), "{message}");
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }

    #[test]
    fn deep_nesting_does_not_exhaust_the_stack() {
        let depth = 100_000;
        let xml = format!(
            "<labels>{}{}</labels>",
            "<label name='a'>".repeat(depth),
            "</label>".repeat(depth)
        );
        assert!(chosen(&xml, &["a"]).is_err());
    }
}
