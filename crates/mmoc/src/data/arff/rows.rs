//! The rows of an ARFF file, dense (`1,0,?`) or sparse (`{0 1, 2 ?}`).

use super::super::Attribute;
use super::super::cell::{MISSING, NUMBER, expected_flag, expected_value, flag, number};
use super::super::lines::{Line, excerpt};
use super::super::nominal::Nominal;
use super::super::read::Missing;
use super::super::rows::Rows;
use super::schema::{Role, Schema};
use super::tokens::{Tokens, Word};
use crate::{Error, Result};

/// Reads rows into the matrices of a data set.
pub(super) struct RowReader<'a> {
    /// What the cells of a row mean.
    pub(super) schema: &'a Schema,
    /// What happens to missing cells.
    pub(super) missing: Missing,
    /// Where the rows go.
    pub(super) rows: &'a mut Rows,
    /// Number of rows from the files before this one.
    pub(super) before: usize,
}

/// Whether the line holds a sparse row, a dense one, or none.
pub(super) fn is_sparse(line: Line<'_>) -> Option<bool> {
    Tokens::new(line).peek().map(|byte| byte == b'{')
}

impl RowReader<'_> {
    /// Reads the row of a line, if there is one.
    pub(super) fn read(&mut self, line: Line<'_>) -> Result<()> {
        let mut tokens = Tokens::new(line);
        match tokens.peek() {
            None => return Ok(()),
            Some(b'{') => self.read_sparse(&mut tokens)?,
            Some(_) => self.read_dense(&mut tokens)?,
        }
        expect_row_end(&mut tokens)?;
        self.rows.end_row();
        Ok(())
    }

    fn read_dense(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        let schema = self.schema;
        for (index, declared) in schema.attributes.iter().enumerate() {
            if index > 0 && !tokens.take(b',') {
                return Err(tokens.unexpected(format!("',' and {}", value_of(&declared.attribute))));
            }
            self.read_cell(tokens, index)?;
        }
        Ok(())
    }

    fn read_sparse(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        tokens.take(b'{');
        let mut next = 0;
        let mut defaults = self.schema.nonzero_defaults.as_slice();
        if !tokens.take(b'}') {
            loop {
                let index = self.read_index(tokens, next)?;
                defaults = self.put_defaults(defaults, index);
                self.read_cell(tokens, index)?;
                next = index + 1;
                if tokens.take(b'}') {
                    break;
                }
                if !tokens.take(b',') {
                    return Err(tokens.unexpected("',' or '}' after a value"));
                }
            }
        }
        self.put_defaults(defaults, self.schema.attributes.len());
        Ok(())
    }

    /// The index of an attribute, which is `next` or more.
    fn read_index(&self, tokens: &mut Tokens<'_>, next: usize) -> Result<usize> {
        let count = self.schema.attributes.len();
        let expected = || match next {
            0 => format!("the index of an attribute (0 to {})", count - 1),
            _ if next == count => "'}' after the last attribute".to_owned(),
            _ => format!("the index of a later attribute ({next} to {})", count - 1),
        };
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected(expected()));
        };
        match word.text.parse::<usize>() {
            Ok(index) if (next..count).contains(&index) => Ok(index),
            _ => Err(tokens.wrong(&word, expected())),
        }
    }

    /// Puts the values of attributes before `end` that the row leaves out though they are not
    /// zero; what remains of them is returned.
    fn put_defaults<'d>(&mut self, mut defaults: &'d [usize], end: usize) -> &'d [usize] {
        while let Some((&index, rest)) = defaults.split_first() {
            if index > end {
                break;
            }
            if index < end {
                self.put_default(index);
            }
            defaults = rest;
        }
        defaults
    }

    fn put_default(&mut self, index: usize) {
        if let Some(list) = self.schema.attributes[index].attribute.list() {
            self.put_nominal(list, self.schema.roles[index], 0);
        }
    }

    fn read_cell(&mut self, tokens: &mut Tokens<'_>, index: usize) -> Result<()> {
        let attribute = &self.schema.attributes[index].attribute;
        let role = self.schema.roles[index];
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected(value_of(attribute)));
        };
        if !word.quoted && word.text == MISSING {
            return self.put_missing(tokens, &word, index);
        }
        match attribute.list() {
            Some(list) => {
                let position = list.position(&word.text);
                let position = position.ok_or_else(|| not_listed(tokens, &word, attribute))?;
                self.put_nominal(list, role, position);
            }
            None => self.put_number(tokens, &word, attribute, role)?,
        }
        Ok(())
    }

    fn put_number(
        &mut self,
        tokens: &Tokens<'_>,
        word: &Word<'_>,
        attribute: &Attribute,
        role: Role,
    ) -> Result<()> {
        match role {
            Role::Feature(column) => {
                let value = number(&word.text).ok_or_else(|| tokens.wrong(word, NUMBER))?;
                self.rows.put(column, value);
            }
            Role::Label(label) => {
                let carried = flag(&word.text)
                    .ok_or_else(|| tokens.wrong(word, expected_flag(attribute.name())))?;
                if carried {
                    self.rows.add_label(label);
                }
            }
        }
        Ok(())
    }

    fn put_nominal(&mut self, list: &Nominal, role: Role, position: usize) {
        let (offset, value) = list.cell(position);
        match role {
            Role::Feature(column) => self.rows.put(column + offset, value),
            Role::Label(label) if value != 0.0 => self.rows.add_label(label),
            Role::Label(_) => (),
        }
    }

    /// A missing feature is NaN in all of its columns, to be filled in from the training rows.
    fn put_missing(&mut self, tokens: &Tokens<'_>, word: &Word<'_>, index: usize) -> Result<()> {
        let attribute = &self.schema.attributes[index].attribute;
        match (self.schema.roles[index], self.missing) {
            (Role::Label(_), _) => Err(tokens.wrong(word, expected_flag(attribute.name()))),
            (Role::Feature(_), Missing::Refuse) => {
                let row = self.rows.count() - self.before + 1;
                Err(tokens.wrong(word, expected_value(attribute.name(), row)))
            }
            (Role::Feature(first), Missing::Mean) => {
                for column in first..first + attribute.width() {
                    self.rows.put(column, f64::NAN);
                }
                Ok(())
            }
        }
    }
}

fn value_of(attribute: &Attribute) -> String {
    format!("a value of {}", excerpt(attribute.name()))
}

fn not_listed(tokens: &Tokens<'_>, word: &Word<'_>, attribute: &Attribute) -> Error {
    tokens.wrong(word, format!("a value of {attribute}"))
}

/// After a row only a comment may stand; weights of rows are none of ours.
fn expect_row_end(tokens: &mut Tokens<'_>) -> Result<()> {
    if tokens.peek().is_none() {
        return Ok(());
    }
    let mut ahead = tokens.clone();
    if ahead.take(b',') && ahead.peek() == Some(b'{') {
        return Err(ahead.unexpected("a row without a weight"));
    }
    Err(tokens.unexpected("the end of the row"))
}
