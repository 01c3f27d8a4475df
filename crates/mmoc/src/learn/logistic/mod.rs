//! L2-penalised logistic regressions of all labels, penalties chosen by cross-validation (eq. 5).
//!
//! For the included rows i, 0/1 targets y and coordinates z (see [`Basis`]), a regression minimises
//!
//! ```text
//! F(w, b) = Σ_i c_i·[ log(1 + exp(m_i)) − y_i·m_i ] + α/2·‖w‖²,     m_i = z_iᵀw + b
//! ```
//!
//! with an unpenalised intercept b: the objective of scikit-learn with `C = 1/α`. The weight c_i of a row in the
//! regression of a label is the weight of the row times the class weight of its target (see [`ClassWeight`]), and zero
//! if the label of the row is not known. Without weights all are one. A row of weight 2 counts as two such rows.
//!
//! - Newton steps, each by preconditioned conjugate gradients, find the minimum up to a gradient of `tolerance`
//!   relative to that at w = 0, for the regressions of folds its square root. The intercept is always at its
//!   optimum, so the solver sees only the profile `min_b F(w, b)`.
//! - Many regressions advance together, one product with a block of vectors at a time, each at its own stage of its
//!   own path.
//! - Each label and fold follows the grid from the strongest penalty to the weakest with warm starts. The penalty
//!   of smallest held-out log loss (or another criterion) is kept, and the label is fitted to all rows at that
//!   penalty, starting from the mean of its folds.
//! - A single penalty leaves no choice: the label is fitted to all rows from zero, and its folds only on demand,
//!   from zero too. Neither depends on the other.
//!
//! A label that is constant in the rows of a fit has no finite solution. Its fit is w = 0 and the smoothed base
//! rate `(k + ½)/(n + 1)` for k ones in n rows, counted by weight. For a label that is known in no row this is a
//! probability of one half.
//!
//! Out-of-fold predictions are for all rows, also those in which the label is not known. Relative penalties are
//! multiples of the scatter of all rows, however many labels of a row are known.
//!
//! | file | content |
//! |---|---|
//! | `scalar` | logistic function and log loss of one number |
//! | `point` | loss, residuals and curvatures of rows at one point |
//! | `intercept` | the intercept for given coefficients |
//! | `preconditioner` | an approximate inverse of the Hessian |
//! | `conjugate` | the Newton step |
//! | `regression` | Newton's method for one regression |
//! | `path` | one regression along the penalties |
//! | `on_rows` | many regressions in parallel, on rows in memory |
//! | `class_weight` | weights of the positives and negatives of a label |
//! | `cells` | targets and weights of the rows, label by label |
//! | `criterion` | criteria for the choice of a penalty |
//! | `cross_validation` | folds and the choice of the penalty, label by label |
//! | `label_fit` | the fit to all rows, label by label |
//! | `out_of_fold` | out-of-fold predictions of all labels |
//! | `classifiers` | all labels of a training set |
//! | `partitioned` | the same on rows in partitions |

mod cells;
mod class_weight;
mod classifiers;
mod conjugate;
mod criterion;
mod cross_validation;
mod intercept;
mod label_fit;
mod on_rows;
mod out_of_fold;
mod params;
mod partitioned;
mod path;
mod point;
mod preconditioner;
mod record;
mod regression;
mod scalar;

pub use class_weight::ClassWeight;
pub use classifiers::Classifiers;
pub use criterion::Criterion;
pub use out_of_fold::OutOfFold;
pub use params::LogisticParams;
pub(crate) use partitioned::{FoldLosses, FoldMasses, FoldModels, KeptProducts, LogisticShare};
pub use record::LogisticRecord;
pub use scalar::sigmoid;
pub(crate) use scalar::smoothed_log_odds;

#[cfg(doc)]
use super::Basis;
