//! Methods and their parameters, as the command line names them.

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;
use mmoc_experiment::{BASE, Design, Protocol};

use crate::args::{Assignment, ExperimentArgs, MethodAssignment};
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

/// The design of an experiment with a preset.
pub(crate) fn design(
    args: &ExperimentArgs,
    preset: Preset,
    protocol: Protocol,
) -> Result<Design, Failure> {
    let mut design = Design::new(chosen(&args.methods), protocol).with_preset(preset);
    for MethodAssignment { method, key, value } in &args.set {
        let set = design.set(method, key, value);
        set.map_err(|error| {
            Failure::wrong_usage(format!("--set {method}.{key}={value}: {error}"))
        })?;
    }
    let reference = args.reference.as_ref();
    design.reference = reference.map(|method| method.name().to_owned());
    if let (Some(name), Err(error)) = (&design.reference, design.reference_name()) {
        return Err(Failure::wrong_usage(format!("--reference {name}: {error}")));
    }
    Ok(design)
}

/// The methods that were chosen, by default all, in the order of the registry.
fn chosen(methods: &[Method]) -> Vec<Method> {
    let mut all = Method::all();
    if !methods.is_empty() {
        all.retain(|method| methods.iter().any(|chosen| chosen.name() == method.name()));
    }
    all
}
