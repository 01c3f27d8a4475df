//! From outputs to label sets, marginals and confidence, row by row.

use std::ops::Range;

use rayon::prelude::*;

use super::block::Block;
use super::expected_f1::SizeTable;
use super::trie::{LANES, Lane};
use super::{Decision, Inputs, Posterior};
use crate::data::{Labels, Matrix};
use crate::decode::{Outputs, strictly_inside};
use crate::learn::logistic::sigmoid;
use crate::{Prediction, Result};

/// Rows that one thread decodes at a time.
const CHUNK: usize = 8 * LANES;

/// Sets that are left out of sums over sets in the decision for F1 have at most this probability together.
const LEFT_OUT: f64 = 1e-12;

/// What the candidates say about a row.
struct Row<'a> {
    block: &'a Block<'a>,
    lane: usize,
    /// The likeliest candidate.
    best: usize,
    /// The marginals among candidates.
    among_candidates: &'a [Lane],
    log_odds: &'a [f64],
}

/// What is decoded from a row.
struct DecodedRow {
    set: Vec<u32>,
    marginals: Vec<f64>,
    log_odds: Vec<f64>,
    confidence: f64,
}

/// What the candidates say about training rows, each as if it were new.
pub(super) struct HeldOutRows {
    /// The likeliest set of each row.
    pub(super) likeliest: Labels,
    /// p(y|x) of the likeliest set.
    pub(super) of_likeliest: Vec<f64>,
    /// The marginals among candidates, n×q.
    pub(super) among_candidates: Matrix,
    /// The log-odds of independent labels, n×q.
    pub(super) log_odds: Matrix,
}

impl Posterior {
    /// The label sets of the decision, with marginals and confidence.
    pub fn decode(&self, outputs: &Outputs) -> Result<Prediction> {
        self.decode_for(outputs, self.decision)
    }

    /// The same for another decision than its own.
    pub(crate) fn decode_for(&self, outputs: &Outputs, decision: Decision) -> Result<Prediction> {
        self.decode_rows(outputs, None, decision)
    }

    /// The same for training rows whose outputs are held out: each row as if it were new.
    pub(crate) fn decode_held_out(&self, outputs: &Outputs, own: &Labels) -> Result<Prediction> {
        self.decode_rows(outputs, Some(own), self.decision)
    }

    fn decode_rows(
        &self,
        outputs: &Outputs,
        own: Option<&Labels>,
        decision: Decision,
    ) -> Result<Prediction> {
        let inputs = self.inputs(outputs)?;
        let rows = self.by_blocks(&inputs, own, |block, rows| {
            let size = match decision {
                Decision::F1 => self.largest_size(&inputs, rows.clone()),
                _ => 0,
            };
            let mut table = SizeTable::new(self.labels(), size);
            of_rows(block, &inputs, rows, |row| {
                self.decode_row(row, decision, &mut table)
            })
        });
        let (count, cells) = (self.labels(), rows.len() * self.labels());
        let mut labels = Labels::empty(count);
        let (mut marginals, mut log_odds) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        let mut confidence = Vec::with_capacity(rows.len());
        for row in &rows {
            labels.push_row(row.set.iter().map(|&label| label as usize));
            marginals.extend_from_slice(&row.marginals);
            log_odds.extend_from_slice(&row.log_odds);
            confidence.push(row.confidence);
        }
        Ok(Prediction {
            labels,
            scores: Some(Matrix::new(rows.len(), count, log_odds)?),
            probabilities: Some(Matrix::new(rows.len(), count, marginals)?),
            confidence: Some(confidence),
        })
    }

    /// The label sets alone, as [`Self::decode`] finds them: the likeliest needs no probabilities.
    pub fn label_sets(&self, outputs: &Outputs) -> Result<Labels> {
        if self.decision != Decision::Subset || self.candidates.len() == 0 {
            return Ok(self.decode(outputs)?.labels);
        }
        let inputs = self.inputs(outputs)?;
        let best = self.by_blocks(&inputs, None, |block, rows| {
            block.best()[..rows.len()].to_vec()
        });
        Ok(self.candidates.sets().select_rows(&best))
    }

    /// What the candidates say about training rows with these held-out outputs and label sets.
    pub(super) fn held_out_rows(&self, outputs: &Outputs, own: &Labels) -> Result<HeldOutRows> {
        let inputs = self.inputs(outputs)?;
        let rows = self.by_blocks(&inputs, Some(own), |block, rows| {
            of_rows(block, &inputs, rows, |row| {
                let marginals: Vec<f64> = row.marginals().collect();
                let likeliest = self.likeliest(row, &self.reported(row).0);
                (self.probability_of(row, &likeliest), likeliest, marginals)
            })
        });
        let mut likeliest = Labels::empty(self.labels());
        let mut among_candidates = Vec::with_capacity(rows.len() * self.labels());
        let mut of_likeliest = Vec::with_capacity(rows.len());
        for (probability, set, marginals) in rows {
            of_likeliest.push(probability);
            likeliest.push_row(set.iter().map(|&label| label as usize));
            among_candidates.extend_from_slice(&marginals);
        }
        let (rows, count) = (of_likeliest.len(), self.labels());
        Ok(HeldOutRows {
            among_candidates: Matrix::new(rows, count, among_candidates)?,
            log_odds: inputs.log_odds,
            likeliest,
            of_likeliest,
        })
    }

    /// What is found out about each row, a block of rows with scored candidates at a time.
    pub(super) fn by_blocks<T: Send>(
        &self,
        inputs: &Inputs<'_>,
        own: Option<&Labels>,
        of_block: impl Fn(&mut Block<'_>, Range<usize>) -> Vec<T> + Sync,
    ) -> Vec<T> {
        let rows = inputs.evidence.rows();
        let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
        let chunks: Vec<Vec<T>> = starts
            .into_par_iter()
            .map_init(
                || Block::new(&self.candidates),
                |block, start| {
                    let end = rows.min(start + CHUNK);
                    let mut found = Vec::with_capacity(end - start);
                    for first in (start..end).step_by(LANES) {
                        let lanes = first..end.min(first + LANES);
                        self.score(block, inputs, own, lanes.clone());
                        found.extend(of_block(block, lanes));
                    }
                    found
                },
            )
            .collect();
        chunks.into_iter().flatten().collect()
    }

    /// Scores the candidates of some rows, each as if it were new if `own` are their sets.
    fn score(
        &self,
        block: &mut Block<'_>,
        inputs: &Inputs<'_>,
        own: Option<&Labels>,
        rows: Range<usize>,
    ) {
        let evidence = rows.clone().map(|row| inputs.evidence.row(row));
        block.score(&self.of_sets, &evidence);
        for (weight, of_sets) in &inputs.of_sets {
            for (lane, row) in rows.clone().enumerate() {
                block.add_to_sets(lane, *weight, of_sets.view().entries(row));
            }
        }
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

    fn decode_row(&self, row: &Row<'_>, decision: Decision, table: &mut SizeTable) -> DecodedRow {
        let (marginals, log_odds) = self.reported(row);
        let set = self.decide(row, decision, &marginals, table);
        DecodedRow {
            confidence: self.recalibration.of(self.probability_of(row, &set)),
            set,
            marginals,
            log_odds,
        }
    }

    /// The marginals that are reported, and their log-odds.
    fn reported(&self, row: &Row<'_>) -> (Vec<f64>, Vec<f64>) {
        let share = self.independent;
        let of_label = |(seen, &odds): (f64, &f64)| {
            let (with, without) = (mixed(seen, odds, share), mixed(1.0 - seen, -odds, share));
            let log_odds = with.max(f64::MIN_POSITIVE).ln() - without.max(f64::MIN_POSITIVE).ln();
            (strictly_inside(with), log_odds)
        };
        row.marginals().zip(row.log_odds).map(of_label).unzip()
    }

    /// The set that the decision wants, given the marginals that are reported.
    fn decide(
        &self,
        row: &Row<'_>,
        decision: Decision,
        marginals: &[f64],
        table: &mut SizeTable,
    ) -> Vec<u32> {
        match decision {
            Decision::Subset => self.likeliest(row, marginals),
            Decision::Hamming | Decision::MicroF1 | Decision::MacroF1 => {
                above(marginals, |label| self.threshold(label).unwrap_or(0.5))
            }
            Decision::F1 => {
                table.clear();
                self.fill(table, row);
                table.best().0
            }
        }
    }

    /// The likeliest candidate; without candidates the labels that are likelier than not.
    fn likeliest(&self, row: &Row<'_>, marginals: &[f64]) -> Vec<u32> {
        if self.candidates.len() == 0 {
            return above(marginals, |_| 0.5);
        }
        self.candidates.sets().row(row.best).to_vec()
    }

    fn probability_of(&self, row: &Row<'_>, set: &[u32]) -> f64 {
        let position = self.candidates.position(set);
        let of_candidate = position.map_or(0.0, |set| row.block.of_sets[set][row.lane]);
        self.probability(of_candidate, set, row.log_odds)
    }

    /// p(y|x) of a set, given p_S of it.
    pub(super) fn probability(&self, of_candidate: f64, set: &[u32], log_odds: &[f64]) -> f64 {
        let seen = (1.0 - self.unseen) * of_candidate;
        if self.unseen == 0.0 {
            return seen;
        }
        seen + self.unseen * independent(set, log_odds)
    }

    fn fill(&self, table: &mut SizeTable, row: &Row<'_>) {
        let least = LEFT_OUT / self.candidates.len().max(1) as f64;
        for (set, members) in self.candidates.sets().iter().enumerate() {
            let share = row.block.of_sets[set][row.lane];
            if share > least {
                table.add_set(members, (1.0 - self.unseen) * share);
            }
        }
        if self.unseen > 0.0 {
            let probabilities: Vec<f64> = row.log_odds.iter().map(|&odds| sigmoid(odds)).collect();
            table.add_independent(&probabilities, self.unseen);
        }
    }

    /// The most labels that a set in the decision for F1 may have: those of the candidates and nearly all sets of
    /// independent labels.
    fn largest_size(&self, inputs: &Inputs<'_>, rows: Range<usize>) -> usize {
        let seen = self.candidates.sets().iter().map(<[u32]>::len).max();
        let most = seen.unwrap_or(0);
        if self.unseen == 0.0 {
            return most;
        }
        let expected = |row: usize| -> f64 {
            let odds = inputs.log_odds.row(row).iter();
            odds.map(|&odds| sigmoid(odds)).sum()
        };
        let mean = rows.map(expected).fold(0.0, f64::max);
        // By Bernstein's inequality a sum of independent labels is above this with a probability below exp(−30).
        let bound = mean + (60.0 * mean).sqrt() + 30.0;
        let open = (most..self.labels()).find(|&size| size as f64 >= bound);
        open.unwrap_or(self.labels())
    }
}

impl Row<'_> {
    /// The marginal of each label among candidates.
    fn marginals(&self) -> impl Iterator<Item = f64> + '_ {
        self.among_candidates.iter().map(|lanes| lanes[self.lane])
    }
}

/// Turns the scores of a block into probabilities, and looks at its rows one by one.
fn of_rows<T>(
    block: &mut Block<'_>,
    inputs: &Inputs<'_>,
    rows: Range<usize>,
    mut of_row: impl FnMut(&Row<'_>) -> T,
) -> Vec<T> {
    let best = block.best();
    block.normalise();
    let among_candidates = block.marginals().to_vec();
    let lanes = rows.enumerate().map(|(lane, row)| {
        of_row(&Row {
            block,
            lane,
            best: best[lane],
            among_candidates: &among_candidates,
            log_odds: inputs.log_odds.row(row),
        })
    });
    lanes.collect()
}

/// The marginal of a label with a share of independent labels.
pub(super) fn mixed(among_candidates: f64, log_odds: f64, share: f64) -> f64 {
    (1.0 - share) * among_candidates + share * sigmoid(log_odds)
}

/// The labels whose marginal is above a threshold.
fn above(marginals: &[f64], threshold: impl Fn(usize) -> f64) -> Vec<u32> {
    let labels = marginals.iter().enumerate();
    labels
        .filter(|&(label, marginal)| *marginal > threshold(label))
        .map(|(label, _)| label as u32)
        .collect()
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
