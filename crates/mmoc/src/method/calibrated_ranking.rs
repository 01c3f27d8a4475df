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
//! Each pair has a basis of its own rows. All pairs in the shared basis, with zero weight for the rows outside, would
//! be wider matrix products, but most rows carry neither label of a pair, and every product pays for them: on 300
//! rows of scene a pair has about 105, and its design is an eighth of the shared one.

use rayon::prelude::*;

use super::fitted::{Fitted, HeldOutOutputs, Penalties, SeenRows};
use super::{Predictor, Recipe};
use crate::data::{Labels, Matrix};
use crate::decode::{CalibratedVotes, DecoderName, Votes, pairs, pairs_of};
use crate::learn::logistic::{LogisticRecord, OutOfFold, smoothed_log_odds};
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

/// The rows that carry exactly one of two labels, ascending, and whether it is the first.
struct Pair {
    rows: Vec<usize>,
    first: Vec<bool>,
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
        let (rows, first) = members.into_iter().unzip();
        Self { rows, first }
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
        let params = training.params().clone();
        work(&Training::new(features.view(), &labels, params, seed)?)
    }

    fn seen(&self, folds: &OutOfFold) -> SeenRows {
        SeenRows {
            rows: self.rows.clone(),
            held_out: folds.log_odds().column(0).collect(),
        }
    }

    fn ones(&self) -> usize {
        self.first.iter().filter(|&&first| first).count()
    }

    /// Whether all rows carry the same label, or there are none.
    fn is_constant(&self) -> bool {
        [0, self.rows.len()].contains(&self.ones())
    }

    /// The fit of rows that all carry the same label, or of none.
    fn base_rate(&self) -> PairFit {
        PairFit {
            coefficients: Vec::new(),
            intercept: smoothed_log_odds(self.ones() as f64, self.rows.len() as f64),
            record: LogisticRecord::default(),
            seen: Some(self.seen_by_base_rate()),
        }
    }

    /// Without a row of its own a row would see one less: the same vote, or half a vote if it was the only one.
    fn seen_by_base_rate(&self) -> SeenRows {
        let rows = self.rows.len();
        let others = rows.saturating_sub(1) as f64;
        let ones = if self.ones() > 0 { others } else { 0.0 };
        SeenRows {
            rows: self.rows.clone(),
            held_out: vec![smoothed_log_odds(ones, others); rows],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_the_rows_that_carry_exactly_one_of_its_labels() {
        let pair = Pair::new(&[0, 2, 5, 7], &[1, 2, 6, 7]);
        assert_eq!(pair.rows, [0, 1, 5, 6]);
        assert_eq!(pair.first, [true, false, true, false]);
    }
}
