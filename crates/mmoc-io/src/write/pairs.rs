//! LIBSVM files and those of the extreme classification repository.

use std::io::{self, Write};

use super::{Outline, WriteBatches, nonzeros, number_text};
use crate::pairs::label_numbers;
use crate::{FeaturesView, Labels};

/// Writes rows without missing cells.
pub(super) struct PairWriter<'a> {
    /// The number of each label.
    numbers: Vec<u64>,
    /// The index of the first column.
    first_index: usize,
    /// A column that the next row must have, even if it is zero.
    reach: Option<usize>,
    out: &'a mut dyn Write,
}

impl<'a> PairWriter<'a> {
    /// For labels that all occur.
    pub(super) fn libsvm(outline: &Outline<'_>, out: &'a mut dyn Write) -> Self {
        Self {
            numbers: label_numbers(outline.schema.label_names()),
            first_index: 1,
            // The number of columns is the largest index, so the last one must be there once.
            reach: Some(outline.schema.columns() - 1),
            out,
        }
    }

    /// Writes the line of sizes.
    pub(super) fn extreme(outline: &Outline<'_>, out: &'a mut dyn Write) -> io::Result<Self> {
        let count = outline.schema.label_names().len();
        let columns = outline.schema.columns();
        writeln!(out, "{} {columns} {count}", outline.rows)?;
        Ok(Self {
            numbers: (0..count as u64).collect(),
            first_index: 0,
            reach: None,
            out,
        })
    }

    /// Writes one row. The first column is written even if it is zero where the row would be empty, since empty lines
    /// are no rows.
    fn write_row(
        &mut self,
        features: FeaturesView<'_>,
        labels: &[u32],
        row: usize,
    ) -> io::Result<()> {
        let number = |&label: &u32| self.numbers[label as usize].to_string();
        let numbers: Vec<String> = labels.iter().map(number).collect();
        write!(self.out, "{}", numbers.join(","))?;
        let mut last = None;
        for (column, value) in nonzeros(features, row) {
            let index = column + self.first_index;
            write!(self.out, " {index}:{}", number_text(value))?;
            last = Some(column);
        }
        let needed = self.reach.take();
        match needed.or_else(|| labels.is_empty().then_some(0)) {
            Some(column) if last.is_none_or(|last| last < column) => {
                writeln!(self.out, " {}:0", column + self.first_index)
            }
            _ => writeln!(self.out),
        }
    }
}

impl WriteBatches for PairWriter<'_> {
    fn batch(&mut self, features: FeaturesView<'_>, labels: &Labels) -> io::Result<()> {
        for row in 0..features.rows() {
            self.write_row(features, labels.row(row), row)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
