//! What the records of an experiment come to: means and standard errors, differences, ranks. The keys are those
//! of `--json`, documented in `docs/json.md`; none of them changes.

mod comparison;
mod dataset;
mod method;
mod solver;

use mmoc::Error;
use mmoc_experiment::Protocol;
use serde::Serialize;

pub(crate) use comparison::{ALL, RankingSummary, difference};
pub(crate) use dataset::DatasetSummary;
pub(crate) use method::{LabelSummary, MethodSummary, MetricSummary};
pub(crate) use solver::SolverSummary;

use comparison::rankings;

use crate::experiment::{Manifest, Record};

/// The results of an experiment.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) version: String,
    pub(crate) command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preset: Option<String>,
    pub(crate) seed: u64,
    pub(crate) protocol: Protocol,
    /// That of the only data set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scaling: Option<String>,
    /// The method that others are compared with.
    pub(crate) reference: String,
    pub(crate) datasets: Vec<DatasetSummary>,
    /// Of each data set over its runs, then over the data sets if there are several.
    pub(crate) rankings: Vec<RankingSummary>,
    /// How much of the experiment is there.
    pub(crate) fits: Fits,
    /// What the results depend on.
    #[serde(skip)]
    pub(crate) manifest: Manifest,
}

/// Fits that were made, and those that the experiment comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Fits {
    pub(crate) done: usize,
    pub(crate) total: usize,
}

impl Fits {
    /// What a reader must know if not all are there.
    pub(crate) fn notice(self) -> Option<String> {
        let Self { done, total } = self;
        (done < total).then(|| {
            format!("UNFINISHED: {done} of {total} fits, so that means may be of different runs")
        })
    }
}

impl Summary {
    /// Sums up the records. Data sets and methods without any are left out.
    pub(crate) fn new(manifest: &Manifest, records: &[Record]) -> Result<Self, Error> {
        let datasets = manifest.datasets.iter().map(|entry| {
            let own: Vec<&Record> = records
                .iter()
                .filter(|record| record.dataset == entry.name)
                .collect();
            DatasetSummary::new(manifest, entry, &own)
        });
        let mut datasets = datasets.collect::<Result<Vec<_>, Error>>()?;
        datasets.retain(|dataset| !dataset.methods.is_empty());
        Ok(Self {
            version: manifest.version.clone(),
            command: manifest.command.clone(),
            preset: manifest.preset.clone(),
            seed: manifest.seed,
            protocol: manifest.protocol,
            scaling: match manifest.datasets.as_slice() {
                [only] => Some(only.scaling.clone()),
                _ => None,
            },
            reference: manifest.reference.clone(),
            rankings: rankings(&datasets)?,
            datasets,
            fits: Fits {
                done: records.len(),
                total: manifest.fits(),
            },
            manifest: manifest.clone(),
        })
    }

    /// What the user should know before trusting the figures.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let unfinished = self.fits.notice().into_iter();
        unfinished.chain(self.datasets.iter().flat_map(|dataset| {
            let methods = dataset.methods.iter();
            methods.flat_map(move |method| {
                let place = format!("{}, {}", dataset.name, method.name);
                method
                    .warnings()
                    .map(move |warning| format!("{place}: {warning}"))
            })
        }))
    }
}
