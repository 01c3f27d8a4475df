//! The tables of an experiment for people: one for each data set and measure of the paper.

use std::io::IsTerminal;

use mmoc::metrics::Metric;

use crate::evaluate::describe_protocol;
use crate::output::printable;
use crate::paper;
use crate::summary::{DatasetSummary, MethodSummary, Summary};
use crate::table::Table;

/// All tables.
pub(crate) fn describe(summary: &Summary) -> String {
    let mut text = heading(summary);
    for dataset in &summary.datasets {
        text.push_str(&dataset_heading(dataset));
        for metric in paper::METRICS {
            text.push_str(&caption(dataset, metric));
            text.push_str(&metric_table(dataset, metric).render());
        }
        text.push_str("\nSeconds per run\n");
        text.push_str(&time_table(dataset).render());
    }
    text
}

fn heading(summary: &Summary) -> String {
    let preset = summary.preset.as_ref();
    let preset = preset.map_or(String::new(), |preset| format!(", preset {preset}"));
    format!(
        "mmoc {}: {}{preset}, seed {}\nBest in a table: *\n",
        summary.version,
        describe_protocol(summary.protocol),
        summary.seed
    )
}

fn dataset_heading(dataset: &DatasetSummary) -> String {
    let synthetic = if dataset.is_synthetic() {
        " (SYNTHETIC twin, not the real data)"
    } else {
        ""
    };
    format!(
        "\n{}{synthetic}: {}, scaling {}\n",
        printable(&dataset.name),
        dataset.size(),
        dataset.scaling
    )
}

fn caption(dataset: &DatasetSummary, metric: Metric) -> String {
    let has_paper = dataset
        .methods
        .iter()
        .any(|m| paper_of(m, metric).is_some());
    let number = paper::table_number(&dataset.name, metric).filter(|_| has_paper);
    let number = number.map_or(String::new(), |number| format!("Table {number}. "));
    let synthetic = if dataset.is_synthetic() {
        ", synthetic"
    } else {
        ""
    };
    format!(
        "\n{number}{} on {}{synthetic}\n",
        metric.title(),
        printable(&dataset.name)
    )
}

fn metric_table(dataset: &DatasetSummary, metric: Metric) -> Table {
    let with_paper = dataset
        .methods
        .iter()
        .any(|method| paper_of(method, metric).is_some());
    let mut header = vec!["method (base models)", "mean", "", "std. error"];
    if with_paper {
        header.extend(["paper", "std. error", "difference"]);
    }
    let mut table = Table::new(&header);
    let best = best(dataset, metric);
    for (index, method) in dataset.methods.iter().enumerate() {
        let cells = metric_row(method, metric, best.contains(&index), with_paper);
        table.add_marked(cells, best.contains(&index) && is_styled());
    }
    table
}

fn metric_row(method: &MethodSummary, metric: Metric, best: bool, with_paper: bool) -> Vec<String> {
    let summary = method.metric(metric);
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
    let mark = if best { "*" } else { "" };
    let mut cells = vec![
        format!("{} ({})", method.title, method.base_models),
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

fn paper_of(method: &MethodSummary, metric: Metric) -> Option<f64> {
    method.metric(metric)?.paper
}

/// The methods of the best mean; none where there is but one method.
pub(crate) fn best(dataset: &DatasetSummary, metric: Metric) -> Vec<usize> {
    let sign = if metric.higher_is_better() { 1.0 } else { -1.0 };
    let means = dataset.methods.iter().enumerate();
    let means = means.filter_map(|(i, method)| Some((i, sign * method.metric(metric)?.mean.mean)));
    let means: Vec<(usize, f64)> = means.collect();
    let most = means
        .iter()
        .map(|mean| mean.1)
        .fold(f64::NEG_INFINITY, f64::max);
    let several = dataset.methods.len() > 1;
    let best = means.into_iter().filter(|mean| several && mean.1 == most);
    best.map(|(index, _)| index).collect()
}

fn time_table(dataset: &DatasetSummary) -> Table {
    let mut table = Table::new(&["method", "shared base models", "method itself", "predict"]);
    for method in &dataset.methods {
        let (fit, own) = (method.fit_seconds.mean, method.own_seconds.mean);
        let seconds = [fit - own, own, method.predict_seconds.mean];
        let mut cells = vec![method.title.to_owned()];
        cells.extend(seconds.map(|seconds| format!("{seconds:.4}")));
        table.add(cells);
    }
    table
}

/// Whether standard output shows bold text.
fn is_styled() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !refused
}
