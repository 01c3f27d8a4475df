//! A JSON object for each row, features before labels.

use std::io::{self, Write};

use super::{Outline, WriteBatches, nonzeros, number_text};
use crate::{FeaturesView, Labels};

/// Writes rows whose columns all have different names.
pub(super) struct JsonWriter<'a> {
    out: &'a mut dyn Write,
    /// The names of the columns as JSON, labels last.
    keys: Vec<String>,
    /// The features of one row.
    values: Vec<f64>,
}

impl<'a> JsonWriter<'a> {
    /// Begins; nothing stands before the rows.
    pub(super) fn new(outline: &Outline<'_>, out: &'a mut dyn Write) -> io::Result<Self> {
        let keys = outline.names().map(serde_json::to_string);
        Ok(Self {
            out,
            keys: keys.collect::<Result<_, _>>()?,
            values: vec![0.0; outline.schema.columns()],
        })
    }

    fn write_row(&mut self, labels: &Labels, row: usize) -> io::Result<()> {
        let numbers = self.values.iter().map(|&value| {
            if value.is_nan() {
                "null".to_owned()
            } else {
                number_text(value)
            }
        });
        let flags = (0..labels.count()).map(|label| u8::from(labels.contains(row, label)));
        let cells = numbers.chain(flags.map(|flag| flag.to_string()));
        for (index, (key, cell)) in self.keys.iter().zip(cells).enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            write!(self.out, "{before}{key}:{cell}")?;
        }
        self.out.write_all(b"}\n")
    }
}

impl WriteBatches for JsonWriter<'_> {
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

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
