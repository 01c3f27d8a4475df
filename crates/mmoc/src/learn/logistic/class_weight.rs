//! How much the rows with a label count against the rows without it.

use serde::{Deserialize, Serialize};

use crate::linalg::{dot, sum};
use crate::settings::{TextForm, shortest};
use crate::{Error, Result, check_size};

/// The name of equal weights.
const EQUAL: &str = "none";

/// Weights of the two classes of each label: rows with the label and rows without it.
///
/// A row with the label counts in the regression of the label as often as its class weight says. Weights above one
/// for the positives move the log-odds of a label up, so that rare labels are predicted more often. The
/// probabilities are then those of the weighted rows, not the frequencies of the labels in the data.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeight {
    /// All rows count the same.
    #[default]
    #[serde(rename = "none")]
    Equal,
    /// n/(2·n₁) for the n₁ rows with the label and n/(2·n₀) for the n₀ rows without it, of n rows in which it is
    /// known, as `class_weight="balanced"` of scikit-learn: both classes count the same, and together they count n.
    /// Rows count by their weights, and all training rows count, also those that a fold holds out. A label that
    /// never varies has equal weights.
    Balanced,
    /// The weight of the positives of each label; negatives have weight one.
    Positives(Vec<f64>),
}

impl ClassWeight {
    /// Fails unless given weights are positive and finite.
    pub fn validate(&self) -> Result<()> {
        let Self::Positives(weights) = self else {
            return Ok(());
        };
        match weights.iter().find(|weight| !is_weight(**weight)) {
            None => Ok(()),
            Some(weight) => Err(Error::Parameter {
                parameter: "class-weight",
                expected: "positive, finite weights".into(),
                found: weight.to_string(),
            }),
        }
    }

    /// Fails unless given weights are one for each label.
    pub(crate) fn check_labels(&self, labels: usize) -> Result<()> {
        match self {
            Self::Positives(weights) => check_size("class weights", labels, weights.len()),
            Self::Equal | Self::Balanced => Ok(()),
        }
    }

    pub(super) fn is_equal(&self) -> bool {
        *self == Self::Equal
    }

    /// The class weights of one label alone, which then is the only label.
    pub(super) fn of_label(&self, label: usize) -> Self {
        match self {
            Self::Positives(weights) => {
                Self::Positives(weights.get(label).copied().into_iter().collect())
            }
            Self::Equal | Self::Balanced => self.clone(),
        }
    }

    /// The weights of the negatives and of the positives of a label, given its 0/1 targets and how much each row
    /// counts.
    pub(super) fn factors(&self, label: usize, targets: &[f64], counts: &[f64]) -> [f64; 2] {
        match self {
            Self::Balanced => self.factors_of(label, dot(targets, counts), sum(counts)),
            Self::Equal | Self::Positives(_) => self.factors_of(label, 0.0, 0.0),
        }
    }

    /// The same, given how much the positives and all rows count.
    pub(crate) fn factors_of(&self, label: usize, ones: f64, total: f64) -> [f64; 2] {
        match self {
            Self::Equal => [1.0; 2],
            Self::Balanced => balanced(ones, total),
            Self::Positives(weights) => [1.0, weights[label]],
        }
    }
}

/// n/(2·n₀) and n/(2·n₁); ones if a class is empty.
fn balanced(ones: f64, total: f64) -> [f64; 2] {
    let zeros = total - ones;
    if ones > 0.0 && zeros > 0.0 {
        [total / (2.0 * zeros), total / (2.0 * ones)]
    } else {
        [1.0; 2]
    }
}

fn is_weight(weight: f64) -> bool {
    weight.is_finite() && weight > 0.0
}

impl TextForm for ClassWeight {
    const ABSENT: Option<&'static str> = Some(EQUAL);

    fn text(&self) -> String {
        match self {
            Self::Equal => EQUAL.into(),
            Self::Balanced => "balanced".into(),
            Self::Positives(weights) => {
                let weights: Vec<String> = weights.iter().copied().map(shortest).collect();
                weights.join("+")
            }
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            EQUAL => Some(Self::Equal),
            "balanced" => Some(Self::Balanced),
            _ => {
                let number = |part: &str| part.parse().ok().filter(|&weight| is_weight(weight));
                let weights: Option<Vec<f64>> = text.split('+').map(number).collect();
                weights.map(Self::Positives)
            }
        }
    }

    fn is_allowed(&self) -> bool {
        self.validate().is_ok()
    }

    fn allowed() -> String {
        "none, balanced or a positive number for each label, joined by +".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_weights_are_those_of_scikit_learn() {
        // compute_class_weight("balanced", classes=[0, 1], y=[1, 0, 0, 0, 1, 0, 0, 0]) of scikit-learn.
        let targets = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let found = ClassWeight::Balanced.factors(0, &targets, &[1.0; 8]);
        assert_eq!(found, [2.0 / 3.0, 2.0]);
        // Rows of weight 3 and ½, the last one unknown: n = 8, n₁ = 3 + ½.
        let counts = [3.0, 1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 0.0];
        let found = ClassWeight::Balanced.factors(0, &targets, &counts);
        assert_eq!(found, [8.0 / 9.0, 8.0 / 7.0]);
    }

    #[test]
    fn labels_of_one_class_have_equal_weights() {
        for (targets, counts) in [
            ([0.0; 3], [1.0; 3]),
            ([1.0; 3], [1.5; 3]),
            ([1.0; 3], [0.0; 3]),
        ] {
            let found = ClassWeight::Balanced.factors(0, &targets, &counts);
            assert_eq!(found, [1.0; 2]);
        }
    }

    #[test]
    fn every_class_weight_reads_back_from_its_text() {
        let given = ClassWeight::Positives(vec![1.0, 0.25, 1e7]);
        assert_eq!(given.text(), "1+0.25+1e7");
        for own in [ClassWeight::Equal, ClassWeight::Balanced, given] {
            assert_eq!(ClassWeight::from_text(&own.text()), Some(own));
        }
        for bad in ["", "Balanced", "1+", "1+-2", "0", "inf", "1+NaN", "1,2"] {
            assert_eq!(ClassWeight::from_text(bad), None, "{bad}");
        }
    }
}
