//! The part of a model that predicts from scaled features: outputs and their decoder.

use crate::code::max_margin::SolverReport;
use crate::code::{Code, CodeReport};
use crate::data::{FeaturesView, Labels, Matrix};
use crate::decode::{Decoder, Outputs};
use crate::learn::kernel::{KernelMap, KernelModel};
use crate::learn::{LinearModel, RadialBasisView};
use crate::posterior::{Decision, GivenKind, LikelySet, Posterior};
use crate::text::first_names;
use crate::{Answer, Error, Prediction, Question, Result, check_size};

/// Numbers that a batch of rows may have, features and outputs together.
const BATCH_NUMBERS: usize = 1 << 20;
/// Rows that a batch may have.
const BATCH_ROWS: usize = 4096;

/// Rows to predict: scaled features, and the numbers of evidence from outside if the model needs any.
#[derive(Debug, Clone, Copy)]
pub struct PredictorInput<'a> {
    /// The scaled features, n×p.
    pub features: FeaturesView<'a>,
    /// The numbers of each given term, in the order of [`Predictor::given`], n×q side by side; none if there are none.
    pub given: Option<&'a Matrix>,
}

impl<'a> From<FeaturesView<'a>> for PredictorInput<'a> {
    fn from(features: FeaturesView<'a>) -> Self {
        Self {
            features,
            given: None,
        }
    }
}

/// Functions of scaled features, the outputs, and a decoder that makes label sets of them.
///
/// A [`Model`](crate::Model) has one beside its schema and preprocessing. Methods that are compared on the same rows
/// share the scaled features, so that each has a predictor only.
///
/// | method | outputs | decoder |
/// |---|---|---|
/// | br | log-odds of each label | log-odds, or posterior |
/// | coding-cs | codewords Vᵀy | cosamp or l1 |
/// | coding-pca | codewords Vᵀy | back-projection |
/// | coding-pca-r, coding-cca, max-margin | outputs of each term in turn | posterior |
/// | the same, as published | codewords, then log-odds of each label if it has classifiers | joint |
/// | clr | log-odds of each label against the virtual one, then of each pair of labels | votes |
/// | lead | log-odds of each label without what its parents contribute | network |
#[derive(Debug, Clone)]
pub struct Predictor {
    outputs: LinearModel,
    /// Outputs of radial basis functions of the features, after the others.
    kernel: Option<KernelModel>,
    decoder: Decoder,
    code: Option<Code>,
}

impl Predictor {
    /// A predictor whose decoder takes as many outputs as there are, with the code that the outputs predict, if any.
    pub fn new(
        outputs: LinearModel,
        decoder: impl Into<Decoder>,
        code: Option<Code>,
    ) -> Result<Self> {
        Self::with_kernel(outputs, None, decoder, code)
    }

    /// The same with outputs of radial basis functions of the features after the others.
    pub(crate) fn with_kernel(
        outputs: LinearModel,
        kernel: Option<KernelModel>,
        decoder: impl Into<Decoder>,
        code: Option<Code>,
    ) -> Result<Self> {
        let decoder = decoder.into();
        let of_kernel = kernel.as_ref().map_or(0, KernelModel::outputs);
        let found = outputs.intercepts().len() + of_kernel + given_outputs(&decoder);
        check_size("outputs of a model", decoder.outputs(), found)?;
        let columns = outputs.coefficients().rows();
        if let Some(kernel) = &kernel {
            check_size(
                "columns of radial basis functions",
                columns,
                kernel.columns(),
            )?;
        }
        if let Decoder::Posterior(posterior) = &decoder {
            posterior.check_columns(columns)?;
        }
        if let Some(code) = &code {
            check_size(
                "labels of a code",
                decoder.labels(),
                code.projections.rows(),
            )?;
        }
        Ok(Self {
            outputs,
            kernel,
            decoder,
            code,
        })
    }

    /// The outputs that are linear functions of the scaled features.
    pub fn outputs(&self) -> &LinearModel {
        &self.outputs
    }

    /// The outputs that are functions of radial basis functions, if there are any.
    pub(crate) fn kernel(&self) -> Option<&KernelModel> {
        self.kernel.as_ref()
    }

    /// The outputs that are functions of radial basis functions, after the others, if there are any.
    pub fn radial_basis(&self) -> Option<RadialBasisView<'_>> {
        self.kernel.as_ref().map(KernelModel::view)
    }

    /// The same predictor of mapped features as one of the features themselves.
    pub(super) fn composed(self, map: &KernelMap) -> Result<Self> {
        let nothing = LinearModel::new(Matrix::zeros(map.columns(), 0), Vec::new())?;
        let kernel = map.compose(&self.outputs)?;
        Self::with_kernel(nothing, Some(kernel), self.decoder, self.code)
    }

    /// Name and kind of each term whose outputs come from outside of the model, in their order.
    pub fn given(&self) -> Vec<(&str, GivenKind)> {
        match &self.decoder {
            Decoder::Posterior(posterior) => posterior.given().collect(),
            _ => Vec::new(),
        }
    }

    /// All outputs that are functions of the features as numbers, n×m.
    pub(crate) fn numbers(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        let linear = self.outputs.predict(x)?;
        match &self.kernel {
            Some(kernel) => Matrix::hstack(&[&linear, &kernel.predict(x)?]),
            None => Ok(linear),
        }
    }

    /// What makes label sets of the outputs.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The posterior over label sets; an error if the decoder is another.
    pub fn posterior(&self) -> Result<&Posterior> {
        match &self.decoder {
            Decoder::Posterior(posterior) => Ok(posterior),
            other => Err(no_posterior(other)),
        }
    }

    /// The same with another decision of its posterior; an error if it has none.
    pub fn with_decision(self, decision: Decision) -> Result<Self> {
        let decoder = match self.decoder {
            Decoder::Posterior(posterior) => posterior.with_decision(decision).into(),
            other => return Err(no_posterior(&other)),
        };
        Ok(Self { decoder, ..self })
    }

    /// The K likeliest label sets of every row, the likeliest first; an error without a posterior.
    pub fn likeliest_sets<'a>(
        &self,
        rows: impl Into<PredictorInput<'a>>,
        k: usize,
    ) -> Result<Vec<Vec<LikelySet>>> {
        self.posterior()?
            .likeliest_sets(&self.finite_outputs(rows.into())?, k)
    }

    /// What each label of a set adds by each term of the posterior, n×q; an error without a posterior.
    pub fn evidence_of_terms<'a>(
        &self,
        rows: impl Into<PredictorInput<'a>>,
    ) -> Result<Vec<Matrix>> {
        let posterior = self.posterior()?;
        posterior.evidence_of_terms(&self.finite_outputs(rows.into())?)
    }

    /// The output code with its projections, if the method has one.
    pub fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// Number of labels, q.
    pub fn labels(&self) -> usize {
        self.decoder.labels()
    }

    /// Predicts the label set of every row.
    ///
    /// Fails if features are so large that outputs or scores overflow.
    pub fn predict<'a>(&self, rows: impl Into<PredictorInput<'a>>) -> Result<Prediction> {
        let prediction = self.decoder.decode(self.finite_outputs(rows.into())?)?;
        prediction.scores.as_ref().map_or(Ok(()), check_finite)?;
        Ok(prediction)
    }

    /// Predicts as a question asks, from outputs that are computed once. An error if it asks for what only a posterior over
    /// label sets knows, and there is none.
    pub fn answer<'a>(
        &self,
        rows: impl Into<PredictorInput<'a>>,
        question: Question,
    ) -> Result<Answer> {
        let outputs = self.finite_outputs(rows.into())?;
        let sets = match question.sets {
            0 => None,
            k => Some(self.posterior()?.likeliest_sets(&outputs, k)?),
        };
        let prediction = match question.decision {
            Some(decision) => self.posterior()?.decode_for(&outputs, decision)?,
            None => self.decoder.decode(outputs)?,
        };
        prediction.scores.as_ref().map_or(Ok(()), check_finite)?;
        Ok(Answer { prediction, sets })
    }

    /// The label set of every row, as [`Self::predict`] finds it, without scores and probabilities.
    pub fn label_sets<'a>(&self, rows: impl Into<PredictorInput<'a>>) -> Result<Labels> {
        let rows = rows.into();
        match &self.decoder {
            Decoder::Joint(_) | Decoder::Posterior(_) => {
                self.decoder.label_sets(self.finite_outputs(rows)?)
            }
            _ => Ok(self.predict(rows)?.labels),
        }
    }

    pub(crate) fn finite_outputs(&self, rows: PredictorInput<'_>) -> Result<Outputs> {
        let PredictorInput { features, given } = rows;
        let needed = given_outputs(&self.decoder);
        if needed > 0 && given.is_none() {
            return Err(self.missing_evidence(|_| true));
        }
        let mut numbers = self.numbers(features)?;
        check_finite(&numbers)?;
        if let Some(given) = given {
            check_size("numbers of given evidence", needed, given.columns())?;
            check_size("rows of given evidence", numbers.rows(), given.rows())?;
            numbers = Matrix::hstack(&[&numbers, given])?;
        }
        let of_sets = self.decoder.of_sets(features)?;
        Ok(Outputs { numbers, of_sets })
    }

    /// The error about given terms that are missing.
    pub(crate) fn missing_evidence(&self, is_missing: impl Fn(&str) -> bool) -> Error {
        let names = self.given().into_iter().map(|(name, _)| name);
        let names: Vec<&str> = names.filter(|name| is_missing(name)).collect();
        Error::MissingEvidence {
            names: first_names(&names),
        }
    }

    /// Rows to predict at a time, so that the outputs and `stored` numbers for the features of each row stay within
    /// some megabytes: from 1 to 4096.
    pub fn batch_rows(&self, stored: usize) -> usize {
        let numbers = stored.saturating_add(self.decoder.outputs()).max(1);
        (BATCH_NUMBERS / numbers).clamp(1, BATCH_ROWS)
    }

    /// How the max-margin problem was solved, if the method has one.
    pub fn solver_report(&self) -> Option<&SolverReport> {
        match &self.code.as_ref()?.report {
            CodeReport::MaxMargin { solver, .. } => Some(solver),
            _ => None,
        }
    }
}

/// Number of outputs that come from outside of the model.
fn given_outputs(decoder: &Decoder) -> usize {
    match decoder {
        Decoder::Posterior(posterior) => posterior.given().count() * posterior.labels(),
        _ => 0,
    }
}

fn no_posterior(decoder: &Decoder) -> Error {
    Error::Parameter {
        parameter: "the decoder of the model",
        expected: "a posterior over label sets".into(),
        found: format!("'{}'", decoder.name()),
    }
}

pub(crate) fn check_finite(values: &Matrix) -> Result<()> {
    if values.values().iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: "features for which the outputs of the model are finite".into(),
        found: "numbers that are too large".into(),
    })
}
