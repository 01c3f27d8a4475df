//! Parameters of the methods by the name of a preset.

use clap::ValueEnum;
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::settings::Settings;

use crate::args::{Assignment, ExperimentArgs, MethodAssignment, Preset};
use crate::failure::Failure;
use crate::output;

/// What base learners are called where parameters are set.
pub(crate) const BASE: &str = "base";

/// Method, parameter and value of what differs from the defaults.
type Changes = &'static [(&'static str, &'static str, &'static str)];

/// The paper's letter: mean-field decoding (section 2.4), C = 10⁶ and λ = 1 (section 4), the penalties of P as they
/// were chosen (19). The log-odds of (31) are out-of-fold, which the paper leaves open.
const PAPER: Changes = &[
    ("coding-pca-r", "inference", "mean-field"),
    ("coding-cca", "inference", "mean-field"),
    ("max-margin", "inference", "mean-field"),
    ("max-margin", "penalty-factor", "1"),
];

/// The best known for few labels (`docs/results.md` tells how it was found): weights by likelihood wherever a codeword has
/// labels and projections, and for max-margin canonical regressions.
const BEST: Changes = &[
    ("coding-pca-r", "weights", "likelihood"),
    ("coding-cca", "weights", "likelihood"),
    ("max-margin", "weights", "likelihood"),
    ("max-margin", "regression", "canonical"),
    ("max-margin", "penalty-factor", "30"),
];

impl Preset {
    /// Labels up to which the preset `best` is meant.
    pub(crate) const MOST_LABELS: usize = 14;

    /// The preset of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = Self::value_variants().iter().copied();
        all.into_iter().find(|preset| preset.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Best => "best",
            Self::Default => "default",
        }
    }

    fn changes(self) -> Changes {
        match self {
            Self::Paper => PAPER,
            Self::Best => BEST,
            Self::Default => &[],
        }
    }

    /// Sets the parameters of the methods that the preset knows.
    pub(crate) fn apply(self, methods: &mut [Method]) -> Result<(), Failure> {
        for (name, key, value) in self.changes() {
            for method in methods.iter_mut().filter(|method| method.name() == *name) {
                method.set(key, value)?;
            }
        }
        Ok(())
    }
}

/// The preset that was asked for. What is best for few labels is not known to be so for many.
pub(crate) fn suitable(asked: Preset, labels: usize) -> Preset {
    if asked != Preset::Best || labels <= Preset::MOST_LABELS {
        return asked;
    }
    let most = Preset::MOST_LABELS;
    output::message(
        "note",
        &format!(
            "the preset best is for up to {most} labels, not {labels}: taking the default parameters"
        ),
    );
    Preset::Default
}

/// One method and the base learners with a preset and the parameters that were set.
pub(crate) fn of_one(
    method: &Method,
    preset: Preset,
    assignments: &[Assignment],
) -> Result<(Method, BaseParams), Failure> {
    let mut base = BaseParams::default();
    let mut method = method.clone();
    preset.apply(std::slice::from_mut(&mut method))?;
    for Assignment { key, value } in assignments {
        let name = method.name();
        let set = match key.strip_prefix(BASE).and_then(|key| key.strip_prefix('.')) {
            Some(key) => base.set(key, value),
            None => method.set(key, value),
        };
        set.map_err(|error| {
            Failure::wrong_usage(format!("--set {key}={value} for {name}: {error}"))
        })?;
    }
    Ok((method, base))
}

/// Methods and base learners with all their parameters, and the method that others are compared with.
pub(crate) struct Configured {
    pub(crate) methods: Vec<Method>,
    pub(crate) base: BaseParams,
    pub(crate) reference: String,
}

/// What the command line comes to with a preset.
pub(crate) fn configured(args: &ExperimentArgs, preset: Preset) -> Result<Configured, Failure> {
    let mut methods = chosen(&args.methods);
    preset.apply(&mut methods)?;
    let mut base = BaseParams::default();
    assign(&mut methods, &mut base, &args.set)?;
    Ok(Configured {
        reference: reference(&methods, args.reference.as_ref())?,
        methods,
        base,
    })
}

/// The methods that were chosen, by default all, in the order of the registry.
fn chosen(methods: &[Method]) -> Vec<Method> {
    let mut all = Method::all();
    if !methods.is_empty() {
        all.retain(|method| methods.iter().any(|chosen| chosen.name() == method.name()));
    }
    all
}

/// Sets parameters of methods and of base learners as the command line says.
fn assign(
    methods: &mut [Method],
    base: &mut BaseParams,
    assignments: &[MethodAssignment],
) -> Result<(), Failure> {
    for MethodAssignment { method, key, value } in assignments {
        let place = format!("--set {method}.{key}={value}");
        if method == BASE {
            base.set(key, value)
                .map_err(|error| Failure::wrong_usage(format!("{place}: {error}")))?;
            continue;
        }
        let names: Vec<&str> = methods.iter().map(Method::name).collect();
        let unknown = format!(
            "{place}: expected one of the methods {}, or {BASE}",
            names.join(", ")
        );
        let found = methods.iter_mut().find(|own| own.name() == method);
        let own = found.ok_or_else(|| Failure::wrong_usage(unknown))?;
        own.set(key, value)
            .map_err(|error| Failure::wrong_usage(format!("{place}: {error}")))?;
    }
    Ok(())
}

/// The method that others are compared with.
fn reference(methods: &[Method], asked: Option<&Method>) -> Result<String, Failure> {
    const USUAL: &str = "max-margin";
    let names: Vec<&str> = methods.iter().map(Method::name).collect();
    match asked {
        Some(method) if names.contains(&method.name()) => Ok(method.name().into()),
        Some(method) => Err(Failure::wrong_usage(format!(
            "--reference {}: expected one of the methods that are run, {}",
            method.name(),
            names.join(", ")
        ))),
        None if names.contains(&USUAL) => Ok(USUAL.into()),
        None => Ok(names[names.len() - 1].into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_preset_is_one_that_its_method_takes() {
        for preset in [Preset::Paper, Preset::Best] {
            for (name, key, value) in preset.changes() {
                let mut method: Method = name.parse().unwrap();
                let before = method.clone();
                method.set(key, value).unwrap();
                assert_ne!(method, before, "{name}.{key} has this value by default");
            }
        }
    }
}
