//! The weights w ≥ 0 of the terms that maximise the likelihood of training rows, each scored as if it were new.
//!
//! With f_ik(s) the score of candidate s by term k in row i, and y_i its set,
//!
//! ```text
//! L(w) = (1/n)·Σ_i log p_i(y_i) − (ρ/2)·‖w‖²,      p_i(s) ∝ exp(Σ_k w_k·f_ik(s))
//! ```
//!
//! (if rows have weights, the mean over rows is a weighted one)
//! is concave. Its gradient is the mean of f at y_i minus its expectation, and its curvature minus the covariance of f
//! under p_i. Newton steps within w ≥ 0 find the maximum. As L is concave with curvature ρ at least, no w' ≥ 0
//! is better than w by more than
//!
//! ```text
//! gap(w) = Σ_k max over d ≥ −w_k of (g_k·d − (ρ/2)·d²),      g = ∇L(w)
//! ```
//!
//! which is reported.

use pulp::NullaryFnOnce;
use rayon::prelude::*;

use super::block::{Block, normalise};
use super::candidates::Candidates;
use super::trie::{LANES, Lane};
use crate::data::{Csr, Matrix};
use crate::linalg::{add_scaled, dot, small, sum, vectorised};
use crate::{Result, check_stop};

/// ρ: it keeps weights bounded where the likelihood grows without end, and decides nothing else.
const RIDGE: f64 = 1e-4;
/// The gap at which steps end.
const ENOUGH: f64 = 1e-9;
/// Newton steps; about eight are taken.
const MOST_STEPS: usize = 50;
/// Halvings of a step.
const MOST_HALVINGS: usize = 40;
/// Candidates whose scores by all terms stay in the nearest cache while their covariances are summed.
const TILE: usize = 64;
/// Rows that one thread processes together.
const CHUNK: usize = 8 * LANES;

/// What a term says about the candidates of some rows.
#[derive(Debug)]
pub(super) struct TermScores<'a> {
    /// What each label of a set adds, n×q.
    pub(super) labels: Option<Matrix>,
    /// What some candidates add in each row, n×candidates.
    pub(super) candidates: Option<&'a Csr>,
    /// What each candidate has by itself.
    pub(super) sets: Vec<f64>,
    /// What each candidate has less in a row that is among those that have it.
    pub(super) own_row: Vec<f64>,
}

/// Weights, and how good they are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FittedWeights {
    pub(super) weights: Vec<f64>,
    /// The log-likelihood of each row, without the ridge.
    pub(super) of_rows: Vec<f64>,
    /// How much each row counts, in units of their mean; none if all count the same.
    pub(super) row_weights: Option<Vec<f64>>,
    /// Its mean.
    pub(super) log_likelihood: f64,
    /// No weights have an objective that is higher by more.
    pub(super) gap: f64,
}

/// The rows whose likelihood is maximised: each with the position of its set among the candidates.
#[derive(Debug, Clone)]
pub(super) struct OwnSets {
    pub(super) rows: Vec<(usize, usize)>,
    /// How much each of them counts; none if all count the same.
    pub(super) weights: Option<Vec<f64>>,
}

/// Finds the weights of terms by rows whose set is a candidate, beginning with given ones.
pub(super) fn likeliest_weights(
    terms: &[&TermScores<'_>],
    candidates: &Candidates,
    rows: &OwnSets,
    mut weights: Vec<f64>,
) -> Result<FittedWeights> {
    let likelihood = Likelihood {
        terms,
        candidates,
        rows: &rows.rows,
        row_weights: rows.weights.as_deref(),
    };
    let mut place = likelihood.at(&weights)?;
    for _ in 0..MOST_STEPS {
        if place.gap(&weights) <= ENOUGH {
            break;
        }
        let direction = newton_direction(&place, &weights);
        let Some((next, better)) = likelihood.search(&place, &weights, &direction)? else {
            break;
        };
        (weights, place) = (next, better);
    }
    Ok(FittedWeights {
        of_rows: likelihood.of_rows(&weights)?,
        row_weights: rows.weights.as_deref().map(relative),
        log_likelihood: place.value + penalty(&weights),
        gap: place.gap(&weights),
        weights,
    })
}

/// Weights in units of their mean.
fn relative(weights: &[f64]) -> Vec<f64> {
    let mean = sum(weights) / weights.len() as f64;
    weights.iter().map(|weight| weight / mean).collect()
}

/// Rows, terms and candidates of a likelihood.
struct Likelihood<'a> {
    terms: &'a [&'a TermScores<'a>],
    candidates: &'a Candidates,
    rows: &'a [(usize, usize)],
    row_weights: Option<&'a [f64]>,
}

/// The objective with its first and second derivatives.
#[derive(Debug, Clone)]
struct Objective {
    value: f64,
    gradient: Vec<f64>,
    /// Minus the second derivatives, row by row.
    curvature: Vec<f64>,
}

impl Objective {
    fn zero(terms: usize) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; terms],
            curvature: vec![0.0; terms * terms],
        }
    }

    fn add(&mut self, other: &Self, scale: f64) {
        self.value += scale * other.value;
        add_scaled(&mut self.gradient, scale, &other.gradient);
        add_scaled(&mut self.curvature, scale, &other.curvature);
    }

    /// How much higher the objective can be anywhere else.
    fn gap(&self, weights: &[f64]) -> f64 {
        let of_one = |(&slope, &weight): (&f64, &f64)| {
            let step = (slope / RIDGE).max(-weight);
            slope * step - 0.5 * RIDGE * step * step
        };
        self.gradient.iter().zip(weights).map(of_one).sum()
    }
}

fn penalty(weights: &[f64]) -> f64 {
    0.5 * RIDGE * weights.iter().map(|weight| weight * weight).sum::<f64>()
}

impl Likelihood<'_> {
    fn at(&self, weights: &[f64]) -> Result<Objective> {
        check_stop()?;
        let chunks = self.rows.par_chunks(CHUNK).enumerate();
        let chunks: Vec<Objective> = chunks
            .map(|(chunk, rows)| self.sum_over(rows, chunk * CHUNK, weights))
            .collect();
        let mut mean = Objective::zero(weights.len());
        let total = self.row_weights.map_or(self.rows.len() as f64, sum);
        for chunk in &chunks {
            mean.add(chunk, 1.0 / total.max(f64::MIN_POSITIVE));
        }
        mean.value -= penalty(weights);
        for (k, weight) in weights.iter().enumerate() {
            mean.gradient[k] -= RIDGE * weight;
            mean.curvature[k * weights.len() + k] += RIDGE;
        }
        Ok(mean)
    }

    /// The log-likelihood of each row.
    fn of_rows(&self, weights: &[f64]) -> Result<Vec<f64>> {
        check_stop()?;
        let chunks = self.rows.par_chunks(CHUNK).map(|rows| {
            let mut found = Vec::with_capacity(rows.len());
            self.by_blocks(rows, weights, |_, shares, lanes| {
                let logarithms = normalise(shares);
                found.extend(logarithms[..lanes].iter().map(|logarithm| -logarithm));
            });
            found
        });
        let chunks: Vec<Vec<f64>> = chunks.collect();
        Ok(chunks.concat())
    }

    /// The sum over some rows, of which the first is `first`.
    fn sum_over(&self, rows: &[(usize, usize)], first: usize, weights: &[f64]) -> Objective {
        let mut sum = Objective::zero(weights.len());
        let mut next = first;
        self.by_blocks(rows, weights, |blocks, shares, lanes| {
            let of_rows = self.row_weights.map(|weights| &weights[next..next + lanes]);
            sum.add(&of_block(blocks, lanes, of_rows, shares), 1.0);
            next += lanes;
        });
        sum
    }

    /// Calls `visit` with the scores of each term, their weighted sums, both relative to those of the own sets, and the
    /// number of rows, a few rows at a time.
    fn by_blocks(
        &self,
        rows: &[(usize, usize)],
        weights: &[f64],
        mut visit: impl FnMut(&[Block<'_>], &mut [Lane], usize),
    ) {
        let terms = 0..weights.len();
        let mut blocks: Vec<Block<'_>> = terms.map(|_| Block::new(self.candidates)).collect();
        let mut sums = vec![[0.0; LANES]; self.candidates.len()];
        for rows in rows.chunks(LANES) {
            sums.fill([0.0; LANES]);
            for ((block, term), &weight) in blocks.iter_mut().zip(self.terms).zip(weights) {
                score_relative(block, term, rows);
                add_lanes(&mut sums, weight, &block.of_sets);
            }
            visit(&blocks, &mut sums, rows.len());
        }
    }

    /// The first of the full step, half of it and so on that is an improvement.
    fn search(
        &self,
        place: &Objective,
        weights: &[f64],
        direction: &[f64],
    ) -> Result<Option<(Vec<f64>, Objective)>> {
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let moved = weights.iter().zip(direction);
            let next: Vec<f64> = moved
                .map(|(weight, step)| (weight + length * step).max(0.0))
                .collect();
            let found = self.at(&next)?;
            if found.value > place.value {
                return Ok(Some((next, found)));
            }
            length *= 0.5;
        }
        Ok(None)
    }
}

/// Scores of a term relative to that of the row's own set.
fn score_relative(block: &mut Block<'_>, term: &TermScores<'_>, rows: &[(usize, usize)]) {
    match &term.labels {
        Some(matrix) => block.score(&term.sets, &rows.iter().map(|&(row, _)| matrix.row(row))),
        None => block.score(&term.sets, &std::iter::empty()),
    }
    if let Some(own) = term.candidates {
        for (lane, &(row, _)) in rows.iter().enumerate() {
            block.add_to_sets(lane, 1.0, own.view().entries(row));
        }
    }
    let mut own = [0.0; LANES];
    for (lane, &(_, set)) in rows.iter().enumerate() {
        block.of_sets[set][lane] -= term.own_row[set];
        own[lane] = block.of_sets[set][lane];
    }
    vectorised(|| {
        for lanes in &mut block.of_sets {
            for lane in 0..LANES {
                lanes[lane] -= own[lane];
            }
        }
    });
}

/// The sum over the rows of a block, given the scores of each term and their weighted sums, which become probabilities.
fn of_block(
    blocks: &[Block<'_>],
    rows: usize,
    weights: Option<&[f64]>,
    shares: &mut [Lane],
) -> Objective {
    let count = blocks.len();
    let logarithms = normalise(shares);
    let over_rows = |lanes: Lane| match weights {
        None => lanes[..rows].iter().sum::<f64>(),
        Some(weights) => dot(&lanes[..rows], weights),
    };
    let mut sum = Objective::zero(count);
    sum.value = -over_rows(logarithms);
    let scores: Vec<&[Lane]> = blocks.iter().map(|block| &*block.of_sets).collect();
    let means: Vec<Lane> = scores.iter().map(|own| mean(shares, own)).collect();
    let covariances = covariances(shares, &scores, &means);
    for a in 0..count {
        sum.gradient[a] = -over_rows(means[a]);
        for b in 0..=a {
            let covariance = over_rows(covariances[a * (a + 1) / 2 + b]);
            sum.curvature[a * count + b] = covariance;
            sum.curvature[b * count + a] = covariance;
        }
    }
    sum
}

fn add_lanes(sum: &mut [Lane], scale: f64, added: &[Lane]) {
    vectorised(|| {
        for (sum, added) in sum.iter_mut().zip(added) {
            for lane in 0..LANES {
                sum[lane] += scale * added[lane];
            }
        }
    });
}

fn mean(shares: &[Lane], values: &[Lane]) -> Lane {
    vectorised(|| {
        let mut mean = [0.0; LANES];
        for (share, value) in shares.iter().zip(values) {
            for lane in 0..LANES {
                mean[lane] += share[lane] * value[lane];
            }
        }
        mean
    })
}

/// The covariance of each term with itself and those before it, given the means of all.
fn covariances(shares: &[Lane], scores: &[&[Lane]], means: &[Lane]) -> Vec<Lane> {
    let pairs = scores.len() * (scores.len() + 1) / 2;
    let mut sums = vec![[0.0; LANES]; pairs];
    for start in (0..shares.len()).step_by(TILE) {
        let tile = start..shares.len().min(start + TILE);
        let centred = |term: usize| (&scores[term][tile.clone()], means[term]);
        let mut pair = 0;
        for a in 0..scores.len() {
            for b in 0..=a {
                vectorised(AddCovariance {
                    shares: &shares[tile.clone()],
                    first: centred(a),
                    second: centred(b),
                    sum: &mut sums[pair],
                });
                pair += 1;
            }
        }
    }
    sums
}

/// The covariance of two terms over some candidates. It takes a large part of a fit of weights, so it is compiled for wide
/// registers whatever its length.
struct AddCovariance<'a> {
    shares: &'a [Lane],
    /// Numbers and their mean.
    first: (&'a [Lane], Lane),
    second: (&'a [Lane], Lane),
    sum: &'a mut Lane,
}

impl NullaryFnOnce for AddCovariance<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let ((first, mean), (second, other_mean)) = (self.first, self.second);
        let mut sum = *self.sum;
        for ((share, a), b) in self.shares.iter().zip(first).zip(second) {
            for lane in 0..LANES {
                sum[lane] += share[lane] * (a[lane] - mean[lane]) * (b[lane] - other_mean[lane]);
            }
        }
        *self.sum = sum;
    }
}

/// The step to the maximum, within w ≥ 0, of the quadratic function that agrees with the objective in value and
/// derivatives. It is found by trying every way of holding weights at zero: there are a handful of weights.
fn newton_direction(place: &Objective, weights: &[f64]) -> Vec<f64> {
    let faces = 1 << weights.len();
    let steps = (0..faces).filter_map(|face| step_on_face(place, weights, face));
    let best = steps.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or_else(|| vec![0.0; weights.len()], |(_, step)| step)
}

/// The step to the maximum on one face, with the gain of the quadratic function; none if it leaves w ≥ 0. The bits of
/// `face` say which weights are zero.
fn step_on_face(place: &Objective, weights: &[f64], face: usize) -> Option<(f64, Vec<f64>)> {
    let count = weights.len();
    let curvature = |a: usize, b: usize| place.curvature[a * count + b];
    let is_free = |k: &usize| face >> k & 1 == 0;
    let free: Vec<usize> = (0..count).filter(is_free).collect();
    let mut step: Vec<f64> = weights.iter().map(|weight| -weight).collect();
    free.iter().for_each(|&k| step[k] = 0.0);
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
    if free.iter().any(|&k| weights[k] + step[k] < 0.0) {
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
    use crate::data::Labels;

    /// Two terms of labels, one of which is less sure, and one of sets, with sets that have to do with them.
    struct Example {
        candidates: Candidates,
        evidence: Vec<Matrix>,
        of_sets: Vec<f64>,
        /// What some sets have in each row, n×candidates.
        in_rows: Matrix,
        sparse: Csr,
        own: OwnSets,
    }

    impl Example {
        fn new(rows: usize, labels: usize, seed: u64) -> Self {
            let mut stream = Seed::new(seed).stream();
            let mut random = || Matrix::from_fn(rows, labels, |_, _| stream.gaussian());
            let (first, second, noise) = (random(), random(), random());
            let sets = Labels::from_fn(rows, labels, |i, j| {
                first[(i, j)] + 0.3 * second[(i, j)] + noise[(i, j)] > 0.4
            });
            let candidates = Candidates::seen(&sets);
            let own = sets.iter().enumerate();
            let own = own.map(|(row, set)| (row, candidates.position(set).unwrap()));
            let in_rows = Matrix::from_fn(rows, candidates.len(), |_, _| {
                (stream.gaussian() - 0.5).max(0.0)
            });
            Self {
                sparse: Csr::from(&in_rows),
                in_rows,
                of_sets: (0..candidates.len()).map(|_| stream.gaussian()).collect(),
                own: OwnSets {
                    rows: own.collect(),
                    // Half of the examples have weights.
                    weights: (seed % 2 == 1)
                        .then(|| (0..rows).map(|_| 0.2 + 3.0 * stream.uniform()).collect()),
                },
                evidence: vec![first, second],
                candidates,
            }
        }

        fn terms(&self) -> Vec<TermScores<'_>> {
            let nothing = vec![0.0; self.candidates.len()];
            let labels = self.evidence.iter().map(|matrix| TermScores {
                labels: Some(matrix.clone()),
                candidates: None,
                sets: nothing.clone(),
                own_row: nothing.clone(),
            });
            let sets = TermScores {
                labels: None,
                candidates: Some(&self.sparse),
                sets: self.of_sets.clone(),
                own_row: vec![0.25; self.candidates.len()],
            };
            labels.chain([sets]).collect()
        }

        /// The objective from its definition.
        fn objective(&self, weights: &[f64]) -> f64 {
            let score = |row: usize, own: usize, set: usize| {
                let members = self.candidates.sets().row(set).iter();
                let of_labels: f64 = members
                    .map(|&label| {
                        let terms = self.evidence.iter().zip(weights);
                        terms
                            .map(|(term, w)| w * term[(row, label as usize)])
                            .sum::<f64>()
                    })
                    .sum();
                let own_row = if own == set { 0.25 } else { 0.0 };
                of_labels + weights[2] * (self.of_sets[set] + self.in_rows[(row, set)] - own_row)
            };
            let of_row = |&(row, own): &(usize, usize)| {
                let sets = 0..self.candidates.len();
                let total: f64 = sets.map(|set| score(row, own, set).exp()).sum();
                score(row, own, own) - total.ln()
            };
            let ones = vec![1.0; self.own.rows.len()];
            let row_weights = self.own.weights.as_ref().unwrap_or(&ones);
            let values = self.own.rows.iter().map(of_row).zip(row_weights);
            let sum: f64 = values.map(|(value, weight)| weight * value).sum();
            sum / row_weights.iter().sum::<f64>() - penalty(weights)
        }

        fn at(&self, weights: &[f64]) -> Objective {
            let terms = self.terms();
            let terms: Vec<&TermScores<'_>> = terms.iter().collect();
            let likelihood = Likelihood {
                terms: &terms,
                candidates: &self.candidates,
                rows: &self.own.rows,
                row_weights: self.own.weights.as_deref(),
            };
            likelihood.at(weights).unwrap()
        }

        fn fit(&self) -> FittedWeights {
            let terms = self.terms();
            let terms: Vec<&TermScores<'_>> = terms.iter().collect();
            likeliest_weights(&terms, &self.candidates, &self.own, vec![1.0; 3]).unwrap()
        }

        /// The maximum by steps along single weights that shrink: slow, but with nothing that could be wrong.
        fn compass_search(&self) -> Vec<f64> {
            let mut weights = vec![0.5; 3];
            let mut value = self.objective(&weights);
            let mut step = 1.0;
            while step > 1e-6 {
                let mut improved = false;
                for k in 0..3 {
                    for sign in [1.0, -1.0] {
                        let mut moved = weights.clone();
                        moved[k] = f64::max(moved[k] + sign * step, 0.0);
                        let found = self.objective(&moved);
                        if found > value {
                            (weights, value, improved) = (moved, found, true);
                        }
                    }
                }
                if !improved {
                    step *= 0.5;
                }
            }
            weights
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn value_and_derivatives_are_those_of_the_definition(labels in 1usize..5, seed: u64) {
            let example = Example::new(21, labels, seed);
            let weights = [0.7, 0.2, 1.1];
            let place = example.at(&weights);
            let value = example.objective(&weights);
            prop_assert!((place.value - value).abs() < 1e-10 * (1.0 + value.abs()));
            for k in 0..3 {
                let moved = |step: f64| {
                    let mut moved = weights;
                    moved[k] += step;
                    moved
                };
                let slope = (example.objective(&moved(1e-5)) - example.objective(&moved(-1e-5))) / 2e-5;
                let size = 1.0 + place.curvature[4 * k];
                prop_assert!((slope - place.gradient[k]).abs() < 1e-5 * size);
                let (above, below) = (example.at(&moved(1e-5)), example.at(&moved(-1e-5)));
                for other in 0..3 {
                    let bend = (above.gradient[other] - below.gradient[other]) / 2e-5;
                    prop_assert!((bend + place.curvature[3 * k + other]).abs() < 1e-4 * size * size);
                }
            }
        }

        #[test]
        fn a_search_without_derivatives_finds_nothing_better_than_the_gap_allows(seed: u64) {
            let example = Example::new(40, 3, seed);
            let found = example.fit();
            prop_assert!(found.weights.iter().all(|weight| *weight >= 0.0));
            prop_assert!(found.gap <= ENOUGH, "{found:?}");
            let value = example.objective(&found.weights);
            prop_assert!((value + penalty(&found.weights) - found.log_likelihood).abs() < 1e-9);
            let other = example.compass_search();
            prop_assert!(example.objective(&other) <= value + found.gap + 1e-9);
            for (a, b) in found.weights.iter().zip(&other) {
                prop_assert!((a - b).abs() < 0.02 * (1.0 + a), "{found:?} {other:?}");
            }
        }

        #[test]
        fn the_gap_bounds_what_any_weights_gain(seed: u64) {
            let example = Example::new(30, 3, seed);
            let mut stream = Seed::new(seed).stream();
            let mut draw = || -> Vec<f64> { (0..3).map(|_| 2.0 * stream.uniform()).collect() };
            let weights = draw();
            let place = example.at(&weights);
            for _ in 0..10 {
                let other = draw();
                prop_assert!(example.objective(&other) <= place.value + place.gap(&weights) + 1e-12);
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let example = Example::new(200, 4, 3);
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| example.fit())
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}
