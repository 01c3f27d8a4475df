//! Calibrated label ranking.

use mmoc::data::{Features, Labels, Matrix};
use mmoc::learn::logistic::sigmoid;
use mmoc::learn::{BaseParams, PenaltyGrid, Training};
use mmoc::method::Predictor;
use mmoc::{Prediction, Seed};

use super::{LABELS, ROWS, data, fit, method, one_penalty};

/// The log-odds of the first label of each pair against the second: the outputs after those of the labels.
fn pairs(model: &Predictor, x: &Features) -> Matrix {
    let outputs = model.outputs().predict(x.view()).unwrap();
    outputs.select_columns(LABELS..outputs.columns())
}

/// The index of the classifier of labels j and k, and whether j is its first.
fn place(j: usize, k: usize) -> (usize, bool) {
    let mut index = 0;
    for a in 0..LABELS {
        for b in a + 1..LABELS {
            if (a, b) == (j.min(k), j.max(k)) {
                return (index, j < k);
            }
            index += 1;
        }
    }
    panic!("no such pair")
}

/// The votes of each label and of the virtual one, counted pair by pair.
fn ballots(own: &Matrix, pairs: &Matrix, row: usize, vote: impl Fn(f64) -> f64) -> (Vec<f64>, f64) {
    let votes = |j: usize| {
        let against = |k: usize| {
            let (index, first) = place(j, k);
            let log_odds = pairs[(row, index)];
            vote(if first { log_odds } else { -log_odds })
        };
        let others: f64 = (0..LABELS).filter(|&k| k != j).map(against).sum();
        others + vote(own[(row, j)])
    };
    let of_virtual = (0..LABELS).map(|j| vote(-own[(row, j)])).sum();
    ((0..LABELS).map(votes).collect(), of_virtual)
}

#[test]
fn labels_with_more_votes_than_the_virtual_one_are_predicted() {
    let ((x, labels), (new, _)) = (data(1), data(2));
    let (x, new) = (Features::Dense(x), Features::Dense(new));
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(5)).unwrap();
    let own = training.classifiers().unwrap().model();
    let own = own.predict(new.view()).unwrap();
    let hard: fn(f64) -> f64 = |m| f64::from(u8::from(m > 0.0));
    for (setting, vote) in [("votes=hard", hard), ("votes=soft", sigmoid)] {
        let model = method("clr", &[setting])
            .fit_on(&training)
            .unwrap()
            .predictor;
        let pairs = pairs(&model, &new);
        let Prediction {
            labels,
            scores,
            probabilities,
            ..
        } = model.predict(new.view()).unwrap();
        let (scores, probabilities) = (scores.unwrap(), probabilities.unwrap());
        for row in 0..ROWS {
            let (votes, of_virtual) = ballots(&own, &pairs, row, vote);
            for (j, votes) in votes.into_iter().enumerate() {
                assert_eq!(
                    labels.contains(row, j),
                    votes > of_virtual,
                    "{setting} {row}"
                );
                let lead = (votes - of_virtual) / LABELS as f64;
                assert!((scores[(row, j)] - lead).abs() < 1e-12);
                let share = (votes + 0.5) / (votes + of_virtual + 1.0);
                assert!((probabilities[(row, j)] - share).abs() < 1e-12);
                assert_eq!(probabilities[(row, j)] > 0.5, votes > of_virtual);
            }
        }
        assert!(labels.total() > 0 && labels.total() < ROWS * LABELS);
    }
}

#[test]
fn the_classifier_of_a_pair_minimises_the_loss_of_the_rows_with_exactly_one_of_the_two() {
    const RELATIVE: f64 = 1e-2;
    let (x, labels) = data(1);
    let base = one_penalty(PenaltyGrid::relative(vec![RELATIVE]).unwrap());
    let features = Features::Dense(x.clone());
    let model = fit(&features, &labels, &base, &method("clr", &[])).predictor;
    let log_odds = pairs(&model, &features);
    for j in 0..LABELS {
        for k in j + 1..LABELS {
            let index = place(j, k).0;
            let one = |row: &usize| labels.contains(*row, j) != labels.contains(*row, k);
            let rows: Vec<usize> = (0..ROWS).filter(one).collect();
            let residual = |row: usize| {
                let truth = f64::from(u8::from(labels.contains(row, j)));
                sigmoid(log_odds[(row, index)]) - truth
            };
            let slope: f64 = rows.iter().map(|&row| residual(row)).sum();
            assert!(slope.abs() < 1e-5, "intercept of {j} and {k}: {slope}");
            let scatter: f64 = (0..6)
                .map(|column| {
                    let values = || rows.iter().map(|&row| x[(row, column)]);
                    let mean = values().sum::<f64>() / rows.len() as f64;
                    values().map(|value| (value - mean).powi(2)).sum::<f64>()
                })
                .sum();
            for column in 0..6 {
                let slope: f64 = rows.iter().map(|&i| residual(i) * x[(i, column)]).sum();
                let weight = model.outputs().coefficients()[(column, LABELS + index)];
                let gradient = slope + RELATIVE * scatter * weight;
                assert!(gradient.abs() < 1e-5, "{j} {k} {column}: {gradient}");
            }
        }
    }
}

#[test]
fn permuted_labels_give_permuted_predictions() {
    let names = [2, 0, 3, 1];
    let (x, labels) = data(1);
    let base = one_penalty(PenaltyGrid::relative(vec![1e-2]).unwrap());
    let x = Features::Dense(x);
    let renamed = Labels::from_fn(ROWS, LABELS, |i, j| labels.contains(i, names[j]));
    for setting in ["votes=hard", "votes=soft"] {
        let predict = |labels: &Labels| {
            let model = fit(&x, labels, &base, &method("clr", &[setting])).predictor;
            model.predict(x.view()).unwrap().scores.unwrap()
        };
        let (before, after) = (predict(&labels), predict(&renamed));
        for i in 0..ROWS {
            for (j, &name) in names.iter().enumerate() {
                assert!((after[(i, j)] - before[(i, name)]).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn rejects_more_pairs_than_fit_into_memory() {
    let labels = Labels::from_fn(2, 40_000, |i, j| i == j);
    let x = Features::Dense(Matrix::new(2, 1, vec![0.0, 1.0]).unwrap());
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(5)).unwrap();
    let message = method("clr", &[])
        .fit_on(&training)
        .unwrap_err()
        .to_string();
    assert!(message.contains("of 799980000 pairs"), "{message}");
}
