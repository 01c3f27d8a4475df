//! The votes of calibrated label ranking.
//!
//! All q(q + 1)/2 classifiers vote,
//!
//! ```text
//! v_j = [p̂_j > ½] + Σ_{k≠j} [p̂_jk > ½]        votes of label j
//! v_0 = Σ_j [p̂_j ≤ ½]                         votes of the virtual label
//! ```
//!
//! and the labels with more votes than the virtual one are predicted; a tie is not enough. A classifier at exactly ½
//! gives half a vote to each side. With soft votes the probabilities themselves are added up in place of the brackets.
//!
//! The score of a label is (v_j − v_0)/q, from −1 to 1 and positive for the labels predicted. Its probability is the
//! smoothed share (v_j + ½)/(v_j + v_0 + 1) of the votes that the label and the virtual one have together, above
//! one half for the labels predicted: an order that fits the prediction, not a calibrated frequency.

use super::check_numbers;
use super::decoder::Decode;
use super::outputs::Outputs;
use crate::data::{Labels, Matrix};
use crate::learn::logistic::sigmoid;
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::settings::Named;
use crate::{Prediction, Result};

/// How much of a vote a classifier gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Votes {
    /// One vote for the likelier side, half a vote for each if there is none.
    #[default]
    Hard,
    /// To each side its probability.
    Soft,
}

impl Named for Votes {
    const NAMES: &'static [(Self, &'static str)] = &[(Self::Hard, "hard"), (Self::Soft, "soft")];
}

impl Votes {
    /// The part of a vote for the side that positive log-odds favour.
    fn share(self, log_odds: f64) -> f64 {
        match self {
            Self::Soft => sigmoid(log_odds),
            Self::Hard if log_odds == 0.0 => 0.5,
            Self::Hard => f64::from(u8::from(log_odds > 0.0)),
        }
    }
}

/// The number of pairs of q labels.
pub(crate) fn pairs_of(labels: usize) -> usize {
    labels * labels.saturating_sub(1) / 2
}

/// The pairs (j, k) with j < k, in the order of their classifiers.
pub(crate) fn pairs(labels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..labels).flat_map(move |j| (j + 1..labels).map(move |k| (j, k)))
}

/// The votes of q classifiers against the virtual label and of those of all pairs (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibratedVotes {
    labels: usize,
    votes: Votes,
}

impl CalibratedVotes {
    /// Counts the votes for q labels.
    pub fn new(labels: usize, votes: Votes) -> Self {
        Self { labels, votes }
    }

    /// How much of a vote a classifier gives.
    pub fn votes(&self) -> Votes {
        self.votes
    }

    /// Predicts the labels that get more votes than the virtual label.
    fn count(&self, log_odds: &Matrix) -> Prediction {
        let (rows, count) = (log_odds.rows(), self.labels);
        let mut labels = Labels::empty(count);
        let mut scores = Matrix::zeros(rows, count);
        let mut probabilities = Matrix::zeros(rows, count);
        for row in 0..rows {
            let (against_virtual, pairs) = log_odds.row(row).split_at(count);
            let ballot = self.count_votes(against_virtual, pairs);
            let lead = |j: usize| ballot.labels[j] - ballot.virtual_label;
            labels.push_row((0..count).filter(|&j| lead(j) > 0.0));
            for j in 0..count {
                scores[(row, j)] = lead(j) / count as f64;
                probabilities[(row, j)] = ballot.share(j);
            }
        }
        Prediction {
            labels,
            scores: Some(scores),
            probabilities: Some(probabilities),
            confidence: None,
        }
    }

    fn count_votes(&self, against_virtual: &[f64], pair_odds: &[f64]) -> Ballot {
        let own = |log_odds: &f64| self.votes.share(*log_odds);
        let mut labels: Vec<f64> = against_virtual.iter().map(own).collect();
        let virtual_label = labels.iter().map(|vote| 1.0 - vote).sum();
        for ((j, k), log_odds) in pairs(labels.len()).zip(pair_odds) {
            let vote = self.votes.share(*log_odds);
            labels[j] += vote;
            labels[k] += 1.0 - vote;
        }
        Ballot {
            labels,
            virtual_label,
        }
    }
}

/// The votes of one row.
struct Ballot {
    labels: Vec<f64>,
    virtual_label: f64,
}

impl Ballot {
    /// (v_j + ½)/(v_j + v_0 + 1).
    fn share(&self, label: usize) -> f64 {
        let votes = self.labels[label];
        (votes + 0.5) / (votes + self.virtual_label + 1.0)
    }
}

/// Outputs are the log-odds of each label against the virtual one, then of each pair of labels.
impl Decode for CalibratedVotes {
    fn labels(&self) -> usize {
        self.labels
    }

    fn outputs(&self) -> usize {
        self.labels + pairs_of(self.labels)
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        check_numbers(self.outputs(), &outputs.numbers)?;
        Ok(self.count(&outputs.numbers))
    }

    fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
        file.value("votes", self.votes.name());
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        Ok(Self::new(parts.labels, parts.named("votes")?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vote_goes_to_the_side_that_the_log_odds_speak_for() {
        for votes in [Votes::Hard, Votes::Soft] {
            assert_eq!(votes.share(0.0), 0.5);
            for m in [0.1, 3.0] {
                assert!((votes.share(m) + votes.share(-m) - 1.0).abs() < 1e-15);
            }
        }
        assert_eq!(Votes::Hard.share(1e-9), 1.0);
        assert!((Votes::Soft.share(3f64.ln()) - 0.75).abs() < 1e-12);
    }
}
