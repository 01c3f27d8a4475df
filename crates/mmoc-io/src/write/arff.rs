//! ARFF, with the labels last.

use std::io::{self, Write};

use super::{Outline, WriteBatches, nonzeros, number_text};
use crate::cell::MISSING;
use crate::{FeaturesView, Labels};

/// Writes rows whose columns all have different names.
pub(super) struct ArffWriter<'a> {
    columns: usize,
    out: &'a mut dyn Write,
}

impl<'a> ArffWriter<'a> {
    /// Writes the header.
    pub(super) fn begin(outline: &Outline<'_>, out: &'a mut dyn Write) -> io::Result<Self> {
        let schema = outline.schema;
        // Options begin at the first colon.
        let name = outline.name.replace(':', "_");
        let relation = format!("{name}: -C -{}", schema.label_names().len());
        writeln!(out, "@relation {}\n", in_quotes(&relation))?;
        for name in schema.feature_names() {
            writeln!(out, "@attribute {} numeric", word(name))?;
        }
        for name in schema.label_names() {
            writeln!(out, "@attribute {} {{0,1}}", word(name))?;
        }
        writeln!(out, "\n@data")?;
        let columns = schema.columns();
        Ok(Self { columns, out })
    }

    fn write_dense(&mut self, values: &[f64], labels: &Labels, row: usize) -> io::Result<()> {
        for &value in values {
            write!(self.out, "{},", cell(value))?;
        }
        let flag = |label| {
            if labels.contains(row, label) {
                "1"
            } else {
                "0"
            }
        };
        let flags: Vec<&str> = (0..labels.count()).map(flag).collect();
        writeln!(self.out, "{}", flags.join(","))
    }

    fn write_sparse(
        &mut self,
        features: FeaturesView<'_>,
        labels: &Labels,
        row: usize,
    ) -> io::Result<()> {
        let mut separator = "";
        self.out.write_all(b"{")?;
        for (column, value) in nonzeros(features, row) {
            write!(self.out, "{separator}{column} {}", cell(value))?;
            separator = ",";
        }
        for &label in labels.row(row) {
            write!(self.out, "{separator}{} 1", self.columns + label as usize)?;
            separator = ",";
        }
        writeln!(self.out, "}}")
    }
}

impl WriteBatches for ArffWriter<'_> {
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()> {
        for row in 0..features.rows() {
            match features {
                FeaturesView::Dense(matrix) => self.write_dense(matrix.row(row), labels, row)?,
                FeaturesView::Sparse(_) => self.write_sparse(features, labels, row)?,
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

fn cell(value: f64) -> String {
    if value.is_nan() {
        MISSING.to_owned()
    } else {
        number_text(value)
    }
}

/// A name as a word of an ARFF file, in quotes unless it is plain.
pub fn word(name: &str) -> String {
    let is_plain = |character: char| {
        !character.is_whitespace() && !character.is_control() && !"{},%'\"\\?".contains(character)
    };
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        in_quotes(name)
    }
}

fn in_quotes(text: &str) -> String {
    let mut quoted = String::from("'");
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\'' | '\\' => quoted.extend(['\\', character]),
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_only_where_they_must_be() {
        assert_eq!(word("0;"), "0;");
        assert_eq!(word("Größe"), "Größe");
        assert_eq!(word("a b"), "'a b'");
        assert_eq!(word(r"m\'u"), r"'m\\\'u'");
        assert_eq!(word(""), "''");
        assert_eq!(word("a\nb"), r"'a\nb'");
    }
}
