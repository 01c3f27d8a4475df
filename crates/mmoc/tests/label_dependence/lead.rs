//! LEAD.

use mmoc::Seed;
use mmoc::data::{Features, Labels, Matrix};
use mmoc::decode::{Decoder, LabelNetwork};
use mmoc::learn::logistic::sigmoid;
use mmoc::learn::{BaseParams, Training};
use mmoc::method::Fitted;

use super::{LABELS, ROWS, absolute, data, fit, method};

fn network_of(fitted: &Fitted) -> &LabelNetwork {
    match fitted.predictor.decoder() {
        Decoder::Network(network) => network,
        other => panic!("{other:?}"),
    }
}

fn bit(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The links of a network in either direction, the smaller label first.
fn links(network: &LabelNetwork) -> Vec<(usize, usize)> {
    let mut links: Vec<(usize, usize)> = network
        .parents()
        .iter()
        .enumerate()
        .flat_map(|(child, parents)| {
            let ordered = move |&(parent, _): &(usize, f64)| (parent.min(child), parent.max(child));
            parents.iter().map(ordered)
        })
        .collect();
    links.sort_unstable();
    links
}

/// Features, and labels independent of them: each is the previous one flipped with probability 0.1, or independent.
fn chain(seed: u64, rows: usize, labels: usize, chained: bool) -> (Features, Labels) {
    let mut stream = Seed::new(seed).stream();
    let mut x = Matrix::zeros(rows, 3);
    x.values_mut()
        .iter_mut()
        .for_each(|value| *value = stream.gaussian());
    let mut carried = vec![false; rows * labels];
    for i in 0..rows {
        for j in 0..labels {
            carried[i * labels + j] = if j == 0 || !chained {
                stream.uniform() < 0.5
            } else {
                carried[i * labels + j - 1] != (stream.uniform() < 0.1)
            };
        }
    }
    let labels = Labels::from_fn(rows, labels, |i, j| carried[i * labels + j]);
    (Features::Dense(x), labels)
}

#[test]
fn a_planted_chain_of_dependent_labels_is_found() {
    let mut by_chance = 0;
    for seed in 0..5 {
        let (x, labels) = chain(seed, 300, 5, true);
        let fitted = fit(&x, &labels, &BaseParams::default(), &method("lead", &[]));
        let network = network_of(&fitted);
        let links = links(network);
        for j in 1..5 {
            assert!(links.contains(&(j - 1, j)), "seed {seed}: {links:?}");
        }
        by_chance += links.len() - 4;
        for (child, parents) in network.parents().iter().enumerate() {
            for &(parent, weight) in parents.iter().filter(|p| p.0.abs_diff(child) == 1) {
                // The log-odds change by log(0.9/0.1) in each direction.
                let change = weight / (2.0 * 9f64.ln());
                assert!(
                    (0.6..1.6).contains(&change),
                    "{parent} to {child}: {weight}"
                );
            }
        }
    }
    assert!(by_chance <= 3, "{by_chance} of 30 other pairs");
}

#[test]
fn independent_labels_have_few_links() {
    let count = |seed| {
        let (x, labels) = chain(seed, 300, 5, false);
        let fitted = fit(&x, &labels, &BaseParams::default(), &method("lead", &[]));
        let network = network_of(&fitted);
        links(network).len()
    };
    // A link needs a χ² above log 300, which a random pair exceeds with probability one in sixty.
    let found: usize = (0..10).map(count).sum();
    assert!(found <= 6, "{found} of 100 pairs");
}

/// The log-odds of new rows, each label from its predicted parents, with every classifier fitted to a table that
/// includes the parents as scaled features.
fn by_joined_tables(
    network: &LabelNetwork,
    x: &Matrix,
    labels: &Labels,
    new: &Matrix,
    hard: bool,
) -> Matrix {
    let total: f64 = (0..x.columns()).map(|k| scatter(x.column(k))).sum();
    let mut log_odds = Matrix::zeros(new.rows(), LABELS);
    let mut done = Vec::new();
    while done.len() < LABELS {
        let ready = |&label: &usize| {
            let parents = &network.parents()[label];
            !done.contains(&label) && parents.iter().all(|(parent, _)| done.contains(parent))
        };
        let label = (0..LABELS).find(ready).unwrap();
        let parents: Vec<usize> = network.parents()[label].iter().map(|p| p.0).collect();
        let scale = |parent: usize| {
            let column = (0..ROWS).map(|i| bit(labels.contains(i, parent)));
            (total / scatter(column)).sqrt()
        };
        let table = |x: &Matrix, value: &dyn Fn(usize, usize) -> f64| {
            Features::Dense(Matrix::from_fn(x.rows(), 6 + parents.len(), |i, j| match j
                .checked_sub(6)
            {
                None => x[(i, j)],
                Some(k) => scale(parents[k]) * value(i, parents[k]),
            }))
        };
        let known = table(x, &|i, parent| bit(labels.contains(i, parent)));
        let own = labels.select_labels(&[label]);
        let training = Training::new(known.view(), &own, absolute(2.0), Seed::new(9)).unwrap();
        let classifier = training.classifiers().unwrap().model();
        let predicted = table(new, &|i, parent| {
            let m = log_odds[(i, parent)];
            if hard { bit(m > 0.0) } else { sigmoid(m) }
        });
        let found = classifier.predict(predicted.view()).unwrap();
        for i in 0..new.rows() {
            log_odds[(i, label)] = found[(i, 0)];
        }
        done.push(label);
    }
    log_odds
}

fn scatter(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[test]
fn each_label_is_predicted_from_the_features_and_its_predicted_parents() {
    let ((x, labels), (new, _)) = (data(1), data(2));
    for (setting, hard) in [("evidence=labels", true), ("evidence=probabilities", false)] {
        let method = method("lead", &[setting]);
        let fitted = fit(
            &Features::Dense(x.clone()),
            &labels,
            &absolute(2.0),
            &method,
        );
        let network = network_of(&fitted);
        assert!(links(network).len() >= 2, "{:?}", network.parents());
        let expected = by_joined_tables(network, &x, &labels, &new, hard);
        let found = fitted
            .predictor
            .predict(Features::Dense(new.clone()).view())
            .unwrap();
        let scores = found.scores.unwrap();
        for (a, b) in scores.values().iter().zip(expected.values()) {
            assert!((a - b).abs() < 1e-5, "{setting}: {a} {b}");
        }
    }
}

#[test]
fn a_label_without_parents_keeps_its_classifier_bitwise() {
    let ((x, labels), (new, _)) = (data(1), data(2));
    let (x, new) = (Features::Dense(x), Features::Dense(new));
    let scores = |name, settings: &[&str]| {
        let fitted = fit(&x, &labels, &BaseParams::default(), &method(name, settings));
        let found = fitted.predictor.predict(new.view()).unwrap();
        (found.scores.unwrap(), fitted)
    };
    let (alone, _) = scores("br", &[]);
    let (with_parents, fitted) = scores("lead", &[]);
    let network = network_of(&fitted);
    assert!(!links(network).is_empty());
    for (label, parents) in network.parents().iter().enumerate() {
        let same = with_parents.column(label).eq(alone.column(label));
        assert_eq!(same, parents.is_empty(), "label {label}");
    }
    let (none, fitted) = scores("lead", &["max-parents=0"]);
    assert_eq!(none, alone);
    assert_eq!(fitted.logistic.unwrap().regressions, 0);
}

#[test]
fn no_label_has_more_parents_than_allowed() {
    // A common cause of all labels gives each of them several parents.
    let (x, cause) = chain(3, 300, 5, false);
    let draws = [4, 5, 6].map(|seed| chain(seed, 300, 5, false).1);
    let labels = Labels::from_fn(300, 5, |i, j| {
        let flipped = draws.iter().all(|draw| draw.contains(i, j));
        cause.contains(i, 0) != flipped
    });
    for most in [1, 2] {
        let method = method("lead", &[&format!("max-parents={most}")]);
        let fitted = fit(&x, &labels, &BaseParams::default(), &method);
        let network = network_of(&fitted);
        let largest = network.parents().iter().map(Vec::len).max();
        assert_eq!(largest, Some(most));
    }
}
