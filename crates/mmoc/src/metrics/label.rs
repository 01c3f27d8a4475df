//! Evaluation of each label, and the means over labels.

use super::counts::Counts;
use super::{Metric, auc, mean};
use crate::data::{Labels, Matrix};

/// Evaluation of one label. Ratios of 0/0 are 0.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LabelEvaluation {
    /// Rows that have the label.
    pub positives: usize,
    /// Rows predicted to have it.
    pub predicted: usize,
    /// Rows that have it and are predicted to, TP.
    pub true_positives: usize,
    /// Rows that do not have it but are predicted to, FP.
    pub false_positives: usize,
    /// Rows that have it but are not predicted to, FN.
    pub false_negatives: usize,
    /// `TP / (TP + FP)`.
    pub precision: f64,
    /// `TP / (TP + FN)`.
    pub recall: f64,
    /// `2 TP / (2 TP + FP + FN)`.
    pub f1: f64,
    /// The area under the ROC curve, a tie counting half; `None` without scores and for constant labels.
    pub auc: Option<f64>,
}

impl LabelEvaluation {
    fn new(counts: Counts, auc: Option<f64>) -> Self {
        Self {
            positives: counts.true_positives + counts.false_negatives,
            predicted: counts.true_positives + counts.false_positives,
            true_positives: counts.true_positives,
            false_positives: counts.false_positives,
            false_negatives: counts.false_negatives,
            precision: counts.precision(),
            recall: counts.recall(),
            f1: counts.f1(),
            auc,
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            true_positives: self.true_positives,
            false_positives: self.false_positives,
            false_negatives: self.false_negatives,
        }
    }
}

/// The evaluation of every label.
pub(super) fn table(
    truth: &Labels,
    predicted: &Labels,
    scores: Option<&Matrix>,
) -> Vec<LabelEvaluation> {
    let none = || vec![None; truth.count()];
    let areas = scores.map_or_else(none, |scores| auc::by_label(truth, scores));
    Counts::by_label(truth, predicted)
        .into_iter()
        .zip(areas)
        .map(|(counts, auc)| LabelEvaluation::new(counts, auc))
        .collect()
}

/// All metrics of label sets that are means over labels or ratios of sums over them.
pub(super) fn metrics(table: &[LabelEvaluation]) -> [(Metric, f64); 6] {
    let all: Counts = table.iter().map(LabelEvaluation::counts).sum();
    [
        (
            Metric::MacroPrecision,
            mean(table.iter().map(|label| label.precision)),
        ),
        (
            Metric::MacroRecall,
            mean(table.iter().map(|label| label.recall)),
        ),
        (Metric::MacroF1, mean(table.iter().map(|label| label.f1))),
        (Metric::MicroPrecision, all.precision()),
        (Metric::MicroRecall, all.recall()),
        (Metric::MicroF1, all.f1()),
    ]
}

/// The mean area under the ROC curve of the labels that have one, if any.
pub(super) fn macro_auc(table: &[LabelEvaluation]) -> Option<f64> {
    let areas: Vec<f64> = table.iter().filter_map(|label| label.auc).collect();
    (!areas.is_empty()).then(|| mean(areas.into_iter()))
}
