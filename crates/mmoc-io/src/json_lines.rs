//! Rows as JSON objects, one in each line: cells by the names of their columns.
//!
//! - A cell is a number, `true` or `false` (1 and 0), a string, or `null`, which is missing, as are `""` and `"?"`. A
//!   column that an object leaves out is missing in its row. A string is read as the cell of a table is. The number 1.0
//!   is the word `1` where there are such words.
//! - A list of strings is a cell of tags.
//! - Where columns are inferred, the first object names all of them.
//! - Where they are matched to a schema, every object may have other keys, which are not used.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use mmoc::text::excerpt;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::cell::{WEIGHT, is_missing, looks_numeric, number};
use super::columns::{CellKind, FileColumn, FileHeader, FirstCell, Role};
use super::error::Expected;
use super::json;
use super::label_source::ChosenLabels;
use super::lines::{Line, Lines};
use super::matching::Matcher;
use super::open::{Opened, Purpose};
use super::read::{MissingCells, MissingLabels};
use super::row_id::RowId;
use super::rows::Rows;
use super::sink::Sink;
use super::source::Source;
use super::text::{ParseRow, ReadRecord, TextRows};
use crate::{Result, TextPlace};

/// Opens a file.
pub(super) fn open<'a>(source: Source<'a>, purpose: &mut Purpose<'a, '_>) -> Result<Opened<'a>> {
    let mut lines = ObjectLines::new(source);
    let mut columns = lines.peek_columns()?;
    let is_inferred = match purpose {
        Purpose::Match(matcher) => {
            if matcher.options.missing != MissingCells::Cells {
                add_absent(&mut columns, matcher, lines.peeked);
            }
            false
        }
        Purpose::Infer(_) if !lines.peeked => {
            return Err(lines.lines.error_at_end("at least one row"));
        }
        Purpose::Infer(_) => true,
    };
    let header = FileHeader {
        file: lines.lines.file().to_owned(),
        place: Some(TextPlace::START),
        end: Some(TextPlace::START),
        columns,
        sparse: false,
    };
    let (sink, notes) = purpose.sink(header, |header, inference| {
        let is_label = inference.options.labels.choose(header)?;
        Ok(ChosenLabels::undeclared(is_label))
    })?;
    let parser = ObjectParser::new(sink, is_inferred);
    Ok(Opened::new(TextRows::new(lines, parser), notes))
}

/// Adds the columns that are wanted and that the first object leaves out: another one may have them. If it has none of
/// the features, this is another table.
fn add_absent(columns: &mut Vec<FileColumn>, matcher: &Matcher<'_>, has_first: bool) {
    let wanted = matcher.wanted;
    let found: HashSet<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (mut absent, mut first) = (Vec::new(), 0);
    for attribute in wanted.attributes {
        let parts = &wanted.feature_names[first..first + attribute.width()];
        first += parts.len();
        if !found.contains(attribute.name()) && !parts.iter().all(|part| found.contains(part)) {
            absent.push(attribute.name());
        }
    }
    if has_first && absent.len() == wanted.attributes.len() {
        return;
    }
    let may_lack_labels = !has_first || matcher.options.missing_labels == MissingLabels::Ignore;
    if may_lack_labels && matcher.options.are_columns_labels() {
        let labels = wanted.label_names.iter().map(String::as_str);
        absent.extend(labels.filter(|label| !found.contains(*label)));
    }
    if !has_first {
        absent.extend(matcher.options.columns_by_name());
    }
    let added = absent
        .into_iter()
        .map(|name| column(name, FirstCell::Missing));
    columns.extend(added);
}

fn column(name: &str, first: FirstCell) -> FileColumn {
    let kind = CellKind::Undeclared(first);
    FileColumn::new(name, Some(TextPlace::START), kind)
}

/// The lines of a file that are objects.
struct ObjectLines<'a> {
    lines: Lines<'a>,
    /// Whether the present line is still to be read.
    peeked: bool,
}

impl<'a> ObjectLines<'a> {
    fn new(source: Source<'a>) -> Self {
        Self {
            lines: Lines::new(source),
            peeked: false,
        }
    }

    /// The columns that the first object has, which stays to be read; none at the end of the file.
    fn peek_columns(&mut self) -> Result<Vec<FileColumn>> {
        self.peeked = self.next_record()?.is_some();
        if !self.peeked {
            return Ok(Vec::new());
        }
        let object = Object::read(self.lines.current())?;
        let mut seen = HashSet::new();
        let cells = object.0.into_iter();
        let cells = cells.filter(|(key, _)| seen.insert(key.clone()));
        let columns = cells.map(|(key, value)| column(&key, first_cell(value)));
        Ok(columns.collect())
    }
}

impl ReadRecord for ObjectLines<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        if std::mem::take(&mut self.peeked) {
            return Ok(Some(self.lines.current()));
        }
        while self.lines.advance()? {
            if !self.lines.current().text.trim_ascii().is_empty() {
                return Ok(Some(self.lines.current()));
            }
        }
        Ok(None)
    }

    fn lines(&self) -> &Lines<'_> {
        &self.lines
    }
}

/// The keys of an object in their order, and their values as they stand in the line.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    fn read(line: Line<'a>) -> Result<Self> {
        json::parse(line, "a JSON object for each row")
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(ReadObject)
    }
}

struct ReadObject;

/// A key, without a copy unless it has escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for ReadObject {
    type Value = Object<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut cells = Vec::with_capacity(16);
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            cells.push((key, value));
        }
        Ok(Object(cells))
    }
}

/// Parses objects whose columns have their roles.
struct ObjectParser<'a> {
    sink: Sink<'a>,
    by_name: HashMap<String, usize>,
    /// Whether the columns are those of the first object, and there are no others.
    is_inferred: bool,
}

impl<'a> ObjectParser<'a> {
    fn new(sink: Sink<'a>, is_inferred: bool) -> Self {
        let names = sink.columns.iter().enumerate();
        let by_name = names.map(|(index, column)| (column.name.clone(), index));
        Self {
            by_name: by_name.collect(),
            sink,
            is_inferred,
        }
    }

    /// The column of a key; it is `likely` where all objects have the same keys in the same order.
    fn column(&self, key: &str, likely: usize) -> Option<usize> {
        match self.sink.columns.get(likely) {
            Some(column) if column.name == key => Some(likely),
            _ => self.by_name.get(key).copied(),
        }
    }

    /// Puts the columns that an object leaves out.
    fn put_absent(
        &self,
        record: Line<'_>,
        row: usize,
        found_in: &[usize],
        rows: &mut Rows,
    ) -> Result<()> {
        for (index, &last) in found_in.iter().enumerate() {
            if last != row {
                let put = self.put_absent_cell(index, row, rows);
                put.map_err(|expected| record.error(0, expected, "no such key"))?;
            }
        }
        Ok(())
    }

    fn put_absent_cell(
        &self,
        index: usize,
        row: usize,
        rows: &mut Rows,
    ) -> std::result::Result<(), Expected> {
        let is_feature = matches!(self.sink.roles[index], Role::Number(_) | Role::Word(..));
        if is_feature && self.sink.missing == MissingCells::Cells {
            let name = excerpt(&self.sink.columns[index].name);
            return Err(format!("the key {name}").into());
        }
        self.sink.put_missing(index, row, rows)
    }
}

impl ParseRow for ObjectParser<'_> {
    /// For each column, the last row that had it.
    type Scratch = Vec<usize>;

    fn scratch(&self) -> Self::Scratch {
        vec![0; self.sink.columns.len()]
    }

    fn parse(
        &self,
        record: Line<'_>,
        row: usize,
        found_in: &mut Self::Scratch,
        rows: &mut Rows,
    ) -> Result<()> {
        let (mut next, mut count) = (0, 0);
        for (key, value) in Object::read(record)?.0 {
            let Some(index) = self.column(&key, next) else {
                if self.is_inferred {
                    let expected = "a key of the first object, which names all columns";
                    return Err(record.error(
                        place_of(record, &key, value),
                        expected,
                        excerpt(&key),
                    ));
                }
                continue;
            };
            if found_in[index] == row {
                let found = format!("{} again", excerpt(&key));
                let expected = "a key that the object has only once";
                return Err(record.error(place_of(record, &key, value), expected, found));
            }
            found_in[index] = row;
            (next, count) = (index + 1, count + 1);
            if self.sink.roles[index] != Role::Unused {
                self.put(record, row, index, value.get(), rows)?;
            }
        }
        if count < found_in.len() {
            self.put_absent(record, row, found_in, rows)?;
        }
        self.sink.end_row(rows);
        Ok(())
    }
}

impl ObjectParser<'_> {
    fn put(
        &self,
        record: Line<'_>,
        row: usize,
        index: usize,
        value: &str,
        rows: &mut Rows,
    ) -> Result<()> {
        if self.sink.put_decimal(index, value.as_bytes(), rows) {
            return Ok(());
        }
        let put = match Cell::of(value) {
            Cell::List(tags) if self.sink.roles[index] == Role::Tags => {
                let mut tags = tags.iter();
                tags.try_for_each(|tag| self.sink.put_tag(index, tag, rows))
            }
            Cell::Missing => self.sink.put_missing(index, row, rows),
            Cell::Empty => self.sink.put_empty(index, row, rows),
            Cell::Text(text) => self.sink.put(index, &text, rows),
            Cell::Number(text) if self.sink.roles[index] == Role::Id => {
                rows.put_id(RowId {
                    text: text.to_owned(),
                    is_number: true,
                });
                Ok(())
            }
            Cell::Number(text) => self.put_number(index, text, rows),
            Cell::Flag(flag) => self.put_flag(index, flag, rows),
            Cell::List(_) | Cell::Other if self.sink.roles[index] == Role::Weight => {
                Err(WEIGHT.into())
            }
            Cell::List(_) | Cell::Other => Err("a number, a string, true, false or null".into()),
        };
        put.map_err(|expected| {
            let found = match value.as_bytes()[0] {
                b'[' => "a list".to_owned(),
                b'{' => "an object".to_owned(),
                b'"' if value.len() == 2 => "an empty string".to_owned(),
                b'"' => excerpt(value.trim_matches('"')),
                _ => excerpt(value),
            };
            record.error(offset_in(record, value), expected, found)
        })
    }

    /// Puts a truth value: a word where there are such words, otherwise 1 or 0.
    fn put_flag(
        &self,
        index: usize,
        flag: bool,
        rows: &mut Rows,
    ) -> std::result::Result<(), Expected> {
        let (word, number) = if flag { ("true", "1") } else { ("false", "0") };
        match self.sink.roles[index] {
            Role::NewWord(_) => self.sink.put(index, word, rows),
            Role::Word(attribute, _) => {
                let is_word = self.is_word(attribute, word);
                let text = if is_word { word } else { number };
                self.sink.put(index, text, rows)
            }
            _ => self.sink.put(index, number, rows),
        }
    }

    /// Puts a number. Where there are words, it is the one that is written like it, or else like it in short: JSON does
    /// not tell 1.0 from 1.
    fn put_number(
        &self,
        index: usize,
        text: &str,
        rows: &mut Rows,
    ) -> std::result::Result<(), Expected> {
        match self.sink.roles[index] {
            Role::Word(attribute, _) if !self.is_word(attribute, text) => {
                let short = number(text).map(|value| value.to_string());
                let short = short.filter(|short| self.is_word(attribute, short));
                self.sink.put(index, short.as_deref().unwrap_or(text), rows)
            }
            _ => self.sink.put(index, text, rows),
        }
    }

    /// Whether a feature has a word among its values.
    fn is_word(&self, attribute: usize, word: &str) -> bool {
        let list = self.sink.attributes[attribute].list();
        list.is_some_and(|list| list.position(word).is_some())
    }
}

/// What a value says.
enum Cell<'a> {
    Missing,
    /// A string without text.
    Empty,
    /// A string with text.
    Text(Cow<'a, str>),
    Number(&'a str),
    Flag(bool),
    /// A list of strings.
    List(Vec<String>),
    Other,
}

impl<'a> Cell<'a> {
    fn of(value: &'a str) -> Self {
        match value.as_bytes()[0] {
            b'n' => Self::Missing,
            b't' => Self::Flag(true),
            b'f' => Self::Flag(false),
            b'[' => serde_json::from_str(value).map_or(Self::Other, Self::List),
            b'{' => Self::Other,
            b'"' => match unquoted(value) {
                text if text.is_empty() => Self::Empty,
                text if is_missing(&text) => Self::Missing,
                text => Self::Text(text),
            },
            _ => Self::Number(value),
        }
    }
}

/// What a string says.
fn unquoted(value: &str) -> Cow<'_, str> {
    if value.contains('\\') {
        serde_json::from_str(value).map_or_else(|_| value.into(), Cow::Owned)
    } else {
        value[1..value.len() - 1].into()
    }
}

/// What the first cell of a column is.
fn first_cell(value: &RawValue) -> FirstCell {
    match Cell::of(value.get()) {
        Cell::Missing | Cell::Empty => FirstCell::Missing,
        Cell::Text(text) if !looks_numeric(&text) => FirstCell::Word,
        _ => FirstCell::Number,
    }
}

/// Where a key stands, or its value if the key is written with escapes.
fn place_of(line: Line<'_>, key: &str, value: &RawValue) -> usize {
    let value = offset_in(line, value.get());
    let quoted = line.text[..value].rfind(&format!("\"{key}\""));
    quoted.unwrap_or(value)
}

/// Where a part of a line begins.
fn offset_in(line: Line<'_>, part: &str) -> usize {
    part.as_ptr().addr() - line.text.as_ptr().addr()
}
