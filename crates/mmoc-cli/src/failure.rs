//! Why a command failed, as a sentence and an exit code.

use std::io;
use std::process::ExitCode;

use mmoc::memory::Work;
use mmoc::text::excerpt;
use mmoc::{Error, ModelRemedy};
use mmoc_io::catalogue::{CatalogueError, FoundIn};
use mmoc_io::{DataError, PlaceInFile, Remedy, TextPlace};

use serde::Serialize;

use crate::{export, output};

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
    /// What the system said about a write to a place that is not known yet.
    unwritten: Option<io::Error>,
    /// What is wrong in a file, if something is.
    fault: Option<Box<Fault>>,
}

/// A failure as JSON: the keys are documented in `docs/json.md` and none of them changes.
#[derive(Serialize)]
struct Described<'a> {
    error: &'a str,
    code: u8,
    #[serde(flatten)]
    fault: Option<&'a Fault>,
}

/// Where something is wrong in a file.
#[derive(Debug, Serialize)]
struct Fault {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The number of a character in a line, or the name of a column of a table without lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<Column>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    expected: String,
    found: String,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Column {
    Number(usize),
    Name(String),
}

impl Fault {
    fn of(error: &DataError) -> Self {
        let (line, column, row) = match &error.place {
            PlaceInFile::Text(TextPlace { line, column }) => {
                (Some(*line), Some(Column::Number(*column)), None)
            }
            PlaceInFile::Table { column, row } => (None, column.clone().map(Column::Name), *row),
        };
        Self {
            file: error.file.clone(),
            line,
            column,
            row,
            expected: error.expected.clone(),
            found: error.found.clone(),
        }
    }
}

pub(crate) const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;
const BAD_DATA: u8 = 3;

impl Failure {
    fn new(code: u8, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            unwritten: None,
            fault: None,
        }
    }

    /// The command line cannot be read.
    pub(crate) fn of_command_line(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let text = text.split("\n\nUsage:").next().unwrap_or_default();
        Self::wrong_usage(text.trim().trim_start_matches("error: "))
    }

    /// The command line does not say what it must.
    pub(crate) fn wrong_usage(message: impl Into<String>) -> Self {
        Self::new(WRONG_USAGE, message)
    }

    /// An option needs what only a posterior over label sets can tell, and the model has none.
    pub(crate) fn no_posterior(option: &str) -> Self {
        Self::wrong_usage(format!(
            "{option}: this model has no posterior over label sets; train one that has, with max-margin and its default \
             parameters, or with --method br --set candidates=seen"
        ))
    }

    /// The data cannot be what was asked for.
    pub(crate) fn bad_data(message: impl Into<String>) -> Self {
        Self::new(BAD_DATA, message)
    }

    /// Something outside the program did not work.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(FAILED, message)
    }

    /// Whether the reader of what was written has seen enough, which is no failure of the command.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.unwritten.as_ref().is_some_and(is_closed_pipe)
    }

    /// The same, with the place that could not be written to if that is why.
    pub(crate) fn at(self, place: &str) -> Self {
        match &self.unwritten {
            None => self,
            Some(error) => Self {
                message: format!("{place}: {error}"),
                ..self
            },
        }
    }

    /// What went wrong, as a sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Writes the message, as text or as JSON, and gives the exit code. A reader that has seen enough knows that the rest
    /// is missing, and wanted nothing else.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        if self.is_closed_pipe() {
            return ExitCode::SUCCESS;
        }
        if json {
            output::json_error(&Described {
                error: &self.message,
                code: self.code,
                fault: self.fault.as_deref(),
            });
        } else {
            output::error(&self.message);
        }
        ExitCode::from(self.code)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::Parameter { .. } => WRONG_USAGE,
            Error::Dataset { .. }
            | Error::CodeLabels { .. }
            | Error::Magnitude { .. }
            | Error::Shape { .. }
            | Error::ModelFile { .. }
            | Error::MissingEvidence { .. }
            | Error::WithoutScores(_) => BAD_DATA,
            Error::Decomposition { .. }
            | Error::Memory { .. }
            | Error::Rows(_)
            | Error::Threads(_)
            | Error::Stopped
            | Error::Io { .. } => FAILED,
        };
        let remedy = match &error {
            Error::Memory {
                work: Work::Fit { method, .. },
                ..
            } => need_less_memory(method),
            Error::CodeLabels { most, .. } => format!(
                "--top-labels {most} keeps the most frequent labels, --method br needs no output code"
            ),
            Error::Magnitude { .. } => "--scale auto and --scale standard scale columns".into(),
            other => other.remedy().map_or("", model_remedy_in_words).into(),
        };
        Self::new(code, with_remedy(&error, &remedy))
    }
}

/// What can be done about a fit that needs too much memory.
fn need_less_memory(method: &str) -> String {
    const SMALLEST: &str = "br";
    let others = match method {
        SMALLEST => "--threads 1 and --set base.features=linear",
        _ => "--threads 1, --set base.features=linear and --method br",
    };
    format!("--top-labels keeps the most frequent labels; {others} need less")
}

/// What can be done about a file that is no usable model.
fn model_remedy_in_words(remedy: ModelRemedy) -> &'static str {
    match remedy {
        ModelRemedy::CopyOrTrainAgain => "copy the file again, or train the model again",
        ModelRemedy::GiveModel => "give a model that was written by 'mmoc train'",
        ModelRemedy::UseLaterVersion => "use that version",
        ModelRemedy::BringEvidence => {
            "it is not in the file: predict from Python, with the pickled estimator"
        }
    }
}

impl From<mmoc_io::Error> for Failure {
    fn from(error: mmoc_io::Error) -> Self {
        use mmoc_io::Error;
        let remedy = error.remedy().map_or_else(String::new, in_words);
        let (code, fault) = match &error {
            Error::Library(_) => (FAILED, None),
            Error::Data(error) => (BAD_DATA, Some(Box::new(Fault::of(error)))),
            Error::Request { .. } => (WRONG_USAGE, None),
        };
        match error {
            Error::Library(error) => error.into(),
            error => Self {
                fault,
                ..Self::new(code, with_remedy(&error, &remedy))
            },
        }
    }
}

/// What the command line offers against an error.
fn in_words(remedy: Remedy) -> String {
    let words = match remedy {
        Remedy::NameRows(column) => {
            let column = quoted(&column);
            return format!(
                "--ignore {column} leaves the column out, --id {column} names rows by it"
            );
        }
        Remedy::ReadTimes => "--times numbers turns dates and times into numbers",
        Remedy::WritePoints => "write 1.5, not 1,5",
        Remedy::IgnoreUnknown => "--unknown ignore counts such words as none of the known values",
        Remedy::FillMissing => "--missing mean fills in missing cells",
        Remedy::IgnoreMissingLabels => "--missing-labels ignore leaves such cells out",
        Remedy::FillTags => {
            "an empty cell means no tags, but ? and NA mean that they are missing; --missing-labels ignore leaves such \
             rows out"
        }
        Remedy::ChooseLabels => {
            "--labels says which columns are labels: FILE.xml, N, -N, prefix* or names"
        }
        Remedy::NameFormat => "an option can name the format, see --help",
        Remedy::NumberTimes => {
            "--times numbers turns dates and times into numbers, --ignore NAME leaves a column out"
        }
        Remedy::IgnoreColumn => "--ignore NAME leaves a column out",
        Remedy::ReadTags => "--tags NAME makes a label of each word in a column",
        _ => "see --help",
    };
    words.into()
}

/// A word of a command line, in quotes where a shell would read something else.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if word.chars().all(is_plain) {
        word.into()
    } else {
        excerpt(word)
    }
}

impl From<mmoc_onnx::Error> for Failure {
    fn from(error: mmoc_onnx::Error) -> Self {
        let remedy = error.remedy().map_or("", export::in_words);
        match error {
            mmoc_onnx::Error::Library(error) => error.into(),
            error => Self::new(BAD_DATA, with_remedy(&error, remedy)),
        }
    }
}

impl From<mmoc_experiment::Error> for Failure {
    fn from(error: mmoc_experiment::Error) -> Self {
        use mmoc_experiment::Error as E;
        let (code, remedy) = match error {
            E::Library(error) => return error.into(),
            E::OtherExperiment { .. } => (
                WRONG_USAGE,
                "choose another folder with --out, or remove this one; methods and runs can be added to an experiment",
            ),
            E::MethodsLeftOut { ref methods, .. } => {
                let again: Vec<String> = methods
                    .iter()
                    .map(|name| format!("--external {name}=FILE"))
                    .collect();
                let again = again.join(" ");
                let remedy = format!("repeat the predictions that are there: {again}");
                return Self::new(WRONG_USAGE, with_remedy(&error, &remedy));
            }
            E::ResultsWithoutManifest(_) => (WRONG_USAGE, "choose another folder with --out"),
            E::NotAFolder(_) => (WRONG_USAGE, "--out must be a folder"),
            E::SameName(_) => (WRONG_USAGE, "with --each every file needs a different name"),
            E::SameEntrant(_) => (
                WRONG_USAGE,
                "--method NAME=METHOD and --external NAME=FILE give other names",
            ),
            E::UnknownMethod { .. } | E::ExternalRows(_) => (WRONG_USAGE, ""),
            E::NoManifest(_) | E::Manifest { .. } | E::Record { .. } | E::NoResults(_) => {
                (BAD_DATA, "")
            }
            _ => (FAILED, ""),
        };
        Self::new(code, with_remedy(&error, remedy))
    }
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        use CatalogueError as E;
        let get = |dataset: &str| format!("run 'mmoc datasets get {dataset}'");
        let (code, remedy) = match &error {
            E::NoDataFolder { from_variable, .. } => {
                let message = match from_variable {
                    true => error.to_string(),
                    false => format!("--data: {error}"),
                };
                return Self::wrong_usage(message);
            }
            E::Incomplete { dataset, place, .. } => match place {
                FoundIn::Cache => (BAD_DATA, get(dataset)),
                FoundIn::DataFolder => (BAD_DATA, "add the missing files".into()),
            },
            E::Damaged { dataset, .. } => (BAD_DATA, get(dataset)),
            _ => (FAILED, String::new()),
        };
        Self::new(code, with_remedy(&error, &remedy))
    }
}

fn with_remedy(error: &dyn std::error::Error, remedy: &str) -> String {
    match remedy {
        "" => error.to_string(),
        remedy => format!("{error} ({remedy})"),
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            unwritten: Some(error),
            ..Self::failed("cannot write the result")
        }
    }
}

/// Whether nobody reads what is written. Errors of tables are wrapped, which hides what kind they are.
fn is_closed_pipe(error: &io::Error) -> bool {
    let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref());
    match wrapped.map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(inner)) => is_closed_pipe(inner),
        _ => error.kind() == io::ErrorKind::BrokenPipe,
    }
}
