//! What the columns of an Arrow table are read as.

use arrow_schema::{DataType, TimeUnit};

use super::fault::{Fault, Found};
use crate::Remedy;
use crate::error::Expected;
use crate::read::Times;
use mmoc::text::excerpt;

/// What the cells of a column become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Numbers,
    Words,
    /// Text for people, not for learning.
    Texts,
}

/// What a column is read as, or what it is instead.
pub(super) fn kind_of(name: &str, data: &DataType, times: Times) -> Found<Kind> {
    let refuse = |found: &'static str| {
        let expected = Expected::or(expected(name), Remedy::IgnoreColumn);
        Err(Fault::new(expected, found))
    };
    let time = |found: &'static str| match times {
        Times::Numbers => Ok(Kind::Numbers),
        Times::Refuse => {
            let expected = Expected::or(expected(name), Remedy::NumberTimes);
            Err(Fault::new(expected, found))
        }
    };
    match data {
        _ if data.is_numeric() || *data == DataType::Boolean => Ok(Kind::Numbers),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(Kind::Words),
        DataType::Dictionary(_, value) if !matches!(**value, DataType::Dictionary(..)) => {
            kind_of(name, value, times)
        }
        DataType::Date32 | DataType::Date64 => time("dates"),
        DataType::Time32(_) | DataType::Time64(_) => time("times of day"),
        DataType::Timestamp(..) => time("times"),
        DataType::Duration(_) | DataType::Interval(_) => refuse("durations"),
        DataType::Null => refuse("nothing but missing cells"),
        DataType::FixedSizeBinary(_) => refuse("bytes"),
        _ if data.is_binary() => refuse("bytes"),
        _ if data.is_nested() => refuse("a list or a table of its own"),
        _ => refuse("another type"),
    }
}

/// What a column should hold, for messages.
pub(super) fn expected(name: &str) -> String {
    format!("numbers, words or booleans in {}", excerpt(name))
}

/// How many of a unit make a second.
pub(super) fn per_second(unit: TimeUnit) -> f64 {
    match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    }
}
