//! The posterior against sums over all label sets.

use proptest::prelude::*;

use super::*;
use crate::Seed;
use crate::data::Labels;
use crate::decode::{Inference, Joint};
use crate::evidence::{CodeError, Frequency, LabelOdds, Neighbours};
use crate::learn::logistic::sigmoid;

/// Random outputs, directions and label sets of training rows.
struct Example {
    labels: Labels,
    directions: Matrix,
    /// Log-odds, then codewords.
    outputs: Matrix,
    weights: [f64; 3],
}

impl Example {
    fn new(rows: usize, count: usize, seed: u64) -> Self {
        let mut stream = Seed::new(seed).stream();
        let mut random = |rows, columns| Matrix::from_fn(rows, columns, |_, _| stream.gaussian());
        let (odds, directions) = (random(rows, count), random(count, 2));
        let (codewords, noise) = (random(rows, 2), random(rows, count));
        Self {
            labels: Labels::from_fn(rows, count, |i, j| odds[(i, j)] + noise[(i, j)] > 0.5),
            directions,
            outputs: Matrix::hstack(&[&odds, &codewords]).unwrap(),
            weights: [0.8, 0.3, 0.5],
        }
    }

    fn given(&self) -> Outputs {
        self.outputs.clone().into()
    }

    fn terms(&self) -> Vec<WeightedTerm> {
        let terms = [
            Term::Labels(LabelOdds::new(self.labels.count())),
            Term::Code(CodeError::new(self.directions.clone())),
            Term::Frequency(Frequency::new(&self.labels)),
        ];
        let pairs = terms.into_iter().zip(self.weights);
        pairs
            .map(|(term, weight)| WeightedTerm { term, weight })
            .collect()
    }

    fn posterior(&self, candidates: Candidates, unseen: f64) -> Posterior {
        Posterior::new(candidates, self.terms(), None, unseen).unwrap()
    }

    /// The posterior that has never seen a row, but for the frequencies of single labels, which hardly depend on one.
    fn without_row(&self, row: usize) -> Posterior {
        let others: Vec<usize> = (0..self.labels.rows())
            .filter(|other| *other != row)
            .collect();
        self.posterior(Candidates::seen(&self.labels.select_rows(&others)), 0.3)
    }

    fn seen(&self) -> Posterior {
        self.posterior(Candidates::seen(&self.labels), 0.3)
    }

    /// Σ_k w_k·f_k of a set that `count` rows have.
    fn score(&self, row: usize, set: &[u32], count: usize) -> f64 {
        let q = self.labels.count();
        let outputs = self.outputs.row(row);
        let odds: f64 = set.iter().map(|&label| outputs[label as usize]).sum();
        let squares = (0..2).map(|k| {
            let codeword: f64 = set.iter().map(|&j| self.directions[(j as usize, k)]).sum();
            (codeword - outputs[q + k]).powi(2) - outputs[q + k].powi(2)
        });
        let code = -0.5 * squares.sum::<f64>();
        let base = |label: &u32| {
            let has = self.labels.iter().filter(|own| own.contains(label)).count() as f64;
            ((has + 0.5) / (self.labels.rows() as f64 - has + 0.5)).ln()
        };
        let frequency = (count as f64 + 0.5).ln() - set.iter().map(base).sum::<f64>();
        self.weights[0] * odds + self.weights[1] * code + self.weights[2] * frequency
    }

    /// p_S and p of every set, by its code.
    fn probabilities(&self, posterior: &Posterior, row: usize) -> (Vec<f64>, Vec<f64>) {
        let q = self.labels.count();
        let count = |set: &[u32]| self.labels.iter().filter(|own| *own == set).count();
        let mut candidates = vec![0.0; 1 << q];
        for (code, share) in candidates.iter_mut().enumerate() {
            let set = members(code);
            if posterior.candidates.are_all() || count(&set) > 0 {
                *share = self.score(row, &set, count(&set)).exp();
            }
        }
        let total: f64 = candidates.iter().sum();
        candidates.iter_mut().for_each(|share| *share /= total);
        let all = candidates.iter().enumerate().map(|(code, share)| {
            let of_label = |label: usize| {
                let odds = self.outputs[(row, label)];
                sigmoid(if code >> label & 1 == 1 { odds } else { -odds })
            };
            let open: f64 = (0..q).map(of_label).product();
            (1.0 - posterior.unseen) * share + posterior.unseen * open
        });
        let all = all.collect();
        (candidates, all)
    }
}

fn members(code: usize) -> Vec<u32> {
    (0..usize::BITS)
        .filter(|label| code >> label & 1 == 1)
        .collect()
}

fn code(set: &[u32]) -> usize {
    set.iter().map(|label| 1 << label).sum()
}

fn expected_f1(probabilities: &[f64], set: usize) -> f64 {
    let f1 = |(truth, p): (usize, &f64)| {
        if truth | set == 0 {
            return *p;
        }
        let sizes = truth.count_ones() + set.count_ones();
        p * 2.0 * f64::from((truth & set).count_ones()) / f64::from(sizes)
    };
    probabilities.iter().enumerate().map(f1).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn marginals_confidence_and_likeliest_sets_are_those_of_all_sets_one_by_one(
        count in 1usize..8,
        all: bool,
        seed: u64,
    ) {
        let example = Example::new(19, count, seed);
        let seen = Candidates::seen(&example.labels);
        let posterior = if all {
            example.posterior(Candidates::all(&seen).unwrap(), 0.0)
        } else {
            example.posterior(seen, 0.3)
        };
        let found = posterior.decode(&example.given()).unwrap();
        let likeliest = posterior.likeliest_sets(&example.given(), 4).unwrap();
        prop_assert_eq!(&posterior.label_sets(&example.given()).unwrap(), &found.labels);
        let (marginals, confidence) = (found.probabilities.unwrap(), found.confidence.unwrap());
        for row in 0..19 {
            let (candidates, all) = example.probabilities(&posterior, row);
            prop_assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for label in 0..count {
                let having = all.iter().enumerate().filter(|(set, _)| set >> label & 1 == 1);
                let marginal: f64 = having.map(|(_, p)| p).sum();
                prop_assert!((marginals[(row, label)] - marginal).abs() < 1e-12);
            }
            let best = code(found.labels.row(row));
            let largest = candidates.iter().copied().fold(0.0, f64::max);
            prop_assert!((candidates[best] - largest).abs() < 1e-12);
            prop_assert!((confidence[row] - all[best]).abs() < 1e-12);
            let mut sorted: Vec<usize> = (0..1 << count).filter(|&set| candidates[set] > 0.0).collect();
            sorted.sort_by(|&a, &b| candidates[b].total_cmp(&candidates[a]));
            sorted.truncate(4);
            prop_assert_eq!(likeliest[row].len(), sorted.len());
            for (found, set) in likeliest[row].iter().zip(sorted) {
                prop_assert!((candidates[code(&found.labels)] - candidates[set]).abs() < 1e-12);
                prop_assert!((found.probability - all[code(&found.labels)]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_row_that_is_held_out_is_decoded_as_if_it_had_never_been_there(seed: u64) {
        let example = Example::new(17, 3, seed);
        let posterior = example.seen();
        let held_out = posterior.decode_held_out(&example.given(), &example.labels).unwrap();
        let held_out = held_out.probabilities.unwrap();
        for row in 0..17 {
            let outputs = example.given().select_rows(&[row]);
            let expected = example.without_row(row).decode(&outputs).unwrap().probabilities.unwrap();
            for label in 0..3 {
                prop_assert!((held_out[(row, label)] - expected[(0, label)]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_decision_for_f1_has_the_largest_expected_f1_of_all_sets(count in 1usize..9, seed: u64) {
        let example = Example::new(11, count, seed);
        let posterior = example.seen().with_decision(Decision::F1);
        let found = posterior.label_sets(&example.given()).unwrap();
        for row in 0..11 {
            let (_, all) = example.probabilities(&posterior, row);
            let best = (0..1 << count).map(|set| expected_f1(&all, set)).fold(0.0, f64::max);
            let value = expected_f1(&all, code(found.row(row)));
            // What is left out of sums over sets changes expectations by less.
            prop_assert!(value > best - 1e-11, "{value} {best}");
        }
    }

    #[test]
    fn with_fixed_weights_and_all_sets_it_is_the_decoder_of_the_paper(
        count in 1usize..8,
        lambda in 0.1f64..3.0,
        seed: u64,
    ) {
        let example = Example::new(40, count, seed);
        let mut terms = example.terms();
        terms.truncate(2);
        terms[0].weight = lambda;
        terms[1].weight = 1.0;
        let all = Candidates::all(&Candidates::seen(&example.labels)).unwrap();
        let posterior = Posterior::new(all, terms, None, 0.0).unwrap();
        let joint = Joint::new(&example.directions, &[1.0; 2], lambda, Inference::Exact).unwrap();
        let (odds, codewords) = (
            example.outputs.select_columns(0..count),
            example.outputs.select_columns(count..count + 2),
        );
        let expected = joint.decode(&codewords, &odds).unwrap();
        let found = posterior.decode(&example.given()).unwrap();
        prop_assert_eq!(found.labels, expected.labels);
        let (found, expected) = (found.probabilities.unwrap(), expected.probabilities.unwrap());
        for (a, b) in found.values().iter().zip(expected.values()) {
            prop_assert!((a - b).abs() < 1e-12);
        }
    }
}

#[test]
fn what_a_row_says_about_label_sets_multiplies_their_probabilities() {
    let example = Example::new(30, 4, 5);
    let candidates = Candidates::seen(&example.labels);
    let sets = candidates.len();
    let mut stream = Seed::new(6).stream();
    let of_sets = Matrix::from_fn(30, sets, |_, _| (2.0 * stream.gaussian() - 1.0).max(0.0));
    let plain = example.posterior(candidates.clone(), 0.0);
    let mut terms = example.terms();
    terms.push(WeightedTerm {
        term: Term::Neighbours(Neighbours::of_one_row_each(sets)),
        weight: 0.7,
    });
    let posterior = Posterior::new(candidates, terms, None, 0.0).unwrap();
    let outputs = Outputs {
        of_sets: vec![Csr::from(&of_sets)],
        ..example.given()
    };
    let expected = plain.likeliest_sets(&example.given(), sets).unwrap();
    let found = posterior.likeliest_sets(&outputs, sets).unwrap();
    for row in 0..30 {
        let factor = |labels: &[u32]| {
            let set = posterior.candidates.position(labels).unwrap();
            (0.7 * of_sets[(row, set)]).exp()
        };
        let total: f64 = expected[row]
            .iter()
            .map(|likely| likely.probability * factor(&likely.labels))
            .sum();
        for likely in &found[row] {
            let plain = expected[row].iter().find(|own| own.labels == likely.labels);
            let wanted = plain.unwrap().probability * factor(&likely.labels) / total;
            assert!((likely.probability - wanted).abs() < 1e-12);
        }
    }
    assert!(
        posterior.decode(&example.given()).is_err(),
        "an output is missing"
    );
    assert!(
        plain.decode(&outputs).is_err(),
        "there is an output too many"
    );
}

#[test]
fn without_candidates_labels_are_independent() {
    let example = Example::new(30, 4, 8);
    let posterior = example.posterior(Candidates::seen(&Labels::empty(4)), 1.0);
    let found = posterior.decode(&example.given()).unwrap();
    let (marginals, confidence) = (found.probabilities.unwrap(), found.confidence.unwrap());
    for row in 0..30 {
        for label in 0..4 {
            let odds = example.outputs[(row, label)];
            assert!((marginals[(row, label)] - sigmoid(odds)).abs() < 1e-15);
            assert_eq!(found.labels.contains(row, label), odds > 0.0);
        }
        let sure = (0..4).map(|label| sigmoid(example.outputs[(row, label)].abs()));
        assert!((confidence[row] - sure.product::<f64>()).abs() < 1e-15);
    }
    assert!(posterior.likeliest_sets(&example.given(), 3).unwrap()[0].is_empty());
}

#[test]
fn neither_threads_nor_the_rows_beside_a_row_change_what_is_decoded() {
    let example = Example::new(300, 5, 4);
    for (decision, _) in <Decision as crate::settings::Named>::NAMES {
        let posterior = example.seen().with_decision(*decision);
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let decode = || posterior.decode(&example.given()).unwrap();
            pool.unwrap().install(decode)
        };
        let together = with_threads(3);
        assert_eq!(with_threads(1), together);
        for row in [0, 7, 8, 150, 299] {
            let alone = posterior
                .decode(&example.given().select_rows(&[row]))
                .unwrap();
            assert_eq!(alone.labels.row(0), together.labels.row(row));
            let (a, b) = (
                alone.probabilities.unwrap(),
                together.probabilities.as_ref().unwrap(),
            );
            // Products of matrices of other sizes round otherwise.
            for (a, b) in a.row(0).iter().zip(b.row(row)) {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn outputs_that_are_not_finite_are_refused() {
    let example = Example::new(5, 3, 1);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut outputs = example.outputs.clone();
        outputs[(2, 1)] = bad;
        assert!(example.seen().decode(&outputs.into()).is_err());
    }
    assert!(
        example
            .seen()
            .decode(&example.outputs.select_columns(0..3).into())
            .is_err()
    );
}
