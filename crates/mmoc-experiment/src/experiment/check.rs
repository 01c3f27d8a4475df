//! Consistency of files that are read back. Files that were edited give an error here, so that later code need not check.

use std::collections::BTreeSet;

use mmoc::learn::logistic::LogisticRecord;

use super::code_picture::CodePicture;
use super::manifest::{DatasetEntry, FORMAT, Manifest};
use super::record::Record;
use crate::Protocol;

/// Sums of smaller counts cannot overflow.
const MOST_REGRESSIONS: usize = 1 << 40;

/// Larger values of a metric are not credible.
const LARGEST_METRIC: f64 = 1e9;

impl Manifest {
    /// Fails if parts contradict each other.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("expected format {FORMAT}, found {}", self.format));
        }
        let methods = self.methods.iter().map(|entry| entry.name.as_str());
        let datasets = self.datasets.iter().map(|entry| entry.name.as_str());
        if let Some(name) = repeated(methods.clone()).or_else(|| repeated(datasets)) {
            return Err(format!("'{name}' occurs twice"));
        }
        if !methods.clone().any(|name| name == self.reference) {
            return Err(format!(
                "the reference '{}' is not a method",
                self.reference
            ));
        }
        let is_published = self.protocol == Protocol::PublishedSplit;
        for entry in &self.methods {
            entry.method().map_err(|error| error.to_string())?;
            let files = entry.external.iter().flatten().count();
            if entry.is_from_files() && (!is_published || files != self.datasets.len()) {
                let name = &entry.name;
                return Err(format!("the predictions of '{name}' are not of test rows"));
            }
        }
        let mut datasets = self.datasets.iter();
        if datasets.any(|entry| entry.test.is_some() != is_published) {
            return Err("only a published split has test rows, and it needs them".into());
        }
        match self.datasets.iter().find(|entry| !entry.is_consistent()) {
            Some(entry) => Err(format!("the labels of '{}' are inconsistent", entry.name)),
            None => Ok(()),
        }
    }

    /// Whether a record belongs to this experiment and is complete.
    pub(super) fn has_place_for(&self, record: &Record) -> bool {
        let results = &record.results;
        self.position(&record.key)
            .is_some_and(|(dataset, _, entrant)| {
                let has_times = !self.methods[entrant].is_from_files();
                let entry = &self.datasets[dataset];
                let code = record.code.as_ref();
                entry.labels == results.labels.len()
                    && record.size.train > 0
                    && results.seconds.is_some() == has_times
                    && results
                        .metrics
                        .values()
                        .all(|value| value.abs() < LARGEST_METRIC)
                    && results.logistic.is_none_or(is_plausible)
                    && results.ridge.is_none_or(|ridge| {
                        ridge.converged <= ridge.regressions && ridge.regressions < MOST_REGRESSIONS
                    })
                    && code.is_none_or(|code| code.has_labels(entry.shown_labels.len()))
            })
    }
}

impl DatasetEntry {
    fn is_consistent(&self) -> bool {
        self.label_names.len() == self.labels
            && self.label_counts.len() == self.labels
            && self.shown_labels.iter().all(|&label| label < self.labels)
            && is_square(&self.cooccurrence, self.shown_labels.len())
    }
}

impl CodePicture {
    fn has_labels(&self, shown: usize) -> bool {
        let mut widths = self.projections.windows(2);
        is_square(&self.metric, shown)
            && self.projections.len() == shown
            && widths.all(|rows| rows[0].len() == rows[1].len())
    }
}

fn is_square<T>(matrix: &[Vec<T>], size: usize) -> bool {
    matrix.len() == size && matrix.iter().all(|row| row.len() == size)
}

/// Whether the counts of a record can be added up.
fn is_plausible(record: LogisticRecord) -> bool {
    let parts = [record.converged, record.step_limit, record.stalled];
    let counts = [record.regressions, record.steps, record.products];
    parts.iter().all(|&part| part <= record.regressions)
        && counts.iter().all(|&count| count < MOST_REGRESSIONS)
}

/// The first name that occurs twice.
pub(super) fn repeated<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    names.find(|name| !seen.insert(*name))
}
