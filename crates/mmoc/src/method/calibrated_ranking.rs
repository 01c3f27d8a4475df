//! CLR: calibrated label ranking (Fürnkranz, Hüllermeier, Loza Mencía & Brinker 2008).
//!
//! One classifier for each pair of labels says which of the two suits a row better. A virtual label stands between
//! the labels of a row and the others, so that the classifier of label j against the virtual label is the one that
//! distinguishes rows with j from rows without: the classifiers of binary relevance, which are shared. All q(q + 1)/2
//! classifiers vote, and the labels with more votes than the virtual one are predicted ([`CalibratedVotes`]).
//!
//! The classifier of a pair is fitted to the rows that carry exactly one of the two, by the same cross-validated
//! logistic regression as any other, and with a penalty of its own. Where these rows carry the same one of them, or
//! where there are none, it is the smoothed base rate `(k + ½)/(n + 1)`: always the same vote, or half a vote for each.
//!
//! Rows count by their weights. Rows in which one of the two labels is not known are left out. Balanced class weights
//! balance the two labels of a pair, and given ones weigh a row by the weight of the label that it carries.
//!
//! Each pair has a basis of its own rows. All pairs in the shared basis, with zero weight for the rows outside, would
//! be wider matrix products, but most rows carry neither label of a pair, and every product pays for them: on 300
//! rows of scene a pair has about 105, and its design is an eighth of the shared one.

use rayon::prelude::*;

use super::fitted::{Fitted, HeldOutOutputs, Penalties, SeenRows};
use super::{Predictor, Recipe};
use crate::data::{Labels, Matrix, Targets};
use crate::decode::{CalibratedVotes, DecoderName, Votes, pairs, pairs_of};
use crate::learn::logistic::{ClassWeight, LogisticRecord, OutOfFold, smoothed_log_odds};
use crate::learn::{LinearModel, Training};
use crate::settings::{Setting, Settings, setters};
use crate::{Error, Result, Seed};

/// Most coefficients that the pairs may have together: 4 GiB.
const MOST_COEFFICIENTS: usize = 1 << 29;

/// Calibrated label ranking with its parameters.
///
/// | name | default | range |
/// |---|---|---|
/// | `votes` | hard, as in the original | hard or soft |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CalibratedRanking {
    /// How much of a vote a classifier gives.
    pub votes: Votes,
}

setters!(CalibratedRanking {
    /// How much of a vote a classifier gives.
    votes: Votes = votes;
});

impl Settings for CalibratedRanking {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![Setting::choice(
            "votes",
            "one vote for the likelier label, or to each its probability",
            &mut self.votes,
        )]
    }
}

impl Recipe for CalibratedRanking {
    const NAME: &'static str = "clr";
    const TITLE: &'static str = "CLR";
    const SUMMARY: &'static str =
        "calibrated label ranking: a vote between each pair of labels and a virtual one";
    const DECODERS: &'static [&'static str] = &[CalibratedVotes::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels + pairs_of(labels)
    }

    fn leaves_unknown_out(&self) -> bool {
        true
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        check_coefficients(training)?;
        let against_virtual = training.classifiers()?;
        training.stage("fitting the classifiers of pairs of labels");
        let fits = each_pair(training, |pair, seed| pair.fit(training, seed))?;
        let mut record = LogisticRecord::default();
        fits.iter().for_each(|fit| record.merge(&fit.record));
        let pairs = model_of(&fits, training.features().columns())?;
        let outputs = LinearModel::concatenated(&[against_virtual.model(), &pairs])?;
        let decoder = CalibratedVotes::new(training.labels().count(), self.votes);
        let penalties = Penalties {
            classifiers: against_virtual.penalty_shares(),
            ..Penalties::default()
        };
        let seen: Option<Vec<SeenRows>> = fits.into_iter().map(|fit| fit.seen).collect();
        let pairs = seen.map_or_else(
            || HeldOutOutputs::unfitted(fit_folds),
            HeldOutOutputs::Partial,
        );
        let held_out = vec![HeldOutOutputs::Classifiers, pairs];
        let predictor = Predictor::new(outputs, decoder, None)?;
        Ok(Fitted::new(predictor, penalties, held_out).with_record(record))
    }
}

fn check_coefficients(training: &Training<'_>) -> Result<()> {
    let labels = training.labels().count();
    let coefficients = pairs_of(labels).saturating_mul(training.features().columns());
    if coefficients <= MOST_COEFFICIENTS {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: format!("at most {MOST_COEFFICIENTS} coefficients of pairs of labels"),
        found: format!("{coefficients} of {} pairs", pairs_of(labels)),
    })
}

/// The results of `work` for each pair with a seed of its own, in the order of pairs.
fn each_pair<T: Send>(
    training: &Training<'_>,
    work: impl Fn(&Pair, Seed) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let rows_by_label = training.labels().rows_by_label();
    let all: Vec<(usize, usize)> = pairs(training.labels().count()).collect();
    let seed = training.seed().named("label pairs");
    all.par_iter()
        .enumerate()
        .map(|(index, &(j, k))| {
            let pair = Pair::new(&rows_by_label[j], &rows_by_label[k]);
            let pair = pair.where_known(training.targets(), j, k);
            let pair = pair.with_weights(training, j, k);
            work(&pair, seed.numbered(index))
        })
        .collect()
}

/// The held-out outputs of all pairs.
fn fit_folds(training: &Training<'_>) -> Result<(HeldOutOutputs, LogisticRecord)> {
    let folds = each_pair(training, |pair, seed| pair.fit_folds(training, seed))?;
    let (seen, records): (Vec<SeenRows>, Vec<LogisticRecord>) = folds.into_iter().unzip();
    let record = LogisticRecord::together(&records).unwrap_or_default();
    Ok((HeldOutOutputs::Partial(seen), record))
}

/// The log-odds of the first label of each pair against the second.
fn model_of(fits: &[PairFit], columns: usize) -> Result<LinearModel> {
    let mut coefficients = Matrix::zeros(columns, fits.len());
    for (column, fit) in fits.iter().enumerate() {
        for (row, value) in fit.coefficients.iter().enumerate() {
            coefficients[(row, column)] = *value;
        }
    }
    LinearModel::new(coefficients, fits.iter().map(|fit| fit.intercept).collect())
}

/// The rows that carry exactly one of two labels, ascending, and whether it is the first. Their weights are there
/// unless all count the same.
struct Pair {
    rows: Vec<usize>,
    first: Vec<bool>,
    weights: Option<Vec<f64>>,
}

/// The classifier of a pair; no coefficients if it is a base rate. What was seen is there if it is known without further
/// fits.
struct PairFit {
    coefficients: Vec<f64>,
    intercept: f64,
    record: LogisticRecord,
    seen: Option<SeenRows>,
}

impl Pair {
    fn new(first: &[usize], second: &[usize]) -> Self {
        let without = |rows: &[usize], others: &[usize]| -> Vec<usize> {
            let alone = |row: &&usize| others.binary_search(row).is_err();
            rows.iter().filter(alone).copied().collect()
        };
        let firsts = without(first, second).into_iter().map(|row| (row, true));
        let seconds = without(second, first).into_iter().map(|row| (row, false));
        let mut members: Vec<(usize, bool)> = firsts.chain(seconds).collect();
        members.sort_unstable();
        Self::of_members(members.into_iter())
    }

    fn of_members(members: impl Iterator<Item = (usize, bool)>) -> Self {
        let (rows, first) = members.unzip();
        Self {
            rows,
            first,
            weights: None,
        }
    }

    /// The rows in which both labels are known.
    fn where_known(self, targets: Targets<'_>, j: usize, k: usize) -> Self {
        let members = self.rows.into_iter().zip(self.first);
        let known =
            |&(row, _): &(usize, bool)| targets.is_known(row, j) && targets.is_known(row, k);
        Self::of_members(members.filter(known))
    }

    /// The same with the weights of its rows, times those of the labels that they carry if these are given.
    fn with_weights(self, training: &Training<'_>, j: usize, k: usize) -> Self {
        let targets = training.targets();
        let of_label: [f64; 2] = match &training.params().logistic.class_weight {
            ClassWeight::Positives(weights) => [weights[j], weights[k]],
            ClassWeight::Equal | ClassWeight::Balanced if targets.weights().is_none() => {
                return self;
            }
            ClassWeight::Equal | ClassWeight::Balanced => [1.0; 2],
        };
        let members = self.rows.iter().zip(&self.first);
        let weight =
            |(&row, &first): (&usize, &bool)| targets.weight(row) * of_label[usize::from(!first)];
        Self {
            weights: Some(members.map(weight).collect()),
            ..self
        }
    }

    fn fit(&self, training: &Training<'_>, seed: Seed) -> Result<PairFit> {
        if self.is_constant() {
            return Ok(self.base_rate());
        }
        self.with_training(training, seed, |own| {
            let classifier = own.classifiers()?;
            Ok(PairFit {
                coefficients: classifier.model().coefficients().column(0).collect(),
                intercept: classifier.model().intercepts()[0],
                record: *classifier.record(),
                seen: classifier.out_of_fold().map(|folds| self.seen(folds)),
            })
        })
    }

    fn fit_folds(&self, training: &Training<'_>, seed: Seed) -> Result<(SeenRows, LogisticRecord)> {
        if self.is_constant() {
            return Ok((self.seen_by_base_rate(), LogisticRecord::default()));
        }
        self.with_training(training, seed, |own| {
            let folds = own.out_of_fold()?;
            Ok((self.seen(folds), *folds.record()))
        })
    }

    /// Works with the rows of the pair as a training set of their own.
    fn with_training<T>(
        &self,
        training: &Training<'_>,
        seed: Seed,
        work: impl FnOnce(&Training<'_>) -> Result<T>,
    ) -> Result<T> {
        let features = training.features().select_rows(&self.rows);
        let labels = Labels::from_fn(self.rows.len(), 1, |row, _| self.first[row]);
        let targets = Targets::new(&labels).with_weights(self.weights.as_deref())?;
        let mut params = training.params().clone();
        let class_weight = &mut params.logistic.class_weight;
        if matches!(class_weight, ClassWeight::Positives(_)) {
            // They are among the weights of the rows.
            *class_weight = ClassWeight::Equal;
        }
        work(&Training::new(features.view(), targets, params, seed)?)
    }

    fn seen(&self, folds: &OutOfFold) -> SeenRows {
        SeenRows {
            rows: self.rows.clone(),
            held_out: folds.log_odds().column(0).collect(),
        }
    }

    /// Whether all rows carry the same label, or there are none.
    fn is_constant(&self) -> bool {
        self.first.windows(2).all(|two| two[0] == two[1])
    }

    /// Whether the first rows carry the first label.
    fn is_first(&self) -> bool {
        self.first.first() == Some(&true)
    }

    fn weight(&self, member: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[member])
    }

    fn total_weight(&self) -> f64 {
        (0..self.rows.len()).map(|member| self.weight(member)).sum()
    }

    /// The base rate of rows of some total weight that all carry the same label as those of the pair.
    fn base_log_odds(&self, weight: f64) -> f64 {
        smoothed_log_odds(if self.is_first() { weight } else { 0.0 }, weight)
    }

    /// The fit of rows that all carry the same label, or of none.
    fn base_rate(&self) -> PairFit {
        PairFit {
            coefficients: Vec::new(),
            intercept: self.base_log_odds(self.total_weight()),
            record: LogisticRecord::default(),
            seen: Some(self.seen_by_base_rate()),
        }
    }

    /// Without a row of its own a row would see one less: the same vote, or half a vote if it was the only one.
    fn seen_by_base_rate(&self) -> SeenRows {
        let total = self.total_weight();
        let without = |member: usize| self.base_log_odds((total - self.weight(member)).max(0.0));
        SeenRows {
            rows: self.rows.clone(),
            held_out: (0..self.rows.len()).map(without).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_which_a_label_of_the_pair_is_not_known_are_left_out() {
        let labels = Labels::from_fn(4, 3, |row, label| row % 2 == label);
        let unknown = Labels::from_fn(4, 3, |row, label| [(0, 1), (1, 2)].contains(&(row, label)));
        let targets = Targets::new(&labels).with_unknown(Some(&unknown)).unwrap();
        let pair = Pair::new(&[0, 2], &[1, 3]).where_known(targets, 0, 1);
        assert_eq!(pair.rows, [1, 2, 3]);
        assert_eq!(pair.first, [false, true, false]);
    }

    #[test]
    fn the_base_rate_of_a_pair_counts_rows_by_weight() {
        let pair = Pair {
            weights: Some(vec![2.0, 0.5]),
            ..Pair::new(&[4, 6], &[])
        };
        assert!(pair.is_constant());
        assert_eq!(pair.base_rate().intercept, (3.0f64 / 0.5).ln());
        let held_out = pair.seen_by_base_rate().held_out;
        assert_eq!(held_out, [(1.0f64 / 0.5).ln(), (2.5f64 / 0.5).ln()]);
        let none = Pair::new(&[], &[]);
        assert_eq!(
            (none.is_constant(), none.base_rate().intercept),
            (true, 0.0)
        );
    }

    #[test]
    fn a_pair_has_the_rows_that_carry_exactly_one_of_its_labels() {
        let pair = Pair::new(&[0, 2, 5, 7], &[1, 2, 6, 7]);
        assert_eq!(pair.rows, [0, 1, 5, 6]);
        assert_eq!(pair.first, [true, false, true, false]);
    }
}
