//! The report of an experiment: one self-contained page, and every figure as a file beside it.

use std::path::Path;

use crate::failure::Failure;
use crate::summary::Summary;

/// The page.
pub(crate) const FILE: &str = "report.html";

/// Writes the page and its figures into a folder.
pub(crate) fn write(_summary: &Summary, _folder: &Path) -> Result<(), Failure> {
    Ok(())
}
