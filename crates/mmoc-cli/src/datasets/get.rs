//! `mmoc datasets get`: fetch data sets into the cache.

use std::cell::RefCell;

use indicatif::{ProgressBar, ProgressStyle};
use mmoc_experiment::text::{counted, printable};
use mmoc_io::catalogue::{
    BASE_ADDRESS, CATALOGUE, Client, DatasetCache, FetchProgress, Fetched, KnownDataset, KnownFile,
    cache_folder, proxy_of_environment, variable,
};

use crate::datasets::args::{Choice, GetArgs};
use crate::failure::Failure;
use crate::output;

/// The pause before a second attempt is this fraction of the timeout.
const PAUSES_IN_TIMEOUT: u32 = 60;

pub(crate) fn run(args: &GetArgs) -> Result<(), Failure> {
    let entries = entries(&args.choices)?;
    let base = base(args)?;
    let client = Client::new(args.timeout, proxy_of_environment()?);
    let cache = DatasetCache {
        folder: &cache_folder()?,
        client: &client,
        base: &base,
        pause: args.timeout / PAUSES_IN_TIMEOUT,
    };
    for entry in entries {
        let fetched = cache.fetch(entry, &FileBar::default())?;
        output::text(&describe(entry, &fetched))?;
    }
    Ok(())
}

/// Shows the bytes of the current file on a terminal.
#[derive(Default)]
struct FileBar(RefCell<Option<ProgressBar>>);

impl FetchProgress for FileBar {
    fn waiting(&self, dataset: &KnownDataset) {
        let name = dataset.name;
        output::message(
            "note",
            &format!("another process is fetching {name}: waiting for it"),
        );
    }

    fn begin(&self, file: &KnownFile) {
        let style =
            ProgressStyle::with_template("{msg} {bar:40} {bytes}/{total_bytes}, {eta} left")
                .expect("the template is well-formed");
        let bar = ProgressBar::new(file.bytes).with_style(style);
        self.0.replace(Some(bar.with_message(file.name)));
    }

    fn position(&self, bytes: u64) {
        if let Some(bar) = &*self.0.borrow() {
            bar.set_position(bytes);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn describe(entry: &KnownDataset, fetched: &Fetched) -> String {
    let (name, folder) = (entry.name, printable(&fetched.folder.to_string_lossy()));
    match fetched.files {
        0 => format!("{name}: already in {folder}\n"),
        count => format!("{name}: {} fetched into {folder}\n", counted(count, "file")),
    }
}

/// The data sets that were chosen, each once.
fn entries(choices: &[Choice]) -> Result<Vec<&'static KnownDataset>, Failure> {
    if choices.is_empty() {
        let names: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
        return Err(Failure::wrong_usage(format!(
            "name the data sets to get: {}, paper (the three of the paper) or all",
            names.join(", ")
        )));
    }
    let mut entries: Vec<&KnownDataset> = Vec::new();
    for entry in choices.iter().flat_map(|choice| choice.entries()) {
        if entries.iter().all(|known| known.name != entry.name) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn base(args: &GetArgs) -> Result<String, Failure> {
    let (origin, base) = match (&args.base, variable("MMOC_DATASETS_URL")) {
        (Some(base), _) => ("--base", base.clone()),
        (None, Some(base)) => ("MMOC_DATASETS_URL", base.to_string_lossy().into_owned()),
        (None, None) => return Ok(BASE_ADDRESS.to_owned()),
    };
    if base.starts_with("https://") || base.starts_with("http://") {
        return Ok(base.trim_end_matches('/').to_owned());
    }
    Err(Failure::wrong_usage(format!(
        "{origin}: expected an address that starts with https:// or http://, found '{base}'"
    )))
}
