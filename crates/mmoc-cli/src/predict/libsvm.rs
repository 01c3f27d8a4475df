//! Predictions as the labels of LIBSVM rows: their numbers, an empty line where there are none, and where asked for the
//! probability of each label as `number:probability`.

use std::io::{self, Write};

use mmoc_io::{label_numbers, number_text};

use super::found::Found;
use super::sheet::Sheet;
use super::shown::Shown;

pub(super) fn rows(sheet: &Sheet<'_>, found: &Found, out: &mut dyn Write) -> io::Result<()> {
    let numbers = label_numbers(sheet.label_names);
    for row in 0..found.rows() {
        let set = found.set(row).into_iter().flatten();
        let set: Vec<String> = set
            .map(|&label| numbers[label as usize].to_string())
            .collect();
        write!(out, "{}", set.join(","))?;
        if sheet.shown == Shown::Probabilities {
            for (label, number) in numbers.iter().enumerate() {
                let probability = number_text(found.probability(row, label));
                write!(out, " {number}:{probability}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
