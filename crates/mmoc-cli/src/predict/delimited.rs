//! Predictions as a table: a column for each label, or for each rank, and where asked for the confidence.

use std::io::{self, Write};

use csv::{QuoteStyle, Writer, WriterBuilder};
use mmoc_io::number_text;

use super::certainty::COLUMN;
use super::found::Found;
use super::set_text::set_text;
use super::sheet::Sheet;
use super::shown::Shown;

type Table<'a> = Writer<&'a mut dyn Write>;

pub(super) fn begin(sheet: &Sheet<'_>, separator: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut header = writer(separator, QuoteStyle::NonNumeric, out);
    for name in columns(sheet) {
        header.write_field(name)?;
    }
    header.write_record(None::<&[u8]>)?;
    header.flush()
}

/// The names of the columns.
fn columns(sheet: &Sheet<'_>) -> Vec<String> {
    let predicted = match sheet.shown {
        Shown::Sets | Shown::Probabilities => sheet.label_names.to_vec(),
        Shown::Best {
            count,
            probabilities,
        } => ranked("label", count, probabilities),
        Shown::Likeliest { count } => ranked("set", count, true),
    };
    let id = sheet.id.map(str::to_owned);
    let confidence = sheet.certainty.is_shown.then(|| COLUMN.into());
    id.into_iter().chain(predicted).chain(confidence).collect()
}

/// The names of the columns of each rank.
fn ranked(what: &str, count: usize, probabilities: bool) -> Vec<String> {
    let mut names = Vec::new();
    for rank in 1..=count {
        names.push(format!("{what}_{rank}"));
        if probabilities {
            names.push(format!("probability_{rank}"));
        }
    }
    names
}

pub(super) fn rows(
    sheet: &Sheet<'_>,
    separator: u8,
    found: &Found,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = writer(separator, QuoteStyle::Necessary, out);
    for row in 0..found.rows() {
        if let Some(id) = found.id(row) {
            table.write_field(&id.text)?;
        }
        cells(sheet, found, row, &mut table)?;
        if sheet.certainty.is_shown {
            table.write_field(number_text(found.confidence(row)))?;
        }
        table.write_record(None::<&[u8]>)?;
    }
    table.flush()
}

/// Writes what is shown of a row.
fn cells(sheet: &Sheet<'_>, found: &Found, row: usize, table: &mut Table<'_>) -> csv::Result<()> {
    let name = |label: usize| sheet.label_names[label].as_str();
    match sheet.shown {
        Shown::Sets => {
            for label in 0..found.labels() {
                table.write_field(match found.has(row, label) {
                    Some(true) => "1",
                    Some(false) => "0",
                    None => "",
                })?;
            }
        }
        Shown::Probabilities => {
            for label in 0..found.labels() {
                table.write_field(number_text(found.probability(row, label)))?;
            }
        }
        Shown::Best {
            count,
            probabilities,
        } => {
            for label in found.best_labels(row, count) {
                table.write_field(name(label))?;
                if probabilities {
                    table.write_field(number_text(found.probability(row, label)))?;
                }
            }
        }
        Shown::Likeliest { .. } => {
            for set in &found.likeliest[row] {
                let names = set.labels.iter().map(|&label| name(label as usize));
                table.write_field(set_text(names))?;
                table.write_field(number_text(set.probability))?;
            }
        }
    }
    Ok(())
}

fn writer(separator: u8, quotes: QuoteStyle, out: &mut dyn Write) -> Table<'_> {
    WriterBuilder::new()
        .delimiter(separator)
        .quote_style(quotes)
        .from_writer(out)
}
