//! Tables with a header, features before labels.

use std::io::{self, Write};

use super::{Outline, WriteBatches, nonzeros, number_text};
use crate::{FeaturesView, Labels};
use csv::{QuoteStyle, Writer, WriterBuilder};

/// Writes rows whose columns all have names, all different.
pub(super) struct TableWriter<'a> {
    rows: Writer<&'a mut dyn Write>,
    /// The features of one row.
    values: Vec<f64>,
}

impl<'a> TableWriter<'a> {
    /// Writes the header.
    pub(super) fn begin(
        outline: &Outline<'_>,
        separator: u8,
        out: &'a mut dyn Write,
    ) -> io::Result<Self> {
        // Names are quoted: blanks at their ends, and a first one that begins like a byte order mark,
        // would otherwise be lost.
        let mut header = writer(separator, QuoteStyle::NonNumeric, &mut *out);
        header.write_record(outline.names())?;
        header.flush()?;
        drop(header);
        Ok(Self {
            rows: writer(separator, QuoteStyle::Necessary, out),
            values: vec![0.0; outline.schema.columns()],
        })
    }

    fn write_row(&mut self, labels: &Labels, row: usize) -> io::Result<()> {
        for &value in &self.values {
            if value.is_nan() {
                self.rows.write_field("")?;
            } else {
                self.rows.write_field(number_text(value))?;
            }
        }
        for label in 0..labels.count() {
            let flag = if labels.contains(row, label) {
                "1"
            } else {
                "0"
            };
            self.rows.write_field(flag)?;
        }
        self.rows.write_record(None::<&[u8]>)?;
        Ok(())
    }
}

fn writer<W: Write>(separator: u8, quotes: QuoteStyle, out: W) -> Writer<W> {
    WriterBuilder::new()
        .delimiter(separator)
        .quote_style(quotes)
        .from_writer(out)
}

impl WriteBatches for TableWriter<'_> {
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()> {
        for row in 0..features.rows() {
            self.values.fill(0.0);
            for (column, value) in nonzeros(features, row) {
                self.values[column] = value;
            }
            self.write_row(labels, row)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.rows.flush()
    }
}
