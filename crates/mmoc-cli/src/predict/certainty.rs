//! What is done with the confidence in label sets: it is shown, or decides which rows are left undecided.

use mmoc::Model;

use super::sheet::SheetFormat;
use super::shown::Shown;
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::trained;

/// The name of the column of the confidence.
pub(super) const COLUMN: &str = "confidence";

const SHOW: &str = "--confidence";
const LEAST: &str = "--min-confidence";

/// What is done with the confidence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Certainty {
    /// Whether it is shown.
    pub(super) is_shown: bool,
    /// Rows of a lower confidence are left undecided.
    pub(super) least: Option<f64>,
}

impl Certainty {
    /// What was asked for, if the format and the model allow it.
    pub(super) fn of(
        args: &PredictArgs,
        format: SheetFormat,
        shown: Shown,
        model: &Model,
    ) -> Result<Self, Failure> {
        let asked = [
            (SHOW, args.confidence),
            (LEAST, args.min_confidence.is_some()),
        ];
        for (option, _) in asked.into_iter().filter(|(_, is_given)| *is_given) {
            check_format(option, format)?;
            trained::posterior(model, option)?;
        }
        if args.confidence && shown.has_label_columns() {
            check_column(format, model)?;
        }
        if args.min_confidence.is_some() && shown != Shown::Sets {
            check_labels_are_shown(format)?;
        }
        Ok(Self {
            is_shown: args.confidence,
            least: args.min_confidence,
        })
    }

    /// Whether it has to be known.
    pub(super) fn is_needed(self) -> bool {
        self.is_shown || self.least.is_some()
    }
}

/// A row of LIBSVM has no place beside its labels, and one without labels has the empty set.
fn check_format(option: &str, format: SheetFormat) -> Result<(), Failure> {
    if format != SheetFormat::Libsvm {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "{option} has a place in csv, tsv, jsonl and arff only"
    )))
}

/// Two columns must not have the same name.
fn check_column(format: SheetFormat, model: &Model) -> Result<(), Failure> {
    let names = model.schema().label_names();
    if format == SheetFormat::Jsonl || names.iter().all(|name| name != COLUMN) {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "{SHOW}: the model has a label '{COLUMN}', and two columns cannot have the same name; --format jsonl keeps \
         them apart"
    )))
}

/// Where no label set is shown none can be left out.
fn check_labels_are_shown(format: SheetFormat) -> Result<(), Failure> {
    if format == SheetFormat::Jsonl {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "{LEAST} leaves out label sets, which only jsonl shows together with --proba, --top-k or --sets"
    )))
}
