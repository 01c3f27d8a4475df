//! Data whose names try to be more than names.

use super::small::Small;

/// What must not be found in a page of such data.
pub(crate) const FORBIDDEN: [&str; 5] = ["<script", "<b>", "<img", "\u{202e}", "\u{7f}"];

/// A table with so many labels, the last columns. The first five are markup, quotes, a change of direction, a
/// foreign script and a very long name.
pub(crate) fn hostile_table(labels: usize) -> String {
    let long = "long ".repeat(40);
    let names = [
        "<script>alert(1)</script>",
        "\"quotes' & <img src=x>",
        "\u{202e}drawkcab\u{7f}",
        "שלום עולם",
        &long,
    ];
    let table = Small::new(80, 4, labels).table(",");
    let named = |table: String, (index, name): (usize, &&str)| {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        table.replacen(&format!("mood_{}", index + 1), &quoted, 1)
    };
    names.iter().enumerate().fold(table, named)
}
