//! An experiment: data sets × methods × runs, what it consists of, what came out, and how it goes on after
//! an interruption.

mod check;
mod execute;
mod journal;
mod manifest;
mod picture;
mod record;
mod shard;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mmoc::data::{Dataset, Scaling};
use mmoc::method::Method;
use mmoc::{Progress, Seed};
use mmoc_experiment::{EvaluateParams, Runs};

pub(crate) use journal::{Journal, merge, write};
pub(crate) use manifest::{DatasetEntry, Design, FileEntry, Manifest, MethodEntry, Source, values};
pub(crate) use picture::CodePicture;
pub(crate) use record::{Key, Record};
pub(crate) use shard::Shard;

use crate::failure::Failure;

/// A data set to run methods on.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) dataset: Dataset,
    pub(crate) source: Source,
    pub(crate) scaling: Scaling,
    pub(crate) files: Vec<FileEntry>,
}

/// A data set and how it is split.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) dataset: Dataset,
    pub(crate) params: EvaluateParams,
}

/// Everything needed to compute results.
#[derive(Debug)]
pub(crate) struct Experiment {
    pub(crate) manifest: Manifest,
    /// In the order of the manifest.
    pub(crate) datasets: Vec<Part>,
    /// In the order of the manifest.
    pub(crate) methods: Vec<Method>,
    pub(crate) threads: usize,
}

impl Experiment {
    /// Plans an experiment. Scalings are resolved by the data.
    pub(crate) fn new(
        design: &Design,
        inputs: Vec<Input>,
        methods: Vec<Method>,
        threads: usize,
    ) -> Result<Self, Failure> {
        let entries = inputs.iter().map(|input| {
            let scaling = input.scaling.resolve(input.dataset.features().view());
            DatasetEntry::new(&input.dataset, input.source, scaling, input.files.clone())
        });
        let manifest = Manifest::new(design, entries.collect(), &methods)?;
        let datasets = inputs.into_iter().map(|input| Part {
            params: EvaluateParams {
                protocol: design.protocol,
                scaling: input.scaling.resolve(input.dataset.features().view()),
                base: design.base.clone(),
                seed: Seed::new(design.seed),
                threads,
            },
            dataset: input.dataset,
        });
        Ok(Self {
            manifest,
            datasets: datasets.collect(),
            methods,
            threads,
        })
    }

    /// Runs everything and keeps the results in memory.
    pub(crate) fn run(&self, progress: &dyn Progress) -> Result<Vec<Record>, Failure> {
        let records = Mutex::new(Vec::new());
        let keep = |record| {
            records
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(record);
            Ok(())
        };
        execute::execute(
            self,
            &self.plans()?,
            Shard::WHOLE,
            |_| false,
            progress,
            keep,
        )?;
        let mut records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
        records.sort_by_cached_key(|record| self.manifest.position(record));
        Ok(records)
    }

    /// Runs what a folder lacks of the shard; the records of the folder, in order.
    pub(crate) fn run_in(
        &self,
        folder: &Path,
        shard: Shard,
        progress: &dyn Progress,
    ) -> Result<Vec<Record>, Failure> {
        // Planned before the folder is made, so that what cannot be run leaves none.
        let plans = self.plans()?;
        let journal = Journal::open(folder, &self.manifest)?;
        let done = |key: &Key| journal.done().contains_key(key);
        let keep = |record: Record| journal.add(&record);
        execute::execute(self, &plans, shard, done, progress, keep)?;
        journal.finish(&self.manifest)
    }

    /// The runs of each data set.
    fn plans(&self) -> Result<Vec<Runs<'_>>, Failure> {
        let parts = self.datasets.iter();
        let plans = parts.map(|part| Runs::new(&part.dataset, &part.params));
        Ok(plans.collect::<mmoc::Result<_>>()?)
    }

    fn key(&self, dataset: usize, run: usize, method: usize) -> Key {
        Key {
            dataset: self.manifest.datasets[dataset].name.clone(),
            run,
            method: self.manifest.methods[method].name.clone(),
        }
    }
}
