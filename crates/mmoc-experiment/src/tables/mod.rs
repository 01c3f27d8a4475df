//! The tables of an experiment for papers and other programs: a file for each headline metric, as LaTeX, Markdown and CSV.

mod csv;
mod latex;
mod markdown;

use std::io::Write;
use std::path::{Path, PathBuf};

use mmoc::metrics::Metric;
use mmoc::whole_file::replace_file;

use crate::error::io_error;
use crate::summary::{DatasetSummary, ExperimentSummary, MethodSummary};
use crate::{Mean, Result};

/// The means of a metric: a row for each method, a column for each data set.
struct Table<'a> {
    metric: Metric,
    datasets: Vec<&'a str>,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    title: &'a str,
    /// For each data set, unless the method has no value there.
    cells: Vec<Option<Cell>>,
}

#[derive(Clone, Copy)]
struct Cell {
    mean: Mean,
    runs: usize,
    is_best: bool,
}

/// A table of each headline metric in each of three formats, by the name of its file: means and standard errors, a
/// column for each data set.
pub fn tables(summary: &ExperimentSummary<'_>) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for &metric in &summary.headline {
        let table = Table::of(summary, metric);
        let forms = [
            ("tex", latex::text(&table)),
            ("md", markdown::text(&table)),
            ("csv", csv::text(&table)),
        ];
        let name = metric.key().replace('_', "-");
        named.extend(forms.map(|(extension, text)| (format!("{name}.{extension}"), text)));
    }
    named
}

/// Writes the [`tables`] into a folder, which is made if necessary. Returns the files.
pub fn write_tables(
    summary: &ExperimentSummary<'_>,
    folder: impl AsRef<Path>,
) -> Result<Vec<PathBuf>> {
    let folder = folder.as_ref();
    std::fs::create_dir_all(folder).map_err(|source| io_error(folder, source))?;
    let write = |(name, text): (String, String)| {
        let path = folder.join(name);
        replace_file(&path, |out| out.write_all(text.as_bytes()))?;
        Ok(path)
    };
    tables(summary).into_iter().map(write).collect()
}

impl<'a> Table<'a> {
    fn of(summary: &ExperimentSummary<'a>, metric: Metric) -> Self {
        let datasets = &summary.datasets;
        let rows = summary.manifest.methods.iter().filter_map(|entry| {
            let cells = datasets
                .iter()
                .map(|dataset| cell(dataset, &entry.name, metric));
            let cells: Vec<Option<Cell>> = cells.collect();
            let is_there = cells.iter().any(Option::is_some);
            let title = entry.title();
            is_there.then_some(Row { title, cells })
        });
        Self {
            metric,
            datasets: datasets
                .iter()
                .map(|dataset| dataset.entry.name.as_str())
                .collect(),
            rows: rows.collect(),
        }
    }

    /// What the table shows, in a sentence.
    fn caption(&self) -> String {
        format!(
            "{}: mean ± standard error; the best mean of each column is bold.",
            self.metric.title()
        )
    }
}

fn cell(dataset: &DatasetSummary<'_>, name: &str, metric: Metric) -> Option<Cell> {
    let has_name = |method: &MethodSummary<'_>| method.name() == name;
    let index = dataset.methods.iter().position(has_name)?;
    let found = dataset.methods[index].metric(metric)?;
    Some(Cell {
        mean: found.mean,
        runs: found.values.len(),
        is_best: dataset.best(metric).contains(&index),
    })
}

/// A number, as everywhere in a report.
fn score(value: f64) -> String {
    format!("{value:.4}")
}
