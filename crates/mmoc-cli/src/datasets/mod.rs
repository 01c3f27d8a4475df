//! `mmoc datasets`: the known public data sets, where copies of them are, and fetching them.

mod args;
mod get;
mod info;
mod list;

pub(crate) use self::args::{DatasetsArgs, EXAMPLES};

use self::args::DatasetsCommand;
use crate::failure::Failure;

pub(crate) fn run(args: &DatasetsArgs) -> Result<(), Failure> {
    match &args.command {
        DatasetsCommand::List(args) => list::run(args),
        DatasetsCommand::Get(args) => get::run(args),
        DatasetsCommand::Info(args) => info::run(args),
    }
}
