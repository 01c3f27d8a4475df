//! The posterior of a few rows side by side, in lanes.

use super::candidates::Candidates;
use super::trie::{LANES, Lane};
use crate::linalg::{exponentials, vectorised};

/// Scores or probabilities of all candidates for up to [`LANES`] rows, with the room to compute them.
pub(super) struct Block<'a> {
    candidates: &'a Candidates,
    /// Scores, or probabilities once they are [`Self::normalise`]d, by candidate.
    pub(super) of_sets: Vec<Lane>,
    /// The numbers of each label: evidence, later marginals.
    of_labels: Vec<Lane>,
    work: Vec<Lane>,
}

impl<'a> Block<'a> {
    pub(super) fn new(candidates: &'a Candidates) -> Self {
        Self {
            candidates,
            of_sets: vec![[0.0; LANES]; candidates.len()],
            of_labels: vec![[0.0; LANES]; candidates.sets().count()],
            work: candidates.trie().workspace(),
        }
    }

    /// Scores each candidate: what it has by itself, and what its labels have in each row. Lanes without a row are as if
    /// the row had no evidence.
    pub(super) fn score<'r>(
        &mut self,
        of_sets: &[f64],
        rows: &(impl Iterator<Item = &'r [f64]> + Clone),
    ) {
        for (label, lanes) in self.of_labels.iter_mut().enumerate() {
            lanes.fill(0.0);
            for (lane, row) in lanes.iter_mut().zip(rows.clone()) {
                *lane = row[label];
            }
        }
        for (lanes, own) in self.of_sets.iter_mut().zip(of_sets) {
            lanes.fill(*own);
        }
        let trie = self.candidates.trie();
        trie.add_sums(&self.of_labels, &mut self.work, &mut self.of_sets);
    }

    /// Adds what a row says about some candidates to their scores in its lane.
    pub(super) fn add_to_sets(
        &mut self,
        lane: usize,
        weight: f64,
        of_sets: impl Iterator<Item = (usize, f64)>,
    ) {
        for (set, value) in of_sets {
            self.of_sets[set][lane] += weight * value;
        }
    }

    /// The candidate of the highest score in each lane; the first of several.
    pub(super) fn best(&self) -> [usize; LANES] {
        let mut best = [0; LANES];
        let mut largest = [f64::NEG_INFINITY; LANES];
        vectorised(|| {
            for (candidate, lanes) in self.of_sets.iter().enumerate() {
                for lane in 0..LANES {
                    if lanes[lane] > largest[lane] {
                        largest[lane] = lanes[lane];
                        best[lane] = candidate;
                    }
                }
            }
        });
        best
    }

    /// Turns scores into probabilities that sum to one in each lane, and returns log Σ exp(score).
    pub(super) fn normalise(&mut self) -> Lane {
        normalise(&mut self.of_sets)
    }

    /// The probability of each label, once scores are normalised.
    pub(super) fn marginals(&mut self) -> &[Lane] {
        self.of_labels.fill([0.0; LANES]);
        let trie = self.candidates.trie();
        trie.add_totals(&self.of_sets, &mut self.work, &mut self.of_labels);
        &self.of_labels
    }
}

/// Turns scores into probabilities that sum to one in each lane, and returns log Σ exp(score).
pub(super) fn normalise(scores: &mut [Lane]) -> Lane {
    let largest = lanewise(scores, f64::NEG_INFINITY, f64::max);
    vectorised(|| {
        for lanes in &mut *scores {
            for lane in 0..LANES {
                lanes[lane] -= largest[lane];
            }
        }
    });
    exponentials(scores);
    let totals = lanewise(scores, 0.0, |a, b| a + b);
    vectorised(|| {
        for lanes in &mut *scores {
            for lane in 0..LANES {
                lanes[lane] /= totals[lane];
            }
        }
    });
    std::array::from_fn(|lane| largest[lane] + totals[lane].ln())
}

#[inline(always)]
fn lanewise(lanes: &[Lane], start: f64, combine: impl Fn(f64, f64) -> f64) -> Lane {
    vectorised(|| {
        let mut found = [start; LANES];
        for lanes in lanes {
            for lane in 0..LANES {
                found[lane] = combine(found[lane], lanes[lane]);
            }
        }
        found
    })
}
