//! What is wrong with a part of a file, before it is known where the part lies.

use std::borrow::Cow;

use crate::{ColumnError, Error};

/// What was expected of a part of a file, and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    expected: Cow<'static, str>,
    found: Cow<'static, str>,
}

/// A part of a file, or what is wrong with it.
pub(super) type Found<T> = std::result::Result<T, Fault>;

impl Fault {
    /// Something else was expected.
    pub(super) fn new(
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// The bytes cannot have been written like that.
    pub(super) fn damaged(found: impl Into<Cow<'static, str>>) -> Self {
        Self::new("intact Parquet data", found)
    }

    /// The bytes end before what they hold.
    pub(super) fn too_short() -> Self {
        Self::damaged("its end too early")
    }

    /// The error about a file, and about a column and a row of it where these are known.
    pub(super) fn at(self, file: &str, column: Option<&str>, row: Option<usize>) -> Error {
        Error::Column(ColumnError {
            file: file.to_owned(),
            column: column.map(str::to_owned),
            row,
            expected: self.expected.into_owned(),
            found: self.found.into_owned(),
        })
    }
}
