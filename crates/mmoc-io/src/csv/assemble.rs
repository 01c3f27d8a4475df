//! From the filled columns of a table to a data set.

use std::collections::HashSet;

use crate::Result;
use crate::TextPlace;
use crate::error::error_at;
use crate::growth::too_many;
use crate::rows::Rows;
use crate::{Attribute, Dataset};
use mmoc::text::excerpt;

/// A column of the table as columns of the data set.
pub(crate) struct Part {
    /// Where the name of the table's column stands, in a file that has lines.
    pub(crate) place: Option<TextPlace>,
    /// The feature; of a label its name.
    pub(crate) attribute: Attribute,
    /// The cells.
    pub(crate) cells: PartCells,
}

/// The cells of each row.
pub(crate) enum PartCells {
    /// Whether the row carries the label.
    Label(Vec<bool>),
    /// Its number.
    Numbers(Vec<f64>),
    /// Which of the attribute's words it has, or none if the cell is missing.
    Words(Vec<Option<usize>>),
}

/// The data set of a table of so many rows.
pub(crate) fn assemble(parts: &[Part], count: usize, file: &str, name: String) -> Result<Dataset> {
    check_names(parts, file)?;
    let (labels, features): (Vec<&Part>, Vec<&Part>) =
        parts.iter().partition(|part| part.is_label());
    let label_names: Vec<String> = labels
        .iter()
        .map(|part| part.attribute.name().to_owned())
        .collect();
    let attributes: Vec<Attribute> = features.iter().map(|part| part.attribute.clone()).collect();
    let columns = attributes.iter().map(Attribute::width).sum();
    check_growth(parts, count.saturating_mul(columns), count, file)?;
    let mut rows = Rows::dense(columns);
    for row in 0..count {
        put_row(parts, row, &mut rows);
    }
    let (features, labels) = rows.finish(columns, label_names.len())?;
    let dataset = Dataset::from_attributes(name, features, labels, attributes, label_names)?;
    Ok(dataset)
}

/// Words must not become far more numbers than the table has cells.
fn check_growth(parts: &[Part], numbers: usize, rows: usize, file: &str) -> Result<()> {
    let Some(expected) = too_many(numbers, rows.saturating_mul(parts.len())) else {
        return Ok(());
    };
    let widest = parts.iter().max_by_key(|part| part.attribute.width());
    let place = widest.and_then(|part| part.place);
    Err(error_at(place, file, expected, numbers.to_string()))
}

/// Columns `name=value` must not meet a column that is called so.
fn check_names(parts: &[Part], file: &str) -> Result<()> {
    let mut seen = HashSet::new();
    for part in parts {
        for name in part.attribute.column_names() {
            if let Some(name) = seen.replace(name) {
                let found = format!("{} again", excerpt(&name));
                let expected = "columns with names of their own";
                return Err(error_at(part.place, file, expected, found));
            }
        }
    }
    Ok(())
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
            column += part.attribute.width();
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
            PartCells::Words(cells) => self.put_word(cells[row], first, rows),
        }
    }

    fn put_word(&self, position: Option<usize>, first: usize, rows: &mut Rows) {
        let list = self.attribute.list().expect("words have a list");
        match position.map(|position| list.cell(position)) {
            Some((offset, value)) => rows.put(first + offset, value),
            None => (first..first + list.width()).for_each(|column| rows.put(column, f64::NAN)),
        }
    }
}
