//! What takes part in an experiment, each under a name of its own.

use mmoc::method::Method;

/// What takes part in an experiment: a method with its parameters.
///
/// It usually takes part under its own name. Under another one it can take part twice, with other parameters:
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
    /// The method with its parameters.
    pub method: Method,
}

impl From<Method> for Entrant {
    /// A method under its own name.
    fn from(method: Method) -> Self {
        Self {
            name: method.name().into(),
            title: method.title().into(),
            method,
        }
    }
}

impl Entrant {
    /// A method under another name, which is its title too.
    pub fn named(name: impl Into<String>, method: Method) -> Self {
        let name = name.into();
        Self {
            title: name.clone(),
            name,
            method,
        }
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
}
