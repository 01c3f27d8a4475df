//! A calibrated probability for every plausible label set, and the decisions that follow from it.
//!
//! ```text
//! p(y|x) = (1 − u)·p_S(y|x) + u·p_O(y|x)
//! p_S(y|x) ∝ exp(Σ_k w_k·f_k(x, y))     over the candidate sets S
//! p_O(y|x) = Π_j σ(±l_j(x))             any set, labels independent
//! ```
//!
//! Candidates are all sets or those of the training rows (`candidates`), f_k are terms of `evidence`,
//! the weights w those under which the sets of training rows are likeliest (`weights`), and u is the probability that a
//! new row has a set that no training row has (`unseen`). Which terms enter is decided on training rows as well
//! (`fit`). `docs/posterior.md` has the derivation.
//!
//! | file | what it is |
//! |---|---|
//! | `candidates` | the sets S, and how many training rows have each |
//! | `trie`, `block` | sums over all candidates, for several rows at a time |
//! | `weights` | w by held-out likelihood, with a bound on the gap |
//! | `unseen` | u by Good and Turing |
//! | `independence` | how much marginals owe to independent labels |
//! | `confidence` | the probability of the predicted set, recalibrated |
//! | `fit` | from learnt terms to a posterior: which of them, with which weights |
//! | `decision`, `expected_f1`, `thresholds` | the label set that a measure wants |
//! | `contrast` | one label set against another, term by term |
//! | `record` | what is known about all this after training |

mod block;
mod candidates;
mod confidence;
mod contrast;
mod decision;
mod expected_f1;
mod fit;
mod independence;
mod likeliest;
mod record;
mod rows;
mod stored;
#[cfg(test)]
mod tests;
mod thresholds;
mod trie;
mod unseen;
mod weights;

pub use crate::evidence::{
    GivenEvidence, GivenKind, LARGEST_LOG_ODDS, TermInput, check_given_names,
};
pub(crate) use candidates::Candidates;
pub use candidates::{CandidateSets, MOST_ENUMERATED_LABELS};
pub use confidence::NEAREST_TO_CERTAIN;
pub use contrast::SetContrast;
pub use decision::Decision;
pub(crate) use fit::{PosteriorFit, WeightChoice};
pub use likeliest::LikelySet;
pub use record::{FeaturesRecord, FormRecord, PosteriorRecord, TermRecord};

use self::confidence::Recalibration;
use self::thresholds::Thresholds;
use crate::data::{Csr, FeaturesView, Labels, Matrix};
use crate::decode::Outputs;
use crate::evidence::Term;
use crate::linalg::add_scaled;
use crate::{Error, Result, check_size};

/// A term and its weight.
#[derive(Debug, Clone)]
struct WeightedTerm {
    term: Term,
    weight: f64,
}

/// What a term of a posterior says about labels and pairs of labels.
///
/// A set y adds weight·(b(x)ᵀy − ½‖Bᵀy‖²), with b = [`Posterior::evidence_of_terms`] before its weight and B the coupling.
#[derive(Debug, Clone, Copy)]
pub struct TermView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its weight.
    pub weight: f64,
    /// What it reads of a row.
    pub input: TermInput,
    /// Number of outputs of the model that it reads, after those of the terms before.
    pub outputs: usize,
    /// Whether its outputs are the log-odds of classifiers, which are clamped to [`LARGEST_LOG_ODDS`].
    pub has_classifiers: bool,
    /// B, q×r, if it says something about pairs of labels. Outputs of the regressions of a code are ẑ, with b = Bẑ.
    pub coupling: Option<&'a Matrix>,
}

/// A posterior over label sets, given the outputs of models.
///
/// Outputs are those of each term in turn. Terms about whole label sets keep their own models.
#[derive(Debug, Clone)]
pub struct Posterior {
    candidates: Candidates,
    terms: Vec<WeightedTerm>,
    /// Log-odds of independent labels that are the same for every row; none if they are those of the classifiers.
    fixed_log_odds: Option<Vec<f64>>,
    /// u.
    unseen: f64,
    /// v, the share of independent labels in marginals.
    independent: f64,
    recalibration: Recalibration,
    decision: Decision,
    thresholds: Thresholds,
    /// Σ_k w_k times what each candidate has by itself.
    of_sets: Vec<f64>,
    /// Σ_k w_k times what each candidate has less in a training row that has it.
    of_own_row: Vec<f64>,
}

impl Posterior {
    fn new(
        candidates: Candidates,
        terms: Vec<WeightedTerm>,
        fixed_log_odds: Option<Vec<f64>>,
        unseen: f64,
    ) -> Result<Self> {
        let labels = candidates.sets().count();
        let classifiers = terms
            .iter()
            .filter(|own| own.term.has_classifiers())
            .count();
        match &fixed_log_odds {
            Some(odds) => check_size("log-odds of labels", labels, odds.len())?,
            None => check_size("terms of classifiers", classifiers.max(1), classifiers)?,
        }
        for found in terms.iter().filter_map(|own| own.term.size()) {
            check_size("label sets of a term", candidates.len(), found.candidates)?;
        }
        let positions = 0..candidates.len();
        let over_terms = |of_term: &dyn Fn(&Term) -> f64| {
            let terms = terms.iter();
            terms.map(|own| own.weight * of_term(&own.term)).sum()
        };
        let (sets, counts) = (candidates.sets(), candidates.counts());
        let of_set = |set| over_terms(&|term| term.of_set(sets.row(set), counts[set]));
        let of_own_row = |set: usize| match counts[set] {
            0 => 0.0,
            count => over_terms(&|term| term.of_own_row(count)),
        };
        Ok(Self {
            of_sets: positions.clone().map(of_set).collect(),
            of_own_row: positions.map(of_own_row).collect(),
            candidates,
            terms,
            fixed_log_odds,
            independent: unseen,
            recalibration: Recalibration::NONE,
            unseen,
            decision: Decision::default(),
            thresholds: Thresholds::half(labels),
        })
    }

    /// Number of labels, q.
    pub fn labels(&self) -> usize {
        self.candidates.sets().count()
    }

    /// Number of candidate sets, m.
    pub fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    /// The candidate sets, m×q, in ascending order, with Σ_k w_k times what each has by itself.
    pub fn scored_candidates(&self) -> (&Labels, &[f64]) {
        (self.candidates.sets(), &self.of_sets)
    }

    /// Which label sets are candidates.
    pub fn candidate_sets(&self) -> CandidateSets {
        if self.candidates.are_all() {
            CandidateSets::All
        } else {
            CandidateSets::Seen
        }
    }

    /// u, the probability that a new row has a set that is no candidate.
    pub fn unseen_mass(&self) -> f64 {
        self.unseen
    }

    /// v, the share of independent labels in the marginal probabilities, at least u.
    pub fn independent_share(&self) -> f64 {
        self.independent
    }

    /// Log-odds of independent labels that are the same for every row; none if they are those of the classifiers.
    pub fn fixed_log_odds(&self) -> Option<&[f64]> {
        self.fixed_log_odds.as_deref()
    }

    /// a and b of the confidence σ(a·logit p + b) in a set; none if the confidence is p itself.
    pub fn recalibration(&self) -> Option<(f64, f64)> {
        let Recalibration { slope, offset } = self.recalibration;
        (self.recalibration != Recalibration::NONE).then_some((slope, offset))
    }

    /// The probability above which the decision takes a label; none if it does not decide label by label.
    pub fn threshold(&self, label: usize) -> Option<f64> {
        match self.decision {
            Decision::Subset | Decision::F1 => None,
            Decision::Hamming => Some(0.5),
            Decision::MicroF1 => Some(self.thresholds.micro),
            Decision::MacroF1 => Some(self.thresholds.per_label[label]),
        }
    }

    /// Name and weight of each term.
    pub fn weights(&self) -> impl Iterator<Item = (&str, f64)> + '_ {
        self.terms.iter().map(|own| (own.term.name(), own.weight))
    }

    /// What each term says about labels and pairs of labels.
    pub fn terms(&self) -> impl Iterator<Item = TermView<'_>> + '_ {
        self.terms
            .iter()
            .map(|WeightedTerm { term, weight }| TermView {
                name: term.name(),
                weight: *weight,
                input: term.input(),
                outputs: term.outputs(),
                has_classifiers: term.has_classifiers(),
                coupling: term.coupling(),
            })
    }

    /// How much each feature column decides in the forest, if a forest is among the terms: its share of the cuts, those
    /// near the roots counting more.
    pub fn forest_column_shares(&self) -> Option<Vec<f64>> {
        self.terms.iter().find_map(|own| own.term.column_shares())
    }

    /// What each label of a set adds by each term, with its weight, n×q; zeros for terms about whole label sets.
    pub fn evidence_of_terms(&self, outputs: &Outputs) -> Result<Vec<Matrix>> {
        let (outputs, mut first) = (&outputs.numbers, 0);
        let all = self.terms.iter().map(|own| own.term.outputs()).sum();
        check_size("outputs to decode", all, outputs.columns())?;
        let of_term = |WeightedTerm { term, weight }: &WeightedTerm| {
            let own = outputs.select_columns(first..first + term.outputs());
            first += term.outputs();
            let mut evidence = Matrix::zeros(outputs.rows(), self.labels());
            if let Some(of_labels) = term.of_labels(own) {
                add_scaled(evidence.values_mut(), *weight, of_labels.values());
            }
            evidence
        };
        Ok(self.terms.iter().map(of_term).collect())
    }

    /// Name and kind of each term whose outputs come from outside of the model, in their order.
    pub fn given(&self) -> impl Iterator<Item = (&str, GivenKind)> + '_ {
        self.terms.iter().filter_map(|own| own.term.given())
    }

    /// The measure that predicted label sets are to be best in.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The same posterior with another decision.
    #[must_use]
    pub fn with_decision(self, decision: Decision) -> Self {
        Self { decision, ..self }
    }

    /// Fails unless its terms about whole label sets were learnt from as many feature columns.
    pub(crate) fn check_columns(&self, columns: usize) -> Result<()> {
        let sizes = self.terms.iter().filter_map(|own| own.term.size());
        let mut columns_of_terms = sizes.map(|size| size.columns);
        columns_of_terms.try_for_each(|found| check_size("columns of a term", columns, found))
    }

    /// What the terms about whole label sets say about rows with scaled features, one matrix for each.
    pub(crate) fn of_sets(&self, x: FeaturesView<'_>) -> Result<Vec<Csr>> {
        let terms = self.terms.iter();
        terms
            .filter_map(|own| own.term.of_candidates(x).transpose())
            .collect()
    }

    /// What each row says about labels and label sets.
    fn inputs<'a>(&self, outputs: &'a Outputs) -> Result<Inputs<'a>> {
        let of_sets = self.weighted_sets(&outputs.of_sets)?;
        let outputs = &outputs.numbers;
        let all = self.terms.iter().map(|own| own.term.outputs()).sum();
        check_size("outputs to decode", all, outputs.columns())?;
        if outputs.values().iter().any(|value| !value.is_finite()) {
            return Err(Error::Dataset {
                expected: "features small enough to be predicted from".into(),
                found: "outputs that are NaN or infinite".into(),
            });
        }
        let labels = self.labels();
        let mut inputs = Inputs {
            evidence: Matrix::zeros(outputs.rows(), labels),
            log_odds: match &self.fixed_log_odds {
                Some(odds) => Matrix::from_fn(outputs.rows(), labels, |_, j| odds[j]),
                None => Matrix::zeros(outputs.rows(), labels),
            },
            of_sets,
        };
        let classifiers = self.terms.iter().filter(|own| own.term.has_classifiers());
        let share = 1.0 / classifiers.count() as f64;
        let mut first = 0;
        for WeightedTerm { term, weight } in &self.terms {
            let own = outputs.select_columns(first..first + term.outputs());
            first += term.outputs();
            let Some(of_labels) = term.of_labels(own) else {
                continue;
            };
            add_scaled(inputs.evidence.values_mut(), *weight, of_labels.values());
            if term.has_classifiers() && self.fixed_log_odds.is_none() {
                add_scaled(inputs.log_odds.values_mut(), share, of_labels.values());
            }
        }
        Ok(inputs)
    }

    /// What the terms about whole label sets say, with their weights.
    fn weighted_sets<'a>(&self, of_sets: &'a [Csr]) -> Result<Vec<(f64, &'a Csr)>> {
        let terms = self.terms.iter();
        let weights: Vec<f64> = terms
            .filter(|own| own.term.size().is_some())
            .map(|own| own.weight)
            .collect();
        check_size("outputs about label sets", weights.len(), of_sets.len())?;
        for own in of_sets {
            check_size(
                "label sets of an output",
                self.candidates.len(),
                own.view().columns(),
            )?;
        }
        Ok(weights.into_iter().zip(of_sets).collect())
    }
}

/// What some rows say about labels and label sets.
struct Inputs<'a> {
    /// Σ_k w_k times what each label of a set adds, n×q.
    evidence: Matrix,
    /// The log-odds of independent labels, n×q: the mean of those of all classifiers.
    log_odds: Matrix,
    /// What each term about whole sets adds to some of the candidates, n×candidates, with its weight.
    of_sets: Vec<(f64, &'a Csr)>,
}
