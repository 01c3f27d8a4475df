//! How all methods compare by their ranks.

use std::collections::BTreeMap;

use mmoc::Result;
use mmoc::data::Matrix;
use mmoc::metrics::Metric;
use serde::Serialize;

use super::comparison::by_run;
use super::{DatasetSummary, MethodSummary};
use crate::Ranking;

/// The significance level of critical differences.
const ALPHA: f64 = 0.05;

/// What the ranks over several data sets are called.
const ALL: &str = "all data sets";

/// The ranks of methods by a metric.
#[derive(Debug, Serialize)]
pub struct RankingSummary<'a> {
    /// The data set whose runs are ranked, or "all data sets", whose means are.
    pub over: &'a str,
    /// The metric.
    pub metric: Metric,
    /// Names of the methods.
    pub methods: Vec<&'a str>,
    /// Their names in tables.
    #[serde(skip)]
    pub titles: Vec<&'a str>,
    /// Number of runs, or of data sets.
    pub blocks: usize,
    /// The ranks and their tests.
    pub ranking: Ranking,
    /// Whether data sets are ranked, not runs.
    #[serde(skip)]
    pub is_over_datasets: bool,
}

/// The ranks of each data set over its runs, and over all data sets. Fewer than two methods or blocks have none.
pub(super) fn rankings<'a>(datasets: &[DatasetSummary<'a>]) -> Result<Vec<RankingSummary<'a>>> {
    let mut rankings = Vec::new();
    for dataset in datasets {
        for &metric in &dataset.headline {
            let name = dataset.entry.name.as_str();
            let runs = runs(dataset, metric);
            rankings.extend(ranking(name, metric, &dataset.methods, &runs)?);
        }
    }
    let Some((first, others)) = datasets.split_first() else {
        return Ok(rankings);
    };
    let names = |dataset: &DatasetSummary<'a>| -> Vec<&'a str> {
        dataset.methods.iter().map(MethodSummary::name).collect()
    };
    if others.iter().all(|dataset| names(dataset) == names(first)) {
        for &metric in &first.headline {
            let means: Vec<Vec<f64>> = datasets
                .iter()
                .filter_map(|dataset| means(dataset, metric))
                .collect();
            let over_all = ranking(ALL, metric, &first.methods, &means)?;
            rankings.extend(over_all.map(|ranking| RankingSummary {
                is_over_datasets: true,
                ..ranking
            }));
        }
    }
    Ok(rankings)
}

/// For each run that all methods have, the value of each method.
fn runs(dataset: &DatasetSummary<'_>, metric: Metric) -> Vec<Vec<f64>> {
    let methods = dataset.methods.iter();
    let columns: Vec<BTreeMap<usize, f64>> = methods
        .map(|method| by_run(metric, &method.records))
        .collect();
    let runs = columns.first().into_iter().flat_map(BTreeMap::keys);
    runs.filter_map(|run| {
        columns
            .iter()
            .map(|column| column.get(run).copied())
            .collect()
    })
    .collect()
}

/// The mean of each method, if all have one.
fn means(dataset: &DatasetSummary<'_>, metric: Metric) -> Option<Vec<f64>> {
    let methods = dataset.methods.iter();
    methods
        .map(|method| Some(method.metric(metric)?.mean.mean))
        .collect()
}

fn ranking<'a>(
    over: &'a str,
    metric: Metric,
    methods: &[MethodSummary<'a>],
    blocks: &[Vec<f64>],
) -> Result<Option<RankingSummary<'a>>> {
    if methods.len() < 2 || blocks.len() < 2 {
        return Ok(None);
    }
    let mut scores = blocks.concat();
    if !metric.higher_is_better() {
        scores.iter_mut().for_each(|score| *score = -*score);
    }
    let scores = Matrix::new(blocks.len(), methods.len(), scores)?;
    Ok(Some(RankingSummary {
        over,
        metric,
        methods: methods.iter().map(MethodSummary::name).collect(),
        titles: methods.iter().map(MethodSummary::title).collect(),
        blocks: blocks.len(),
        ranking: Ranking::of(&scores, ALPHA)?,
        is_over_datasets: false,
    }))
}
