//! How good predictions are: label sets, rankings of labels and probabilities against the truth.
//!
//! [`Metric`] is the table of all metrics, with the formula of each; [`Evaluation`] computes all that
//! the given predictions allow, in one pass. Where scikit-learn has the metric, values are the same,
//! ties and empty sets included.
//!
//! # Notation
//! There are n rows and q labels. Row i carries the labels `T_i` and is predicted to carry `P_i`; a
//! *positive* is a pair of a row and a label it carries. `s_ij` is the score of label j in row i, only
//! its order within a row (rankings) or within a label (AUC) matters. `[..]` is 1 where the condition
//! holds and 0 elsewhere.

mod auc;
mod check;
mod counts;
mod evaluation;
mod example;
mod label;
mod log_loss;
mod metric;
mod ranking;
mod tie_groups;

pub use evaluation::Evaluation;
pub use label::LabelEvaluation;
pub use metric::{Metric, Needs};
pub use ranking::{ndcg_at, precision_at};

/// The mean of some numbers; there is at least one row and one label wherever this is used.
fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len();
    numbers.sum::<f64>() / count as f64
}
