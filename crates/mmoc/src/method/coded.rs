//! Fits of codewords: the base learners that predict them, and their decoder.
//!
//! The codeword of a label set is Vᵀy (eq. 2), predicted by ridge regressions (eq. 4), or the labels themselves
//! beside it (eq. 3), predicted by logistic regressions (eq. 5).

use std::ops::Range;

use super::Predictor;
use super::codewords::Codewords;
use super::fitted::{Fitted, HeldOutOutputs, Penalties};
use super::held_out_weights::{self, HeldOutChoice};
use crate::Result;
use crate::code::Code;
use crate::data::{Labels, Matrix};
use crate::decode::{
    Decoder, EnergyPart, Inference, Joint, MOST_WEIGHED_LABELS, check_code_labels,
    likeliest_weights, precisions,
};
use crate::learn::{LinearModel, Training};
use crate::linalg::multiply_by_transposed;
use crate::settings::{Named, Setting, Settings};

/// How the terms of the energy (15) are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// The classifiers by λ, the projections of the code by their noise (15).
    #[default]
    Fixed,
    /// By the likelihood of the training rows under held-out predictions: one weight for the classifiers, one for the
    /// projections of the code and, with canonical regressions, one for the directions that the code leaves out. For up
    /// to 14 labels, as likelihoods are sums over all label sets; fixed beyond that.
    Likelihood,
    /// λ and the number of projections by the scores of held-out rows.
    HeldOut,
}

impl Named for Weights {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Fixed, "fixed"),
        (Self::Likelihood, "likelihood"),
        (Self::HeldOut, "held-out"),
    ];
}

/// Parameters of joint decoding (eq. 15), the same for every code with labels in its codeword.
///
/// | name | default | range |
/// |---|---|---|
/// | `lambda` | 1 | λ ≥ 0, the weight of the classifiers |
/// | `weights` | fixed | fixed; likelihood: λ and the weights of projections by the training rows; held-out: λ and the number of projections |
/// | `inference` | auto | label sets and probabilities exact up to 16 labels, mean-field beyond |
#[derive(Debug, Clone, PartialEq)]
pub struct JointParams {
    /// λ: the weight of the classifiers beside the regressions.
    pub lambda: f64,
    /// How the terms of the energy are weighted.
    pub weights: Weights,
    /// How the label set of least energy is found.
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
                "how the terms of the energy are weighted",
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

impl JointParams {
    /// Whether weights are chosen on training rows: by likelihood only while all label sets can be enumerated.
    fn chooses_weights(&self, labels: usize) -> bool {
        match self.weights {
            Weights::Fixed => false,
            Weights::Likelihood => labels <= MOST_WEIGHED_LABELS,
            Weights::HeldOut => true,
        }
    }
}

/// A codeword of projections alone, Vᵀy (eq. 2), with a decoder of its own.
pub(super) fn fit_projections<D: Into<Decoder>>(
    training: &Training<'_>,
    code: Code,
    decoder: impl FnOnce(&Code) -> Result<D>,
) -> Result<Fitted> {
    check_code_labels(code.projections.rows())?;
    let decoder = decoder(&code)?;
    let codewords = Codewords::regressed(training, &code)?;
    fit_alone(codewords, code, decoder)
}

/// Codewords as the only outputs.
fn fit_alone(codewords: Codewords, code: Code, decoder: impl Into<Decoder>) -> Result<Fitted> {
    let penalties = Penalties {
        codewords: codewords.penalties,
        ..Penalties::default()
    };
    let predictor = Predictor::new(codewords.model, decoder, Some(code))?;
    let held_out = vec![HeldOutOutputs::Known(codewords.held_out)];
    Ok(Fitted::new(predictor, penalties, held_out))
}

/// A codeword of projections, with `classifiers` beside the labels themselves (eq. 3), decoded by eq. (15).
///
/// Without classifiers, or where their weight is fixed to zero, only labels that never vary have log-odds: those of the
/// training rows, as projections say nothing about them.
pub(super) fn fit_joint(
    training: &Training<'_>,
    code: Code,
    codewords: Codewords,
    params: &JointParams,
    classifiers: bool,
) -> Result<Fitted> {
    let labels = training.labels();
    check_code_labels(labels.count())?;
    let chosen = params.chooses_weights(labels.count());
    if !classifiers || (params.lambda == 0.0 && !chosen) {
        let codewords = codewords.without_rest()?;
        let joint = Joint::new(
            &codewords.projections,
            &codewords.noise,
            1.0,
            params.inference,
        )?
        .with_fixed_log_odds(odds_of_constants(labels))?;
        return fit_alone(codewords, code, joint);
    }
    let classifiers = training.classifiers()?;
    let (codewords, lambda, choice) = weigh(training, codewords, params)?;
    let joint = Joint::new(
        &codewords.projections,
        &codewords.noise,
        lambda,
        params.inference,
    )?;
    let penalties = Penalties {
        classifiers: classifiers.penalty_shares(),
        codewords: codewords.penalties,
    };
    let outputs = LinearModel::concatenated(&[&codewords.model, classifiers.model()])?;
    let predictor = Predictor::new(outputs, joint, Some(code))?;
    let held_out = vec![
        HeldOutOutputs::Known(codewords.held_out),
        HeldOutOutputs::Classifiers,
    ];
    let mut fitted = Fitted::new(predictor, penalties, held_out);
    fitted.choice = choice;
    Ok(fitted)
}

/// Codewords with the weights that were asked for, λ, and the choice of held-out rows if they made one.
fn weigh(
    training: &Training<'_>,
    codewords: Codewords,
    params: &JointParams,
) -> Result<(Codewords, f64, Option<HeldOutChoice>)> {
    let labels = training.labels();
    if !params.chooses_weights(labels.count()) {
        return Ok((codewords.without_rest()?, params.lambda, None));
    }
    let log_odds = training.out_of_fold()?.log_odds();
    if params.weights == Weights::HeldOut {
        let all = codewords.without_rest()?;
        let choice = held_out_weights::choose(&all, log_odds, labels, params.inference)?;
        return Ok((all.first(choice.projections)?, choice.lambda, Some(choice)));
    }
    let weights = likeliest_weights(&energy_parts(&codewords, log_odds)?, labels);
    let lambda = weights[weights.len() - 1];
    Ok((codewords.weighed(&weights), lambda, None))
}

/// The smoothed log-odds of labels that all rows carry or none does, zero for the others.
fn odds_of_constants(labels: &Labels) -> Vec<f64> {
    let counts = labels.frequencies().into_iter();
    counts
        .map(|count| {
            let others = labels.rows() - count;
            if count.min(others) > 0 {
                return 0.0;
            }
            ((count as f64 + 0.5) / (others as f64 + 0.5)).ln()
        })
        .collect()
}

/// The parts of the energy for the training rows, held out: the projections of the code, the others if there are any,
/// and the classifiers.
fn energy_parts(codewords: &Codewords, log_odds: &Matrix) -> Result<Vec<EnergyPart>> {
    let precisions = precisions(&codewords.projections, &codewords.noise)?;
    let of_group = |group: Range<usize>| {
        let projections = codewords.projections.select_columns(group.clone());
        let weights = Matrix::from_fn(projections.rows(), group.len(), |j, k| {
            projections[(j, k)] * precisions[group.start + k]
        });
        let held_out = codewords.held_out.select_columns(group);
        EnergyPart {
            coupling: Some(multiply_by_transposed(&weights, &projections)),
            evidence: multiply_by_transposed(&held_out, &weights),
        }
    };
    let classifiers = EnergyPart {
        coupling: None,
        evidence: log_odds.clone(),
    };
    Ok(codewords
        .groups()
        .map(of_group)
        .chain([classifiers])
        .collect())
}
