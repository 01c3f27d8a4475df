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
//!
//! # Weights of rows
//! Row i counts with its weight `w_i`, or 1 without weights, as with `sample_weight` in scikit-learn: `mean_i v_i` is
//! `Σ_i w_i v_i / Σ_i w_i`, TP, FP and FN are sums of weights of rows, and a pair of rows of an area under a curve
//! counts with the product of their weights. So weights that are whole numbers give the values of repeated rows. The
//! counts of [`LabelEvaluation`] are numbers of rows, whatever their weights.
//!
//! # Unknown labels
//! Where some labels of a row are not known ([`Targets::unknown`](crate::data::Targets::unknown)), they are left out of
//! `T_i`, of `P_i` and of the ranking of the row, whose q is the number `q_i` of its known labels. Counts and areas
//! are over known cells, and means over cells are `Σ_i w_i (sum over the known cells of row i) / Σ_i w_i q_i`. A row
//! without known labels counts nowhere. A label that is not known in any row has counts of 0, like one that no row
//! has and that is never predicted.

mod auc;
mod calibration;
mod check;
mod counts;
mod evaluation;
mod example;
mod known;
mod label;
mod log_loss;
mod metric;
mod ranking;
mod reliability;
mod tie_groups;
mod weighted_auc;

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

/// The mean of a number for each row, of which there is at least one: `Σ_i w_i v_i / Σ_i w_i`.
fn mean_over_rows(weights: Option<&[f64]>, numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let Some(weights) = weights else {
        return mean(numbers);
    };
    let weighted = numbers
        .zip(weights)
        .map(|(number, weight)| weight * number)
        .sum::<f64>();
    weighted / weights.iter().sum::<f64>()
}
