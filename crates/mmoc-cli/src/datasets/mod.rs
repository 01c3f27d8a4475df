//! `mmoc datasets`: the public data sets that are known by name, where they lie, and fetching them.

mod args;
mod cache;
mod catalogue;
mod digest;
mod download;
#[allow(dead_code, reason = "for the commands that read known data sets")]
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
#[allow(unused_imports, reason = "for the commands that read known data sets")]
pub(crate) use self::{
    catalogue::{Entry, Preparation},
    find::{Found, Origin, find},
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
