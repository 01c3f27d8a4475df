//! Methods and their parameters, as the command line names them.

use std::collections::HashSet;

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;
use mmoc_experiment::{BASE, Design, Entrant};

use crate::args::{Assignment, EntrantChoice, MethodAssignment};
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
    let class_weight = assignments.iter().rfind(|own| own.key == CLASS_WEIGHT);
    check_class_weight(class_weight.map(|own| own.value.as_str()), [&method])?;
    for Assignment { key, value } in assignments {
        let name = method.name();
        let set = match of_base(key) {
            Some(key) => base.set(key, value),
            None => method.set(key, value),
        };
        set.map_err(|error| {
            let hint = hint_of_one(key, value, &method);
            Failure::wrong_usage(format!("--set {key}={value} for {name}: {error}{hint}"))
        })?;
    }
    Ok((method, base))
}

/// The parameter of the base learners that only classifiers of labels have.
const CLASS_WEIGHT: &str = "base.class-weight";

/// Fails if weights of classes are set and no method has classifiers that could use them.
fn check_class_weight<'m>(
    value: Option<&str>,
    methods: impl IntoIterator<Item = &'m Method>,
) -> Result<(), Failure> {
    let Some(value) = value.filter(|value| *value != "none") else {
        return Ok(());
    };
    let mut without = Vec::new();
    for method in methods {
        if !matches!(method, Method::CodingCs(_) | Method::CodingPca(_)) {
            return Ok(());
        }
        without.push(method.name());
    }
    let (names, verb) = match without.as_slice() {
        [] => return Ok(()),
        [one] => ((*one).to_owned(), "has"),
        several => (several.join(" and "), "have"),
    };
    Err(Failure::wrong_usage(format!(
        "--set {CLASS_WEIGHT}={value}: {names} {verb} no classifiers of labels, which alone can use weights of classes"
    )))
}

/// The name of a parameter of the base learners.
fn of_base(key: &str) -> Option<&str> {
    key.strip_prefix(BASE)?.strip_prefix('.')
}

/// Where a parameter belongs that was set in the wrong place, where only one method has parameters.
fn hint_of_one(key: &str, value: &str, method: &Method) -> String {
    let plain = key.split_once('.').map_or(key, |(_, key)| key);
    let plain = &plain.replace('_', "-");
    let right = match () {
        () if has(method, plain) => plain.clone(),
        () if has(&BaseParams::default(), plain) => format!("{BASE}.{plain}"),
        () => return String::new(),
    };
    if right == key {
        String::new()
    } else {
        format!(" (use --set {right}={value})")
    }
}

/// Where a parameter belongs that was set in the wrong place, where entrants have parameters of their own.
fn hint(method: &str, key: &str, value: &str, design: &Design) -> String {
    let written = key;
    let key = &of_base(written).unwrap_or(written).replace('_', "-");
    let right = if has(&BaseParams::default(), key) {
        Some(BASE)
    } else {
        let mut entrants = design.entrants.iter();
        let found = entrants.find(|own| own.method().is_some_and(|method| has(method, key)));
        found.map(Entrant::name)
    };
    match right {
        Some(right) if method == BASE || right == BASE && right != method || written != key => {
            format!(" (use --set {right}.{key}={value})")
        }
        _ => String::new(),
    }
}

/// Whose parameter this is: that of the base learners, or else of the last method that has it.
pub(crate) fn owner(key: &str) -> Option<&'static str> {
    if has(&BaseParams::default(), key) {
        return Some(BASE);
    }
    let methods = Method::all();
    let method = methods.iter().rfind(|&method| has(method, key));
    method.map(Method::name)
}

fn has(settings: &impl Settings, key: &str) -> bool {
    let mut parameters = settings.parameters().into_iter();
    parameters.any(|parameter| parameter.name == key)
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
            let hint = hint(method, key, value, &design);
            Failure::wrong_usage(format!("--set {method}.{key}={value}: {error}{hint}"))
        })?;
    }
    let class_weight = assignments
        .iter()
        .rfind(|own| format!("{}.{}", own.method, own.key) == CLASS_WEIGHT);
    let methods = design.entrants.iter().filter_map(Entrant::method);
    check_class_weight(class_weight.map(|own| own.value.as_str()), methods)?;
    design.reference = reference.map(Into::into);
    if let (Some(name), Err(error)) = (reference, design.reference_name()) {
        return Err(Failure::wrong_usage(format!("--reference {name}: {error}")));
    }
    Ok(design)
}

/// Who was chosen, by default all methods: those under their own names in the order of the registry, then the others.
pub(crate) fn entrants(choices: &[EntrantChoice]) -> Result<Vec<Entrant>, Failure> {
    check_named_apart(choices)?;
    let mut all = Method::all();
    if !choices.is_empty() {
        let is_plain = |choice: &&EntrantChoice| choice.name.is_none();
        let is_chosen = |method: &Method| {
            let mut plain = choices.iter().filter(is_plain);
            plain.any(|choice| choice.method.name() == method.name())
        };
        all.retain(is_chosen);
    }
    let named = choices.iter().filter_map(|choice| {
        let name = choice.name.as_ref()?;
        Some(Entrant::named(name, choice.method.clone()))
    });
    Ok(all.into_iter().map(Entrant::from).chain(named).collect())
}

/// Fails if a method was chosen twice under its own name: one would take the place of the other.
fn check_named_apart(choices: &[EntrantChoice]) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    let mut plain = choices.iter().filter(|choice| choice.name.is_none());
    let Some(again) = plain.find(|choice| !seen.insert(choice.method.name())) else {
        return Ok(());
    };
    let name = again.method.name();
    let (title, chosen) = (again.method.title(), again.in_words());
    Err(Failure::wrong_usage(format!(
        "--method {name} is there twice: two methods are called {title}; \
         give one another name, as in --method NAME={chosen}"
    )))
}

/// The design with the parameters that entrants were chosen with.
pub(crate) fn with_own_settings(
    mut design: Design,
    choices: &[EntrantChoice],
) -> Result<Design, Failure> {
    for choice in choices {
        let name = choice.name.as_deref().unwrap_or(choice.method.name());
        for Assignment { key, value } in &choice.settings {
            let set = design.set(name, key, value);
            set.map_err(|error| {
                let hint = hint(name, key, value, &design);
                Failure::wrong_usage(format!("--method {name}, {key}={value}: {error}{hint}"))
            })?;
        }
    }
    Ok(design)
}
