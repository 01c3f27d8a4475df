//! Criteria for the penalty of a label.

use serde::{Deserialize, Serialize};

use super::scalar::log_loss;
use crate::settings::Named;

/// Criterion that the chosen penalty minimises over held-out rows. Ties go to the smaller log loss.
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
    pub(super) fn of(self, log_odds: &[f64], targets: &[f64], mean_log_loss: f64) -> f64 {
        match self {
            Self::LogLoss => mean_log_loss,
            Self::Error => error(log_odds, targets),
            Self::F1 => 1.0 - f1(log_odds, targets),
        }
    }
}

/// The mean log loss of log-odds.
pub(super) fn mean_log_loss(log_odds: &[f64], targets: &[f64]) -> f64 {
    let losses = log_odds.iter().zip(targets).map(|(m, y)| log_loss(*m, *y));
    losses.sum::<f64>() / targets.len() as f64
}

fn error(log_odds: &[f64], targets: &[f64]) -> f64 {
    let wrong = log_odds.iter().zip(targets);
    let wrong = wrong.filter(|(m, y)| (**m > 0.0) != (**y > 0.5)).count();
    wrong as f64 / targets.len() as f64
}

/// 2 TP / (rows with the label + rows predicted to have it); 0 if both are zero.
fn f1(log_odds: &[f64], targets: &[f64]) -> f64 {
    let (mut hits, mut either) = (0u32, 0u32);
    for (m, y) in log_odds.iter().zip(targets) {
        let (predicted, carried) = (*m > 0.0, *y > 0.5);
        hits += u32::from(predicted && carried);
        either += u32::from(predicted) + u32::from(carried);
    }
    if either == 0 {
        return 0.0;
    }
    2.0 * f64::from(hits) / f64::from(either)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_agree_with_their_definitions() {
        let (log_odds, targets) = ([2.0, -1.0, 0.5, -3.0], [1.0, 1.0, 0.0, 0.0]);
        let loss = mean_log_loss(&log_odds, &targets);
        let by_hand = [2.0f64, -1.0, -0.5, 3.0].map(|margin| (-margin).exp().ln_1p());
        assert!((loss - by_hand.iter().sum::<f64>() / 4.0).abs() < 1e-15);
        assert_eq!(Criterion::LogLoss.of(&log_odds, &targets, loss), loss);
        assert_eq!(Criterion::Error.of(&log_odds, &targets, loss), 0.5);
        // One of two positives found, one of two predictions correct.
        assert_eq!(Criterion::F1.of(&log_odds, &targets, loss), 0.5);
        assert_eq!(Criterion::F1.of(&[-1.0], &[0.0], loss), 1.0);
    }
}
