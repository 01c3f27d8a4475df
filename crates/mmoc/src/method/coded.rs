//! The base learners that predict the codewords of a code, and their decoder: what every output code comes to.
//!
//! The codeword of a label set is Vᵀy (eq. 2), predicted by ridge regressions (eq. 4), or the labels themselves
//! beside it (eq. 3), predicted by logistic regressions (eq. 5).

use super::code_decoder::{CodeDecoder, JointRule, LabelOdds};
use super::codewords::Codewords;
use super::fitted::{Fitted, HeldOut, Penalties};
use super::held_out_weights::{self, HeldOutChoice};
use super::{Decoder, Model};
use crate::Result;
use crate::code::Code;
use crate::data::{Labels, Matrix};
use crate::decode::{Inference, MOST_WEIGHED_LABELS, Part, likeliest_weights, precisions};
use crate::learn::{LinearModel, Training, shares_of};
use crate::linalg::multiply_by_transposed;
use crate::settings::{Named, Setting, Settings};

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
    /// λ, and how many of the projections count at all, as they do best by rows that were held out.
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

/// A codeword of projections alone, Vᵀy (eq. 2), which `decoder` decodes.
pub(super) fn fit_projections(training: &Training<'_>, decoder: CodeDecoder) -> Result<Fitted> {
    let ridge = training.regress(&decoder.code().encode(training.labels())?)?;
    let penalties = Penalties {
        codewords: shares_of(ridge.penalties(), training.total_scatter()?),
        ..Penalties::default()
    };
    let model = Model::new(ridge.model().clone(), Decoder::Code(Box::new(decoder)))?;
    let held_out = HeldOut::Known(ridge.held_out().clone());
    Ok(Fitted::new(model, penalties, vec![held_out]))
}

/// A codeword of labels and projections (eq. 3), decoded by eq. (15). Classifiers that have no weight are none.
pub(super) fn fit_with_labels(
    training: &Training<'_>,
    code: Code,
    codewords: Codewords,
    params: &JointParams,
) -> Result<Fitted> {
    if params.lambda == 0.0 {
        return fit_without_labels(training, code, codewords, params.inference);
    }
    let classifiers = training.classifiers()?;
    let Weighed {
        codewords,
        lambda,
        choice,
    } = weigh(training, codewords, params)?;
    let outputs = LinearModel::beside(&[&codewords.model, classifiers.model()])?;
    let penalties = Penalties {
        classifiers: classifiers.penalty_shares(),
        codewords: codewords.penalties,
    };
    let held_out = vec![HeldOut::Known(codewords.held_out), HeldOut::Classifiers];
    let rule = JointRule::new(
        codewords.projections,
        codewords.noise,
        lambda,
        params.inference,
        LabelOdds::Predicted,
    )?;
    let decoder = Decoder::Code(Box::new(CodeDecoder::joint(code, rule)?));
    let model = Model::new(outputs, decoder)?;
    Ok(Fitted::new(model, penalties, held_out).with_choice(choice))
}

/// Codewords as they count, and the weight of the classifiers.
struct Weighed {
    codewords: Codewords,
    lambda: f64,
    /// Where rows that were held out decided.
    choice: Option<HeldOutChoice>,
}

impl Weighed {
    fn new(codewords: Codewords, lambda: f64) -> Self {
        Self {
            codewords,
            lambda,
            choice: None,
        }
    }
}

fn weigh(training: &Training<'_>, codewords: Codewords, params: &JointParams) -> Result<Weighed> {
    let labels = training.labels();
    match params.weights {
        Weights::Likelihood if labels.count() <= MOST_WEIGHED_LABELS => {
            let parts = parts(&codewords, training.out_of_fold()?.log_odds())?;
            let weights = likeliest_weights(&parts, labels);
            let lambda = weights[weights.len() - 1];
            Ok(Weighed::new(codewords.weighed(&weights), lambda))
        }
        Weights::HeldOut => {
            let all = codewords.without_rest()?;
            let log_odds = training.out_of_fold()?.log_odds();
            let choice = held_out_weights::choose(&all, log_odds, labels, params.inference)?;
            let kept = all.first(choice.projections)?;
            Ok(Weighed {
                choice: Some(choice),
                ..Weighed::new(kept, choice.lambda)
            })
        }
        _ => Ok(Weighed::new(codewords.without_rest()?, params.lambda)),
    }
}

/// A codeword of projections alone, decoded by eq. (15) without classifiers. The projections say nothing
/// about labels that never vary, so that these have the odds of the training rows.
pub(super) fn fit_without_labels(
    training: &Training<'_>,
    code: Code,
    codewords: Codewords,
    inference: Inference,
) -> Result<Fitted> {
    let codewords = codewords.without_rest()?;
    let penalties = Penalties {
        codewords: codewords.penalties,
        ..Penalties::default()
    };
    let rule = JointRule::new(
        codewords.projections,
        codewords.noise,
        1.0,
        inference,
        LabelOdds::Fixed(odds_of_constants(training.labels())),
    )?;
    let decoder = Decoder::Code(Box::new(CodeDecoder::joint(code, rule)?));
    let model = Model::new(codewords.model, decoder)?;
    let held_out = vec![HeldOut::Known(codewords.held_out)];
    Ok(Fitted::new(model, penalties, held_out))
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
            evidence: multiply_by_transposed(&of_group(&codewords.held_out), &weights),
        });
    }
    parts.push(Part {
        coupling: None,
        evidence: log_odds.clone(),
    });
    Ok(parts)
}
