//! The weights of the terms of the energy (15) that maximise the likelihood of the training rows.
//!
//! Give each part of the energy a weight of its own: t_g for the squared errors of each group g of projections, and
//! λ for the classifiers. With
//!
//! ```text
//! S_g(y) = Σ_{k∈g} (m̂_k·v_kᵀy − ½(v_kᵀy)²)/σ̂_k²,      S_λ(y) = Σ_j y_j·l_j
//! P(y) ∝ exp(Σ_g t_g·S_g(y) + λ·S_λ(y))
//! ```
//!
//! the mean log-likelihood of label sets is a concave function of the weights. Its derivatives are the mean
//! difference between S at the true set and its expectation, and minus the covariance of S; sums over all 2^q sets
//! are exact. A few Newton steps within the bounds find the maximum.
//!
//! Predictions m̂ and l must be those of rows that were held out, else the one that overfits more gets too much weight.

use rayon::prelude::*;

use crate::data::{Labels, Matrix};
use crate::linalg::{add_scaled, dot, small};

/// Labels up to which weights can be found: a step costs an exponential for each row and label set.
pub(crate) const MOST_WEIGHED_LABELS: usize = 14;
/// Terms of a sum over rows and label sets; if there are more rows, evenly spaced ones are used.
const MOST_TERMS: usize = 1 << 22;
/// Bounds of a weight. Some weight must be left where only the classifiers know a label, one that never varies; and
/// where the likelihood grows without bound, weights do not.
const BOUNDS: (f64, f64) = (1e-3, 1e3);
/// Newton steps; about eight are taken.
const MOST_STEPS: usize = 50;
/// Halvings of a step.
const MOST_HALVINGS: usize = 30;
/// Improvement of the mean log-likelihood at which steps end.
const ENOUGH: f64 = 1e-10;
/// Added to the second derivatives, relative to their trace, so that the system stays regular where parts are equal.
const DAMPING: f64 = 1e-9;
/// Rows that one thread processes together.
const CHUNK: usize = 16;

/// One part of the energy: ½yᵀAy − bᵀy with b different from row to row.
#[derive(Debug)]
pub(crate) struct EnergyPart {
    /// A, q×q; none for no squares.
    pub(crate) coupling: Option<Matrix>,
    /// b, n×q.
    pub(crate) evidence: Matrix,
}

/// The weights under which the label sets of the rows are likeliest, one per part. For at most
/// [`MOST_WEIGHED_LABELS`] labels.
pub(crate) fn likeliest_weights(parts: &[EnergyPart], labels: &Labels) -> Vec<f64> {
    let likelihood = Likelihood::new(parts, labels);
    let mut weights = vec![1.0; parts.len()];
    let mut place = likelihood.at(&weights);
    for _ in 0..MOST_STEPS {
        let direction = newton_direction(&place, &weights);
        let Some((next, better)) = likelihood.search(&place, &weights, &direction) else {
            break;
        };
        let gain = better.value - place.value;
        (weights, place) = (next, better);
        if gain <= ENOUGH {
            break;
        }
    }
    weights
}

/// The mean log-likelihood with its first and second derivatives.
#[derive(Debug, Clone)]
struct LikelihoodAt {
    value: f64,
    gradient: Vec<f64>,
    /// Minus the second derivatives, row by row.
    curvature: Vec<f64>,
}

impl LikelihoodAt {
    fn zero(parts: usize) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; parts],
            curvature: vec![0.0; parts * parts],
        }
    }

    fn add(&mut self, other: &Self, scale: f64) {
        self.value += scale * other.value;
        add_scaled(&mut self.gradient, scale, &other.gradient);
        add_scaled(&mut self.curvature, scale, &other.curvature);
    }
}

struct Likelihood<'a> {
    parts: &'a [EnergyPart],
    /// ½yᵀAy of each part for all label sets.
    squares: Vec<Vec<f64>>,
    /// The rows that are used, each with the number of its label set.
    rows: Vec<(usize, usize)>,
    labels: usize,
}

impl<'a> Likelihood<'a> {
    fn new(parts: &'a [EnergyPart], labels: &Labels) -> Self {
        let most = (MOST_TERMS >> labels.count()).max(1);
        let count = labels.rows().min(most);
        let rows = (0..count).map(|index| {
            let row = index * labels.rows() / count;
            let set = labels.row(row).iter().map(|label| 1 << label).sum();
            (row, set)
        });
        Self {
            parts,
            squares: parts
                .iter()
                .map(|part| squares(part.coupling.as_ref(), labels.count()))
                .collect(),
            rows: rows.collect(),
            labels: labels.count(),
        }
    }

    fn at(&self, weights: &[f64]) -> LikelihoodAt {
        let chunks: Vec<LikelihoodAt> = self
            .rows
            .par_chunks(CHUNK)
            .map(|rows| self.sum_over(rows, weights))
            .collect();
        let mut mean = LikelihoodAt::zero(weights.len());
        for chunk in &chunks {
            mean.add(chunk, 1.0 / self.rows.len() as f64);
        }
        mean
    }

    fn sum_over(&self, rows: &[(usize, usize)], weights: &[f64]) -> LikelihoodAt {
        let mut sum = LikelihoodAt::zero(weights.len());
        let mut scores = vec![vec![0.0; 1 << self.labels]; weights.len()];
        let mut shares = vec![0.0; 1 << self.labels];
        for &(row, truth) in rows {
            for (part, (scores, squares)) in scores.iter_mut().zip(&self.squares).enumerate() {
                linear(self.parts[part].evidence.row(row), scores);
                add_scaled(scores, -1.0, squares);
            }
            sum.add(&of_row(&scores, truth, weights, &mut shares), 1.0);
        }
        sum
    }

    /// The first of the full step, half of it and so on that is an improvement. All of them stay within the bounds,
    /// as both of their ends do; clamping only undoes rounding.
    fn search(
        &self,
        place: &LikelihoodAt,
        weights: &[f64],
        direction: &[f64],
    ) -> Option<(Vec<f64>, LikelihoodAt)> {
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let moved = weights.iter().zip(direction);
            let next: Vec<f64> = moved
                .map(|(weight, step)| (weight + length * step).clamp(BOUNDS.0, BOUNDS.1))
                .collect();
            let found = self.at(&next);
            if found.value > place.value {
                return Some((next, found));
            }
            length *= 0.5;
        }
        None
    }
}

/// bᵀy for all label sets: those with label j are those without it, and b_j more.
fn linear(evidence: &[f64], sums: &mut [f64]) {
    sums[0] = 0.0;
    for (label, value) in evidence.iter().enumerate() {
        let (without, with) = sums[..2 << label].split_at_mut(1 << label);
        for (with, without) in with.iter_mut().zip(without) {
            *with = *without + value;
        }
    }
}

/// ½yᵀAy for all label sets.
fn squares(coupling: Option<&Matrix>, labels: usize) -> Vec<f64> {
    let mut squares = vec![0.0; 1 << labels];
    let Some(coupling) = coupling else {
        return squares;
    };
    let mut fields = vec![0.0; 1 << labels];
    for label in 0..labels {
        linear(&coupling.row(label)[..label], &mut fields[..1 << label]);
        for set in 0..1 << label {
            squares[set | 1 << label] = squares[set] + fields[set] + 0.5 * coupling[(label, label)];
        }
    }
    squares
}

/// The log-likelihood of one row with its derivatives.
fn of_row(scores: &[Vec<f64>], truth: usize, weights: &[f64], shares: &mut [f64]) -> LikelihoodAt {
    let count = weights.len();
    let mut place = LikelihoodAt::zero(count);
    shares.fill(0.0);
    for (scores, weight) in scores.iter().zip(weights) {
        add_scaled(shares, *weight, scores);
    }
    let at_truth = shares[truth];
    let largest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    shares
        .iter_mut()
        .for_each(|score| *score = (*score - largest).exp());
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    place.value = at_truth - largest - total.ln();
    let means: Vec<f64> = scores.iter().map(|scores| dot(scores, shares)).collect();
    for (a, first) in scores.iter().enumerate() {
        place.gradient[a] = first[truth] - means[a];
        for (b, second) in scores.iter().enumerate().take(a + 1) {
            let products = first.iter().zip(second).zip(shares.iter());
            let covariance: f64 = products
                .map(|((x, y), share)| share * (x - means[a]) * (y - means[b]))
                .sum();
            place.curvature[a * count + b] = covariance;
            place.curvature[b * count + a] = covariance;
        }
    }
    place
}

/// The step to the maximum, within the bounds, of the quadratic function that agrees with the likelihood in value
/// and derivatives. It is found by trying every way of holding weights at their bounds: there are at most three.
fn newton_direction(place: &LikelihoodAt, weights: &[f64]) -> Vec<f64> {
    let faces = 3usize.pow(weights.len() as u32);
    let steps = (0..faces).filter_map(|face| step_on_face(place, weights, face));
    let best = steps.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or_else(|| vec![0.0; weights.len()], |(_, step)| step)
}

/// The step to the maximum on one face, with the gain of the quadratic function; none if it is outside the bounds.
/// The digits of `face` in base three say of each weight whether it is free, at its lower or at its upper bound.
fn step_on_face(place: &LikelihoodAt, weights: &[f64], face: usize) -> Option<(f64, Vec<f64>)> {
    let count = weights.len();
    let curvature = |a: usize, b: usize| {
        let trace: f64 = (0..count).map(|k| place.curvature[k * count + k]).sum();
        place.curvature[a * count + b] + if a == b { DAMPING * trace } else { 0.0 }
    };
    let mut step = vec![0.0; count];
    let mut free = Vec::new();
    for k in 0..count {
        match face / 3usize.pow(k as u32) % 3 {
            0 => free.push(k),
            1 => step[k] = BOUNDS.0 - weights[k],
            _ => step[k] = BOUNDS.1 - weights[k],
        }
    }
    let slope = |step: &[f64], k: usize| {
        let bent: f64 = (0..count).map(|b| curvature(k, b) * step[b]).sum();
        place.gradient[k] - bent
    };
    let mut matrix: Vec<f64> = Vec::with_capacity(free.len() * free.len());
    for &a in &free {
        matrix.extend(free.iter().map(|&b| curvature(a, b)));
    }
    let mut solution: Vec<f64> = free.iter().map(|&k| slope(&step, k)).collect();
    if !small::factorise(&mut matrix, free.len(), 0.0) {
        return None;
    }
    small::substitute(&matrix, &mut solution);
    for (&k, value) in free.iter().zip(solution) {
        step[k] = value;
    }
    let inside = |k: &usize| (BOUNDS.0..=BOUNDS.1).contains(&(weights[*k] + step[*k]));
    if !free.iter().all(inside) {
        return None;
    }
    let gains = (0..count).map(|k| 0.5 * step[k] * (place.gradient[k] + slope(&step, k)));
    Some((gains.sum(), step))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seed;
    use crate::linalg::multiply_by_transposed;

    /// Two parts with squares and one without, and label sets that have to do with them.
    fn example(rows: usize, count: usize, seed: u64) -> (Vec<EnergyPart>, Labels) {
        let mut stream = Seed::new(seed).stream();
        let mut random =
            |rows: usize, columns: usize| Matrix::from_fn(rows, columns, |_, _| stream.gaussian());
        let noise = random(rows, count);
        let parts: Vec<EnergyPart> = (0..3)
            .map(|part| {
                let factor = random(count, count);
                EnergyPart {
                    coupling: (part < 2).then(|| multiply_by_transposed(&factor, &factor)),
                    evidence: random(rows, count),
                }
            })
            .collect();
        let labels = Labels::from_fn(rows, count, |i, j| {
            noise[(i, j)] + parts[0].evidence[(i, j)] + parts[2].evidence[(i, j)] > 0.3
        });
        (parts, labels)
    }

    /// The same with parts that almost say the same, so that weights end at their bounds.
    fn correlated(rows: usize, count: usize, seed: u64) -> (Vec<EnergyPart>, Labels) {
        let (mut parts, labels) = example(rows, count, seed);
        let first = parts[0].evidence.clone();
        for part in &mut parts[1..] {
            let own = part.evidence.values_mut().iter_mut().zip(first.values());
            own.for_each(|(own, first)| *own = 0.99 * first + 0.14 * *own);
        }
        (parts, labels)
    }

    fn score(part: &EnergyPart, row: usize, y: &[f64]) -> f64 {
        let linear: f64 = part
            .evidence
            .row(row)
            .iter()
            .zip(y)
            .map(|(b, y)| b * y)
            .sum();
        let Some(coupling) = &part.coupling else {
            return linear;
        };
        let mut square = 0.0;
        for (j, a) in y.iter().enumerate() {
            for (k, b) in y.iter().enumerate() {
                square += coupling[(j, k)] * a * b;
            }
        }
        linear - 0.5 * square
    }

    /// The mean log-likelihood from the definition.
    fn mean_log_likelihood(parts: &[EnergyPart], labels: &Labels, weights: &[f64]) -> f64 {
        let energy = |row: usize, y: &[f64]| -> f64 {
            let scores = parts.iter().zip(weights);
            scores
                .map(|(part, weight)| weight * score(part, row, y))
                .sum()
        };
        let truth = labels.to_matrix();
        let of_rows = (0..labels.rows()).map(|row| {
            let sets = (0..1 << labels.count()).map(|set: usize| {
                let y: Vec<f64> = (0..labels.count()).map(|j| (set >> j & 1) as f64).collect();
                energy(row, &y).exp()
            });
            energy(row, truth.row(row)) - sets.sum::<f64>().ln()
        });
        of_rows.sum::<f64>() / labels.rows() as f64
    }

    proptest! {
        #[test]
        fn likelihood_and_derivatives_are_those_of_the_definition(count in 1usize..5, seed: u64) {
            let (parts, labels) = example(20, count, seed);
            let weights = [0.7, 0.2, 1.1];
            let place = Likelihood::new(&parts, &labels).at(&weights);
            let value = mean_log_likelihood(&parts, &labels, &weights);
            prop_assert!((place.value - value).abs() < 1e-10 * (1.0 + value.abs()));
            for k in 0..3 {
                let moved = |step: f64| {
                    let mut moved = weights;
                    moved[k] += step;
                    moved
                };
                let at = |step: f64| mean_log_likelihood(&parts, &labels, &moved(step));
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                let size = 1.0 + place.curvature[4 * k];
                prop_assert!((slope - place.gradient[k]).abs() < 1e-5 * size);
                let gradient = |step: f64| {
                    Likelihood::new(&parts, &labels).at(&moved(step)).gradient[k]
                };
                let bend = (gradient(1e-5) - gradient(-1e-5)) / 2e-5;
                prop_assert!((bend + place.curvature[4 * k]).abs() < 1e-4 * size * size);
            }
        }

        #[test]
        fn the_weights_meet_the_conditions_of_a_maximum(count in 1usize..5, seed: u64) {
            for (parts, labels) in [example(60, count, seed), correlated(30, count, seed)] {
                let best = likeliest_weights(&parts, &labels);
                let place = Likelihood::new(&parts, &labels).at(&best);
                for (k, slope) in place.gradient.iter().enumerate() {
                    // What a step of the size of the weight would gain, were the likelihood straight.
                    let gain = slope * best[k];
                    let low = best[k] <= BOUNDS.0 * 1.001 && gain < 0.0;
                    let high = best[k] >= BOUNDS.1 * 0.999 && gain > 0.0;
                    prop_assert!(gain.abs() < 1e-4 || low || high, "{best:?} {k} {slope}");
                }
            }
        }
    }

    #[test]
    fn weights_stay_within_bounds_where_the_likelihood_grows_without_end() {
        let labels = Labels::from_fn(10, 2, |i, j| (i + j) % 2 == 0);
        let truth = labels.to_matrix();
        let right = EnergyPart {
            coupling: None,
            evidence: Matrix::from_fn(10, 2, |i, j| 2.0 * truth[(i, j)] - 1.0),
        };
        let wrong = EnergyPart {
            coupling: None,
            evidence: Matrix::from_fn(10, 2, |i, j| {
                if i < 5 {
                    1.0 - 2.0 * truth[(i, j)]
                } else {
                    0.0
                }
            }),
        };
        let weights = likeliest_weights(&[right, wrong], &labels);
        assert!(
            weights
                .iter()
                .all(|weight| (BOUNDS.0..=BOUNDS.1).contains(weight))
        );
        assert!(weights[0] > 5.0 * weights[1], "{weights:?}");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let (parts, labels) = example(100, 4, 3);
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| likeliest_weights(&parts, &labels))
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}
