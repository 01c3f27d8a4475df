//! The report of `evaluate` for people.

use std::fmt::Write;

use mmoc::settings::Parameter;
use mmoc_experiment::Protocol;

use crate::output::{counted, printable};
use crate::summary::{DatasetSummary, MethodSummary, Summary};
use crate::table::Table;

/// What is shown of each label.
pub(crate) const LABEL_COLUMNS: [&str; 7] = [
    "label",
    "positives",
    "predicted",
    "precision",
    "recall",
    "F1",
    "AUC",
];

/// The whole report.
pub(super) fn describe(report: &Summary, per_label: bool) -> String {
    let mut text = String::new();
    for dataset in &report.datasets {
        for method in &dataset.methods {
            text.push_str(&heading(report, dataset, method));
            text.push_str(&metric_table(method));
            text.push_str(&effort(method));
            if per_label {
                writeln!(text, "\n{}", label_table(method)).expect("a string takes any text");
            }
        }
    }
    text
}

fn heading(report: &Summary, dataset: &DatasetSummary, method: &MethodSummary) -> String {
    format!(
        "{}: {}\n{} ({}), {}, scaling {}, seed {}\n{}\n",
        printable(&dataset.name),
        dataset.size(),
        method.title,
        counted(method.base_models, "base model"),
        describe_protocol(report.protocol),
        dataset.scaling,
        report.seed,
        parameters("", &method.parameters),
    )
}

/// Every parameter as it is set, its name after a prefix, in lines of at most a hundred characters; nothing if there are
/// none.
pub(crate) fn parameters(prefix: &str, parameters: &[Parameter]) -> String {
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

/// How rows are split, in words.
pub(crate) fn describe_protocol(protocol: Protocol) -> String {
    match protocol {
        Protocol::RandomSplits { runs, train_size } => {
            format!(
                "{} of {}",
                counted(runs, "random split"),
                counted(train_size, "training row")
            )
        }
        Protocol::CrossValidation {
            folds,
            stratified,
            repeats,
        } => {
            let kind = if stratified { "stratified" } else { "random" };
            let often = if repeats > 1 {
                format!(", {repeats} times")
            } else {
                String::new()
            };
            format!("{folds} {kind} folds{often}")
        }
    }
}

fn metric_table(method: &MethodSummary) -> String {
    let mut table = Table::new(&["metric", "mean", "std. error"]);
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
    let mut text = format!(
        "\n  fit {:.3} s, predict {:.3} s per run",
        method.fit_seconds.mean, method.predict_seconds.mean,
    );
    if let Some(record) = method.logistic.filter(|record| record.regressions > 0) {
        let regressions = counted(record.regressions, "logistic regression");
        let (converged, worst) = (record.converged, record.worst_gradient);
        write!(
            text,
            "; {regressions}, {converged} to the tolerance (worst gradient {worst:.1e})"
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
    let mut table = Table::new(&LABEL_COLUMNS);
    for label in &method.label_metrics {
        let mut cells = vec![
            printable(&label.name),
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
