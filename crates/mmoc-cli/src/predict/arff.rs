//! Predictions as ARFF: an attribute for each label, 0 or 1 or its probability, and where asked for the confidence.

use std::io::{self, Write};

use mmoc_io::{arff_word, number_text};

use super::certainty::COLUMN;
use super::found::Found;
use super::sheet::Sheet;
use super::shown::Shown;

/// What stands for the labels of undecided rows: a missing value.
const UNDECIDED: &str = "?";

pub(super) fn begin(sheet: &Sheet<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "@relation predictions\n")?;
    let values = match sheet.shown {
        Shown::Probabilities => "numeric",
        _ => "{0,1}",
    };
    if let Some(id) = sheet.id {
        writeln!(out, "@attribute {} string", arff_word(id))?;
    }
    for name in sheet.label_names {
        writeln!(out, "@attribute {} {values}", arff_word(name))?;
    }
    if sheet.certainty.is_shown {
        writeln!(out, "@attribute {COLUMN} numeric")?;
    }
    writeln!(out, "\n@data")
}

pub(super) fn rows(sheet: &Sheet<'_>, found: &Found, out: &mut dyn Write) -> io::Result<()> {
    for row in 0..found.rows() {
        let cell = |label| match (sheet.shown, found.has(row, label)) {
            (Shown::Probabilities, _) => number_text(found.probability(row, label)),
            (_, Some(has)) => u8::from(has).to_string(),
            (_, None) => UNDECIDED.into(),
        };
        let id = found.id(row).map(|id| quoted(&id.text));
        let mut cells: Vec<String> = id.into_iter().collect();
        cells.extend((0..found.labels()).map(cell));
        if sheet.certainty.is_shown {
            cells.push(number_text(found.confidence(row)));
        }
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// Text in quotes, be it empty.
fn quoted(text: &str) -> String {
    match text {
        "" => "''".into(),
        text => arff_word(text),
    }
}
