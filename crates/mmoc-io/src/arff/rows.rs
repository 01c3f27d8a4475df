//! The rows of an ARFF file, dense (`1,0,?`) or sparse (`{0 1, 2 ?}`).

use std::sync::Arc;

use super::header::Declared;
use super::tokens::{Tokens, Word};
use crate::Attribute;
use crate::Result;
use crate::cell::MISSING;
use crate::lines::Line;
use crate::meaning::Meaning;
use crate::rows::Rows;
use mmoc::text::excerpt;

/// Reads rows into the matrices of a data set.
pub(super) struct RowGrammar<'a> {
    /// The attributes that the rows have values of.
    attributes: Arc<[Declared]>,
    /// What the values mean.
    meaning: Meaning<'a>,
    /// The attributes that are other than zero where a sparse row leaves them out, ascending.
    nonzero_defaults: Vec<usize>,
}

/// Whether the line holds a sparse row, a dense one, or none.
pub(super) fn is_sparse(line: Line<'_>) -> Option<bool> {
    Tokens::new(line).peek().map(|byte| byte == b'{')
}

impl<'a> RowGrammar<'a> {
    /// The rows of a file with these attributes.
    pub(super) fn new(attributes: Arc<[Declared]>, meaning: Meaning<'a>) -> Self {
        let nonzero =
            |&index: &usize| !meaning.leaves_zeros(index, attributes[index].default_text());
        let nonzero_defaults = (0..attributes.len()).filter(nonzero).collect();
        Self {
            attributes,
            meaning,
            nonzero_defaults,
        }
    }

    /// Reads the line of a row, the `row`-th of its file.
    pub(super) fn read(&self, line: Line<'_>, row: usize, rows: &mut Rows) -> Result<()> {
        let mut present = PresentRow {
            grammar: self,
            row,
            rows,
        };
        let mut tokens = Tokens::new(line);
        match tokens.peek() {
            Some(b'{') => present.read_sparse(&mut tokens)?,
            _ => present.read_dense(&mut tokens)?,
        }
        expect_row_end(&mut tokens)?;
        self.meaning.end_row(rows);
        Ok(())
    }
}

/// A row while it is read.
struct PresentRow<'g, 'r> {
    grammar: &'g RowGrammar<'g>,
    row: usize,
    rows: &'r mut Rows,
}

impl<'g> PresentRow<'g, '_> {
    fn read_dense(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        for (index, declared) in self.grammar.attributes.iter().enumerate() {
            if index > 0 && !tokens.take(b',') {
                let value = value_of(&declared.attribute);
                return Err(tokens.unexpected(format!("',' and {value}")));
            }
            self.read_cell(tokens, index)?;
        }
        Ok(())
    }

    fn read_sparse(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        tokens.take(b'{');
        let mut next = 0;
        let mut defaults = self.grammar.nonzero_defaults.as_slice();
        if !tokens.take(b'}') {
            loop {
                let index = self.read_index(tokens, next)?;
                defaults = self.put_defaults(tokens, defaults, index)?;
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
        let count = self.grammar.attributes.len();
        self.put_defaults(tokens, defaults, count)?;
        Ok(())
    }

    /// The index of an attribute, which is `next` or more.
    fn read_index(&self, tokens: &mut Tokens<'_>, next: usize) -> Result<usize> {
        let count = self.grammar.attributes.len();
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
    fn put_defaults(
        &mut self,
        tokens: &mut Tokens<'_>,
        mut defaults: &'g [usize],
        end: usize,
    ) -> Result<&'g [usize]> {
        while let Some((&index, rest)) = defaults.split_first() {
            if index > end {
                break;
            }
            if index < end {
                self.put_default(tokens, index)?;
            }
            defaults = rest;
        }
        Ok(defaults)
    }

    fn put_default(&mut self, tokens: &Tokens<'_>, index: usize) -> Result<()> {
        let text = self.grammar.attributes[index].default_text();
        let put = self.grammar.meaning.put(index, text, self.rows);
        put.map_err(|expected| {
            let found = format!("none, which stands for {}", excerpt(text));
            tokens.error(expected, found)
        })
    }

    fn read_cell(&mut self, tokens: &mut Tokens<'_>, index: usize) -> Result<()> {
        let attribute = &self.grammar.attributes[index].attribute;
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected(value_of(attribute)));
        };
        let meaning = &self.grammar.meaning;
        let put = if !word.quoted && word.text == MISSING {
            meaning.put_missing(index, self.row, self.rows)
        } else {
            check_listed(tokens, &word, attribute)?;
            meaning.put(index, &word.text, self.rows)
        };
        put.map_err(|expected| tokens.wrong(&word, expected))
    }
}

fn value_of(attribute: &Attribute) -> String {
    format!("a value of {}", excerpt(attribute.name()))
}

/// A value of a list must be there.
fn check_listed(tokens: &Tokens<'_>, word: &Word<'_>, attribute: &Attribute) -> Result<()> {
    match attribute.list() {
        Some(list) if list.position(&word.text).is_none() => {
            Err(tokens.wrong(word, format!("a value of {attribute}")))
        }
        _ => Ok(()),
    }
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
