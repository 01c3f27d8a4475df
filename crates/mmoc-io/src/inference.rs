//! From files to a schema: roles follow from the first header and the first row, lists of words from all rows.

use std::borrow::Cow;
use std::collections::HashSet;

use super::columns::{CellKind, FileColumn, FileHeader, Role};
use super::convert::Contents;
use super::error::error_at;
use super::growth::too_many;
use super::open::Fill;
use super::rows::{Rows, Tally, is_best_sparse};
use super::sink::Sink;
use super::vocabulary::Vocabulary;
use super::{Attribute, Dataset, LabelSource, MOST_VALUES, Nominal, ReadOptions, Schema, Warning};
use crate::{Error, Result, TextPlace};
use mmoc::text::excerpt;

/// About so many numbers are added before their growth is looked at.
const ROUND: usize = 1 << 24;

/// The schema of some files while they are read.
pub(crate) struct Inference<'o> {
    /// How the files are read.
    pub(crate) options: &'o ReadOptions,
    /// What the user should know about them.
    pub(crate) warnings: Vec<Warning>,
    columns: InferredColumns,
    rows: Rows,
    /// What is counted of rows that are not kept.
    tally: Option<Tally>,
    bytes: usize,
}

/// What the first file says about its columns.
enum InferredColumns {
    /// No file was read.
    Unknown,
    /// They have names.
    Named {
        header: FileHeader,
        roles: Vec<Role>,
        attributes: Vec<Attribute>,
    },
    /// They have numbers only.
    Numbered(NumberedColumns),
}

/// Columns and labels that have numbers for names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberedColumns {
    /// The first file, as the user named it.
    pub(crate) file: String,
    /// The index of the first column.
    pub(crate) first_index: usize,
    /// Numbers of columns and labels, where the file says them.
    pub(crate) sizes: Option<(usize, usize)>,
}

impl<'o> Inference<'o> {
    /// No file read yet; rows are kept, or else counted.
    pub(crate) fn new(options: &'o ReadOptions, keep: bool) -> Self {
        Self {
            options,
            warnings: Vec::new(),
            columns: InferredColumns::Unknown,
            rows: Rows::sparse(),
            tally: (!keep).then(Tally::default),
            bytes: 0,
        }
    }

    /// Whether no file was read.
    pub(crate) fn is_first(&self) -> bool {
        matches!(self.columns, InferredColumns::Unknown)
    }

    /// Where the cells of a file go whose labels are chosen. All files have the columns of the first.
    pub(crate) fn sink(&mut self, header: FileHeader, is_label: &[bool]) -> Result<Sink<'static>> {
        let columns = header.columns.clone();
        let (roles, attributes) = match &self.columns {
            InferredColumns::Named {
                header: first,
                roles,
                attributes,
            } => {
                check_same(first, roles, &header, is_label)?;
                (roles.clone(), attributes.clone())
            }
            _ => self.begin_named(header, is_label)?,
        };
        Ok(Sink {
            columns,
            roles,
            attributes: Cow::Owned(attributes),
            absent: Vec::new(),
            missing: self.options.missing,
        })
    }

    fn begin_named(
        &mut self,
        header: FileHeader,
        is_label: &[bool],
    ) -> Result<(Vec<Role>, Vec<Attribute>)> {
        let (mut roles, mut attributes, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let (mut labels, mut column) = (0, 0);
        for (found, &label) in header.columns.iter().zip(is_label) {
            if label {
                roles.push(Role::Label(labels));
                labels += 1;
                continue;
            }
            let attribute = found.attribute();
            check_width(&header.file, found, attribute.width())?;
            roles.push(match found.kind {
                CellKind::Words
                | CellKind::Undeclared {
                    first_is_word: true,
                } => {
                    words.push(column);
                    Role::NewWord(words.len() - 1)
                }
                _ => Role::of(&attribute, attributes.len(), column),
            });
            column += attribute.width();
            attributes.push(attribute);
        }
        check_names(&header, &roles, &attributes)?;
        self.rows = Rows::new(header.sparse, column).with_words(words);
        self.columns = InferredColumns::Named {
            header,
            roles: roles.clone(),
            attributes: attributes.clone(),
        };
        Ok((roles, attributes))
    }

    /// Begins with a file whose columns have numbers only, or says what the first one was.
    pub(crate) fn numbered(&mut self, found: NumberedColumns) -> &NumberedColumns {
        if self.is_first() {
            let rows = Rows::sparse();
            self.rows = match found.sizes {
                None => rows.with_label_numbers(),
                Some(_) => rows,
            };
            self.columns = InferredColumns::Numbered(found);
        }
        match &self.columns {
            InferredColumns::Numbered(first) => first,
            _ => unreachable!("all files have one format"),
        }
    }

    /// Reads all rows of a file.
    pub(crate) fn take(&mut self, file: &mut dyn Fill) -> Result<()> {
        let most = (ROUND / self.rows.reach().max(self.width()).max(1)).max(1);
        loop {
            let before = self.rows.count();
            file.fill(&mut self.rows, most)?;
            let added = self.rows.count() - before;
            self.check_growth(file)?;
            if let Some(tally) = &mut self.tally {
                self.rows.tally(tally);
            }
            if added < most {
                self.bytes += file.taken().0;
                return Ok(());
            }
        }
    }

    /// The columns of a row.
    fn width(&self) -> usize {
        match &self.columns {
            InferredColumns::Named { attributes, .. } => {
                attributes.iter().map(Attribute::width).sum()
            }
            _ => 0,
        }
    }

    /// Values that rows leave out must not become far more numbers than the files have bytes.
    fn check_growth(&self, file: &dyn Fill) -> Result<()> {
        let (bytes, place) = file.taken();
        let (InferredColumns::Named { header, .. }, Some(_)) = (&self.columns, place) else {
            return Ok(());
        };
        let stored = self.rows.stored();
        match too_many(stored, self.bytes + bytes) {
            None => Ok(()),
            Some(expected) => Err(error_at(place, &header.file, expected, stored.to_string())),
        }
    }

    /// All rows as a data set; at least one file was read.
    pub(crate) fn finish(mut self, name: String) -> Result<(Dataset, Vec<Warning>)> {
        let count = self.rows.count();
        let found = self.finish_columns(count)?;
        if found.lists.iter().any(Option::is_some) {
            let lists: Vec<_> = found.ranked_lists();
            self.rows.expand(&lists);
        }
        let columns = found.attributes.iter().map(Attribute::width).sum();
        let (features, labels) = self.rows.finish(columns, found.label_names.len())?;
        let (attributes, label_names) = (found.attributes, found.label_names);
        let dataset = Dataset::from_attributes(name, features, labels, attributes, label_names)?;
        Ok((dataset, self.warnings))
    }

    /// What is known of rows that were counted; at least one file was read.
    pub(crate) fn finish_counted(mut self, name: String) -> Result<(Contents, Vec<Warning>)> {
        let mut tally = self.tally.take().unwrap_or_default();
        let found = self.finish_columns(tally.rows)?;
        tally.missing = found.spread(&tally.missing);
        if let Some(ranks) = &found.label_ranks {
            let counts = std::mem::take(&mut tally.frequencies);
            tally.frequencies = vec![0; ranks.len()];
            for (&rank, count) in ranks.iter().zip(counts) {
                tally.frequencies[rank as usize] = count;
            }
        }
        tally.frequencies.resize(found.label_names.len(), 0);
        let columns = found.attributes.iter().map(Attribute::width).sum();
        let sparse = self.rows.is_sparse() && is_best_sparse(tally.stored, tally.rows, columns);
        let contents = Contents {
            name,
            schema: Schema::new(found.attributes, found.label_names, sparse)?,
            rows: tally.rows,
            missing: tally.missing,
            frequencies: tally.frequencies,
        };
        Ok((contents, self.warnings))
    }

    fn finish_columns(&mut self, rows: usize) -> Result<FoundColumns> {
        match std::mem::replace(&mut self.columns, InferredColumns::Unknown) {
            InferredColumns::Named {
                header,
                roles,
                attributes,
            } => {
                let words = self.rows.take_words();
                let found = FoundColumns::named(&header, &roles, attributes, words);
                check_names(&header, &roles, &found.attributes)?;
                check_words(&header, &roles, &found.attributes, rows)?;
                Ok(found)
            }
            InferredColumns::Numbered(columns) => Ok(self.finish_numbered(&columns)),
            InferredColumns::Unknown => unreachable!("a file was read"),
        }
    }

    fn finish_numbered(&mut self, columns: &NumberedColumns) -> FoundColumns {
        let (numbers, label_ranks) = match self.rows.take_label_numbers() {
            Some((numbers, ranks)) => (numbers, Some(ranks)),
            None => (Vec::new(), None),
        };
        let (count, labels) = columns.sizes.unwrap_or((self.rows.reach(), 0));
        let first = columns.first_index;
        let names = (first..first + count).map(|index| Attribute::numeric(format!("x{index}")));
        let numbers = numbers.into_iter().chain(0..labels as u64);
        FoundColumns {
            attributes: names.collect(),
            lists: Vec::new(),
            label_names: numbers.map(|number| number.to_string()).collect(),
            label_ranks,
        }
    }
}

/// The columns of all files, once their words are known.
struct FoundColumns {
    attributes: Vec<Attribute>,
    /// For each attribute whose words were found, the place of each code's word in its list.
    lists: Vec<Option<Vec<u32>>>,
    label_names: Vec<String>,
    /// Where labels were found by number, the place of each code's label.
    label_ranks: Option<Vec<u32>>,
}

impl FoundColumns {
    fn named(
        header: &FileHeader,
        roles: &[Role],
        mut attributes: Vec<Attribute>,
        words: Vec<(usize, Vocabulary<String>)>,
    ) -> Self {
        let mut words = words.into_iter();
        let mut lists = vec![None; attributes.len()];
        let (mut label_names, mut feature) = (Vec::new(), 0);
        for (column, role) in header.columns.iter().zip(roles) {
            match role {
                Role::Label(_) => {
                    label_names.push(column.name.clone());
                    continue;
                }
                Role::NewWord(_) => {
                    let (words, ranks) = words.next().expect("one for each").1.sorted();
                    // Where no word is there is no list of them.
                    if !words.is_empty() {
                        let list = Nominal::new(words).expect("keys of a map are different");
                        attributes[feature] = Attribute::of_list(column.name.as_str(), list);
                        lists[feature] = Some(ranks);
                    }
                }
                _ => (),
            }
            feature += 1;
        }
        Self {
            attributes,
            lists,
            label_names,
            label_ranks: None,
        }
    }

    /// For each column of the store, the list of its words, if it holds codes.
    fn ranked_lists(&self) -> Vec<Option<(&Nominal, Vec<u32>)>> {
        let attributes = self.attributes.iter().zip(&self.lists);
        let columns = attributes.flat_map(|(attribute, ranks)| {
            let list = attribute.list().zip(ranks.clone());
            let width = if list.is_some() { 1 } else { attribute.width() };
            std::iter::repeat_n(list, width)
        });
        columns.collect()
    }

    /// What is known of each column of the store, for each column of the features.
    fn spread(&self, stored: &[bool]) -> Vec<bool> {
        let mut column = 0;
        let mut spread = Vec::new();
        let mut next = |width: usize| {
            let cells = column..column + width;
            column = cells.end;
            cells.map(|column| stored.get(column).copied().unwrap_or(false))
        };
        for (index, attribute) in self.attributes.iter().enumerate() {
            if self.lists.get(index).is_some_and(Option::is_some) {
                let missing = next(1).any(|missing| missing);
                spread.extend(std::iter::repeat_n(missing, attribute.width()));
            } else {
                spread.extend(next(attribute.width()));
            }
        }
        spread
    }
}

/// Formats whose rows begin with their labels leave nothing to choose.
pub(crate) fn refuse_label_choice(labels: &LabelSource) -> Result<()> {
    match labels {
        LabelSource::Auto => Ok(()),
        choice => Err(Error::request(
            "the choice of labels",
            "left out for libsvm and extreme files, whose rows name their labels",
            format!("'{choice}'"),
        )),
    }
}

/// Fails unless another file has the columns of the first in the same order, for the same ends.
fn check_same(
    first: &FileHeader,
    roles: &[Role],
    header: &FileHeader,
    is_label: &[bool],
) -> Result<()> {
    let length = first.columns.len().max(header.columns.len());
    for index in 0..length {
        let describe = |column: Option<&FileColumn>, is_label: bool| {
            column.map_or_else(
                || "no more columns".to_owned(),
                |column| column.describe(is_label),
            )
        };
        let was_label = matches!(roles.get(index), Some(Role::Label(_)));
        let expected = describe(first.columns.get(index), was_label);
        let column = header.columns.get(index);
        let found = describe(column, is_label.get(index).copied().unwrap_or(false));
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

fn check_width(file: &str, column: &FileColumn, width: usize) -> Result<()> {
    if width <= MOST_VALUES {
        return Ok(());
    }
    let expected = format!("at most {MOST_VALUES} values of a feature");
    Err(error_at(column.place, file, expected, width.to_string()))
}

/// The columns of a file that are features.
fn features<'h>(header: &'h FileHeader, roles: &'h [Role]) -> impl Iterator<Item = &'h FileColumn> {
    let columns = header.columns.iter().zip(roles);
    let features = columns.filter(|(_, role)| !matches!(role, Role::Label(_)));
    features.map(|(column, _)| column)
}

/// Columns `name=value` must not meet a column that is called so.
fn check_names(header: &FileHeader, roles: &[Role], attributes: &[Attribute]) -> Result<()> {
    let mut seen = HashSet::new();
    for (column, attribute) in features(header, roles).zip(attributes) {
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

/// Words that were found must not become far more numbers than the table has cells.
fn check_words(
    header: &FileHeader,
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
    let widest = features(header, roles).zip(attributes);
    let widest = widest.max_by_key(|(_, attribute)| attribute.width());
    let place: Option<TextPlace> = widest.and_then(|(column, _)| column.place);
    Err(error_at(place, &header.file, expected, numbers.to_string()))
}
