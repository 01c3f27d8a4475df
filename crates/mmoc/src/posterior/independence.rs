//! How much marginal probabilities owe to independent labels.
//!
//! Restricted to candidates, labels borrow from each other, and some marginals become too sure. The marginal of a label is
//! therefore
//!
//! ```text
//! (1 − v)·Σ_{y∋j} p_S(y|x) + v·σ(l_j(x)),      u ≤ v ≤ 1
//! ```
//!
//! with the share v of independent labels under which the labels of the training rows, each as if it were new, are
//! likeliest. With v = u these are the marginals of p itself; with v = 1 those of the classifiers, so that on the
//! training rows the log loss is never above theirs. The log-likelihood is concave in v: its slope has at most one zero,
//! which is found by bisection.

use rayon::prelude::*;

use crate::data::{Matrix, Targets};
use crate::decode::strictly_inside;
use crate::learn::logistic::sigmoid;

/// Halvings of the range of v.
const HALVINGS: usize = 16;

/// v, given the marginals among candidates and the log-odds of the classifiers.
pub(super) fn independent_share(
    among_candidates: &Matrix,
    log_odds: &Matrix,
    truth: Targets<'_>,
    unseen: f64,
) -> f64 {
    let slope = |share: f64| -> f64 {
        // In the order of rows, so that the sum does not depend on the number of threads.
        let of_rows: Vec<f64> = (0..truth.rows())
            .into_par_iter()
            .map(|row| {
                let (marginals, odds) = (among_candidates.row(row), log_odds.row(row));
                truth.weight(row) * slope_of_row(marginals, odds, truth, row, share)
            })
            .collect();
        of_rows.iter().sum()
    };
    let (mut low, mut high) = (unseen, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    // At an end of the range the slope has no zero.
    if low == unseen {
        unseen
    } else if high == 1.0 {
        1.0
    } else {
        f64::midpoint(low, high)
    }
}

/// The derivative by v of the log-likelihood of the known labels of a row.
fn slope_of_row(
    among_candidates: &[f64],
    log_odds: &[f64],
    truth: Targets<'_>,
    row: usize,
    share: f64,
) -> f64 {
    let mut members = truth.labels().row(row).iter().copied().peekable();
    let mut sum = 0.0;
    for (label, (&seen, &odds)) in among_candidates.iter().zip(log_odds).enumerate() {
        let (open, has) = (sigmoid(odds), members.next_if_eq(&(label as u32)).is_some());
        if truth.is_known(row, label) {
            let mixed = strictly_inside(seen + share * (open - seen));
            sum += (open - seen) / if has { mixed } else { mixed - 1.0 };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::Labels;

    #[test]
    fn no_share_from_the_unseen_mass_to_one_is_likelier() {
        let mut stream = Seed::new(2).stream();
        for unseen in [0.0, 0.4, 0.9] {
            let log_odds = Matrix::from_fn(300, 4, |_, _| stream.gaussian());
            let noise = Matrix::from_fn(300, 4, |_, _| stream.gaussian());
            let drawn = Matrix::from_fn(300, 4, |_, _| stream.uniform());
            let truth = Labels::from_fn(300, 4, |i, j| drawn[(i, j)] < sigmoid(log_odds[(i, j)]));
            let seen = Matrix::from_fn(300, 4, |i, j| {
                sigmoid(log_odds[(i, j)] + 2.0 * noise[(i, j)])
            });
            let likelihood = |share: f64| -> f64 {
                let cell = |i, j| {
                    let p = (1.0 - share) * seen[(i, j)] + share * sigmoid(log_odds[(i, j)]);
                    if truth.contains(i, j) {
                        p.ln()
                    } else {
                        (1.0 - p).ln()
                    }
                };
                (0..300)
                    .flat_map(|i| (0..4).map(move |j| (i, j)))
                    .map(|(i, j)| cell(i, j))
                    .sum()
            };
            let share = independent_share(&seen, &log_odds, (&truth).into(), unseen);
            assert!((unseen..=1.0).contains(&share));
            for step in 0..=20 {
                let other = unseen + (1.0 - unseen) * f64::from(step) / 20.0;
                assert!(
                    likelihood(share) > likelihood(other) - 1e-4,
                    "{share} {other}"
                );
            }
        }
    }

    #[test]
    fn rows_count_by_their_weights_and_unknown_labels_do_not_count() {
        let mut stream = Seed::new(4).stream();
        let log_odds = Matrix::from_fn(80, 3, |_, _| stream.gaussian());
        let seen = Matrix::from_fn(80, 3, |_, _| 0.05 + 0.9 * stream.uniform());
        let drawn = Matrix::from_fn(80, 3, |_, _| stream.uniform());
        let truth = Labels::from_fn(80, 3, |i, j| {
            drawn[(i, j)] < f64::midpoint(seen[(i, j)], sigmoid(log_odds[(i, j)]))
        });
        let unknown = Labels::from_fn(80, 3, |i, j| (i + j) % 4 == 0);
        let weights: Vec<f64> = (0..80).map(|row| f64::from(1 + row % 3)).collect();
        let targets = Targets::new(&truth).with_weights(Some(&weights)).unwrap();
        let targets = targets.with_unknown(Some(&unknown)).unwrap();
        let found = independent_share(&seen, &log_odds, targets, 0.1);
        let copies: Vec<usize> = (0..80).flat_map(|row| vec![row; 1 + row % 3]).collect();
        let repeated =
            |matrix: &Matrix| Matrix::from_fn(copies.len(), 3, |i, j| matrix[(copies[i], j)]);
        let (labels, cells) = (truth.select_rows(&copies), unknown.select_rows(&copies));
        let targets = Targets::new(&labels).with_unknown(Some(&cells)).unwrap();
        let expected = independent_share(&repeated(&seen), &repeated(&log_odds), targets, 0.1);
        assert!(found > 0.1 && found < 1.0, "{found} is inside of the range");
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}
