//! The label set of largest expected F1, as tensors.
//!
//! A set h of k labels has the expected F1 Σ_{j∈h} Δ_jk with Δ_jk = E[y_j·2/(|y| + k)], and the empty set has P(y = ∅)
//! (Dembczyński et al. 2011). So Δ is computed for all labels and sizes, sorted for each size and summed up.
//!
//! Of candidate sets, Δ_jk = Σ_s 2/(s + k)·P_js with P_js the probability of label j in a set of s labels. Of independent
//! labels with probabilities p, since 1/(s + k) = ∫₀¹ t^(s+k−1) dt,
//!
//! ```text
//! Δ_jk = 2·p_j·∫₀¹ tᵏ·Π_{i≠j} (1 − p_i + p_i·t) dt
//! ```
//!
//! The integrand is a polynomial of degree 2q − 1 at most, so that Gauss's rule with q points is exact. All of its factors
//! are positive, so that no digits are lost, and there is no recursion over labels.

use std::collections::BTreeMap;

use crate::graph::{Graph, Value, dimension};
use crate::label_sets::{LabelSets, Weighed};
use crate::logistic::Logistic;
use crate::quadrature::gauss_legendre;

/// Candidates that are left out have at most this probability together.
const LEFT_OUT: f64 = 1e-12;

/// What sets expect of F1.
#[derive(Clone, Copy)]
pub(crate) struct Gains {
    /// P(y = ∅), n×1.
    pub(crate) of_nothing: Value,
    /// Δ_jk, n×q×q: labels j, and sizes k from 1 on.
    pub(crate) of_labels: Value,
}

/// The gains of candidates, all of which together have some mass.
pub(crate) fn of_sets(
    graph: &mut Graph,
    sets: &LabelSets,
    weighed: &Weighed,
    labels: usize,
    mass: f64,
) -> Gains {
    let least = LEFT_OUT / sets.sizes().len() as f64;
    let zero = graph.scalar(0.0);
    let counts = graph.above(weighed.probabilities, least);
    let shares = graph.select(counts, weighed.probabilities, zero);
    let shares = graph.scale(shares, mass);
    let by_size = by_size(sets.sizes());
    let empty = by_size.get(&0).map_or(&[][..], Vec::as_slice);
    let of_empty = columns_of(graph, shares, empty);
    let mut sizes = Vec::new();
    let mut of_sizes = Vec::new();
    for (&size, own) in by_size.iter().filter(|(size, _)| **size > 0) {
        let indices = graph.integers(&[own.len()], own);
        let own_shares = graph.gather(shares, indices, 1);
        let own_sets = graph.gather(sets.numbers(), indices, 0);
        let of_size = graph.product(own_shares, own_sets);
        of_sizes.push(graph.unsqueeze(of_size, 2));
        sizes.push(size as f64);
    }
    Gains {
        of_nothing: graph.sum(of_empty, 1),
        of_labels: gains_of_sizes(graph, &sizes, &of_sizes, labels, shares),
    }
}

/// Candidates by their number of labels.
fn by_size(sizes: &[usize]) -> BTreeMap<usize, Vec<i64>> {
    let mut groups: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for (set, &size) in (0..).zip(sizes) {
        groups.entry(size).or_default().push(set);
    }
    groups
}

fn columns_of(graph: &mut Graph, matrix: Value, columns: &[i64]) -> Value {
    let indices = graph.integers(&[columns.len()], columns);
    graph.gather(matrix, indices, 1)
}

/// Σ_s 2/(s + k)·P_js, given P for each size; zeros if only the empty set is a candidate.
fn gains_of_sizes(
    graph: &mut Graph,
    sizes: &[f64],
    of_sizes: &[Value],
    labels: usize,
    shares: Value,
) -> Value {
    if sizes.is_empty() {
        let zeros = graph.scale(shares, 0.0);
        let zeros = graph.sum(zeros, 1);
        let zeros = graph.unsqueeze(zeros, 2);
        let square = graph.numbers(&[1, labels, labels], &vec![0.0; labels * labels]);
        return graph.add(zeros, square);
    }
    let of_size = |size: &f64| {
        (1..=labels)
            .map(|k| 2.0 / (size + k as f64))
            .collect::<Vec<_>>()
    };
    let factors: Vec<f64> = sizes.iter().flat_map(of_size).collect();
    let factors = graph.numbers(&[sizes.len(), labels], &factors);
    let table = graph.concatenate(of_sizes, 2);
    graph.stacked_product(table, factors)
}

/// The gains of independent labels, all of which together have some mass.
pub(crate) fn of_independent_labels(
    graph: &mut Graph,
    independent: Logistic,
    labels: usize,
    mass: f64,
) -> Gains {
    let (points, weights) = gauss_legendre(labels);
    let with = independent.positive(graph);
    let without = independent.negative(graph);
    let (with, without) = (graph.unsqueeze(with, 2), graph.unsqueeze(without, 2));
    let at = graph.numbers(&[1, 1, labels], &points);
    let rising = graph.multiply(at, with);
    let factors = graph.add(without, rising);
    let logarithms = graph.log(factors);
    let all = graph.sum(logarithms, 1);
    let others = graph.subtract(all, logarithms);
    let others = graph.exp(others);
    let share = graph.scale(with, mass);
    let integrand = graph.multiply(others, share);
    let powers = |(t, weight): (&f64, &f64)| -> Vec<f64> {
        let first = 2.0 * weight * t;
        let all = std::iter::successors(Some(first), |power| Some(power * t));
        all.take(labels).collect()
    };
    let rule: Vec<f64> = points.iter().zip(&weights).flat_map(powers).collect();
    let rule = graph.numbers(&[labels, labels], &rule);
    let minus = graph.scalar(-1.0);
    let none = independent.logarithm(graph, minus);
    let none = graph.sum(none, 1);
    let none = graph.exp(none);
    Gains {
        of_nothing: graph.scale(none, mass),
        of_labels: graph.stacked_product(integrand, rule),
    }
}

/// The set of largest expected F1 in each row, n×q; of several the smallest.
pub(crate) fn best_set(graph: &mut Graph, gains: &Gains, labels: usize) -> Value {
    let [sorted, _] = graph.sorted(gains.of_labels, labels, 1);
    let is_taken = |place: usize| (0..labels).map(move |last| f64::from(u8::from(place <= last)));
    let taken: Vec<f64> = (0..labels).flat_map(is_taken).collect();
    let taken = graph.numbers(&[1, labels, labels], &taken);
    let taken = graph.multiply(sorted, taken);
    let values = graph.sum(taken, 1);
    let values = graph.squeeze(values, 1);
    let values = graph.concatenate(&[gains.of_nothing, values], 1);
    let size = graph.largest(values);
    let size = graph.unsqueeze(size, 1);
    let own = gains_of_size(graph, gains, size, labels);
    first_labels(graph, own, size, labels)
}

/// Δ_jk for the size k of each row, n×q; zeros for the size 0.
fn gains_of_size(graph: &mut Graph, gains: &Gains, size: Value, labels: usize) -> Value {
    let sizes: Vec<i64> = (1..=dimension(labels)).collect();
    let sizes = graph.integers(&[1, labels], &sizes);
    let is_size = graph.equal(size, sizes);
    let is_size = graph.numbers_of(is_size);
    let is_size = graph.unsqueeze(is_size, 1);
    let own = graph.multiply(gains.of_labels, is_size);
    let own = graph.sum(own, 2);
    graph.squeeze(own, 2)
}

/// The labels of the largest gains, as many as each row has, n×q.
fn first_labels(graph: &mut Graph, gains: Value, size: Value, labels: usize) -> Value {
    let [_, order] = graph.sorted(gains, labels, 1);
    let places: Vec<i64> = (0..dimension(labels)).collect();
    let places = graph.integers(&[1, labels], &places);
    let is_taken = graph.less(places, size);
    let is_taken = graph.integers_of(is_taken);
    let nothing = graph.subtract(order, order);
    graph.scatter_in_rows(nothing, order, is_taken)
}
