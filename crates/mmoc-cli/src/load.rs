//! From data arguments to a data set.

use mmoc::data::{Dataset, ReadOptions, read};

use crate::args::DataArgs;
use crate::failure::Failure;
use crate::output::printable;

/// Reads the files, says what the user should know about them, and keeps what was asked for.
pub(crate) fn load(args: &DataArgs) -> Result<Dataset, Failure> {
    let options = ReadOptions {
        labels: args.labels.clone().unwrap_or_default(),
        missing: args.missing,
        format: args.format,
    };
    let loaded = read(&args.files, &options)?;
    for warning in &loaded.warnings {
        eprintln!("warning: {}", printable(&warning.to_string()));
    }
    let mut dataset = loaded.dataset;
    if let Some(count) = args.top_labels {
        dataset = dataset.keep_frequent_labels(count)?;
    }
    if args.drop_empty_rows {
        dataset = dataset.drop_empty_rows()?;
    }
    Ok(dataset)
}
