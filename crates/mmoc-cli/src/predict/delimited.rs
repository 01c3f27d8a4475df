//! Predictions as a table: a column for each label, or for each rank.

use std::io::{self, Write};

use csv::{QuoteStyle, Writer, WriterBuilder};
use mmoc::Prediction;
use mmoc_io::number_text;

use super::sheet::{Sheet, Shown, best_labels, probability};

pub(super) fn begin(sheet: &Sheet<'_>, separator: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut header = writer(separator, QuoteStyle::NonNumeric, out);
    match sheet.shown {
        Shown::Sets | Shown::Probabilities => header.write_record(sheet.label_names)?,
        Shown::Best {
            count,
            probabilities,
        } => {
            for rank in 1..=count {
                header.write_field(format!("label_{rank}"))?;
                if probabilities {
                    header.write_field(format!("probability_{rank}"))?;
                }
            }
            header.write_record(None::<&[u8]>)?;
        }
    }
    header.flush()
}

pub(super) fn rows(
    sheet: &Sheet<'_>,
    separator: u8,
    found: &Prediction,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = writer(separator, QuoteStyle::Necessary, out);
    for row in 0..found.labels.rows() {
        match sheet.shown {
            Shown::Sets => {
                for label in 0..found.labels.count() {
                    let carried = found.labels.contains(row, label);
                    table.write_field(if carried { "1" } else { "0" })?;
                }
            }
            Shown::Probabilities => {
                for label in 0..found.labels.count() {
                    table.write_field(number_text(probability(found, row, label)))?;
                }
            }
            Shown::Best {
                count,
                probabilities,
            } => {
                for label in best_labels(found, row, count) {
                    table.write_field(&sheet.label_names[label])?;
                    if probabilities {
                        table.write_field(number_text(probability(found, row, label)))?;
                    }
                }
            }
        }
        table.write_record(None::<&[u8]>)?;
    }
    table.flush()
}

fn writer(separator: u8, quotes: QuoteStyle, out: &mut dyn Write) -> Writer<&mut dyn Write> {
    WriterBuilder::new()
        .delimiter(separator)
        .quote_style(quotes)
        .from_writer(out)
}
