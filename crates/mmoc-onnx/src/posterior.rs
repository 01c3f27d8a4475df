//! A posterior over label sets: the decision, label probabilities and confidence (`docs/posterior.md`).

use mmoc::posterior::{Decision, NEAREST_TO_CERTAIN, Posterior};

use crate::error::Result;
use crate::evidence::{LabelEvidence, check_terms};
use crate::expected_f1;
use crate::graph::{Graph, Value};
use crate::label_sets::{LabelSets, Weighed};
use crate::logistic::{Logistic, sigmoid};
use crate::prediction::{Predicted, strictly_inside};

/// What a posterior makes of the outputs of a model, n×m. `zeros` is n×1.
pub(crate) fn decode(
    graph: &mut Graph,
    posterior: &Posterior,
    outputs: Option<Value>,
    zeros: Value,
) -> Result<Predicted> {
    check_terms(posterior)?;
    let LabelEvidence { evidence, log_odds } = LabelEvidence::new(graph, posterior, outputs, zeros);
    let rows = Rows {
        posterior,
        independent: Logistic::of(graph, log_odds),
        candidates: Candidates::new(graph, posterior, evidence)?,
    };
    let marginals = rows.marginals(graph);
    let (labels, of_candidate) = rows.decide(graph, marginals);
    let probability = rows.probability(graph, labels, of_candidate);
    let confidence = confidence(graph, posterior, probability);
    Ok(Predicted {
        labels,
        probabilities: Some(marginals),
        scores: None,
        confidence: Some(graph.squeeze(confidence, 1)),
    })
}

/// Candidate sets with the probability of each.
struct Candidates {
    sets: LabelSets,
    weighed: Weighed,
}

impl Candidates {
    /// None if there is no candidate.
    fn new(graph: &mut Graph, posterior: &Posterior, evidence: Value) -> Result<Option<Self>> {
        let (sets, of_sets) = posterior.scored_candidates();
        if of_sets.is_empty() {
            return Ok(None);
        }
        let sets = LabelSets::new(graph, sets)?;
        let weighed = sets.weigh(graph, evidence, of_sets);
        Ok(Some(Self { sets, weighed }))
    }
}

/// What is known about rows before the decision.
struct Rows<'a> {
    posterior: &'a Posterior,
    /// Independent labels.
    independent: Logistic,
    candidates: Option<Candidates>,
}

impl Rows<'_> {
    /// The probability of each label, n×q: (1 − v)·Σ p_S + v·σ(l).
    fn marginals(&self, graph: &mut Graph) -> Value {
        let share = self.posterior.independent_share();
        let independent = self.independent.positive(graph);
        let independent = graph.scale(independent, share);
        let Some(Candidates { sets, weighed }) = &self.candidates else {
            return strictly_inside(graph, independent);
        };
        let among_candidates = sets.marginals(graph, weighed);
        let among_candidates = graph.scale(among_candidates, 1.0 - share);
        let mixed = graph.add(among_candidates, independent);
        strictly_inside(graph, mixed)
    }

    /// The label set of the decision, n×q, and its probability among candidates, n×1, if there are any.
    fn decide(&self, graph: &mut Graph, marginals: Value) -> (Value, Option<Value>) {
        let labels = match (self.posterior.decision(), &self.candidates) {
            (Decision::Subset, Some(Candidates { sets, weighed })) => {
                let (labels, probability) = sets.likeliest(graph, weighed);
                return (labels, Some(probability));
            }
            (Decision::F1, _) => self.best_f1(graph),
            _ => self.above_thresholds(graph, marginals),
        };
        let Some(Candidates { sets, weighed }) = &self.candidates else {
            return (labels, None);
        };
        let set = graph.numbers_of(labels);
        (labels, Some(sets.probability(graph, weighed, set)))
    }

    /// The labels above their thresholds; without any, those that are likelier than not.
    fn above_thresholds(&self, graph: &mut Graph, marginals: Value) -> Value {
        let labels = self.posterior.labels();
        let threshold = |label| self.posterior.threshold(label).unwrap_or(0.5);
        let thresholds: Vec<f64> = (0..labels).map(threshold).collect();
        let thresholds = graph.numbers(&[1, labels], &thresholds);
        let above = graph.greater(marginals, thresholds);
        graph.integers_of(above)
    }

    fn best_f1(&self, graph: &mut Graph) -> Value {
        let (labels, unseen) = (self.posterior.labels(), self.posterior.unseen_mass());
        let mut parts = Vec::new();
        if let Some(Candidates { sets, weighed }) = &self.candidates {
            parts.push(expected_f1::of_sets(
                graph,
                sets,
                weighed,
                labels,
                1.0 - unseen,
            ));
        }
        if unseen > 0.0 {
            parts.push(expected_f1::of_independent_labels(
                graph,
                self.independent,
                labels,
                unseen,
            ));
        }
        let sum = |graph: &mut Graph, part: fn(&expected_f1::Gains) -> Value| {
            let values: Vec<Value> = parts.iter().map(part).collect();
            let total = values.into_iter().reduce(|a, b| graph.add(a, b));
            total.expect("without candidates all mass is unseen")
        };
        let gains = expected_f1::Gains {
            of_nothing: sum(graph, |part| part.of_nothing),
            of_labels: sum(graph, |part| part.of_labels),
        };
        expected_f1::best_set(graph, &gains, labels)
    }

    /// p(y|x) of the predicted sets, n×1: (1 − u)·p_S + u·p_O.
    fn probability(&self, graph: &mut Graph, labels: Value, of_candidate: Option<Value>) -> Value {
        let unseen = self.posterior.unseen_mass();
        let seen = of_candidate.map(|own| graph.scale(own, 1.0 - unseen));
        if let Some(seen) = seen.filter(|_| unseen == 0.0) {
            return seen;
        }
        let set = graph.numbers_of(labels);
        let twice = graph.scale(set, 2.0);
        let signs = graph.shift(twice, -1.0);
        let logarithms = self.independent.logarithm(graph, signs);
        let logarithm = graph.sum(logarithms, 1);
        let independent = graph.exp(logarithm);
        let open = graph.scale(independent, unseen);
        seen.map_or(open, |seen| graph.add(seen, open))
    }
}

/// σ(a·logit p + b), or p itself.
fn confidence(graph: &mut Graph, posterior: &Posterior, probability: Value) -> Value {
    let Some((slope, offset)) = posterior.recalibration() else {
        return probability;
    };
    let p = graph.clip(probability, NEAREST_TO_CERTAIN, 1.0 - NEAREST_TO_CERTAIN);
    let negative = graph.negate(p);
    let other = graph.shift(negative, 1.0);
    let odds = graph.divide(p, other);
    let logit = graph.log(odds);
    let sloped = graph.scale(logit, slope);
    let log_odds = graph.shift(sloped, offset);
    sigmoid(graph, log_odds)
}
