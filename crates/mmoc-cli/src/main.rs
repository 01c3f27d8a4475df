//! `mmoc`: multi-label classification from the command line.
//!
//! Data goes to standard output; messages and progress go to standard error.

mod args;
mod datasets;
mod evaluate;
mod failure;
mod inspect;
mod load;
mod methods;
mod output;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Datasets(args) => datasets::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
