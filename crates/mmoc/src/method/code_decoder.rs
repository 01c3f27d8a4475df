//! From predicted codewords to label sets, for every output code.

use crate::code::Code;
use crate::data::{Labels, Matrix};
use crate::decode::{BackProjection, CoSaMp, Inference, Joint, L1};
use crate::{Error, Prediction, Result, check_size};

/// Most labels of a code. Decoding needs a q×q matrix unless projections are few, which has 2 GiB here.
const MOST_LABELS: usize = 1 << 14;

/// A code and the rule by which its predicted codewords become label sets.
#[derive(Debug, Clone)]
pub struct CodeDecoder {
    code: Code,
    rule: CodeRule,
}

/// How predicted codewords become label sets.
#[derive(Debug, Clone)]
pub enum CodeRule {
    /// Projected back and rounded.
    BackProjection(BackProjection),
    /// The sparsest label set, greedily.
    CoSaMp(CoSaMp),
    /// The sparsest label vector by the ℓ1 norm.
    L1(L1),
    /// The label set of least energy.
    Joint(Box<JointRule>),
}

/// Joint decoding (eq. 15) and what it is made from.
#[derive(Debug, Clone)]
pub struct JointRule {
    projections: Matrix,
    noise: Vec<f64>,
    lambda: f64,
    label_odds: LabelOdds,
    joint: Joint,
}

/// Where the log-odds of joint decoding come from.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelOdds {
    /// From classifiers: the outputs after the codeword.
    Predicted,
    /// The same for every row, q of them: without classifiers only labels that never vary have any.
    Fixed(Vec<f64>),
}

impl JointRule {
    /// The rule of V (q×d), σ̂² (d), λ ≥ 0, and the source of the log-odds.
    pub fn new(
        projections: Matrix,
        noise: Vec<f64>,
        lambda: f64,
        inference: Inference,
        label_odds: LabelOdds,
    ) -> Result<Self> {
        check_labels(projections.rows())?;
        if let LabelOdds::Fixed(odds) = &label_odds {
            check_size("log-odds of labels", projections.rows(), odds.len())?;
        }
        let joint = Joint::new(&projections, &noise, lambda, inference)?;
        Ok(Self {
            projections,
            noise,
            lambda,
            label_odds,
            joint,
        })
    }

    /// V, q×d: the directions of the code, or others that span the same.
    pub fn projections(&self) -> &Matrix {
        &self.projections
    }

    /// σ̂², one number per direction.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// λ, the weight of the log-odds.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Where the log-odds come from.
    pub fn label_odds(&self) -> &LabelOdds {
        &self.label_odds
    }

    /// How label sets are found: exactly or by mean-field inference.
    pub fn inference(&self) -> Inference {
        self.joint.inference()
    }

    fn outputs(&self) -> usize {
        let labels = match self.label_odds {
            LabelOdds::Predicted => self.projections.rows(),
            LabelOdds::Fixed(_) => 0,
        };
        self.noise.len() + labels
    }

    fn decode(&self, outputs: &Matrix) -> Result<Prediction> {
        let (codewords, log_odds) = self.parts(outputs);
        self.joint.decode(&codewords, &log_odds)
    }

    /// The label sets alone, which exact decoding finds without marginals.
    pub(super) fn label_sets(&self, outputs: &Matrix) -> Result<Labels> {
        let (codewords, log_odds) = self.parts(outputs);
        self.joint.labels(&codewords, &log_odds)
    }

    /// Codewords and log-odds.
    fn parts(&self, outputs: &Matrix) -> (Matrix, Matrix) {
        let entries = self.noise.len();
        let log_odds = match &self.label_odds {
            LabelOdds::Predicted => outputs.select_columns(entries..outputs.columns()),
            LabelOdds::Fixed(odds) => {
                Matrix::from_fn(outputs.rows(), odds.len(), |_, label| odds[label])
            }
        };
        (outputs.select_columns(0..entries), log_odds)
    }
}

impl CodeDecoder {
    /// Decodes by the projections of the code and the origin they are measured from.
    pub fn back_projection(code: Code) -> Result<Self> {
        check_labels(code.projections.rows())?;
        let decoder = BackProjection::new(&code.projections, &code.origin)?;
        Ok(Self {
            code,
            rule: CodeRule::BackProjection(decoder),
        })
    }

    /// Decodes to at most `sparsity` labels.
    pub fn cosamp(code: Code, sparsity: usize) -> Result<Self> {
        check_labels(code.projections.rows())?;
        let decoder = CoSaMp::new(&code.projections, sparsity)?;
        Ok(Self {
            code,
            rule: CodeRule::CoSaMp(decoder),
        })
    }

    /// Decodes by the ℓ1 norm with weight `penalty`.
    pub fn l1(code: Code, penalty: f64) -> Result<Self> {
        check_labels(code.projections.rows())?;
        let decoder = L1::new(&code.projections, penalty)?;
        Ok(Self {
            code,
            rule: CodeRule::L1(decoder),
        })
    }

    /// Decodes by a rule for as many labels as the code has.
    pub fn joint(code: Code, rule: JointRule) -> Result<Self> {
        let labels = code.projections.rows();
        check_size(
            "labels of joint decoding",
            labels,
            rule.projections().rows(),
        )?;
        Ok(Self {
            code,
            rule: CodeRule::Joint(Box::new(rule)),
        })
    }

    /// The code: its projections and how they were found.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The rule.
    pub fn rule(&self) -> &CodeRule {
        &self.rule
    }

    /// Number of labels, q.
    pub fn labels(&self) -> usize {
        self.code.projections.rows()
    }

    /// Number of outputs that are decoded, m.
    pub(super) fn outputs(&self) -> usize {
        match &self.rule {
            CodeRule::Joint(rule) => rule.outputs(),
            _ => self.code.projections.columns(),
        }
    }

    pub(super) fn decode(&self, outputs: &Matrix) -> Result<Prediction> {
        match &self.rule {
            CodeRule::BackProjection(decoder) => decoder.decode(outputs),
            CodeRule::CoSaMp(decoder) => decoder.decode(outputs),
            CodeRule::L1(decoder) => decoder.decode(outputs),
            CodeRule::Joint(rule) => rule.decode(outputs),
        }
    }
}

fn check_labels(labels: usize) -> Result<()> {
    if labels <= MOST_LABELS {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: format!("at most {MOST_LABELS} labels for an output code"),
        found: labels.to_string(),
    })
}
