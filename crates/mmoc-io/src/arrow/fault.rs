//! What is wrong with a part of a file, before it is known where the part lies.

use std::borrow::Cow;
use std::fmt::Display;

use crate::error::Expected;
use crate::{Error, PlaceInFile};
use mmoc::text::{excerpt, safe};

/// What was expected of a part of a file, and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    expected: Expected,
    found: Cow<'static, str>,
}

/// A part of a file, or what is wrong with it.
pub(super) type Found<T> = std::result::Result<T, Fault>;

impl Fault {
    /// Something else was expected.
    pub(super) fn new(expected: impl Into<Expected>, found: impl Into<Cow<'static, str>>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// The bytes cannot have been written like that.
    pub(super) fn damaged(found: impl Into<Cow<'static, str>>) -> Self {
        Self::new("intact data", found)
    }

    /// The bytes end before what they hold.
    pub(super) fn too_short() -> Self {
        Self::damaged("its end too early")
    }

    /// The error about a file, and about a column and a row of it where these are known.
    pub(super) fn at(self, file: &str, column: Option<&str>, row: Option<usize>) -> Error {
        let column = column.map(excerpt);
        let place = PlaceInFile::Table { column, row };
        self.expected.but_found(self.found, file, place)
    }
}

/// What a crate says of a file that it cannot read.
#[allow(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
pub(super) fn damaged(error: impl Display) -> Fault {
    const LONGEST: usize = 200;
    Fault::damaged(format!("({})", safe(&error.to_string(), LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_safe_to_show() {
        let message = Fault::too_short().at("f", Some("a\u{1b}[31m"), Some(2));
        let expected = r"f: row 2 of 'a\u{1b}[31m': expected intact data, found its end too early";
        assert_eq!(message.to_string(), expected);
    }
}
