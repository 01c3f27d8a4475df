//! The figures of a report, each from a part of the summary.

mod convergence;
mod critical_difference;
mod distributions;
mod frequencies;
mod heat_map;
mod means;
mod rows;
mod spectrum;
mod timings;

use mmoc::metrics::Metric;

pub(super) use convergence::convergence;
pub(super) use critical_difference::critical_difference;
pub(super) use distributions::distributions;
pub(super) use frequencies::frequencies;
pub(super) use heat_map::{cooccurrence, metric_map, projection_map};
pub(super) use means::means;
pub(super) use spectrum::spectrum;
pub(super) use timings::{parts, timings};

use super::names::shortened;
use crate::summary::DatasetSummary;
use crate::tables;

/// Characters of a data set's name in the heading of a figure.
const LONGEST_DATASET: usize = 18;

/// A score, as everywhere in a report.
pub(super) fn score(value: f64) -> String {
    format!("{value:.4}")
}

/// What a figure is called.
fn title(dataset: &DatasetSummary, what: &str) -> String {
    let synthetic = if dataset.is_synthetic() {
        " (SYNTHETIC data)"
    } else {
        ""
    };
    format!("{what} on {}{synthetic}", dataset.name)
}

/// The line above a drawing.
fn heading(dataset: &DatasetSummary, what: &str) -> String {
    let synthetic = if dataset.is_synthetic() {
        " · SYNTHETIC"
    } else {
        ""
    };
    let name = shortened(&dataset.name, LONGEST_DATASET);
    format!("{what} · {name}{synthetic}")
}

/// The method of the best mean, where there are others.
fn best_of(dataset: &DatasetSummary, metric: Metric) -> Option<usize> {
    tables::best(dataset, metric).filter(|_| dataset.methods.len() > 1)
}

/// A p value, after "p": rounded, and small ones as a bound.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 {
        "< 0.0001".into()
    } else {
        format!("= {p:.4}")
    }
}
