//! `mmoc datasets get`: fetch data sets into the cache.

use crate::datasets::args::{Choice, GetArgs};
use crate::datasets::cache::Cache;
use crate::datasets::catalogue::{self, Entry};
use crate::datasets::http::{Client, proxy_of_environment};
use crate::datasets::places::{cache_folder, variable};
use crate::failure::Failure;
use crate::output::{self, counted};

/// The pause before a second attempt is so much shorter than what counts as a stall.
const PAUSES_IN_TIMEOUT: u32 = 60;

pub(crate) fn run(args: &GetArgs) -> Result<(), Failure> {
    let entries = entries(&args.choices)?;
    let base = base(args)?;
    let client = Client::new(args.timeout, proxy_of_environment()?);
    let cache = Cache {
        folder: &cache_folder()?,
        client: &client,
        base: &base,
        pause: args.timeout / PAUSES_IN_TIMEOUT,
    };
    for entry in entries {
        let fetched = cache.fetch(entry)?;
        output::text(&describe(&cache, entry, fetched))?;
    }
    Ok(())
}

fn describe(cache: &Cache, entry: &Entry, fetched: usize) -> String {
    let folder = cache.folder_of(entry);
    let (name, folder) = (entry.name, output::printable(&folder.to_string_lossy()));
    match fetched {
        0 => format!("{name}: already in {folder}\n"),
        count => format!("{name}: {} fetched into {folder}\n", counted(count, "file")),
    }
}

/// The data sets that were chosen, each once.
fn entries(choices: &[Choice]) -> Result<Vec<&'static Entry>, Failure> {
    if choices.is_empty() {
        return Err(Failure::wrong_usage(format!(
            "name the data sets to get: {}, paper (the three of the paper) or all",
            catalogue::names()
        )));
    }
    let mut entries: Vec<&Entry> = Vec::new();
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
        (None, None) => return Ok(catalogue::BASE.to_owned()),
    };
    if base.starts_with("https://") || base.starts_with("http://") {
        return Ok(base.trim_end_matches('/').to_owned());
    }
    Err(Failure::wrong_usage(format!(
        "{origin}: expected an address that begins with https:// or http://, found '{base}'"
    )))
}
