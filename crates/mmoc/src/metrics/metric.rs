//! The table of metrics, shared by the command line, the Python package and the report.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Error, Result};

/// A metric, in the order of the table.
///
/// A ratio of 0/0 counts as 0, as with `zero_division=0` in scikit-learn. See the [notation](super), also for weights of
/// rows and unknown labels, which the formulas leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The fraction of rows with exactly the right label set: `mean_i [T_i = P_i]`.
    SubsetAccuracy,
    /// The fraction of wrong cells: `mean_i |T_i Δ P_i| / q`.
    HammingLoss,
    /// `mean_i |T_i ∩ P_i| / |T_i ∪ P_i|`. A row without true and predicted labels is 0/0.
    Jaccard,
    /// `mean_i |T_i ∩ P_i| / |P_i|`. A row without predicted labels is 0/0.
    ExamplePrecision,
    /// `mean_i |T_i ∩ P_i| / |T_i|`. A row without labels is 0/0.
    ExampleRecall,
    /// `mean_i 2 |T_i ∩ P_i| / (|T_i| + |P_i|)`. A row without true and predicted labels is 0/0.
    ExampleF1,
    /// The mean over labels of `TP / (TP + FP)`. A label that is never predicted is 0/0.
    MacroPrecision,
    /// The mean over labels of `TP / (TP + FN)`. A label that no row has is 0/0.
    MacroRecall,
    /// The mean over labels of `2 TP / (2 TP + FP + FN)`. A label that no row has and that is never predicted is
    /// 0/0.
    MacroF1,
    /// `TP / (TP + FP)` of the counts summed over labels.
    MicroPrecision,
    /// `TP / (TP + FN)` of the counts summed over labels.
    MicroRecall,
    /// `2 TP / (2 TP + FP + FN)` of the counts summed over labels.
    MicroF1,
    /// The mean over labels of the area under the ROC curve: the probability that a random row with
    /// the label has a higher score for it than a random row without; a tie counts half.
    ///
    /// Labels that are constant in the truth have no curve and are left out of the mean; if all are, the metric is
    /// absent.
    MacroAuc,
    /// The area under the ROC curve of all n·q cells as one label; a tie counts half. Absent if the truth is all
    /// zeros or all ones.
    MicroAuc,
    /// The fraction of rows whose highest-scoring label is not relevant: `mean_i [argmax_j s_ij ∉ T_i]`.
    ///
    /// With several highest-scoring labels a row counts as the fraction of them that is not relevant. A row without
    /// labels counts as 1. So this is one minus [`Metric::PrecisionAt1`].
    OneError,
    /// The depth in the ranking that covers all labels of a row: `mean_i max_{j ∈ T_i} |{k : s_ik ≥ s_ij}|`. All
    /// tied labels count; a row without labels counts as 0. As `coverage_error` in scikit-learn, so the best value
    /// is the label cardinality.
    Coverage,
    /// The fraction of wrongly ordered pairs of a relevant and an irrelevant label: `mean_i |{(j, k) : j ∈ T_i, k ∉
    /// T_i, s_ij ≤ s_ik}| / (|T_i| (q − |T_i|))`. A tie is wrong; a row with no label or all labels counts as 0. As
    /// `label_ranking_loss` in scikit-learn.
    RankingLoss,
    /// For each relevant label, the fraction of relevant labels among those ranked at least as high: `mean_i
    /// mean_{j ∈ T_i} |{k ∈ T_i : s_ik ≥ s_ij}| / |{k : s_ik ≥ s_ij}|`. A row with no label or all labels counts as
    /// 1. As `label_ranking_average_precision_score` in scikit-learn.
    LabelRankingAveragePrecision,
    /// [`precision_at`](super::precision_at) with k = 1.
    PrecisionAt1,
    /// [`precision_at`](super::precision_at) with k = 3.
    PrecisionAt3,
    /// [`precision_at`](super::precision_at) with k = 5.
    PrecisionAt5,
    /// [`ndcg_at`](super::ndcg_at) with k = 1, which equals [`Metric::PrecisionAt1`].
    NdcgAt1,
    /// [`ndcg_at`](super::ndcg_at) with k = 3.
    NdcgAt3,
    /// [`ndcg_at`](super::ndcg_at) with k = 5.
    NdcgAt5,
    /// The mean over rows and labels of `−log p`, where p is the probability of the true value of the cell, clipped
    /// to `[ε, 1 − ε]` for the ε of `f64`. The mean over labels of `log_loss` in scikit-learn.
    LogLoss,
}

/// The input of a metric, besides the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Needs {
    /// Predicted label sets.
    LabelSets,
    /// A score for each row and label; only the order matters.
    Scores,
    /// A probability for each row and label.
    Probabilities,
}

/// A row of the table.
struct MetricEntry {
    metric: Metric,
    key: &'static str,
    title: &'static str,
    better: Better,
    needs: Needs,
}

/// Which values of a metric are better.
#[derive(PartialEq)]
enum Better {
    High,
    Low,
}

const fn entry(
    metric: Metric,
    key: &'static str,
    title: &'static str,
    better: Better,
    needs: Needs,
) -> MetricEntry {
    MetricEntry {
        metric,
        key,
        title,
        better,
        needs,
    }
}

use Better::{High, Low};
use Metric as M;
use Needs::{LabelSets, Probabilities, Scores};

#[rustfmt::skip]
const TABLE: [MetricEntry; 25] = [
    entry(M::SubsetAccuracy, "subset_accuracy", "Subset accuracy", High, LabelSets),
    entry(M::HammingLoss, "hamming_loss", "Hamming loss", Low, LabelSets),
    entry(M::Jaccard, "jaccard", "Jaccard index", High, LabelSets),
    entry(M::ExamplePrecision, "example_precision", "Example precision", High, LabelSets),
    entry(M::ExampleRecall, "example_recall", "Example recall", High, LabelSets),
    entry(M::ExampleF1, "example_f1", "Example F1", High, LabelSets),
    entry(M::MacroPrecision, "macro_precision", "Macro precision", High, LabelSets),
    entry(M::MacroRecall, "macro_recall", "Macro recall", High, LabelSets),
    entry(M::MacroF1, "macro_f1", "Macro-F1", High, LabelSets),
    entry(M::MicroPrecision, "micro_precision", "Micro precision", High, LabelSets),
    entry(M::MicroRecall, "micro_recall", "Micro recall", High, LabelSets),
    entry(M::MicroF1, "micro_f1", "Micro-F1", High, LabelSets),
    entry(M::MacroAuc, "macro_auc", "Macro AUC", High, Scores),
    entry(M::MicroAuc, "micro_auc", "Micro AUC", High, Scores),
    entry(M::OneError, "one_error", "One-error", Low, Scores),
    entry(M::Coverage, "coverage", "Coverage", Low, Scores),
    entry(M::RankingLoss, "ranking_loss", "Ranking loss", Low, Scores),
    entry(M::LabelRankingAveragePrecision, "label_ranking_average_precision",
          "Label ranking average precision", High, Scores),
    entry(M::PrecisionAt1, "precision_at_1", "Precision at 1", High, Scores),
    entry(M::PrecisionAt3, "precision_at_3", "Precision at 3", High, Scores),
    entry(M::PrecisionAt5, "precision_at_5", "Precision at 5", High, Scores),
    entry(M::NdcgAt1, "ndcg_at_1", "NDCG at 1", High, Scores),
    entry(M::NdcgAt3, "ndcg_at_3", "NDCG at 3", High, Scores),
    entry(M::NdcgAt5, "ndcg_at_5", "NDCG at 5", High, Scores),
    entry(M::LogLoss, "log_loss", "Log loss", Low, Probabilities),
];

impl Metric {
    /// All metrics, in the order of the table.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        TABLE.iter().map(|entry| entry.metric)
    }

    /// The stable key in snake case.
    pub fn key(self) -> &'static str {
        self.entry().key
    }

    /// The name for display.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// Whether higher values are better.
    pub fn higher_is_better(self) -> bool {
        self.entry().better == High
    }

    /// The input of the metric.
    pub fn needs(self) -> Needs {
        self.entry().needs
    }

    fn entry(self) -> &'static MetricEntry {
        &TABLE[self as usize]
    }
}

impl fmt::Display for Metric {
    /// Writes the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.key())
    }
}

impl Serialize for Metric {
    /// Writes the key.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Metric {
    /// Reads a key.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        key.parse().map_err(de::Error::custom)
    }
}

impl FromStr for Metric {
    type Err = Error;

    /// Reads a key.
    fn from_str(key: &str) -> Result<Self> {
        Self::all()
            .find(|metric| metric.key() == key)
            .ok_or_else(|| Error::Parameter {
                parameter: "the metric",
                expected: format!("one of {}", keys()),
                found: format!("'{key}'"),
            })
    }
}

fn keys() -> String {
    let keys: Vec<&str> = Metric::all().map(Metric::key).collect();
    keys.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_every_metric_at_its_index() {
        for (place, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.metric as usize, place, "{}", entry.key);
        }
        assert_eq!(Metric::LogLoss as usize + 1, TABLE.len());
    }

    #[test]
    fn keys_are_snake_case_and_round_trip() {
        for metric in Metric::all() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(metric.key().chars().all(plain), "{metric}");
            assert_eq!(metric.key().parse::<Metric>().unwrap(), metric);
        }
    }

    #[test]
    fn losses_and_errors_are_better_when_low() {
        let low: Vec<&str> = Metric::all()
            .filter(|metric| !metric.higher_is_better())
            .map(Metric::key)
            .collect();
        let expected = [
            "hamming_loss",
            "one_error",
            "coverage",
            "ranking_loss",
            "log_loss",
        ];
        assert_eq!(low, expected);
    }

    #[test]
    fn an_unknown_key_is_an_error_that_lists_the_keys() {
        let message = "accuracy".parse::<Metric>().unwrap_err().to_string();
        assert!(
            message.contains("subset_accuracy, hamming_loss"),
            "{message}"
        );
        assert!(message.contains("'accuracy'"), "{message}");
    }
}
