//! Experiments whose models the caller fits. Predictions come one by one, in any order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mmoc::data::Split;

use super::entrant::{EntrantKind, RunPrediction};
use super::journal::{self, Journal};
use super::record::{Record, RecordKey};
use super::{Experiment, Results};
use crate::protocol::Plan;
use crate::{Error, Result, Run, RunSize};

/// The results of models that the caller fits, while they come.
///
/// Data sets, runs and methods are called by their numbers, from zero.
#[derive(Debug)]
pub struct Collection {
    experiment: Experiment,
    plans: Vec<Plan<'static>>,
    kept: Kept,
}

/// Where results are kept.
#[derive(Debug)]
enum Kept {
    InMemory(Vec<Record>),
    InFolder {
        folder: PathBuf,
        /// What the folder had at first.
        had: BTreeSet<RecordKey>,
        /// Opened for the first result, so that models that cannot be fitted leave no folder.
        journal: Option<Journal>,
    },
}

impl Collection {
    pub(super) fn new(experiment: Experiment, folder: Option<&Path>) -> Result<Self> {
        let datasets = experiment.datasets.iter();
        let plans = datasets.map(|own| {
            let params = &own.params;
            params.protocol.plan(&own.rows, None, params.seed)
        });
        let plans = plans.collect::<mmoc::Result<_>>()?;
        let kept = match folder {
            None => Kept::InMemory(Vec::new()),
            Some(folder) => {
                experiment.check_identified()?;
                experiment.manifest.check_folder(folder)?;
                Kept::InFolder {
                    folder: folder.to_owned(),
                    had: journal::keys(folder, &experiment.manifest)?,
                    journal: None,
                }
            }
        };
        Ok(Self {
            experiment,
            plans,
            kept,
        })
    }

    /// How many runs there are on a data set.
    pub fn runs(&self, dataset: usize) -> usize {
        self.plans.get(dataset).map_or(0, Plan::runs)
    }

    /// The numbers of the rows that a run trains and tests on.
    pub fn split(&self, dataset: usize, run: usize) -> Result<Split> {
        let plan = self.plans.get(dataset).filter(|plan| run < plan.runs());
        let split = plan.map(|plan| plan.split(run)).transpose()?.flatten();
        split.ok_or(Error::NotExpected {
            dataset,
            run,
            method: 0,
        })
    }

    /// Whether the folder had the results of a method in a run at first.
    pub fn has(&self, dataset: usize, run: usize, method: usize) -> bool {
        let key = self.key(dataset, run, method);
        match &self.kept {
            Kept::InMemory(_) => false,
            Kept::InFolder { had, .. } => key.is_ok_and(|key| had.contains(&key)),
        }
    }

    /// Scores what a method predicts for the test rows of a run, and keeps the result in place of an earlier one. From
    /// the first result on, no other process can write to the folder.
    pub fn add(
        &mut self,
        dataset: usize,
        run: usize,
        method: usize,
        predicted: &RunPrediction,
    ) -> Result<()> {
        let key = self.key(dataset, run, method)?;
        let split = self.split(dataset, run)?;
        let test = self.experiment.datasets[dataset]
            .rows
            .select_rows(&split.test)?;
        let results = Run {
            seconds: Some(predicted.seconds),
            ..Run::of_prediction(&predicted.prediction, &test)?
        };
        let record = Record {
            key,
            size: RunSize {
                train: split.train.len(),
                test: split.test.len(),
            },
            results,
            code: None,
        };
        match &mut self.kept {
            Kept::InMemory(records) => records.push(record),
            Kept::InFolder {
                folder, journal, ..
            } => {
                let journal = match journal {
                    Some(open) => open,
                    None => journal.insert(Journal::open(folder, &self.experiment.manifest)?),
                };
                journal.add(&record)?;
            }
        }
        Ok(())
    }

    /// All results, with those that the folder had.
    pub fn finish(self) -> Result<Results> {
        let manifest = self.experiment.manifest;
        match self.kept {
            Kept::InMemory(records) => Ok(Results::new(manifest, records)),
            Kept::InFolder {
                folder, journal, ..
            } => {
                let journal = journal.map_or_else(|| Journal::open(&folder, &manifest), Ok)?;
                journal.finish(&manifest)
            }
        }
    }

    /// What results are of. Fails unless the experiment expects them.
    fn key(&self, dataset: usize, run: usize, method: usize) -> Result<RecordKey> {
        let entrant = self.experiment.design.entrants.get(method);
        let is_expected = run < self.runs(dataset)
            && entrant.is_some_and(|own| matches!(own.kind, EntrantKind::OfCaller { .. }));
        if is_expected {
            return Ok(self.experiment.key(dataset, run, method));
        }
        Err(Error::NotExpected {
            dataset,
            run,
            method,
        })
    }
}
