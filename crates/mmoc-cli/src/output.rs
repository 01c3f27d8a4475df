//! Writing results to standard output and messages to standard error.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use mmoc::whole_file::replace_file;
use mmoc_experiment::text::printable;
use serde::Serialize;

use crate::failure::Failure;

/// Writes text about what was done. A reader that has seen enough and closed the pipe is no failure.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    bytes(text.as_bytes())
}

/// Writes bytes, as [`text`] does.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    match to_standard_output(|out| Ok(out.write_all(bytes)?)) {
        Err(failure) if failure.is_closed_pipe() => Ok(()),
        other => other,
    }
}

/// What stands for standard input and standard output where files are named.
const STANDARD: &str = "-";

/// Whether a path stands for standard input or standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// Writes to a file, which is there as a whole or not at all, or to standard output if there is none or it is `-`. A
/// closed pipe is a failure, which ends the command without a word.
pub(crate) fn to(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match path.filter(|path| !is_standard(path)) {
        Some(path) => to_file(path, write),
        None => to_standard_output(write),
    }
}

fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failure = None;
    let written = replace_file(path, |out| {
        write(out).map_err(|why| {
            failure = Some(why);
            std::io::Error::other("not all could be written")
        })
    });
    match failure {
        Some(failure) => Err(failure.at(&path.display().to_string())),
        None => Ok(written?),
    }
}

fn to_standard_output(
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    written.map_err(|failure| failure.at("standard output"))
}

/// Writes a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(std::io::Error::from)?;
    text(&format!("{json}\n"))
}

/// Whether nothing but errors is said.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing but errors is said.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether nothing but errors is said.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a message to standard error, unless nothing but errors is said. Where nobody reads it, there is nobody to
/// tell: no failure.
pub(crate) fn message(kind: &str, text: &str) {
    if !is_quiet() {
        let _ = writeln!(std::io::stderr(), "{kind}: {}", printable(text));
    }
}

/// Writes a line of a log to standard error, unless nothing but errors is said.
#[cfg(feature = "serve")]
pub(crate) fn log_line(line: &str) {
    if !is_quiet() {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// Writes why a command failed to standard error.
pub(crate) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", printable(text));
}

/// Writes why a command failed to standard error, as one line of JSON.
pub(crate) fn json_error(error: &impl Serialize) {
    if let Ok(json) = serde_json::to_string(error) {
        let _ = writeln!(std::io::stderr(), "{json}");
    }
}
