//! Evidence for label sets: the terms f(x, y) of the posterior ([`crate::posterior`]).
//!
//! | term | f(x, y) | for a training row, as if it were new |
//! |---|---|---|
//! | [`LabelOdds`] | Σ_j y_j·l_j(x), the log-odds of the classifiers (5) | from the fold that held it out |
//! | [`CodeError`] | −½‖Bᵀ(y − ŷ(x))‖², errors of a code, whitened (4) | leave-one-out |
//! | [`Frequency`] | how often the set y occurs, relative to independent labels | without the row itself |
//! | [`Neighbours`] | the similarity of the nearest training row with the set y | without the row itself |
//! | [`ForestVotes`] | the share of votes that trees grown on label sets give to y | from trees that did not see it |
//! | [`GivenOdds`], [`GivenRegression`] | as the first two, of numbers that the caller brings | as the caller made them |
//!
//! What a term says about a set is a sum of up to three parts: one of each label of the set, which depends on the row; one
//! of the set by itself, which is the same for all rows; and one of the set in this row. A new term is one file of this
//! folder that implements [`Evidence`], and one line of the list below. Terms of linear models may be learnt from
//! features or from radial basis functions of them ([`FeatureSpace`]).

mod code;
mod forest;
mod frequency;
mod given;
mod labels;
mod neighbours;
mod set_classes;

pub(crate) use code::CodeError;
pub(crate) use forest::ForestVotes;
pub(crate) use frequency::{Frequency, base_log_odds};
pub use given::{GivenEvidence, GivenKind, check_given_names};
pub(crate) use given::{GivenOdds, GivenRegression};
pub use labels::LARGEST_LOG_ODDS;
pub(crate) use labels::LabelOdds;
pub(crate) use neighbours::Neighbours;
pub(crate) use set_classes::SetClasses;

use crate::Result;
use crate::data::{Csr, FeaturesView, Matrix};
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

    /// B, q×r, if a set adds −½‖Bᵀy‖² by itself: −(BBᵀ)_jk for each pair of its labels.
    fn coupling(&self) -> Option<&Matrix> {
        None
    }

    /// How much less the set of a training row, which `count` rows have, adds if the row itself does not count.
    fn of_own_row(&self, _count: usize) -> f64 {
        0.0
    }

    /// Whether what labels add are the log-odds of classifiers.
    fn has_classifiers(&self) -> bool {
        false
    }

    /// What some candidates add in rows with scaled features, n×candidates. Only differences between candidates count.
    fn of_candidates(&self, _x: FeaturesView<'_>) -> Result<Option<Csr>> {
        Ok(None)
    }

    /// How much each feature column decides, if it is a forest.
    fn column_shares(&self) -> Option<Vec<f64>> {
        None
    }

    /// Number of candidates and of feature columns, if it says something about candidates in each row.
    fn size(&self) -> Option<EvidenceSize> {
        None
    }

    /// Its own name and what its outputs are, if these come from outside of the model.
    fn given(&self) -> Option<(&str, GivenKind)> {
        None
    }

    /// Adds what a model file keeps under the name of the term.
    fn store<'a>(&'a self, _name: &str, _file: &mut TensorWriter<'a>) {}

    /// The same term from what a model file keeps.
    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal>;
}

/// The size of a term about whole label sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EvidenceSize {
    pub(crate) candidates: usize,
    pub(crate) columns: usize,
}

/// What a term reads of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermInput {
    /// Linear functions of the scaled features.
    Linear,
    /// Linear functions of radial basis functions of them.
    RadialBasis,
    /// The scaled features, by a model of its own.
    Features,
    /// Numbers from outside of the model.
    Given,
    /// Nothing: it is about sets by themselves.
    Nothing,
}

/// What linear models are functions of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeatureSpace {
    /// The scaled features.
    Linear,
    /// Radial basis functions of them.
    Kernel,
}

macro_rules! terms {
    ($($(#[$doc:meta])* $variant:ident($evidence:ident) = $name:literal,)+) => {
        /// One of the terms of a posterior.
        #[derive(Debug, Clone)]
        pub(crate) enum Term {
            $($(#[$doc])* $variant($evidence),)+
        }

        impl Term {
            /// The names of all kinds of terms.
            pub(crate) const NAMES: &'static [&'static str] = &[$($name,)+];

            fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }

            /// The name and kind of given evidence, if its outputs come from outside of the model.
            pub(crate) fn given(&self) -> Option<(&str, GivenKind)> {
                match self {
                    $(Self::$variant(term) => term.given(),)+
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

            /// B, q×r, if a set adds −½‖Bᵀy‖² by itself.
            pub(crate) fn coupling(&self) -> Option<&Matrix> {
                match self {
                    $(Self::$variant(term) => term.coupling(),)+
                }
            }

            /// How much less the set of a training row adds if the row itself does not count.
            pub(crate) fn of_own_row(&self, count: usize) -> f64 {
                match self {
                    $(Self::$variant(term) => term.of_own_row(count),)+
                }
            }

            /// Whether what labels add are the log-odds of classifiers.
            pub(crate) fn has_classifiers(&self) -> bool {
                match self {
                    $(Self::$variant(term) => term.has_classifiers(),)+
                }
            }

            /// What some candidates add in rows with scaled features, n×candidates.
            pub(crate) fn of_candidates(&self, x: FeaturesView<'_>) -> Result<Option<Csr>> {
                match self {
                    $(Self::$variant(term) => term.of_candidates(x),)+
                }
            }

            /// How much each feature column decides, if it is a forest.
            pub(crate) fn column_shares(&self) -> Option<Vec<f64>> {
                match self {
                    $(Self::$variant(term) => term.column_shares(),)+
                }
            }

            /// Number of candidates and of feature columns, if it says something about candidates in each row.
            pub(crate) fn size(&self) -> Option<EvidenceSize> {
                match self {
                    $(Self::$variant(term) => term.size(),)+
                }
            }

            /// Adds what a model file keeps.
            pub(crate) fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
                let name = self.stored_name();
                match self {
                    $(Self::$variant(term) => term.store(&name, file),)+
                }
            }

            /// The term of a name from what a model file keeps.
            pub(crate) fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
                let unknown = || Refusal::not_a_model("the name of a term", name);
                let kind = name.split_once(':').map_or(name, |(kind, _)| kind);
                let term = match kind {
                    $($name => $evidence::restore(name, parts).map(Self::$variant)?,)+
                    _ => return Err(unknown()),
                };
                // Only given terms have a name of their own.
                if term.stored_name() == name { Ok(term) } else { Err(unknown()) }
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
    /// The classifiers of radial basis functions.
    KernelLabels(LabelOdds) = "labels-rbf",
    /// The regressions of a code on radial basis functions.
    KernelCode(CodeError) = "code-rbf",
    /// The regressions of what a code leaves out on radial basis functions.
    KernelRest(CodeError) = "rest-rbf",
    /// How often the set occurs.
    Frequency(Frequency) = "frequency",
    /// The nearest training row with the set.
    Neighbours(Neighbours) = "neighbours",
    /// The votes of a random forest.
    Forest(ForestVotes) = "forest",
    /// Log-odds of the labels from outside of the model.
    GivenOdds(GivenOdds) = "given-log-odds",
    /// Regressions of the labels from outside of the model.
    GivenRegression(GivenRegression) = "given-regression",
}

impl Term {
    /// What it reads of a row.
    pub(crate) fn input(&self) -> TermInput {
        match self {
            Self::Labels(_) | Self::Code(_) | Self::Rest(_) => TermInput::Linear,
            Self::KernelLabels(_) | Self::KernelCode(_) | Self::KernelRest(_) => {
                TermInput::RadialBasis
            }
            Self::Frequency(_) => TermInput::Nothing,
            Self::Neighbours(_) | Self::Forest(_) => TermInput::Features,
            Self::GivenOdds(_) | Self::GivenRegression(_) => TermInput::Given,
        }
    }

    /// Its name for users.
    pub(crate) fn name(&self) -> &str {
        self.given().map_or(self.kind(), |(name, _)| name)
    }

    /// Its name in model files: that of a given term follows its kind, lest a later kind has the same name.
    pub(crate) fn stored_name(&self) -> String {
        match self.given() {
            Some((name, _)) => format!("{}:{name}", self.kind()),
            None => self.kind().into(),
        }
    }

    /// The same term of models of other features.
    fn in_space(self, space: FeatureSpace) -> Self {
        match (space, self) {
            (FeatureSpace::Kernel, Self::Labels(term)) => Self::KernelLabels(term),
            (FeatureSpace::Kernel, Self::Code(term)) => Self::KernelCode(term),
            (FeatureSpace::Kernel, Self::Rest(term)) => Self::KernelRest(term),
            (_, term) => term,
        }
    }
}

/// A term that was learnt from training rows.
#[derive(Debug, Clone)]
pub(crate) struct LearntTerm {
    pub(crate) term: Term,
    /// Its outputs as functions of the features, if it has any.
    pub(crate) model: Option<LinearModel>,
    /// What the model is a function of.
    pub(crate) space: FeatureSpace,
    /// The outputs of the training rows, each as if the row were new, n×outputs.
    pub(crate) held_out: Matrix,
    /// What candidates add in the training rows, each as if the row were new, n×candidates.
    pub(crate) of_candidates: Option<Csr>,
}

impl LearntTerm {
    /// A term of linear models, with their held-out outputs.
    pub(crate) fn linear(term: Term, model: Option<LinearModel>, held_out: Matrix) -> Self {
        Self {
            term,
            model,
            space: FeatureSpace::Linear,
            held_out,
            of_candidates: None,
        }
    }

    /// A term about whole label sets in each row.
    pub(crate) fn of_sets(term: Term, of_candidates: Csr) -> Self {
        Self {
            term,
            model: None,
            space: FeatureSpace::Linear,
            held_out: Matrix::zeros(of_candidates.view().rows(), 0),
            of_candidates: Some(of_candidates),
        }
    }

    /// The same term, whose models are functions of other features.
    pub(crate) fn in_space(self, space: FeatureSpace) -> Self {
        Self {
            term: self.term.in_space(space),
            space,
            ..self
        }
    }
}
