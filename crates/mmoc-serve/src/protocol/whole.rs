//! Whole numbers in JSON, which may be written as 5 or 5.0.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// Up to here every whole number is a double, so that none was rounded to another.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A number that need not be there.
pub(super) fn optional<'de, D>(deserializer: D) -> Result<Option<usize>, D::Error>
where
    D: Deserializer<'de>,
{
    let number = Option::<Whole>::deserialize(deserializer)?;
    Ok(number.map(|Whole(number)| number))
}

/// Numbers in a list.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let numbers = Vec::<Whole>::deserialize(deserializer)?;
    Ok(numbers.into_iter().map(|Whole(number)| number).collect())
}

/// A whole number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Whole(usize);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number that is not negative")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        let whole = usize::try_from(value).ok().map(Whole);
        whole.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    #[expect(clippy::cast_sign_loss, reason = "negative numbers are refused")]
    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        if value.fract() == 0.0 && (0.0..=LARGEST).contains(&value) {
            return Ok(Whole(value as usize));
        }
        Err(E::invalid_value(Unexpected::Float(value), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_have_a_point() {
        for (json, expected) in [("5", 5), ("5.0", 5), ("5e1", 50), ("-0.0", 0)] {
            assert_eq!(
                serde_json::from_str::<Whole>(json).unwrap(),
                Whole(expected)
            );
        }
        for json in ["5.5", "-1", "-1.0", "1e300", "\"5\"", "null", "true"] {
            let error = serde_json::from_str::<Whole>(json).unwrap_err();
            assert!(error.to_string().contains("a whole number"), "{error}");
        }
    }
}
