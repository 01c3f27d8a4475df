//! A fitted method: linear functions of the features, and a rule that decides by their values.

use super::{CodeDecoder, CodeRule, Decoder, JointRule};
use crate::code::max_margin::SolverReport;
use crate::code::{Code, CodeReport};
use crate::data::{FeaturesView, Labels, Matrix};
use crate::learn::LinearModel;
use crate::{Error, Prediction, Result, check_size};

/// Numbers that a batch of rows may have, features and outputs together.
const BATCH_NUMBERS: usize = 1 << 20;
/// Rows that a batch may have.
const BATCH_ROWS: usize = 4096;

/// A fitted method: m linear functions of the features, the outputs, and a decoder that makes label sets of them.
///
/// | method | outputs | decoder |
/// |---|---|---|
/// | br | log-odds of each label | [`Decoder::LogOdds`] |
/// | coding-cs, coding-pca | codewords Vᵀy | [`Decoder::Code`] |
/// | coding-pca-r, coding-cca, max-margin | codewords, then log-odds of each label if it has classifiers | [`Decoder::Code`] |
/// | clr | log-odds of each label against the virtual one, then of each pair of labels | [`Decoder::Votes`] |
/// | lead | log-odds of each label but for what its parents add | [`Decoder::Network`] |
#[derive(Debug, Clone)]
pub struct Model {
    outputs: LinearModel,
    decoder: Decoder,
}

impl Model {
    /// A model whose decoder takes as many outputs as there are.
    pub fn new(outputs: LinearModel, decoder: Decoder) -> Result<Self> {
        let found = outputs.intercepts().len();
        check_size("outputs of a model", decoder.outputs(), found)?;
        Ok(Self { outputs, decoder })
    }

    /// The outputs as functions of the features.
    pub fn outputs(&self) -> &LinearModel {
        &self.outputs
    }

    /// What makes label sets of the outputs.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Number of labels, q.
    pub fn labels(&self) -> usize {
        self.decoder.labels()
    }

    /// Predicts the label set of every row.
    ///
    /// Fails if features are so large that outputs or scores overflow: nothing could be said of such rows.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Prediction> {
        let prediction = self.decoder.decode(self.finite_outputs(x)?)?;
        prediction.scores.as_ref().map_or(Ok(()), check_finite)?;
        Ok(prediction)
    }

    /// The label set of every row, as [`Self::predict`] finds it, without the numbers behind it: for joint decoding these
    /// may take longer than the sets.
    pub fn label_sets(&self, x: FeaturesView<'_>) -> Result<Labels> {
        match self.joint() {
            Some(rule) => rule.label_sets(&self.finite_outputs(x)?),
            None => Ok(self.predict(x)?.labels),
        }
    }

    fn finite_outputs(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        let outputs = self.outputs.predict(x)?;
        check_finite(&outputs)?;
        Ok(outputs)
    }

    fn joint(&self) -> Option<&JointRule> {
        match &self.decoder {
            Decoder::Code(decoder) => match decoder.rule() {
                CodeRule::Joint(rule) => Some(rule),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether predictions have probabilities: not those of codewords alone.
    pub fn has_probabilities(&self) -> bool {
        match &self.decoder {
            Decoder::Code(_) => self.joint().is_some(),
            Decoder::LogOdds { .. } | Decoder::Votes(_) | Decoder::Network(_) => true,
        }
    }

    /// Rows to predict at a time, so that the outputs and `stored` numbers for the features of each row stay within
    /// some megabytes: from 1 to 4096.
    pub fn batch_rows(&self, stored: usize) -> usize {
        let numbers = stored.saturating_add(self.decoder.outputs()).max(1);
        (BATCH_NUMBERS / numbers).clamp(1, BATCH_ROWS)
    }

    /// The output code with its projections, if the method has one.
    pub fn code(&self) -> Option<&Code> {
        match &self.decoder {
            Decoder::Code(decoder) => Some(CodeDecoder::code(decoder)),
            _ => None,
        }
    }

    /// How the code was found, if the method has one.
    pub fn code_report(&self) -> Option<&CodeReport> {
        self.code().map(|code| &code.report)
    }

    /// How the max-margin problem was solved, if the method has one.
    pub fn solver_report(&self) -> Option<&SolverReport> {
        match self.code_report() {
            Some(CodeReport::MaxMargin { solver, .. }) => Some(solver),
            _ => None,
        }
    }
}

fn check_finite(values: &Matrix) -> Result<()> {
    if values.values().iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: "features for which the outputs of the model are finite".into(),
        found: "numbers that are too large".into(),
    })
}
