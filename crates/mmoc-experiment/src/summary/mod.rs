//! The results of an experiment summed up: means and standard errors, differences, ranks. They serialise to the JSON
//! that `docs/json.md` describes.

mod comparison;
mod confidence;
mod json;
mod method;
mod posterior;
mod ranking;
mod solver;

use mmoc::Result;
use mmoc::metrics::Metric;

pub(crate) use comparison::difference;
pub use confidence::ConfidenceSummary;
pub use method::{LabelSummary, MethodSummary, MetricSummary};
pub use posterior::{PosteriorSummary, TermSummary};
pub use ranking::RankingSummary;
pub use solver::SolverSummary;

use crate::experiment::{DatasetEntry, Manifest, Provenance, Record};
use crate::text::counted;

/// The results of an experiment.
#[derive(Debug)]
pub struct ExperimentSummary<'a> {
    /// What was run.
    pub manifest: &'a Manifest,
    /// The data sets that have results.
    pub datasets: Vec<DatasetSummary<'a>>,
    /// Of each data set over its runs, then over the data sets if there are several.
    pub rankings: Vec<RankingSummary<'a>>,
    /// How much of the experiment is finished.
    pub fits: Fits,
    /// The metrics that were asked for, in the order of tables.
    pub headline: Vec<Metric>,
}

/// The results of one data set.
#[derive(Debug)]
pub struct DatasetSummary<'a> {
    /// The data set.
    pub entry: &'a DatasetEntry,
    /// The methods that have results, in the order of the manifest.
    pub methods: Vec<MethodSummary<'a>>,
    /// The metrics of tables, findings and ranks: those that were asked for and that a method has.
    pub headline: Vec<Metric>,
}

/// Finished fits, and those of the whole experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Fits {
    /// Finished fits.
    pub done: usize,
    /// Fits of the whole experiment.
    pub total: usize,
}

impl<'a> ExperimentSummary<'a> {
    /// Sums up records, with tables of some metrics. Data sets and methods without records are left out.
    pub(crate) fn new(
        manifest: &'a Manifest,
        records: &'a [Record],
        headline: &[Metric],
    ) -> Result<Self> {
        let datasets = manifest.datasets.iter();
        let datasets =
            datasets.map(|entry| DatasetSummary::new(manifest, entry, records, headline));
        let mut datasets = datasets.collect::<Result<Vec<_>>>()?;
        datasets.retain(|dataset| !dataset.methods.is_empty());
        Ok(Self {
            manifest,
            rankings: ranking::rankings(&datasets)?,
            datasets,
            fits: Fits {
                done: records.len(),
                total: manifest.fits(),
            },
            headline: headline.to_vec(),
        })
    }

    /// What limits the reliability of the results, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let Fits { done, total } = self.fits;
        let unfinished =
            format!("UNFINISHED: {done} of {total} fits; means may be over different runs");
        let mut warnings = Vec::from_iter((done < total).then_some(unfinished));
        for dataset in &self.datasets {
            let has = |metric: &&Metric| dataset.headline.contains(metric);
            for metric in self.headline.iter().filter(|metric| !has(metric)) {
                let (name, title) = (&dataset.entry.name, metric.title());
                warnings.push(format!("{name}: no method has the metric {title}"));
            }
            for method in &dataset.methods {
                let place = format!("{}, {}", dataset.entry.name, method.name());
                let own = method.warnings().into_iter();
                warnings.extend(own.map(|warning| format!("{place}: {warning}")));
            }
        }
        warnings
    }
}

impl<'a> DatasetSummary<'a> {
    fn new(
        manifest: &'a Manifest,
        entry: &'a DatasetEntry,
        records: &'a [Record],
        headline: &[Metric],
    ) -> Result<Self> {
        let mut methods = Vec::new();
        for method in &manifest.methods {
            let own = |record: &&Record| {
                record.key.dataset == entry.name && record.key.method == method.name
            };
            let own: Vec<&Record> = records.iter().filter(own).collect();
            if !own.is_empty() {
                methods.push(MethodSummary::new(manifest, entry, method, own)?);
            }
        }
        comparison::compare_with(&mut methods, &manifest.reference)?;
        let has = |metric: &Metric| methods.iter().any(|own| own.metric(*metric).is_some());
        let headline = headline.iter().copied().filter(has).collect();
        Ok(Self {
            entry,
            methods,
            headline,
        })
    }

    /// Numbers of rows, features and labels, in words.
    pub fn size(&self) -> String {
        let entry = self.entry;
        let rows = match &entry.test {
            None => counted(entry.rows, "row"),
            Some(test) => {
                let (train, test) = (entry.rows, counted(test.rows, "test row"));
                format!("{}, {test}", counted(train, "training row"))
            }
        };
        let (features, labels) = (entry.features, entry.labels);
        let others = [(features, "feature"), (labels, "label")];
        let [features, labels] = others.map(|(count, noun)| counted(count, noun));
        format!("{rows}, {features}, {labels}")
    }

    /// Whether any method has more than one run.
    pub fn has_repeated_runs(&self) -> bool {
        self.methods.iter().any(|method| method.records.len() > 1)
    }

    /// Whether the data is not real.
    pub fn is_synthetic(&self) -> bool {
        self.entry.source == Provenance::Synthetic
    }

    /// The methods with the best mean of a metric, by number; none if there is only one method.
    pub fn best(&self, metric: Metric) -> Vec<usize> {
        let sign = if metric.higher_is_better() { 1.0 } else { -1.0 };
        let mean = |method: &MethodSummary<'_>| Some(sign * method.metric(metric)?.mean.mean);
        let means: Vec<Option<f64>> = self.methods.iter().map(mean).collect();
        let most = means.iter().flatten().copied().reduce(f64::max);
        let is_best = |index: &usize| means.len() > 1 && most.is_some() && means[*index] == most;
        (0..means.len()).filter(is_best).collect()
    }
}
