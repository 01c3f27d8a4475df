//! A code, the base learners that predict its codewords, and a decoder: what every output code comes to.
//!
//! The codeword of a label set is Vᵀy (eq. 2), predicted by ridge regressions (eq. 4), or the labels themselves
//! beside it (eq. 3), predicted by logistic regressions (eq. 5).

use crate::code::Code;
use crate::data::{FeaturesView, Matrix};
use crate::decode::{BackProjection, CoSaMp, Inference, Joint, L1};
use crate::learn::{LinearModel, Training};
use crate::settings::{Setting, Settings};
use crate::{Prediction, Result};

/// A fitted output code.
#[derive(Debug, Clone)]
pub struct CodedModel {
    code: Code,
    /// m̂: predictions of Vᵀy.
    codewords: LinearModel,
    decoder: Decoder,
}

/// How predicted codewords become label sets.
#[derive(Debug, Clone)]
pub(super) enum Decoder {
    BackProjection(BackProjection),
    CoSaMp(CoSaMp),
    L1(L1),
    Joint {
        joint: Joint,
        /// log p̂ⱼ₁/p̂ⱼ₀.
        log_odds: LinearModel,
    },
}

/// Parameters of joint decoding (eq. 15), the same for every code with labels in its codeword.
///
/// | name | default | range |
/// |---|---|---|
/// | `lambda` | 1 | λ ≥ 0, the weight of the classifiers |
/// | `inference` | auto | exact up to 16 labels, mean-field beyond |
#[derive(Debug, Clone, PartialEq)]
pub struct JointParams {
    /// λ: the weight of the classifiers beside the regressions.
    pub lambda: f64,
    /// How the label set of least energy is looked for.
    pub inference: Inference,
}

impl Default for JointParams {
    fn default() -> Self {
        Self {
            lambda: 1.0,
            inference: Inference::Auto,
        }
    }
}

impl Settings for JointParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::number(
                "lambda",
                "weight of the classifiers in decoding",
                &mut self.lambda,
                0.0..=1e6,
            ),
            Setting::choice(
                "inference",
                "how label sets are found; auto is exact up to 16 labels",
                &mut self.inference,
            ),
        ]
    }
}

impl CodedModel {
    /// A codeword of projections alone, Vᵀy (eq. 2).
    pub(super) fn of_projections(
        training: &Training<'_>,
        code: Code,
        decoder: Decoder,
    ) -> Result<Self> {
        let ridge = training.regress(&code.encode(training.labels())?)?;
        Ok(Self {
            codewords: ridge.model().clone(),
            code,
            decoder,
        })
    }

    /// A codeword of labels and projections (eq. 3), decoded by eq. (15). Classifiers that have no weight are none.
    pub(super) fn with_labels(
        training: &Training<'_>,
        code: Code,
        params: &JointParams,
    ) -> Result<Self> {
        if params.lambda == 0.0 {
            return Self::without_labels(training, code, params.inference);
        }
        let log_odds = training.classifiers()?.model().clone();
        Self::joint(training, code, params, log_odds)
    }

    /// A codeword of projections alone, decoded by eq. (15) without classifiers. The projections say nothing
    /// about labels that never vary, so that these have the odds of the training rows.
    pub(super) fn without_labels(
        training: &Training<'_>,
        code: Code,
        inference: Inference,
    ) -> Result<Self> {
        let labels = training.labels();
        let odds = labels.frequencies().into_iter().map(|count| {
            let others = labels.rows() - count;
            if count.min(others) > 0 {
                return 0.0;
            }
            ((count as f64 + 0.5) / (others as f64 + 0.5)).ln()
        });
        let coefficients = Matrix::zeros(training.features().columns(), labels.count());
        let log_odds = LinearModel::new(coefficients, odds.collect())?;
        let params = JointParams {
            inference,
            ..JointParams::default()
        };
        Self::joint(training, code, &params, log_odds)
    }

    fn joint(
        training: &Training<'_>,
        code: Code,
        params: &JointParams,
        log_odds: LinearModel,
    ) -> Result<Self> {
        let ridge = training.regress(&code.encode(training.labels())?)?;
        let joint = Joint::new(
            &code.projections,
            ridge.noise(),
            params.lambda,
            params.inference,
        )?;
        Ok(Self {
            codewords: ridge.model().clone(),
            code,
            decoder: Decoder::Joint { joint, log_odds },
        })
    }

    /// The code: its projections and how they were found.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Predicts the label set of every row: its codeword, decoded.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Prediction> {
        let codewords = self.codewords.predict(x)?;
        match &self.decoder {
            Decoder::BackProjection(decoder) => decoder.decode(&codewords),
            Decoder::CoSaMp(decoder) => decoder.decode(&codewords),
            Decoder::L1(decoder) => decoder.decode(&codewords),
            Decoder::Joint { joint, log_odds } => joint.decode(&codewords, &log_odds.predict(x)?),
        }
    }
}
