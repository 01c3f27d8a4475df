//! The results of single methods as text.

use std::fmt::Write;

use mmoc::settings::{Parameter, Settings};

use super::{TextTable, counted, printable, protocol};
use crate::summary::{DatasetSummary, ExperimentSummary, MethodSummary};

/// The columns of tables of labels.
pub const LABEL_COLUMNS: [&str; 7] = [
    "label",
    "positives",
    "predicted",
    "precision",
    "recall",
    "F1",
    "AUC",
];

/// All metrics of each method on each data set, and each label by itself if asked.
pub fn evaluation(summary: &ExperimentSummary<'_>, per_label: bool) -> String {
    let mut text = String::new();
    for dataset in &summary.datasets {
        for method in &dataset.methods {
            text.push_str(&heading(summary, dataset, method));
            text.push_str(&metric_table(method));
            text.push_str(&effort(method));
            if per_label {
                writeln!(text, "\n{}", label_table(method)).expect("a string takes any text");
            }
        }
    }
    text
}

fn heading(
    summary: &ExperimentSummary<'_>,
    dataset: &DatasetSummary,
    method: &MethodSummary,
) -> String {
    let own = method.method.as_ref();
    let own = own.map_or_else(Vec::new, Settings::parameters);
    format!(
        "{}: {}\n{}{}, {}, {}, seed {}\n{}\n",
        printable(&dataset.entry.name),
        dataset.size(),
        printable(method.title()),
        base_models(method),
        protocol(summary.manifest.protocol),
        dataset.entry.preprocessing(),
        summary.manifest.seed,
        parameters("", &own),
    )
}

fn base_models(method: &MethodSummary) -> String {
    let count = method.base_models.map(|count| counted(count, "base model"));
    count.map_or(String::new(), |count| format!(" ({count})"))
}

/// Name and value of every parameter, the name after a prefix, in lines of at most a hundred characters; empty if there
/// are none.
pub fn parameters(prefix: &str, parameters: &[Parameter]) -> String {
    const WIDTH: usize = 100;
    let mut lines: Vec<String> = Vec::new();
    for parameter in parameters {
        let shown = format!("{prefix}{}={}", parameter.name, parameter.value);
        match lines.last_mut() {
            Some(line) if line.len() + 1 + shown.len() <= WIDTH => {
                line.push(' ');
                line.push_str(&shown);
            }
            _ => lines.push(shown),
        }
    }
    lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect()
}

fn metric_table(method: &MethodSummary) -> String {
    let mut table = TextTable::new(&["metric", "mean", "std. error"]);
    for (metric, mean) in &method.metrics {
        table.add(vec![
            metric.title().into(),
            format!("{:.4}", mean.mean.mean),
            mean.mean
                .stderr
                .map_or("–".into(), |stderr| format!("{stderr:.4}")),
        ]);
    }
    table.render()
}

fn effort(method: &MethodSummary) -> String {
    let Some(seconds) = method.seconds else {
        return String::new();
    };
    let mut text = format!(
        "\n  fit {:.3} s, predict {:.3} s per run",
        seconds.fit, seconds.predict,
    );
    if let Some(record) = method.logistic.filter(|record| record.regressions > 0) {
        let regressions = counted(record.regressions, "logistic regression");
        let (converged, worst) = (record.converged, record.worst_gradient);
        write!(
            text,
            "; {regressions}, {converged} converged (worst gradient {worst:.1e})"
        )
        .expect("a string takes any text");
    }
    text.push('\n');
    if let Some(solver) = &method.solver {
        writeln!(text, "  {}", solver.describe()).expect("a string takes any text");
    }
    text
}

fn label_table(method: &MethodSummary) -> String {
    let mut table = TextTable::new(&LABEL_COLUMNS);
    for label in &method.labels {
        let mut cells = vec![
            printable(label.name),
            format!("{:.1}", label.positives),
            format!("{:.1}", label.predicted),
        ];
        let ratios = [label.precision, label.recall, label.f1];
        cells.extend(ratios.map(|ratio| format!("{ratio:.4}")));
        cells.push(label.auc.map_or("–".into(), |auc| format!("{auc:.4}")));
        table.add(cells);
    }
    table.render()
}
