//! How methods differ: in pairs with the reference method, and all together by their ranks.

use std::collections::BTreeMap;

use mmoc::Error;
use mmoc::data::Matrix;
use mmoc::metrics::Metric;
use mmoc_experiment::{PairedDifference, Ranking, paired_differences};
use serde::Serialize;

use super::{DatasetSummary, MethodSummary};
use crate::experiment::Record;
use crate::paper;

/// The level of critical differences.
const ALPHA: f64 = 0.05;

/// What the ranks over several data sets are called.
pub(crate) const ALL: &str = "all data sets";

/// The ranks of methods by a metric.
#[derive(Debug, Serialize)]
pub(crate) struct RankingSummary {
    /// The data set whose runs are the blocks, or "all data sets", whose means are.
    pub(crate) over: String,
    pub(crate) metric: Metric,
    pub(crate) methods: Vec<&'static str>,
    #[serde(skip)]
    pub(crate) titles: Vec<&'static str>,
    /// Number of runs, or of data sets.
    pub(crate) blocks: usize,
    pub(crate) ranking: Ranking,
}

/// Fills in the differences of all methods to the one called `reference`.
pub(super) fn compare_with(methods: &mut [MethodSummary], reference: &str) -> Result<(), Error> {
    let found = methods.iter().find(|method| method.name == reference);
    let Some(records) = found.map(|method| method.records.clone()) else {
        return Ok(());
    };
    for method in methods.iter_mut().filter(|method| method.name != reference) {
        for (metric, summary) in &mut method.metrics {
            summary.difference = difference(*metric, &method.records, &records)?;
        }
    }
    Ok(())
}

/// The differences of the runs that both have.
pub(crate) fn difference(
    metric: Metric,
    ours: &[Record],
    reference: &[Record],
) -> Result<Option<PairedDifference>, Error> {
    let reference = by_run(metric, reference);
    let pairs = by_run(metric, ours)
        .into_iter()
        .filter_map(|(run, (own, ratio))| {
            let (other, _) = reference.get(&run)?;
            Some((own, *other, ratio))
        });
    let pairs: Vec<(f64, f64, f64)> = pairs.collect();
    if pairs.is_empty() {
        return Ok(None);
    }
    let ours: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
    let reference: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let test_to_train = pairs.iter().map(|pair| pair.2).sum::<f64>() / pairs.len() as f64;
    paired_differences(&ours, &reference, test_to_train).map(Some)
}

/// For each run its value and how many rows were tested for one that was trained on.
fn by_run(metric: Metric, records: &[Record]) -> BTreeMap<usize, (f64, f64)> {
    let values = records.iter().filter_map(|record| {
        let ratio = record.size.test as f64 / record.size.train as f64;
        Some((record.run, (record.metric(metric)?, ratio)))
    });
    values.collect()
}

/// The ranks of each data set over its runs, and over all data sets. Fewer than two methods or blocks have none.
pub(super) fn rankings(datasets: &[DatasetSummary]) -> Result<Vec<RankingSummary>, Error> {
    let mut rankings = Vec::new();
    for dataset in datasets {
        for metric in paper::METRICS {
            let columns = dataset.methods.iter();
            let columns = columns.map(|method| by_run(metric, &method.records));
            let columns: Vec<BTreeMap<usize, (f64, f64)>> = columns.collect();
            let runs = columns.first().into_iter().flat_map(BTreeMap::keys);
            let blocks = runs.filter_map(|run| {
                let values = columns.iter().map(|column| Some(column.get(run)?.0));
                values.collect::<Option<Vec<f64>>>()
            });
            rankings.extend(ranking(
                &dataset.name,
                metric,
                &dataset.methods,
                &blocks.collect::<Vec<_>>(),
            )?);
        }
    }
    rankings.extend(over_all(datasets)?);
    Ok(rankings)
}

fn over_all(datasets: &[DatasetSummary]) -> Result<Vec<RankingSummary>, Error> {
    let Some(first) = datasets.first() else {
        return Ok(Vec::new());
    };
    let names = |dataset: &DatasetSummary| -> Vec<&str> {
        dataset.methods.iter().map(|method| method.name).collect()
    };
    let same_methods = |dataset: &DatasetSummary| names(dataset) == names(first);
    if !datasets.iter().all(same_methods) {
        return Ok(Vec::new());
    }
    let mut rankings = Vec::new();
    for metric in paper::METRICS {
        let blocks = datasets.iter().filter_map(|dataset| {
            let means = dataset
                .methods
                .iter()
                .map(|method| Some(method.metric(metric)?.mean.mean));
            means.collect::<Option<Vec<f64>>>()
        });
        rankings.extend(ranking(
            ALL,
            metric,
            &first.methods,
            &blocks.collect::<Vec<_>>(),
        )?);
    }
    Ok(rankings)
}

fn ranking(
    over: &str,
    metric: Metric,
    methods: &[MethodSummary],
    blocks: &[Vec<f64>],
) -> Result<Option<RankingSummary>, Error> {
    if methods.len() < 2 || blocks.len() < 2 {
        return Ok(None);
    }
    let scores = Matrix::new(blocks.len(), methods.len(), blocks.concat())?;
    Ok(Some(RankingSummary {
        over: over.into(),
        metric,
        methods: methods.iter().map(|method| method.name).collect(),
        titles: methods.iter().map(|method| method.title).collect(),
        blocks: blocks.len(),
        ranking: Ranking::of(&scores, ALPHA)?,
    }))
}
