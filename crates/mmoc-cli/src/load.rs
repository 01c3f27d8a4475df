//! From data arguments to a data set.

use mmoc::data::Dataset;
use mmoc_io::{Format, ReadOptions, read_files, read_from};

use crate::args::DataArgs;
use crate::failure::Failure;
use crate::{output, standard_input};

/// Reads the files, says what the user should know about them, and keeps what was asked for.
pub(crate) fn load(args: &DataArgs) -> Result<Dataset, Failure> {
    standard_input::check(&args.files, args.read.format, "--format")?;
    check_labels_are_given(args)?;
    warn_of_repeated_files(args);
    let options = ReadOptions {
        labels: args.read.labels.clone().unwrap_or_default(),
        missing: args.read.missing,
        format: args.read.format,
        ..ReadOptions::default()
    };
    let loaded = if standard_input::is_among(&args.files) {
        read_from(std::io::stdin().lock(), standard_input::NAME, &options)?
    } else {
        read_files(&args.files, &options)?
    };
    for warning in &loaded.warnings {
        output::message("warning", &warning.to_string());
    }
    let mut dataset = loaded.dataset;
    if let Some(count) = args.read.top_labels {
        dataset = dataset.keep_frequent_labels(count)?;
    }
    if args.read.drop_empty_rows {
        dataset = drop_empty_rows(&dataset)?;
    }
    Ok(dataset)
}

/// The same rows twice would be trained on and tested on.
fn warn_of_repeated_files(args: &DataArgs) {
    for (i, file) in args.files.iter().enumerate() {
        if args.files[..i].contains(file) {
            output::message("warning", &format!("{} is given twice", file.display()));
        }
    }
}

/// No table says by itself which of its columns are labels, so the command line must.
fn check_labels_are_given(args: &DataArgs) -> Result<(), Failure> {
    let format = args
        .read
        .format
        .or_else(|| Format::of_path(&args.files[0]).ok());
    match format {
        Some(Format::Csv | Format::Tsv) if args.read.labels.is_none() => {
            Err(Failure::wrong_usage(format!(
                "{}: a table needs --labels: name,name,…, prefix*, N (the first N columns), \
                 -N (the last N) or FILE.xml",
                args.files[0].display()
            )))
        }
        _ => Ok(()),
    }
}

fn drop_empty_rows(dataset: &Dataset) -> Result<Dataset, Failure> {
    if dataset.labels().total() == 0 {
        return Err(Failure::bad_data(
            "--drop-empty-rows leaves no row: none carries a label",
        ));
    }
    Ok(dataset.drop_empty_rows()?)
}
