//! How many rows carry each label.

use super::rows::Rows;
use super::{heading, title};
use crate::report::scale::Scale;
use crate::report::svg::{Figure, hint, rectangle};
use crate::summary::DatasetSummary;
use crate::text::counted;

const ROW: f64 = 18.0;
const BAR: f64 = 11.0;

pub(in crate::report) fn frequencies(dataset: &DatasetSummary, file: String) -> Figure {
    let entry = &dataset.entry;
    let mut shown: Vec<usize> = entry.shown_labels.clone();
    shown.sort_by_key(|&label| std::cmp::Reverse(entry.label_counts[label]));
    let most = shown.first().map_or(0, |&label| entry.label_counts[label]);
    let scale = Scale::linear((0.0, most.max(1) as f64), Rows::range());
    let mut rows = Rows::new(&heading(dataset, "Rows per label"), shown.len(), ROW);
    rows.draw_scale(&scale);
    for (index, &label) in shown.iter().enumerate() {
        let (name, count) = (&entry.label_names[label], entry.label_counts[label]);
        rows.draw_name(index, name, false);
        rows.draw_value(index, &count.to_string(), false);
        let (from, to) = (scale.place(0.0), scale.place(count as f64));
        let bar = rectangle(from, rows.middle(index) - BAR / 2.0, to - from, BAR).class("bar");
        let share = 100.0 * count as f64 / dataset.entry.rows.max(1) as f64;
        rows.drawing.add(hint(
            bar,
            format!("{name}: {}, {share:.1} %", counted(count, "row")),
        ));
    }
    Figure {
        file,
        title: title(dataset, "Rows per label"),
        finding: finding(dataset, &shown),
        caption: caption(dataset, shown.len()),
        drawing: rows.drawing,
    }
}

fn finding(dataset: &DatasetSummary, shown: &[usize]) -> String {
    let entry = &dataset.entry;
    let said = |&label: &usize| {
        let rows = counted(entry.label_counts[label], "row");
        format!("{} ({rows})", entry.label_names[label])
    };
    let ends = (shown.first().map(said), shown.last().map(said));
    match ends {
        (Some(most), Some(least)) => {
            format!("The most frequent label is {most}, the rarest one shown {least}.")
        }
        _ => "There are no labels.".into(),
    }
}

fn caption(dataset: &DatasetSummary, shown: usize) -> String {
    let rows = counted(dataset.entry.rows, "row");
    if shown < dataset.entry.labels {
        format!(
            "Of {rows}; the {shown} most frequent of {} labels.",
            dataset.entry.labels
        )
    } else {
        format!("Of {rows}.")
    }
}
