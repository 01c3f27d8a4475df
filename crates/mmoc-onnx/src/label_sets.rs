//! Label sets that are compared one by one, with a probability for each.

use mmoc::data::Labels;

use crate::error::{Error, Result};
use crate::graph::{Graph, Value};

/// Numbers that the table of all label sets may have: 2 GiB as doubles.
const MOST_CELLS: usize = 1 << 28;

/// A table of label sets, m×q.
pub(crate) struct LabelSets {
    /// The sets as zeros and ones in double precision.
    numbers: Value,
    /// The sets as integers.
    integers: Value,
    /// How many labels each has.
    sizes: Vec<usize>,
}

impl LabelSets {
    /// The sets in their order.
    pub(crate) fn new(graph: &mut Graph, sets: &Labels) -> Result<Self> {
        let (rows, labels) = (sets.rows(), sets.count());
        if rows.saturating_mul(labels) > MOST_CELLS {
            return Err(Error::LabelSets { sets: rows, labels });
        }
        let mut bits = vec![0; rows * labels];
        for (row, set) in sets.iter().enumerate() {
            for &label in set {
                bits[row * labels + label as usize] = 1;
            }
        }
        let table = graph.bits(&[rows, labels], bits);
        Ok(Self {
            numbers: graph.numbers_of(table),
            integers: graph.integers_of(table),
            sizes: sets.iter().map(<[u32]>::len).collect(),
        })
    }

    /// The table in double precision.
    pub(crate) fn numbers(&self) -> Value {
        self.numbers
    }

    /// Number of labels of each set.
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Probabilities ∝ exp(bᵀy + c_y) of all sets, given b for each row, n×q.
    pub(crate) fn weigh(&self, graph: &mut Graph, evidence: Value, of_sets: &[f64]) -> Weighed {
        let own = graph.numbers(&[1, of_sets.len()], of_sets);
        let scores = graph.affine_transposed(1.0, evidence, self.numbers, own);
        let best = graph.largest(scores);
        Weighed {
            probabilities: graph.softmax(scores),
            best,
        }
    }

    /// The probability of each label, n×q.
    pub(crate) fn marginals(&self, graph: &mut Graph, weighed: &Weighed) -> Value {
        graph.product(weighed.probabilities, self.numbers)
    }

    /// The likeliest set of each row, n×q, and its probability, n×1.
    pub(crate) fn likeliest(&self, graph: &mut Graph, weighed: &Weighed) -> (Value, Value) {
        let column = graph.unsqueeze(weighed.best, 1);
        (
            graph.gather(self.integers, weighed.best, 0),
            graph.gather_in_rows(weighed.probabilities, column),
        )
    }

    /// The probability of a given set in each row, n×1: zero if it is not in the table.
    ///
    /// h is the set y exactly if 2hᵀy − |y| = |h|. All of these are small integers, so that equality is exact.
    pub(crate) fn probability(&self, graph: &mut Graph, weighed: &Weighed, set: Value) -> Value {
        let sizes: Vec<f64> = self.sizes.iter().map(|&size| -(size as f64)).collect();
        let sizes = graph.numbers(&[1, sizes.len()], &sizes);
        let shared = graph.affine_transposed(2.0, set, self.numbers, sizes);
        let size = graph.sum(set, 1);
        let is_same = graph.equal(shared, size);
        let zero = graph.scalar(0.0);
        let own = graph.select(is_same, weighed.probabilities, zero);
        graph.sum(own, 1)
    }
}

/// The probabilities of all sets of a table.
pub(crate) struct Weighed {
    /// n×m.
    pub(crate) probabilities: Value,
    /// The index of the likeliest, n.
    best: Value,
}
