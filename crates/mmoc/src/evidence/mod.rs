//! Evidence for label sets: the terms f(x, y) of the posterior ([`crate::posterior`]).
//!
//! | term | f(x, y) | for a training row, as if it were new |
//! |---|---|---|
//! | [`LabelOdds`] | Σ_j y_j·l_j(x), the log-odds of the classifiers (5) | from the fold that held it out |
//! | [`CodeError`] | −½‖Bᵀ(y − ŷ(x))‖², errors of a code, whitened (4) | leave-one-out |
//! | [`Frequency`] | how often the set y occurs, relative to independent labels | without the row itself |
//!
//! What a term says about a set is a sum of two parts: one of each label of the set, which depends on the row, and one of
//! the set by itself, which is the same for all rows. A new term is one file of this folder that implements
//! [`Evidence`], and one line of the list below.

mod code;
mod frequency;
mod labels;

pub(crate) use code::CodeError;
pub(crate) use frequency::{Frequency, base_log_odds};
pub(crate) use labels::LabelOdds;

use crate::data::Matrix;
use crate::learn::LinearModel;
use crate::model_file::{Refusal, StoredParts, TensorWriter};

/// A term of the posterior.
pub(crate) trait Evidence: Sized {
    /// Number of outputs of the model that it reads.
    fn outputs(&self) -> usize;

    /// What each label of a set adds, n×q, given its outputs.
    fn of_labels(&self, _outputs: Matrix) -> Option<Matrix> {
        None
    }

    /// What a set that `count` training rows have adds by itself.
    fn of_set(&self, _set: &[u32], _count: usize) -> f64 {
        0.0
    }

    /// How much less the set of a training row, which `count` rows have, adds if the row itself does not count.
    fn of_own_row(&self, _count: usize) -> f64 {
        0.0
    }

    /// Adds what a model file keeps under the name of the term.
    fn store<'a>(&'a self, _name: &str, _file: &mut TensorWriter<'a>) {}

    /// The same term from what a model file keeps.
    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal>;
}

macro_rules! terms {
    ($($(#[$doc:meta])* $variant:ident($evidence:ident) = $name:literal,)+) => {
        /// One of the terms of a posterior.
        #[derive(Debug, Clone)]
        pub(crate) enum Term {
            $($(#[$doc])* $variant($evidence),)+
        }

        impl Term {
            /// Its name in model files and for users.
            pub(crate) fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }

            /// Number of outputs of the model that it reads.
            pub(crate) fn outputs(&self) -> usize {
                match self {
                    $(Self::$variant(term) => term.outputs(),)+
                }
            }

            /// What each label of a set adds, n×q, given its outputs.
            pub(crate) fn of_labels(&self, outputs: Matrix) -> Option<Matrix> {
                match self {
                    $(Self::$variant(term) => term.of_labels(outputs),)+
                }
            }

            /// What a set that `count` training rows have adds by itself.
            pub(crate) fn of_set(&self, set: &[u32], count: usize) -> f64 {
                match self {
                    $(Self::$variant(term) => term.of_set(set, count),)+
                }
            }

            /// How much less the set of a training row adds if the row itself does not count.
            pub(crate) fn of_own_row(&self, count: usize) -> f64 {
                match self {
                    $(Self::$variant(term) => term.of_own_row(count),)+
                }
            }

            /// Adds what a model file keeps.
            pub(crate) fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
                match self {
                    $(Self::$variant(term) => term.store($name, file),)+
                }
            }

            /// The term of a name from what a model file keeps.
            pub(crate) fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
                match name {
                    $($name => $evidence::restore(name, parts).map(Self::$variant),)+
                    _ => Err(Refusal::not_a_model("the name of a term", name)),
                }
            }
        }
    };
}

terms! {
    /// The classifiers.
    Labels(LabelOdds) = "labels",
    /// The regressions of a code.
    Code(CodeError) = "code",
    /// The regressions of what a code leaves out of label space.
    Rest(CodeError) = "rest",
    /// How often the set occurs.
    Frequency(Frequency) = "frequency",
}

/// A term that was learnt from training rows.
#[derive(Debug, Clone)]
pub(crate) struct LearntTerm {
    pub(crate) term: Term,
    /// Its outputs as functions of the features, if it has any.
    pub(crate) model: Option<LinearModel>,
    /// The outputs of the training rows, each as if the row were new, n×outputs.
    pub(crate) held_out: Matrix,
}
