//! `mmoc predict`: label sets of rows, in bounded memory however many rows there are.

mod arff;
mod delimited;
mod json_lines;
mod libsvm;
mod sheet;

use std::io::{IsTerminal, Write};

use mmoc::Model;
use mmoc::data::FeaturesView;
use mmoc::{Prediction, with_threads};
use mmoc_experiment::text::counted;
use mmoc_io::WantedLabels;

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::output::is_standard;
use crate::progress::RowCount;
use crate::rows::Rows;
use crate::{output, rows, target, trained};
use sheet::{Sheet, Shown};

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
    let model = trained::load(&args.using.model)?;
    let label_names = model.schema().label_names();
    let shown = Shown::new(args.proba, args.top_k, format, label_names.len())?;
    check_probabilities(shown, &model)?;
    let sheet = Sheet {
        format,
        shown,
        label_names,
    };
    let threads = args.using.threads.count();
    let rows = with_threads(threads, || write(args, &model, &sheet))??;
    if let Some(path) = args.out.as_ref().filter(|path| !is_standard(path)) {
        let rows = counted(rows, "row");
        output::message("wrote", &format!("{} ({rows})", path.display()));
    }
    Ok(())
}

/// The format that was asked for, or that the name of the file says.
fn format(args: &PredictArgs) -> Result<SheetFormat, Failure> {
    match (args.format, &args.out) {
        (Some(format), _) => Ok(format),
        (None, Some(path)) if !is_standard(path) => SheetFormat::of_path(path),
        (None, _) => Ok(SheetFormat::Csv),
    }
}

fn check_probabilities(shown: Shown, model: &Model) -> Result<(), Failure> {
    if !shown.needs_probabilities() || model.predictor().decoder().has_probabilities() {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "--proba: {} predicts no probabilities; --top-k ranks labels by its scores",
        model.params().method.title()
    )))
}

/// Writes the predictions of all rows; how many they are.
fn write(args: &PredictArgs, model: &Model, sheet: &Sheet<'_>) -> Result<usize, Failure> {
    let mut rows = 0;
    output::to(args.out.as_deref(), |out| {
        rows = write_rows(args, model, sheet, out)?;
        Ok(())
    })?;
    Ok(rows)
}

/// What is shown of some rows, and no more.
fn predict(model: &Model, shown: Shown, rows: FeaturesView<'_>) -> Result<Prediction, Failure> {
    if shown != Shown::Sets {
        return Ok(model.predict(rows)?);
    }
    Ok(Prediction {
        labels: model.label_sets(rows)?,
        scores: None,
        probabilities: None,
        confidence: None,
    })
}

fn write_rows(
    args: &PredictArgs,
    model: &Model,
    sheet: &Sheet<'_>,
    out: &mut dyn Write,
) -> Result<usize, Failure> {
    let mut rows = Rows::open(&args.using, model, WantedLabels::Ignored)?;
    let count = RowCount::new(args.out.is_some() || !std::io::stdout().is_terminal());
    let mut written = 0;
    // Nothing is written, not even a header, before the first rows have proved right.
    let mut next = rows.next_batch()?;
    sheet.begin(out)?;
    while let Some(batch) = next {
        let found = predict(model, sheet.shown, batch.features.view())?;
        sheet.rows(&found, out)?;
        written += found.labels.rows();
        count.add(found.labels.rows());
        next = rows.next_batch()?;
    }
    Ok(written)
}
