//! The scores of labels and of pairs of labels: how a decoder combines the linear outputs of a model.

use std::fmt;
use std::ops::Range;

use crate::data::Matrix;
use crate::decode::{BackProjection, Decoder, Joint};
use crate::learn::kernel::KernelModel;
use crate::linalg::{add_scaled, dot, multiply_by_transposed};
use crate::method::Predictor;
use crate::posterior::{Posterior, TermView};
use crate::{Error, Result};

/// Terms of the posterior whose outputs are linear functions of the features.
const LINEAR_TERMS: [&str; 3] = ["labels", "code", "rest"];

/// Those whose outputs are functions of radial basis functions.
const RADIAL_TERMS: [&str; 3] = ["labels-rbf", "code-rbf", "rest-rbf"];

/// b(x) and A: a label set y has the score b(x)ᵀy − ½yᵀAy.
pub(super) struct LabelScores<'a> {
    linear: Vec<LinearTerm<'a>>,
    /// Added to b in any row.
    shift: Vec<f64>,
    couplings: Vec<Coupling<'a>>,
    /// Terms of labels that are functions of radial basis functions, with outputs counted from the first of these, and
    /// their positions in the posterior.
    radial: Vec<(LinearTerm<'a>, usize)>,
    /// Terms of labels that have no parts: their names and positions in the posterior.
    pub(super) others: Vec<(&'a str, usize)>,
}

/// Linear outputs z, which add weight·Tz to b.
struct LinearTerm<'a> {
    outputs: Range<usize>,
    weight: f64,
    /// T, q×outputs; none if each output is one of a label.
    to_labels: Option<&'a Matrix>,
}

/// A part of A: weight·LRᵀ.
struct Coupling<'a> {
    weight: f64,
    left: &'a Matrix,
    right: &'a Matrix,
}

impl<'a> LabelScores<'a> {
    /// The scores of a predictor, or why it has none.
    pub(super) fn of(predictor: &'a Predictor) -> Result<Self> {
        let reason = match predictor.decoder() {
            Decoder::CoSaMp(_) | Decoder::L1(_) => WithoutScores::SparseRecovery,
            Decoder::Votes(_) => WithoutScores::Votes,
            Decoder::Network(_) => WithoutScores::Network,
            Decoder::Posterior(posterior) => return Ok(Self::of_posterior(posterior, predictor)),
            _ if predictor.kernel().is_some() => WithoutScores::RadialBasisFunctions,
            Decoder::LogOdds(_) => return Ok(Self::of_log_odds(predictor.labels())),
            Decoder::BackProjection(code) => return Ok(Self::of_back_projection(code)),
            Decoder::Joint(joint) => return Ok(Self::of_joint(joint)),
        };
        Err(Error::WithoutScores(reason))
    }

    fn of_log_odds(labels: usize) -> Self {
        Self::of_terms(vec![LinearTerm::of_labels(0..labels, 1.0)], labels)
    }

    /// y = μ + V(ẑ − Vᵀμ), and labels above one half are predicted.
    fn of_back_projection(code: &'a BackProjection) -> Self {
        let directions = code.projections();
        let shift = code.shift().iter().map(|own| own - 0.5).collect();
        Self {
            shift,
            ..Self::of_terms(
                vec![LinearTerm {
                    outputs: 0..directions.columns(),
                    weight: 1.0,
                    to_labels: Some(directions),
                }],
                directions.rows(),
            )
        }
    }

    /// A = V·diag(1/σ̂²)·Vᵀ and b = V·diag(1/σ̂²)·ẑ + λl (eq. 15).
    fn of_joint(joint: &'a Joint) -> Self {
        let weights = joint.weights();
        let (labels, directions) = (weights.rows(), weights.columns());
        let mut terms = vec![LinearTerm {
            outputs: 0..directions,
            weight: 1.0,
            to_labels: Some(weights),
        }];
        let mut shift = vec![0.0; labels];
        if let Some(odds) = joint.fixed_log_odds() {
            add_scaled(&mut shift, joint.lambda(), odds);
        } else {
            let outputs = directions..directions + labels;
            terms.push(LinearTerm::of_labels(outputs, joint.lambda()));
        }
        Self {
            shift,
            couplings: vec![Coupling {
                weight: 1.0,
                left: weights,
                right: joint.projections(),
            }],
            ..Self::of_terms(terms, labels)
        }
    }

    /// Σ_k w_k·f_k(x, y): classifiers add w·l(x), a code w·(Bẑ(x) − ½BBᵀy).
    fn of_posterior(posterior: &'a Posterior, predictor: &Predictor) -> Self {
        let mut scores = Self::of_terms(Vec::new(), posterior.labels());
        let linear = predictor.outputs().intercepts().len();
        let has_parts = predictor.kernel().is_some_and(KernelModel::has_parts);
        let mut first = 0;
        for (position, term) in posterior.terms().enumerate() {
            let outputs = first..first + term.outputs;
            first = outputs.end;
            scores.couplings.extend(Coupling::of(term));
            let own = |outputs| LinearTerm {
                outputs,
                weight: term.weight,
                to_labels: term.coupling,
            };
            if LINEAR_TERMS.contains(&term.name) {
                scores.linear.push(own(outputs));
            } else if has_parts && RADIAL_TERMS.contains(&term.name) {
                let outputs = outputs.start - linear..outputs.end - linear;
                scores.radial.push((own(outputs), position));
            } else if term.outputs > 0 {
                scores.others.push((term.name, position));
            }
        }
        scores
    }

    fn of_terms(linear: Vec<LinearTerm<'a>>, labels: usize) -> Self {
        Self {
            linear,
            shift: vec![0.0; labels],
            couplings: Vec::new(),
            radial: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Whether labels have scores at all: not if all terms are about whole label sets.
    pub(super) fn has_labels(&self) -> bool {
        !(self.linear.is_empty() && self.radial.is_empty() && self.others.is_empty())
    }

    /// Number of labels, q.
    pub(super) fn labels(&self) -> usize {
        self.shift.len()
    }

    /// What numbers of linear outputs, n×m, add to b, n×q.
    pub(super) fn to_labels(&self, outputs: &Matrix) -> Matrix {
        self.summed(self.linear.iter(), outputs)
    }

    /// What numbers of radial outputs, n×m, add to b, n×q.
    pub(super) fn radial_to_labels(&self, outputs: &Matrix) -> Matrix {
        self.summed(self.radial.iter().map(|(term, _)| term), outputs)
    }

    /// The positions of radial terms in the posterior.
    pub(super) fn radial_positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.radial.iter().map(|&(_, position)| position)
    }

    fn summed<'b>(
        &self,
        terms: impl Iterator<Item = &'b LinearTerm<'b>>,
        outputs: &Matrix,
    ) -> Matrix {
        let mut sum = Matrix::zeros(outputs.rows(), self.labels());
        for term in terms {
            let own = outputs.select_columns(term.outputs.clone());
            let of_labels = match term.to_labels {
                Some(directions) => multiply_by_transposed(&own, directions),
                None => own,
            };
            add_scaled(sum.values_mut(), term.weight, of_labels.values());
        }
        sum
    }

    /// What a label has in any row, beside its outputs: its shift and −½A_jj.
    pub(super) fn constant(&self, label: usize) -> f64 {
        self.shift[label] - 0.5 * self.coupling(label, label)
    }

    /// A_jk.
    pub(super) fn coupling(&self, label: usize, other: usize) -> f64 {
        let parts = self.couplings.iter();
        let of_part =
            |part: &Coupling<'_>| part.weight * dot(part.left.row(label), part.right.row(other));
        parts.map(of_part).sum()
    }

    /// Whether labels pull each other.
    pub(super) fn couples(&self) -> bool {
        !self.couplings.is_empty()
    }
}

impl LinearTerm<'_> {
    fn of_labels(outputs: Range<usize>, weight: f64) -> Self {
        Self {
            outputs,
            weight,
            to_labels: None,
        }
    }
}

impl<'a> Coupling<'a> {
    fn of(term: TermView<'a>) -> Option<Self> {
        term.coupling.map(|directions| Self {
            weight: term.weight,
            left: directions,
            right: directions,
        })
    }
}

/// Why a model has no scores of labels that could be taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutScores {
    /// CoSaMP and ℓ1-penalised recovery.
    SparseRecovery,
    /// Calibrated label ranking.
    Votes,
    /// A network of labels.
    Network,
    /// All outputs are functions of radial basis functions, without a posterior.
    RadialBasisFunctions,
}

impl fmt::Display for WithoutScores {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::SparseRecovery => {
                "labels are recovered from codewords by sparse recovery, which is not linear"
            }
            Self::Votes => "labels are ranked by the votes of a classifier for each pair of labels",
            Self::Network => "the classifier of a label depends on other labels as well",
            Self::RadialBasisFunctions => {
                "its outputs are functions of radial basis functions only, which have no coefficients of features"
            }
        })
    }
}
