//! `experiment.json`: what an experiment consists of. Results belong together if and only if their manifests
//! are the same.

use std::collections::BTreeMap;
use std::path::Path;

use mmoc::Error;
use mmoc::data::{Dataset, Scaling, Summary};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::settings::Settings;
use mmoc::train::fingerprint;
use mmoc_experiment::Protocol;
use serde::{Deserialize, Serialize};

use super::picture::shown_labels;
use super::record::Record;
use crate::digest;
use crate::failure::Failure;

/// The version of the files of an experiment.
pub(super) const FORMAT: u32 = 1;

/// Everything that the results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    /// Version of the program.
    pub(crate) version: String,
    /// The command, `reproduce` or `compare`.
    pub(crate) command: String,
    /// Where the parameters of the methods come from, if from a preset.
    pub(crate) preset: Option<String>,
    /// Options that say how data is read, as words of a command line.
    pub(crate) data_options: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) protocol: Protocol,
    /// The method that others are compared with.
    pub(crate) reference: String,
    pub(crate) datasets: Vec<DatasetEntry>,
    pub(crate) methods: Vec<MethodEntry>,
    /// Parameters of the base learners.
    pub(crate) base: serde_json::Value,
    /// Those of them that can be set.
    pub(crate) base_settings: BTreeMap<String, String>,
}

/// Where rows come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    /// Read from files.
    Real,
    /// Drawn from a model.
    Synthetic,
}

/// A data set, as far as a report needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DatasetEntry {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: usize,
    pub(crate) scaling: String,
    pub(crate) cardinality: f64,
    pub(crate) density: f64,
    pub(crate) distinct_label_sets: usize,
    pub(crate) label_names: Vec<String>,
    pub(crate) label_counts: Vec<usize>,
    /// The labels that heat maps show.
    pub(crate) shown_labels: Vec<usize>,
    /// Rows that carry both of two shown labels.
    pub(crate) cooccurrence: Vec<Vec<usize>>,
    /// The files it was read from; none for a synthetic one.
    pub(crate) files: Vec<FileEntry>,
    /// SHA-256 of sizes, features and labels as they were used, after everything that was left out.
    pub(crate) fingerprint: String,
}

/// A file and its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) name: String,
    pub(crate) sha256: String,
}

/// A method with every parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MethodEntry {
    pub(crate) name: String,
    pub(crate) parameters: BTreeMap<String, String>,
}

/// What a manifest is made from beside data sets and methods.
#[derive(Debug, Clone)]
pub(crate) struct Design {
    pub(crate) command: &'static str,
    pub(crate) preset: Option<String>,
    pub(crate) data_options: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) protocol: Protocol,
    pub(crate) reference: String,
    pub(crate) base: BaseParams,
}

impl Manifest {
    pub(crate) fn new(
        design: &Design,
        datasets: Vec<DatasetEntry>,
        methods: &[Method],
    ) -> Result<Self, Failure> {
        Ok(Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            command: design.command.into(),
            preset: design.preset.clone(),
            data_options: design.data_options.clone(),
            seed: design.seed,
            protocol: design.protocol,
            reference: design.reference.clone(),
            datasets,
            methods: methods.iter().map(MethodEntry::new).collect(),
            base: serde_json::to_value(&design.base).map_err(std::io::Error::from)?,
            base_settings: values(&design.base),
        })
    }

    /// Records of the whole experiment.
    pub(crate) fn fits(&self) -> usize {
        let kinds = self.datasets.len() * self.methods.len();
        self.protocol.runs().saturating_mul(kinds)
    }

    /// Where a record stands in the order of data sets, runs and methods.
    pub(super) fn position(&self, record: &Record) -> (usize, usize, usize) {
        let last = usize::MAX;
        let dataset = self
            .datasets
            .iter()
            .position(|entry| entry.name == record.dataset);
        let method = self
            .methods
            .iter()
            .position(|entry| entry.name == record.method);
        (dataset.unwrap_or(last), record.run, method.unwrap_or(last))
    }

    /// What differs first between two manifests, in words; none if their results belong together. The reference
    /// only says how results are shown.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let parts = [
            (
                "another version",
                self.version != other.version || self.format != other.format,
            ),
            ("another command", self.command != other.command),
            ("another preset", self.preset != other.preset),
            ("another seed", self.seed != other.seed),
            ("another protocol", self.protocol != other.protocol),
            ("other methods", self.methods != other.methods),
            ("other data sets", self.datasets != other.datasets),
            (
                "other options of reading",
                self.data_options != other.data_options,
            ),
            ("other base learners", self.base != other.base),
        ];
        let different = parts.iter().find(|(_, differs)| *differs);
        different.map(|(part, _)| (*part).to_owned())
    }
}

/// Every parameter with its value.
pub(crate) fn values(settings: &impl Settings) -> BTreeMap<String, String> {
    let parameters = settings.parameters().into_iter();
    parameters
        .map(|parameter| (parameter.name.into(), parameter.value.to_string()))
        .collect()
}

impl FileEntry {
    /// A file as it is now.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let io_error = |source| Error::Io {
            path: path.to_owned(),
            source,
        };
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            sha256: digest::of_file(path).map_err(io_error)?,
        })
    }
}

impl MethodEntry {
    fn new(method: &Method) -> Self {
        Self {
            name: method.name().into(),
            parameters: values(method),
        }
    }

    /// The method itself.
    pub(crate) fn method(&self) -> Result<Method, mmoc::Error> {
        let mut method: Method = self.name.parse()?;
        for (name, value) in &self.parameters {
            method.set(name, value)?;
        }
        Ok(method)
    }
}

impl DatasetEntry {
    pub(crate) fn new(
        dataset: &Dataset,
        source: Source,
        scaling: Scaling,
        files: Vec<FileEntry>,
    ) -> Self {
        let summary = Summary::of(dataset);
        let shown = shown_labels(&summary.label_counts);
        Self {
            name: summary.name,
            source,
            rows: summary.rows,
            features: summary.features,
            labels: summary.labels,
            scaling: scaling.to_string(),
            cardinality: summary.cardinality,
            density: summary.density,
            distinct_label_sets: summary.distinct_label_sets,
            label_names: summary.label_names,
            label_counts: summary.label_counts,
            cooccurrence: cooccurrence(dataset, &shown),
            shown_labels: shown,
            files,
            fingerprint: fingerprint(dataset.view()),
        }
    }
}

fn cooccurrence(dataset: &Dataset, shown: &[usize]) -> Vec<Vec<usize>> {
    let labels = dataset.labels().select_labels(shown);
    let mut counts = vec![vec![0; shown.len()]; shown.len()];
    for set in labels.iter() {
        for &a in set {
            for &b in set {
                counts[a as usize][b as usize] += 1;
            }
        }
    }
    counts
}
