//! From learnt terms to a posterior: weights, and which terms enter.
//!
//! Every combination of terms that is allowed, a *form*, gets its weights by held-out likelihood. Its decisions for the
//! training rows, each as if it were new, are scored by the measure that was asked for. The simplest form whose score is
//! within one standard error of the best is chosen. The standard error is that of the difference of two scores on the same
//! rows, by a jackknife over groups of rows, so that it holds for every measure.

use super::candidates::{CandidateSets, Candidates};
use super::confidence::Recalibration;
use super::independence::independent_share;
use super::record::{FormRecord, PosteriorRecord, TermRecord};
use super::rows::{HeldOutRows, mixed};
use super::thresholds::Thresholds;
use super::unseen::unseen_mass;
use super::weights::{FittedWeights, OwnSets, TermScores, likeliest_weights};
use super::{Decision, Posterior, WeightedTerm};
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::evidence::LearntTerm;
use crate::learn::LinearModel;
use crate::metrics::{Evaluation, Metric};
use crate::settings::Named;

/// Sums over label sets that a pass over the training rows may take; if there are more rows, evenly spaced ones are used.
const MOST_SUMS: usize = 1 << 31;
/// Groups of rows of the jackknife.
const GROUPS: usize = 20;

/// Where weights come from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WeightChoice {
    /// By the likelihood of held-out rows.
    Fitted,
    /// One weight for each learnt term.
    Fixed(Vec<f64>),
}

/// What a posterior is fitted from.
#[derive(Debug)]
pub(crate) struct PosteriorFit<'a> {
    /// Number of feature columns.
    pub(crate) columns: usize,
    pub(crate) labels: &'a Labels,
    pub(crate) terms: Vec<LearntTerm>,
    /// Combinations of terms by their positions, the simplest first.
    pub(crate) forms: Vec<Vec<usize>>,
    /// Log-odds of independent labels, if no term has classifiers.
    pub(crate) fixed_log_odds: Option<Vec<f64>>,
    pub(crate) candidates: CandidateSets,
    pub(crate) weights: WeightChoice,
    pub(crate) decision: Decision,
}

/// A fitted posterior.
#[derive(Debug)]
pub(crate) struct FittedPosterior {
    pub(crate) posterior: Posterior,
    /// The outputs that it decodes.
    pub(crate) model: LinearModel,
    /// These outputs for the training rows, held out.
    pub(crate) held_out: Matrix,
    /// Which form was chosen.
    pub(crate) form: usize,
    pub(crate) record: PosteriorRecord,
}

/// A form with candidates, its weights, and its decisions for the training rows.
struct Trial {
    form: Vec<usize>,
    posterior: Posterior,
    fitted: FittedWeights,
    predicted: Labels,
    score: f64,
}

impl PosteriorFit<'_> {
    pub(crate) fn fit(self) -> Result<FittedPosterior> {
        let rows = self.rows_looked_at();
        let truth = self.labels.select_rows(&rows);
        let candidates = self.candidate_sets()?;
        let scores = self.term_scores(&candidates);
        let own = own_sets(&candidates, self.labels);
        let mut trials = Vec::new();
        for form in &self.forms {
            trials.push(self.try_form(form, &candidates, &scores, &own, &rows, &truth)?);
        }
        let records = self.compare(&trials, &truth)?;
        let chosen = records.iter().position(|form| form.chosen).unwrap_or(0);
        let trial = trials.swap_remove(chosen);
        let record = self.record(&trial, records)?;
        let nothing = LinearModel::new(Matrix::zeros(self.columns, 0), Vec::new())?;
        let own = trial.form.iter();
        let own = own.filter_map(|&term| self.terms[term].model.as_ref());
        let models: Vec<&LinearModel> = [&nothing].into_iter().chain(own).collect();
        Ok(FittedPosterior {
            model: LinearModel::concatenated(&models)?,
            held_out: self.held_out(&trial.form)?,
            form: chosen,
            posterior: trial.posterior,
            record,
        })
    }

    /// The candidates. If every row has a set of its own, the sets of the rows say nothing about those of new rows, and
    /// there is none.
    fn candidate_sets(&self) -> Result<Candidates> {
        let seen = Candidates::seen(self.labels);
        match self.candidates {
            CandidateSets::All => Candidates::all(&seen),
            CandidateSets::Seen if seen.counts().iter().all(|&count| count == 1) => {
                Ok(Candidates::seen(&Labels::empty(self.labels.count())))
            }
            CandidateSets::Seen => Ok(seen),
        }
    }

    /// Evenly spaced rows.
    fn rows_looked_at(&self) -> Vec<usize> {
        let rows = self.labels.rows();
        let sums = self.labels.total().max(1);
        let count = rows.min((MOST_SUMS / sums).max(1));
        (0..count).map(|index| index * rows / count).collect()
    }

    /// What each term says about the candidates of the training rows.
    fn term_scores(&self, candidates: &Candidates) -> Vec<TermScores> {
        let counts = candidates.counts();
        let of_term = |learnt: &LearntTerm| TermScores {
            labels: learnt.term.of_labels(learnt.held_out.clone()),
            sets: (0..candidates.len())
                .map(|set| learnt.term.of_set(candidates.sets().row(set), counts[set]))
                .collect(),
            own_row: counts
                .iter()
                .map(|&count| {
                    if count == 0 {
                        0.0
                    } else {
                        learnt.term.of_own_row(count)
                    }
                })
                .collect(),
        };
        self.terms.iter().map(of_term).collect()
    }

    fn try_form(
        &self,
        form: &[usize],
        candidates: &Candidates,
        scores: &[TermScores],
        own: &OwnSets,
        rows: &[usize],
        truth: &Labels,
    ) -> Result<Trial> {
        let fitted = self.weigh(form, candidates, scores, own)?;
        let terms = form
            .iter()
            .zip(&fitted.weights)
            .map(|(&term, &weight)| WeightedTerm {
                term: self.terms[term].term.clone(),
                weight,
            });
        let unseen = if candidates.are_all() {
            0.0
        } else {
            unseen_mass(candidates.counts())
        };
        let posterior = Posterior::new(
            candidates.clone(),
            terms.collect(),
            self.fixed_log_odds.clone(),
            unseen,
        )?;
        let outputs = self.held_out(form)?.view().select_rows(rows);
        let posterior = posterior.with_decision(self.decision);
        let held_out = posterior.held_out_rows(&outputs, truth)?;
        let posterior = posterior.calibrated(&held_out, truth);
        let predicted = match self.decision {
            Decision::Subset => held_out.likeliest,
            _ => posterior.decode_held_out(&outputs, truth)?.labels,
        };
        Ok(Trial {
            form: form.to_vec(),
            score: score(self.decision, truth, &predicted)?,
            posterior,
            fitted,
            predicted,
        })
    }

    fn weigh(
        &self,
        form: &[usize],
        candidates: &Candidates,
        scores: &[TermScores],
        own: &OwnSets,
    ) -> Result<FittedWeights> {
        let given = match &self.weights {
            WeightChoice::Fixed(weights) => Some(weights.as_slice()),
            WeightChoice::Fitted if own.0.is_empty() => None,
            WeightChoice::Fitted => {
                let terms: Vec<&TermScores> = form.iter().map(|&term| &scores[term]).collect();
                return likeliest_weights(&terms, candidates, own);
            }
        };
        Ok(FittedWeights {
            weights: form
                .iter()
                .map(|&term| given.map_or(1.0, |w| w[term]))
                .collect(),
            log_likelihood: 0.0,
            gap: 0.0,
        })
    }

    fn held_out(&self, form: &[usize]) -> Result<Matrix> {
        let parts: Vec<&Matrix> = form
            .iter()
            .map(|&term| &self.terms[term].held_out)
            .collect();
        Matrix::hstack(&parts)
    }

    /// Compares each trial with the best, and marks the simplest that is about as good.
    fn compare(&self, trials: &[Trial], truth: &Labels) -> Result<Vec<FormRecord>> {
        let best = (0..trials.len()).reduce(|best, next| {
            if trials[next].score > trials[best].score {
                next
            } else {
                best
            }
        });
        let best = &trials[best.unwrap_or(0)];
        let mut records = Vec::with_capacity(trials.len());
        for trial in trials {
            let names = trial.posterior.weights().map(|(name, _)| name.to_owned());
            let deficit = best.score - trial.score;
            let stderr = self.stderr(truth, &best.predicted, &trial.predicted)?;
            records.push(FormRecord {
                terms: names.collect(),
                score: trial.score,
                deficit,
                stderr,
                chosen: false,
            });
        }
        let simplest = records.iter_mut().find(|form| form.deficit <= form.stderr);
        simplest.into_iter().for_each(|form| form.chosen = true);
        Ok(records)
    }

    /// The standard error of the difference of two scores on the same rows.
    fn stderr(&self, truth: &Labels, first: &Labels, second: &Labels) -> Result<f64> {
        let groups = GROUPS.min(truth.rows());
        let mut differences = Vec::with_capacity(groups);
        for group in 0..groups {
            let kept: Vec<usize> = (0..truth.rows())
                .filter(|row| row % groups != group)
                .collect();
            if kept.is_empty() {
                return Ok(0.0);
            }
            let truth = truth.select_rows(&kept);
            let of =
                |predicted: &Labels| score(self.decision, &truth, &predicted.select_rows(&kept));
            differences.push(of(first)? - of(second)?);
        }
        let count = groups as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
        Ok(((count - 1.0) / count * squares).sqrt())
    }

    fn record(&self, trial: &Trial, forms: Vec<FormRecord>) -> Result<PosteriorRecord> {
        let candidates = &trial.posterior.candidates;
        let scores = self.term_scores(candidates);
        let own = own_sets(candidates, self.labels);
        let fits = self.weights == WeightChoice::Fitted && !own.0.is_empty();
        let mut terms = Vec::with_capacity(trial.form.len());
        for (index, (name, weight)) in trial.posterior.weights().enumerate() {
            let mut others = trial.form.clone();
            others.remove(index);
            let worth = if fits {
                let without = self.weigh(&others, candidates, &scores, &own)?;
                trial.fitted.log_likelihood - without.log_likelihood
            } else {
                0.0
            };
            terms.push(TermRecord {
                name: name.into(),
                weight,
                worth,
            });
        }
        Ok(PosteriorRecord {
            decide: self.decision,
            candidates: trial.posterior.candidate_sets().name().into(),
            sets: candidates.len(),
            unseen_mass: trial.posterior.unseen,
            independent_share: trial.posterior.independent,
            terms,
            rows: if fits { own.0.len() } else { 0 },
            log_likelihood: trial.fitted.log_likelihood,
            gap: trial.fitted.gap,
            forms: if forms.len() > 1 { forms } else { Vec::new() },
        })
    }
}

impl Posterior {
    /// The same with the confidence, the thresholds and the share of independent labels that suit training rows.
    fn calibrated(self, rows: &HeldOutRows, truth: &Labels) -> Self {
        let right = truth.iter().zip(rows.likeliest.iter());
        let right: Vec<bool> = right.map(|(own, found)| own == found).collect();
        let recalibration = Recalibration::fit(&rows.of_likeliest, &right);
        let (seen, odds) = (&rows.among_candidates, &rows.log_odds);
        let independent = match self.candidates.len() {
            0 => 1.0,
            _ => independent_share(seen, odds, truth, self.unseen),
        };
        let marginal = |i, j| mixed(seen[(i, j)], odds[(i, j)], independent);
        let marginals = Matrix::from_fn(seen.rows(), seen.columns(), marginal);
        Self {
            thresholds: Thresholds::choose(&marginals, truth),
            recalibration,
            independent,
            ..self
        }
    }
}

/// The rows that say something about weights: those whose set would be a candidate without them.
fn own_sets(candidates: &Candidates, labels: &Labels) -> OwnSets {
    let own = labels.iter().enumerate().filter_map(|(row, set)| {
        let position = candidates.position(set)?;
        let is_kept = candidates.are_all() || candidates.counts()[position] > 1;
        is_kept.then_some((row, position))
    });
    OwnSets(own.collect())
}

/// The measure of a decision, higher being better.
fn score(decision: Decision, truth: &Labels, predicted: &Labels) -> Result<f64> {
    let metric = decision.metric();
    let value = Evaluation::of(truth, predicted, None, None)?.get(metric);
    let value = value.expect("metrics of label sets are always computed");
    Ok(if metric == Metric::HammingLoss {
        -value
    } else {
        value
    })
}
