//! Methods and their parameters, as the command line names them.

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;
use mmoc_experiment::{BASE, Design};

use crate::args::{Assignment, MethodAssignment};
use crate::failure::Failure;

/// One method and the base learners, with a preset and the parameters that are set.
pub(crate) fn of_one_method(
    method: &Method,
    preset: Preset,
    assignments: &[Assignment],
) -> Result<(Method, BaseParams), Failure> {
    let mut base = BaseParams::default();
    let mut method = method.clone();
    preset.apply(&mut method);
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

/// The design with the parameters that are set and the reference that is named.
pub(crate) fn adjusted(
    mut design: Design,
    assignments: &[MethodAssignment],
    reference: Option<&str>,
) -> Result<Design, Failure> {
    for MethodAssignment { method, key, value } in assignments {
        let set = design.set(method, key, value);
        set.map_err(|error| {
            Failure::wrong_usage(format!("--set {method}.{key}={value}: {error}"))
        })?;
    }
    design.reference = reference.map(Into::into);
    if let (Some(name), Err(error)) = (reference, design.reference_name()) {
        return Err(Failure::wrong_usage(format!("--reference {name}: {error}")));
    }
    Ok(design)
}

/// The methods that were chosen, by default all, in the order of the registry.
pub(crate) fn chosen(methods: &[Method]) -> Vec<Method> {
    let mut all = Method::all();
    if !methods.is_empty() {
        all.retain(|method| methods.iter().any(|chosen| chosen.name() == method.name()));
    }
    all
}
