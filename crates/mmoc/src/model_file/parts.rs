//! From a model to its description and tensors, and back.

use std::borrow::Cow;

use super::header::{Header, Rule};
use super::refusal::Refusal;
use super::tensors::{
    COEFFICIENTS, FILL, Given, INTERCEPTS, JOINT_LOG_ODDS, JOINT_NOISE, JOINT_PROJECTIONS, METRIC,
    ORIGIN, PARENT_WEIGHTS, PROJECTIONS, SCALE, SHIFT, Tensors,
};
use crate::check_size;
use crate::code::{Code, CodeReport};
use crate::data::Preprocessing;
use crate::decode::Inference;
use crate::learn::LinearModel;
use crate::method::{
    CalibratedVotes, CodeDecoder, CodeRule, Decoder, JointRule, LabelNetwork, LabelOdds, Model,
};
use crate::settings::Named;
use crate::train::Trained;

/// The description of a model and its numbers.
pub(super) fn take_apart(trained: &Trained) -> (Header, Given<'_>) {
    let mut tensors = Given::default();
    let preprocessing = trained.preprocessing();
    tensors.vector(FILL, preprocessing.fill());
    tensors.vector(SHIFT, preprocessing.shift());
    tensors.vector(SCALE, preprocessing.scale());
    let outputs = trained.model().outputs();
    tensors.matrix(COEFFICIENTS, outputs.coefficients());
    tensors.vector(INTERCEPTS, outputs.intercepts());
    let rule = take_decoder_apart(trained.model().decoder(), &mut tensors);
    let header = Header::new(
        trained.params(),
        rule,
        trained.schema().clone(),
        trained.record().clone(),
    );
    (header, tensors)
}

fn take_decoder_apart<'a>(decoder: &'a Decoder, tensors: &mut Given<'a>) -> Rule {
    match decoder {
        Decoder::LogOdds { .. } => Rule::LogOdds {},
        Decoder::Code(decoder) => take_code_apart(decoder, tensors),
        Decoder::Votes(votes) => Rule::Votes {
            votes: votes.votes().name().into(),
        },
        Decoder::Network(network) => {
            let edges = network.parents().iter().flatten();
            let weights: Vec<f64> = edges.map(|&(_, weight)| weight).collect();
            tensors.vector(PARENT_WEIGHTS, Cow::from(weights));
            let parents = |own: &Vec<(usize, f64)>| own.iter().map(|&(parent, _)| parent).collect();
            Rule::Network {
                evidence: network.evidence().name().into(),
                parents: network.parents().iter().map(parents).collect(),
            }
        }
    }
}

fn take_code_apart<'a>(decoder: &'a CodeDecoder, tensors: &mut Given<'a>) -> Rule {
    let code = decoder.code();
    tensors.matrix(PROJECTIONS, &code.projections);
    tensors.vector(ORIGIN, &code.origin);
    if let CodeReport::MaxMargin { metric, .. } = &code.report {
        tensors.matrix(METRIC, metric);
    }
    match decoder.rule() {
        CodeRule::BackProjection(_) => Rule::BackProjection {},
        CodeRule::CoSaMp(cosamp) => Rule::Cosamp {
            sparsity: cosamp.sparsity(),
        },
        CodeRule::L1(l1) => Rule::L1 {
            penalty: l1.penalty(),
        },
        CodeRule::Joint(joint) => {
            tensors.matrix(JOINT_PROJECTIONS, joint.projections());
            tensors.vector(JOINT_NOISE, joint.noise());
            if let LabelOdds::Fixed(log_odds) = joint.label_odds() {
                tensors.vector(JOINT_LOG_ODDS, log_odds);
            }
            Rule::Joint {
                lambda: joint.lambda(),
                inference: joint.inference().name().into(),
                classifiers: *joint.label_odds() == LabelOdds::Predicted,
            }
        }
    }
}

/// The model of a description and its numbers, by the constructors that training has used.
pub(super) fn assemble(header: Header, mut tensors: Tensors) -> Result<Trained, Refusal> {
    let params = header.params()?;
    let columns = header.schema.columns();
    let preprocessing = Preprocessing::from_parts(
        tensors.vector(FILL, columns)?,
        tensors.vector(SHIFT, columns)?,
        tensors.vector(SCALE, columns)?,
    )?;
    let coefficients = tensors.matrix(COEFFICIENTS, columns, None)?;
    let intercepts = tensors.vector(INTERCEPTS, coefficients.columns())?;
    let outputs = LinearModel::new(coefficients, intercepts)?;
    let model = Model::new(outputs, decoder(&header, &mut tensors)?)?;
    tensors.finish()?;
    let Header { schema, record, .. } = header;
    Ok(Trained::new(params, schema, preprocessing, model, record)?)
}

fn decoder(header: &Header, tensors: &mut Tensors) -> Result<Decoder, Refusal> {
    let labels = header.schema.label_names().len();
    let decoder = match &header.decoder {
        Rule::LogOdds {} => return Ok(Decoder::LogOdds { labels }),
        Rule::Votes { votes } => {
            let votes = CalibratedVotes::new(labels, named("votes", votes)?);
            return Ok(Decoder::Votes(votes));
        }
        Rule::Network { evidence, parents } => {
            let edges = parents.iter().map(Vec::len).sum();
            let mut weights = tensors.vector(PARENT_WEIGHTS, edges)?.into_iter();
            let parents = parents
                .iter()
                .map(|own| own.iter().copied().zip(weights.by_ref()).collect())
                .collect();
            let network = LabelNetwork::new(parents, named("evidence", evidence)?)?;
            return Ok(Decoder::Network(network));
        }
        Rule::BackProjection {} => CodeDecoder::back_projection(code(header, tensors)?)?,
        Rule::Cosamp { sparsity } => CodeDecoder::cosamp(code(header, tensors)?, *sparsity)?,
        Rule::L1 { penalty } => CodeDecoder::l1(code(header, tensors)?, *penalty)?,
        Rule::Joint {
            lambda,
            inference,
            classifiers,
        } => {
            let code = code(header, tensors)?;
            let label_odds = if *classifiers {
                LabelOdds::Predicted
            } else {
                LabelOdds::Fixed(tensors.vector(JOINT_LOG_ODDS, labels)?)
            };
            let inference = match named("inference", inference)? {
                Inference::Auto => {
                    let expected = "inference to be decided: exact or mean-field";
                    return Err(Refusal::not_a_model(expected, "auto"));
                }
                decided => decided,
            };
            let projections = tensors.matrix(JOINT_PROJECTIONS, labels, None)?;
            let noise = tensors.vector(JOINT_NOISE, projections.columns())?;
            let rule = JointRule::new(projections, noise, *lambda, inference, label_odds)?;
            CodeDecoder::joint(code, rule)?
        }
    };
    Ok(Decoder::Code(Box::new(decoder)))
}

/// The code, with the report of the training record and the metric of the file.
fn code(header: &Header, tensors: &mut Tensors) -> Result<Code, Refusal> {
    let labels = header.schema.label_names().len();
    let mut report = header.record.code.clone().ok_or_else(|| {
        Refusal::not_a_model("how the code was found in the training record", "nothing")
    })?;
    let projections = tensors.matrix(PROJECTIONS, labels, None)?;
    let spectrum = match &mut report {
        CodeReport::Random {} => 0,
        CodeReport::Pca { .. } | CodeReport::Cca { .. } => projections.columns(),
        CodeReport::MaxMargin { metric, .. } => {
            *metric = tensors.matrix(METRIC, labels, Some(labels))?;
            labels
        }
    };
    check_size(
        "numbers in the spectrum of the code",
        spectrum,
        report.spectrum().len(),
    )?;
    Ok(Code {
        projections,
        origin: tensors.vector(ORIGIN, labels)?,
        report,
    })
}

fn named<T: Named>(what: &str, name: &str) -> Result<T, Refusal> {
    T::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = T::NAMES.iter().map(|(_, name)| *name).collect();
        let expected = format!("{what} to be one of {}", names.join(", "));
        Refusal::not_a_model(expected, format!("'{name}'"))
    })
}
