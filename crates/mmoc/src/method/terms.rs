//! Which terms a posterior may have, as users name them: `auto`, or names joined by `+`.

use std::str::FromStr;
use std::sync::LazyLock;

use crate::settings::NamedSet;
use crate::{Error, Result};

/// A term that users can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// The classifiers of each label.
    Labels,
    /// The regressions of the code.
    Code,
    /// How often a set occurs.
    Frequency,
    /// The nearest training row with the set.
    Neighbours,
    /// The votes of a random forest.
    Forest,
}

impl TermKind {
    /// Every kind, in the order in which the posterior lists them, with its name.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Labels, "labels"),
        (Self::Code, "code"),
        (Self::Frequency, "frequency"),
        (Self::Neighbours, "neighbours"),
        (Self::Forest, "forest"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which terms a posterior has: chosen on the training rows, or exactly these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms(u8);

impl Terms {
    /// Chosen on the training rows.
    pub const AUTO: Self = Self(0);

    /// Exactly these terms, as far as the method has them.
    pub fn of(kinds: &[TermKind]) -> Self {
        Self(kinds.iter().fold(0, |bits, kind| bits | kind.bit()))
    }

    /// Whether training rows decide.
    pub fn are_chosen(self) -> bool {
        self == Self::AUTO
    }

    /// Whether a term may enter.
    pub fn allow(self, kind: TermKind) -> bool {
        self.are_chosen() || self.0 & kind.bit() != 0
    }

    /// Whether a term was asked for by name.
    pub fn asks_for(self, kind: TermKind) -> bool {
        !self.are_chosen() && self.allow(kind)
    }
}

/// The names of all combinations, by their bits.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let combination = |bits: u8| {
        let own = TermKind::ALL.iter();
        let own = own.filter(|(kind, _)| bits & kind.bit() != 0);
        own.map(|(_, name)| *name).collect::<Vec<_>>().join("+")
    };
    let named = (1..1 << TermKind::ALL.len()).map(combination);
    std::iter::once("auto".to_owned()).chain(named).collect()
});

impl NamedSet for Terms {
    fn name(self) -> &'static str {
        &NAMES[usize::from(self.0)]
    }

    fn allowed() -> String {
        let names: Vec<&str> = TermKind::ALL.iter().map(|(_, name)| *name).collect();
        format!("auto, or {} joined by +", names.join(", "))
    }

    fn from_name(text: &str) -> Option<Self> {
        if text == Self::AUTO.name() {
            return Some(Self::AUTO);
        }
        let kind = |name: &str| {
            let own = TermKind::ALL.iter().find(|(_, known)| *known == name);
            own.map(|(kind, _)| *kind)
        };
        let kinds: Option<Vec<TermKind>> = text.split('+').map(kind).collect();
        kinds.map(|kinds| Self::of(&kinds))
    }
}

impl FromStr for Terms {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::from_name(text).ok_or_else(|| Error::Parameter {
            parameter: "terms",
            expected: Self::allowed(),
            found: format!("'{text}'"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_reads_back_from_its_name() {
        for bits in 0..1 << TermKind::ALL.len() {
            assert_eq!(Terms(bits).name().parse::<Terms>().unwrap(), Terms(bits));
        }
        let mixed: Terms = "forest+labels".parse().unwrap();
        assert_eq!(mixed.name(), "labels+forest");
    }

    #[test]
    fn unknown_terms_are_refused_with_the_names_of_the_known() {
        let message = "labels+trees".parse::<Terms>().unwrap_err().to_string();
        let expected = "terms must be auto, or labels, code, frequency, neighbours, forest joined by +, not \
                        'labels+trees'";
        assert_eq!(message, expected);
    }
}
