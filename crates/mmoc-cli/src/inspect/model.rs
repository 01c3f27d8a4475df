//! What is in a model, for people and for machines.

use std::fmt::Write;

use mmoc::Model;
use mmoc::code::{Code, CodeReport};
use mmoc::data::Attribute;
use mmoc::posterior::{Decision, PosteriorRecord};
use mmoc::settings::{Parameter, Settings};
use mmoc::train::TrainingRecord;
use mmoc_experiment::text::{TextTable, counted, printable};
use serde::{Serialize, Serializer};

use crate::posterior;
use crate::trained::{decision, estimates, facts, heading};

/// Rows of a table that the text shows; JSON has them all.
const SHOWN: usize = 25;
/// Directions of a code that fit beside each other.
const SHOWN_DIRECTIONS: usize = 8;
/// The length of the longest bar of a spectrum.
const BAR: usize = 40;

/// A model as `--json` writes it.
#[derive(Debug, Serialize)]
pub(crate) struct Described<'a> {
    method: &'static str,
    #[serde(serialize_with = "values_by_name")]
    parameters: Vec<Parameter>,
    #[serde(serialize_with = "values_by_name")]
    base_parameters: Vec<Parameter>,
    seed: u64,
    features: &'a [Attribute],
    sparse: bool,
    label_names: &'a [String],
    decide: Option<Decision>,
    posterior: Option<&'a PosteriorRecord>,
    training: &'a TrainingRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    projections: Option<Vec<&'a [f64]>>,
}

fn values_by_name<S: Serializer>(all: &[Parameter], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        all.iter()
            .map(|parameter| (parameter.name, &parameter.value)),
    )
}

impl<'a> Described<'a> {
    pub(crate) fn of(trained: &'a Model) -> Self {
        let params = trained.params();
        let rows = |code: &'a Code| {
            let labels = 0..code.projections.rows();
            labels.map(|label| code.projections.row(label)).collect()
        };
        Self {
            method: params.method.name(),
            parameters: params.method.parameters(),
            base_parameters: params.base.parameters(),
            seed: params.seed,
            features: trained.schema().attributes(),
            sparse: trained.schema().is_sparse(),
            label_names: trained.schema().label_names(),
            decide: decision(trained),
            posterior: trained.record().posterior.as_ref(),
            training: trained.record(),
            projections: trained.predictor().code().map(rows),
        }
    }
}

/// The whole description.
pub(super) fn describe(trained: &Model) -> String {
    let mut text = heading(trained);
    text.push('\n');
    let record = trained.record();
    let origin = [
        ("program", format!("mmoc {}", record.program)),
        ("fingerprint", record.fingerprint.clone()),
        ("features", features(trained)),
    ];
    let posterior = record.posterior.as_ref();
    let of_posterior = posterior.map(posterior::facts).unwrap_or_default();
    let facts = facts(trained).into_iter().chain(of_posterior);
    for (name, value) in origin.into_iter().chain(facts) {
        writeln!(text, "  {name:<12}  {value}").expect("a string takes any text");
    }
    let terms = posterior.map(posterior::terms).unwrap_or_default();
    let estimates = estimates(trained, record.estimates.keys().copied());
    for part in [terms, estimates, spectrum(record), code(trained)] {
        if !part.is_empty() {
            text.push('\n');
            text.push_str(&part);
        }
    }
    text
}

fn features(trained: &Model) -> String {
    let schema = trained.schema();
    let storage = if schema.is_sparse() {
        "sparse"
    } else {
        "dense"
    };
    let attributes = schema.attributes();
    let is_words = |one: &&Attribute| one.column_names() != [one.name()];
    let words = attributes.iter().filter(is_words);
    let mut text = format!("{} ({storage}", attributes.len());
    match words.count() {
        0 => (),
        count => write!(text, ", {count} of words").expect("a string takes any text"),
    }
    if schema.columns() > attributes.len() {
        let columns = counted(schema.columns(), "column");
        write!(text, ", in {columns}").expect("a string takes any text");
    }
    text.push(')');
    text
}

/// What the directions of a code are ordered by, each with a bar.
fn spectrum(record: &TrainingRecord) -> String {
    let (name, values) = match &record.code {
        Some(CodeReport::Pca { singular_values }) => ("singular value", singular_values),
        Some(CodeReport::Cca { correlations }) => ("canonical correlation", correlations),
        Some(CodeReport::MaxMargin { eigenvalues, .. }) => {
            ("eigenvalue of the metric", eigenvalues)
        }
        Some(CodeReport::Random {}) | None => return String::new(),
    };
    let largest = values.iter().copied().fold(0.0, f64::max);
    let mut text = format!("  {name}\n");
    for value in values.iter().take(SHOWN) {
        let share = if largest > 0.0 { value / largest } else { 0.0 };
        let length = (0..BAR).filter(|&at| (at as f64 + 0.5) / BAR as f64 <= share);
        let bar = "█".repeat(length.count());
        let line = format!("  {value:>12.4e}  {bar}");
        writeln!(text, "{}", line.trim_end()).expect("a string takes any text");
    }
    let hidden = values.len().saturating_sub(SHOWN);
    text.push_str(&more(hidden, "smaller"));
    text
}

/// The first directions of the code, a line for each label; without a code the labels alone.
fn code(trained: &Model) -> String {
    let names = trained.schema().label_names();
    let directions = trained.predictor().code().map(|code| &code.projections);
    let shown = directions.map_or(0, |all| all.columns().min(SHOWN_DIRECTIONS));
    let mut header = vec!["label".to_owned()];
    header.extend((1..=shown).map(|k| format!("v{k}")));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = TextTable::new(&header);
    for (label, name) in names.iter().enumerate().take(SHOWN) {
        let mut cells = vec![printable(name)];
        let entries = directions
            .into_iter()
            .flat_map(|all| &all.row(label)[..shown]);
        cells.extend(entries.map(|entry| format!("{entry:.3}")));
        table.add(cells);
    }
    let hidden = names.len().saturating_sub(SHOWN);
    format!("{}{}", table.render(), more(hidden, "other"))
}

fn more(hidden: usize, kind: &str) -> String {
    match hidden {
        0 => String::new(),
        _ => format!("  … and {hidden} {kind} ones (--json lists all)\n"),
    }
}
