//! The tables of a report.

use std::fmt::Display;

use crate::PairedDifference;
use mmoc::metrics::Metric;

use super::figures::{parts, score};
use super::markup::{Element, element, text};
use crate::paper;
use crate::summary::{
    DatasetSummary, LabelSummary, MethodSummary, MetricSummary, PosteriorSummary,
};

/// Shown where there is no number.
const NONE: &str = "–";

/// A table within a container that scrolls where it is too wide.
pub(super) struct HtmlTable {
    caption: String,
    header: Vec<Element>,
    rows: Vec<Element>,
    class: &'static str,
}

impl HtmlTable {
    /// A table of named columns.
    pub(super) fn new<H: Display>(caption: &str, header: impl IntoIterator<Item = H>) -> Self {
        let header = header.into_iter();
        Self {
            caption: caption.into(),
            header: header
                .map(|name| text("th", name).with("scope", "col"))
                .collect(),
            rows: Vec::new(),
            class: "numbers",
        }
    }

    /// A table of words, which begin at the left of their columns and take several lines where they must.
    pub(super) fn of_words<H: Display>(caption: &str, header: impl IntoIterator<Item = H>) -> Self {
        let class = "words";
        Self {
            class,
            ..Self::new(caption, header)
        }
    }

    /// Adds a row with a name and a cell for each other column.
    pub(super) fn add(&mut self, name: Element, cells: impl IntoIterator<Item = Element>) {
        let name = element("th").with("scope", "row").child(name);
        self.rows.push(element("tr").child(name).children(cells));
    }

    /// The table.
    pub(super) fn element(self) -> Element {
        let head = element("thead").child(element("tr").children(self.header));
        let table = element("table")
            .class(self.class)
            .child(text("caption", &self.caption))
            .child(head)
            .child(element("tbody").children(self.rows));
        element("div")
            .class("scroll")
            .with("role", "region")
            .with("tabindex", 0)
            .with("aria-label", &self.caption)
            .child(table)
    }
}

/// A cell with a number.
fn cell(value: impl Display) -> Element {
    text("td", value)
}

/// A cell with a number that may be missing.
fn cell_of(value: Option<f64>) -> Element {
    cell(value.map_or_else(|| NONE.into(), score))
}

fn signed(value: f64) -> String {
    // Rounded first, so that nothing is shown as −0.
    let rounded = (value * 1e4).round() / 1e4 + 0.0;
    let sign = if rounded > 0.0 {
        "+"
    } else if rounded < 0.0 {
        "−"
    } else {
        ""
    };
    format!("{sign}{:.4}", rounded.abs())
}

fn p_cell(p: Option<f64>) -> Element {
    match p {
        Some(p) if p < 1e-4 => cell("< 0.0001"),
        other => cell_of(other),
    }
}

/// A name that says its own direction of writing.
pub(super) fn name(name: impl Display) -> Element {
    text("bdi", name)
}

fn method_name(method: &MethodSummary, is_best: bool) -> Element {
    if is_best {
        element("strong").text(method.title())
    } else {
        name(method.title())
    }
}

/// Marks captions of tables whose data is not real.
pub(super) fn synthetic(dataset: &DatasetSummary) -> &'static str {
    if dataset.is_synthetic() {
        " (SYNTHETIC data)"
    } else {
        ""
    }
}

/// Means, standard errors, the paper's figures and differences for one measure.
pub(super) fn scores(dataset: &DatasetSummary, metric: Metric, reference: &str) -> Element {
    let methods = dataset.methods.iter();
    let found: Vec<Option<&MetricSummary>> = methods.map(|method| method.metric(metric)).collect();
    let has = |part: fn(&MetricSummary) -> bool| found.iter().flatten().any(|own| part(own));
    let with_paper = has(|own| own.paper.is_some());
    let with_difference = has(|own| own.difference.is_some());
    let mut header = vec![
        "method".to_owned(),
        "base models".into(),
        "mean".into(),
        "std. error".into(),
    ];
    if with_paper {
        header.extend(["paper", "paper’s s.e.", "difference"].map(String::from));
    }
    if with_difference {
        header.push(format!("to {}", title_of(dataset, reference)));
        header.extend(["wins–ties–losses", "p (t)", "p (Wilcoxon)"].map(String::from));
    }
    let mut table = HtmlTable::new(&scores_caption(dataset, metric), header);
    let best = dataset.best(metric);
    for (index, (method, own)) in dataset.methods.iter().zip(&found).enumerate() {
        let is_best = best.contains(&index);
        let base_models = method.base_models.map(|count| count.to_string());
        let base_models = base_models.unwrap_or_else(|| NONE.into());
        let mut cells = vec![cell(base_models), mean_cell(*own, is_best)];
        cells.push(cell_of(own.and_then(|own| own.mean.stderr)));
        if with_paper {
            cells.extend(paper_cells(*own));
        }
        if with_difference {
            let difference = own.and_then(|own| own.difference.as_ref());
            cells.extend(difference_cells(metric, difference));
        }
        table.add(method_name(method, is_best), cells);
    }
    table.element()
}

fn title_of<'a>(dataset: &'a DatasetSummary, method: &'a str) -> &'a str {
    let found = dataset.methods.iter().find(|own| own.name() == method);
    found.map_or(method, |own| own.title())
}

fn scores_caption(dataset: &DatasetSummary, metric: Metric) -> String {
    let has_paper = dataset.methods.iter().any(|method| {
        let own = method.metric(metric);
        own.is_some_and(|own| own.paper.is_some())
    });
    let number = paper::table_number(&dataset.entry.name, metric).filter(|_| has_paper);
    let number = number.map_or(String::new(), |number| {
        format!(", table {number} of the paper")
    });
    format!(
        "{} on {}{}{number}",
        metric.title(),
        dataset.entry.name,
        synthetic(dataset)
    )
}

fn mean_cell(summary: Option<&MetricSummary>, is_best: bool) -> Element {
    let mean = summary.map_or_else(|| NONE.into(), |own| score(own.mean.mean));
    if is_best {
        element("td").child(text("strong", mean))
    } else {
        cell(mean)
    }
}

fn paper_cells(summary: Option<&MetricSummary>) -> [Element; 3] {
    let paper = summary.and_then(|own| own.paper);
    let difference = summary.zip(paper).map(|(own, paper)| own.mean.mean - paper);
    [
        cell_of(paper),
        cell_of(summary.and_then(|own| own.paper_stderr)),
        cell(difference.map_or_else(|| NONE.into(), signed)),
    ]
}

fn difference_cells(metric: Metric, difference: Option<&PairedDifference>) -> [Element; 4] {
    let Some(found) = difference else {
        return [NONE; 4].map(cell);
    };
    let (better, worse) = found.better_and_worse(metric);
    [
        cell(signed(found.difference.mean)),
        cell(format_args!("{better}–{}–{worse}", found.ties)),
        p_cell(found.resampled_t.map(|test| test.p_value)),
        p_cell(found.wilcoxon.map(|test| test.p_value)),
    ]
}

/// Every measure of every method.
pub(super) fn all_metrics(dataset: &DatasetSummary) -> Element {
    let methods = dataset.methods.iter();
    let header = std::iter::once("measure").chain(methods.map(MethodSummary::title));
    let caption = format!(
        "All measures on {}{}: means over runs",
        dataset.entry.name,
        synthetic(dataset)
    );
    let mut table = HtmlTable::new(&caption, header);
    for metric in Metric::all() {
        let best = dataset.best(metric);
        let cells = dataset
            .methods
            .iter()
            .enumerate()
            .map(|(index, method)| mean_cell(method.metric(metric), best.contains(&index)));
        let arrow = if metric.higher_is_better() {
            "↑"
        } else {
            "↓"
        };
        let cells: Vec<Element> = cells.collect();
        table.add(
            text("span", format_args!("{} {arrow}", metric.title())),
            cells,
        );
    }
    table.element()
}

/// The scores of each label.
pub(super) fn labels(dataset: &DatasetSummary, method: &MethodSummary) -> Element {
    let caption = format!(
        "Labels of {}{} by {}: means over runs",
        dataset.entry.name,
        synthetic(dataset),
        method.title()
    );
    let header = [
        "label",
        "rows",
        "predicted",
        "precision",
        "recall",
        "F1",
        "AUC",
    ];
    let mut table = HtmlTable::new(&caption, header);
    for label in &method.labels {
        table.add(name(label.name), label_cells(label));
    }
    table.element()
}

fn label_cells(label: &LabelSummary) -> [Element; 6] {
    let count = |count: f64| cell(format_args!("{count:.1}"));
    let scores = [label.precision, label.recall, label.f1].map(|value| cell_of(Some(value)));
    let [precision, recall, f1] = scores;
    [
        count(label.positives),
        count(label.predicted),
        precision,
        recall,
        f1,
        cell_of(label.auc),
    ]
}

/// Seconds of a run.
pub(super) fn seconds(dataset: &DatasetSummary) -> Element {
    let caption = format!(
        "Seconds per run on {}{}: means",
        dataset.entry.name,
        synthetic(dataset)
    );
    let header = [
        "method",
        "shared base models",
        "method only",
        "predict",
        "total",
    ];
    let mut table = HtmlTable::new(&caption, header);
    for method in &dataset.methods {
        let cells = match parts(method) {
            Some(parts @ [shared, own, predict]) => {
                let total = parts.iter().sum();
                [shared, own, predict, total].map(|seconds| cell_of(Some(seconds)))
            }
            None => [NONE; 4].map(cell),
        };
        table.add(name(method.title()), cells);
    }
    table.element()
}

/// How the max-margin problems of a method were solved.
pub(super) fn solver(dataset: &DatasetSummary, method: &MethodSummary) -> Option<Element> {
    let solver = method.solver?;
    let caption = format!(
        "Max-margin problems of {} on {}{}",
        method.title(),
        dataset.entry.name,
        synthetic(dataset)
    );
    let header = [
        "runs",
        "converged",
        "objective",
        "worst relative gap",
        "iterations",
        "oracle calls",
        "rank",
    ];
    let mut table = HtmlTable::new(&caption, header);
    table.add(
        text("span", solver.runs),
        [
            cell(solver.converged),
            cell(format_args!("{:.4e}", solver.objective)),
            cell(format_args!("{:.1e}", solver.relative_gap)),
            cell(format_args!("{:.1}", solver.iterations)),
            cell(format_args!("{:.0}", solver.oracle_calls)),
            cell(format_args!("{:.1}", solver.rank)),
        ],
    );
    Some(table.element())
}

/// The terms of a posterior: how much each counts, and what would be lost without it.
pub(super) fn terms(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    posterior: &PosteriorSummary,
) -> Element {
    let caption = format!(
        "Terms of the posterior of {} on {}{}: means over the runs that have them",
        method.title(),
        dataset.entry.name,
        synthetic(dataset)
    );
    let header = ["term", "weight", "worth", "runs"];
    let mut table = HtmlTable::new(&caption, header);
    for term in &posterior.terms {
        let cells = [
            cell_of(Some(term.weight)),
            cell_of(term.worth),
            cell(format_args!("{} of {}", term.runs, posterior.runs)),
        ];
        table.add(name(&term.name), cells);
    }
    table.element()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_carry_their_sign_unless_they_are_shown_as_zero() {
        assert_eq!(
            [0.01234, -0.5, 0.00001, -0.00001].map(signed),
            ["+0.0123", "−0.5000", "0.0000", "0.0000"]
        );
    }

    #[test]
    fn tables_have_captions_and_scopes() {
        let mut table = HtmlTable::new("A <caption>", ["name", "n"]);
        table.add(name("x"), [cell(1)]);
        let written = table.element().to_string();
        assert!(written.contains("<caption>A &lt;caption&gt;</caption>"));
        assert!(written.contains("<th scope=\"col\">n</th>"));
        assert!(written.contains("<th scope=\"row\"><bdi>x</bdi></th>"));
    }
}
