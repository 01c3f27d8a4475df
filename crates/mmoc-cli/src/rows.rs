//! The rows of files as a model takes them, with what the user should know about their columns.

use mmoc::Model;
use mmoc_io::{Batch, Pace, RowStream, StreamOptions, WantedLabels};

use crate::args::UseArgs;
use crate::failure::Failure;
use crate::read_ahead::ReadAhead;
use crate::{load, output, standard_input};

/// The rows of files, batch by batch.
pub(crate) struct Rows<'a>(RowStream<'a>);

impl<'a> Rows<'a> {
    /// Opens the files that the command line names, which must have passed [`check`].
    pub(crate) fn open(
        args: &UseArgs,
        model: &'a Model,
        labels: WantedLabels,
        pace: Pace,
    ) -> Result<Self, Failure> {
        let options = StreamOptions {
            format: args.from,
            missing: args.missing,
            missing_labels: args.missing_labels,
            times: args.times,
            labels,
            tags: args.tags.clone(),
            unknown: args.unknown,
            id: args.id.clone(),
            weight: args.weight.clone(),
            batch_rows: model.batch_rows(),
            pace,
        };
        let stream = match args.files.as_slice() {
            [only] if output::is_standard(only) => {
                let (name, schema) = (standard_input::NAME, model.schema());
                match pace {
                    Pace::Full => {
                        RowStream::from_reader(std::io::stdin().lock(), name, schema, &options)?
                    }
                    Pace::Available => {
                        let input = ReadAhead::standard_input();
                        RowStream::from_reader(input, name, schema, &options)?
                    }
                }
            }
            files => RowStream::open(files, model.schema(), &options)?,
        };
        Ok(Self(stream))
    }

    /// The next rows, if there are any.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let batch = self.0.next_batch();
        load::note(&self.0.notes());
        Ok(batch?)
    }
}

/// Fails if standard input is not where it can be: rows from there need a format, and the model must come from elsewhere.
pub(crate) fn check(args: &UseArgs) -> Result<(), Failure> {
    if output::is_standard(&args.model) && standard_input::is_among(&args.files) {
        return Err(Failure::wrong_usage(
            "- stands for standard input: either the model or the rows can come from there, not both",
        ));
    }
    standard_input::check(&args.files, args.from, "--from")
}
