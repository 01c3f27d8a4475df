//! What is typical of the training rows: the values that missing cells are filled in with.

use mmoc::Model;
use mmoc::data::Attribute;
use serde::Serialize;

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Value<'a> {
    Number(f64),
    Word(&'a str),
}

/// A typical value of each attribute. Most cells of sparse rows are zero.
pub(super) fn typical(model: &Model) -> Vec<Value<'_>> {
    let (fill, schema) = (model.preprocessing().fill(), model.schema());
    let mut first = 0;
    let of_attribute = |attribute| {
        let own = &fill[first..first + Attribute::width(attribute)];
        first += own.len();
        match attribute.values() {
            Some(values) => Value::Word(word(values, own)),
            None if schema.is_sparse() => Value::Number(0.0),
            None => Value::Number(rounded(own[0])),
        }
    };
    schema.attributes().iter().map(of_attribute).collect()
}

/// The likeliest of some words, given the means of their columns.
fn word<'a>(values: &'a [String], means: &[f64]) -> &'a str {
    let position = match means {
        [mean] if *mean > 0.5 => second(values),
        [_] => values.len().saturating_sub(1) - second(values),
        _ => (0..means.len())
            .max_by(|&a, &b| means[a].total_cmp(&means[b]))
            .unwrap_or(0),
    };
    values.get(position).map_or("", String::as_str)
}

/// The position of what the one column of two words counts: `1`, or else the second.
fn second(values: &[String]) -> usize {
    match values {
        [first, _] if first.trim() == "1" => 0,
        _ => values.len().saturating_sub(1),
    }
}

/// Four digits, as people write them.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_word_is_typical() {
        let cases: [(&[&str], &[f64], &str); 8] = [
            (&["0", "1"], &[0.7], "1"),
            (&["0", "1"], &[0.2], "0"),
            (&["1", "0"], &[0.7], "1"),
            (&["1", "0"], &[0.2], "0"),
            (&["no", "yes"], &[0.9], "yes"),
            (&["no", "yes"], &[0.1], "no"),
            (&["a"], &[0.0], "a"),
            (&["a", "b", "c"], &[0.2, 0.5, 0.3], "b"),
        ];
        for (values, means, expected) in cases {
            let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
            assert_eq!(word(&values, means), expected, "{values:?} {means:?}");
        }
    }

    #[test]
    fn numbers_have_four_digits() {
        for (number, expected) in [(0.123_456, 0.1235), (-98_765.4, -98_770.0), (0.0, 0.0)] {
            assert!((rounded(number) - expected).abs() < 1e-12, "{number}");
        }
    }
}
