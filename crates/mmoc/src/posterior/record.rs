//! What is known about a posterior after training.

use serde::{Deserialize, Serialize};

use super::Decision;

/// How a posterior was fitted: its terms, and what it was chosen among.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PosteriorRecord {
    /// The measure that terms were chosen for.
    pub decide: Decision,
    /// Which label sets are candidates: `all` or `seen`.
    pub candidates: String,
    /// Number of candidates.
    pub sets: usize,
    /// u, the probability that a new row has a set that is no candidate.
    pub unseen_mass: f64,
    /// v, the share of independent labels in the marginal probabilities.
    pub independent_share: f64,
    /// The terms that entered.
    pub terms: Vec<TermRecord>,
    /// The rows that the weights were fitted to; none if the weights were given.
    pub rows: usize,
    /// The mean log-likelihood of the sets of these rows among the candidates, each row as if it were new.
    pub log_likelihood: f64,
    /// No weights have an objective that is higher by more.
    pub gap: f64,
    /// The combinations of terms that were tried, the simplest first. Empty if there was no choice.
    pub forms: Vec<FormRecord>,
    /// Which features linear models are functions of, if training rows decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeaturesRecord>,
}

/// Which features linear models are functions of, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeaturesRecord {
    /// `linear`, `rbf` or `both`.
    pub chosen: String,
    /// The total squared leave-one-out error of ridge regressions of the labels on the features.
    pub linear_error: f64,
    /// The same on radial basis functions of the features. They were tried if it is clearly lower.
    pub rbf_error: f64,
    /// Number of radial basis functions; none if they were not tried.
    pub centres: usize,
}

/// A term of a posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermRecord {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// The mean log-likelihood that is lost without it, with the weights of the others fitted again.
    pub worth: f64,
}

/// A combination of terms that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormRecord {
    /// The names of its terms.
    pub terms: Vec<String>,
    /// The measure on the training rows, each as if it were new.
    pub score: f64,
    /// How much lower that is than the best score.
    pub deficit: f64,
    /// The standard error of the deficit.
    pub stderr: f64,
    /// The mean log-likelihood of the rows that weights were fitted to.
    pub log_likelihood: f64,
    /// Whether it was chosen: of the forms whose deficit is at most one standard error, the simplest that is about as likely
    /// as the likeliest.
    pub chosen: bool,
}
