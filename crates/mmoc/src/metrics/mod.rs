//! Evaluation metrics of label sets, label rankings and probabilities.
//!
//! [`Metric`] is the table of all metrics, with the formula of each; [`Evaluation`] computes all that the given
//! predictions allow. Values agree with scikit-learn for the metrics that it has, including ties and empty sets.
//!
//! # Notation
//! There are n rows and q labels. Row i has the labels `T_i` and the predicted labels `P_i`; a *positive* is a pair
//! of a row and a label that it has. `s_ij` is the score of label j in row i; only its order within a row
//! (rankings) or within a label (AUC) matters. Of models these are probabilities, if the method has any
//! ([`Prediction::ranking`](crate::Prediction::ranking)). `[..]` is 1 if the condition holds and 0 otherwise.

mod auc;
mod calibration;
mod check;
mod counts;
mod evaluation;
mod example;
mod label;
mod log_loss;
mod metric;
mod ranking;
mod reliability;
mod tie_groups;

pub use calibration::{calibration_error, calibration_error_of};
pub use evaluation::Evaluation;
pub use label::LabelEvaluation;
pub use metric::{Metric, Needs};
pub use ranking::{ndcg_at, precision_at};
pub use reliability::{Bin, reliability, reliability_by_width};

/// The mean of at least one number.
fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len();
    numbers.sum::<f64>() / count as f64
}
