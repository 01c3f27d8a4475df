//! An experiment: data sets × entrants × runs. Results are computed in memory, or in a folder, where an
//! interrupted experiment resumes.

mod check;
mod code_picture;
mod collection;
mod design;
mod entrant;
mod execute;
mod journal;
mod manifest;
mod record;
mod results;
mod shard;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use mmoc::data::{Dataset, Labels, Missing, Scaling};
use mmoc::train::fingerprint;
use mmoc::{Progress, Seed};

pub use code_picture::CodePicture;
pub use collection::Collection;
pub use design::{BASE, Design};
pub use entrant::{Entrant, EntrantKind, ExternalPrediction, RunPrediction};
pub use manifest::{DatasetEntry, FileEntry, Manifest, MethodEntry, Provenance, TestEntry};
pub use record::{Record, RecordKey};
pub use results::Results;
pub use shard::Shard;

pub(crate) use manifest::values;

use crate::{Error, Result, RunParams, Runs};
use check::repeated;
use journal::Journal;

/// A data set to run methods on, with its description for the record.
#[derive(Debug)]
pub struct InputDataset {
    /// The rows.
    pub dataset: Dataset,
    /// Where they come from.
    pub source: Provenance,
    /// How features are scaled in each run; automatic scaling is resolved once, for all rows of `dataset`.
    pub scaling: Scaling,
    /// How missing features are filled in in each run.
    pub missing: Missing,
    /// The files that the rows were read from, if any.
    pub files: Vec<FileEntry>,
    /// SHA-256 of the data. Only results that stay in memory can do without.
    pub fingerprint: Option<String>,
    /// The rows to test on, if the split is published; all others are then trained on.
    pub test: Option<TestRows>,
}

/// Rows to test on, with their description for the record.
#[derive(Debug)]
pub struct TestRows {
    /// The rows, with the columns and labels of those that are trained on.
    pub dataset: Dataset,
    /// The files that they were read from, if any.
    pub files: Vec<FileEntry>,
    /// SHA-256 of the data. Only results that stay in memory can do without.
    pub fingerprint: Option<String>,
}

impl TestRows {
    /// Rows that are not from files, with their fingerprint.
    pub fn new(dataset: Dataset) -> Self {
        Self {
            files: Vec::new(),
            fingerprint: Some(fingerprint(dataset.view())),
            dataset,
        }
    }
}

impl InputDataset {
    /// Real data, not from files, with automatic scaling, means for missing features, and its fingerprint.
    pub fn new(dataset: Dataset) -> Self {
        Self {
            source: Provenance::Real,
            scaling: Scaling::Auto,
            missing: Missing::Mean,
            files: Vec::new(),
            fingerprint: Some(fingerprint(dataset.view())),
            test: None,
            dataset,
        }
    }

    fn scaling(&self) -> Scaling {
        self.scaling.resolve(self.dataset.features().view())
    }
}

/// Everything needed to compute results.
#[derive(Debug)]
pub struct Experiment {
    design: Design,
    manifest: Manifest,
    /// In the order of the manifest.
    datasets: Vec<PlannedDataset>,
    threads: usize,
}

/// Fails unless the predictions of other programs are for the test rows of all data sets.
fn check_external(design: &Design, inputs: &[InputDataset]) -> Result<()> {
    for entrant in &design.entrants {
        let EntrantKind::External(predictions) = &entrant.kind else {
            continue;
        };
        let shape = |labels: &Labels| (labels.rows(), labels.count());
        let found = predictions.iter();
        let found = found.map(|own| Some(shape(&own.prediction.labels)));
        let tests = inputs.iter().map(|input| input.test.as_ref());
        let expected = tests.map(|test| Some(shape(test?.dataset.labels())));
        if !found.eq(expected) {
            return Err(Error::ExternalRows(entrant.name().into()));
        }
    }
    Ok(())
}

/// The rows of a data set, and how its runs are made.
#[derive(Debug)]
struct PlannedDataset {
    rows: Dataset,
    test: Option<Dataset>,
    params: RunParams,
}

impl Experiment {
    /// Plans an experiment, on as many threads as there are processors.
    pub fn new(design: Design, inputs: Vec<InputDataset>) -> Result<Self> {
        if let Some(name) = repeated(inputs.iter().map(|input| input.dataset.name())) {
            return Err(Error::SameName(name.into()));
        }
        if let Some(name) = repeated(design.entrants.iter().map(Entrant::name)) {
            return Err(Error::SameEntrant(name.into()));
        }
        check_external(&design, &inputs)?;
        let manifest = Manifest::new(&design, &inputs)?;
        let datasets = inputs.into_iter().map(|input| {
            let params = RunParams {
                protocol: design.protocol,
                scaling: input.scaling(),
                missing: input.missing,
                base: design.base.clone(),
                seed: Seed::new(design.seed),
            };
            PlannedDataset {
                rows: input.dataset,
                test: input.test.map(|test| test.dataset),
                params,
            }
        });
        Ok(Self {
            manifest,
            datasets: datasets.collect(),
            design,
            threads: available_parallelism().map_or(1, std::num::NonZero::get),
        })
    }

    /// The same experiment on a number of threads. Only the times depend on it.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// What the experiment consists of.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Runs everything and keeps the results in memory.
    pub fn run(&self, progress: &dyn Progress) -> Result<Results> {
        self.check_executable()?;
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
        let records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Results::new(self.manifest.clone(), records))
    }

    /// Runs the part of the shard that a folder does not have yet. Returns all results of the folder.
    ///
    /// Each result is written as soon as it is there, so that an experiment that was interrupted resumes.
    pub fn run_in(&self, folder: &Path, shard: Shard, progress: &dyn Progress) -> Result<Results> {
        self.check_identified()?;
        self.check_executable()?;
        // Planned before the folder is made, so that a design that cannot be run leaves none.
        let plans = self.plans()?;
        let journal = Journal::open(folder, &self.manifest)?;
        let done = |key: &RecordKey| journal.has(key);
        let keep = |record: Record| journal.add(&record);
        execute::execute(self, &plans, shard, done, progress, keep)?;
        journal.finish(&self.manifest)
    }

    /// Takes predictions of models that the caller fits, in any order. They are kept in memory, or in a folder, which may
    /// have some of them already.
    pub fn collect(self, folder: Option<&Path>) -> Result<Collection> {
        Collection::new(self, folder)
    }

    /// Fails if the caller fits one of the models.
    fn check_executable(&self) -> Result<()> {
        let mut entrants = self.design.entrants.iter();
        match entrants.find(|own| matches!(own.kind, EntrantKind::OfCaller { .. })) {
            Some(entrant) => Err(Error::OfCaller(entrant.name().into())),
            None => Ok(()),
        }
    }

    /// Fails if the rows of a data set cannot be told from others.
    fn check_identified(&self) -> Result<()> {
        let mut datasets = self.manifest.datasets.iter();
        match datasets.find(|entry| !entry.is_identified()) {
            Some(entry) => Err(Error::NoFingerprint(entry.name.clone())),
            None => Ok(()),
        }
    }

    /// The runs of each data set.
    fn plans(&self) -> Result<Vec<Runs<'_>>> {
        let plans = self.datasets.iter();
        let plans = plans.map(|own| Runs::new(&own.rows, own.test.as_ref(), &own.params));
        Ok(plans.collect::<mmoc::Result<_>>()?)
    }

    fn key(&self, dataset: usize, run: usize, entrant: usize) -> RecordKey {
        RecordKey {
            dataset: self.manifest.datasets[dataset].name.clone(),
            run,
            method: self.manifest.methods[entrant].name.clone(),
        }
    }
}
