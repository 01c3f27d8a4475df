//! A table as Markdown.

use super::{Cell, Table, score};

pub(super) fn text(table: &Table<'_>) -> String {
    let names = table.datasets.iter().map(|name| escaped(name));
    let header: Vec<String> = [String::from("method")].into_iter().chain(names).collect();
    let mut lines = vec![table.caption(), String::new(), line(&header)];
    lines.push(format!("|---{}|", "|---".repeat(table.datasets.len())));
    for row in &table.rows {
        let cells = row.cells.iter().map(|cell| cell.map_or("–".into(), number));
        let cells: Vec<String> = [escaped(row.title)].into_iter().chain(cells).collect();
        lines.push(line(&cells));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

fn number(cell: Cell) -> String {
    let mean = score(cell.mean.mean);
    let mean = if cell.is_best {
        format!("**{mean}**")
    } else {
        mean
    };
    match cell.mean.stderr {
        Some(stderr) => format!("{mean} ± {}", score(stderr)),
        None => mean,
    }
}

/// A name in which no character has a meaning of its own.
fn escaped(name: &str) -> String {
    let escape = |letter: char| match letter {
        '|' | '*' | '_' | '`' | '\\' | '<' | '[' => format!("\\{letter}"),
        _ if letter.is_control() => " ".into(),
        _ => letter.to_string(),
    };
    name.chars().map(escape).collect()
}
