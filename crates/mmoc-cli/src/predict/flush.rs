//! When predictions are passed on.

use std::fs::File;
use std::path::PathBuf;

use clap::ValueEnum;
use mmoc_io::{Format, Pace};

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::output::is_standard;

/// When predictions are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flush {
    /// As soon as all rows that have come are predicted
    Row,
    /// Many at a time
    Batch,
}

/// The pace at which rows are read, so that predictions are passed on when they should be.
pub(super) fn pace(args: &PredictArgs) -> Result<Pace, Failure> {
    let to_standard_output = args.out.as_deref().is_none_or(is_standard);
    let by_rows = match args.flush {
        Some(Flush::Row) => {
            check_lines(args)?;
            check_no_file(to_standard_output)?;
            true
        }
        Some(Flush::Batch) => false,
        None => to_standard_output && args.using.files.iter().any(comes_by_and_by),
    };
    Ok(if by_rows { Pace::Available } else { Pace::Full })
}

fn check_lines(args: &PredictArgs) -> Result<(), Failure> {
    let by_name = || Format::of_path(&args.using.files[0]).ok();
    match args.using.from.or_else(by_name) {
        Some(format) if !format.has_lines() => Err(Failure::wrong_usage(format!(
            "--flush row needs rows that are lines of text; {format} is read in whole batches"
        ))),
        _ => Ok(()),
    }
}

fn check_no_file(to_standard_output: bool) -> Result<(), Failure> {
    if to_standard_output {
        return Ok(());
    }
    Err(Failure::wrong_usage(
        "--flush row has a meaning only on standard output: a file appears as a whole, once all rows are predicted",
    ))
}

/// Whether a file is a pipe, a terminal or another thing that gives its bytes as they come.
fn comes_by_and_by(path: &PathBuf) -> bool {
    let metadata = if is_standard(path) {
        standard_input().and_then(|file| file.metadata())
    } else {
        std::fs::metadata(path)
    };
    // A folder and a file that is not there are refused when they are opened.
    metadata.is_ok_and(|metadata| !metadata.is_file())
}

/// Standard input as a file that can be asked what it is.
fn standard_input() -> std::io::Result<File> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let handle =
        std::os::windows::io::AsHandle::as_handle(&std::io::stdin()).try_clone_to_owned()?;
    Ok(File::from(handle))
}
