//! Log-odds of labels that depend on other labels, decided parents first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::check_numbers;
use super::decoder::Decode;
use super::outputs::Outputs;
use crate::data::Matrix;
use crate::learn::logistic::sigmoid;
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::settings::Named;
use crate::{Error, Prediction, Result};

/// What a label takes from its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParentEvidence {
    /// Whether they are predicted.
    #[default]
    Labels,
    /// Their probabilities.
    Probabilities,
}

impl Named for ParentEvidence {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Labels, "labels"),
        (Self::Probabilities, "probabilities"),
    ];
}

impl ParentEvidence {
    /// The value of a parent with the given log-odds.
    fn of(self, log_odds: f64) -> f64 {
        match self {
            Self::Labels => f64::from(u8::from(log_odds > 0.0)),
            Self::Probabilities => sigmoid(log_odds),
        }
    }
}

/// The parents of each label, and what each contributes to the log-odds of its child.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelNetwork {
    parents: Vec<Vec<(usize, f64)>>,
    /// The labels, each after its parents.
    order: Vec<usize>,
    evidence: ParentEvidence,
}

impl LabelNetwork {
    /// A network from the parents of each label, ascending, with their weights.
    ///
    /// Fails if a label has a parent that is no label, has it twice, or descends from itself.
    pub fn new(parents: Vec<Vec<(usize, f64)>>, evidence: ParentEvidence) -> Result<Self> {
        let labels = parents.len();
        for (label, own) in parents.iter().enumerate() {
            let ascending = own.is_sorted_by(|a, b| a.0 < b.0);
            if !ascending || own.last().is_some_and(|&(parent, _)| parent >= labels) {
                let own: Vec<usize> = own.iter().map(|&(parent, _)| parent).collect();
                let expected = format!("ascending parents below {labels}");
                return Err(refusal(expected, format!("{own:?} for label {label}")));
            }
        }
        let order = order_of(&parents).ok_or_else(|| {
            let found = "labels that descend from themselves";
            refusal("a network without cycles".into(), found.into())
        })?;
        Ok(Self {
            parents,
            order,
            evidence,
        })
    }

    /// The parents of each label, and what each contributes to the log-odds of its child.
    pub fn parents(&self) -> &[Vec<(usize, f64)>] {
        &self.parents
    }

    /// What a label takes from its parents.
    pub fn evidence(&self) -> ParentEvidence {
        self.evidence
    }

    /// Decides the label set of every row, parents first, given log-odds but for what parents add; scores are log-odds
    /// given the parents.
    fn decode(&self, mut scores: Matrix) -> Prediction {
        for row in 0..scores.rows() {
            let log_odds = scores.row_mut(row);
            for &label in &self.order {
                let add =
                    |&(parent, weight): &(usize, f64)| weight * self.evidence.of(log_odds[parent]);
                let from_parents: f64 = self.parents[label].iter().map(add).sum();
                log_odds[label] += from_parents;
            }
        }
        Prediction::from_log_odds(scores)
    }
}

const WEIGHTS: &str = "network.weights";

/// Outputs are the log-odds of each label without what its parents contribute.
impl Decode for LabelNetwork {
    fn labels(&self) -> usize {
        self.parents.len()
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        check_numbers(self.labels(), &outputs.numbers)?;
        Ok(self.decode(outputs.numbers))
    }

    fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
        let numbers = |own: &Vec<(usize, f64)>| own.iter().map(|edge| edge.0).collect();
        let parents: Vec<Vec<usize>> = self.parents.iter().map(numbers).collect();
        let weights = self.parents.iter().flatten().map(|edge| edge.1);
        file.value("evidence", self.evidence.name());
        file.value("parents", parents);
        file.vector(WEIGHTS, weights.collect::<Vec<_>>());
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let parents: Vec<Vec<usize>> = parts.value("parents")?;
        let edges = parents.iter().map(Vec::len).sum();
        let mut weights = parts.tensors.vector(WEIGHTS, edges)?.into_iter();
        let weighed = |own: Vec<usize>| own.into_iter().zip(weights.by_ref()).collect();
        let parents = parents.into_iter().map(weighed).collect();
        Ok(Self::new(parents, parts.named("evidence")?)?)
    }
}

fn refusal(expected: String, found: String) -> Error {
    Error::Dataset { expected, found }
}

/// All labels, each after its parents, and the smallest first where several could come next; none if there is a cycle.
fn order_of(parents: &[Vec<(usize, f64)>]) -> Option<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (label, own) in parents.iter().enumerate() {
        own.iter()
            .for_each(|&(parent, _)| children[parent].push(label));
    }
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let roots = (0..parents.len()).filter(|&label| waiting[label] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = roots.map(Reverse).collect();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(Reverse(label)) = ready.pop() {
        order.push(label);
        for &child in &children[label] {
            waiting[child] -= 1;
            if waiting[child] == 0 {
                ready.push(Reverse(child));
            }
        }
    }
    (order.len() == parents.len()).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn network(parents: &[&[usize]]) -> Result<LabelNetwork> {
        let weighed = |own: &&[usize]| own.iter().map(|&parent| (parent, 1.0)).collect();
        LabelNetwork::new(
            parents.iter().map(weighed).collect(),
            ParentEvidence::Labels,
        )
    }

    #[test]
    fn parents_come_before_their_children_and_smaller_labels_before_larger_ones() {
        for seed in 0..20 {
            let mut stream = Seed::new(seed).stream();
            let mut rank: Vec<usize> = (0..9).collect();
            stream.shuffle(&mut rank);
            let mut own = |label: usize| -> Vec<usize> {
                let older = |&other: &usize| rank[other] < rank[label];
                let chosen = |_: &usize| stream.uniform() < 0.3;
                (0..9).filter(older).filter(chosen).collect()
            };
            let parents: Vec<Vec<usize>> = (0..9).map(&mut own).collect();
            let lists: Vec<&[usize]> = parents.iter().map(Vec::as_slice).collect();
            let order = network(&lists).unwrap().order;
            // The slow way: again and again the smallest label whose parents are all there.
            let mut expected: Vec<usize> = Vec::new();
            while expected.len() < 9 {
                let ready = |label: &usize| {
                    let there = |parent: &usize| expected.contains(parent);
                    !expected.contains(label) && parents[*label].iter().all(there)
                };
                expected.push((0..9).find(ready).unwrap());
            }
            assert_eq!(order, expected);
        }
    }

    #[test]
    fn cycles_strangers_and_repetitions_are_refused() {
        let cycles: [&[&[usize]]; 3] = [&[&[0]], &[&[1], &[0]], &[&[], &[0, 3], &[1], &[2]]];
        for parents in cycles {
            let message = network(parents).unwrap_err().to_string();
            assert!(message.contains("descend from themselves"), "{message}");
        }
        let wrong: [&[&[usize]]; 3] = [&[&[], &[2]], &[&[], &[0, 0]], &[&[], &[], &[1, 0]]];
        for parents in wrong {
            let message = network(parents).unwrap_err().to_string();
            assert!(message.contains("ascending parents below"), "{message}");
        }
        assert!(network(&[]).unwrap().order.is_empty());
    }
}
