//! Files that are about to be written, and what must not be lost by it.

use std::path::{Path, PathBuf};

use mmoc::Error;
use mmoc::model_file::is_model_file;
use mmoc::whole_file::is_replaceable;

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

/// Fails if the file cannot be written where it should, as far as that can be told before: nobody should learn it after
/// long work.
pub(crate) fn check_place(target: &Path) -> Result<(), Failure> {
    let place = target.display();
    if target.is_dir() || place.to_string().ends_with(std::path::is_separator) {
        let message = format!("{place}: is a folder, where the output must be a file");
        return Err(Failure::wrong_usage(message));
    }
    if !is_replaceable(target) {
        let message = format!(
            "{place}: is a device or a pipe, where the output must be a file; - is standard output, which can lead there"
        );
        return Err(Failure::wrong_usage(message));
    }
    match target.parent() {
        Some(folder) if folder != Path::new("") && !folder.is_dir() => {
            let folder = folder.display();
            let remedy = "make it, or choose another place for the output";
            let message = format!("{place}: there is no folder {folder}: {remedy}");
            Err(Failure::failed(message))
        }
        _ => Ok(()),
    }
}

/// Fails if there is a file already, unless it may be replaced.
pub(crate) fn check_new(target: &Path, force: bool) -> Result<(), Failure> {
    if force || target.symlink_metadata().is_err() {
        return Ok(());
    }
    let message = format!("{} exists: --force replaces it", target.display());
    Err(Failure::wrong_usage(message))
}

/// Makes a folder for output unless it is there.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    if folder.is_file() {
        let place = folder.display();
        let message = format!("{place}: is a file, where --out must be a folder");
        return Err(Failure::wrong_usage(message));
    }
    let path = folder.to_owned();
    let made = std::fs::create_dir_all(folder);
    Ok(made.map_err(|source| Error::Io { path, source })?)
}

/// Fails if there is a model, which took work to make and must not be lost to something else.
pub(crate) fn check_no_model(target: &Path) -> Result<(), Failure> {
    if is_standard(target) || !is_model_file(target) {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "{} is a model: choose another name for the output, or remove it first",
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
