//! What takes part in an experiment, each under a name of its own.

use mmoc::Prediction;
use mmoc::method::Method;

use super::manifest::FileEntry;
use crate::Seconds;

/// What takes part in an experiment: a method, or predictions that another program or the caller made.
///
/// A method usually takes part under its own name. Under another one it can take part twice, with other parameters:
///
/// ```
/// use mmoc::method::Method;
/// use mmoc_experiment::Entrant;
///
/// let method: Method = "max-margin".parse()?;
/// let usual = Entrant::from(method.clone());
/// assert_eq!((usual.name(), usual.title()), ("max-margin", "MaxMargin"));
/// let other = Entrant::named("tuned", method);
/// assert_eq!((other.name(), other.title()), ("tuned", "tuned"));
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Entrant {
    name: String,
    title: String,
    /// What it is.
    pub kind: EntrantKind,
}

/// What an entrant is.
#[derive(Debug, Clone, PartialEq)]
pub enum EntrantKind {
    /// A method with its parameters.
    Method(Method),
    /// The predictions of another program, one for each data set of the experiment.
    External(Vec<ExternalPrediction>),
    /// A model that the caller fits.
    OfCaller {
        /// What the model is, for the record.
        model: String,
    },
}

/// What a model of the caller predicted for the test rows of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPrediction {
    /// The predictions, in the order of the test rows.
    pub prediction: Prediction,
    /// How long it took.
    pub seconds: Seconds,
}

/// What another program predicted for the test rows of a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalPrediction {
    /// The file of the predictions.
    pub file: FileEntry,
    /// The predictions, in the order of the test rows.
    pub prediction: Prediction,
}

impl From<Method> for Entrant {
    /// A method under its own name.
    fn from(method: Method) -> Self {
        Self {
            name: method.name().into(),
            title: method.title().into(),
            kind: EntrantKind::Method(method),
        }
    }
}

impl Entrant {
    /// A method under another name, which is its title too.
    pub fn named(name: impl Into<String>, method: Method) -> Self {
        Self::of_kind(name.into(), EntrantKind::Method(method))
    }

    /// The predictions of another program, one for each data set.
    pub fn external(name: impl Into<String>, predictions: Vec<ExternalPrediction>) -> Self {
        Self::of_kind(name.into(), EntrantKind::External(predictions))
    }

    /// A model that the caller fits in each run, and whose predictions a [`Collection`](crate::Collection) takes. The
    /// record says what the model is.
    pub fn of_caller(name: impl Into<String>, model: impl Into<String>) -> Self {
        let model = model.into();
        Self::of_kind(name.into(), EntrantKind::OfCaller { model })
    }

    fn of_kind(name: String, kind: EntrantKind) -> Self {
        let title = name.clone();
        Self { name, title, kind }
    }

    /// The same entrant with another title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        let title = title.into();
        Self { title, ..self }
    }

    /// The name by which manifest, records and JSON know it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name in tables.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The method, if it is one.
    pub fn method(&self) -> Option<&Method> {
        match &self.kind {
            EntrantKind::Method(method) => Some(method),
            EntrantKind::External(_) | EntrantKind::OfCaller { .. } => None,
        }
    }

    /// The method, to be changed.
    pub fn method_mut(&mut self) -> Option<&mut Method> {
        match &mut self.kind {
            EntrantKind::Method(method) => Some(method),
            EntrantKind::External(_) | EntrantKind::OfCaller { .. } => None,
        }
    }
}
