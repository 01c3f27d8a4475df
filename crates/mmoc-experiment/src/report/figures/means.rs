//! Means and standard errors of all methods, ours and the paper's beside each other.

use mmoc::metrics::Metric;

use super::rows::Rows;
use super::{heading, score, title};
use crate::report::scale::Scale;
use crate::report::svg::{Drawing, Figure, circle, diamond, hint, line, words};
use crate::summary::{DatasetSummary, MetricSummary};

const ROW: f64 = 24.0;
/// How far our mark is above the middle of the row, and the paper's below, where both are drawn.
const APART: f64 = 5.0;

/// A value and its standard error.
type Mark = (f64, Option<f64>);

pub(in crate::report) fn means(dataset: &DatasetSummary, metric: Metric, file: String) -> Figure {
    let found: Vec<Option<&MetricSummary>> = metrics(dataset, metric);
    let with_paper = found.iter().flatten().any(|own| own.paper.is_some());
    let marks = found.iter().flatten();
    let ends = marks.flat_map(|own| {
        [Some(ours(own)), paper(own)]
            .into_iter()
            .flatten()
            .flat_map(ends)
    });
    let heading = heading(dataset, metric.title());
    let mut rows = if with_paper {
        Rows::with_legend(&heading, found.len(), ROW)
    } else {
        Rows::new(&heading, found.len(), ROW)
    };
    let scale = Scale::around(ends, Rows::range());
    rows.draw_scale(&scale);
    if with_paper {
        draw_legend(&mut rows.drawing);
    }
    let best = dataset.best(metric);
    for (index, (method, own)) in dataset.methods.iter().zip(&found).enumerate() {
        let is_best = best.contains(&index);
        rows.draw_name(index, method.title(), is_best);
        let Some(own) = own else { continue };
        rows.draw_value(index, &score(own.mean.mean), is_best);
        let y = rows.middle(index);
        let (above, below) = if with_paper {
            (y - APART, y + APART)
        } else {
            (y, y)
        };
        draw_ours(&mut rows.drawing, &scale, above, ours(own));
        if let Some(mark) = paper(own) {
            draw_paper(&mut rows.drawing, &scale, below, mark);
        }
    }
    Figure {
        file,
        title: title(dataset, &format!("{}: means", metric.title())),
        finding: finding(dataset, metric),
        caption: caption(with_paper, dataset.has_repeated_runs()).into(),
        drawing: rows.drawing,
    }
}

fn metrics<'a>(dataset: &'a DatasetSummary<'_>, metric: Metric) -> Vec<Option<&'a MetricSummary>> {
    let methods = dataset.methods.iter();
    methods.map(|method| method.metric(metric)).collect()
}

fn ours(summary: &MetricSummary) -> Mark {
    (summary.mean.mean, summary.mean.stderr)
}

fn paper(summary: &MetricSummary) -> Option<Mark> {
    summary.paper.map(|mean| (mean, summary.paper_stderr))
}

/// The ends of the error bar.
fn ends((mean, stderr): Mark) -> [f64; 2] {
    let stderr = stderr.unwrap_or(0.0);
    [mean - stderr, mean + stderr]
}

fn draw_ours(drawing: &mut Drawing, scale: &Scale, y: f64, mark: Mark) {
    draw_error(drawing, scale, y, mark, "ours-line");
    let dot = circle(scale.place(mark.0), y, 3.5).class("ours");
    drawing.add(hint(dot, format!("ours: {}", described(mark))));
}

fn draw_paper(drawing: &mut Drawing, scale: &Scale, y: f64, mark: Mark) {
    draw_error(drawing, scale, y, mark, "other-line");
    let dot = diamond(scale.place(mark.0), y, 4.0).class("other");
    drawing.add(hint(dot, format!("paper: {}", described(mark))));
}

fn draw_error(drawing: &mut Drawing, scale: &Scale, y: f64, mark: Mark, class: &'static str) {
    let [low, high] = ends(mark).map(|end| scale.place(end));
    drawing.add(line((low, y), (high, y)).class(class));
}

fn described((mean, stderr): Mark) -> String {
    let error = stderr.map_or(String::new(), |stderr| format!(" ± {}", score(stderr)));
    score(mean) + &error
}

fn draw_legend(drawing: &mut Drawing) {
    const Y: f64 = Rows::LEGEND_Y;
    let (from, to) = Rows::range();
    let middle = f64::midpoint(from, to);
    let marks = [
        (
            from,
            "ours-line",
            circle(from + 10.0, Y, 3.5).class("ours"),
            "ours",
        ),
        (
            middle,
            "other-line",
            diamond(middle + 10.0, Y, 4.0).class("other"),
            "paper",
        ),
    ];
    for (x, class, mark, whose) in marks {
        drawing.add(line((x, Y), (x + 20.0, Y)).class(class));
        drawing.add(mark);
        drawing.add(words(x + 26.0, Y + 4.0, whose).class("small"));
    }
}

fn caption(with_paper: bool, with_errors: bool) -> &'static str {
    match (with_paper, with_errors) {
        (true, _) => {
            "Dots are our means, diamonds the paper’s; lines reach one standard error to both sides."
        }
        (false, true) => "Dots are means over runs; lines reach one standard error to both sides.",
        (false, false) => "Dots are the values of the only run.",
    }
}

fn finding(dataset: &DatasetSummary, metric: Metric) -> String {
    let methods = dataset.methods.iter();
    let said = methods.filter_map(|method| {
        let own = method.metric(metric)?;
        let paper = paper(own).map_or(String::new(), |mark| {
            format!(" (paper {})", described(mark))
        });
        Some(format!(
            "{} {}{paper}",
            method.title(),
            described(ours(own))
        ))
    });
    let said: Vec<String> = said.collect();
    let best = dataset.best(metric).into_iter();
    let best: Vec<&str> = best.map(|best| dataset.methods[best].title()).collect();
    let best = match best.as_slice() {
        [] => String::new(),
        [only] => format!("{only} is best. "),
        several => format!("{} are best. ", several.join(" and ")),
    };
    let what = if dataset.has_repeated_runs() {
        "Means and standard errors"
    } else {
        "Values of the only run"
    };
    format!("{best}{what}: {}.", said.join(", "))
}
