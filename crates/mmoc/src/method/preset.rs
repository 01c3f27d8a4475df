//! Parameters of all methods by the name of a preset.

use super::Method;
use crate::settings::{Named, Settings};

/// Where the parameters of methods come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Exactly as published.
    Paper,
    /// The defaults of each method.
    Default,
}

impl Named for Preset {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Paper, "paper"), (Self::Default, "default")];
}

/// Method, parameter and value of what differs from the defaults.
type Changes = &'static [(&'static str, &'static str, &'static str)];

/// Exactly as published: mean-field decoding (section 2.4), C = 10⁶ and λ = 1 (section 4), the penalties of P as they
/// were chosen (19). The log-odds of (31) are out-of-fold, which the paper leaves open.
const PAPER: Changes = &[
    ("coding-pca-r", "candidates", "all"),
    ("coding-pca-r", "weights", "fixed"),
    ("coding-pca-r", "inference", "mean-field"),
    ("coding-cca", "candidates", "all"),
    ("coding-cca", "weights", "fixed"),
    ("coding-cca", "inference", "mean-field"),
    ("max-margin", "candidates", "all"),
    ("max-margin", "weights", "fixed"),
    ("max-margin", "inference", "mean-field"),
    ("max-margin", "penalty-factor", "1"),
];

impl Preset {
    /// One line on what the parameters are.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Paper => "exactly as published",
            Self::Default => "the defaults of each method",
        }
    }

    /// Sets the parameters of a method that the preset changes.
    ///
    /// # Panics
    /// Never: a test sets every parameter of every preset.
    pub fn apply(self, method: &mut Method) {
        let name = method.name();
        let own = self.changes().iter().filter(|change| change.0 == name);
        for (_, key, value) in own {
            let set = method.set(key, value);
            set.expect("presets name existing parameters");
        }
    }

    fn changes(self) -> Changes {
        match self {
            Self::Paper => PAPER,
            Self::Default => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_preset_is_one_that_is_taken() {
        for (preset, _) in Preset::NAMES {
            for (name, key, value) in preset.changes() {
                let method: Method = name.parse().unwrap();
                let mut expected = method.clone();
                expected.set(key, value).unwrap();
                assert_ne!(expected, method, "{key} has this value by default");
                let mut found = method.clone();
                preset.apply(&mut found);
                assert_eq!(value_of(&found, key), value_of(&expected, key));
            }
        }
    }

    fn value_of(method: &Method, key: &str) -> String {
        let parameters = method.parameters().into_iter();
        let mut own = parameters.filter(|parameter| parameter.name == key);
        own.next().unwrap().value.to_string()
    }
}
