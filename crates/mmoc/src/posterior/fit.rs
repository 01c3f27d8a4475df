//! From learnt terms to a posterior: weights, and which terms enter.
//!
//! Every combination of terms that is allowed, a *form*, gets its weights by held-out likelihood. Its decisions for the
//! training rows, each as if it were new, are scored by the measure that was asked for. Forms whose score is within one
//! standard error of the best are *good*. Of these the simplest is chosen whose likelihood is within one standard error of
//! that of the likeliest good form: few rows change their decision between two forms, while all rows speak by their
//! likelihood. The standard error is that of the difference on the same rows: for likelihoods from the rows, for scores by
//! a jackknife over groups of rows, so that it holds for every measure.

use super::candidates::Candidates;
use super::confidence::Recalibration;
use super::independence::independent_share;
use super::record::{FormRecord, PosteriorRecord, TermRecord};
use super::rows::{HeldOutRows, mixed};
use super::thresholds::Thresholds;
use super::unseen::unseen_mass;
use super::weights::{FittedWeights, OwnSets, TermScores, likeliest_weights};
use super::{Decision, Posterior, WeightedTerm};
use crate::Result;
use crate::data::{Labels, Matrix, SelectedTargets, Targets};
use crate::decode::Outputs;
use crate::evidence::LearntTerm;
use crate::metrics::{Evaluation, Metric};
use crate::settings::Named;

/// Sums over label sets that a pass over the training rows may take; if there are more rows, evenly spaced ones are used.
const MOST_SUMS: usize = 1 << 31;
/// Scores of label sets that weights are fitted to; if there are more, rows are evenly spaced ones.
const MOST_SCORES: usize = 1 << 22;
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
    pub(crate) targets: Targets<'a>,
    pub(crate) terms: Vec<LearntTerm>,
    /// Combinations of terms by their positions, the simplest first.
    pub(crate) forms: Vec<Vec<usize>>,
    /// Log-odds of independent labels, if no term has classifiers.
    pub(crate) fixed_log_odds: Option<Vec<f64>>,
    pub(crate) candidates: Candidates,
    pub(crate) weights: WeightChoice,
    pub(crate) decision: Decision,
}

/// A fitted posterior.
#[derive(Debug)]
pub(crate) struct FittedPosterior {
    pub(crate) posterior: Posterior,
    /// The outputs of the training rows, held out.
    pub(crate) held_out: Outputs,
    /// Which form was chosen.
    pub(crate) form: usize,
    pub(crate) record: PosteriorRecord,
}

/// A form with its weights, and its decisions for the training rows.
struct Trial {
    form: Vec<usize>,
    posterior: Posterior,
    fitted: FittedWeights,
    predicted: Labels,
    score: f64,
}

/// What is the same for all forms.
struct Rows<'a> {
    /// What each term says about the candidates.
    scores: Vec<TermScores<'a>>,
    /// The rows that weights are fitted to.
    own: OwnSets,
    /// The rows whose decisions are scored, and their sets.
    looked_at: Vec<usize>,
    truth: SelectedTargets,
}

impl PosteriorFit<'_> {
    pub(crate) fn fit(&self) -> Result<FittedPosterior> {
        let rows = self.rows();
        let mut trials: Vec<Trial> = Vec::new();
        for form in &self.forms {
            let start = start(form, &trials);
            trials.push(self.try_form(form, start, &rows)?);
        }
        let records = self.compare(&trials, rows.truth.view())?;
        let chosen = records.iter().position(|form| form.chosen).unwrap_or(0);
        let trial = trials.swap_remove(chosen);
        Ok(FittedPosterior {
            held_out: self.held_out(&trial.form)?,
            form: chosen,
            record: self.record(&trial, records, &rows)?,
            posterior: trial.posterior,
        })
    }

    /// The position of the likeliest of some forms, the first of several.
    pub(crate) fn likeliest_form(&self) -> Result<usize> {
        let rows = self.rows();
        let mut best = (0, f64::NEG_INFINITY);
        for (position, form) in self.forms.iter().enumerate() {
            let found = self.weigh(form, vec![1.0; form.len()], &rows)?;
            if found.log_likelihood > best.1 {
                best = (position, found.log_likelihood);
            }
        }
        Ok(best.0)
    }

    fn rows(&self) -> Rows<'_> {
        let looked_at = self.rows_looked_at();
        Rows {
            scores: self.term_scores(),
            own: own_sets(&self.candidates, self.targets),
            truth: self.targets.select_rows(&looked_at),
            looked_at,
        }
    }

    /// Evenly spaced rows.
    fn rows_looked_at(&self) -> Vec<usize> {
        let labels = self.targets.labels();
        let (rows, sums) = (labels.rows(), labels.total().max(1));
        spaced(rows, MOST_SUMS / sums).collect()
    }

    /// What each term says about the candidates of the training rows.
    fn term_scores(&self) -> Vec<TermScores<'_>> {
        let (sets, counts) = (self.candidates.sets(), self.candidates.counts());
        let of_term = |learnt| -> TermScores<'_> {
            let LearntTerm {
                term,
                held_out,
                of_candidates,
                ..
            }: &LearntTerm = learnt;
            let own_row = |&count: &usize| {
                if count == 0 {
                    0.0
                } else {
                    term.of_own_row(count)
                }
            };
            let of_set = |set| term.of_set(sets.row(set), counts[set]);
            TermScores {
                labels: term.of_labels(held_out.clone()),
                candidates: of_candidates.as_ref(),
                sets: (0..self.candidates.len()).map(of_set).collect(),
                own_row: counts.iter().map(own_row).collect(),
            }
        };
        self.terms.iter().map(of_term).collect()
    }

    fn try_form(&self, form: &[usize], start: Vec<f64>, rows: &Rows<'_>) -> Result<Trial> {
        let fitted = self.weigh(form, start, rows)?;
        let terms = form.iter().zip(&fitted.weights);
        let terms = terms.map(|(&term, &weight)| WeightedTerm {
            term: self.terms[term].term.clone(),
            weight,
        });
        let unseen = if self.candidates.are_all() {
            0.0
        } else {
            unseen_mass(self.candidates.counts())
        };
        let (candidates, odds) = (self.candidates.clone(), self.fixed_log_odds.clone());
        let posterior = Posterior::new(candidates, terms.collect(), odds, unseen)?;
        let outputs = self.held_out(form)?.select_rows(&rows.looked_at);
        let posterior = posterior.with_decision(self.decision);
        let truth = rows.truth.view();
        let held_out = posterior.held_out_rows(&outputs, truth.labels())?;
        let posterior = posterior.calibrated(&held_out, truth);
        let predicted = match self.decision {
            Decision::Subset => held_out.likeliest,
            _ => posterior.decode_held_out(&outputs, truth.labels())?.labels,
        };
        Ok(Trial {
            form: form.to_vec(),
            score: score(self.decision, truth, &predicted)?,
            posterior,
            fitted,
            predicted,
        })
    }

    fn weigh(&self, form: &[usize], start: Vec<f64>, rows: &Rows<'_>) -> Result<FittedWeights> {
        let weights = match &self.weights {
            WeightChoice::Fixed(weights) => form.iter().map(|&term| weights[term]).collect(),
            WeightChoice::Fitted if rows.own.rows.is_empty() => vec![1.0; form.len()],
            WeightChoice::Fitted => {
                let scores = &rows.scores;
                let terms: Vec<&TermScores<'_>> = form.iter().map(|&term| &scores[term]).collect();
                return likeliest_weights(&terms, &self.candidates, &rows.own, start);
            }
        };
        Ok(FittedWeights {
            weights,
            of_rows: Vec::new(),
            row_weights: None,
            log_likelihood: 0.0,
            gap: 0.0,
        })
    }

    fn held_out(&self, form: &[usize]) -> Result<Outputs> {
        let terms = || form.iter().map(|&term| &self.terms[term]);
        let numbers: Vec<&Matrix> = terms().map(|own| &own.held_out).collect();
        let of_sets = terms().filter_map(|own| own.of_candidates.as_ref());
        Outputs::side_by_side(&numbers, of_sets)
    }

    /// Compares each trial with the best, and marks the simplest that is about as good.
    fn compare(&self, trials: &[Trial], truth: Targets<'_>) -> Result<Vec<FormRecord>> {
        let best = best_of(trials.iter(), |trial| trial.score);
        let mut records = Vec::with_capacity(trials.len());
        for trial in trials {
            let names = trial.posterior.weights().map(|(name, _)| name.to_owned());
            records.push(FormRecord {
                terms: names.collect(),
                score: trial.score,
                deficit: best.score - trial.score,
                stderr: self.stderr(truth, &best.predicted, &trial.predicted)?,
                log_likelihood: trial.fitted.log_likelihood,
                chosen: false,
            });
        }
        let is_good = |form: &FormRecord| form.deficit <= form.stderr;
        let good = trials
            .iter()
            .zip(&records)
            .filter(|(_, form)| is_good(form));
        let likeliest = best_of(good.map(|(trial, _)| trial), |trial| {
            trial.fitted.log_likelihood
        });
        let pairs = trials.iter().zip(&mut records);
        let mut suitable = pairs.filter(|(trial, form)| {
            is_good(form) && trial.fitted.is_about_as_likely_as(&likeliest.fitted)
        });
        let (_, simplest) = suitable
            .next()
            .expect("the likeliest good form is suitable");
        simplest.chosen = true;
        Ok(records)
    }

    /// The standard error of the difference of two scores on the same rows.
    fn stderr(&self, truth: Targets<'_>, first: &Labels, second: &Labels) -> Result<f64> {
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
            let of = |predicted: &Labels| {
                score(self.decision, truth.view(), &predicted.select_rows(&kept))
            };
            differences.push(of(first)? - of(second)?);
        }
        let count = groups as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
        Ok(((count - 1.0) / count * squares).sqrt())
    }

    fn record(
        &self,
        trial: &Trial,
        forms: Vec<FormRecord>,
        rows: &Rows<'_>,
    ) -> Result<PosteriorRecord> {
        let fits = self.weights == WeightChoice::Fitted && !rows.own.rows.is_empty();
        let mut terms = Vec::with_capacity(trial.form.len());
        for (index, (name, weight)) in trial.posterior.weights().enumerate() {
            let worth = if fits {
                let (mut others, mut start) = (trial.form.clone(), trial.fitted.weights.clone());
                others.remove(index);
                start.remove(index);
                let without = self.weigh(&others, start, rows)?;
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
            sets: self.candidates.len(),
            unseen_mass: trial.posterior.unseen,
            independent_share: trial.posterior.independent,
            terms,
            rows: if fits { rows.own.rows.len() } else { 0 },
            log_likelihood: trial.fitted.log_likelihood,
            gap: trial.fitted.gap,
            forms: if forms.len() > 1 { forms } else { Vec::new() },
            features: None,
        })
    }
}

impl Posterior {
    /// The same with the confidence, the thresholds and the share of independent labels that suit training rows.
    fn calibrated(self, rows: &HeldOutRows, truth: Targets<'_>) -> Self {
        let right = truth.labels().iter().zip(rows.likeliest.iter());
        let right: Vec<bool> = right.map(|(own, found)| own == found).collect();
        let recalibration = Recalibration::fit(&rows.of_likeliest, &right, truth.weights());
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

impl FittedWeights {
    /// Whether the likelihood of the rows is within one standard error of that of the likeliest.
    fn is_about_as_likely_as(&self, likeliest: &Self) -> bool {
        let rows = self.of_rows.len() as f64;
        let deficit = likeliest.log_likelihood - self.log_likelihood;
        let pairs = likeliest.of_rows.iter().zip(&self.of_rows);
        let squares = pairs.map(|(a, b)| (a - b - deficit).powi(2));
        let squares: f64 = match &self.row_weights {
            None => squares.sum(),
            Some(weights) => squares.zip(weights).map(|(square, w)| w * w * square).sum(),
        };
        deficit <= 0.0 || deficit * deficit <= squares / (rows * (rows - 1.0))
    }
}

/// The trial of the highest value, the first of several.
fn best_of<'a>(
    trials: impl Iterator<Item = &'a Trial>,
    value: impl Fn(&Trial) -> f64,
) -> &'a Trial {
    let better = |best, next| {
        if value(next) > value(best) {
            next
        } else {
            best
        }
    };
    trials.reduce(better).expect("there is at least one form")
}

/// The weights that the search for those of a form begins with: for terms of an earlier form its weights.
fn start(form: &[usize], earlier: &[Trial]) -> Vec<f64> {
    let shared = |trial: &&Trial| trial.form.iter().filter(|term| form.contains(term)).count();
    let nearest = earlier.iter().max_by_key(shared);
    let weight = |term: &usize| {
        let trial = nearest?;
        let position = trial.form.iter().position(|own| own == term)?;
        Some(trial.fitted.weights[position])
    };
    let fresh = if nearest.is_some() { 0.1 } else { 1.0 };
    form.iter()
        .map(|term| weight(term).unwrap_or(fresh))
        .collect()
}

/// At most so many of some rows, at least one, evenly spaced.
fn spaced(rows: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = rows.min(most.max(1));
    (0..count).map(move |index| index * rows / count)
}

/// The rows that say something about weights: those whose set would be a candidate without them, evenly spaced ones if
/// there are many.
fn own_sets(candidates: &Candidates, targets: Targets<'_>) -> OwnSets {
    let own = targets
        .labels()
        .iter()
        .enumerate()
        .filter_map(|(row, set)| {
            let position = candidates.position(set)?;
            let is_kept = candidates.are_all() || candidates.counts()[position] > 1;
            is_kept.then_some((row, position))
        });
    let own: Vec<(usize, usize)> = own.collect();
    let most = MOST_SCORES / candidates.len().max(1);
    let rows: Vec<(usize, usize)> = spaced(own.len(), most).map(|index| own[index]).collect();
    let weight = |&(row, _): &(usize, usize)| targets.weight(row);
    OwnSets {
        weights: targets.weights().map(|_| rows.iter().map(weight).collect()),
        rows,
    }
}

/// The measure of a decision, higher being better.
fn score(decision: Decision, truth: Targets<'_>, predicted: &Labels) -> Result<f64> {
    let metric = decision.metric();
    let value = Evaluation::of(truth, predicted, None, None)?.get(metric);
    let value = value.expect("metrics of label sets are always computed");
    Ok(if metric == Metric::HammingLoss {
        -value
    } else {
        value
    })
}
