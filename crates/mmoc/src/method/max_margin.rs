//! MaxMargin: directions that keep label sets apart and can be predicted (section 3), beside the labels
//! themselves, decoded together.

use super::coded::fit_joint;
use super::codewords::{Codewords, penalties};
use super::with_posterior::{CodeTerms, EvidenceSources};
use super::{DecodingParams, Fitted, Recipe, Terms, Weights};
use crate::Result;
use crate::code::max_margin::{Algorithm, LogOdds, MaxMarginParams, Regression, Separation};
use crate::code::{CanonicalRegression, projections_of};
use crate::decode::{DecoderName, Inference, Joint, check_code_labels};
use crate::evidence::CodeError;
use crate::learn::Training;
use crate::posterior::{CandidateSets, Decision, Posterior};
use crate::settings::{Setting, Settings, setters};

/// MaxMargin with its parameters, those of [`MaxMarginParams`] and [`DecodingParams`].
///
/// Without classifiers in the problem (25) there are none in the codeword either, and λ has no meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaxMargin {
    /// The max-margin directions.
    pub code: MaxMarginParams,
    /// The decoding.
    pub decoding: DecodingParams,
}

setters!(MaxMargin {
    /// The number of directions to keep, of largest eigenvalue; all by default.
    projections: usize = code.projections;
    /// C, the weight of the slacks.
    c: f64 = code.c;
    /// Whether classifiers take part: problem (31), else (25).
    classifiers: bool = code.classifiers;
    /// Constraints for the unit cube (31) or its corners (27).
    separation: Separation = code.solver.separation;
    /// The factor of the penalties of the regressed labels.
    penalty_factor: f64 = code.penalty_factor;
    /// How labels and codewords are regressed.
    regression: Regression = code.regression;
    /// Where the log-odds of training rows come from.
    log_odds: LogOdds = code.log_odds;
    /// How the problem is solved.
    algorithm: Algorithm = code.solver.algorithm;
    /// The certified relative gap to stop at; by default it depends on the number of labels.
    gap: f64 = code.solver.gap;
    /// Most Newton steps, or rounds of the other algorithms.
    max_iterations: usize = code.solver.max_iterations;
    /// The least eigenvalue kept, relative to the largest.
    rank_tolerance: f64 = code.solver.rank_tolerance;
    /// The label sets that are considered.
    candidates: CandidateSets = decoding.candidates;
    /// The terms of the posterior.
    terms: Terms = decoding.terms;
    /// The number of trees of the forest.
    trees: usize = decoding.trees;
    /// Where the weights of the terms come from.
    weights: Weights = decoding.weights;
    /// λ, the weight of the classifiers if weights are fixed.
    lambda: f64 = decoding.lambda;
    /// How eq. (15) is solved if weights are fixed.
    inference: Inference = decoding.inference;
    /// The measure that predicted label sets are to be best in.
    decide: Decision = decoding.decide;
});

impl Settings for MaxMargin {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        let mut settings = self.code.settings();
        settings.extend(self.decoding.settings());
        settings
    }
}

impl Recipe for MaxMargin {
    const NAME: &'static str = "max-margin";
    const TITLE: &'static str = "MaxMargin";
    const SUMMARY: &'static str =
        "labels and directions of maximum margin between label sets, decoded together";
    const DECODERS: &'static [&'static str] = &[Posterior::NAME, Joint::NAME];

    fn base_models(&self, labels: usize) -> usize {
        let projections = self.code.projections.unwrap_or(labels).min(labels);
        projections + if self.code.classifiers { labels } else { 0 }
    }

    fn has_posterior(&self) -> bool {
        !self.decoding.is_of_paper()
    }

    fn chooses_features(&self) -> bool {
        self.has_posterior()
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        check_code_labels(training.labels().count())?;
        // A code that no term needs is not learnt, but its parameters must be right all the same.
        projections_of(self.code.projections, training.labels().count())?;
        if self.decoding.is_of_paper() {
            return self.fit_of_paper(training);
        }
        let evidence = EvidenceSources {
            params: &self.decoding,
            features: training.params().features,
            classifiers: self.code.classifiers,
            codes: &|training| self.codes(training),
        };
        evidence.fit_posterior(training)
    }
}

impl MaxMargin {
    /// The codes to choose from: one for each way of regressing the labels.
    fn codes(&self, training: &Training<'_>) -> Result<Vec<CodeTerms>> {
        let mut codes = Vec::new();
        if self.code.regresses_labels() {
            codes.push(self.terms_by_labels(training)?);
        }
        if self.code.regresses_canonical(training.labels()) {
            codes.push(self.canonical_terms(training)?);
        }
        Ok(codes)
    }

    /// Decoding by eq. (15).
    fn fit_of_paper(&self, training: &Training<'_>) -> Result<Fitted> {
        let code = self.code.fit(training)?;
        let codewords = Codewords::regressed(training, &code)?;
        let classifiers = self.code.classifiers;
        fit_joint(training, code, codewords, &self.decoding, classifiers)
    }

    /// The code of labels that are regressed one by one.
    fn terms_by_labels(&self, training: &Training<'_>) -> Result<CodeTerms> {
        let code = self.code.fit_with(training, None)?;
        let has_directions = code.projections.columns() > 0;
        let term = has_directions.then(|| CodeError::of_label_ridge(training, &code));
        Ok(CodeTerms {
            terms: term.transpose()?.into_iter().collect(),
            penalties: penalties(training, training.label_ridge()?)?,
            code,
        })
    }

    /// The code of labels that are regressed through canonical directions.
    fn canonical_terms(&self, training: &Training<'_>) -> Result<CodeTerms> {
        let regression = CanonicalRegression::fit(training)?;
        let code = self.code.fit_with(training, Some(&regression))?;
        Ok(CodeTerms {
            terms: CodeError::of_canonical(training, &code, &regression)?,
            penalties: penalties(training, regression.ridge())?,
            code,
        })
    }
}
