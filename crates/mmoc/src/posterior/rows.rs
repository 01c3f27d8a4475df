//! From outputs to label sets, marginals and confidence, row by row.

use rayon::prelude::*;

use super::block::Block;
use super::expected_f1::SizeTable;
use super::trie::LANES;
use super::{Decision, Inputs, Posterior};
use crate::data::{Labels, Matrix};
use crate::decode::strictly_inside;
use crate::learn::logistic::sigmoid;
use crate::{Prediction, Result};

/// Rows that one thread decodes at a time.
const CHUNK: usize = 8 * LANES;

/// Sets that are left out of sums over sets in the decision for F1 have at most this probability together.
const LEFT_OUT: f64 = 1e-12;

/// A label set and its probability.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelySet {
    /// The labels, ascending.
    pub labels: Vec<u32>,
    /// p(y|x).
    pub probability: f64,
}

/// What is found out about a few consecutive rows.
struct Piece {
    sets: Vec<Vec<u32>>,
    marginals: Vec<f64>,
    log_odds: Vec<f64>,
    confidence: Vec<f64>,
}

impl Posterior {
    /// The label sets of the decision, with marginals and confidence.
    pub fn decode(&self, outputs: &Matrix) -> Result<Prediction> {
        self.decode_rows(outputs, None)
    }

    /// The same for training rows whose outputs are held out: each row as if it were new.
    pub(crate) fn decode_held_out(&self, outputs: &Matrix, own: &Labels) -> Result<Prediction> {
        self.decode_rows(outputs, Some(own))
    }

    fn decode_rows(&self, outputs: &Matrix, own: Option<&Labels>) -> Result<Prediction> {
        let inputs = self.inputs(outputs)?;
        let (rows, count) = (outputs.rows(), self.labels());
        let pieces: Vec<Piece> = starts(rows)
            .into_par_iter()
            .map_init(
                || Block::new(&self.candidates),
                |block, start| self.piece(block, &inputs, own, start..rows.min(start + CHUNK)),
            )
            .collect();
        let mut labels = Labels::empty(count);
        let (mut marginals, mut log_odds) = (Vec::new(), Vec::new());
        let mut confidence = Vec::with_capacity(rows);
        for piece in pieces {
            for set in &piece.sets {
                labels.push_row(set.iter().map(|&label| label as usize));
            }
            marginals.extend(piece.marginals);
            log_odds.extend(piece.log_odds);
            confidence.extend(piece.confidence);
        }
        Ok(Prediction {
            labels,
            scores: Some(Matrix::new(rows, count, log_odds)?),
            probabilities: Some(Matrix::new(rows, count, marginals)?),
            confidence: Some(confidence),
        })
    }

    /// The label sets alone, as [`Self::decode`] finds them: the likeliest needs no probabilities.
    pub fn label_sets(&self, outputs: &Matrix) -> Result<Labels> {
        if self.decision != Decision::Subset || self.candidates.len() == 0 {
            return Ok(self.decode(outputs)?.labels);
        }
        let inputs = self.inputs(outputs)?;
        let rows = outputs.rows();
        let best: Vec<Vec<usize>> = starts(rows)
            .into_par_iter()
            .map_init(
                || Block::new(&self.candidates),
                |block, start| {
                    let rows = start..rows.min(start + CHUNK);
                    let mut best = Vec::with_capacity(rows.len());
                    for first in rows.clone().step_by(LANES) {
                        let lanes = first..rows.end.min(first + LANES);
                        self.score(block, &inputs, None, lanes.clone());
                        best.extend_from_slice(&block.best()[..lanes.len()]);
                    }
                    best
                },
            )
            .collect();
        let mut labels = Labels::empty(self.labels());
        for &set in best.iter().flatten() {
            let members = self.candidates.sets().row(set).iter();
            labels.push_row(members.map(|&label| label as usize));
        }
        Ok(labels)
    }

    /// The K likeliest candidates of each row, the likeliest first.
    pub fn likeliest_sets(&self, outputs: &Matrix, k: usize) -> Result<Vec<Vec<LikelySet>>> {
        let inputs = self.inputs(outputs)?;
        let rows = outputs.rows();
        let found: Vec<Vec<Vec<LikelySet>>> = starts(rows)
            .into_par_iter()
            .map_init(
                || Block::new(&self.candidates),
                |block, start| {
                    let rows = start..rows.min(start + CHUNK);
                    let mut found = Vec::with_capacity(rows.len());
                    for first in rows.clone().step_by(LANES) {
                        let lanes = first..rows.end.min(first + LANES);
                        self.score(block, &inputs, None, lanes.clone());
                        block.normalise();
                        for (lane, row) in lanes.enumerate() {
                            found.push(self.likeliest_of_row(
                                block,
                                lane,
                                inputs.log_odds.row(row),
                                k,
                            ));
                        }
                    }
                    found
                },
            )
            .collect();
        Ok(found.into_iter().flatten().collect())
    }

    fn likeliest_of_row(
        &self,
        block: &Block<'_>,
        lane: usize,
        log_odds: &[f64],
        k: usize,
    ) -> Vec<LikelySet> {
        let share = |set: &usize| block.of_sets[*set][lane];
        let order = |a: &usize, b: &usize| share(b).total_cmp(&share(a)).then(a.cmp(b));
        let mut sets: Vec<usize> = (0..self.candidates.len()).collect();
        if k == 0 {
            return Vec::new();
        }
        if k < sets.len() {
            sets.select_nth_unstable_by(k - 1, order);
            sets.truncate(k);
        }
        sets.sort_unstable_by(order);
        let likely = |set| {
            let labels = self.candidates.sets().row(set).to_vec();
            let probability = self.probability(Some(share(&set)), &labels, log_odds);
            LikelySet {
                labels,
                probability,
            }
        };
        sets.into_iter().map(likely).collect()
    }

    /// p(y|x) of a set, given p_S of it if it is a candidate.
    fn probability(&self, of_candidate: Option<f64>, set: &[u32], log_odds: &[f64]) -> f64 {
        let seen = (1.0 - self.unseen) * of_candidate.unwrap_or(0.0);
        if self.unseen == 0.0 {
            return seen;
        }
        seen + self.unseen * independent(set, log_odds)
    }

    /// Scores the candidates of some rows, each as if it were new if `own` are their sets.
    fn score(
        &self,
        block: &mut Block<'_>,
        inputs: &Inputs,
        own: Option<&Labels>,
        rows: std::ops::Range<usize>,
    ) {
        let evidence = rows.clone().map(|row| inputs.evidence.row(row));
        block.score(&self.of_sets, &evidence);
        let Some(own) = own else { return };
        for (lane, row) in rows.enumerate() {
            let Some(set) = self.candidates.position(own.row(row)) else {
                continue;
            };
            if self.candidates.counts()[set] == 1 && !self.candidates.are_all() {
                // Without the row the set would not be a candidate.
                block.of_sets[set][lane] = f64::NEG_INFINITY;
            } else {
                block.of_sets[set][lane] -= self.of_own_row[set];
            }
        }
    }

    fn piece(
        &self,
        block: &mut Block<'_>,
        inputs: &Inputs,
        own: Option<&Labels>,
        rows: std::ops::Range<usize>,
    ) -> Piece {
        let count = self.labels();
        let mut piece = Piece {
            sets: Vec::with_capacity(rows.len()),
            marginals: Vec::with_capacity(rows.len() * count),
            log_odds: Vec::with_capacity(rows.len() * count),
            confidence: Vec::with_capacity(rows.len()),
        };
        let mut table = SizeTable::new(count, self.largest_size(inputs, rows.clone()));
        for first in rows.clone().step_by(LANES) {
            let lanes = first..rows.end.min(first + LANES);
            self.score(block, inputs, own, lanes.clone());
            let best = block.best();
            block.normalise();
            let marginals = block.marginals().to_vec();
            for (lane, row) in lanes.enumerate() {
                let log_odds = inputs.log_odds.row(row);
                let begin = piece.marginals.len();
                for (label, lanes) in marginals.iter().enumerate() {
                    let (p, odds) = self.calibrated_marginal(lanes[lane], log_odds[label]);
                    piece.marginals.push(p);
                    piece.log_odds.push(odds);
                }
                let marginal = |label: usize| match self.decision {
                    Decision::MicroF1 | Decision::MacroF1 => {
                        let seen = (1.0 - self.unseen) * marginals[label][lane];
                        seen + self.unseen * sigmoid(log_odds[label])
                    }
                    // The labels that are reported to be likelier than not.
                    _ => piece.marginals[begin + label],
                };
                let set = self.decide(block, lane, best[lane], marginal, log_odds, &mut table);
                let of_candidate = self.candidates.position(&set);
                let of_candidate = of_candidate.map(|set| block.of_sets[set][lane]);
                let probability = self.probability(of_candidate, &set, log_odds);
                piece.confidence.push(self.recalibration.of(probability));
                piece.sets.push(set);
            }
        }
        piece
    }

    /// The probability of a label and its log-odds, given its probability among candidates.
    fn calibrated_marginal(&self, among_candidates: f64, log_odds: f64) -> (f64, f64) {
        let (seen, open) = (1.0 - self.independent, self.independent);
        let with = seen * among_candidates + open * sigmoid(log_odds);
        let without = seen * (1.0 - among_candidates) + open * sigmoid(-log_odds);
        let odds = with.max(f64::MIN_POSITIVE).ln() - without.max(f64::MIN_POSITIVE).ln();
        (strictly_inside(with), odds)
    }

    fn decide(
        &self,
        block: &Block<'_>,
        lane: usize,
        best: usize,
        marginal: impl Fn(usize) -> f64,
        log_odds: &[f64],
        table: &mut SizeTable,
    ) -> Vec<u32> {
        let above = |threshold: &dyn Fn(usize) -> f64| {
            let labels = 0..log_odds.len();
            labels
                .filter(|&label| marginal(label) > threshold(label))
                .map(|label| label as u32)
                .collect()
        };
        match self.decision {
            Decision::Subset if self.candidates.len() > 0 => {
                self.candidates.sets().row(best).to_vec()
            }
            Decision::Subset | Decision::Hamming => above(&|_| 0.5),
            Decision::MicroF1 => above(&|_| self.thresholds.micro),
            Decision::MacroF1 => above(&|label| self.thresholds.per_label[label]),
            Decision::F1 => {
                table.clear();
                self.fill(table, block, lane, log_odds);
                table.best().0
            }
        }
    }

    fn fill(&self, table: &mut SizeTable, block: &Block<'_>, lane: usize, log_odds: &[f64]) {
        let least = LEFT_OUT / self.candidates.len().max(1) as f64;
        for (set, members) in self.candidates.sets().iter().enumerate() {
            let share = block.of_sets[set][lane];
            if share > least {
                table.add_set(members, (1.0 - self.unseen) * share);
            }
        }
        if self.unseen > 0.0 {
            let probabilities: Vec<f64> = log_odds.iter().map(|&odds| sigmoid(odds)).collect();
            table.add_independent(&probabilities, self.unseen);
        }
    }

    /// The most labels that a set in the decision for F1 may have: those of the candidates and nearly all sets of
    /// independent labels.
    fn largest_size(&self, inputs: &Inputs, rows: std::ops::Range<usize>) -> usize {
        let seen = self.candidates.sets().iter().map(<[u32]>::len).max();
        let most = seen.unwrap_or(0);
        if self.unseen == 0.0 || self.decision != Decision::F1 {
            return most;
        }
        let expected = |row: usize| -> f64 {
            inputs
                .log_odds
                .row(row)
                .iter()
                .map(|&odds| sigmoid(odds))
                .sum()
        };
        let mean = rows.map(expected).fold(0.0, f64::max);
        // By Bernstein's inequality a sum of independent labels is above this with a probability below exp(−30).
        let bound = mean + (60.0 * mean).sqrt() + 30.0;
        let open = (most..self.labels()).find(|&size| size as f64 >= bound);
        open.unwrap_or(self.labels())
    }
}

fn starts(rows: usize) -> Vec<usize> {
    (0..rows).step_by(CHUNK).collect()
}

/// p_O of a set.
fn independent(set: &[u32], log_odds: &[f64]) -> f64 {
    let mut members = set.iter().copied().peekable();
    let of_label = |(label, &odds): (usize, &f64)| {
        let has = members.next_if_eq(&(label as u32)).is_some();
        sigmoid(if has { odds } else { -odds }).ln()
    };
    let logarithm: f64 = log_odds.iter().enumerate().map(of_label).sum();
    logarithm.exp()
}
