//! Predictions as ARFF: an attribute for each label, 0 or 1 or its probability.

use std::io::{self, Write};

use mmoc::Prediction;
use mmoc_io::{arff_word, number_text};

use super::sheet::{Sheet, Shown, probability};

pub(super) fn begin(sheet: &Sheet<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "@relation predictions\n")?;
    let values = match sheet.shown {
        Shown::Probabilities => "numeric",
        _ => "{0,1}",
    };
    for name in sheet.label_names {
        writeln!(out, "@attribute {} {values}", arff_word(name))?;
    }
    writeln!(out, "\n@data")
}

pub(super) fn rows(sheet: &Sheet<'_>, found: &Prediction, out: &mut dyn Write) -> io::Result<()> {
    for row in 0..found.labels.rows() {
        let cell = |label| match sheet.shown {
            Shown::Probabilities => number_text(probability(found, row, label)),
            _ => u8::from(found.labels.contains(row, label)).to_string(),
        };
        let cells: Vec<String> = (0..found.labels.count()).map(cell).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}
