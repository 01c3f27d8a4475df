//! Thresholds of marginal probabilities that are best for F1 over many rows.
//!
//! Micro-F1 has one threshold t for all labels, macro-F1 one for each. They are chosen on training rows whose marginals are
//! those of new rows. The F1 of a single label with few positive rows says little about its threshold, so each label
//! borrows [`BORROWED`] positive rows from all labels together: t_j maximises
//!
//! ```text
//! 2·(TP_j(t) + c·TP(t)) / (P_j + N_j(t) + c·(P + N(t))),      c = BORROWED/P
//! ```
//!
//! with TP true positives, N predicted positives and P positives, of label j and of all labels.

use crate::data::{Matrix, Targets};
use crate::learn::logistic::sigmoid;

/// Positive rows of all labels that count beside those of a label.
const BORROWED: f64 = 30.0;
/// Steps to each side over which F1 is averaged, as neighbouring thresholds have nearly the same.
const WINDOW: usize = 6;
/// Thresholds that are tried have log-odds from −7 to 4 in steps of a tenth.
const STEPS: usize = 111;
const LOWEST_LOG_ODDS: f64 = -7.0;
const STEP: f64 = 0.1;

/// The thresholds of the decisions for micro-F1 and macro-F1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thresholds {
    pub(crate) micro: f64,
    /// One for each label.
    pub(crate) per_label: Vec<f64>,
}

impl Thresholds {
    /// One half for every label.
    pub(crate) fn half(labels: usize) -> Self {
        Self {
            micro: 0.5,
            per_label: vec![0.5; labels],
        }
    }

    /// The best on rows with these marginals.
    pub(crate) fn choose(marginals: &Matrix, truth: Targets<'_>) -> Self {
        let thresholds: Vec<f64> = (0..STEPS).map(threshold).collect();
        let mut by_label = vec![Counts::default(); truth.labels().count()];
        for (row, set) in truth.labels().iter().enumerate() {
            let (weight, mut members) = (truth.weight(row), set.iter().copied().peekable());
            for (label, &marginal) in marginals.row(row).iter().enumerate() {
                let has = members.next_if_eq(&(label as u32)).is_some();
                let passed = thresholds.partition_point(|threshold| *threshold < marginal);
                if truth.is_known(row, label) {
                    by_label[label].add(passed, has, weight);
                }
            }
        }
        by_label.iter_mut().for_each(Counts::accumulate);
        let mut all = Counts::default();
        by_label.iter().for_each(|own| all.add_scaled(1.0, own));
        let borrowed = BORROWED / all.positives.max(1.0);
        let of_label = |own: &Counts| {
            let mut counts = own.clone();
            counts.add_scaled(borrowed, &all);
            thresholds[counts.best()]
        };
        Self {
            micro: thresholds[all.best()],
            per_label: by_label.iter().map(of_label).collect(),
        }
    }
}

fn threshold(step: usize) -> f64 {
    sigmoid(LOWEST_LOG_ODDS + STEP * step as f64)
}

/// What is predicted above each threshold.
#[derive(Debug, Clone)]
struct Counts {
    positives: f64,
    predicted: [f64; STEPS],
    hits: [f64; STEPS],
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            positives: 0.0,
            predicted: [0.0; STEPS],
            hits: [0.0; STEPS],
        }
    }
}

impl Counts {
    /// Adds a cell that is above the first so many thresholds, at the last of them.
    fn add(&mut self, passed: usize, has: bool, weight: f64) {
        let has = if has { weight } else { 0.0 };
        self.positives += has;
        if let Some(last) = passed.checked_sub(1) {
            self.predicted[last] += weight;
            self.hits[last] += has;
        }
    }

    /// What is above a threshold is above all lower ones.
    fn accumulate(&mut self) {
        for step in (1..STEPS).rev() {
            self.predicted[step - 1] += self.predicted[step];
            self.hits[step - 1] += self.hits[step];
        }
    }

    fn add_scaled(&mut self, scale: f64, other: &Self) {
        self.positives += scale * other.positives;
        crate::linalg::add_scaled(&mut self.predicted, scale, &other.predicted);
        crate::linalg::add_scaled(&mut self.hits, scale, &other.hits);
    }

    /// The step of highest F1, averaged over its neighbours; of several the one nearest to one half.
    fn best(&self) -> usize {
        let f1: Vec<f64> = (0..STEPS).map(|step| self.f1(step)).collect();
        let smooth = |step: usize| {
            let near = &f1[step.saturating_sub(WINDOW)..STEPS.min(step + WINDOW + 1)];
            near.iter().sum::<f64>() / near.len() as f64
        };
        let distance = |step: usize| (threshold(step) - 0.5).abs();
        let order = |a: &usize, b: &usize| {
            let nearer = distance(*b).total_cmp(&distance(*a));
            smooth(*a).total_cmp(&smooth(*b)).then(nearer)
        };
        (0..STEPS).max_by(order).unwrap_or(0)
    }

    fn f1(&self, step: usize) -> f64 {
        let size = self.positives + self.predicted[step];
        if size > 0.0 {
            2.0 * self.hits[step] / size
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::Labels;
    use crate::metrics::Evaluation;

    #[test]
    fn no_other_threshold_has_a_much_higher_f1() {
        let mut stream = Seed::new(3).stream();
        let (rows, count) = (2000, 3);
        let marginals = Matrix::from_fn(rows, count, |_, j| stream.uniform().powf(1.0 + j as f64));
        let noise = Matrix::from_fn(rows, count, |_, _| stream.uniform());
        let truth = Labels::from_fn(rows, count, |i, j| noise[(i, j)] < marginals[(i, j)]);
        let found = Thresholds::choose(&marginals, (&truth).into());
        let scores = |threshold: &dyn Fn(usize) -> f64| {
            let above = |i, j| marginals[(i, j)] > threshold(j);
            let predicted = Labels::from_fn(rows, count, above);
            let scores = Evaluation::of(&truth, &predicted, None, None).unwrap();
            (scores.micro_f1(), scores.macro_f1())
        };
        let micro = scores(&|_| found.micro).0;
        let macro_f1 = scores(&|label| found.per_label[label]).1;
        // Averages over neighbouring thresholds cost little where probabilities are right.
        for step in 0..STEPS {
            assert!(scores(&|_| threshold(step)).0 <= micro + 0.005);
            for label in 0..count {
                let other = |own| {
                    if own == label {
                        threshold(step)
                    } else {
                        found.per_label[own]
                    }
                };
                assert!(scores(&other).1 <= macro_f1 + 0.005);
            }
        }
        // Where probabilities are right, the best threshold is half of the best F1.
        assert!(
            (found.micro - 0.5 * micro).abs() < 0.06,
            "{found:?} {micro}"
        );
    }

    #[test]
    fn a_label_with_few_positive_rows_has_nearly_the_threshold_of_all() {
        let truth = Labels::from_fn(400, 2, |i, j| if j == 0 { i % 2 == 0 } else { i == 0 });
        // Alone, the second label would have a threshold below .1.
        let marginals = Matrix::from_fn(400, 2, |i, j| match (truth.contains(i, j), j) {
            (true, 0) => 0.3 + 0.001 * i as f64,
            (true, _) => 0.1,
            (false, 0) => 0.4 - 0.0005 * i as f64,
            (false, _) => 0.05,
        });
        let found = Thresholds::choose(&marginals, (&truth).into());
        assert!((found.per_label[1] - found.micro).abs() < 0.05, "{found:?}");
    }

    /// Marginals with labels, some of them unknown, and the number of times that each row counts.
    fn counted_rows() -> (Matrix, Labels, Labels, Vec<usize>) {
        let mut stream = Seed::new(8).stream();
        let marginals = Matrix::from_fn(90, 2, |_, _| stream.uniform());
        let noise = Matrix::from_fn(90, 2, |_, _| stream.uniform());
        let truth = Labels::from_fn(90, 2, |i, j| noise[(i, j)] < marginals[(i, j)]);
        let unknown = Labels::from_fn(90, 2, |i, j| (i + j) % 5 == 0);
        (
            marginals,
            truth,
            unknown,
            (0..90).map(|row| 1 + row % 3).collect(),
        )
    }

    #[test]
    fn rows_count_by_their_weights_and_unknown_labels_do_not_count() {
        let (marginals, truth, unknown, counts) = counted_rows();
        let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let targets = Targets::new(&truth).with_weights(Some(&weights)).unwrap();
        let found = Thresholds::choose(&marginals, targets.with_unknown(Some(&unknown)).unwrap());
        let copies: Vec<usize> = (0..90).flat_map(|row| vec![row; counts[row]]).collect();
        let repeated = Matrix::from_fn(copies.len(), 2, |i, j| marginals[(copies[i], j)]);
        let (labels, cells) = (truth.select_rows(&copies), unknown.select_rows(&copies));
        let targets = Targets::new(&labels).with_unknown(Some(&cells)).unwrap();
        assert_eq!(found, Thresholds::choose(&repeated, targets));
        // Whatever unknown labels are said to be makes no difference.
        let other = Labels::from_fn(90, 2, |i, j| truth.contains(i, j) != unknown.contains(i, j));
        let targets = Targets::new(&other).with_weights(Some(&weights)).unwrap();
        let again = Thresholds::choose(&marginals, targets.with_unknown(Some(&unknown)).unwrap());
        assert_eq!(found, again);
    }
}
