//! Lists of nominal values and their numeric encoding.

use std::collections::HashMap;
use std::fmt;

use crate::text::excerpt;

/// A list of distinct values.
///
/// As a feature, a list of at most two values is one column: the values `0` and `1` are encoded as themselves in
/// either order; otherwise the first is 0 and the second is 1. A longer list has one indicator column for each
/// value.
#[derive(Debug, Clone, PartialEq)]
pub struct Nominal {
    values: Vec<String>,
    positions: HashMap<String, usize>,
    numbers: Option<Vec<f64>>,
}

impl Nominal {
    /// A list of values; an error with the position of the first duplicate if there is one.
    pub fn new(values: Vec<String>) -> Result<Self, usize> {
        let mut positions = HashMap::new();
        for (position, value) in values.iter().enumerate() {
            if positions.insert(value.clone(), position).is_some() {
                return Err(position);
            }
        }
        let mut list = Self {
            values,
            positions,
            numbers: None,
        };
        list.numbers = list.as_numbers();
        Ok(list)
    }

    fn as_numbers(&self) -> Option<Vec<f64>> {
        let number = |(position, value): (usize, &String)| {
            let one = if self.zeros_and_ones() {
                value == "1"
            } else {
                position == 1
            };
            f64::from(u8::from(one))
        };
        let numbers = || self.values.iter().enumerate().map(number).collect();
        (self.values.len() <= 2).then(numbers)
    }

    /// Whether all values are `0` or `1`.
    pub fn zeros_and_ones(&self) -> bool {
        self.values.iter().all(|value| value == "0" || value == "1")
    }

    /// The values in their order.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The position of a value in the list.
    pub fn position(&self, value: &str) -> Option<usize> {
        self.positions.get(value).copied()
    }

    /// Number of columns of a feature with these values.
    pub fn width(&self) -> usize {
        match &self.numbers {
            Some(_) => 1,
            None => self.values.len(),
        }
    }

    /// The values in column names: such a column is 1 in rows with its value.
    ///
    /// Empty for a column named after the feature alone, because it is the value itself or constant.
    pub fn named_values(&self) -> &[String] {
        match self.values.len() {
            0 | 1 => &[],
            2 if self.zeros_and_ones() => &[],
            2 => &self.values[1..],
            _ => &self.values,
        }
    }

    /// The nonzero column for a cell with this text, and its value.
    ///
    /// In a column named after the feature alone, any notation of the number is accepted: `1.0` for `1`.
    pub fn read(&self, text: &str) -> Option<(usize, f64)> {
        if let Some(position) = self.position(text) {
            return Some(self.cell(position));
        }
        let numbers = self.numbers.as_ref()?;
        let is_known = |value: &f64| self.named_values().is_empty() && numbers.contains(value);
        text.parse().ok().filter(is_known).map(|value| (0, value))
    }

    /// The nonzero column for the value at a position, and its value.
    pub fn cell(&self, position: usize) -> (usize, f64) {
        match &self.numbers {
            Some(numbers) => (0, numbers[position]),
            None => (position, 1.0),
        }
    }
}

impl fmt::Display for Nominal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        let shown: Vec<String> = self.values.iter().take(SHOWN).map(|v| excerpt(v)).collect();
        let more = if self.values.len() > SHOWN {
            ", …"
        } else {
            ""
        };
        write!(formatter, "{{{}{more}}}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[&str]) -> Nominal {
        Nominal::new(values.iter().map(|&value| value.to_owned()).collect()).unwrap()
    }

    fn numbers(values: &[&str]) -> Vec<(usize, f64)> {
        let list = list(values);
        (0..values.len())
            .map(|position| list.cell(position))
            .collect()
    }

    #[test]
    fn two_values_are_one_column() {
        assert_eq!(numbers(&["no", "yes"]), [(0, 0.0), (0, 1.0)]);
        assert_eq!(numbers(&["0", "1"]), [(0, 0.0), (0, 1.0)]);
        assert_eq!(numbers(&["1", "0"]), [(0, 1.0), (0, 0.0)]);
        assert_eq!(numbers(&["1", "2"]), [(0, 0.0), (0, 1.0)]);
    }

    #[test]
    fn one_value_is_a_constant_column() {
        assert_eq!(numbers(&["a"]), [(0, 0.0)]);
        assert_eq!(numbers(&["1"]), [(0, 1.0)]);
    }

    #[test]
    fn more_values_are_indicators() {
        assert_eq!(numbers(&["1", "0", "2"]), [(0, 1.0), (1, 1.0), (2, 1.0)]);
    }

    #[test]
    fn a_column_is_one_for_the_value_in_its_name() {
        for values in [&["no", "yes"][..], &["1", "2"], &["1", "0", "2"]] {
            let list = list(values);
            for (column, value) in list.named_values().iter().enumerate() {
                let position = list.position(value).unwrap();
                assert_eq!(list.cell(position), (column, 1.0), "{value} of {values:?}");
            }
            assert_eq!(list.named_values().len(), list.width());
        }
        for values in [&["a"][..], &["1"], &["1", "0"]] {
            assert!(list(values).named_values().is_empty(), "{values:?}");
        }
    }

    #[test]
    fn numbers_are_accepted_only_where_they_are_the_column() {
        assert_eq!(list(&["1", "0"]).read("1.0"), Some((0, 1.0)));
        assert_eq!(list(&["1", "0"]).read("0.5"), None);
        assert_eq!(list(&["a"]).read("0"), Some((0, 0.0)));
        assert_eq!(list(&["a"]).read("1"), None);
        assert_eq!(list(&["1", "2"]).read("1"), Some((0, 0.0)));
        assert_eq!(list(&["1", "2"]).read("0"), None);
        assert_eq!(list(&["no", "yes"]).read("1"), None);
    }

    #[test]
    fn duplicate_values_are_found() {
        let values = ["a", "b", "a"].map(str::to_owned).to_vec();
        assert_eq!(Nominal::new(values), Err(2));
    }
}
