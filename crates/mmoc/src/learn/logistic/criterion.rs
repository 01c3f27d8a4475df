//! Criteria for the penalty of a label.

use serde::{Deserialize, Serialize};

use super::cells::LabelCells;
use super::scalar::log_loss;
use crate::settings::Named;

/// Criterion that the chosen penalty minimises over held-out rows. Ties go to the smaller log loss.
///
/// Rows count by their weights, class weights included, and those in which the label is not known do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// The mean log loss, for calibrated probabilities.
    #[default]
    LogLoss,
    /// The fraction of rows on the wrong side of one half.
    Error,
    /// One minus F1 of the predictions above one half, which rewards predicting rare labels at all.
    F1,
}

impl Named for Criterion {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::LogLoss, "log-loss"),
        (Self::Error, "error"),
        (Self::F1, "f1"),
    ];
}

impl Criterion {
    /// The value to minimise, given the mean log loss.
    pub(super) fn of(self, log_odds: &[f64], cells: &LabelCells, mean_log_loss: f64) -> f64 {
        match self {
            Self::LogLoss => mean_log_loss,
            Self::Error => error(log_odds, cells),
            Self::F1 => 1.0 - f1(log_odds, cells),
        }
    }
}

/// The mean log loss of log-odds.
pub(super) fn mean_log_loss(log_odds: &[f64], cells: &LabelCells) -> f64 {
    mean(cells, |row, y| log_loss(log_odds[row], y))
}

fn error(log_odds: &[f64], cells: &LabelCells) -> f64 {
    mean(cells, |row, y| {
        f64::from(u8::from((log_odds[row] > 0.0) != (y > 0.5)))
    })
}

/// The weighted mean of a function of each row and its target; 0 if no row counts.
fn mean(cells: &LabelCells, value: impl Fn(usize, f64) -> f64) -> f64 {
    let values = cells.targets.iter().enumerate();
    let values = values.map(|(row, y)| value(row, *y));
    match cells.weights() {
        None => values.sum::<f64>() / cells.targets.len() as f64,
        Some(weights) => {
            let total: f64 = weights.iter().sum();
            let sum: f64 = weights.iter().zip(values).map(|(c, value)| c * value).sum();
            if total > 0.0 { sum / total } else { 0.0 }
        }
    }
}

/// 2 TP / (rows with the label + rows predicted to have it); 0 if both are zero.
fn f1(log_odds: &[f64], cells: &LabelCells) -> f64 {
    let (mut hits, mut either) = (0.0, 0.0);
    for (row, (m, y)) in log_odds.iter().zip(&cells.targets).enumerate() {
        let count = cells.weights().map_or(1.0, |weights| weights[row]);
        let (predicted, carried) = (*m > 0.0, *y > 0.5);
        hits += count * f64::from(u8::from(predicted && carried));
        either += count * f64::from(u8::from(predicted) + u8::from(carried));
    }
    if either == 0.0 {
        return 0.0;
    }
    2.0 * hits / either
}

#[cfg(test)]
mod tests {
    use super::super::ClassWeight;
    use super::super::cells::AllCells;
    use super::*;
    use crate::data::{Labels, Targets};

    fn positives(rows: usize, ones: &[usize]) -> Labels {
        Labels::from_fn(rows, 1, |row, _| ones.contains(&row))
    }

    fn cells(targets: Targets<'_>) -> LabelCells {
        AllCells::new(targets, &ClassWeight::Equal).of_label(0)
    }

    #[test]
    fn criteria_agree_with_their_definitions() {
        let (log_odds, labels) = ([2.0, -1.0, 0.5, -3.0], positives(4, &[0, 1]));
        let own = cells(Targets::new(&labels));
        let loss = mean_log_loss(&log_odds, &own);
        let by_hand = [2.0f64, -1.0, -0.5, 3.0].map(|margin| (-margin).exp().ln_1p());
        assert!((loss - by_hand.iter().sum::<f64>() / 4.0).abs() < 1e-15);
        assert_eq!(Criterion::LogLoss.of(&log_odds, &own, loss), loss);
        assert_eq!(Criterion::Error.of(&log_odds, &own, loss), 0.5);
        // One of two positives found, one of two predictions correct.
        assert_eq!(Criterion::F1.of(&log_odds, &own, loss), 0.5);
        let none = cells(Targets::new(&Labels::from_fn(1, 1, |_, _| false)));
        assert_eq!(Criterion::F1.of(&[-1.0], &none, loss), 1.0);
    }

    #[test]
    fn criteria_of_weighted_rows_agree_with_their_definitions() {
        let (log_odds, labels) = ([2.0, -1.0, 0.5, -3.0, 9.0], positives(5, &[0, 1]));
        let unknown = positives(5, &[4]);
        let weights = [3.0, 0.5, 1.5, 2.0, 7.0];
        let targets = Targets::new(&labels).with_weights(Some(&weights)).unwrap();
        let own = cells(targets.with_unknown(Some(&unknown)).unwrap());
        let loss = mean_log_loss(&log_odds, &own);
        let margins = [2.0f64, -1.0, -0.5, 3.0].into_iter().zip(weights);
        let by_hand: f64 = margins.map(|(margin, w)| w * (-margin).exp().ln_1p()).sum();
        assert!((loss - by_hand / 7.0).abs() < 1e-15);
        assert_eq!(Criterion::LogLoss.of(&log_odds, &own, loss), loss);
        assert_eq!(Criterion::Error.of(&log_odds, &own, loss), 2.0 / 7.0);
        // Hits of weight 3, positives of 3.5 and predictions of 4.5.
        assert_eq!(Criterion::F1.of(&log_odds, &own, loss), 1.0 - 6.0 / 8.0);
    }

    #[test]
    fn a_label_that_is_known_nowhere_has_finite_criteria() {
        let (labels, unknown) = (positives(2, &[]), positives(2, &[0, 1]));
        let own = cells(Targets::new(&labels).with_unknown(Some(&unknown)).unwrap());
        for criterion in [Criterion::LogLoss, Criterion::Error, Criterion::F1] {
            let loss = mean_log_loss(&[0.3, -0.4], &own);
            assert!(criterion.of(&[0.3, -0.4], &own, loss).is_finite());
        }
    }
}
