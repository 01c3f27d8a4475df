//! From the filled columns of a table to a data set.

use std::collections::HashSet;

use super::super::Dataset;
use super::super::lines::{Place, error_at, excerpt};
use super::super::rows::Rows;
use crate::Result;

/// A column of the table as columns of the data set.
pub(in super::super) struct Part {
    /// Where the name of the table's column stands, in a file that has lines.
    pub(in super::super) place: Option<Place>,
    /// Names of the columns, or the name of the label.
    pub(in super::super) names: Vec<String>,
    /// Their cells.
    pub(in super::super) cells: PartCells,
}

/// The cells of each row.
pub(in super::super) enum PartCells {
    /// Whether the row carries the label.
    Label(Vec<bool>),
    /// The number of the only column.
    Numbers(Vec<f64>),
    /// Which of the columns is one, or none if the cell is missing.
    Indicators(Vec<Option<usize>>),
}

/// The data set of a table of so many rows.
pub(in super::super) fn assemble(
    parts: &[Part],
    count: usize,
    file: &str,
    name: String,
) -> Result<Dataset> {
    check_names(parts, file)?;
    let label_names = names(parts, true);
    let feature_names = names(parts, false);
    let mut rows = Rows::dense(feature_names.len());
    for row in 0..count {
        put_row(parts, row, &mut rows);
    }
    let (features, labels) = rows.finish(feature_names.len(), label_names.len())?;
    let attributes = parts.iter().filter(|part| !part.is_label()).count();
    let dataset = Dataset::new(name, features, labels, feature_names, label_names)?;
    Ok(dataset.with_attributes(attributes))
}

/// Indicator columns `name=value` must not meet a column that is called so.
fn check_names(parts: &[Part], file: &str) -> Result<()> {
    let mut seen = HashSet::new();
    for part in parts {
        if let Some(name) = part.names.iter().find(|&name| !seen.insert(name)) {
            let found = format!("{} again", excerpt(name));
            let expected = "columns with names of their own";
            return Err(error_at(part.place, file, expected, found));
        }
    }
    Ok(())
}

fn names(parts: &[Part], labels: bool) -> Vec<String> {
    let parts = parts.iter().filter(|part| part.is_label() == labels);
    parts.flat_map(|part| part.names.iter().cloned()).collect()
}

fn put_row(parts: &[Part], row: usize, rows: &mut Rows) {
    let (mut column, mut label) = (0, 0);
    for part in parts {
        if let PartCells::Label(cells) = &part.cells {
            if cells[row] {
                rows.add_label(label);
            }
            label += 1;
        } else {
            part.put(row, column, rows);
            column += part.names.len();
        }
    }
    rows.end_row();
}

impl Part {
    fn is_label(&self) -> bool {
        matches!(self.cells, PartCells::Label(_))
    }

    /// Puts the cell of a row into the columns that begin at `first`.
    fn put(&self, row: usize, first: usize, rows: &mut Rows) {
        match &self.cells {
            PartCells::Label(_) => (),
            PartCells::Numbers(cells) => rows.put(first, cells[row]),
            PartCells::Indicators(cells) => {
                let columns = first..first + self.names.len();
                match cells[row] {
                    Some(one) => rows.put(first + one, 1.0),
                    None => columns.for_each(|column| rows.put(column, f64::NAN)),
                }
            }
        }
    }
}
