//! `mmoc datasets info`: all that is known about a data set.

use std::fmt::Write;

use mmoc_experiment::text::{TextTable, counted, printable};
use mmoc_io::catalogue::{BASE_ADDRESS, KnownDataset, KnownFile, Places, Preparation};
use serde::Serialize;

use crate::datasets::args::InfoArgs;
use crate::datasets::list::CopyState;
use crate::failure::Failure;
use crate::output;

/// What `info --json` writes: the keys are documented in `docs/json.md` and none of them changes.
#[derive(Debug, Serialize)]
struct DatasetInfo {
    name: &'static str,
    summary: &'static str,
    rows: usize,
    features: usize,
    labels: usize,
    files: Vec<KnownFile>,
    /// Where the files are fetched from by default.
    address: String,
    citation: &'static str,
    in_the_paper: Option<Preparation>,
    #[serde(flatten)]
    state: CopyState,
}

pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let places = Places::new(args.data.as_deref())?;
    let info = DatasetInfo::new(args.entry, CopyState::of(&places, args.entry));
    if args.json {
        return output::json(&info);
    }
    output::text(&describe(&info))?;
    if let Some(problem) = &info.state.problem {
        output::message("warning", problem);
    }
    Ok(())
}

impl DatasetInfo {
    fn new(entry: &KnownDataset, state: CopyState) -> Self {
        Self {
            name: entry.name,
            summary: entry.summary,
            rows: entry.rows,
            features: entry.features,
            labels: entry.labels,
            files: entry.files().copied().collect(),
            address: format!("{}/{}", BASE_ADDRESS, entry.name),
            citation: entry.citation,
            in_the_paper: entry.in_the_paper,
            state,
        }
    }
}

fn describe(info: &DatasetInfo) -> String {
    let mut text = format!("{}\n  {}\n\n", info.name, info.summary);
    for (name, value) in facts(info) {
        writeln!(text, "  {name:<10}  {value}").expect("a string takes any text");
    }
    text.push('\n');
    text.push_str(&file_table(&info.files));
    text
}

fn facts(info: &DatasetInfo) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("rows", info.rows.to_string()),
        ("features", info.features.to_string()),
        ("labels", info.labels.to_string()),
        ("citation", info.citation.to_owned()),
        ("address", info.address.clone()),
    ];
    if let Some(preparation) = info.in_the_paper {
        facts.push(("paper", describe_preparation(info, preparation)));
    }
    facts.push(("found in", printable(&info.state.describe())));
    facts
}

/// How the paper's rows come from the files.
fn describe_preparation(info: &DatasetInfo, preparation: Preparation) -> String {
    let mut steps = Vec::new();
    if info.files.len() > 2 {
        steps.push("all parts together".to_owned());
    }
    if let Some(count) = preparation.top_labels {
        steps.push(format!("the {count} most frequent labels"));
    }
    if preparation.drop_empty_rows {
        steps.push("no rows without labels".to_owned());
    }
    steps.push(counted(preparation.rows, "row"));
    steps.join(", ")
}

fn file_table(files: &[KnownFile]) -> String {
    let mut table = TextTable::new(&["file", "bytes", "SHA-256"]);
    for file in files {
        table.add(vec![
            file.name.into(),
            file.bytes.to_string(),
            file.sha256.into(),
        ]);
    }
    table.render()
}
