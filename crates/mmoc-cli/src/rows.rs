//! The rows of files as a model takes them, with what the user should know about their columns.

use mmoc::data::{Batch, Format, RowStream, StreamOptions, WantedLabels};
use mmoc::train::Trained;

use crate::args::UseArgs;
use crate::failure::Failure;
use crate::output;

/// The rows of files, batch by batch.
pub(crate) struct Rows<'a>(RowStream<'a>);

impl<'a> Rows<'a> {
    /// Opens the files that the command line names, which must have passed [`check`].
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
                let input = std::io::stdin().lock();
                RowStream::from_reader(input, "standard input", model.frame(), &options)?
            }
            files => RowStream::open(files, model.frame(), &options)?,
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

/// Standard input ends but once and has no name that tells its format: fails where it is named twice, or alone without
/// a format.
pub(crate) fn check(args: &UseArgs) -> Result<(), Failure> {
    let is_named = args.files.iter().any(|file| output::is_standard(file));
    if !is_named {
        return Ok(());
    }
    let formats = Format::ALL.map(Format::name).join(", ");
    let needs_format = format!("- stands for standard input, which needs --from: one of {formats}");
    let problem = if args.files.len() > 1 {
        "- stands for standard input and must be the only DATA"
    } else if output::is_standard(&args.model) {
        "- stands for standard input: either the model or the rows can come from there, not both"
    } else if args.from.is_none() {
        &needs_format
    } else {
        return Ok(());
    };
    Err(Failure::wrong_usage(problem))
}
