//! The logistic function in elementary operators, without a loss of digits at either end.
//!
//! With e = exp(−|x|), σ(x) is 1/(1 + e) for positive x and e/(1 + e) for others. Runtimes compute their own operator
//! as 1 − 1/(1 + e) on one side, which leaves no digits of small probabilities.

use crate::graph::{Graph, Value};

/// What σ(x), σ(−x) and their logarithms are made of.
#[derive(Clone, Copy)]
pub(crate) struct Logistic {
    x: Value,
    /// exp(−|x|).
    e: Value,
    /// 1 + exp(−|x|).
    total: Value,
}

impl Logistic {
    pub(crate) fn of(graph: &mut Graph, x: Value) -> Self {
        let size = graph.absolute(x);
        let negative = graph.negate(size);
        let e = graph.exp(negative);
        let total = graph.shift(e, 1.0);
        Self { x, e, total }
    }

    /// σ(x).
    pub(crate) fn positive(self, graph: &mut Graph) -> Value {
        let one = graph.scalar(1.0);
        let is_positive = graph.above(self.x, 0.0);
        let share = graph.select(is_positive, one, self.e);
        graph.divide(share, self.total)
    }

    /// σ(−x).
    pub(crate) fn negative(self, graph: &mut Graph) -> Value {
        let one = graph.scalar(1.0);
        let is_positive = graph.above(self.x, 0.0);
        let share = graph.select(is_positive, self.e, one);
        graph.divide(share, self.total)
    }

    /// log σ(s·x) for signs s, 1 or −1.
    pub(crate) fn logarithm(self, graph: &mut Graph, signs: Value) -> Value {
        let signed = graph.multiply(signs, self.x);
        let zero = graph.scalar(0.0);
        let bent = graph.minimum(signed, zero);
        let logarithm = graph.log(self.total);
        graph.subtract(bent, logarithm)
    }
}

/// σ(x).
pub(crate) fn sigmoid(graph: &mut Graph, x: Value) -> Value {
    Logistic::of(graph, x).positive(graph)
}
