//! From data arguments to a data set.

use mmoc::data::Dataset;
use mmoc_io::{ColumnNote, Format, LeftOutReason, Loaded, Warning, read_files, read_from};

use crate::args::{DataArgs, ReadArgs};
use crate::failure::Failure;
use crate::{output, standard_input};

/// Reads the files, says what the user should know about them, and keeps what was asked for.
pub(crate) fn load(args: &DataArgs) -> Result<Dataset, Failure> {
    kept(read(args)?.dataset, &args.read)
}

/// Reads the files and says what the user should know about them.
pub(crate) fn read(args: &DataArgs) -> Result<Loaded, Failure> {
    check(args)?;
    let options = args.read.read_options();
    let loaded = if standard_input::is_among(&args.files) {
        read_from(std::io::stdin().lock(), standard_input::NAME, &options)?
    } else {
        read_files(&args.files, &options)?
    };
    warn(&loaded.warnings);
    Ok(loaded)
}

/// What was asked for of a data set.
pub(crate) fn kept(mut dataset: Dataset, args: &ReadArgs) -> Result<Dataset, Failure> {
    if let Some(count) = args.top_labels {
        dataset = drop_unlabelled_rows(dataset.keep_frequent_labels(count)?)?;
    }
    if args.drop_empty_rows {
        dataset = drop_empty_rows(&dataset)?;
    }
    Ok(dataset)
}

/// Fails if the command line does not say how the files are read.
pub(crate) fn check(args: &DataArgs) -> Result<(), Failure> {
    standard_input::check(&args.files, args.read.format, "--format")?;
    check_labels_are_given(args)?;
    warn_of_repeated_files(args);
    Ok(())
}

/// Says what the user should know about the files.
pub(crate) fn warn(warnings: &[Warning]) {
    for warning in warnings {
        let kind = if warning.is_serious() {
            "warning"
        } else {
            "note"
        };
        output::message(kind, &warning.to_string());
    }
}

/// Says what the user should know about the columns of files.
pub(crate) fn note(notes: &[ColumnNote]) {
    for note in notes {
        output::message("note", &note.to_string());
    }
}

/// No row carries a label, and those without are not wanted.
pub(crate) fn no_row_left() -> Failure {
    Failure::bad_data("--drop-empty-rows leaves no row: none carries a label")
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
        Some(Format::Csv | Format::Tsv | Format::JsonLines) if args.read.labels().is_none() => {
            Err(Failure::wrong_usage(format!(
                "{}: a table needs --labels: name,name,…, prefix*, N (the first N columns), \
                 -N (the last N) or FILE.xml; or --tags COLUMN",
                args.files[0].display()
            )))
        }
        _ => Ok(()),
    }
}

/// Rows of which no label that is kept is known say nothing.
fn drop_unlabelled_rows(dataset: Dataset) -> Result<Dataset, Failure> {
    let labelled: Vec<usize> = (0..dataset.rows())
        .filter(|&row| has_known_label(&dataset, row))
        .collect();
    let left_out = dataset.rows() - labelled.len();
    if left_out == 0 {
        return Ok(dataset);
    }
    let reason = LeftOutReason::NoKnownLabel;
    warn(&[Warning::LeftOut {
        rows: left_out,
        reason,
    }]);
    Ok(dataset.select_rows(&labelled)?)
}

/// Whether some label of a row is known.
pub(crate) fn has_known_label(dataset: &Dataset, row: usize) -> bool {
    let labels = dataset.label_names().len();
    let unknown = dataset.unknown();
    unknown.is_none_or(|unknown| unknown.row(row).len() < labels)
}

fn drop_empty_rows(dataset: &Dataset) -> Result<Dataset, Failure> {
    if dataset.labels().total() == 0 {
        return Err(no_row_left());
    }
    Ok(dataset.drop_empty_rows()?)
}
