//! A code, the base learners that predict its codewords, and a decoder: what every output code comes to.
//!
//! The codeword of a label set is Vᵀy (eq. 2), predicted by ridge regressions (eq. 4), or the labels themselves
//! beside it (eq. 3), predicted by logistic regressions (eq. 5).

use super::codewords::Codewords;
use crate::code::Code;
use crate::data::{FeaturesView, Matrix};
use crate::decode::{
    BackProjection, CoSaMp, Inference, Joint, L1, MOST_WEIGHED_LABELS, Part, likeliest_weights,
    precisions,
};
use crate::learn::{LinearModel, Training};
use crate::linalg::multiply_by_transposed;
use crate::settings::{Named, Setting, Settings};
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

/// How much the parts of the energy (15) count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// The classifiers by λ, the projections of the code by their noise alone (15).
    #[default]
    Fixed,
    /// As much as makes the label sets of the training rows likeliest, by predictions that have not seen them:
    /// classifiers, projections of the code and, with canonical regressions, the directions that the code leaves
    /// out. For up to 14 labels, as likelihoods are sums over all label sets; beyond that as if fixed.
    Likelihood,
}

impl Named for Weights {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Fixed, "fixed"), (Self::Likelihood, "likelihood")];
}

/// Parameters of joint decoding (eq. 15), the same for every code with labels in its codeword.
///
/// | name | default | range |
/// |---|---|---|
/// | `lambda` | 1 | λ ≥ 0, the weight of the classifiers |
/// | `weights` | fixed | fixed, or likelihood: λ and the weights of projections by the training rows |
/// | `inference` | auto | exact up to 16 labels, mean-field beyond |
#[derive(Debug, Clone, PartialEq)]
pub struct JointParams {
    /// λ: the weight of the classifiers beside the regressions.
    pub lambda: f64,
    /// How much the parts of the energy count.
    pub weights: Weights,
    /// How the label set of least energy is looked for.
    pub inference: Inference,
}

impl Default for JointParams {
    fn default() -> Self {
        Self {
            lambda: 1.0,
            weights: Weights::Fixed,
            inference: Inference::Auto,
        }
    }
}

impl Settings for JointParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::number(
                "lambda",
                "weight of the classifiers in decoding, if weights are fixed",
                &mut self.lambda,
                0.0..=1e6,
            ),
            Setting::choice(
                "weights",
                "how much the parts of the energy count",
                &mut self.weights,
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
        codewords: Codewords,
        params: &JointParams,
    ) -> Result<Self> {
        if params.lambda == 0.0 {
            return Self::without_labels(training, code, codewords, params.inference);
        }
        let classifiers = training.classifiers()?;
        let log_odds = classifiers.model().clone();
        let few_labels = training.labels().count() <= MOST_WEIGHED_LABELS;
        if params.weights == Weights::Fixed || !few_labels {
            let codewords = codewords.without_rest()?;
            return Self::joint(code, codewords, log_odds, params.lambda, params.inference);
        }
        let parts = parts(&codewords, classifiers.out_of_fold())?;
        let weights = likeliest_weights(&parts, training.labels());
        let lambda = weights[weights.len() - 1];
        let codewords = codewords.weighed(&weights);
        Self::joint(code, codewords, log_odds, lambda, params.inference)
    }

    /// A codeword of projections alone, decoded by eq. (15) without classifiers. The projections say nothing
    /// about labels that never vary, so that these have the odds of the training rows.
    pub(super) fn without_labels(
        training: &Training<'_>,
        code: Code,
        codewords: Codewords,
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
        Self::joint(code, codewords.without_rest()?, log_odds, 1.0, inference)
    }

    fn joint(
        code: Code,
        codewords: Codewords,
        log_odds: LinearModel,
        lambda: f64,
        inference: Inference,
    ) -> Result<Self> {
        let joint = Joint::new(&codewords.projections, &codewords.noise, lambda, inference)?;
        Ok(Self {
            codewords: codewords.model,
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

/// The parts of the energy for the training rows as if they had not been seen: the projections of the code, the
/// others if there are any, and the classifiers.
fn parts(codewords: &Codewords, log_odds: &Matrix) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for group in codewords.groups() {
        let precisions: Vec<f64> = precisions(&codewords.projections, &codewords.noise)?;
        let weights = Matrix::from_fn(codewords.projections.rows(), group.len(), |j, k| {
            let column = group.start + k;
            codewords.projections[(j, column)] * precisions[column]
        });
        let of_group = |matrix: &Matrix| {
            Matrix::from_fn(matrix.rows(), group.len(), |i, k| {
                matrix[(i, group.start + k)]
            })
        };
        parts.push(Part {
            coupling: Some(multiply_by_transposed(
                &weights,
                &of_group(&codewords.projections),
            )),
            evidence: multiply_by_transposed(&of_group(&codewords.leave_one_out), &weights),
        });
    }
    parts.push(Part {
        coupling: None,
        evidence: log_odds.clone(),
    });
    Ok(parts)
}
