//! Decoders other than a posterior: independent labels, back-projection, joint decoding, votes and label networks.

use mmoc::data::Labels;
use mmoc::decode::{
    BackProjection, CalibratedVotes, Inference, Joint, LabelNetwork, ParentEvidence, Votes,
};

use crate::error::{Error, MEAN_FIELD, Result};
use crate::graph::{Graph, Value};
use crate::label_sets::LabelSets;
use crate::logistic::sigmoid;
use crate::prediction::{Predicted, strictly_inside};

/// The labels of positive log-odds.
pub(crate) fn independent_labels(graph: &mut Graph, log_odds: Value) -> Predicted {
    let labels = graph.above(log_odds, 0.0);
    Predicted {
        labels: graph.integers_of(labels),
        probabilities: Some(sigmoid(graph, log_odds)),
        scores: None,
        confidence: None,
    }
}

/// Codewords projected back, and rounded.
pub(crate) fn back_projection(
    graph: &mut Graph,
    decoder: &BackProjection,
    codewords: Value,
) -> Predicted {
    let projections = decoder.projections();
    let (labels, entries) = (projections.rows(), projections.columns());
    let projections = graph.numbers(&[labels, entries], projections.values());
    let shift = graph.numbers(&[1, labels], decoder.shift());
    let recovered = graph.affine_transposed(1.0, codewords, projections, shift);
    let is_present = graph.above(recovered, 0.5);
    Predicted {
        labels: graph.integers_of(is_present),
        probabilities: None,
        scores: Some(recovered),
        confidence: None,
    }
}

/// The label set of least energy, with the marginals of all label sets, n×q. `zeros` is n×1.
pub(crate) fn joint(
    graph: &mut Graph,
    decoder: &Joint,
    outputs: Option<Value>,
    zeros: Value,
) -> Result<Predicted> {
    if decoder.inference() != Inference::Exact {
        return Err(Error::Decoder(MEAN_FIELD));
    }
    let evidence = joint_evidence(graph, decoder, outputs, zeros);
    let all = all_sets(decoder.projections().rows());
    let sets = LabelSets::new(graph, &all)?;
    let energies: Vec<f64> = all.iter().map(|set| -energy(decoder, set)).collect();
    let weighed = sets.weigh(graph, evidence, &energies);
    let marginals = sets.marginals(graph, &weighed);
    Ok(Predicted {
        labels: sets.likeliest(graph, &weighed).0,
        probabilities: Some(strictly_inside(graph, marginals)),
        scores: None,
        confidence: None,
    })
}

/// b = V·diag(1/σ̂²)·m̂ + λl of each row, n×q.
fn joint_evidence(
    graph: &mut Graph,
    decoder: &Joint,
    outputs: Option<Value>,
    zeros: Value,
) -> Value {
    let (weights, entries) = (decoder.weights(), decoder.noise().len());
    let labels = weights.rows();
    let mut evidence = match decoder.fixed_log_odds() {
        Some(odds) => {
            let odds: Vec<f64> = odds.iter().map(|odds| decoder.lambda() * odds).collect();
            let odds = graph.numbers(&[1, labels], &odds);
            graph.add(zeros, odds)
        }
        None => zeros,
    };
    let Some(outputs) = outputs else {
        return evidence;
    };
    if entries > 0 {
        let codewords = graph.columns(outputs, 0, entries);
        let weights = graph.numbers(&[labels, entries], weights.values());
        let said = graph.product_with_transposed(codewords, weights);
        evidence = graph.add(evidence, said);
    }
    if decoder.fixed_log_odds().is_none() {
        let log_odds = graph.columns(outputs, entries, entries + labels);
        let weighted = graph.scale(log_odds, decoder.lambda());
        evidence = graph.add(evidence, weighted);
    }
    evidence
}

/// ½yᵀAy of a set, with A = V·diag(1/σ̂²)·Vᵀ.
fn energy(decoder: &Joint, set: &[u32]) -> f64 {
    let (projections, weights) = (decoder.projections(), decoder.weights());
    let sum = |matrix: &mmoc::data::Matrix, entry: usize| -> f64 {
        set.iter()
            .map(|&label| matrix[(label as usize, entry)])
            .sum()
    };
    let entries = 0..decoder.noise().len();
    0.5 * entries
        .map(|k| sum(projections, k) * sum(weights, k))
        .sum::<f64>()
}

/// All label sets, the bits of an integer saying which labels each has.
fn all_sets(labels: usize) -> Labels {
    Labels::from_fn(1 << labels, labels, |code, label| code >> label & 1 == 1)
}

/// The labels with more votes than the virtual one.
pub(crate) fn votes(
    graph: &mut Graph,
    decoder: &CalibratedVotes,
    labels: usize,
    log_odds: Value,
) -> Predicted {
    let shares = vote_shares(graph, decoder.votes(), log_odds);
    let own = graph.columns(shares, 0, labels);
    let mut of_labels = own;
    let pairs: Vec<(usize, usize)> = (0..labels)
        .flat_map(|j| (j + 1..labels).map(move |k| (j, k)))
        .collect();
    if !pairs.is_empty() {
        let of_pairs = graph.columns(shares, labels, labels + pairs.len());
        // The second label of a pair gets what the first does not.
        let mut ballots = vec![0.0; pairs.len() * labels];
        let mut sure = vec![0.0; labels];
        for (pair, &(j, k)) in pairs.iter().enumerate() {
            ballots[pair * labels + j] = 1.0;
            ballots[pair * labels + k] = -1.0;
            sure[k] += 1.0;
        }
        let ballots = graph.numbers(&[pairs.len(), labels], &ballots);
        let sure = graph.numbers(&[1, labels], &sure);
        let won = graph.affine(of_pairs, ballots, sure);
        of_labels = graph.add(own, won);
    }
    let one = graph.scalar(1.0);
    let against = graph.subtract(one, own);
    let of_virtual = graph.sum(against, 1);
    let is_ahead = graph.greater(of_labels, of_virtual);
    let smoothed = graph.shift(of_labels, 0.5);
    let both = graph.add(of_labels, of_virtual);
    let both = graph.shift(both, 1.0);
    Predicted {
        labels: graph.integers_of(is_ahead),
        probabilities: Some(graph.divide(smoothed, both)),
        scores: None,
        confidence: None,
    }
}

/// The part of a vote for the side that positive log-odds favour.
fn vote_shares(graph: &mut Graph, votes: Votes, log_odds: Value) -> Value {
    if votes == Votes::Soft {
        return sigmoid(graph, log_odds);
    }
    let zero = graph.scalar(0.0);
    let (is_above, is_below) = (graph.greater(log_odds, zero), graph.less(log_odds, zero));
    let (above, below) = (graph.numbers_of(is_above), graph.numbers_of(is_below));
    let lead = graph.subtract(above, below);
    let half = graph.scale(lead, 0.5);
    graph.shift(half, 0.5)
}

/// Log-odds to which the parents of a label contribute.
///
/// All labels are updated at a time, as often as the network is deep: then the parents of each are final.
pub(crate) fn network(graph: &mut Graph, decoder: &LabelNetwork, own: Value) -> Predicted {
    let labels = decoder.parents().len();
    let mut weights = vec![0.0; labels * labels];
    for (label, parents) in decoder.parents().iter().enumerate() {
        for &(parent, weight) in parents {
            weights[parent * labels + label] = weight;
        }
    }
    let weights = graph.numbers(&[labels, labels], &weights);
    let mut log_odds = own;
    for _ in 0..depth(decoder.parents()) {
        let said = match decoder.evidence() {
            ParentEvidence::Labels => {
                let is_present = graph.above(log_odds, 0.0);
                graph.numbers_of(is_present)
            }
            ParentEvidence::Probabilities => sigmoid(graph, log_odds),
        };
        log_odds = graph.affine(said, weights, own);
    }
    independent_labels(graph, log_odds)
}

/// The longest line of descent, in generations after the first.
fn depth(parents: &[Vec<(usize, f64)>]) -> usize {
    let mut depths = vec![0; parents.len()];
    loop {
        let below =
            |own: &Vec<(usize, f64)>| own.iter().map(|&(parent, _)| depths[parent] + 1).max();
        let next: Vec<usize> = parents.iter().map(|own| below(own).unwrap_or(0)).collect();
        if next == depths {
            return depths.into_iter().max().unwrap_or(0);
        }
        depths = next;
    }
}
