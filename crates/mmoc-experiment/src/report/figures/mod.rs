//! The figures of a report, each from a part of the summary.

mod answered;
mod convergence;
mod critical_difference;
mod distributions;
mod frequencies;
mod heat_map;
mod means;
mod plot;
mod reliability;
mod rows;
mod spectrum;
mod timings;

pub(super) use answered::answered;
pub(super) use convergence::convergence;
pub(super) use critical_difference::critical_difference;
pub(super) use distributions::distributions;
pub(super) use frequencies::frequencies;
pub(super) use heat_map::{cooccurrence, metric_map, projection_map};
pub(super) use means::means;
pub(super) use reliability::{label_reliability, set_reliability};
pub(super) use spectrum::spectrum;
pub(super) use timings::{parts, timings};

use super::names::shortened;
use crate::summary::DatasetSummary;

/// Pixels of a data set's name in the heading of a figure.
const LONGEST_DATASET: f64 = 120.0;

/// A score, as everywhere in a report.
pub(super) fn score(value: f64) -> String {
    format!("{value:.4}")
}

/// What a figure is called.
fn title(dataset: &DatasetSummary, what: &str) -> String {
    title_over(&dataset.entry.name, dataset.is_synthetic(), what)
}

fn title_over(over: &str, is_synthetic: bool, what: &str) -> String {
    let synthetic = if is_synthetic {
        " (SYNTHETIC data)"
    } else {
        ""
    };
    format!("{what} on {over}{synthetic}")
}

/// The line above a drawing.
fn heading(dataset: &DatasetSummary, what: &str) -> String {
    heading_over(&dataset.entry.name, dataset.is_synthetic(), what)
}

fn heading_over(over: &str, is_synthetic: bool, what: &str) -> String {
    let synthetic = if is_synthetic { " · SYNTHETIC" } else { "" };
    format!(
        "{what} · {}{synthetic}",
        shortened(over, LONGEST_DATASET, 13.0)
    )
}

/// What faint marks are, where there are any.
fn of_runs(runs: usize) -> &'static str {
    if runs > 1 { " Faint: single runs." } else { "" }
}

/// A p value, after "p": rounded, and small ones as a bound.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 {
        "< 0.0001".into()
    } else {
        format!("= {p:.4}")
    }
}

/// Three significant digits.
fn short_number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if (1e-2..1e4).contains(&value.abs()) {
        let power = value.abs().log10().floor() as i32;
        let decimals = (2 - power).max(0).unsigned_abs() as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_three_digits() {
        let numbers = [0.0, 1.0, -3.456, 0.0512, 123.4, 5e6, -1e-7];
        let expected = ["0", "1.00", "-3.46", "0.0512", "123", "5.00e6", "-1.00e-7"];
        assert_eq!(numbers.map(short_number), expected);
    }

    #[test]
    fn small_p_values_are_bounds() {
        assert_eq!(p_value(0.03456), "= 0.0346");
        assert_eq!(p_value(1e-12), "< 0.0001");
    }
}
