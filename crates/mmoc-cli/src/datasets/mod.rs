//! `mmoc datasets`: the public data sets that are known by name, where they lie, and fetching them.

mod args;
mod cache;
mod catalogue;
mod download;
mod find;
mod get;
mod http;
mod info;
mod list;
mod places;

#[cfg(test)]
mod download_tests;
#[cfg(test)]
mod invented;
#[cfg(test)]
#[path = "../../tests/common/server.rs"]
mod server;

pub(crate) use self::args::{DatasetsArgs, EXAMPLES};
pub(crate) use self::{
    catalogue::Entry,
    find::{Found, find},
};

use self::args::DatasetsCommand;
use crate::failure::Failure;

pub(crate) fn run(args: &DatasetsArgs) -> Result<(), Failure> {
    match &args.command {
        DatasetsCommand::List(args) => list::run(args),
        DatasetsCommand::Get(args) => get::run(args),
        DatasetsCommand::Info(args) => info::run(args),
    }
}
