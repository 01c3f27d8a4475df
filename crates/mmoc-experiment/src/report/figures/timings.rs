//! Seconds of a run: base models that methods share, the method only, prediction.

use super::rows::Rows;
use super::{heading, title};
use crate::report::scale::Scale;
use crate::report::svg::{Drawing, Figure, hint, rectangle, words};
use crate::summary::{DatasetSummary, MethodSummary};

const ROW: f64 = 20.0;
const BAR: f64 = 12.0;
/// The parts of a bar: their classes and what they are.
const PARTS: [(&str, &str); 3] = [
    ("shared", "shared base models"),
    ("own", "method only"),
    ("predict", "predict"),
];

/// Seconds of the three parts; none if another program made the predictions.
pub(in crate::report) fn parts(method: &MethodSummary) -> Option<[f64; 3]> {
    let seconds = method.seconds?;
    let shared = (seconds.fit - seconds.own).max(0.0);
    Some([shared, seconds.own, seconds.predict])
}

pub(in crate::report) fn timings(dataset: &DatasetSummary, file: String) -> Figure {
    let totals = dataset.methods.iter().filter_map(parts);
    let longest = totals.map(|parts| parts.iter().sum()).fold(0.0, f64::max);
    let scale = Scale::linear((0.0, longest), Rows::range());
    let mut rows = Rows::with_legend(
        &heading(dataset, "Seconds per run"),
        dataset.methods.len(),
        ROW,
    );
    rows.draw_scale(&scale);
    draw_legend(&mut rows.drawing);
    for (index, method) in dataset.methods.iter().enumerate() {
        rows.draw_name(index, method.title(), false);
        let Some(parts) = parts(method) else {
            rows.draw_value(index, "–", false);
            continue;
        };
        let total: f64 = parts.iter().sum();
        rows.draw_value(index, &format!("{total:.3}"), false);
        let y = rows.middle(index) - BAR / 2.0;
        let mut from = 0.0;
        for ((class, what), seconds) in PARTS.into_iter().zip(parts) {
            let (start, end) = (scale.place(from), scale.place(from + seconds));
            let bar = rectangle(start, y, end - start, BAR).class(class);
            rows.drawing.add(hint(
                bar,
                format!("{}, {what}: {seconds:.4} s", method.title()),
            ));
            from += seconds;
        }
    }
    Figure {
        file,
        title: title(dataset, "Seconds per run"),
        finding: finding(dataset),
        caption: "Means over runs. Base models are fitted once for all methods of a run; each bar counts all of \
                  those that its method needs."
            .into(),
        drawing: rows.drawing,
    }
}

fn draw_legend(drawing: &mut Drawing) {
    let mut x = 0.0;
    for (class, what) in PARTS {
        drawing.add(rectangle(x, Rows::LEGEND_Y - 5.0, 9.0, 9.0).class(class));
        drawing.add(words(x + 13.0, Rows::LEGEND_Y + 4.0, what).class("small"));
        x += 28.0 + 6.2 * what.len() as f64;
    }
}

fn finding(dataset: &DatasetSummary) -> String {
    let methods = dataset.methods.iter();
    let said = methods.filter_map(|method| {
        let [shared, own, predict] = parts(method)?;
        let title = method.title();
        Some(format!("{title} {shared:.4} + {own:.4} + {predict:.4}"))
    });
    let said: Vec<String> = said.collect();
    format!(
        "Seconds for shared base models, the method only and prediction: {}.",
        said.join(", ")
    )
}
