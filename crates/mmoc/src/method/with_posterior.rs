//! Fits of posteriors over label sets: the terms that a method has, and which of them may enter.

use super::Predictor;
use super::coded::fit_joint;
use super::codewords::{Codewords, penalties};
use super::decoding::{DecodingParams, Terms, Weights};
use super::fitted::{Fitted, HeldOutOutputs, Penalties};
use crate::Result;
use crate::code::Code;
use crate::decode::check_code_labels;
use crate::evidence::{CodeError, Frequency, LabelOdds, LearntTerm, Term, base_log_odds};
use crate::learn::Training;
use crate::posterior::{PosteriorFit, WeightChoice};

/// A code as terms of a posterior.
pub(super) struct CodeTerms {
    pub(super) code: Code,
    /// The code itself, and what it leaves out if that has a term too.
    pub(super) terms: Vec<LearntTerm>,
    /// The penalties of its regressions.
    pub(super) penalties: Vec<f64>,
}

impl CodeTerms {
    /// A code whose codewords are regressed one by one.
    fn by_codewords(training: &Training<'_>, code: Code) -> Result<Self> {
        let codewords = training.regress(&code.encode(training.labels())?)?;
        Ok(Self {
            terms: vec![CodeError::of_codewords(training, &code, &codewords)?],
            penalties: penalties(training, &codewords)?,
            code,
        })
    }
}

/// A code with labels in its codeword: decoded by eq. (15) if that is asked for, else by a posterior.
pub(super) fn fit_labels_and_code(
    training: &Training<'_>,
    code: Code,
    params: &DecodingParams,
) -> Result<Fitted> {
    if params.is_of_paper() {
        let codewords = Codewords::regressed(training, &code)?;
        return fit_joint(training, code, codewords, params, true);
    }
    let codes = vec![CodeTerms::by_codewords(training, code)?];
    fit_posterior(training, codes, params, true)
}

/// A combination of terms by their positions, with the code that it has.
struct Form {
    terms: Vec<usize>,
    code: Option<usize>,
}

/// A posterior of classifiers, unless there are none, and at most one of the codes.
///
/// Without classifiers independent labels have the log-odds of their frequency in the training rows.
pub(super) fn fit_posterior(
    training: &Training<'_>,
    mut codes: Vec<CodeTerms>,
    params: &DecodingParams,
    classifiers: bool,
) -> Result<Fitted> {
    let labels = training.labels();
    check_code_labels(labels.count())?;
    let (terms, forms) = terms_and_forms(training, &codes, params, classifiers)?;
    let weight = |learnt: &LearntTerm| match learnt.term {
        Term::Labels(_) => params.lambda,
        _ => 1.0,
    };
    let fit = PosteriorFit {
        columns: training.features().columns(),
        labels,
        forms: forms.iter().map(|form| form.terms.clone()).collect(),
        fixed_log_odds: (!classifiers).then(|| base_log_odds(labels)),
        candidates: params.candidates,
        weights: match params.weights {
            Weights::Fitted => WeightChoice::Fitted,
            Weights::Fixed => WeightChoice::Fixed(terms.iter().map(weight).collect()),
        },
        decision: params.decide,
        terms,
    };
    let found = fit.fit()?;
    // A posterior that left the code out still tells how it was found.
    let chosen = forms[found.form].code.unwrap_or(0);
    let code = (chosen < codes.len()).then(|| codes.swap_remove(chosen));
    let (code, codewords) = code.map(|own| (own.code, own.penalties)).unzip();
    let penalties = Penalties {
        classifiers: if classifiers {
            training.classifiers()?.penalty_shares()
        } else {
            Vec::new()
        },
        codewords: codewords.unwrap_or_default(),
    };
    let predictor = Predictor::new(found.model, found.posterior, code)?;
    let held_out = vec![HeldOutOutputs::Known(found.held_out)];
    Ok(Fitted::new(predictor, penalties, held_out).with_posterior(found.record))
}

/// All terms, and the combinations of them that are allowed, the simplest first.
fn terms_and_forms(
    training: &Training<'_>,
    codes: &[CodeTerms],
    params: &DecodingParams,
    classifiers: bool,
) -> Result<(Vec<LearntTerm>, Vec<Form>)> {
    let mut terms = Vec::new();
    if classifiers {
        terms.push(LabelOdds::learn(training)?);
    }
    let shared: Vec<usize> = (0..terms.len()).collect();
    let mut of_codes = Vec::new();
    for own in codes {
        of_codes.push(terms.len()..terms.len() + own.terms.len());
        terms.extend(own.terms.iter().cloned());
    }
    let frequency = terms.len();
    terms.push(Frequency::learn(training.labels()));

    let asked = match (params.terms, params.weights) {
        (Terms::Auto, Weights::Fixed) => Terms::Code,
        (asked, _) => asked,
    };
    let allowed = |form| asked == Terms::Auto || asked == form;
    let mut forms = Vec::new();
    if classifiers && (allowed(Terms::Labels) || codes.is_empty()) {
        let terms = shared.clone();
        forms.push(Form { terms, code: None });
    }
    for (code, own) in of_codes.into_iter().enumerate() {
        let mut terms = shared.clone();
        terms.extend(own);
        let code = Some(code);
        // A code of no directions has no term, so that frequencies may be all there is.
        let (has_code, is_empty) = (terms.len() > shared.len(), terms.is_empty());
        if allowed(Terms::Code) && (has_code || asked == Terms::Code && !is_empty) {
            let terms = terms.clone();
            forms.push(Form { terms, code });
        }
        if allowed(Terms::Frequency) || is_empty {
            terms.push(frequency);
            forms.push(Form { terms, code });
        }
    }
    Ok((terms, forms))
}
