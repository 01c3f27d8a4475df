//! What a graph predicts, and what becomes of rows that the library refuses.

use crate::graph::{Graph, Value};

/// The tensors of a prediction.
pub(crate) struct Predicted {
    /// The label sets as zeros and ones, integers, n×q.
    pub(crate) labels: Value,
    /// The probability of each label, n×q.
    pub(crate) probabilities: Option<Value>,
    /// A score for each label that is no probability, n×q.
    pub(crate) scores: Option<Value>,
    /// The probability that the whole set is right, n.
    pub(crate) confidence: Option<Value>,
}

impl Predicted {
    /// The same with no label and NaN in rows that the library refuses. `guard` is NaN there and zero elsewhere, n×1.
    pub(crate) fn guarded(self, graph: &mut Graph, guard: Value) -> Self {
        let is_refused = graph.is_nan(guard);
        let nothing = graph.integers(&[1, 1], &[0]);
        let of_rows = self.confidence.map(|own| (own, graph.squeeze(guard, 1)));
        Self {
            labels: graph.select(is_refused, nothing, self.labels),
            probabilities: self.probabilities.map(|own| graph.add(own, guard)),
            scores: self.scores.map(|own| graph.add(own, guard)),
            confidence: of_rows.map(|(own, guard)| graph.add(own, guard)),
        }
    }
}

/// Probabilities that are neither zero nor one.
pub(crate) fn strictly_inside(graph: &mut Graph, probabilities: Value) -> Value {
    graph.clip(probabilities, f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0)
}
