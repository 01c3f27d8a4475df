//! What the text of one cell can mean, in every format.

use super::decimal::short_decimal;
use crate::Remedy;
use crate::error::Expected;
use mmoc::text::excerpt;

/// The text of a missing cell.
pub(super) const MISSING: &str = "?";

/// Whether a cell of a table is missing: empty, or one of the words that programs write for it.
pub(super) fn is_missing(text: &str) -> bool {
    match text {
        "" | MISSING | "NA" | "N/A" | "n/a" | "<NA>" => true,
        _ => ["nan", "null"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word)),
    }
}

/// What a number in a file must be, for messages.
pub(super) const NUMBER: &str = "a finite number";

/// A finite number; `inf`, `nan` and what overflows are none.
#[inline]
pub(super) fn number(text: &str) -> Option<f64> {
    short_decimal(text.as_bytes())
        .or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()))
}

/// Whether text is a number, be it one that we refuse.
pub(super) fn looks_numeric(text: &str) -> bool {
    text.parse::<f64>().is_ok() || has_decimal_comma(text)
}

/// Whether text is a number with a comma in place of the decimal point.
pub(super) fn has_decimal_comma(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let Some((whole, fraction)) = unsigned.split_once(',') else {
        return false;
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = fraction.split(['e', 'E']).next().unwrap_or_default();
    let is_number = is_digits(whole) && is_digits(fraction) && !fraction.is_empty();
    is_number && text.replace(',', ".").parse::<f64>().is_ok()
}

/// That numbers must have decimal points, for messages.
pub(super) fn expected_point(column: &str) -> Expected {
    let expected = format!("{NUMBER} in {} with a decimal point", excerpt(column));
    Expected::or(expected, Remedy::WritePoints)
}

/// Whether a row carries a label: exactly one or zero, written as any number, or a word for it.
pub(super) fn flag(text: &str) -> Option<bool> {
    match number(text) {
        Some(1.0) => Some(true),
        Some(0.0) => Some(false),
        Some(_) => None,
        None => flag_word(text),
    }
}

/// Whether a row carries a label, by a word.
pub(super) fn flag_word(text: &str) -> Option<bool> {
    let is = |word: &&str| text.eq_ignore_ascii_case(word);
    if ["true", "yes"].iter().any(is) {
        return Some(true);
    }
    ["false", "no"].iter().any(is).then_some(false)
}

/// What must stand in the cell of a label, for messages.
pub(super) fn expected_flag(label: &str) -> String {
    format!("0 or 1 for the label {}", excerpt(label))
}

/// How much a row counts.
pub(super) fn weight(text: &str) -> Option<f64> {
    number(text).filter(|&weight| weight >= 0.0)
}

/// What must stand in the cell of a weight, for messages.
pub(super) const WEIGHT: &str = "a weight: a number of at least 0";

/// What must stand in the cell of a feature that is missing, for messages.
pub(super) fn expected_value(feature: &str, row: usize) -> Expected {
    let value = format!("a value of {} in row {row}", excerpt(feature));
    Expected::or(value, Remedy::FillMissing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_numbers_are_numbers() {
        assert_eq!(number("-1.5e3"), Some(-1500.0));
        for text in ["inf", "-Infinity", "NaN", "1e999", "", " 1", "1,5", "0x10"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_with_decimal_commas_are_recognised() {
        for text in ["1,5", "-0,25", "+3,1e-4", ",5"] {
            assert!(has_decimal_comma(text), "{text}");
        }
        for text in ["1.5", "1,2,3", "a,b", "1,", "1,x", "1,5e", "1, 5", ","] {
            assert!(!has_decimal_comma(text), "{text}");
        }
    }

    #[test]
    fn programs_have_many_words_for_nothing() {
        for text in ["", "?", "NA", "NaN", "nan", "null", "NULL", "N/A", "<NA>"] {
            assert!(is_missing(text), "{text}");
        }
        for text in ["na", "none", "0", "-", "Nancy"] {
            assert!(!is_missing(text), "{text}");
        }
    }

    #[test]
    fn flags_are_exactly_zero_or_one() {
        for text in ["1", "1.0", "True", "yes", "TRUE"] {
            assert_eq!(flag(text), Some(true), "{text}");
        }
        for text in ["0", "-0", "False", "No"] {
            assert_eq!(flag(text), Some(false), "{text}");
        }
        for text in ["2", "0.5", "-1", "t", "on", ""] {
            assert_eq!(flag(text), None, "{text}");
        }
    }
}
