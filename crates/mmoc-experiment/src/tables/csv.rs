//! A table as CSV for other programs: a row for each method on each data set, with all digits.

use super::Table;

pub(super) fn text(table: &Table<'_>) -> String {
    let mut text = String::from("data_set,method,mean,std_error,runs,best\n");
    for (column, dataset) in table.datasets.iter().enumerate() {
        for row in &table.rows {
            let Some(cell) = row.cells[column] else {
                continue;
            };
            let stderr = cell
                .mean
                .stderr
                .map_or(String::new(), |own| own.to_string());
            let cells = [
                quoted(dataset),
                quoted(row.title),
                cell.mean.mean.to_string(),
                stderr,
                cell.runs.to_string(),
                u8::from(cell.is_best).to_string(),
            ];
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}

/// A name, in quotes where it needs them.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) || name.trim() != name {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into()
    }
}
