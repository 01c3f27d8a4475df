//! Fits of codewords: the base learners that predict them, and their decoder.
//!
//! The codeword of a label set is Vᵀy (eq. 2), predicted by ridge regressions (eq. 4), or the labels themselves
//! beside it (eq. 3), predicted by logistic regressions (eq. 5). Codewords with labels are decoded by eq. (15), or their
//! predictions are terms of a posterior over label sets.

use super::codewords::Codewords;
use super::fitted::{Fitted, HeldOutOutputs, Penalties};
use super::{DecodingParams, Predictor};
use crate::Result;
use crate::code::Code;
use crate::data::Labels;
use crate::decode::{Decoder, Joint, check_code_labels};
use crate::evidence::base_log_odds;
use crate::learn::{LinearModel, Training};

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

/// A codeword of projections, with `classifiers` beside the labels themselves (eq. 3), decoded by eq. (15) with fixed
/// weights.
///
/// Without classifiers, or where their weight is zero, only labels that never vary have log-odds: those of the training
/// rows, as projections say nothing about them.
pub(super) fn fit_joint(
    training: &Training<'_>,
    code: Code,
    codewords: Codewords,
    params: &DecodingParams,
    classifiers: bool,
) -> Result<Fitted> {
    let labels = training.labels();
    check_code_labels(labels.count())?;
    let joint = |lambda| {
        let (projections, noise) = (&codewords.projections, &codewords.noise);
        Joint::new(projections, noise, lambda, params.inference)
    };
    if !classifiers || params.lambda == 0.0 {
        let joint = joint(1.0)?.with_fixed_log_odds(odds_of_constants(labels))?;
        return fit_alone(codewords, code, joint);
    }
    let joint = joint(params.lambda)?;
    let classifiers = training.classifiers()?;
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
    Ok(Fitted::new(predictor, penalties, held_out))
}

/// The smoothed log-odds of labels that all rows carry or none does, zero for the others.
fn odds_of_constants(labels: &Labels) -> Vec<f64> {
    let varies = |count: &usize| (1..labels.rows()).contains(count);
    let counts = labels.frequencies();
    let odds = counts.iter().zip(base_log_odds(labels.into()));
    odds.map(|(count, odds)| if varies(count) { 0.0 } else { odds })
        .collect()
}
