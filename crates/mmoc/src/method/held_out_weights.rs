//! The number of projections of joint decoding and the weight of the classifiers, chosen on held-out rows.
//!
//! Leave-one-out codewords and out-of-fold log-odds give held-out predictions of the training rows for any number d of
//! leading projections and any λ. The pair with the highest mean of the paper's three scores is chosen: subset accuracy,
//! macro-F1 and micro-F1. Without projections (d = 0) decoding is binary relevance, so that on these rows the choice is
//! never worse than that.
//!
//! First d is chosen at λ = 1, then λ at that d, and so on until neither changes.

use serde::{Deserialize, Serialize};

use super::codewords::Codewords;
use crate::data::{Labels, Matrix};
use crate::decode::{Inference, Joint};
use crate::metrics::{Evaluation, Metric};
use crate::{Result, check_stop};

/// Candidates for λ, in the order of trial: a later one must score higher to be chosen.
const LAMBDAS: [f64; 7] = [1.0, 0.5, 2.0, 0.25, 4.0, 0.125, 8.0];
/// Most rows that are scored, evenly spaced among all.
const MOST_ROWS: usize = 4096;
/// Most times that d and λ are chosen in turn; usually two are enough.
const MOST_TURNS: usize = 4;
/// Scores that are averaged.
const SCORES: [Metric; 3] = [Metric::SubsetAccuracy, Metric::MacroF1, Metric::MicroF1];

/// What held-out rows decided about joint decoding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOutChoice {
    /// The number of leading projections that count; without any the classifiers decide alone.
    pub projections: usize,
    /// λ, the weight of the classifiers.
    pub lambda: f64,
    /// The mean of subset accuracy, macro-F1 and micro-F1 with these on the rows that were scored. As the best of
    /// several, it is slightly optimistic.
    pub score: f64,
}

/// The number of leading projections and λ.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    projections: usize,
    lambda: f64,
}

/// Chooses for codewords whose projections are in descending order of importance.
pub(super) fn choose(
    codewords: &Codewords,
    log_odds: &Matrix,
    labels: &Labels,
    inference: Inference,
) -> Result<HeldOutChoice> {
    let rows = looked_at(labels.rows());
    let trials = Trials {
        projections: &codewords.projections,
        noise: &codewords.noise,
        codewords: codewords.held_out.view().select_rows(&rows),
        log_odds: log_odds.view().select_rows(&rows),
        labels: labels.select_rows(&rows),
        inference,
    };
    let counts = counts(codewords.noise.len());
    let mut best = Candidate {
        projections: 0,
        lambda: 1.0,
    };
    let mut score = trials.score(best)?;
    for _ in 0..MOST_TURNS {
        let before = best;
        for &projections in &counts {
            let candidate = Candidate {
                projections,
                ..before
            };
            trials.take_if_better(candidate, &mut best, &mut score)?;
        }
        for lambda in LAMBDAS {
            let candidate = Candidate { lambda, ..best };
            trials.take_if_better(candidate, &mut best, &mut score)?;
        }
        if best == before || best.projections == 0 {
            break;
        }
    }
    Ok(HeldOutChoice {
        projections: best.projections,
        lambda: best.lambda,
        score: score / SCORES.len() as f64,
    })
}

/// Evenly spaced rows.
fn looked_at(rows: usize) -> Vec<usize> {
    let count = rows.min(MOST_ROWS);
    (0..count).map(|index| index * rows / count).collect()
}

/// Candidates for d: 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on, and all.
fn counts(all: usize) -> Vec<usize> {
    let powers = (0..usize::BITS - 1).map(|power| 1 << power);
    let mut counts: Vec<usize> = powers
        .flat_map(|power: usize| [power, power + power / 2])
        .take_while(|&count| count < all)
        .chain([all])
        .filter(|&count| count > 0)
        .collect();
    counts.dedup();
    counts
}

struct Trials<'a> {
    projections: &'a Matrix,
    noise: &'a [f64],
    codewords: Matrix,
    log_odds: Matrix,
    labels: Labels,
    inference: Inference,
}

impl Trials<'_> {
    fn take_if_better(
        &self,
        candidate: Candidate,
        best: &mut Candidate,
        least: &mut f64,
    ) -> Result<()> {
        if candidate == *best {
            return Ok(());
        }
        let score = self.score(candidate)?;
        if score > *least {
            (*best, *least) = (candidate, score);
        }
        Ok(())
    }

    /// The sum of the three scores with some of the projections.
    fn score(&self, candidate: Candidate) -> Result<f64> {
        check_stop()?;
        let kept = 0..candidate.projections;
        let joint = Joint::new(
            &self.projections.select_columns(kept.clone()),
            &self.noise[kept.clone()],
            candidate.lambda,
            self.inference,
        )?;
        let found = joint.label_sets(&self.codewords.select_columns(kept), &self.log_odds)?;
        let scores = Evaluation::of(&self.labels, &found, None, None)?;
        let values = SCORES.iter().filter_map(|&metric| scores.get(metric));
        Ok(values.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::learn::LinearModel;

    /// Labels of which the second follows from the first, known from a projection: their difference, which is zero. A
    /// second projection is noise that is believed.
    fn example(rows: usize) -> (Codewords, Matrix, Labels) {
        let mut stream = Seed::new(4).stream();
        let truth: Vec<bool> = (0..rows).map(|_| stream.uniform() < 0.4).collect();
        let labels = Labels::from_fn(rows, 2, |row, _| truth[row]);
        let mut log_odds = Matrix::zeros(rows, 2);
        let mut held_out = Matrix::zeros(rows, 2);
        for (row, &holds) in truth.iter().enumerate() {
            let sign = if holds { 1.0 } else { -1.0 };
            log_odds[(row, 0)] = 2.0 * sign + 2.0 * stream.gaussian();
            log_odds[(row, 1)] = 2.0 * sign + 2.0 * stream.gaussian();
            held_out[(row, 1)] = 3.0 * stream.gaussian();
        }
        let codewords = Codewords {
            projections: Matrix::new(2, 2, vec![1.0, 1.0, -1.0, 1.0]).unwrap(),
            model: LinearModel::new(Matrix::zeros(1, 2), vec![0.0; 2]).unwrap(),
            held_out,
            noise: vec![0.05, 0.05],
            of_code: 2,
            penalties: vec![1.0; 2],
        };
        (codewords, log_odds, labels)
    }

    #[test]
    fn a_projection_that_helps_is_taken_and_one_that_does_not_is_left_out() {
        let (codewords, log_odds, labels) = example(500);
        let choice = choose(&codewords, &log_odds, &labels, Inference::Auto).unwrap();
        assert_eq!(choice.projections, 1);
    }

    #[test]
    fn the_score_is_that_of_decoding_with_what_is_chosen() {
        let (codewords, log_odds, labels) = example(500);
        let choice = choose(&codewords, &log_odds, &labels, Inference::Auto).unwrap();
        let kept = codewords.first(choice.projections).unwrap();
        let (v, noise) = (&kept.projections, &kept.noise);
        let joint = Joint::new(v, noise, choice.lambda, Inference::Auto).unwrap();
        let found = joint.label_sets(&kept.held_out, &log_odds).unwrap();
        let scores = Evaluation::of(&labels, &found, None, None).unwrap();
        let mean = SCORES.map(|metric| scores.get(metric).unwrap() / 3.0);
        assert!((choice.score - mean.iter().sum::<f64>()).abs() < 1e-15);
        assert!(choice.score > 0.5 && choice.score < 1.0);
    }

    #[test]
    fn projections_that_mislead_are_left_out_altogether() {
        let (mut codewords, log_odds, labels) = example(500);
        codewords.held_out = Matrix::from_fn(500, 2, |i, k| codewords.held_out[(i, 1 - k)]);
        codewords.projections = Matrix::new(2, 2, vec![1.0, 1.0, 1.0, 1.0]).unwrap();
        codewords
            .held_out
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= 100.0);
        let choice = choose(&codewords, &log_odds, &labels, Inference::MeanField).unwrap();
        assert_eq!((choice.projections, choice.lambda), (0, 1.0));
    }

    #[test]
    fn candidates_grow_by_halves_and_end_with_all() {
        assert!(counts(0).is_empty());
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(5), [1, 2, 3, 4, 5]);
        assert_eq!(counts(20), [1, 2, 3, 4, 6, 8, 12, 16, 20]);
    }

    #[test]
    fn rows_are_looked_at_once_and_evenly() {
        assert_eq!(looked_at(3), [0, 1, 2]);
        let some = looked_at(10_000);
        assert_eq!((some.len(), some[0]), (MOST_ROWS, 0));
        assert!(
            some.windows(2)
                .all(|pair| pair[1] - pair[0] <= 3 && pair[0] < pair[1])
        );
    }
}
