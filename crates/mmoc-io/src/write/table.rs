//! Tables with a header, features before labels.

use std::io::{self, Write};

use super::{nonzeros, number_text};
use crate::Dataset;
use csv::{QuoteStyle, Writer, WriterBuilder};

/// Writes a data set whose names are all different and none empty.
pub(super) fn write(dataset: &Dataset, separator: u8, out: &mut impl Write) -> io::Result<()> {
    // Names are quoted: blanks at their ends, and a first one that begins like a byte order mark,
    // would otherwise be lost.
    let mut header = writer(separator, QuoteStyle::NonNumeric, &mut *out);
    header.write_record(super::names(dataset))?;
    header.flush()?;
    drop(header);
    let mut rows = writer(separator, QuoteStyle::Necessary, out);
    let mut values = vec![0.0; dataset.columns()];
    for row in 0..dataset.rows() {
        values.fill(0.0);
        for (column, value) in nonzeros(dataset.features().view(), row) {
            values[column] = value;
        }
        write_row(dataset, &values, row, &mut rows)?;
    }
    rows.flush()
}

fn writer<W: Write>(separator: u8, quotes: QuoteStyle, out: W) -> Writer<W> {
    WriterBuilder::new()
        .delimiter(separator)
        .quote_style(quotes)
        .from_writer(out)
}

fn write_row<W: Write>(
    dataset: &Dataset,
    values: &[f64],
    row: usize,
    out: &mut Writer<W>,
) -> io::Result<()> {
    for &value in values {
        if value.is_nan() {
            out.write_field("")?;
        } else {
            out.write_field(number_text(value))?;
        }
    }
    let labels = dataset.labels();
    for label in 0..labels.count() {
        out.write_field(if labels.contains(row, label) {
            "1"
        } else {
            "0"
        })?;
    }
    out.write_record(None::<&[u8]>)?;
    Ok(())
}
