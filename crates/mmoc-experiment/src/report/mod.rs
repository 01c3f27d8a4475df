//! The report of an experiment: one self-contained page, and every figure as a file beside it.

mod command;
mod dataset;
mod figures;
mod finding;
mod html_table;
mod markup;
mod names;
mod page;
mod record;
mod scale;
mod svg;

use std::io::Write;
use std::path::Path;

use mmoc::whole_file::replace_file;

use crate::Result;
use crate::error::io_error;
use crate::summary::ExperimentSummary;
use page::Page;

/// The name of the page.
pub const REPORT_FILE: &str = "report.html";
/// The folder of the figures.
const FIGURES: &str = "figures";

/// Writes the page [`REPORT_FILE`] and its figures into a folder, which is made if necessary. The page is written last: once
/// it exists, the report is complete.
pub fn write_report(summary: &ExperimentSummary<'_>, folder: impl AsRef<Path>) -> Result<()> {
    let folder = folder.as_ref();
    let page = Page::new(summary)?;
    let figures = folder.join(FIGURES);
    std::fs::create_dir_all(&figures).map_err(|source| io_error(&figures, source))?;
    for figure in &page.figures {
        let path = figures.join(format!("{}.svg", figure.file));
        replace_file(path, |out| out.write_all(figure.standalone().as_bytes()))?;
    }
    replace_file(folder.join(REPORT_FILE), |out| {
        out.write_all(page.text().as_bytes())
    })?;
    Ok(())
}
