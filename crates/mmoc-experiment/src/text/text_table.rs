//! Plain text tables: the first column is aligned to the left, the others to the right.

use std::fmt::Write;

/// A plain text table with a header.
#[derive(Debug)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    /// The rows in bold.
    bold: Vec<usize>,
}

impl TextTable {
    /// A table of named columns.
    pub fn new(header: &[&str]) -> Self {
        Self {
            rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()],
            bold: Vec::new(),
        }
    }

    /// Adds a row, with as many cells as the header has: missing ones are empty, more are left out.
    pub fn add(&mut self, mut cells: Vec<String>) {
        cells.resize(self.rows[0].len(), String::new());
        self.rows.push(cells);
    }

    /// Adds a row, in bold for a terminal if asked.
    pub fn add_marked(&mut self, cells: Vec<String>, bold: bool) {
        if bold {
            self.bold.push(self.rows.len());
        }
        self.add(cells);
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            self.rows
                .iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        (0..self.rows[0].len()).map(width).collect()
    }

    /// The table as text, each line indented by two spaces.
    pub fn render(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = format!("  {:<width$}", row[0], width = widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                write!(line, "  {cell:>width$}").expect("a string takes any text");
            }
            let line = line.trim_end();
            if self.bold.contains(&index) {
                writeln!(text, "\u{1b}[1m{line}\u{1b}[0m").expect("a string takes any text");
            } else {
                writeln!(text, "{line}").expect("a string takes any text");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = TextTable::new(&["name", "rows"]);
        table.add(vec!["a longer name".into(), "7".into()]);
        table.add(vec!["é".into(), "12345".into()]);
        let expected = "  name            rows\n  a longer name      7\n  é              12345\n";
        assert_eq!(table.render(), expected);
    }
}
