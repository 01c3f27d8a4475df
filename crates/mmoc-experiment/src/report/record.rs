//! Everything that the results of the experiment depend on.

use serde_json::Value;

use super::command::command;
use super::html_table::{HtmlTable, name};
use super::markup::{Element, element, text};
use crate::experiment::{DatasetEntry, Manifest, MethodEntry};
use crate::text::protocol;

/// The last section of a report.
pub(super) fn section(manifest: &Manifest) -> Element {
    let again = command(manifest).map(|command| {
        let code = text("code", command).with("tabindex", 0);
        [text("h3", "Run it again"), element("pre").child(code)]
    });
    element("section")
        .with("id", "record")
        .child(text("h2", "How it was made"))
        .child(facts(manifest))
        .children(again.into_iter().flatten())
        .child(text("p", NOTE).class("note"))
        .child(text("p", SERVE).class("note"))
        .child(text("h3", "Data"))
        .child(data(manifest))
        .child(text("h3", "Parameters of the methods"))
        .child(parameters(manifest))
        .child(text("h3", "Parameters of the base learners"))
        .child(base(manifest))
}

const NOTE: &str = "The results do not depend on the number of threads; only the times do. Files are named \
    without their folders. The fingerprint of each data set below identifies the rows, features and labels that were used.";

const SERVE: &str = "To try one of the methods on rows of your own, train a model with mmoc train and serve it with \
    mmoc serve MODEL. The address that it prints has a page with fields for a row, the predicted labels and what spoke \
    for them.";

fn facts(manifest: &Manifest) -> Element {
    let facts = [
        ("Program", Some(format!("mmoc {}", manifest.version))),
        ("Command", Some(manifest.command.clone())),
        ("Preset", manifest.preset.clone()),
        ("Protocol", Some(protocol(manifest.protocol))),
        ("Seed", Some(manifest.seed.to_string())),
        ("Reference method", Some(manifest.reference.clone())),
    ];
    let known = facts
        .into_iter()
        .filter_map(|(term, fact)| Some((term, fact?)));
    let items = known.flat_map(|(term, fact)| [text("dt", term), text("dd", fact)]);
    element("dl").class("facts").children(items)
}

fn data(manifest: &Manifest) -> Element {
    let header = ["data set", "what", "SHA-256"];
    let mut table = HtmlTable::of_words("Files and fingerprints of the data sets", header);
    for dataset in &manifest.datasets {
        let files = dataset
            .files
            .iter()
            .map(|file| (file.name.as_str(), file.sha256.as_str()));
        let whole = (
            used(dataset),
            dataset.fingerprint.as_deref().unwrap_or("none"),
        );
        let test = dataset.test.iter().flat_map(|test| {
            let files = test.files.iter();
            let files = files.map(|file| (file.name.as_str(), file.sha256.as_str()));
            let whole = test.fingerprint.as_deref().unwrap_or("none");
            files.chain([("fingerprint of the test rows", whole)])
        });
        for (what, hash) in files.chain([whole]).chain(test) {
            table.add(name(&dataset.name), hashed(what, hash));
        }
    }
    let external = manifest.methods.iter();
    let external = external.filter_map(|entry| Some((entry, entry.external.as_ref()?)));
    for (entry, files) in external {
        for (dataset, file) in manifest.datasets.iter().zip(files) {
            let what = format!("{}, predictions of {}", file.name, entry.name);
            table.add(name(&dataset.name), hashed(&what, &file.sha256));
        }
    }
    table.element()
}

fn hashed(what: &str, hash: &str) -> [Element; 2] {
    let what = element("td").child(name(what));
    let hash = element("td").child(text("code", hash));
    [what, hash]
}

fn used(dataset: &DatasetEntry) -> &'static str {
    match dataset.source {
        crate::Provenance::Real => "fingerprint",
        crate::Provenance::Synthetic => "fingerprint (SYNTHETIC)",
    }
}

fn parameters(manifest: &Manifest) -> Element {
    let mut table =
        HtmlTable::of_words("Every parameter of every method", ["method", "parameters"]);
    for method in &manifest.methods {
        table.add(name(&method.name), [text("td", made_with(method))]);
    }
    table.element()
}

/// The parameters of a method, or the dash of an entrant that has none because another program made it.
fn made_with(entry: &MethodEntry) -> String {
    let parameters = entry.parameters.iter();
    let written: Vec<String> = parameters
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match (&entry.external, written.as_slice()) {
        (Some(_), []) => "–".into(),
        (None, []) => "none".into(),
        (_, written) => written.join("  "),
    }
}

fn base(manifest: &Manifest) -> Element {
    let mut table = HtmlTable::of_words(
        "Parameters of ridge and logistic regression",
        ["parameter", "value"],
    );
    for (path, value) in leaves("", &manifest.base) {
        table.add(name(path), [text("td", value)]);
    }
    table.element()
}

/// Every value with its path.
fn leaves(path: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(&format!("{path}{dot}{name}"), member)
            })
            .collect(),
        other => vec![(path.to_owned(), written(other))],
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            items.join(", ")
        }
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), short),
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        other => other.to_string(),
    }
}

/// Four significant digits are enough to recognise a number of a grid.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn leaves_are_named_by_their_path() {
        let value =
            json!({"ridge": {"values": [0.316_227_766, 1e-6], "relative": true}, "folds": 5});
        let found = leaves("", &value);
        let expected = [
            ("folds", "5"),
            ("ridge.relative", "true"),
            ("ridge.values", "0.3162, 1e-6"),
        ];
        let expected = expected.map(|(path, value)| (path.to_owned(), value.to_owned()));
        assert_eq!(found, expected);
    }
}
