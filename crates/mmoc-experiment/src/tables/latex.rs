//! A table as LaTeX that needs no package.

use super::{Cell, Table, score};

pub(super) fn text(table: &Table<'_>) -> String {
    let columns = "r".repeat(table.datasets.len());
    let names = table.datasets.iter().map(|name| escaped(name));
    let header = [String::from("method")].into_iter().chain(names);
    let mut lines = vec![
        format!("% {}", table.caption()),
        format!("\\begin{{tabular}}{{l{columns}}}"),
        "\\hline".into(),
        line(header),
        "\\hline".into(),
    ];
    for row in &table.rows {
        let cells = row
            .cells
            .iter()
            .map(|cell| cell.map_or("--".into(), number));
        lines.push(line([escaped(row.title)].into_iter().chain(cells)));
    }
    lines.extend(["\\hline".into(), "\\end{tabular}".into(), String::new()]);
    lines.join("\n")
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("{} \\\\", cells.join(" & "))
}

fn number(cell: Cell) -> String {
    let mean = score(cell.mean.mean);
    let mean = if cell.is_best {
        format!("\\mathbf{{{mean}}}")
    } else {
        mean
    };
    match cell.mean.stderr {
        Some(stderr) => format!("${mean} \\pm {}$", score(stderr)),
        None => format!("${mean}$"),
    }
}

/// A name in which no character has a meaning of its own.
fn escaped(name: &str) -> String {
    let escape = |letter: char| match letter {
        '\\' => "\\textbackslash{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '^' => "\\textasciicircum{}".into(),
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{letter}"),
        _ if letter.is_control() => " ".into(),
        _ => letter.to_string(),
    };
    name.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_commands() {
        assert_eq!(escaped("50% of a_b\n"), "50\\% of a\\_b ");
        assert_eq!(escaped("\\input{x}"), "\\textbackslash{}input\\{x\\}");
    }
}
