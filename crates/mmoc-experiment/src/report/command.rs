//! The command that runs an experiment again, as far as its manifest says.

use std::collections::BTreeMap;

use crate::Protocol;
use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::Named;

use crate::experiment::{Manifest, MethodEntry, Provenance, values};
use crate::{BASE, Entrant, paper};

/// What the name of a synthetic data set ends with.
const TWIN: &str = "-twin";

/// The command line, its words quoted where a shell needs it; none if no command ran the experiment.
pub(super) fn command(manifest: &Manifest) -> Option<String> {
    if ![paper::REPRODUCE, "compare"].contains(&manifest.command.as_str()) {
        return None;
    }
    let mut words: Vec<String> = vec!["mmoc".into(), manifest.command.clone()];
    if manifest.command == paper::REPRODUCE {
        words.extend(paper_data(manifest));
    } else {
        words.extend(files(manifest));
        words.extend(manifest.data_options.iter().cloned());
    }
    let preset = manifest.preset.iter();
    words.extend(preset.flat_map(|preset| option("--preset", preset)));
    words.extend(protocol(manifest.protocol));
    let usual = Usual::of(manifest);
    words.extend(methods(manifest, &usual));
    words.extend(settings(manifest, &usual));
    words.extend(external(manifest));
    words.extend(option("--reference", &manifest.reference));
    words.extend(option("--seed", &manifest.seed.to_string()));
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    Some(quoted.join(" "))
}

fn option(name: &str, value: &str) -> [String; 2] {
    [name.into(), value.into()]
}

fn paper_data(manifest: &Manifest) -> Vec<String> {
    let datasets = manifest.datasets.iter();
    let mut words: Vec<String> = datasets
        .clone()
        .flat_map(|dataset| option("--dataset", dataset.name.trim_end_matches(TWIN)))
        .collect();
    if datasets
        .clone()
        .all(|dataset| dataset.source == Provenance::Synthetic)
    {
        words.push("--synthetic".into());
    }
    words
}

fn files(manifest: &Manifest) -> Vec<String> {
    let datasets = &manifest.datasets;
    let files = datasets.iter().flat_map(|dataset| &dataset.files);
    let mut words: Vec<String> = files.map(|file| path(&file.name)).collect();
    let test = datasets.iter().filter_map(|dataset| dataset.test.as_ref());
    let test = test.flat_map(|test| &test.files);
    words.extend(test.flat_map(|file| option("--test", &path(&file.name))));
    if datasets.len() > 1 {
        words.push("--each".into());
    }
    let mut scalings: Vec<&str> = datasets
        .iter()
        .map(|dataset| dataset.scaling.as_str())
        .collect();
    scalings.dedup();
    // Data sets that are scaled differently were scaled as their features say, which is the default.
    if let [only] = scalings[..] {
        words.extend(option("--scale", only));
    }
    words
}

/// A name that begins with a dash would be taken for an option.
fn path(name: &str) -> String {
    let folder = if name.starts_with('-') { "./" } else { "" };
    format!("{folder}{name}")
}

fn protocol(protocol: Protocol) -> Vec<String> {
    match protocol {
        Protocol::RandomSplits { runs, train_size } => [
            option("--runs", &runs.to_string()),
            option("--train-size", &train_size.to_string()),
        ]
        .concat(),
        Protocol::RandomShares { runs, train_share } => [
            option("--runs", &runs.to_string()),
            option("--train-size", &train_share.to_string()),
        ]
        .concat(),
        Protocol::CrossValidation {
            folds,
            stratified,
            repeats,
        } => {
            let mut words = option("--folds", &folds.to_string()).to_vec();
            words.extend(option("--repeats", &repeats.to_string()));
            if !stratified {
                words.push("--no-stratify".into());
            }
            words
        }
        // The test files say so.
        Protocol::PublishedSplit => Vec::new(),
    }
}

/// Who takes part in an experiment if nothing but a preset is chosen.
struct Usual {
    entrants: Vec<Entrant>,
}

impl Usual {
    fn of(manifest: &Manifest) -> Self {
        let preset = manifest.preset.as_deref().and_then(Preset::from_name);
        let entrants = match preset {
            None if manifest.command == paper::REPRODUCE => paper::entrants(),
            None => Method::all().into_iter().map(Entrant::from).collect(),
            Some(preset) => {
                let methods = Method::all().into_iter().map(|mut method| {
                    preset.apply(&mut method);
                    Entrant::from(method)
                });
                methods.collect()
            }
        };
        Self { entrants }
    }

    fn has(&self, name: &str) -> bool {
        self.entrants.iter().any(|usual| usual.name() == name)
    }

    /// The parameters of an entrant, or of its method if it has a name of its own.
    fn parameters(&self, entry: &MethodEntry) -> BTreeMap<String, String> {
        let name = if self.has(&entry.name) {
            &entry.name
        } else {
            entry.method_name()
        };
        let found = self.entrants.iter().find(|usual| usual.name() == name);
        let method = found.and_then(Entrant::method);
        method.map(values).unwrap_or_default()
    }
}

/// The entrants, unless they are the usual ones.
fn methods(manifest: &Manifest, usual: &Usual) -> Vec<String> {
    let methods = manifest.methods.iter();
    let methods = methods.filter(|entry| entry.external.is_none());
    let names = methods.clone().map(|entry| entry.name.as_str());
    if names.eq(usual.entrants.iter().map(Entrant::name)) {
        return Vec::new();
    }
    let word = |entry: &MethodEntry| {
        if usual.has(&entry.name) {
            entry.name.clone()
        } else {
            format!("{}={}", entry.name, entry.method_name())
        }
    };
    methods
        .flat_map(|entry| option("--method", &word(entry)))
        .collect()
}

/// The predictions of other programs.
fn external(manifest: &Manifest) -> Vec<String> {
    let entries = manifest.methods.iter();
    let files = entries.flat_map(|entry| {
        let files = entry.external.iter().flatten();
        files.map(|file| format!("{}={}", entry.name, file.name))
    });
    files
        .flat_map(|words| option("--external", &words))
        .collect()
}

/// The parameters that are not the usual ones.
fn settings(manifest: &Manifest, usual: &Usual) -> Vec<String> {
    let methods = manifest.methods.iter().flat_map(|method| {
        let usual = usual.parameters(method);
        changes(&method.name, &method.parameters, &usual)
    });
    let base = changes(
        BASE,
        &manifest.base_settings,
        &values(&BaseParams::default()),
    );
    methods.chain(base).collect()
}

/// The parameters that differ from the usual ones.
fn changes(
    owner: &str,
    parameters: &BTreeMap<String, String>,
    usual: &BTreeMap<String, String>,
) -> Vec<String> {
    let changed = parameters
        .iter()
        .filter(|(name, value)| usual.get(*name) != Some(*value));
    changed
        .flat_map(|(name, value)| option("--set", &format!("{owner}.{name}={value}")))
        .collect()
}

/// A word as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Design, Experiment};

    fn command_with(criterion: &str) -> String {
        let methods = vec!["br".parse().unwrap()];
        let mut design =
            Design::new(methods, Protocol::cross_validation(2)).with_preset(Preset::Paper);
        design.command = "compare".into();
        design.set(BASE, "criterion", criterion).unwrap();
        let experiment = Experiment::new(design, Vec::new()).unwrap();
        command(experiment.manifest()).unwrap()
    }

    #[test]
    fn only_base_parameters_that_the_preset_does_not_set_are_in_the_command() {
        let usual = command_with("log-loss");
        assert!(!usual.contains("base."), "{usual}");
        let changed = command_with("f1");
        assert!(changed.contains("--set base.criterion=f1"), "{changed}");
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("max-margin.c=1e6"), "max-margin.c=1e6");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(x)"), "'$(x)'");
    }
}
