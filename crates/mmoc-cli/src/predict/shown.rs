//! What is shown of each row: what was asked for, if the format and the model allow it.

use mmoc::Model;

use super::sheet::SheetFormat;
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::trained;

/// What is shown of each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Its label set.
    Sets,
    /// The probability of each label.
    Probabilities,
    /// The labels of highest score in their order, with or without their probabilities.
    Best { count: usize, probabilities: bool },
    /// The likeliest label sets in their order, with their probabilities.
    Likeliest { count: usize },
}

impl Shown {
    /// What was asked for.
    pub(super) fn of(
        args: &PredictArgs,
        format: SheetFormat,
        model: &Model,
    ) -> Result<Self, Failure> {
        if args.proba {
            check_probabilities(model)?;
        }
        match (args.top_k, args.sets) {
            (Some(count), _) => best(count, args.proba, format, model),
            (None, Some(count)) => likeliest(count, format, model),
            (None, None) if args.proba => Ok(Self::Probabilities),
            (None, None) => Ok(Self::Sets),
        }
    }

    /// Whether label names are names of columns.
    pub(super) fn has_label_columns(self) -> bool {
        matches!(self, Self::Sets | Self::Probabilities)
    }
}

fn check_probabilities(model: &Model) -> Result<(), Failure> {
    if model.predictor().decoder().has_probabilities() {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "--proba: {} predicts no probabilities; --top-k ranks labels by its scores",
        model.params().method.title()
    )))
}

fn best(
    count: usize,
    probabilities: bool,
    format: SheetFormat,
    model: &Model,
) -> Result<Shown, Failure> {
    check_ranks("--top-k", format)?;
    let labels = model.schema().label_names().len();
    if (1..=labels).contains(&count) {
        return Ok(Shown::Best {
            count,
            probabilities,
        });
    }
    Err(Failure::wrong_usage(format!(
        "--top-k must be from 1 to {labels}, the number of labels of the model, not {count}"
    )))
}

fn likeliest(count: usize, format: SheetFormat, model: &Model) -> Result<Shown, Failure> {
    check_ranks("--sets", format)?;
    let candidates = trained::posterior(model, "--sets")?.candidate_count();
    if (1..=candidates).contains(&count) {
        return Ok(Shown::Likeliest { count });
    }
    Err(Failure::wrong_usage(format!(
        "--sets must be from 1 to {candidates}, the number of label sets of the model, not {count}"
    )))
}

/// Fails if the format has no room for several answers in their order.
fn check_ranks(option: &str, format: SheetFormat) -> Result<(), Failure> {
    match format {
        SheetFormat::Csv | SheetFormat::Tsv | SheetFormat::Jsonl => Ok(()),
        SheetFormat::Arff | SheetFormat::Libsvm => Err(Failure::wrong_usage(format!(
            "{option} has a place in csv, tsv and jsonl only"
        ))),
    }
}
