//! Metrics of label sets that are means over rows.

use super::counts::Counts;
use super::{Metric, mean};
use crate::data::Labels;

/// All metrics of label sets that are means over rows.
pub(super) fn metrics(truth: &Labels, predicted: &Labels) -> [(Metric, f64); 6] {
    let rows: Vec<Counts> = truth
        .iter()
        .zip(predicted.iter())
        .map(|(truth, predicted)| Counts::of_row(truth, predicted))
        .collect();
    let labels = truth.count() as f64;
    let over_rows = |value: &dyn Fn(Counts) -> f64| mean(rows.iter().map(|&row| value(row)));
    [
        (Metric::SubsetAccuracy, over_rows(&exact)),
        (
            Metric::HammingLoss,
            over_rows(&|row| row.errors() as f64) / labels,
        ),
        (Metric::Jaccard, over_rows(&Counts::jaccard)),
        (Metric::ExamplePrecision, over_rows(&Counts::precision)),
        (Metric::ExampleRecall, over_rows(&Counts::recall)),
        (Metric::ExampleF1, over_rows(&Counts::f1)),
    ]
}

fn exact(row: Counts) -> f64 {
    f64::from(row.errors() == 0)
}
