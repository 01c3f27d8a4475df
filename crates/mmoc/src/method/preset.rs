//! Parameters of all methods by the name of a preset.

use super::Method;
use crate::settings::{Named, Settings};

/// Where the parameters of methods come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The paper's letter.
    Paper,
    /// The best known for up to [`Preset::MOST_LABELS`] labels.
    Best,
    /// The defaults of each method.
    Default,
}

impl Named for Preset {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Paper, "paper"),
        (Self::Best, "best"),
        (Self::Default, "default"),
    ];
}

/// Method, parameter and value of what differs from the defaults.
type Changes = &'static [(&'static str, &'static str, &'static str)];

/// The paper's letter: mean-field decoding (section 2.4), C = 10⁶ and λ = 1 (section 4), the penalties of P as they
/// were chosen (19). The log-odds of (31) are out-of-fold, which the paper leaves open.
const PAPER: Changes = &[
    ("coding-pca-r", "inference", "mean-field"),
    ("coding-cca", "inference", "mean-field"),
    ("max-margin", "inference", "mean-field"),
    ("max-margin", "penalty-factor", "1"),
];

/// The best known for few labels (`docs/results.md` tells how it was found): weights by likelihood wherever a codeword has
/// labels and projections, and for max-margin canonical regressions.
const BEST: Changes = &[
    ("coding-pca-r", "weights", "likelihood"),
    ("coding-cca", "weights", "likelihood"),
    ("max-margin", "weights", "likelihood"),
    ("max-margin", "regression", "canonical"),
    ("max-margin", "penalty-factor", "30"),
];

impl Preset {
    /// Labels up to which the preset `best` is meant.
    pub const MOST_LABELS: usize = 14;

    /// One line on what the parameters are.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Paper => "the paper's letter",
            Self::Best => "the best known for up to 14 labels",
            Self::Default => "the defaults of each method",
        }
    }

    /// Sets the parameters of a method that the preset knows.
    #[expect(
        clippy::missing_panics_doc,
        reason = "a test sets every parameter of every preset"
    )]
    pub fn apply(self, method: &mut Method) {
        let own = |change: &&(&str, &str, &str)| change.0 == method.name();
        let changes: Vec<_> = self.changes().iter().filter(own).collect();
        for (_, key, value) in changes {
            let set = method.set(key, value);
            set.expect("presets name parameters that there are");
        }
    }

    fn changes(self) -> Changes {
        match self {
            Self::Paper => PAPER,
            Self::Best => BEST,
            Self::Default => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_preset_is_one_that_its_method_takes() {
        for preset in [Preset::Paper, Preset::Best] {
            for (name, key, value) in preset.changes() {
                let mut method: Method = name.parse().unwrap();
                let before = method.clone();
                method.set(key, value).unwrap();
                assert_ne!(method, before, "{name}.{key} has this value by default");
                let mut preset_method = before;
                preset.apply(&mut preset_method);
                assert_eq!(value_of(&preset_method, key), value_of(&method, key));
            }
        }
    }

    fn value_of(method: &Method, key: &str) -> String {
        let parameters = method.parameters().into_iter();
        let mut own = parameters.filter(|parameter| parameter.name == key);
        own.next().unwrap().value.to_string()
    }
}
