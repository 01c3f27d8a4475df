//! Evaluation of each label, and the means over labels.

use super::counts::Counts;
use super::{Metric, auc, mean};
use crate::data::{Labels, Matrix, Targets};

/// Evaluation of one label, over the rows of which it is known. Ratios of 0/0 are 0.
///
/// Counts are numbers of rows. In ratios and areas rows count with their weights, if they have any.
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
    fn new(counts: Counts, weighted: Counts<f64>, auc: Option<f64>) -> Self {
        Self {
            positives: counts.true_positives + counts.false_negatives,
            predicted: counts.true_positives + counts.false_positives,
            true_positives: counts.true_positives,
            false_positives: counts.false_positives,
            false_negatives: counts.false_negatives,
            precision: weighted.precision(),
            recall: weighted.recall(),
            f1: weighted.f1(),
            auc,
        }
    }
}

/// The evaluation of every label.
pub(super) struct LabelTable {
    pub(super) labels: Vec<LabelEvaluation>,
    /// The weighted counts of all labels together.
    pub(super) sums: Counts<f64>,
}

pub(super) fn table(truth: Targets<'_>, predicted: &Labels, scores: Option<&Matrix>) -> LabelTable {
    let none = || vec![None; predicted.count()];
    let areas = scores.map_or_else(none, |scores| auc::by_label(truth, scores));
    let counts = Counts::by_label(truth.labels(), predicted, |_| 1);
    let weighted: Vec<Counts<f64>> = match truth.weights() {
        None => counts.iter().copied().map(Counts::from).collect(),
        Some(weights) => Counts::by_label(truth.labels(), predicted, |row| weights[row]),
    };
    let sums = weighted.iter().copied().sum();
    let parts = counts.into_iter().zip(weighted).zip(areas);
    let labels = parts.map(|((counts, weighted), auc)| LabelEvaluation::new(counts, weighted, auc));
    LabelTable {
        labels: labels.collect(),
        sums,
    }
}

/// All metrics of label sets that are means over labels or ratios of sums over them.
pub(super) fn metrics(table: &[LabelEvaluation], sums: Counts<f64>) -> [(Metric, f64); 6] {
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
        (Metric::MicroPrecision, sums.precision()),
        (Metric::MicroRecall, sums.recall()),
        (Metric::MicroF1, sums.f1()),
    ]
}

/// The mean area under the ROC curve of the labels that have one, if any.
pub(super) fn macro_auc(table: &[LabelEvaluation]) -> Option<f64> {
    let areas: Vec<f64> = table.iter().filter_map(|label| label.auc).collect();
    (!areas.is_empty()).then(|| mean(areas.into_iter()))
}
