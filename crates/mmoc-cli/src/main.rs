//! `mmoc`: multi-label classification from the command line.
//!
//! Data goes to standard output; messages and progress go to standard error.

mod args;
mod compare;
mod completions;
mod convert;
mod datasets;
mod evaluate;
mod export;
mod external;
mod failure;
mod file_entry;
mod inspect;
mod kept;
mod load;
mod manual;
mod merge;
mod methods;
mod out_of_memory;
mod outcome;
mod output;
mod parameters;
mod posterior;
mod predict;
mod progress;
mod published;
mod read_ahead;
mod reproduce;
mod rows;
mod score;
#[cfg(feature = "serve")]
mod serve;
mod standard_input;
mod target;
mod train;
mod trained;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && asks_for_json() => {
            return Failure::of_command_line(&error).report(true);
        }
        Err(error) => error.exit(),
    };
    out_of_memory::write_errors(cli.manner.json);
    if cli.manner.quiet {
        output::be_quiet();
    }
    match run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.manner.json),
    }
}

/// Whether a command line that is not understood as a whole asks for JSON.
fn asks_for_json() -> bool {
    let mut words = std::env::args_os().take_while(|word| word != "--");
    words.any(|word| word == "--json")
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Train(args) => train::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Score(args) => score::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Report(args) => merge::run(args),
        Command::Methods(args) => methods::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Datasets(args) => datasets::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => manual::run(args),
    }
}
