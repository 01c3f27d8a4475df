//! `experiment.json`: what an experiment consists of. Results belong together if and only if their manifests
//! are equal; an experiment goes on with another one that has some of its methods and runs.

use std::collections::BTreeMap;
use std::path::Path;

use mmoc::data::{DatasetStatistics, Missing};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::settings::{Named, Settings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::code_picture::{cooccurrence, shown_labels};
use super::entrant::{Entrant, EntrantKind};
use super::record::RecordKey;
use super::{Design, InputDataset, TestRows, journal};
use crate::{Protocol, Result};

/// Under this name the parameters of an entrant say what model the caller of the library fitted.
const MODEL: &str = "model";

/// The version of the files of an experiment.
pub(super) const FORMAT: u32 = 1;

/// Everything that the results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the files.
    pub format: u32,
    /// Version of the program.
    pub version: String,
    /// The program or command that runs the experiment.
    pub command: String,
    /// The preset that the parameters come from.
    pub preset: Option<String>,
    /// How the data was read, as options of the command line.
    pub data_options: Vec<String>,
    /// The seed of all random choices.
    pub seed: u64,
    /// How each data set is split.
    pub protocol: Protocol,
    /// Name of the entrant that the others are compared with.
    pub reference: String,
    /// The data sets.
    pub datasets: Vec<DatasetEntry>,
    /// The entrants.
    pub methods: Vec<MethodEntry>,
    /// Parameters of the base learners.
    pub base: Value,
    /// Those of them that can be set.
    pub base_settings: BTreeMap<String, String>,
}

/// Where rows come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Measured or collected.
    Real,
    /// Drawn from a model.
    Synthetic,
}

/// A data set, as far as a report needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetEntry {
    /// Its name, different from all others.
    pub name: String,
    /// Where its rows come from.
    pub source: Provenance,
    /// Number of rows.
    pub rows: usize,
    /// Number of features as they are declared.
    pub features: usize,
    /// Number of labels.
    pub labels: usize,
    /// How features are scaled: what automatic scaling comes to.
    pub scaling: String,
    /// How missing features are filled in, if not with means.
    #[serde(default, skip_serializing_if = "Missing::is_mean")]
    pub missing: Missing,
    /// Mean number of labels of a row.
    pub cardinality: f64,
    /// Cardinality over the number of labels.
    pub density: f64,
    /// Number of different label sets.
    pub distinct_label_sets: usize,
    /// Names of the labels.
    pub label_names: Vec<String>,
    /// Number of rows of each label.
    pub label_counts: Vec<usize>,
    /// The labels that heat maps show.
    pub shown_labels: Vec<usize>,
    /// Rows that carry both of two shown labels.
    pub cooccurrence: Vec<Vec<usize>>,
    /// The files it was read from.
    pub files: Vec<FileEntry>,
    /// SHA-256 of sizes, features and labels as they were used, after everything that was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The rows to test on, if the split is published; everything above is then of the training rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestEntry>,
}

/// The test rows of a published split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestEntry {
    /// Number of rows.
    pub rows: usize,
    /// The files they were read from.
    pub files: Vec<FileEntry>,
    /// SHA-256 of sizes, features and labels as they were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// A file and its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name, without folders.
    pub name: String,
    /// SHA-256 of its contents, as hexadecimal digits.
    pub sha256: String,
}

/// An entrant: a method with every parameter, or the predictions of another program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodEntry {
    /// Its name, different from all others.
    pub name: String,
    /// Its name in tables, unless it is the title of a method under its own name, or the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The name of the method in the registry, unless it is the name of the entrant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// Name and value of each parameter.
    pub parameters: BTreeMap<String, String>,
    /// The files of predictions that another program made, one for each data set, or no file if the caller of the
    /// library made them; none for a method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<Vec<FileEntry>>,
}

impl Manifest {
    /// What an experiment of this design consists of.
    pub fn new(design: &Design, inputs: &[InputDataset]) -> Result<Self> {
        Ok(Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            command: design.command.clone(),
            preset: design.preset.map(|preset| preset.name().into()),
            data_options: design.data_options.clone(),
            seed: design.seed,
            protocol: design.protocol,
            reference: design.reference_name()?,
            datasets: inputs.iter().map(DatasetEntry::new).collect(),
            methods: design.entrants.iter().map(MethodEntry::new).collect(),
            base: as_json(&design.base),
            base_settings: values(&design.base),
        })
    }

    /// Fails if a folder holds an experiment that this one does not go on with.
    pub fn check_folder(&self, folder: &Path) -> Result<()> {
        journal::check_folder(folder, self)
    }

    /// Number of fits in the whole experiment.
    pub fn fits(&self) -> usize {
        let kinds = self.datasets.len() * self.methods.len();
        self.protocol.runs().saturating_mul(kinds)
    }

    /// Where a record is in the order of data sets, runs and methods, if it has a place there.
    pub(super) fn position(&self, key: &RecordKey) -> Option<(usize, usize, usize)> {
        let dataset = self
            .datasets
            .iter()
            .position(|entry| entry.name == key.dataset)?;
        let method = self
            .methods
            .iter()
            .position(|entry| entry.name == key.method)?;
        (key.run < self.protocol.runs()).then_some((dataset, key.run, method))
    }

    /// The keys in which two manifests differ; none if their results belong together. The reference only changes
    /// how results are shown.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        const IGNORED: [&str; 2] = ["reference", "base_settings"];
        let json = |manifest| serde_json::to_value(manifest).expect("manifests are JSON");
        let (own, other): (Value, Value) = (json(self), json(other));
        let own = own.as_object().expect("a manifest is an object").iter();
        own.filter(|(key, value)| !IGNORED.contains(&key.as_str()) && other[*key] != **value)
            .map(|(key, _)| key.replace('_', " "))
            .collect()
    }
}

impl Manifest {
    /// The keys in which this experiment differs from another one that it is to go on with. More methods and more runs
    /// are no difference.
    pub(super) fn obstacles(&self, begun: &Self) -> Vec<String> {
        let mut shared = self.clone();
        shared.protocol = self.protocol.shortened_to(begun.protocol);
        let place = |entry: &MethodEntry| {
            let mut known = begun.methods.iter();
            known.position(|known| known.name == entry.name)
        };
        shared.methods.retain(|entry| place(entry).is_some());
        shared.methods.sort_by_key(place);
        begun.differences(&shared)
    }

    /// The methods of another experiment that this one, which is to go on with it, leaves out.
    pub(super) fn left_out(&self, begun: &Self) -> Vec<String> {
        let names = begun.methods.iter().map(|entry| &entry.name);
        let is_own = |name: &&String| self.methods.iter().any(|entry| entry.name == **name);
        names.filter(|name| !is_own(name)).cloned().collect()
    }

    /// The same experiment with some of its methods.
    pub(super) fn without(&self, names: &[String]) -> Self {
        let mut rest = self.clone();
        rest.methods.retain(|entry| !names.contains(&entry.name));
        rest
    }
}

fn as_json(base: &BaseParams) -> Value {
    serde_json::to_value(base).expect("parameters are plain numbers and words")
}

/// Name and value of every parameter.
pub(crate) fn values(settings: &impl Settings) -> BTreeMap<String, String> {
    let parameters = settings.parameters().into_iter();
    parameters
        .map(|parameter| (parameter.name.into(), parameter.value.to_string()))
        .collect()
}

impl MethodEntry {
    fn new(entrant: &Entrant) -> Self {
        let untitled = match &entrant.kind {
            EntrantKind::Method(method) => Self {
                name: entrant.name().into(),
                title: None,
                method: (method.name() != entrant.name()).then(|| method.name().into()),
                parameters: values(method),
                external: None,
            },
            EntrantKind::External(predictions) => {
                Self::external(entrant, predictions.iter().map(|own| own.file.clone()))
            }
            EntrantKind::OfCaller { model } => Self {
                parameters: BTreeMap::from([(MODEL.into(), model.clone())]),
                ..Self::external(entrant, std::iter::empty())
            },
        };
        let is_usual = untitled.title() == entrant.title();
        Self {
            title: (!is_usual).then(|| entrant.title().into()),
            ..untitled
        }
    }

    /// The name of the method in the registry; that of the entrant if another program made the predictions.
    pub(crate) fn method_name(&self) -> &str {
        self.method.as_deref().unwrap_or(&self.name)
    }

    /// An entrant whose predictions come from these files, or from none.
    fn external(entrant: &Entrant, files: impl Iterator<Item = FileEntry>) -> Self {
        Self {
            name: entrant.name().into(),
            title: None,
            method: None,
            parameters: BTreeMap::new(),
            external: Some(files.collect()),
        }
    }

    /// Whether the predictions are from files, which do not say how long it took to make them.
    pub(super) fn is_from_files(&self) -> bool {
        self.external
            .as_ref()
            .is_some_and(|files| !files.is_empty())
    }

    /// What model the caller fitted, if it did.
    pub(super) fn model(&self) -> Option<&str> {
        let is_from_memory = self.external.as_ref().is_some_and(Vec::is_empty);
        let model = self.parameters.get(MODEL).filter(|_| is_from_memory);
        model.map(String::as_str)
    }

    /// The method, unless another program made the predictions.
    pub fn method(&self) -> mmoc::Result<Option<Method>> {
        if self.external.is_some() {
            return Ok(None);
        }
        let mut method: Method = self.method_name().parse()?;
        for (name, value) in &self.parameters {
            method.set(name, value)?;
        }
        Ok(Some(method))
    }

    /// The name in tables.
    pub fn title(&self) -> &str {
        let is_plain = self.method.is_none() && self.external.is_none();
        match &self.title {
            Some(title) => title,
            None if is_plain => title_of(&self.name).unwrap_or(&self.name),
            None => &self.name,
        }
    }
}

/// The title of the method of a name.
fn title_of(name: &str) -> Option<&'static str> {
    let method: Method = name.parse().ok()?;
    Some(method.title())
}

impl DatasetEntry {
    fn new(input: &InputDataset) -> Self {
        let summary = DatasetStatistics::of(&input.dataset);
        let shown = shown_labels(&summary.label_counts);
        Self {
            name: summary.name,
            source: input.source,
            rows: summary.rows,
            features: summary.features,
            labels: summary.labels,
            scaling: input.scaling().to_string(),
            missing: input.missing,
            cardinality: summary.cardinality,
            density: summary.density,
            distinct_label_sets: summary.distinct_label_sets,
            label_names: summary.label_names,
            label_counts: summary.label_counts,
            cooccurrence: cooccurrence(input.dataset.labels(), &shown),
            shown_labels: shown,
            files: input.files.clone(),
            fingerprint: input.fingerprint.clone(),
            test: input.test.as_ref().map(TestEntry::new),
        }
    }

    /// How features are scaled, and how missing ones are filled in unless with means.
    pub(crate) fn preprocessing(&self) -> String {
        let scaling = format!("scaling {}", self.scaling);
        if self.missing.is_mean() {
            return scaling;
        }
        format!("{scaling}, missing {}", self.missing)
    }

    /// Whether fingerprints tell its rows from all others.
    pub(super) fn is_identified(&self) -> bool {
        let test = self.test.as_ref();
        self.fingerprint.is_some() && test.is_none_or(|test| test.fingerprint.is_some())
    }
}

impl TestEntry {
    fn new(test: &TestRows) -> Self {
        Self {
            rows: test.dataset.rows(),
            files: test.files.clone(),
            fingerprint: test.fingerprint.clone(),
        }
    }
}
