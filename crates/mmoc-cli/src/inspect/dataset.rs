//! What is in a data set, for people.

use std::fmt::Write;

use mmoc::data::{DatasetStatistics, LabelSet};
use mmoc_experiment::text::{TextTable, counted, printable};

/// Labels that the text shows; JSON has them all.
const LABELS_SHOWN: usize = 25;

/// The whole description.
pub(super) fn describe(summary: &DatasetStatistics) -> String {
    let mut text = format!("{}\n\n", printable(&summary.name));
    for (name, value) in facts(summary) {
        writeln!(text, "  {name:<20}  {value}").expect("a string takes any text");
    }
    text.push('\n');
    text.push_str(&label_table(summary));
    let hidden = summary.labels.saturating_sub(LABELS_SHOWN);
    if hidden > 0 {
        writeln!(text, "  … and {hidden} rarer ones (--json lists all)").expect("as above");
    }
    text.push('\n');
    text.push_str(&label_set_table(&summary.frequent_label_sets));
    text
}

fn facts(summary: &DatasetStatistics) -> Vec<(&'static str, String)> {
    let storage = if summary.sparse { "sparse" } else { "dense" };
    let features = if summary.columns == summary.features {
        format!("{} ({storage})", summary.features)
    } else {
        format!(
            "{} ({storage}, in {})",
            summary.features,
            counted(summary.columns, "column")
        )
    };
    let imbalance = match (summary.mean_imbalance, summary.max_imbalance) {
        (Some(mean), Some(max)) => format!("{mean:.3} on average, {max:.3} at most"),
        _ => "no label occurs".into(),
    };
    let rows = match summary.weight_sum {
        None => summary.rows.to_string(),
        Some(sum) => format!("{} (sum of weights {sum})", summary.rows),
    };
    let missing_labels = summary.missing_labels;
    let missing_labels =
        (missing_labels > 0).then(|| ("missing labels", missing_labels.to_string()));
    let before = vec![
        ("rows", rows),
        ("features", features),
        ("nonzero share", format!("{:.4}", summary.nonzero_share)),
        ("missing cells", summary.missing_cells.to_string()),
        ("labels", summary.labels.to_string()),
    ];
    let after = vec![
        ("cardinality", format!("{:.3}", summary.cardinality)),
        ("density", format!("{:.4}", summary.density)),
        (
            "distinct label sets",
            summary.distinct_label_sets.to_string(),
        ),
        ("empty rows", summary.empty_rows.to_string()),
        ("imbalance", imbalance),
    ];
    before
        .into_iter()
        .chain(missing_labels)
        .chain(after)
        .collect()
}

fn label_table(summary: &DatasetStatistics) -> String {
    let mut order: Vec<usize> = (0..summary.labels).collect();
    order.sort_by_key(|&label| std::cmp::Reverse(summary.label_counts[label]));
    let mut table = TextTable::new(&["label", "rows", "share", "imbalance"]);
    for &label in order.iter().take(LABELS_SHOWN) {
        let count = summary.label_counts[label];
        table.add(vec![
            printable(&summary.label_names[label]),
            count.to_string(),
            format!("{:.4}", count as f64 / summary.rows as f64),
            summary.imbalance[label].map_or("–".into(), |ratio| format!("{ratio:.3}")),
        ]);
    }
    table.render()
}

fn label_set_table(sets: &[LabelSet]) -> String {
    let mut table = TextTable::new(&["most frequent label sets", "rows"]);
    for set in sets {
        let name = if set.labels.is_empty() {
            "(none)".into()
        } else {
            set.labels.join(", ")
        };
        table.add(vec![printable(&name), set.rows.to_string()]);
    }
    table.render()
}
