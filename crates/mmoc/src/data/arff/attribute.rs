//! Attributes of an ARFF file and the columns they become.

use std::collections::HashMap;
use std::fmt;

use super::super::lines::{Place, excerpt};

/// A declared attribute.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    /// Its name.
    pub(super) name: String,
    /// Where its name stands.
    pub(super) place: Place,
    /// Its values.
    pub(super) kind: Kind,
}

/// What values an attribute has.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Any number.
    Numeric,
    /// One of a list.
    Nominal(Nominal),
}

/// A list of values to choose from.
///
/// As a feature, a list of at most two values is one column: values `0` and `1` stand for
/// themselves, in whatever order they are listed; otherwise the first is 0 and the second is 1. A
/// longer list is one 0/1 column for each value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Nominal {
    values: Vec<String>,
    positions: HashMap<String, usize>,
    numbers: Option<Vec<f64>>,
}

impl Attribute {
    /// Names of the columns that the attribute becomes as a feature.
    pub(super) fn column_names(&self) -> Vec<String> {
        match &self.kind {
            Kind::Nominal(list) if list.numbers.is_none() => {
                let name = |value: &String| format!("{}={value}", self.name);
                list.values.iter().map(name).collect()
            }
            _ => vec![self.name.clone()],
        }
    }

    /// Number of columns that the attribute becomes as a feature.
    pub(super) fn width(&self) -> usize {
        match &self.kind {
            Kind::Nominal(list) if list.numbers.is_none() => list.values.len(),
            _ => 1,
        }
    }

    /// Whether the attribute can be a label: a number, or one of 0 and 1.
    pub(super) fn can_be_label(&self) -> bool {
        match &self.kind {
            Kind::Numeric => true,
            Kind::Nominal(list) => list.values.len() == 2 && list.zeros_and_ones(),
        }
    }

    /// Whether a cell that a sparse row leaves out is other than zero.
    ///
    /// A cell left out has the value that is stored as 0: the first of a list.
    pub(super) fn default_is_nonzero(&self) -> bool {
        match &self.kind {
            Kind::Numeric => false,
            Kind::Nominal(list) => list
                .numbers
                .as_ref()
                .is_none_or(|numbers| numbers[0] != 0.0),
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", excerpt(&self.name), self.kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numeric => formatter.write_str("numeric"),
            Self::Nominal(list) => list.fmt(formatter),
        }
    }
}

impl Nominal {
    /// A list of values; the position of the first that is there twice if there is one.
    pub(super) fn new(values: Vec<String>) -> Result<Self, usize> {
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

    fn zeros_and_ones(&self) -> bool {
        self.values.iter().all(|value| value == "0" || value == "1")
    }

    /// Where a value stands in the list.
    pub(super) fn position(&self, value: &str) -> Option<usize> {
        self.positions.get(value).copied()
    }

    /// Which of the attribute's columns is not zero for the value at a position, and its number
    /// there.
    pub(super) fn cell(&self, position: usize) -> (usize, f64) {
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
    fn a_repeated_value_is_found() {
        let values = ["a", "b", "a"].map(str::to_owned).to_vec();
        assert_eq!(Nominal::new(values), Err(2));
    }
}
