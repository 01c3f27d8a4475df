//! `mmoc datasets list`: the known data sets and where they are.

use mmoc_experiment::text::{TextTable, printable};
use mmoc_io::catalogue::{CATALOGUE, FoundDataset, FoundIn, KnownDataset, Places};
use serde::Serialize;

use crate::datasets::args::ListArgs;
use crate::failure::Failure;
use crate::output;

/// What `list --json` writes: the keys are documented in `docs/json.md` and none of them changes.
#[derive(Debug, Serialize)]
struct Listing {
    datasets: Vec<ListedDataset>,
}

#[derive(Debug, Serialize)]
struct ListedDataset {
    name: &'static str,
    rows: usize,
    features: usize,
    labels: usize,
    summary: &'static str,
    in_the_paper: bool,
    #[serde(flatten)]
    state: CopyState,
}

/// Where a data set is and what is to be said of the copy.
#[derive(Debug, Default, Serialize)]
pub(crate) struct CopyState {
    /// Null where there is no copy, or one that cannot be used.
    pub(crate) found: Option<FoundIn>,
    /// The folder of the copy.
    pub(crate) folder: Option<String>,
    /// Whether the copy is the known one, byte by byte.
    pub(crate) known: Option<bool>,
    /// Why a copy cannot be used.
    pub(crate) problem: Option<String>,
}

pub(crate) fn run(args: &ListArgs) -> Result<(), Failure> {
    let places = Places::new(args.data.as_deref())?;
    let row = |entry: &KnownDataset| ListedDataset {
        name: entry.name,
        rows: entry.rows,
        features: entry.features,
        labels: entry.labels,
        summary: entry.summary,
        in_the_paper: entry.in_the_paper.is_some(),
        state: CopyState::of(&places, entry),
    };
    let listing = Listing {
        datasets: CATALOGUE.iter().map(row).collect(),
    };
    if args.json {
        return output::json(&listing);
    }
    output::text(&describe(&listing))?;
    listing.datasets.iter().for_each(warn);
    Ok(())
}

impl CopyState {
    /// A copy that cannot be used is a state like the others, so that the list has a line for each set.
    pub(crate) fn of(places: &Places, entry: &KnownDataset) -> Self {
        match places.find(entry) {
            Ok(None) => Self::default(),
            Ok(Some(found)) => Self::of_copy(&found),
            Err(error) => Self {
                problem: Some(Failure::from(error).message().to_owned()),
                ..Self::default()
            },
        }
    }

    fn of_copy(found: &FoundDataset) -> Self {
        let folder = found.labels_xml.parent();
        Self {
            found: Some(found.place),
            folder: folder.map(|folder| folder.display().to_string()),
            known: Some(found.differing.is_empty()),
            problem: None,
        }
    }

    /// The state in a few words.
    pub(crate) fn describe(&self) -> String {
        match (self, &self.folder) {
            (
                Self {
                    problem: Some(_), ..
                },
                _,
            ) => "unusable".into(),
            (
                Self {
                    known: Some(false), ..
                },
                Some(folder),
            ) => format!("{folder} (other contents)"),
            (_, Some(folder)) => folder.clone(),
            (_, None) => "–".into(),
        }
    }
}

fn describe(listing: &Listing) -> String {
    let mut table = TextTable::new(&["name", "rows", "features", "labels", "found in"]);
    for row in &listing.datasets {
        table.add(vec![
            row.name.into(),
            row.rows.to_string(),
            row.features.to_string(),
            row.labels.to_string(),
            printable(&row.state.describe()),
        ]);
    }
    table.render()
}

fn warn(row: &ListedDataset) {
    if let Some(problem) = &row.state.problem {
        output::message("warning", problem);
    }
}
