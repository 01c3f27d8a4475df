//! LEAD: multi-label learning by exploiting label dependency (Zhang & Zhang 2010).
//!
//! Where the classifiers of binary relevance make errors together, labels depend on each other beyond the features.
//! So the errors of these classifiers are put into a Bayesian network, and each label learns with its parents:
//!
//! 1. e = y − p̂ for every training row and label, p̂ from the fold that held the row out: a classifier errs too little
//!    on the rows that it was fitted to.
//! 2. A network over the errors, by hill climbing with BIC (`network`, `score`). Labels that never vary have no
//!    errors to explain and are left out. An edge that scores the same in both directions starts at the label that is
//!    predicted better.
//! 3. For each label with parents a logistic regression on the features and its parents' labels as further columns
//!    (see [`ExtendedBasis`]), with a penalty of its own. A label without parents keeps its classifier.
//! 4. Rows are predicted parents first: a label takes its parents as they were predicted.
//!
//! Where rows have weights, the score of the network counts them by weight, as all regressions do. Where the label of a
//! row is not known, its error is taken as zero, which is what a calibrated classifier expects, and the row is left out
//! of the regression of the label. Where a parent is not known, its label in the training set is taken, whatever filled
//! it in.
//!
//! In training the parents are known, in prediction they are not, so that their errors propagate: this is the weakness of
//! the method.

mod network;
mod score;

use rayon::prelude::*;

use super::fitted::{Fitted, HeldOutOutputs, Penalties};
use super::{Predictor, Recipe};
use crate::Result;
use crate::data::{Labels, Matrix, Targets};
use crate::decode::{DecoderName, LabelNetwork, ParentEvidence};
use crate::learn::logistic::{LogisticParams, LogisticRecord, OutOfFold, sigmoid};
use crate::learn::{Basis, ExtendedBasis, LinearModel, Training};
use crate::settings::{Setting, Settings, setters};
use network::Network;
use score::GaussianBic;

/// LEAD with its parameters.
///
/// | name | default | range |
/// |---|---|---|
/// | `max-parents` | 3 | at least 0, which is binary relevance |
/// | `evidence` | labels | labels or probabilities |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    /// Most parents of a label.
    pub max_parents: usize,
    /// What a label takes from its parents.
    pub evidence: ParentEvidence,
}

impl Default for Lead {
    fn default() -> Self {
        Self {
            max_parents: 3,
            evidence: ParentEvidence::Labels,
        }
    }
}

setters!(Lead {
    /// Most parents of a label in the network.
    max_parents: usize = max_parents;
    /// What a label takes from its parents.
    evidence: ParentEvidence = evidence;
});

impl Settings for Lead {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::count(
                "max-parents",
                "most parents of a label in the network",
                &mut self.max_parents,
                0..=16,
            ),
            Setting::choice(
                "evidence",
                "what a label takes from its parents",
                &mut self.evidence,
            ),
        ]
    }
}

impl Recipe for Lead {
    const NAME: &'static str = "lead";
    const TITLE: &'static str = "LEAD";
    const SUMMARY: &'static str =
        "a Bayesian network of the classifiers' errors; each label learns with its parents";
    const DECODERS: &'static [&'static str] = &[LabelNetwork::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let errors = errors(training)?;
        let network = network_of(training.targets(), &errors, self.max_parents)?;
        let fits = fit_children(training, &network)?;
        assemble(training, fits, self.evidence)
    }
}

/// The errors e = y − p̂ of the classifiers on rows that they have not seen, n×q; zero where y is not known.
fn errors(training: &Training<'_>) -> Result<Matrix> {
    let (targets, labels) = (training.targets(), training.labels());
    let log_odds = training.out_of_fold()?.log_odds();
    Ok(Matrix::from_fn(labels.rows(), labels.count(), |i, j| {
        if targets.is_known(i, j) {
            carries(labels, i, j) - sigmoid(log_odds[(i, j)])
        } else {
            0.0
        }
    }))
}

fn carries(labels: &Labels, row: usize, label: usize) -> f64 {
    f64::from(u8::from(labels.contains(row, label)))
}

/// The network of the errors of some labels.
fn network_of(targets: Targets<'_>, errors: &Matrix, most_parents: usize) -> Result<Network> {
    let (varying, constant) = best_predicted_first(targets, errors);
    let among = Matrix::from_fn(targets.rows(), varying.len(), |i, k| {
        errors[(i, varying[k])]
    });
    let bic = GaussianBic::new(&among, targets.weights());
    let mut network = Network::climb(varying.len(), most_parents, |child, parents| {
        bic.of(child, parents)
    })?;
    network.extend(constant.len());
    Ok(network.renamed(&[varying, constant].concat()))
}

/// The labels that vary in the training rows, by ascending mean squared error and then by number, and those that
/// do not.
fn best_predicted_first(targets: Targets<'_>, errors: &Matrix) -> (Vec<usize>, Vec<usize>) {
    let labels = 0..targets.labels().count();
    let known = KnownRows::of_labels(targets);
    let square = |(row, e): (usize, f64)| targets.weight(row) * e * e;
    let size = |label: usize| {
        let squares = errors.column(label).enumerate().map(square);
        squares.sum::<f64>() / known[label].share
    };
    let sizes: Vec<f64> = labels.clone().map(size).collect();
    let (mut varying, constant): (Vec<usize>, Vec<usize>) =
        labels.partition(|&label| known[label].vary);
    varying.sort_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
    (varying, constant)
}

/// The rows in which a label is known.
struct KnownRows {
    /// Their part of all rows, by weight.
    share: f64,
    /// Whether some have the label and some do not.
    vary: bool,
}

impl KnownRows {
    fn of_labels(targets: Targets<'_>) -> Vec<Self> {
        if targets.unknown().is_some() {
            let labels = 0..targets.labels().count();
            return labels.map(|label| Self::of(targets, label)).collect();
        }
        let of_all = |count: usize| Self {
            share: 1.0,
            vary: count > 0 && count < targets.rows(),
        };
        let counts = targets.labels().frequencies();
        counts.into_iter().map(of_all).collect()
    }

    fn of(targets: Targets<'_>, label: usize) -> Self {
        let (mut weight, mut carried, mut missing) = (0.0, false, false);
        for row in (0..targets.rows()).filter(|&row| targets.is_known(row, label)) {
            weight += targets.weight(row);
            let carries = targets.labels().contains(row, label);
            carried |= carries;
            missing |= !carries;
        }
        Self {
            share: weight / targets.total_weight(),
            vary: carried && missing,
        }
    }
}

/// A label with parents, and what each of them contributes to its log-odds.
#[derive(Debug, Clone)]
struct Child {
    label: usize,
    parents: Vec<(usize, f64)>,
}

/// The classifier of a label with parents.
struct ChildFit {
    child: Child,
    features: Vec<f64>,
    intercept: f64,
    penalty: f64,
    /// The log-odds of each row from the fold that held it out, if folds were fitted.
    out_of_fold: Option<Vec<f64>>,
    record: LogisticRecord,
}

/// The classifiers of the labels that have parents.
fn fit_children(training: &Training<'_>, network: &Network) -> Result<Vec<ChildFit>> {
    let basis = training.basis()?;
    training.stage("fitting the classifiers of dependent labels");
    let children: Vec<usize> = (0..training.labels().count())
        .filter(|&label| !network.parents(label).is_empty())
        .collect();
    children
        .par_iter()
        .map(|&label| fit_child(training, &basis, label, network.parents(label)))
        .collect()
}

/// The classifier of a label on the features and its parents' labels.
fn fit_child(
    training: &Training<'_>,
    basis: &Basis<'_>,
    label: usize,
    parents: &[usize],
) -> Result<ChildFit> {
    let extended = beside_parents(training, basis, parents)?;
    let fit = with_label(training, label, |logistic, own| {
        logistic.fit(&extended, own, training.folds()?)
    })?;
    let mut features: Vec<f64> = fit.model().coefficients().column(0).collect();
    let weights = features.split_off(training.features().columns());
    Ok(ChildFit {
        child: Child {
            label,
            parents: parents.iter().copied().zip(weights).collect(),
        },
        features,
        intercept: fit.model().intercepts()[0],
        penalty: fit.penalty_shares()[0],
        out_of_fold: fit.out_of_fold().map(first_label),
        record: *fit.record(),
    })
}

/// Calls `work` with one label as the only one, and with the parameters of its regression.
fn with_label<T>(
    training: &Training<'_>,
    label: usize,
    work: impl FnOnce(&LogisticParams, Targets<'_>) -> Result<T>,
) -> Result<T> {
    let select = |labels: &Labels| labels.select_labels(&[label]);
    let (own, unknown) = (select(training.labels()), training.unknown().map(select));
    let targets = Targets::new(&own)
        .with_weights(training.weights())?
        .with_unknown(unknown.as_ref())?;
    work(&training.params().logistic.of_label(label), targets)
}

/// The features with the labels of some parents beside them.
fn beside_parents<'a>(
    training: &Training<'_>,
    basis: &'a Basis<'a>,
    parents: &[usize],
) -> Result<Basis<'a>> {
    let labels = training.labels();
    let further = Matrix::from_fn(labels.rows(), parents.len(), |i, k| {
        carries(labels, i, parents[k])
    });
    Ok(Basis::Extended(ExtendedBasis::new(basis, &further)?))
}

fn first_label(folds: &OutOfFold) -> Vec<f64> {
    folds.log_odds().column(0).collect()
}

/// The classifiers of binary relevance, with those of the labels that have parents in place of their own.
fn assemble(
    training: &Training<'_>,
    fits: Vec<ChildFit>,
    evidence: ParentEvidence,
) -> Result<Fitted> {
    let alone = training.classifiers()?;
    let mut coefficients = alone.model().coefficients().clone();
    let mut intercepts = alone.model().intercepts().to_vec();
    let mut penalties = alone.penalty_shares();
    let mut parents = vec![Vec::new(); training.labels().count()];
    for fit in &fits {
        let label = fit.child.label;
        for (row, value) in fit.features.iter().enumerate() {
            coefficients[(row, label)] = *value;
        }
        intercepts[label] = fit.intercept;
        penalties[label] = fit.penalty;
        parents[label].clone_from(&fit.child.parents);
    }
    let network = LabelNetwork::new(parents, evidence)?;
    let outputs = LinearModel::new(coefficients, intercepts)?;
    let penalties = Penalties {
        classifiers: penalties,
        ..Penalties::default()
    };
    let predictor = Predictor::new(outputs, network, None)?;
    let records = fits.iter().map(|fit| &fit.record);
    let record = LogisticRecord::together(records).unwrap_or_default();
    let held_out = vec![held_out(training, fits)?];
    Ok(Fitted::new(predictor, penalties, held_out).with_record(record))
}

/// The held-out outputs, as far as folds were fitted.
fn held_out(training: &Training<'_>, fits: Vec<ChildFit>) -> Result<HeldOutOutputs> {
    let (children, folds): (Vec<Child>, Vec<Option<Vec<f64>>>) = fits
        .into_iter()
        .map(|fit| (fit.child, fit.out_of_fold))
        .unzip();
    match folds.into_iter().collect::<Option<Vec<_>>>() {
        Some(folds) => Ok(HeldOutOutputs::Known(with_children(
            training, &children, &folds,
        )?)),
        None => Ok(HeldOutOutputs::unfitted(move |training| {
            fit_folds(training, &children)
        })),
    }
}

/// The held-out outputs of children and of the other labels.
fn fit_folds(
    training: &Training<'_>,
    children: &[Child],
) -> Result<(HeldOutOutputs, LogisticRecord)> {
    let basis = training.basis()?;
    let fit = |child: &Child| {
        let parents: Vec<usize> = child.parents.iter().map(|&(parent, _)| parent).collect();
        let extended = beside_parents(training, &basis, &parents)?;
        with_label(training, child.label, |logistic, own| {
            logistic.fit_folds(&extended, own, training.folds()?)
        })
    };
    let folds: Vec<OutOfFold> = children.par_iter().map(fit).collect::<Result<_>>()?;
    let log_odds: Vec<Vec<f64>> = folds.iter().map(first_label).collect();
    let record = LogisticRecord::together(folds.iter().map(OutOfFold::record));
    let known = with_children(training, children, &log_odds)?;
    Ok((HeldOutOutputs::Known(known), record.unwrap_or_default()))
}

/// The out-of-fold log-odds of all labels, those of children less what their true parents add.
fn with_children(
    training: &Training<'_>,
    children: &[Child],
    folds: &[Vec<f64>],
) -> Result<Matrix> {
    let mut all = training.out_of_fold()?.log_odds().clone();
    for (child, log_odds) in children.iter().zip(folds) {
        for (row, value) in from_features(training.labels(), child, log_odds).enumerate() {
            all[(row, child.label)] = value;
        }
    }
    Ok(all)
}

/// The out-of-fold log-odds of a label less what its true parents add, so that decoding adds the parents that are
/// predicted. What they add is taken by the weights of the final fit: where a parent is predicted as it is, the sum is
/// what the fold said, and where it is not, the fold's own weight would have moved it a little more or less.
fn from_features<'a>(
    labels: &'a Labels,
    child: &'a Child,
    log_odds: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    log_odds.iter().enumerate().map(|(row, log_odds)| {
        let add = |&(parent, weight): &(usize, f64)| weight * carries(labels, row, parent);
        log_odds - child.parents.iter().map(add).sum::<f64>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::Features;
    use crate::learn::logistic::ClassWeight;
    use crate::learn::{BaseParams, PenaltyGrid};

    /// Errors of which some depend on others, and labels that go with them.
    fn example(seed: u64) -> (Labels, Matrix) {
        let mut stream = Seed::new(seed).stream();
        let mut errors = Matrix::zeros(200, 6);
        for row in 0..200 {
            for label in 0..6 {
                let own = stream.gaussian() * (1.0 + label as f64);
                let earlier = if label % 3 > 0 {
                    errors[(row, label - 1)]
                } else {
                    0.0
                };
                errors[(row, label)] = own + earlier;
            }
        }
        let labels = Labels::from_fn(200, 6, |i, j| errors[(i, j)] > 0.0);
        (labels, errors)
    }

    #[test]
    fn errors_in_a_chain_are_linked_to_their_neighbours_from_the_best_predicted_label_on() {
        for seed in 0..10 {
            let (labels, errors) = example(seed);
            let network = network_of(Targets::new(&labels), &errors, 1).unwrap();
            // The first label of each chain may be linked to another chain by chance.
            for label in [1, 2, 4, 5] {
                assert_eq!(network.parents(label), [label - 1], "seed {seed}");
            }
        }
    }

    #[test]
    fn other_numbers_for_the_labels_are_other_numbers_in_the_network() {
        let names = [3, 0, 5, 1, 4, 2];
        for seed in 0..10 {
            let (labels, errors) = example(seed);
            let again =
                |i: usize, j: usize| names.iter().position(|&name| name == j).map(|k| (i, k));
            let place = |i, j| again(i, j).expect("every name is used");
            let renamed = Matrix::from_fn(200, 6, |i, j| errors[place(i, j)]);
            let labels_renamed = Labels::from_fn(200, 6, |i, j| {
                let (row, label) = place(i, j);
                labels.contains(row, label)
            });
            let network = network_of(Targets::new(&labels), &errors, 3).unwrap();
            let found = network_of(Targets::new(&labels_renamed), &renamed, 3).unwrap();
            assert_eq!(found, network.renamed(&names));
        }
    }

    /// The gradient at a child of the weighted objective with an absolute penalty, with respect to the coefficients of
    /// the features and the intercept.
    fn gradient(
        fit: &ChildFit,
        x: &Matrix,
        labels: &Labels,
        cells: &[f64],
        alpha: f64,
    ) -> Vec<f64> {
        let mut gradient: Vec<f64> = fit.features.iter().map(|w| alpha * w).collect();
        gradient.push(0.0);
        for (row, cell) in cells.iter().enumerate() {
            let own = fit.features.iter().zip(x.row(row)).map(|(w, x)| w * x);
            let parents = fit.child.parents.iter();
            let parents = parents.map(|&(parent, weight)| weight * carries(labels, row, parent));
            let log_odds = fit.intercept + own.chain(parents).sum::<f64>();
            let residual = cell * (sigmoid(log_odds) - carries(labels, row, fit.child.label));
            for (sum, x) in gradient.iter_mut().zip(x.row(row).iter().chain([&1.0])) {
                *sum += residual * x;
            }
        }
        gradient
    }

    #[test]
    fn a_child_is_learnt_from_weighted_rows_in_which_it_is_known() {
        let (labels, errors) = example(4);
        let x = Matrix::from_fn(200, 2, |i, j| errors[(i, 2 * j + 2)]);
        let weights: Vec<f64> = (0..200).map(|row| 0.5 + f64::from(row % 3)).collect();
        // A parent that is not known keeps the label that it is given.
        let unknown = Labels::from_fn(200, 6, |row, label| label < 2 && row % (5 + label) == 0);
        let targets = Targets::new(&labels).with_weights(Some(&weights)).unwrap();
        let targets = targets.with_unknown(Some(&unknown)).unwrap();
        let known = |row: usize| {
            if targets.is_known(row, 1) {
                weights[row]
            } else {
                0.0
            }
        };
        let total = |with: bool| -> f64 {
            let rows = (0..200).filter(|&row| labels.contains(row, 1) == with);
            rows.map(known).sum()
        };
        let half = 0.5 * (total(false) + total(true));
        let given = ClassWeight::Positives(vec![1.0, 3.0, 1.0, 1.0, 1.0, 1.0]);
        for (class_weight, negative, positive) in [
            (ClassWeight::Equal, 1.0, 1.0),
            (
                ClassWeight::Balanced,
                half / total(false),
                half / total(true),
            ),
            (given, 1.0, 3.0),
        ] {
            let mut base = BaseParams::default().class_weight(class_weight);
            base.logistic.penalties = PenaltyGrid::absolute(vec![2.0]).unwrap();
            let features = Features::Dense(x.clone());
            let training = Training::new(features.view(), targets, base, Seed::new(1)).unwrap();
            let fit = fit_child(&training, &training.basis().unwrap(), 1, &[0]).unwrap();
            let cell = |row| {
                known(row)
                    * if labels.contains(row, 1) {
                        positive
                    } else {
                        negative
                    }
            };
            let cells: Vec<f64> = (0..200).map(cell).collect();
            let gradient = gradient(&fit, &x, &labels, &cells, 2.0);
            assert!(gradient.iter().all(|g| g.abs() < 1e-4), "{gradient:?}");
        }
    }

    #[test]
    fn labels_vary_by_the_rows_in_which_they_are_known() {
        let (labels, errors) = example(2);
        let unknown = Labels::from_fn(200, 6, |row, label| label == 2 && labels.contains(row, 2));
        let known = Labels::from_fn(200, 6, |row, label| {
            label != 2 && labels.contains(row, label)
        });
        let targets = Targets::new(&known).with_unknown(Some(&unknown)).unwrap();
        let (varying, constant) = best_predicted_first(targets, &errors);
        assert_eq!((varying.len(), constant), (5, vec![2]));
    }

    #[test]
    fn labels_that_never_vary_take_no_part_in_the_network() {
        let (labels, mut errors) = example(1);
        let labels = Labels::from_fn(200, 6, |i, j| match j {
            1 => true,
            2 => false,
            _ => labels.contains(i, j),
        });
        for row in 0..200 {
            (errors[(row, 1)], errors[(row, 2)]) = (0.002, -0.002);
        }
        let network = network_of(Targets::new(&labels), &errors, 3).unwrap();
        for label in [1, 2] {
            assert!(network.parents(label).is_empty());
            assert!((0..6).all(|child| !network.parents(child).contains(&label)));
        }
        assert_eq!(network.parents(4), [3]);
    }
}
