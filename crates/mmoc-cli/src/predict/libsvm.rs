//! Predictions as the labels of LIBSVM rows: their numbers, an empty line where there are none, and where asked for the
//! probability of each label as `number:probability`.

use std::io::{self, Write};

use mmoc::Prediction;
use mmoc_io::{label_numbers, number_text};

use super::sheet::{Sheet, Shown, probability};

pub(super) fn rows(sheet: &Sheet<'_>, found: &Prediction, out: &mut dyn Write) -> io::Result<()> {
    let numbers = label_numbers(sheet.label_names);
    for row in 0..found.labels.rows() {
        let set = found.labels.row(row).iter();
        let set: Vec<String> = set
            .map(|&label| numbers[label as usize].to_string())
            .collect();
        write!(out, "{}", set.join(","))?;
        if sheet.shown == Shown::Probabilities {
            for (label, number) in numbers.iter().enumerate() {
                let probability = number_text(probability(found, row, label));
                write!(out, " {number}:{probability}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
