//! From files to a schema: roles follow from the first header and the first row, lists of words from all rows.

use std::borrow::Cow;

use super::column_checks::{
    check_labels_known, check_names, check_one_purpose, check_same, check_width, check_words,
    check_words_recur,
};
use super::columns::{CellKind, FileColumn, FileHeader, FirstCell, Role, Use, count_labels};
use super::convert::Contents;
use super::error::error_at;
use super::found_labels::FoundLabels;
use super::growth::{too_many, too_many_declared};
use super::label_source::{ChosenLabels, place_of};
use super::marks::Marks;
use super::note::SomeNames;
use super::open::Fill;
use super::rows::{Rows, is_best_sparse};
use super::sink::Sink;
use super::stream::{Pace, Unknown};
use super::tally::Tally;
use super::word_column::{Content, WordColumn};
use super::{
    Attribute, Dataset, Features, LabelSource, Labels, Loaded, Nominal, ReadOptions, Schema, Times,
    Warning,
};
use crate::{Error, Result, TextPlace};
use mmoc::memory::{Work, check_memory};
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
        uses: Vec<Use>,
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
    pub(crate) fn sink(
        &mut self,
        header: FileHeader,
        chosen: &ChosenLabels,
    ) -> Result<Sink<'static>> {
        let columns = header.columns.clone();
        let uses = self.uses(&header, chosen)?;
        let (roles, attributes) = match &self.columns {
            InferredColumns::Named {
                header: first,
                uses: first_uses,
                roles,
                attributes,
            } => {
                check_same(first, first_uses, &header, &uses)?;
                (roles.clone(), attributes.clone())
            }
            _ => self.begin_named(header, uses)?,
        };
        let tags = self.options.labels.tags();
        Ok(Sink {
            labels: count_labels(&columns, &roles),
            columns,
            roles,
            attributes: Cow::Owned(attributes),
            absent: Vec::new(),
            is_inferred: true,
            missing: self.options.missing,
            missing_labels: self.options.missing_labels,
            labels_may_be_missing: self.tally.is_none(),
            times: self.options.times,
            unknown: Unknown::Refuse,
            tags: tags.map(|tags| (tags.clone(), None)),
        })
    }

    /// What each column of a file is read as.
    fn uses(&mut self, header: &FileHeader, chosen: &ChosenLabels) -> Result<Vec<Use>> {
        let options = self.options;
        options.ignore.check(header)?;
        let place = |name: &String| place_of(header, name);
        let id = options.id.as_ref().map(place).transpose()?;
        let tags = options.labels.tags();
        let tags = tags.map(|tags| tags.find(header)).transpose()?;
        let weight = options.weight.as_ref().map(place).transpose()?;
        self.check_purposes(header, chosen, [tags, id, weight])?;
        let mut others = Vec::new();
        let is_left_out = |index: usize, column: &FileColumn| {
            let is_index = column.kind == CellKind::Index;
            Some(index) == id || is_index || options.ignore.contain(&column.name)
        };
        let mut uses = Vec::with_capacity(header.columns.len());
        for (index, column) in header.columns.iter().enumerate() {
            uses.push(match () {
                () if Some(index) == tags => Use::Tags,
                () if Some(index) == weight => Use::Weight,
                () if is_left_out(index, column) => {
                    others.extend(chosen.is_label[index].then_some(column.name.as_str()));
                    Use::LeftOut
                }
                () if chosen.is_label[index] => Use::Label,
                () if chosen.is_declared[index] && !options.labels_as_features => {
                    others.push(column.name.as_str());
                    Use::LeftOut
                }
                () => Use::Feature,
            });
        }
        if !others.is_empty() && self.is_first() {
            self.warnings.push(Warning::OtherLabels {
                file: header.file.clone(),
                labels: SomeNames::of(&others),
            });
        }
        Ok(uses)
    }

    /// Fails if a column is to be ignored and used, or to be used for two things.
    fn check_purposes(
        &self,
        header: &FileHeader,
        chosen: &ChosenLabels,
        [tags, id, weight]: [Option<usize>; 3],
    ) -> Result<()> {
        // Of labels that are not chosen one by one, some can be left out.
        let is_exact = self.options.labels.is_exact();
        for (index, column) in header.columns.iter().enumerate() {
            let [is_tags, is_id, is_weight] = [tags, id, weight].map(|own| own == Some(index));
            let is_ignored = self.options.ignore.contain(&column.name);
            if is_ignored || is_tags || is_id || is_weight {
                let is_label = chosen.is_label[index] && (is_exact || !is_ignored);
                let purposes = [
                    ("a label", is_label),
                    ("the column of tags", is_tags),
                    ("the column of weights", is_weight),
                    ("the column of what rows are called", is_id && !is_ignored),
                    ("a column to ignore", is_ignored),
                ];
                check_one_purpose(header, index, purposes)?;
            }
        }
        Ok(())
    }

    fn begin_named(
        &mut self,
        header: FileHeader,
        uses: Vec<Use>,
    ) -> Result<(Vec<Role>, Vec<Attribute>)> {
        let (mut roles, mut attributes, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let (mut labels, mut column) = (0, 0);
        for (found, &used) in header.columns.iter().zip(&uses) {
            if matches!(used, Use::Feature | Use::Label | Use::Weight) {
                found.check_usable(&header.file)?;
            }
            match used {
                Use::Feature => (),
                Use::LeftOut => {
                    roles.push(Role::Unused);
                    continue;
                }
                Use::Tags => {
                    roles.push(Role::Tags);
                    continue;
                }
                Use::Weight => {
                    roles.push(Role::Weight);
                    continue;
                }
                Use::Label => {
                    roles.push(match found.label_list() {
                        None => Role::Label(labels),
                        Some(_) => Role::LabelValue(labels),
                    });
                    labels += found.label_names().len();
                    continue;
                }
            }
            let attribute = found.attribute();
            check_width(&header.file, found, attribute.width())?;
            let mut of_words = |content: Content| {
                words.push(WordColumn::new(column, content));
                words.len() - 1
            };
            let may_be_times = self.options.times == Times::Numbers;
            roles.push(match found.kind {
                CellKind::Words | CellKind::Undeclared(FirstCell::Word) if may_be_times => {
                    Role::Undecided(of_words(Content::Unknown))
                }
                CellKind::Words | CellKind::Undeclared(FirstCell::Word) => {
                    Role::NewWord(of_words(Content::Words))
                }
                CellKind::Undeclared(FirstCell::Missing) => {
                    Role::Undecided(of_words(Content::Unknown))
                }
                _ => Role::of(&attribute, attributes.len(), column),
            });
            column += attribute.width();
            attributes.push(attribute);
        }
        check_names(&header, &uses, &attributes)?;
        self.warn_of_label_values(&header, &roles);
        self.rows = Rows::new(header.sparse, column).with_words(words);
        if uses.contains(&Use::Tags) {
            let rows = std::mem::replace(&mut self.rows, Rows::sparse());
            self.rows = rows.with_found_labels(FoundLabels::tags());
        }
        self.columns = InferredColumns::Named {
            header,
            uses,
            roles: roles.clone(),
            attributes: attributes.clone(),
        };
        Ok((roles, attributes))
    }

    fn warn_of_label_values(&mut self, header: &FileHeader, roles: &[Role]) {
        let columns = header.columns.iter().zip(roles);
        let columns = columns.filter(|(_, role)| matches!(role, Role::LabelValue(_)));
        let columns = columns.map(|(column, _)| column);
        let (one, several): (Vec<_>, Vec<_>) =
            columns.partition(|column| column.label_names().len() == 1);
        for (columns, of_two) in [(one, true), (several, false)] {
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            if !names.is_empty() {
                self.warnings.push(Warning::LabelValues {
                    file: header.file.clone(),
                    columns: SomeNames::of(&names),
                    of_two,
                });
            }
        }
    }

    /// Begins with a file whose columns have numbers only, or says what the first one was.
    pub(crate) fn numbered(&mut self, found: NumberedColumns) -> &NumberedColumns {
        if self.is_first() {
            let rows = Rows::sparse();
            self.rows = match found.sizes {
                None => rows.with_found_labels(FoundLabels::numbers()),
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
            let at_end = file.fill(&mut self.rows, most, Pace::Full)?;
            self.check_growth(file)?;
            if let Some(tally) = &mut self.tally {
                self.rows.tally(tally);
            }
            if at_end {
                self.bytes += file.taken().0;
                return file.check_rows();
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
    pub(crate) fn finish(mut self, name: String) -> Result<Loaded> {
        let left_out = std::mem::take(&mut self.rows.marks().left_out);
        left_out.check_not_all(self.rows.count(), self.first_file())?;
        let (features, labels, found) = self.finish_rows()?;
        let (rows, count) = (labels.rows(), labels.count());
        let (attributes, label_names) = (found.attributes, found.label_names);
        let mut dataset =
            Dataset::from_attributes(name, features, labels, attributes, label_names)?;
        let mut marks = found.marks;
        if let Some(weights) = marks.take_weights() {
            dataset = dataset.with_weights(weights)?;
        }
        if let Some(unknown) = marks.take_unknown(rows, count) {
            dataset = dataset.with_unknown(unknown)?;
        }
        let reasons = left_out.reasons();
        let reasons = reasons.map(|(rows, reason)| Warning::LeftOut { rows, reason });
        self.warnings.extend(reasons);
        Ok(Loaded {
            dataset,
            left_out: left_out.rows,
            warnings: self.warnings,
        })
    }

    /// The first file, as the user named it.
    fn first_file(&self) -> &str {
        match &self.columns {
            InferredColumns::Named { header, .. } => &header.file,
            InferredColumns::Numbered(columns) => &columns.file,
            InferredColumns::Unknown => unreachable!("a file was read"),
        }
    }

    /// The features of all rows, where nothing is a label.
    pub(crate) fn finish_features(mut self) -> Result<(Features, Vec<Attribute>)> {
        let (features, _, found) = self.finish_rows()?;
        Ok((features, found.attributes))
    }

    fn finish_rows(&mut self) -> Result<(Features, Labels, FoundColumns)> {
        let count = self.rows.count();
        let mut found = self.finish_columns(count)?;
        found.marks = std::mem::take(self.rows.marks());
        if found.lists.iter().any(Option::is_some) {
            let lists: Vec<_> = found.ranked_lists();
            self.rows.expand(&lists);
        }
        let columns = found.attributes.iter().map(Attribute::width).sum();
        let rows = std::mem::replace(&mut self.rows, Rows::sparse());
        let (features, labels) = rows.finish(columns, found.label_names.len())?;
        Ok((features, labels, found))
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
        if let Some(word) = self.rows.seen().label_word.take() {
            self.warnings.push(Warning::LabelWords { word });
        }
        match std::mem::replace(&mut self.columns, InferredColumns::Unknown) {
            InferredColumns::Named {
                header,
                uses,
                roles,
                attributes,
            } => {
                let labels = count_labels(&header.columns, &roles);
                let never = self.rows.marks().never_known(rows, labels);
                check_labels_known(&header, &roles, never)?;
                let words = self.rows.take_words();
                check_words_recur(&header, &roles, &words)?;
                let found = FoundColumns::named(&header, &roles, attributes, words);
                check_names(&header, &uses, &found.attributes)?;
                check_words(&header, &uses, &roles, &found.attributes, rows)?;
                Ok(found.with_labels(self.rows.take_found_labels()))
            }
            InferredColumns::Numbered(columns) => self.finish_numbered(&columns),
            InferredColumns::Unknown => unreachable!("a file was read"),
        }
    }

    /// A file must not declare far more features and labels than it can have rows of.
    fn check_declared(&self, columns: &NumberedColumns) -> Result<()> {
        let Some((features, labels)) = columns.sizes else {
            return Ok(());
        };
        match too_many_declared(features + labels, self.bytes) {
            None => Ok(()),
            Some(expected) => {
                let found = format!("{features} features and {labels} labels");
                Err(TextPlace::START.error(&columns.file, expected, found))
            }
        }
    }

    /// Files that say their sizes count from zero. Others do if a zero occurs among the indices.
    fn finish_numbered(&mut self, columns: &NumberedColumns) -> Result<FoundColumns> {
        let (first, count, labels) = if let Some((count, labels)) = columns.sizes {
            (0, count, labels)
        } else {
            let first = usize::from(!self.rows.has_first_column());
            if first == 1 {
                self.rows.drop_first_column();
            }
            (first, self.rows.reach(), 0)
        };
        self.check_declared(columns)?;
        check_memory_for_names(count, labels)?;
        let names = (first..first + count).map(|index| Attribute::numeric(format!("x{index}")));
        let found = FoundColumns {
            attributes: names.collect(),
            lists: Vec::new(),
            label_names: (0..labels).map(|number| number.to_string()).collect(),
            label_ranks: None,
            marks: Marks::default(),
        };
        Ok(found.with_labels(self.rows.take_found_labels()))
    }
}

/// Bytes that a name takes in all tables of names.
const BYTES_OF_NAME: f64 = 128.0;

/// Fails if there is no memory for the names of as many features and labels as a file declares.
fn check_memory_for_names(features: usize, labels: usize) -> Result<()> {
    let needed = BYTES_OF_NAME * (features + labels) as f64;
    Ok(check_memory(Work::Read { features, labels }, needed)?)
}

/// The columns of all files, once their words are known.
struct FoundColumns {
    attributes: Vec<Attribute>,
    /// For each attribute whose words were found, the place of each code's word in its list.
    lists: Vec<Option<Vec<u32>>>,
    label_names: Vec<String>,
    /// Where labels were found as rows were read, the place of each code's label.
    label_ranks: Option<Vec<u32>>,
    /// The weights and unknown labels of all rows, where rows are kept.
    marks: Marks,
}

impl FoundColumns {
    fn named(
        header: &FileHeader,
        roles: &[Role],
        mut attributes: Vec<Attribute>,
        words: Vec<WordColumn>,
    ) -> Self {
        let mut words = words.into_iter();
        let mut lists = vec![None; attributes.len()];
        let (mut label_names, mut feature) = (Vec::new(), 0);
        for (column, role) in header.columns.iter().zip(roles) {
            match role {
                Role::Unused | Role::Tags | Role::Id | Role::Weight => continue,
                Role::Label(_) | Role::LabelValue(_) => {
                    label_names.extend(column.label_names());
                    continue;
                }
                Role::NewWord(_) | Role::Undecided(_) => {
                    let (words, ranks) = words.next().expect("one for each").words.sorted();
                    // Where no word is there is no list of them.
                    if !words.is_empty() {
                        let list = Nominal::new(words).expect("keys of a map are different");
                        attributes[feature] = Attribute::of_list(column.name.as_str(), list);
                        lists[feature] = Some(ranks);
                    }
                }
                Role::Number(_) | Role::Word(..) => (),
            }
            feature += 1;
        }
        Self {
            attributes,
            lists,
            label_names,
            label_ranks: None,
            marks: Marks::default(),
        }
    }

    /// The same with labels that were found as rows were read.
    fn with_labels(mut self, found: Option<(Vec<String>, Vec<u32>)>) -> Self {
        if let Some((names, ranks)) = found {
            self.label_names = names;
            self.label_ranks = Some(ranks);
        }
        self
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

/// Formats whose rows begin with their labels leave nothing to choose, and their columns have no names.
pub(crate) fn refuse_choices(options: &ReadOptions) -> Result<()> {
    if let Some(tags) = options.labels.tags() {
        return Err(Error::request(
            "the column of tags",
            "left out for libsvm and extreme files, whose columns have no names",
            excerpt(&tags.column),
        ));
    }
    if options.labels != LabelSource::Auto {
        return Err(Error::request(
            "the choice of labels",
            "left out for libsvm and extreme files, whose rows name their labels",
            format!("'{}'", options.labels),
        ));
    }
    let is_given = !options.ignore.is_empty();
    let ignored = is_given.then(|| options.ignore.to_string());
    for (what, named) in [
        ("the column of what rows are called", &options.id),
        ("the column of weights", &options.weight),
        ("the choice of columns to ignore", &ignored),
    ] {
        if let Some(columns) = named {
            return Err(Error::request(
                what,
                "left out for libsvm and extreme files, whose columns have no names",
                excerpt(columns),
            ));
        }
    }
    Ok(())
}
