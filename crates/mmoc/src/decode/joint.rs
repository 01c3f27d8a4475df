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

use super::check_finite;
use super::decoder::{CodeDecoding, Decode};
use super::exact::{Enumeration, Gibbs, MOST_EXACT_LABELS};
use super::marginals::Marginals;
use super::mean_field::MeanField;
use super::outputs::Outputs;
use super::sets::labels_above;
use crate::code::Code;
use crate::data::{Labels, Matrix};
use crate::linalg::{multiply_by_transposed, sum, vectorised};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::settings::Named;
use crate::{Error, Prediction, Result, check_size};
use rayon::prelude::*;

/// The noise σ̂_k² of a projection is taken to be at least this share of ‖v_k‖², a standard deviation of
/// 10⁻⁴ of its length: an estimate of zero would make one projection overrule everything, in
/// numbers that leave no digits for the rest.
const NOISE_FLOOR: f64 = 1e-8;

/// Projections whose squared length is below this are zero: it has too few digits to be divided by.
const SMALLEST_SQUARE: f64 = 1e-280;

/// Log-odds are clamped to this magnitude, infinite ones too.
const LARGEST_LOG_ODDS: f64 = 1e100;

/// The largest magnitude of evidence, so that its sums are finite.
const LARGEST_EVIDENCE: f64 = 1e280;

/// Labels up to which [`Inference::Auto`] is exact. On two threads label sets took 0.7 µs a row at 14 labels and 2.6 µs at
/// 16, with marginals 2.6 µs and 9.2 µs; the tables of 16 labels, half a MiB each, still fit into a second cache, and
/// each label more doubles everything.
const MOST_AUTO_LABELS: usize = 16;

/// Numbers of evidence that one thread completes at a time.
const CHUNK: usize = 4096;

/// How the label set of least energy is found.
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
    projections: Matrix,
    noise: Vec<f64>,
    lambda: f64,
    /// Log-odds that are the same for every row, q of them; none if they are predicted.
    fixed_log_odds: Option<Vec<f64>>,
    /// V·diag(1/σ̂²), q×d.
    weights: Matrix,
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
    /// that; projections that are zero have no influence.
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
            projections: projections.clone(),
            noise: noise.to_vec(),
            lambda,
            fixed_log_odds: None,
            weights,
            engine,
        })
    }

    /// The same without classifiers: every row has the given log-odds.
    pub fn with_fixed_log_odds(mut self, log_odds: Vec<f64>) -> Result<Self> {
        check_size("log-odds of labels", self.weights.rows(), log_odds.len())?;
        self.fixed_log_odds = Some(log_odds);
        Ok(self)
    }

    /// V, q×d: the directions of the code, or others that span the same space.
    pub fn projections(&self) -> &Matrix {
        &self.projections
    }

    /// σ̂², one number per direction.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// V·diag(1/σ̂²), q×d: what a predicted codeword adds to the evidence for each label.
    pub fn weights(&self) -> &Matrix {
        &self.weights
    }

    /// Log-odds that are the same for every row, if they are not predicted.
    pub fn fixed_log_odds(&self) -> Option<&[f64]> {
        self.fixed_log_odds.as_deref()
    }

    /// λ, the weight of the log-odds.
    pub fn lambda(&self) -> f64 {
        self.lambda
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
    /// Scores are their log-odds. The likeliest set may differ from the set of labels with a marginal above one half: where
    /// two labels exclude each other, each may be uncertain although it is certain that one of them holds.
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
            confidence: None,
        })
    }

    /// The label sets alone, as [`Self::decode`] finds them: exact ones need no marginals.
    pub fn label_sets(&self, codewords: &Matrix, log_odds: &Matrix) -> Result<Labels> {
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
        let (labels, entries) = (self.weights.rows(), self.weights.columns());
        check_size("entries of a codeword", entries, codewords.columns())?;
        check_size("labels with log-odds", labels, log_odds.columns())?;
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
            found: "NaN or larger numbers".into(),
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

const PROJECTIONS: &str = "joint.projections";
const NOISE: &str = "joint.noise";
const LOG_ODDS: &str = "joint.log_odds";

/// Outputs are the codeword and, with classifiers, the log-odds of the labels after it.
impl Decode for Joint {
    fn labels(&self) -> usize {
        self.projections.rows()
    }

    fn outputs(&self) -> usize {
        let predicted = self.fixed_log_odds.is_none();
        self.noise.len() + if predicted { self.labels() } else { 0 }
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        let (codewords, log_odds) = self.split(&outputs.numbers)?;
        self.decode(&codewords, &log_odds)
    }

    fn predict_sets(&self, outputs: Outputs) -> Result<Labels> {
        let (codewords, log_odds) = self.split(&outputs.numbers)?;
        self.label_sets(&codewords, &log_odds)
    }

    fn of_code(code: &Code, params: &CodeDecoding) -> Option<Result<Self>> {
        let (noise, lambda) = (&params.noise, params.lambda);
        Some(Self::new(
            &code.projections,
            noise,
            lambda,
            params.inference,
        ))
    }

    fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
        file.value("lambda", self.lambda);
        file.value("inference", self.inference().name());
        file.value("classifiers", self.fixed_log_odds.is_none());
        file.matrix(PROJECTIONS, &self.projections);
        file.vector(NOISE, &self.noise);
        if let Some(log_odds) = &self.fixed_log_odds {
            file.vector(LOG_ODDS, log_odds);
        }
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        parts.code()?;
        let inference = parts.named("inference")?;
        if inference == Inference::Auto {
            let expected = "inference to be decided: exact or mean-field";
            return Err(Refusal::not_a_model(expected, "auto"));
        }
        let projections = parts.tensors.matrix(PROJECTIONS, parts.labels, None)?;
        let noise = parts.tensors.vector(NOISE, projections.columns())?;
        let joint = Self::new(&projections, &noise, parts.value("lambda")?, inference)?;
        if parts.value("classifiers")? {
            return Ok(joint);
        }
        let log_odds = parts.tensors.vector(LOG_ODDS, parts.labels)?;
        Ok(joint.with_fixed_log_odds(log_odds)?)
    }
}

impl Joint {
    /// Codewords and log-odds.
    fn split(&self, outputs: &Matrix) -> Result<(Matrix, Matrix)> {
        check_size("outputs to decode", self.outputs(), outputs.columns())?;
        let entries = self.noise.len();
        let log_odds = match &self.fixed_log_odds {
            None => outputs.select_columns(entries..outputs.columns()),
            Some(odds) => Matrix::from_fn(outputs.rows(), odds.len(), |_, label| odds[label]),
        };
        Ok((outputs.select_columns(0..entries), log_odds))
    }
}

/// 1/σ̂² of every projection, with the noise floored and zero for projections that are zero.
fn precisions(projections: &Matrix, noise: &[f64]) -> Result<Vec<f64>> {
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
