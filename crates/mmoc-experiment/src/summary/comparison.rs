//! How methods differ from the reference method, run by run.

use std::collections::BTreeMap;

use mmoc::Result;
use mmoc::metrics::Metric;

use super::MethodSummary;
use crate::experiment::Record;
use crate::{PairedDifference, paired_differences};

/// Fills in the differences of all methods from the one called `reference`.
pub(super) fn compare_with(methods: &mut [MethodSummary<'_>], reference: &str) -> Result<()> {
    let found = methods.iter().find(|method| method.name() == reference);
    let Some(records) = found.map(|method| method.records.clone()) else {
        return Ok(());
    };
    for method in methods
        .iter_mut()
        .filter(|method| method.name() != reference)
    {
        for (metric, summary) in &mut method.metrics {
            summary.difference = difference(*metric, &method.records, &records)?;
        }
    }
    Ok(())
}

/// The differences of the runs that both have.
pub(crate) fn difference(
    metric: Metric,
    ours: &[&Record],
    reference: &[&Record],
) -> Result<Option<PairedDifference>> {
    let reference = by_run(metric, reference);
    let pairs = ours.iter().filter_map(|record| {
        let own = record.results.metrics.get(&metric)?;
        let other = reference.get(&record.key.run)?;
        let ratio = record.size.test as f64 / record.size.train as f64;
        Some((*own, (*other, ratio)))
    });
    let (ours, (reference, ratios)): (Vec<f64>, (Vec<f64>, Vec<f64>)) = pairs.unzip();
    if ours.is_empty() {
        return Ok(None);
    }
    let test_to_train = ratios.iter().sum::<f64>() / ratios.len() as f64;
    paired_differences(&ours, &reference, test_to_train).map(Some)
}

/// The value of each run that has one.
pub(super) fn by_run(metric: Metric, records: &[&Record]) -> BTreeMap<usize, f64> {
    let values = records.iter();
    values
        .filter_map(|record| Some((record.key.run, *record.results.metrics.get(&metric)?)))
        .collect()
}
