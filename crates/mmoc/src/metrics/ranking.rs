//! Metrics of the label ranking of each row.

use rayon::prelude::*;

use super::check::check_scores;
use super::known::{KnownRows, unknown_of_row};
use super::tie_groups::{TieGroup, tie_groups};
use super::{Metric, mean_over_rows};
use crate::data::{Matrix, Targets};
use crate::{Error, Result};

/// A metric of the label ranking of one row.
type OfRow = fn(&[TieGroup]) -> f64;

const METRICS: [(Metric, OfRow); 10] = [
    (Metric::OneError, one_error),
    (Metric::Coverage, coverage),
    (Metric::RankingLoss, ranking_loss),
    (Metric::LabelRankingAveragePrecision, average_precision),
    (Metric::PrecisionAt1, |groups| precision(groups, 1)),
    (Metric::PrecisionAt3, |groups| precision(groups, 3)),
    (Metric::PrecisionAt5, |groups| precision(groups, 5)),
    (Metric::NdcgAt1, |groups| ndcg(groups, 1)),
    (Metric::NdcgAt3, |groups| ndcg(groups, 3)),
    (Metric::NdcgAt5, |groups| ndcg(groups, 5)),
];

/// All ranking metrics.
pub(super) fn metrics(truth: Targets<'_>, scores: &Matrix) -> [(Metric, f64); 10] {
    let rows = over_rows(truth, scores, |groups| {
        METRICS.map(|(_, of_row)| of_row(groups))
    });
    std::array::from_fn(|index| {
        let values = rows.iter().map(|row| row[index]);
        (METRICS[index].0, mean_over_rows(truth.weights(), values))
    })
}

/// The fraction of relevant labels among the k highest-scoring ones, averaged over rows.
///
/// If a tie extends beyond position k, the value is the mean over all orders of the tied labels. With fewer than k
/// labels, k is their number. A row without labels counts as 0.
///
/// Rows have weights, and unknown labels are left out, as the [notation](super) says.
///
/// Fails if k is zero, the shapes differ, there is no row, no label is known or a score is NaN.
pub fn precision_at<'a>(truth: impl Into<Targets<'a>>, scores: &Matrix, k: usize) -> Result<f64> {
    at_cutoff(truth.into(), scores, k, precision)
}

/// The normalised discounted cumulative gain of the k highest-scoring labels, averaged over rows: `Σ_{r=1..k} [the
/// label at position r is relevant] / log2(r + 1)`, divided by its value for a ranking with the relevant labels
/// first.
///
/// The gain of tied labels is the mean over all their orders, as in `ndcg_score` of scikit-learn. With fewer than k
/// labels, k is their number. A row without labels counts as 0.
///
/// Rows have weights, and unknown labels are left out, as the [notation](super) says.
///
/// Fails if k is zero, the shapes differ, there is no row, no label is known or a score is NaN.
pub fn ndcg_at<'a>(truth: impl Into<Targets<'a>>, scores: &Matrix, k: usize) -> Result<f64> {
    at_cutoff(truth.into(), scores, k, ndcg)
}

/// The mean over rows of a metric of the k highest-scoring labels.
fn at_cutoff(
    truth: Targets<'_>,
    scores: &Matrix,
    k: usize,
    of_row: fn(&[TieGroup], usize) -> f64,
) -> Result<f64> {
    check_cutoff(truth, scores, k)?;
    let mean = |truth: Targets<'_>, scores: &Matrix| {
        let rows = over_rows(truth, scores, |groups| of_row(groups, k));
        mean_over_rows(truth.weights(), rows.into_iter())
    };
    let Some(unknown) = truth.unknown() else {
        return Ok(mean(truth, scores));
    };
    let known = KnownRows::of(truth, unknown)?;
    Ok(mean(known.targets()?, &known.cells(scores)))
}

fn check_cutoff(truth: Targets<'_>, scores: &Matrix, k: usize) -> Result<()> {
    if k == 0 {
        return Err(Error::Parameter {
            parameter: "k",
            expected: "at least 1".into(),
            found: k.to_string(),
        });
    }
    check_scores(truth.labels(), scores)
}

/// A value for each row from its label ranking.
fn over_rows<T: Send>(
    truth: Targets<'_>,
    scores: &Matrix,
    of_row: impl Fn(&[TieGroup]) -> T + Sync,
) -> Vec<T> {
    (0..truth.rows())
        .into_par_iter()
        .map(|row| {
            let (relevant, unknown) = (truth.labels().row(row), unknown_of_row(truth, row));
            of_row(&tie_groups(relevant, unknown, scores.row(row)))
        })
        .collect()
}

fn one_error(groups: &[TieGroup]) -> f64 {
    1.0 - groups[0].share()
}

fn coverage(groups: &[TieGroup]) -> f64 {
    let last = groups.iter().rposition(|group| group.relevant > 0);
    let covered = last.map_or(&[][..], |last| &groups[..=last]);
    covered.iter().map(|group| group.size).sum::<usize>() as f64
}

fn ranking_loss(groups: &[TieGroup]) -> f64 {
    let (relevant, irrelevant) = totals(groups);
    if relevant == 0 || irrelevant == 0 {
        return 0.0;
    }
    let mut irrelevant_so_far = 0;
    let mut wrong = 0;
    for group in groups {
        irrelevant_so_far += group.irrelevant();
        wrong += group.relevant * irrelevant_so_far;
    }
    wrong as f64 / (relevant * irrelevant) as f64
}

fn average_precision(groups: &[TieGroup]) -> f64 {
    let (relevant, _) = totals(groups);
    if relevant == 0 {
        return 1.0;
    }
    let mut so_far = TieGroup {
        size: 0,
        relevant: 0,
    };
    let mut sum = 0.0;
    for group in groups {
        so_far.size += group.size;
        so_far.relevant += group.relevant;
        sum += group.relevant as f64 * so_far.share();
    }
    sum / relevant as f64
}

fn precision(groups: &[TieGroup], k: usize) -> f64 {
    let labels: usize = groups.iter().map(|group| group.size).sum();
    gain(groups, k, |_| 1.0) / k.min(labels) as f64
}

fn ndcg(groups: &[TieGroup], k: usize) -> f64 {
    let (relevant, irrelevant) = totals(groups);
    if relevant == 0 {
        return 0.0;
    }
    let ideal =
        [(relevant, relevant), (irrelevant, 0)].map(|(size, relevant)| TieGroup { size, relevant });
    gain(groups, k, discount) / gain(&ideal, k, discount)
}

/// The sum over the first k positions of a weight times the probability that the label there is relevant, with ties
/// broken at random. Positions count from zero.
fn gain(groups: &[TieGroup], k: usize, weight: impl Fn(usize) -> f64) -> f64 {
    let mut start = 0;
    let mut sum = 0.0;
    for group in groups {
        let end = start + group.size;
        if group.relevant > 0 && start < k {
            sum += group.share() * (start..end.min(k)).map(&weight).sum::<f64>();
        }
        start = end;
    }
    sum
}

fn discount(position: usize) -> f64 {
    1.0 / ((position + 2) as f64).log2()
}

/// Numbers of relevant and irrelevant labels.
fn totals(groups: &[TieGroup]) -> (usize, usize) {
    let relevant = groups.iter().map(|group| group.relevant).sum();
    let irrelevant = groups.iter().map(|group| group.irrelevant()).sum();
    (relevant, irrelevant)
}
