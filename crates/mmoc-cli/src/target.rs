//! Files that are about to be written, and what must not be lost by it.

use std::path::{Path, PathBuf};

use mmoc::model_file::is_model_file;

use crate::failure::Failure;
use crate::output::is_standard;

/// Fails if the file is one of those that are read.
pub(crate) fn check_not_an_input(target: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    if is_standard(target) || !inputs.iter().any(|input| is_same_file(target, input)) {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "{} cannot be both read and written: choose another name for the output",
        target.display()
    )))
}

/// Fails if there is a file that a model must not take the place of: anything but another model.
pub(crate) fn check_model(target: &Path) -> Result<(), Failure> {
    if is_standard(target) || !target.exists() || is_model_file(target) {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "{} is there already and is no model: choose another name, or remove it first",
        target.display()
    )))
}

/// Whether two paths lead to the same file, be it through links.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
