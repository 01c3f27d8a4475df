//! The results of methods side by side as text: a table for each data set and headline metric.

use mmoc::metrics::Metric;

use super::{TextTable, printable, protocol};
use crate::summary::{DatasetSummary, ExperimentSummary, MethodSummary};
use crate::{Seconds, paper};

/// How the best methods of a table are marked, besides an asterisk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    /// Not at all.
    Plain,
    /// In bold, by the control sequences of terminals.
    Bold,
}

/// All tables.
pub fn comparison(summary: &ExperimentSummary<'_>, emphasis: Emphasis) -> String {
    let mut text = heading(summary);
    for dataset in &summary.datasets {
        text.push_str(&dataset_heading(dataset));
        for &metric in &dataset.headline {
            text.push_str(&caption(dataset, metric));
            text.push_str(&metric_table(dataset, metric, emphasis).render());
        }
        text.push_str("\nSeconds per run\n");
        text.push_str(&time_table(dataset).render());
    }
    text
}

fn heading(summary: &ExperimentSummary<'_>) -> String {
    let preset = summary.manifest.preset.as_ref();
    let preset = preset.map_or(String::new(), |preset| format!(", preset {preset}"));
    let best = match summary.manifest.protocol.runs() {
        1 => {
            "The best value of each table is marked with *. A single run has no standard errors and no tests"
        }
        _ => "The best mean of each table is marked with *",
    };
    format!(
        "mmoc {}: {}{preset}, seed {}\n{best}\n",
        summary.manifest.version,
        protocol(summary.manifest.protocol),
        summary.manifest.seed
    )
}

fn dataset_heading(dataset: &DatasetSummary) -> String {
    let synthetic = if dataset.is_synthetic() {
        " (SYNTHETIC twin, not the real data)"
    } else {
        ""
    };
    format!(
        "\n{}{synthetic}: {}, {}\n",
        printable(&dataset.entry.name),
        dataset.size(),
        dataset.entry.preprocessing()
    )
}

fn caption(dataset: &DatasetSummary, metric: Metric) -> String {
    let has_paper = dataset
        .methods
        .iter()
        .any(|m| paper_of(m, metric).is_some());
    let number = paper::table_number(&dataset.entry.name, metric).filter(|_| has_paper);
    let number = number.map_or(String::new(), |number| format!("Table {number}. "));
    let synthetic = if dataset.is_synthetic() {
        ", synthetic"
    } else {
        ""
    };
    format!(
        "\n{number}{} on {}{synthetic}\n",
        metric.title(),
        printable(&dataset.entry.name)
    )
}

fn metric_table(dataset: &DatasetSummary<'_>, metric: Metric, emphasis: Emphasis) -> TextTable {
    let with_paper = dataset
        .methods
        .iter()
        .any(|method| paper_of(method, metric).is_some());
    let mut header = vec!["method (base models)", "mean", "", "std. error"];
    if with_paper {
        header.extend(["paper", "std. error", "difference"]);
    }
    let mut table = TextTable::new(&header);
    let best = dataset.best(metric);
    for (index, method) in dataset.methods.iter().enumerate() {
        let cells = metric_row(method, metric, best.contains(&index), with_paper);
        table.add_marked(cells, best.contains(&index) && emphasis == Emphasis::Bold);
    }
    table
}

fn metric_row(method: &MethodSummary, metric: Metric, best: bool, with_paper: bool) -> Vec<String> {
    let summary = method.metric(metric);
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
    let mark = if best { "*" } else { "" };
    let mut cells = vec![
        format!("{} ({})", printable(method.title()), base_models(method)),
        number(summary.map(|summary| summary.mean.mean)),
        mark.into(),
        number(summary.and_then(|summary| summary.mean.stderr)),
    ];
    if with_paper {
        let paper = summary.and_then(|summary| summary.paper);
        let difference = paper.zip(summary).map(|(paper, own)| own.mean.mean - paper);
        cells.push(number(paper));
        cells.push(number(summary.and_then(|summary| summary.paper_stderr)));
        cells.push(difference.map_or("–".into(), |value| format!("{value:+.4}")));
    }
    cells
}

fn base_models(method: &MethodSummary) -> String {
    let count = method.base_models;
    count.map_or("–".into(), |count| count.to_string())
}

fn paper_of(method: &MethodSummary, metric: Metric) -> Option<f64> {
    method.metric(metric)?.paper
}

fn time_table(dataset: &DatasetSummary<'_>) -> TextTable {
    let mut table = TextTable::new(&["method", "shared base models", "method only", "predict"]);
    for method in &dataset.methods {
        let mut cells = vec![printable(method.title())];
        cells.extend(match method.seconds {
            Some(Seconds { fit, own, predict }) => {
                [fit - own, own, predict].map(|seconds| format!("{seconds:.4}"))
            }
            None => ["–"; 3].map(String::from),
        });
        table.add(cells);
    }
    table
}
