//! `mmoc predict`: label sets of rows, in bounded memory however many rows there are.

mod arff;
mod certainty;
mod delimited;
mod flush;
mod found;
mod json_lines;
mod libsvm;
mod set_text;
mod sheet;
mod shown;

use std::io::{IsTerminal, Write};

use mmoc::{Model, with_threads};
use mmoc_experiment::text::counted;
use mmoc_io::{Pace, WantedLabels};

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::output::is_standard;
use crate::progress::RowCount;
use crate::rows::Rows;
use crate::{output, rows, target, trained};
use certainty::Certainty;
use found::Found;
use sheet::Sheet;
use shown::Shown;

pub(crate) use flush::Flush;
pub(crate) use sheet::SheetFormat;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let format = format(args)?;
    let files = [std::slice::from_ref(&args.using.model), &args.using.files].concat();
    if let Some(out) = &args.out {
        target::check_not_an_input(out, &files)?;
        target::check_no_model(out)?;
        target::check_place(out)?;
    }
    rows::check(&args.using)?;
    let pace = flush::pace(args)?;
    let model = trained::load(&args.using.model)?;
    let model = trained::deciding(model, args.decide)?;
    let shown = Shown::of(args, format, &model)?;
    let sheet = Sheet {
        format,
        shown,
        certainty: Certainty::of(args, format, shown, &model)?,
        label_names: model.schema().label_names(),
        id: args.using.id.as_deref(),
    };
    sheet.check_id()?;
    let threads = args.using.threads.count();
    let written = with_threads(threads, || write(args, &model, &sheet, pace))??;
    tell(args, &written);
    Ok(())
}

/// How many rows were written, and how many of them are undecided.
#[derive(Default)]
struct Written {
    rows: usize,
    undecided: usize,
}

fn tell(args: &PredictArgs, written: &Written) {
    let rows = counted(written.rows, "row");
    if let Some(least) = args.min_confidence {
        let undecided = written.undecided;
        let message = format!("{undecided} of {rows} undecided (confidence below {least})");
        output::message("note", &message);
    }
    if let Some(path) = args.out.as_ref().filter(|path| !is_standard(path)) {
        output::message("wrote", &format!("{} ({rows})", path.display()));
    }
}

/// The format that was asked for, or that the name of the file says.
fn format(args: &PredictArgs) -> Result<SheetFormat, Failure> {
    match (args.format, &args.out) {
        (Some(format), _) => Ok(format),
        (None, Some(path)) if !is_standard(path) => SheetFormat::of_path(path),
        (None, _) if args.json => Ok(SheetFormat::Jsonl),
        (None, _) => Ok(SheetFormat::Csv),
    }
}

/// Writes the predictions of all rows.
fn write(
    args: &PredictArgs,
    model: &Model,
    sheet: &Sheet<'_>,
    pace: Pace,
) -> Result<Written, Failure> {
    let mut written = Written::default();
    output::to(args.out.as_deref(), |out| {
        written = write_rows(args, model, sheet, pace, out)?;
        Ok(())
    })?;
    Ok(written)
}

fn write_rows(
    args: &PredictArgs,
    model: &Model,
    sheet: &Sheet<'_>,
    pace: Pace,
    out: &mut dyn Write,
) -> Result<Written, Failure> {
    let mut rows = Rows::open(&args.using, model, WantedLabels::Ignored, pace)?;
    let count = RowCount::new(args.out.is_some() || !std::io::stdout().is_terminal());
    let mut written = Written::default();
    if pace == Pace::Available {
        // Whoever sent the header may wait for the header before the first row is sent.
        sheet.begin(out)?;
        out.flush()?;
    }
    let mut next = rows.next_batch()?;
    if pace == Pace::Full {
        // Nothing is written, not even a header, before the first rows have proved right.
        sheet.begin(out)?;
    }
    while let Some(batch) = next {
        let found = Found::of(model, sheet, batch)?;
        sheet.rows(&found, out)?;
        written.rows += found.rows();
        written.undecided += found.undecided();
        count.add(found.rows());
        if pace == Pace::Available {
            out.flush()?;
        }
        next = rows.next_batch()?;
    }
    Ok(written)
}
