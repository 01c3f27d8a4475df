//! `-` among files that are read: standard input, which ends but once and has no name that would tell its format.

use std::path::PathBuf;

use mmoc_io::Format;

use crate::failure::Failure;
use crate::output::is_standard;

/// What messages call it.
pub(crate) const NAME: &str = "standard input";

/// Whether it is one of the files.
pub(crate) fn is_among(files: &[PathBuf]) -> bool {
    files.iter().any(|file| is_standard(file))
}

/// Fails if it is one of several files, or comes without a format, which `option` gives.
pub(crate) fn check(
    files: &[PathBuf],
    format: Option<Format>,
    option: &str,
) -> Result<(), Failure> {
    if !is_among(files) {
        return Ok(());
    }
    if files.len() > 1 {
        return Err(Failure::wrong_usage(
            "- stands for standard input and must be the only DATA",
        ));
    }
    if format.is_none() {
        let formats = Format::ALL.map(Format::name).join(", ");
        return Err(Failure::wrong_usage(format!(
            "- stands for standard input, which needs {option}: one of {formats}"
        )));
    }
    Ok(())
}
