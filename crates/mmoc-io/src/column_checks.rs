//! What must be right about the columns of files from which a schema is inferred.

use std::collections::HashSet;

use super::cell::{expected_point, has_decimal_comma};
use super::columns::{CellKind, FileColumn, FileHeader, Role, Use};
use super::dates::Moment;
use super::error::{Expected, error_at};
use super::growth::too_many;
use super::word_column::WordColumn;
use super::{Attribute, MOST_VALUES};
use crate::{Remedy, Result, TextPlace};
use mmoc::text::excerpt;

/// In tables of fewer rows all words of a column may be different by chance.
const FEWEST_CELLS: usize = 20;

/// Fails unless another file has the columns of the first in the same order, for the same ends.
pub(super) fn check_same(
    first: &FileHeader,
    first_uses: &[Use],
    header: &FileHeader,
    uses: &[Use],
) -> Result<()> {
    let length = first.columns.len().max(header.columns.len());
    for index in 0..length {
        let describe = |header: &FileHeader, uses: &[Use]| {
            let column = header.columns.get(index).zip(uses.get(index));
            column.map_or_else(
                || "no more columns".to_owned(),
                |(column, &used)| column.describe(used),
            )
        };
        let expected = describe(first, first_uses);
        let column = header.columns.get(index);
        let found = describe(header, uses);
        if expected != found || !same_list(first.columns.get(index), column) {
            let place = column.map_or(header.end, |column| column.place);
            let expected = format!("{expected}, as in {}", first.file);
            return Err(error_at(place, &header.file, expected, found));
        }
    }
    Ok(())
}

/// Whether two columns have the same list of values, if they have one; messages show the beginnings only.
fn same_list(one: Option<&FileColumn>, other: Option<&FileColumn>) -> bool {
    match (one.map(|one| &one.kind), other.map(|other| &other.kind)) {
        (Some(CellKind::List(one)), Some(CellKind::List(other))) => one == other,
        _ => true,
    }
}

pub(super) fn check_width(file: &str, column: &FileColumn, width: usize) -> Result<()> {
    if width <= MOST_VALUES {
        return Ok(());
    }
    let expected = format!("at most {MOST_VALUES} values of a feature");
    Err(error_at(column.place, file, expected, width.to_string()))
}

/// The columns of a file that are features.
fn features<'h>(header: &'h FileHeader, uses: &'h [Use]) -> impl Iterator<Item = &'h FileColumn> {
    let columns = header.columns.iter().zip(uses);
    let features = columns.filter(|(_, used)| **used == Use::Feature);
    features.map(|(column, _)| column)
}

/// A column must not be asked for two things; each purpose says whether it was asked for.
pub(super) fn check_one_purpose<const N: usize>(
    header: &FileHeader,
    index: usize,
    purposes: [(&str, bool); N],
) -> Result<()> {
    let asked = purposes.iter().filter(|(_, asked)| *asked);
    let asked: Vec<&str> = asked.map(|(purpose, _)| *purpose).collect();
    if asked.len() < 2 {
        return Ok(());
    }
    let column = &header.columns[index];
    let expected = format!("one purpose of the column {}", excerpt(&column.name));
    let found = format!("{}: {}", asked.len(), asked.join(", "));
    Err(error_at(column.place, &header.file, expected, found))
}

/// Columns `name=value` must not meet a column that is called so.
pub(super) fn check_names(
    header: &FileHeader,
    uses: &[Use],
    attributes: &[Attribute],
) -> Result<()> {
    let mut seen = HashSet::new();
    for (column, attribute) in features(header, uses).zip(attributes) {
        for name in attribute.column_names() {
            if let Some(name) = seen.replace(name) {
                let expected = "columns with names of their own";
                let found = format!("{} again", excerpt(&name));
                return Err(error_at(column.place, &header.file, expected, found));
            }
        }
    }
    Ok(())
}

/// A label that is not known in any row cannot be learnt; `never` is the first of them.
pub(super) fn check_labels_known(
    header: &FileHeader,
    roles: &[Role],
    never: Option<usize>,
) -> Result<()> {
    let Some(never) = never else {
        return Ok(());
    };
    let columns = header.columns.iter().zip(roles);
    let labels = columns.filter_map(|(column, role)| match *role {
        Role::Label(label) | Role::LabelValue(label) => Some((column, label)),
        _ => None,
    });
    // The labels of a column of values follow its first one.
    let column = labels.take_while(|(_, first)| *first <= never).last();
    let (column, _) = column.expect("a label that is not known has a column");
    let expected = format!("the label {} in some row", excerpt(&column.name));
    let found = "only missing cells";
    Err(error_at(column.place, &header.file, expected, found))
}

/// Words that were found must not become far more numbers than the table has cells.
pub(super) fn check_words(
    header: &FileHeader,
    uses: &[Use],
    roles: &[Role],
    attributes: &[Attribute],
    rows: usize,
) -> Result<()> {
    if !roles.iter().any(|role| matches!(role, Role::NewWord(_))) {
        return Ok(());
    }
    let columns: usize = attributes.iter().map(Attribute::width).sum();
    let numbers = rows.saturating_mul(columns);
    let Some(expected) = too_many(numbers, rows.saturating_mul(header.columns.len())) else {
        return Ok(());
    };
    let widest = features(header, uses).zip(attributes);
    let widest = widest.max_by_key(|(_, attribute)| attribute.width());
    let place: Option<TextPlace> = widest.and_then(|(column, _)| column.place);
    Err(error_at(place, &header.file, expected, numbers.to_string()))
}

/// Whether a word is a date or time that a number can stand for.
fn is_clear_moment(word: &str) -> bool {
    Moment::of(word).and_then(Moment::number).is_some()
}

/// A column that has another word in nearly every row is a name or free text, and dates are no words: nothing can be
/// learnt from indicators of them.
pub(super) fn check_words_recur(
    header: &FileHeader,
    roles: &[Role],
    words: &[WordColumn],
) -> Result<()> {
    let columns = header.columns.iter().zip(roles);
    let columns = columns.filter_map(|(column, role)| match role {
        Role::NewWord(index) | Role::Undecided(index) => Some((column, &words[*index])),
        _ => None,
    });
    for (column, found) in columns {
        let name = excerpt(&column.name);
        let error = |expected: Expected, found: String| {
            Err(error_at(column.place, &header.file, expected, found))
        };
        if let Some(date) = found.words.all(|word| is_clear_moment(word)) {
            let expected = format!("numbers or words in {name}");
            let expected = Expected::or(expected, Remedy::NumberTimes);
            return error(
                expected,
                format!("dates or times such as {}", excerpt(date)),
            );
        }
        if found.words.all(|word| Moment::of(word).is_some()).is_some() {
            let unclear = found.words.first(|word| !is_clear_moment(word));
            let unclear = unclear.map_or("", String::as_str);
            let expected = format!("numbers or words in {name}, or dates such as 2024-03-01");
            let expected = Expected::or(expected, Remedy::IgnoreColumn);
            let found = format!(
                "{}, whose day, month and year are not clear",
                excerpt(unclear)
            );
            return error(expected, found);
        }
        if let Some(number) = found.words.all(|word| has_decimal_comma(word)) {
            return error(expected_point(&column.name), excerpt(number));
        }
        let different = found.words.len();
        if found.cells >= FEWEST_CELLS && different * 10 > found.cells * 9 {
            let expected = format!("words in {name} that occur in several rows");
            let expected = Expected::or(expected, Remedy::NameRows(column.name.clone()));
            return error(
                expected,
                format!("{different} different words in {} rows", found.cells),
            );
        }
    }
    Ok(())
}
