//! Errors as exceptions.

use mmoc::memory::Work;
use mmoc::text::excerpt;
use mmoc::{Error, ModelRemedy, WithoutScores};
use mmoc_io::Remedy;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

/// The exception for invalid input.
pub(crate) fn invalid(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// A remedy in terms of the parameters of `mmoc.read`.
fn in_words(remedy: Remedy) -> String {
    let words = match remedy {
        Remedy::NameRows(column) => {
            let column = excerpt(&column);
            return format!(
                "ignore=[{column}] leaves the column out, id={column} names rows by it"
            );
        }
        Remedy::ReadTimes => "times=\"numbers\" turns dates and times into numbers",
        Remedy::WritePoints => "write 1.5, not 1,5",
        Remedy::FillMissing => "missing=\"mean\" replaces missing values by the mean of the column",
        Remedy::IgnoreMissingLabels => "missing_labels=\"ignore\" reads them as NaN",
        Remedy::FillTags => {
            "an empty text means no tags, but ? and null that they are missing: fillna(\"\") in pandas, \
             fill_null(\"\") in Polars; missing_labels=\"ignore\" reads such tags as NaN"
        }
        Remedy::ChooseLabels => {
            "the parameter labels selects the label columns: a list of names, 6 for the first six, -6 for the last \
             six, \"mood_*\" for a prefix, or a label file (.xml)"
        }
        Remedy::NumberTimes => {
            "times=\"numbers\" turns dates and times into numbers, ignore=[…] leaves columns out"
        }
        Remedy::IgnoreColumn => "ignore=[…] leaves columns out",
        Remedy::ReadTags => "tags=… makes a label of each word in a column",
        Remedy::NameFormat => "the parameter format sets the format",
        _ => "see help(mmoc.read)",
    };
    words.into()
}

/// What can be done about work on so many threads that needs too much memory.
fn less_memory(work: Work, threads: usize) -> String {
    match work {
        Work::Fit { .. } => {
            let one_thread = if threads == 1 { "" } else { "n_jobs=1, " };
            format!("fewer labels, {one_thread}features=\"linear\" and BinaryRelevance need less")
        }
        Work::Predict { .. } => "give some of the rows at a time".into(),
        Work::Code { .. } | Work::Solve { .. } => "fewer labels or rows need less".into(),
        Work::Copy { .. } | Work::Read { .. } => "fewer rows or columns need less".into(),
    }
}

/// What can be done about a model that cannot be used.
fn model_remedy_in_words(remedy: ModelRemedy) -> &'static str {
    match remedy {
        ModelRemedy::CopyOrTrainAgain => "copy the file again, or fit the model again",
        ModelRemedy::GiveModel => "give a model that was written by save",
        ModelRemedy::UseLaterVersion => "use that version",
        ModelRemedy::BringEvidence => "only the pickled estimator has it",
    }
}

/// What can be done about a model without an ONNX graph.
fn onnx_remedy_in_words(remedy: mmoc_onnx::ExportRemedy) -> &'static str {
    use mmoc_onnx::ExportRemedy;
    match remedy {
        ExportRemedy::TrainWithoutTerms => "fit with evidence=\"labels+code+frequency\"",
        ExportRemedy::TrainWithoutEvidence => "fit without estimators in evidence",
        ExportRemedy::TrainWithExactInference => {
            "fit with inference=\"exact\", for at most 20 labels"
        }
        ExportRemedy::TrainOtherMethod => "fit MaxMarginOutputCoding, or another method",
        ExportRemedy::TrainWithFewerLabels => "fit with fewer labels",
    }
}

/// The exception for a model that cannot be an ONNX graph.
pub(crate) fn onnx_exception(error: mmoc_onnx::Error) -> PyErr {
    let remedy = error.remedy().map(onnx_remedy_in_words);
    match (error, remedy) {
        (mmoc_onnx::Error::Library(error), _) => exception(error),
        (error, Some(remedy)) => invalid(format!("{error} ({remedy})")),
        (error, None) => invalid(error.to_string()),
    }
}

/// The exception for an error about a file.
pub(crate) fn file_exception(error: mmoc_io::Error) -> PyErr {
    let remedy = error.remedy().map(in_words);
    match (error, remedy) {
        (mmoc_io::Error::Library(error), _) => exception(error),
        (error, None) => invalid(error.to_string()),
        (error, Some(remedy)) => invalid(format!("{error} ({remedy})")),
    }
}

/// The exception for an error of work on so many threads.
pub(crate) fn exception_of_work(error: Error, threads: usize) -> PyErr {
    match error {
        Error::Memory { work, .. } => {
            PyMemoryError::new_err(format!("{error} ({})", less_memory(work, threads)))
        }
        error => exception(error),
    }
}

/// The exception for an error of the library, with the Python names of parameters.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::Parameter {
            parameter,
            expected,
            found,
        } => {
            let parameter = crate::settings::python_name(parameter);
            invalid(format!("{parameter} must be {expected}, not {found}"))
        }
        Error::WithoutScores(WithoutScores::RadialBasisFunctions) => {
            invalid(format!("{error} (features='linear' fits linear models)"))
        }
        Error::CodeLabels { .. } => invalid(format!(
            "{error} (take fewer labels, or BinaryRelevance, which needs no output code)"
        )),
        Error::Magnitude { .. } => invalid(format!(
            "{error} (scaling=\"auto\" and scaling=\"standard\" scale columns)"
        )),
        Error::Dataset { .. } | Error::Shape { .. } | Error::WithoutScores(_) => {
            invalid(error.to_string())
        }
        Error::ModelFile { .. } | Error::MissingEvidence { .. } => {
            let remedy = error.remedy().map_or("", model_remedy_in_words);
            invalid(format!("{error} ({remedy})"))
        }
        Error::Io { path, source } => match source.raw_os_error() {
            // With an error number Python raises the matching subclass, such as FileNotFoundError.
            Some(number) => {
                let reason = source.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default();
                PyOSError::new_err((number, reason.to_owned(), path.display().to_string()))
            }
            None => PyOSError::new_err(format!("{}: {source}", path.display())),
        },
        Error::Memory { .. } => exception_of_work(error, 1),
        Error::Stopped => PyKeyboardInterrupt::new_err(()),
        Error::Rows(_) | Error::Decomposition { .. } | Error::Threads(_) => {
            PyRuntimeError::new_err(error.to_string())
        }
    }
}
