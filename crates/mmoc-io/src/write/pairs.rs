//! LIBSVM files and those of the extreme classification repository.

use std::io::{self, Write};

use super::{nonzeros, number_text};
use crate::Dataset;
use crate::pairs::label_numbers;

/// Writes a data set without missing cells whose labels all occur.
pub(super) fn write_libsvm(dataset: &Dataset, out: &mut impl Write) -> io::Result<()> {
    let numbers = label_numbers(dataset.label_names());
    // The number of columns is the largest index, so the last one must be there once.
    let last = dataset.columns() - 1;
    for row in 0..dataset.rows() {
        let reach = (row == 0).then_some(last);
        write_row(dataset, row, &numbers, 1, reach, out)?;
    }
    Ok(())
}

/// Writes a data set without missing cells.
pub(super) fn write_extreme(dataset: &Dataset, out: &mut impl Write) -> io::Result<()> {
    let count = dataset.labels().count();
    writeln!(out, "{} {} {count}", dataset.rows(), dataset.columns())?;
    let numbers: Vec<u64> = (0..count as u64).collect();
    for row in 0..dataset.rows() {
        write_row(dataset, row, &numbers, 0, None, out)?;
    }
    Ok(())
}

/// Writes one row. Column `reach` is written even if it is zero, and so is the first column of a row
/// that would be empty, since empty lines are no rows.
fn write_row(
    dataset: &Dataset,
    row: usize,
    numbers: &[u64],
    first_index: usize,
    reach: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    let labels = dataset.labels().row(row);
    let labels: Vec<String> = labels
        .iter()
        .map(|&label| numbers[label as usize].to_string())
        .collect();
    write!(out, "{}", labels.join(","))?;
    let mut last = None;
    for (column, value) in nonzeros(dataset.features().view(), row) {
        write!(out, " {}:{}", column + first_index, number_text(value))?;
        last = Some(column);
    }
    let needed = reach.or_else(|| labels.is_empty().then_some(0));
    match needed {
        Some(column) if last.is_none_or(|last| last < column) => {
            writeln!(out, " {}:0", column + first_index)
        }
        _ => writeln!(out),
    }
}
