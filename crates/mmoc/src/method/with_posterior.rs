//! Fits of posteriors over label sets: the terms that a method has, and which of them may enter.

use super::coded::fit_joint;
use super::codewords::{Codewords, penalties};
use super::decoding::{DecodingParams, Weights};
use super::feature_space::FeatureSpaces;
use super::fitted::{Fitted, Penalties};
use super::forms::{SpaceTerms, TermTable};
use super::{Predictor, TermKind, Terms};
use crate::Result;
use crate::code::Code;
use crate::decode::check_code_labels;
use crate::evidence::{
    CodeError, FeatureSpace, ForestVotes, Frequency, LabelOdds, LearntTerm, Neighbours, Term,
    base_log_odds,
};
use crate::learn::forest::ForestParams;
use crate::learn::{FeatureChoice, Training};
use crate::posterior::{Candidates, GivenEvidence, GivenKind, PosteriorFit, WeightChoice};

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
        let codewords = training.regress(&code.targets())?;
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
    code_of: impl Fn(&Training<'_>) -> Result<Code>,
    params: &DecodingParams,
) -> Result<Fitted> {
    if params.is_of_paper() {
        let code = code_of(training)?;
        let codewords = Codewords::regressed(training, &code)?;
        return fit_joint(training, code, codewords, params, true);
    }
    let evidence = EvidenceSources {
        params,
        features: training.params().features,
        classifiers: true,
        codes: &|training| Ok(vec![CodeTerms::by_codewords(training, code_of(training)?)?]),
    };
    evidence.fit_posterior(training)
}

/// Where the terms of a posterior come from.
pub(super) struct EvidenceSources<'a> {
    pub(super) params: &'a DecodingParams,
    pub(super) features: FeatureChoice,
    /// Whether there are classifiers. Without them independent labels have the log-odds of their frequency in the training
    /// rows.
    pub(super) classifiers: bool,
    /// The codes to choose from, learnt from training rows in a feature space.
    pub(super) codes: &'a dyn Fn(&Training<'_>) -> Result<Vec<CodeTerms>>,
}

/// The linear models that a posterior needs.
#[derive(Clone, Copy)]
struct LinearModels {
    labels: bool,
    code: bool,
}

impl LinearModels {
    fn are_any(self) -> bool {
        self.labels || self.code
    }
}

/// Stored features of all trees up to which a forest is tried without being asked for. 200 trees of bibtex have 7·10⁷ and took
/// six seconds of one core.
const MOST_FOREST_WORK: f64 = 8e8;

/// Whether a forest costs little enough to be tried.
pub(super) fn is_forest_affordable(training: &Training<'_>, trees: usize) -> bool {
    training.features().stored_values().len() as f64 * trees as f64 <= MOST_FOREST_WORK
}

impl EvidenceSources<'_> {
    /// A posterior of the terms that were asked for, or that training rows choose.
    pub(super) fn fit_posterior(&self, training: &Training<'_>) -> Result<Fitted> {
        let labels = training.labels();
        check_code_labels(labels.count())?;
        let candidates = Candidates::of(self.params.candidates, labels)?;
        let models = self.models(&candidates);
        let features = match self.features {
            _ if !models.are_any() || training.is_partitioned() => FeatureChoice::Linear,
            // With nothing to weigh, labels are independent.
            FeatureChoice::Auto if candidates.len() < 2 => FeatureChoice::Linear,
            chosen => chosen,
        };
        let spaces = FeatureSpaces::choose(training, features)?;
        let mapped = spaces.mapped(training)?;
        let mut table = TermTable::default();
        if spaces.has_linear {
            table.add_space(self.of_space(training, FeatureSpace::Linear, models)?);
        }
        if let Some(mapped) = &mapped {
            table.add_space(self.of_space(mapped, FeatureSpace::Kernel, models)?);
        }
        table.frequency = Some(table.add(Frequency::learn(labels)));
        self.add_terms_of_sets(&mut table, training, &candidates)?;
        for given in training.given() {
            let position = table.add(given.learn(training.targets())?);
            table.given.push(position);
        }
        let terms = self.terms();
        let are_odds = |given: &GivenEvidence| given.kind() == GivenKind::LogOdds;
        let classifiers =
            models.labels || !terms.are_chosen() && training.given().iter().any(are_odds);
        let mut fit = PosteriorFit {
            targets: training.targets(),
            forms: Vec::new(),
            fixed_log_odds: (!classifiers).then(|| base_log_odds(training.targets())),
            candidates,
            weights: self.weights(&table.terms),
            decision: self.params.decide,
            terms: std::mem::take(&mut table.terms),
        };
        for space in 0..table.spaces.len() {
            fit.forms = table.code_forms(space);
            table.spaces[space].chosen = fit.likeliest_form()?;
        }
        let forms = table.forms(terms);
        fit.forms = forms.iter().map(|form| form.terms.clone()).collect();
        training.stage("fitting the posterior");
        let mut found = fit.fit()?;
        let form = &forms[found.form];
        found.record.features = spaces.record(form);
        let (code, codewords) = table.code_of(form).unzip();
        let penalties = Penalties {
            classifiers: match (self.classifiers && models.are_any(), &mapped) {
                (false, _) => Vec::new(),
                (true, Some(mapped)) if !spaces.has_linear => {
                    mapped.classifiers()?.penalty_shares()
                }
                (true, _) => training.classifiers()?.penalty_shares(),
            },
            codewords: codewords.unwrap_or_default(),
        };
        let columns = training.features().columns();
        let (linear, kernel) = spaces.models(columns, &fit.terms, form)?;
        let predictor = Predictor::with_kernel(linear, kernel, found.posterior, code)?;
        let fitted = Fitted::decoded(predictor, penalties, found.held_out);
        let fitted = fitted.with_posterior(found.record);
        let own = mapped.and_then(|mapped| mapped.logistic_record(mapped.settle_usage()));
        Ok(match own {
            Some(record) => fitted.with_record(record),
            None => fitted,
        })
    }

    /// The terms that may enter. With fixed weights nothing can be chosen by likelihood: eq. (15) has labels and code.
    fn terms(&self) -> Terms {
        match self.params.weights {
            Weights::Fixed if self.params.terms.are_chosen() => {
                Terms::of(&[TermKind::Labels, TermKind::Code])
            }
            _ => self.params.terms,
        }
    }

    /// Which linear models are learnt. A code weighs candidates against each other, so it needs some.
    fn models(&self, candidates: &Candidates) -> LinearModels {
        let terms = self.terms();
        LinearModels {
            labels: self.classifiers && terms.allow(TermKind::Labels),
            code: terms.allow(TermKind::Code) && candidates.len() > 0,
        }
    }

    /// The terms of linear models in a feature space.
    fn of_space(
        &self,
        training: &Training<'_>,
        space: FeatureSpace,
        models: LinearModels,
    ) -> Result<SpaceTerms> {
        let labels = models.labels.then(|| LabelOdds::learn(training));
        let mut codes = if models.code {
            (self.codes)(training)?
        } else {
            Vec::new()
        };
        for code in &mut codes {
            let terms = std::mem::take(&mut code.terms).into_iter();
            code.terms = terms.map(|term| term.in_space(space)).collect();
        }
        Ok(SpaceTerms {
            labels: labels.transpose()?.map(|term| term.in_space(space)),
            codes,
        })
    }

    /// The terms about whole label sets.
    fn add_terms_of_sets(
        &self,
        table: &mut TermTable,
        training: &Training<'_>,
        candidates: &Candidates,
    ) -> Result<()> {
        if training.is_partitioned() {
            return Ok(());
        }
        let Some(sets) = candidates.classes(training.labels()) else {
            return Ok(());
        };
        let terms = self.terms();
        if terms.allow(TermKind::Neighbours) {
            training.stage("finding neighbours");
            table.neighbours = Some(table.add(Neighbours::learn(training, &sets)?));
        }
        let params = ForestParams {
            trees: self.params.trees,
        };
        if terms.asks_for(TermKind::Forest)
            || terms.allow(TermKind::Forest) && is_forest_affordable(training, params.trees)
        {
            training.stage("growing a forest");
            table.forest = Some(table.add(ForestVotes::learn(training, &sets, &params)?));
        }
        Ok(())
    }

    fn weights(&self, terms: &[LearntTerm]) -> WeightChoice {
        let weight = |learnt: &LearntTerm| match learnt.term {
            Term::Labels(_) | Term::KernelLabels(_) => self.params.lambda,
            _ => 1.0,
        };
        match self.params.weights {
            Weights::Fitted => WeightChoice::Fitted,
            Weights::Fixed => WeightChoice::Fixed(terms.iter().map(weight).collect()),
        }
    }
}
