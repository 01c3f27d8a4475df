//! Parameters of the methods by the name of a preset.

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;

use crate::args::{Assignment, ExperimentArgs, MethodAssignment};
use crate::failure::Failure;
use crate::output;

/// What base learners are called where parameters are set.
pub(crate) const BASE: &str = "base";

/// The preset that was asked for. What is best for few labels is not best for many.
pub(crate) fn suitable(asked: Preset, labels: usize) -> Preset {
    if asked != Preset::Best || labels <= Preset::MOST_LABELS {
        return asked;
    }
    let most = Preset::MOST_LABELS;
    output::message(
        "note",
        &format!(
            "the preset best is for up to {most} labels, not {labels}: taking the preset many"
        ),
    );
    Preset::Many
}

/// One method and the base learners with a preset and the parameters that were set.
pub(crate) fn of_one(
    method: &Method,
    preset: Preset,
    assignments: &[Assignment],
) -> Result<(Method, BaseParams), Failure> {
    let mut base = BaseParams::default();
    let mut method = method.clone();
    preset.apply(&mut method);
    preset.apply_to_base(&mut base);
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
    methods.iter_mut().for_each(|method| preset.apply(method));
    let mut base = BaseParams::default();
    preset.apply_to_base(&mut base);
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
