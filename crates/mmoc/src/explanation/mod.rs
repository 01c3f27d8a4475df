//! Why label sets were predicted: contributions of features, of other labels, and of terms that are not linear.
//!
//! A label set y has the score b(x)ᵀy − ½yᵀAy, beside what terms about whole label sets add. The score of label j in a
//! row with the predicted set ŷ is the difference that j makes to the score of the set:
//!
//! ```text
//! b_j(x) − ½A_jj − Σ_{k in ŷ, k ≠ j} A_jk
//! ```
//!
//! with b the evidence for labels and A the coupling of pairs of labels by the code. A label k with a positive
//! contribution −A_jk pulls j in, one with a negative contribution pushes it out. Terms about whole label sets have no
//! part of a single label. They count in [`SetContrast`], which compares the predicted set with the likeliest other.

mod row;
mod scores;

pub use scores::WithoutScores;

use self::row::{Decided, Explainer};
use crate::data::FeaturesView;
use crate::method::PredictorInput;
use crate::posterior::{Decision, SetContrast};
use crate::settings::Named;
use crate::{Error, Model, ModelInput, Result, RowsWithEvidence};

/// Why the label set of a row was predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The score of each label, in the order of the labels. Empty if all terms are about whole label sets.
    pub labels: Vec<LabelExplanation>,
    /// What each term of the posterior says for the predicted set against the likeliest other one. None without a
    /// posterior, and for predicted sets that are no candidates, as decisions for other measures may find.
    pub contrast: Option<SetContrast>,
}

/// The score of a label in a row, and its parts, which add up to it.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelExplanation {
    /// The position of the label.
    pub label: usize,
    /// Whether the label is predicted.
    pub predicted: bool,
    /// The score of the label if the other predicted labels hold.
    pub score: f64,
    /// The baseline, the largest contributions of features, those of other terms, and the labels that pull most.
    pub parts: Vec<Part>,
}

/// A part of the score of a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it comes from.
    pub kind: PartKind,
    /// The name of the feature, of the label that pulls, or of the term.
    pub name: String,
    /// The value of a feature in the row as it came, NaN if it is missing; 1 for an indicator of a missing value.
    pub value: Option<f64>,
    /// What it adds to the score.
    pub contribution: f64,
}

/// What a part of a score comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// The score in a row of average features without other labels; for models of sparse rows, in a row of zeros.
    Baseline,
    /// A feature: its coefficient times its difference from the average, or from zero. In radial basis functions, its
    /// integrated gradient between the average and the row.
    Feature,
    /// All features that are not listed, and what the quadrature of integrated gradients leaves out.
    OtherFeatures,
    /// Another predicted label.
    Label,
    /// All other predicted labels that are not listed.
    OtherLabels,
    /// A term that has no parts: from outside of the model, or of radial basis functions of sparse rows.
    Term,
}

impl Named for PartKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Baseline, "baseline"),
        (Self::Feature, "feature"),
        (Self::OtherFeatures, "other features"),
        (Self::Label, "label"),
        (Self::OtherLabels, "other labels"),
        (Self::Term, "term"),
    ];
}

impl Model {
    /// Explains the predicted label set of every row, under another decision than that of the model if one is given. For
    /// each label, the `most` largest contributions of features are listed, and as many of other labels.
    ///
    /// Meant for a few rows: the explanation of a row has all labels. An error if the model has no scores of labels
    /// ([`Self::without_scores`]), or another decision is given and it has no posterior over label sets.
    pub fn explain<'a>(
        &self,
        rows: impl ModelInput<'a>,
        decision: Option<Decision>,
        most: usize,
    ) -> Result<Vec<Explanation>> {
        let explainer = Explainer::new(self, most)?;
        let evidence = rows.evidence();
        let features: FeaturesView<'a> = rows.features_of(self.schema())?;
        let rows = RowsWithEvidence {
            rows: features,
            evidence,
        };
        let decide = |batch: PredictorInput<'_>| Decided::of(self.predictor(), batch, decision);
        let batches = self.in_batches(rows, 0, decide)?;
        let decided = batches.into_iter().flatten().enumerate();
        decided
            .map(|(row, own)| explainer.explain(features, row, own))
            .collect()
    }
    /// Why the model cannot be explained; none if it can.
    pub fn without_scores(&self) -> Option<WithoutScores> {
        match scores::LabelScores::of(self.predictor()) {
            Err(Error::WithoutScores(reason)) => Some(reason),
            _ => None,
        }
    }
}
