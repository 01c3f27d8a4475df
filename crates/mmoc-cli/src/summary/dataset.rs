//! The results of one data set.

use mmoc::Error;
use serde::Serialize;

use super::MethodSummary;
use super::comparison::compare_with;
use crate::experiment::{DatasetEntry, Manifest, Record, Source};
use crate::output::counted;

/// The results of one data set.
#[derive(Debug, Serialize)]
pub(crate) struct DatasetSummary {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: usize,
    pub(crate) scaling: String,
    pub(crate) fingerprint: String,
    /// In the order of the manifest.
    pub(crate) methods: Vec<MethodSummary>,
    /// All that is known about the data set.
    #[serde(skip)]
    pub(crate) entry: DatasetEntry,
}

impl DatasetSummary {
    pub(super) fn new(
        manifest: &Manifest,
        entry: &DatasetEntry,
        records: &[&Record],
    ) -> Result<Self, Error> {
        let methods = manifest.methods.iter().map(|method| {
            let own = records
                .iter()
                .copied()
                .filter(|record| record.method == method.name);
            let own: Vec<&Record> = own.collect();
            (!own.is_empty())
                .then(|| MethodSummary::new(manifest, entry, method, own))
                .transpose()
        });
        let methods = methods.collect::<Result<Vec<_>, Error>>()?;
        let mut methods: Vec<MethodSummary> = methods.into_iter().flatten().collect();
        compare_with(&mut methods, &manifest.reference)?;
        Ok(Self {
            name: entry.name.clone(),
            source: entry.source,
            rows: entry.rows,
            features: entry.features,
            labels: entry.labels,
            scaling: entry.scaling.clone(),
            fingerprint: entry.fingerprint.clone(),
            methods,
            entry: entry.clone(),
        })
    }

    /// Rows, features and labels, in words.
    pub(crate) fn size(&self) -> String {
        format!(
            "{}, {}, {}",
            counted(self.rows, "row"),
            counted(self.features, "feature"),
            counted(self.labels, "label")
        )
    }

    pub(crate) fn is_synthetic(&self) -> bool {
        self.source == Source::Synthetic
    }
}
