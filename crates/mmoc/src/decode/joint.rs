//! Joint decoding from codewords and classifiers, eq. 15.
//!
//! ```text
//! E(y) = ½ Σ_k (v_kᵀy − m̂_k)²/σ̂_k² − λ Σ_j y_j·l_j          l_j = log p̂_j1/p̂_j0
//!      = ½ yᵀAy − bᵀy + const,     A = V·diag(1/σ̂²)·Vᵀ,     b = V·diag(1/σ̂²)·m̂ + λl
//! ```
//!
//! A, of rank d at most, is the same for every row; b, the evidence for each label by itself, is one matrix product for all rows.
//! The label set is the minimiser of E, and probabilities are the marginals of p(y) ∝ exp(−E(y)): both are found by
//! enumeration ([`super::exact`]) or approximated by mean-field inference ([`super::mean_field`]).

use rayon::prelude::*;

use super::check_finite;
use super::exact::{Enumeration, Gibbs, MOST_EXACT_LABELS};
use super::marginals::Marginals;
use super::mean_field::MeanField;
use super::sets::labels_above;
use crate::data::{Labels, Matrix};
use crate::linalg::{multiply_by_transposed, sum, vectorised};
use crate::settings::Named;
use crate::{Error, Prediction, Result, check_size};

/// The noise σ̂_k² of a projection is taken to be at least this share of ‖v_k‖², a standard deviation of
/// 10⁻⁴ of its length: an estimate of zero would make one projection overrule everything, in
/// numbers that leave no digits for the rest.
const NOISE_FLOOR: f64 = 1e-8;

/// Projections whose squared length is below this are zero: it has too few digits to be divided by.
const SMALLEST_SQUARE: f64 = 1e-280;

/// Log-odds beyond this, infinite ones among them, count as this.
const LARGEST_LOG_ODDS: f64 = 1e100;

/// Evidence must not be beyond this, so that sums of it are finite.
const LARGEST_EVIDENCE: f64 = 1e280;

/// Labels up to which [`Inference::Auto`] is exact. On two threads label sets took 0.7 µs a row at 14 labels and 2.6 µs at
/// 16, with marginals 2.6 µs and 9.2 µs; the tables of 16 labels, half a MiB each, still fit into a second cache, and
/// each label more doubles everything.
const MOST_AUTO_LABELS: usize = 16;

/// Numbers of evidence that one thread completes at a time.
const CHUNK: usize = 4096;

/// How the label set of least energy is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inference {
    /// Exact while it is cheap, up to 16 labels; else mean-field.
    #[default]
    Auto,
    /// Labels whose mean-field marginal is above one half.
    MeanField,
    /// The minimiser itself, by enumeration of all 2^q label sets, for up to [`MOST_EXACT_LABELS`] labels.
    Exact,
}

impl Named for Inference {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::MeanField, "mean-field"),
        (Self::Exact, "exact"),
    ];
}

impl Inference {
    /// What `Auto` stands for with this many labels.
    fn resolved(self, labels: usize) -> Result<Self> {
        match self {
            Self::Auto if labels <= MOST_AUTO_LABELS => Ok(Self::Exact),
            Self::Auto => Ok(Self::MeanField),
            Self::Exact if labels > MOST_EXACT_LABELS => Err(Error::Parameter {
                parameter: "inference",
                expected: format!("auto or mean-field for more than {MOST_EXACT_LABELS} labels"),
                found: format!("exact for {labels}"),
            }),
            chosen => Ok(chosen),
        }
    }
}

/// Decoding by eq. 15 with given projections, noise and weight of the classifiers.
#[derive(Debug, Clone)]
pub struct Joint {
    /// V·diag(1/σ̂²), q×d.
    weights: Matrix,
    lambda: f64,
    engine: Engine,
}

/// What finds label sets and marginals.
#[derive(Debug, Clone)]
enum Engine {
    Exact {
        enumeration: Enumeration,
        gibbs: Gibbs,
    },
    MeanField(MeanField),
}

impl Engine {
    fn exact(coupling: &Matrix) -> Self {
        let enumeration = Enumeration::new(coupling);
        let gibbs = Gibbs::new(&enumeration);
        Self::Exact { enumeration, gibbs }
    }
}

impl Joint {
    /// Prepares decoding with V (q×d), σ̂² (d) and λ ≥ 0.
    ///
    /// Without projections (d = 0) and with λ > 0 it is binary relevance. Noise below 10⁻⁸·‖v_k‖² is raised to
    /// that; projections that are zero say nothing.
    ///
    /// A sweep of mean-field inference over a row takes O(q·min(2d, q)). A, q×q, is made for exact inference, and for
    /// mean-field inference if 2d ≥ q.
    pub fn new(
        projections: &Matrix,
        noise: &[f64],
        lambda: f64,
        inference: Inference,
    ) -> Result<Self> {
        let labels = projections.rows();
        let inference = inference.resolved(labels)?;
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(Error::Parameter {
                parameter: "lambda",
                expected: "a finite number that is not negative".into(),
                found: lambda.to_string(),
            });
        }
        let precisions = precisions(projections, noise)?;
        let scaled = |power: fn(f64) -> f64| {
            Matrix::from_fn(labels, precisions.len(), |j, k| {
                projections[(j, k)] * power(precisions[k])
            })
        };
        let weights = scaled(|precision| precision);
        let engine = match inference {
            Inference::Exact => Engine::exact(&multiply_by_transposed(&weights, projections)),
            _ => Engine::MeanField(MeanField::new(scaled(f64::sqrt))),
        };
        Ok(Self {
            weights,
            lambda,
            engine,
        })
    }

    /// How label sets are found: exactly or by mean-field inference.
    pub fn inference(&self) -> Inference {
        match self.engine {
            Engine::Exact { .. } => Inference::Exact,
            Engine::MeanField(_) => Inference::MeanField,
        }
    }

    /// Decodes predictions m̂ of Vᵀy (n×d) with the log-odds of the classifiers (n×q).
    ///
    /// Probabilities are the marginals of p(y) ∝ exp(−E(y)): exact where label sets are, else by mean-field inference.
    /// Scores are their log-odds. The likeliest set need not be that of the labels likelier than not: where two
    /// labels exclude each other, each may be doubtful and the set certain to have one of them.
    pub fn decode(&self, codewords: &Matrix, log_odds: &Matrix) -> Result<Prediction> {
        let evidence = self.evidence(codewords, log_odds)?;
        let (labels, marginals) = match &self.engine {
            Engine::Exact { enumeration, gibbs } => {
                let labels = enumeration.minimisers(&evidence)?;
                let marginals = gibbs.marginals(enumeration, &evidence, &labels);
                (labels, marginals)
            }
            Engine::MeanField(mean_field) => {
                let marginals = mean_field.marginals(evidence, log_odds);
                (labels_above(&marginals.log_odds, 0.0)?, marginals)
            }
        };
        let Marginals {
            log_odds,
            probabilities,
        } = marginals;
        Ok(Prediction {
            labels,
            scores: Some(log_odds),
            probabilities: Some(probabilities),
        })
    }

    /// The label sets alone, as [`Self::decode`] finds them: exact ones need no marginals.
    pub fn labels(&self, codewords: &Matrix, log_odds: &Matrix) -> Result<Labels> {
        let evidence = self.evidence(codewords, log_odds)?;
        match &self.engine {
            Engine::Exact { enumeration, .. } => enumeration.minimisers(&evidence),
            Engine::MeanField(mean_field) => {
                labels_above(&mean_field.marginals(evidence, log_odds).log_odds, 0.0)
            }
        }
    }

    /// b for every row, n×q.
    fn evidence(&self, codewords: &Matrix, log_odds: &Matrix) -> Result<Matrix> {
        check_size(
            "entries of a codeword",
            self.weights.columns(),
            codewords.columns(),
        )?;
        check_size(
            "labels with log-odds",
            self.weights.rows(),
            log_odds.columns(),
        )?;
        check_size("rows with log-odds", codewords.rows(), log_odds.rows())?;
        let mut evidence = multiply_by_transposed(codewords, &self.weights);
        let chunks = evidence.values_mut().par_chunks_mut(CHUNK);
        let pairs = chunks.zip(log_odds.values().par_chunks(CHUNK));
        let all_usable = pairs
            .map(|(evidence, log_odds)| self.add_log_odds(evidence, log_odds))
            .reduce(|| true, |a, b| a & b);
        if all_usable {
            return Ok(evidence);
        }
        check_finite("the codewords", codewords)?;
        Err(Error::Parameter {
            parameter: "the evidence from codewords and log-odds",
            expected: format!("numbers of at most {LARGEST_EVIDENCE:e}"),
            found: "some that are beyond or not numbers".into(),
        })
    }

    /// Adds λl to what codewords say; returns whether everything is a number of sensible size.
    fn add_log_odds(&self, evidence: &mut [f64], log_odds: &[f64]) -> bool {
        vectorised(|| {
            let mut usable = true;
            for (b, l) in evidence.iter_mut().zip(log_odds) {
                *b += self.lambda * l.clamp(-LARGEST_LOG_ODDS, LARGEST_LOG_ODDS);
                usable &= b.abs() <= LARGEST_EVIDENCE;
            }
            usable
        })
    }
}

/// 1/σ̂² of every projection, with the noise floored and zero for projections that are zero.
pub(crate) fn precisions(projections: &Matrix, noise: &[f64]) -> Result<Vec<f64>> {
    check_size("noise variances", projections.columns(), noise.len())?;
    check_finite("the projections", projections)?;
    noise
        .iter()
        .enumerate()
        .map(|(k, &noise)| {
            if !(noise.is_finite() && noise >= 0.0) {
                return Err(Error::Parameter {
                    parameter: "noise",
                    expected: "finite numbers that are not negative".into(),
                    found: noise.to_string(),
                });
            }
            let squares: Vec<f64> = projections.column(k).map(|v| v * v).collect();
            precision(sum(&squares), noise)
        })
        .collect()
}

fn precision(square: f64, noise: f64) -> Result<f64> {
    if !square.is_finite() {
        return Err(Error::Parameter {
            parameter: "the projections",
            expected: "numbers whose squares have a finite sum".into(),
            found: "larger ones".into(),
        });
    }
    if square < SMALLEST_SQUARE {
        return Ok(0.0);
    }
    Ok(noise.max(NOISE_FLOOR * square).recip())
}
