//! The report of an experiment: one self-contained page, and every figure as a file beside it.

mod command;
mod dataset;
mod figures;
mod finding;
mod markup;
mod names;
mod page;
mod record;
mod scale;
mod svg;
mod tables;

use std::io::Write;
use std::path::Path;

use mmoc::Error;
use mmoc::whole_file::replace_file;

use crate::failure::Failure;
use crate::summary::Summary;
use page::Page;

/// The page.
pub(crate) const FILE: &str = "report.html";
/// The folder of the figures.
pub(crate) const FIGURES: &str = "figures";

/// Writes the page and its figures into a folder. The page is written last: when it is there, everything is.
pub(crate) fn write(summary: &Summary, folder: &Path) -> Result<(), Failure> {
    let page = Page::new(summary)?;
    let figures = folder.join(FIGURES);
    std::fs::create_dir_all(&figures).map_err(|source| Error::Io {
        path: figures.clone(),
        source,
    })?;
    for figure in &page.figures {
        let path = figures.join(format!("{}.svg", figure.file));
        replace_file(path, |out| out.write_all(figure.standalone().as_bytes()))?;
    }
    replace_file(folder.join(FILE), |out| {
        out.write_all(page.text().as_bytes())
    })?;
    Ok(())
}
