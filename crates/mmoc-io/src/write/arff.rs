//! ARFF, with the labels last.

use std::io::{self, Write};

use super::{nonzeros, number_text};
use crate::cell::MISSING;
use crate::{Dataset, Features};

/// Writes a data set whose names are all different.
pub(super) fn write(dataset: &Dataset, out: &mut impl Write) -> io::Result<()> {
    write_header(dataset, out)?;
    for row in 0..dataset.rows() {
        match dataset.features() {
            Features::Dense(matrix) => write_dense(dataset, matrix.row(row), row, out)?,
            Features::Sparse(_) => write_sparse(dataset, row, out)?,
        }
    }
    Ok(())
}

fn write_header(dataset: &Dataset, out: &mut impl Write) -> io::Result<()> {
    // Options begin at the first colon.
    let name = dataset.name().replace(':', "_");
    let relation = format!("{name}: -C -{}", dataset.labels().count());
    writeln!(out, "@relation {}\n", in_quotes(&relation))?;
    for name in dataset.feature_names() {
        writeln!(out, "@attribute {} numeric", word(name))?;
    }
    for name in dataset.label_names() {
        writeln!(out, "@attribute {} {{0,1}}", word(name))?;
    }
    writeln!(out, "\n@data")
}

fn write_dense(
    dataset: &Dataset,
    values: &[f64],
    row: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    for &value in values {
        write!(out, "{},", cell(value))?;
    }
    let labels = dataset.labels();
    let flags = (0..labels.count()).map(|label| {
        if labels.contains(row, label) {
            "1"
        } else {
            "0"
        }
    });
    writeln!(out, "{}", flags.collect::<Vec<_>>().join(","))
}

fn write_sparse(dataset: &Dataset, row: usize, out: &mut impl Write) -> io::Result<()> {
    let mut separator = "";
    out.write_all(b"{")?;
    for (column, value) in nonzeros(dataset.features().view(), row) {
        write!(out, "{separator}{column} {}", cell(value))?;
        separator = ",";
    }
    for &label in dataset.labels().row(row) {
        write!(out, "{separator}{} 1", dataset.columns() + label as usize)?;
        separator = ",";
    }
    writeln!(out, "}}")
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
