//! What is compared, and how.

use std::path::Path;

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;

use super::entrant::Entrant;
use super::journal;
use super::manifest::MethodEntry;
use crate::{Error, Protocol, Result};

/// The name by which parameters of the base learners are set.
pub const BASE: &str = "base";

/// The design of an experiment: who takes part, and how data sets are split.
///
/// ```
/// use mmoc_experiment::{Design, Protocol};
///
/// let methods = vec!["br".parse()?, "max-margin".parse()?];
/// let protocol = Protocol::RandomSplits { runs: 10, train_size: 300 };
/// let mut design = Design::new(methods, protocol);
/// design.seed = 1;
/// design.set("max-margin", "c", "1000")?;
/// assert!(design.set("clr", "c", "1000").is_err());
/// # Ok::<(), mmoc_experiment::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Design {
    /// Who takes part, in the order of the tables.
    pub entrants: Vec<Entrant>,
    /// Parameters of the base learners.
    pub base: BaseParams,
    /// How each data set is split.
    pub protocol: Protocol,
    /// The seed of all random choices.
    pub seed: u64,
    /// Name of the entrant that the others are compared with; by default max-margin, or else the last.
    pub reference: Option<String>,
    /// The preset that the parameters come from, for the record.
    pub preset: Option<Preset>,
    /// The program or command that runs the experiment, for the record.
    pub command: String,
    /// How the data was read, as options of the command line, for the record.
    pub data_options: Vec<String>,
}

impl Design {
    /// Methods under their own names with the parameters that they have, default base learners and seed 0.
    pub fn new(methods: Vec<Method>, protocol: Protocol) -> Self {
        Self::of_entrants(methods.into_iter().map(Entrant::from).collect(), protocol)
    }

    /// Entrants with the parameters that they have, default base learners and seed 0.
    pub fn of_entrants(entrants: Vec<Entrant>, protocol: Protocol) -> Self {
        Self {
            entrants,
            base: BaseParams::default(),
            protocol,
            seed: 0,
            reference: None,
            preset: None,
            command: "library".into(),
            data_options: Vec::new(),
        }
    }

    /// The same design with the parameters of a preset.
    #[must_use]
    pub fn with_preset(mut self, preset: Preset) -> Self {
        let methods = self.entrants.iter_mut().filter_map(Entrant::method_mut);
        methods.for_each(|method| preset.apply(method));
        self.preset = Some(preset);
        self
    }

    /// Puts the methods of a folder's experiment that this design lacks before its own, so that their results stay.
    /// Returns their names. Predictions of other programs are not among them, because a folder has their scores only.
    pub fn keep_methods_of(&mut self, folder: &Path) -> Result<Vec<String>> {
        self.keep(folder, |entry| {
            let method = entry.method()?;
            Ok(method.map(|method| Entrant::named(&entry.name, method).titled(entry.title())))
        })
    }

    /// The same with the models that the caller fitted. What the folder lacks of them, only the caller could add.
    pub fn keep_models_of(&mut self, folder: &Path) -> Result<Vec<String>> {
        self.keep(folder, |entry| {
            let model = entry.model();
            Ok(model.map(|model| Entrant::of_caller(&entry.name, model).titled(entry.title())))
        })
    }

    fn keep(
        &mut self,
        folder: &Path,
        entrant: impl Fn(&MethodEntry) -> Result<Option<Entrant>>,
    ) -> Result<Vec<String>> {
        let Some(begun) = journal::read_manifest(folder)? else {
            return Ok(Vec::new());
        };
        let is_own = |name: &str| self.entrants.iter().any(|own| own.name() == name);
        let others = begun.methods.iter().filter(|entry| !is_own(&entry.name));
        let kept: Vec<Entrant> = others
            .filter_map(|entry| entrant(entry).transpose())
            .collect::<Result<_>>()?;
        let names = kept.iter().map(|own| own.name().into()).collect();
        self.entrants.splice(..0, kept);
        Ok(names)
    }

    /// Sets a parameter of an entrant, or of the base learners under the name [`BASE`].
    pub fn set(&mut self, entrant: &str, key: &str, value: &str) -> Result<()> {
        if entrant == BASE {
            return Ok(self.base.set(key, value)?);
        }
        let found = self.entrants.iter_mut().find(|own| own.name() == entrant);
        if let Some(method) = found.and_then(Entrant::method_mut) {
            return Ok(method.set(key, value)?);
        }
        let methods = self.entrants.iter().filter(|own| own.method().is_some());
        Err(unknown(entrant, methods.map(Entrant::name).chain([BASE])))
    }

    /// The name of the entrant that the others are compared with.
    pub fn reference_name(&self) -> Result<String> {
        const USUAL: &str = "max-margin";
        let has = |name: &str| self.entrants.iter().any(|entrant| entrant.name() == name);
        match &self.reference {
            Some(name) if has(name) => Ok(name.clone()),
            Some(name) => Err(unknown(name, self.entrants.iter().map(Entrant::name))),
            None if has(USUAL) => Ok(USUAL.into()),
            None => Ok(self.entrants.last().map_or("", Entrant::name).into()),
        }
    }
}

fn unknown<'a>(name: &str, expected: impl Iterator<Item = &'a str>) -> Error {
    Error::UnknownMethod {
        name: name.into(),
        expected: expected.map(Into::into).collect(),
    }
}
