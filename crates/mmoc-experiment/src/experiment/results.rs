//! The results of an experiment, or of a part of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mmoc::metrics::Metric;

use super::journal;
use super::manifest::Manifest;
use super::record::{Record, RecordKey};
use crate::{Error, ExperimentSummary, Result, paper};

/// What was run, and what came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    manifest: Manifest,
    /// In the order of data sets, runs and methods.
    records: Vec<Record>,
}

impl Results {
    /// Puts records into order; of several with the same key the last counts.
    pub(super) fn new(manifest: Manifest, records: impl IntoIterator<Item = Record>) -> Self {
        let records = records
            .into_iter()
            .map(|record| (record.key.clone(), record));
        let records: BTreeMap<RecordKey, Record> = records.collect();
        let mut records: Vec<Record> = records.into_values().collect();
        records.sort_by_cached_key(|record| manifest.position(&record.key));
        Self { manifest, records }
    }

    /// Reads the results of a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        journal::read(folder)
    }

    /// Reads the parts of one experiment from several folders; at least one record must be there.
    pub fn merge(folders: &[PathBuf]) -> Result<Self> {
        let mut parts: Option<Self> = None;
        for folder in folders {
            let part = Self::read(folder)?;
            parts = Some(match parts {
                None => part,
                Some(all) => all.with(part, folder)?,
            });
        }
        let found = parts.filter(|all| !all.records.is_empty());
        found.ok_or_else(|| Error::NoResults(folders.first().cloned().unwrap_or_default()))
    }

    fn with(self, part: Self, folder: &Path) -> Result<Self> {
        journal::check_same(folder, &self.manifest, &part.manifest)?;
        let records = self.records.into_iter().chain(part.records);
        Ok(Self::new(self.manifest, records))
    }

    /// Writes the results into a folder, beside those of the same experiment that it already has. Returns all of them.
    pub fn write(&self, folder: &Path) -> Result<Self> {
        journal::write(folder, self)
    }

    /// What was run.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The results of each run, in the order of data sets, runs and methods.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Whether nothing of the experiment is missing.
    pub fn is_complete(&self) -> bool {
        self.records.len() >= self.manifest.fits()
    }

    /// Means, standard errors, differences and ranks, with tables of the metrics of the paper.
    pub fn summary(&self) -> Result<ExperimentSummary<'_>> {
        self.summary_of(&paper::METRICS)
    }

    /// Means, standard errors, differences and ranks, with tables of some metrics.
    pub fn summary_of(&self, metrics: &[Metric]) -> Result<ExperimentSummary<'_>> {
        let summary = ExperimentSummary::new(&self.manifest, &self.records, metrics)?;
        Ok(summary)
    }
}
