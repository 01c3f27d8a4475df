//! Metrics of label sets that are means over rows.

use super::counts::Counts;
use super::known::mean_known;
use super::{Metric, mean_over_rows};
use crate::data::{Labels, Targets};

/// All metrics of label sets that are means over rows.
pub(super) fn metrics(truth: Targets<'_>, predicted: &Labels) -> [(Metric, f64); 6] {
    let rows: Vec<Counts> = truth
        .labels()
        .iter()
        .zip(predicted.iter())
        .map(|(truth, predicted)| Counts::of_row(truth, predicted))
        .collect();
    let over_rows = |value: &dyn Fn(Counts) -> f64| {
        mean_over_rows(truth.weights(), rows.iter().map(|&row| value(row)))
    };
    let ratio = |of: fn(Counts<f64>) -> f64| over_rows(&|row| of(row.into()));
    [
        (Metric::SubsetAccuracy, over_rows(&exact)),
        (
            Metric::HammingLoss,
            over_rows(&|row| row.errors() as f64) / mean_known(truth),
        ),
        (Metric::Jaccard, ratio(Counts::jaccard)),
        (Metric::ExamplePrecision, ratio(Counts::precision)),
        (Metric::ExampleRecall, ratio(Counts::recall)),
        (Metric::ExampleF1, ratio(Counts::f1)),
    ]
}

fn exact(row: Counts) -> f64 {
    f64::from(row.errors() == 0)
}
