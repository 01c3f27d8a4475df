//! The rows of files as a model takes them, with what the user should know about their columns.

use std::path::{Path, PathBuf};

use mmoc::data::{Batch, RowStream, StreamOptions, WantedLabels};
use mmoc::train::Trained;

use crate::args::UseArgs;
use crate::failure::Failure;
use crate::output;

/// The rows of files, batch by batch.
pub(crate) struct Rows<'a>(RowStream<'a>);

impl<'a> Rows<'a> {
    /// Opens the files that the command line names.
    pub(crate) fn open(
        args: &UseArgs,
        model: &'a Trained,
        labels: WantedLabels,
    ) -> Result<Self, Failure> {
        let options = StreamOptions {
            format: args.from,
            missing: args.missing,
            labels,
            batch_rows: model.batch_rows(),
        };
        let stream = match args.files.as_slice() {
            [only] if output::is_standard(only) => {
                check_model_is_a_file(&args.model)?;
                let input = std::io::stdin().lock();
                RowStream::from_reader(input, "standard input", model.frame(), &options)?
            }
            files => {
                check_no_standard_input(files)?;
                RowStream::open(files, model.frame(), &options)?
            }
        };
        Ok(Self(stream))
    }

    /// The next rows, if there are any.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let batch = self.0.next_batch();
        for note in self.0.notes() {
            output::message("note", &note.to_string());
        }
        Ok(batch?)
    }
}

/// Standard input ends but once and has no name that tells its format, so that it comes alone.
fn check_no_standard_input(files: &[PathBuf]) -> Result<(), Failure> {
    if files.iter().any(|file| output::is_standard(file)) {
        return Err(Failure::wrong_usage(
            "- stands for standard input and must be the only DATA",
        ));
    }
    Ok(())
}

fn check_model_is_a_file(model: &Path) -> Result<(), Failure> {
    if output::is_standard(model) {
        return Err(Failure::wrong_usage(
            "- stands for standard input: either the model or the rows can come from there, not both",
        ));
    }
    Ok(())
}
