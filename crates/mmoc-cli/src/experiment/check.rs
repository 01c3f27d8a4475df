//! Whether files that were read back fit together, as all that were written do: whoever edits them gets an error,
//! and nothing later has to ask again.

use mmoc::learn::logistic::LogisticRecord;

use super::manifest::{DatasetEntry, FORMAT, Manifest};
use super::picture::CodePicture;
use super::record::Record;

/// No score or loss comes near this.
const LARGEST_METRIC: f64 = 1e9;

impl Manifest {
    /// Fails if parts do not fit together.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("expected format {FORMAT}, found {}", self.format));
        }
        for method in &self.methods {
            method.method().map_err(|error| error.to_string())?;
        }
        let methods: Vec<&str> = self
            .methods
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let datasets: Vec<&str> = self
            .datasets
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        if let Some(name) = repeated(&methods).or_else(|| repeated(&datasets)) {
            return Err(format!("'{name}' is there twice"));
        }
        if !methods.contains(&self.reference.as_str()) {
            return Err(format!("the reference '{}' is no method", self.reference));
        }
        self.datasets.iter().try_for_each(DatasetEntry::check)
    }

    /// Whether a record is one of this experiment and complete.
    pub(super) fn has_place_for(&self, record: &Record) -> bool {
        let dataset = self
            .datasets
            .iter()
            .find(|entry| entry.name == record.dataset);
        let code_fits = |code: &CodePicture, shown: usize| {
            code.metric.len() == shown
                && code.metric.iter().all(|row| row.len() == shown)
                && code.projections.len() == shown
                && code
                    .projections
                    .windows(2)
                    .all(|rows| rows[0].len() == rows[1].len())
        };
        dataset.is_some_and(|entry| {
            let code = record.code.as_ref();
            entry.labels == record.labels.len()
                && record.run < self.protocol.runs()
                && record.size.train > 0
                && record
                    .metrics
                    .values()
                    .all(|value| value.abs() < LARGEST_METRIC)
                && record.logistic.is_none_or(is_sensible)
                && code.is_none_or(|code| code_fits(code, entry.shown_labels.len()))
        }) && self.methods.iter().any(|entry| entry.name == record.method)
    }
}

impl DatasetEntry {
    fn check(&self) -> Result<(), String> {
        let shown = self.shown_labels.len();
        let fits = self.label_names.len() == self.labels
            && self.label_counts.len() == self.labels
            && self.shown_labels.iter().all(|&label| label < self.labels)
            && self.cooccurrence.len() == shown
            && self.cooccurrence.iter().all(|row| row.len() == shown);
        if fits {
            return Ok(());
        }
        Err(format!("the labels of '{}' do not fit together", self.name))
    }
}

/// Whether the counts of a record can be summed up.
fn is_sensible(record: LogisticRecord) -> bool {
    const MOST: usize = 1 << 40;
    let parts = [record.converged, record.step_limit, record.stalled];
    parts.iter().all(|&part| part <= record.regressions)
        && [record.regressions, record.steps, record.products]
            .iter()
            .all(|&count| count < MOST)
}

/// The first name that is there twice.
fn repeated<'a>(names: &[&'a str]) -> Option<&'a str> {
    let again = names
        .iter()
        .enumerate()
        .find(|(i, name)| names[..*i].contains(name));
    again.map(|(_, name)| *name)
}
