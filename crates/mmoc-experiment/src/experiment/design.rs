//! What is compared, and how.

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;

use crate::{Error, Protocol, Result};

/// The name by which parameters of the base learners are set.
pub const BASE: &str = "base";

/// The design of an experiment: methods with their parameters, and how data sets are split.
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
    /// The methods, in the order of the tables.
    pub methods: Vec<Method>,
    /// Parameters of the base learners.
    pub base: BaseParams,
    /// How each data set is split.
    pub protocol: Protocol,
    /// The seed of all random choices.
    pub seed: u64,
    /// Name of the method that the others are compared with; by default max-margin, or else the last.
    pub reference: Option<String>,
    /// The preset that the parameters come from, for the record.
    pub preset: Option<Preset>,
    /// The program or command that runs the experiment, for the record.
    pub command: String,
    /// How the data was read, as options of the command line, for the record.
    pub data_options: Vec<String>,
}

impl Design {
    /// Methods with the parameters that they have, default base learners and seed 0.
    pub fn new(methods: Vec<Method>, protocol: Protocol) -> Self {
        Self {
            methods,
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
        self.methods
            .iter_mut()
            .for_each(|method| preset.apply(method));
        preset.apply_to_base(&mut self.base);
        self.preset = Some(preset);
        self
    }

    /// Sets a parameter of a method, or of the base learners under the name [`BASE`].
    pub fn set(&mut self, method: &str, key: &str, value: &str) -> Result<()> {
        if method == BASE {
            return Ok(self.base.set(key, value)?);
        }
        let found = self.methods.iter_mut().find(|own| own.name() == method);
        match found {
            Some(own) => Ok(own.set(key, value)?),
            None => Err(self.unknown(method, &[BASE])),
        }
    }

    /// The name of the method that the others are compared with.
    pub fn reference_name(&self) -> Result<String> {
        const USUAL: &str = "max-margin";
        let has = |name: &str| self.methods.iter().any(|method| method.name() == name);
        match &self.reference {
            Some(name) if has(name) => Ok(name.clone()),
            Some(name) => Err(self.unknown(name, &[])),
            None if has(USUAL) => Ok(USUAL.into()),
            None => Ok(self.methods.last().map_or("", Method::name).into()),
        }
    }

    fn unknown(&self, name: &str, others: &[&'static str]) -> Error {
        let names = self.methods.iter().map(Method::name);
        Error::UnknownMethod {
            name: name.into(),
            expected: names
                .chain(others.iter().copied())
                .map(Into::into)
                .collect(),
        }
    }
}
