//! `mmoc convert` of a model: an ONNX file.

use std::path::{Path, PathBuf};

use mmoc_experiment::text::counted;
use mmoc_onnx::ExportRemedy;

use crate::args::ConvertArgs;
use crate::failure::Failure;
use crate::target::{check_new, check_not_an_input, check_place};
use crate::{output, trained};

/// Whether a file is to be an ONNX file.
pub(crate) fn is_onnx(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("onnx")
}

/// Writes the graph of a model.
pub(crate) fn run(args: &ConvertArgs, files: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let [model] = files else {
        let message = format!(
            "{} is made of one model, not of several files",
            out.display()
        );
        return Err(Failure::wrong_usage(message));
    };
    if let Some(option) = args.of_data() {
        let message = format!("{option} has no meaning for a model");
        return Err(Failure::wrong_usage(message));
    }
    check_not_an_input(out, files)?;
    check_place(out)?;
    check_new(out, args.force)?;
    let trained = trained::deciding(trained::load(model)?, args.decide)?;
    mmoc_onnx::save(&trained, out)?;
    let schema = trained.schema();
    let (columns, labels) = (schema.columns(), schema.label_names().len());
    let sizes = format!(
        "{}, {}",
        counted(columns, "column"),
        counted(labels, "label")
    );
    output::message("wrote", &format!("{}: {sizes}", out.display()));
    Ok(())
}

/// What the command line offers against a refusal.
pub(crate) fn in_words(remedy: ExportRemedy) -> &'static str {
    match remedy {
        ExportRemedy::TrainWithoutTerms => "train with --set terms=labels+code+frequency",
        ExportRemedy::TrainWithoutEvidence => "train without evidence from Python",
        ExportRemedy::TrainWithExactInference => {
            "train with --set inference=exact, for at most 20 labels"
        }
        ExportRemedy::TrainOtherMethod => "train with --method max-margin, or another method",
        ExportRemedy::TrainWithFewerLabels => {
            "train with --top-labels, which keeps the most frequent labels"
        }
    }
}
