//! The public data sets that are known by name: what they are, where they lie, and fetching them.

mod catalogue;
mod digest;
mod find;
mod places;

#[allow(unused_imports, reason = "for the commands that read known data sets")]
pub(crate) use self::{
    catalogue::{Entry, Preparation},
    find::{Found, Origin, find},
};
