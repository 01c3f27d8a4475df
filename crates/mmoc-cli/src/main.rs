//! `mmoc`: multi-label classification from the command line.
//!
//! Data goes to standard output; messages and progress go to standard error.

#![forbid(unsafe_code)]

mod args;
mod compare;
mod completions;
mod convert;
mod datasets;
mod evaluate;
mod external;
mod failure;
mod file_entry;
mod inspect;
mod kept;
mod load;
mod manual;
mod merge;
mod methods;
mod outcome;
mod output;
mod parameters;
mod posterior;
mod predict;
mod progress;
mod published;
mod reproduce;
mod rows;
mod score;
mod standard_input;
mod target;
mod train;
mod trained;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Train(args) => train::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Report(args) => merge::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Datasets(args) => datasets::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => manual::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
