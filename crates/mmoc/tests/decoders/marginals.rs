//! Exact marginals of joint decoding against sums over all label sets.

use mmoc::data::Matrix;
use mmoc::decode::Inference;
use mmoc::{Seed, Stream};
use proptest::prelude::*;

use crate::assert_close;
use crate::joint::{Inputs, sigmoid};

/// log Σ exp, without overflow.
fn log_sum(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = values.iter().map(|value| (value - largest).exp()).sum();
    largest + sum.ln()
}

impl Inputs {
    /// The log-odds of every label of a row by sums over all sets, and the largest energy.
    fn naive_log_odds(&self, row: usize) -> (Vec<f64>, f64) {
        let q = self.v.rows();
        let energies: Vec<f64> = (0..1usize << q)
            .map(|code| {
                let y: Vec<f64> = (0..q).map(|j| (code >> j & 1) as f64).collect();
                self.energy(row, &y)
            })
            .collect();
        let largest = energies.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let side = |j: usize, wanted: usize| -> f64 {
            let codes = (0..1usize << q).filter(|code| code >> j & 1 == wanted);
            log_sum(&codes.map(|code| -energies[code]).collect::<Vec<_>>())
        };
        ((0..q).map(|j| side(j, 1) - side(j, 0)).collect(), largest)
    }

    fn assert_exact_marginals(&self) {
        let found = self.decode(Inference::Exact);
        let (scores, probabilities) = (found.scores.unwrap(), found.probabilities.unwrap());
        for row in 0..self.log_odds.rows() {
            let (expected, largest) = self.naive_log_odds(row);
            for (j, expected) in expected.iter().enumerate() {
                let (score, p) = (scores[(row, j)], probabilities[(row, j)]);
                let error = (score - expected).abs();
                // To the precision of the energies.
                assert!(
                    error <= 1e-11 + 1e-13 * largest,
                    "row {row}, label {j}: {score} is not {expected}"
                );
                assert!((p - sigmoid(score)).abs() < 1e-14);
                assert!(p == 0.0 || (p / sigmoid(score) - 1.0).abs() < 1e-12 || score < -700.0);
            }
        }
    }
}

/// Values that are ordinary, large, or so large that all weights but one underflow.
fn extreme(inputs: &mut Inputs, scale: f64, stream: &mut Stream) {
    for value in inputs.log_odds.values_mut() {
        *value *= [1.0, scale][stream.below(2)];
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn exact_marginals_equal_sums_over_all_sets(
        (q, d, n) in (1..=10usize, 0..=6usize, 1..20usize),
        lambda in prop::sample::select(vec![0.0, 0.8, 1.0]),
        scale in prop::sample::select(vec![1.0, 30.0, 250.0, 700.0, 1e5]),
        seed in 0..1000u64
    ) {
        let mut stream = Seed::new(seed).stream();
        let mut inputs = Inputs::realistic(n, q, d, &mut stream);
        inputs.lambda = lambda;
        extreme(&mut inputs, scale, &mut stream);
        inputs.assert_exact_marginals();
    }

    /// All values are small multiples of ½, so that ties are exact.
    #[test]
    fn exact_marginals_equal_sums_over_all_sets_with_many_ties(
        (q, d, n) in (1..=9usize, 0..=4usize, 1..20usize), seed in 0..1000u64
    ) {
        Inputs::with_ties(n, q, d, seed).assert_exact_marginals();
    }

    /// Little noise: a block of the table exceeds the exponent range of a double.
    #[test]
    fn exact_marginals_equal_sums_over_all_sets_where_couplings_are_strong(
        (q, d) in (2..=9usize, 1..=9usize), share in 1e-4..1e-1f64, seed in 0..1000u64
    ) {
        let mut inputs = Inputs::realistic(5, q, d, &mut Seed::new(seed).stream());
        inputs.noise.iter_mut().for_each(|noise| *noise *= share);
        inputs.assert_exact_marginals();
    }

    #[test]
    fn exact_marginals_follow_a_permutation_of_the_labels(
        (q, d) in (2..=12usize, 1..=6usize), seed in 0..1000u64
    ) {
        let mut stream = Seed::new(seed).stream();
        let inputs = Inputs::realistic(9, q, d, &mut stream);
        let mut order: Vec<usize> = (0..q).collect();
        stream.shuffle(&mut order);
        let mut permuted = inputs.clone();
        permuted.v = inputs.v.view().select_rows(&order);
        permuted.log_odds = Matrix::from_fn(9, q, |i, j| inputs.log_odds[(i, order[j])]);
        let (found, other) = (inputs.decode(Inference::Exact), permuted.decode(Inference::Exact));
        let expected = |matrix: Option<Matrix>| {
            let matrix = matrix.unwrap();
            Matrix::from_fn(9, q, |i, j| matrix[(i, order[j])])
        };
        assert_close(&other.scores.unwrap(), &expected(found.scores), 1e-10);
        assert_close(&other.probabilities.unwrap(), &expected(found.probabilities), 1e-12);
    }

    /// One projection, so that the evidence is bitwise equal for any number of rows.
    #[test]
    fn exact_marginals_of_a_row_are_bitwise_independent_of_other_rows(
        (q, n) in (1..=13usize, 2..40usize), seed in 0..1000u64
    ) {
        let mut stream = Seed::new(seed).stream();
        let mut inputs = Inputs::realistic(n, q, 1, &mut stream);
        extreme(&mut inputs, 300.0, &mut stream);
        let together = inputs.decode(Inference::Exact);
        for row in 0..n {
            let mut alone = inputs.clone();
            alone.codewords = inputs.codewords.view().select_rows(&[row]);
            alone.log_odds = inputs.log_odds.view().select_rows(&[row]);
            let alone = alone.decode(Inference::Exact);
            let (scores, probabilities) = (alone.scores.unwrap(), alone.probabilities.unwrap());
            let expected = together.scores.as_ref().unwrap();
            prop_assert_eq!(scores.row(0), expected.row(row));
            let expected = together.probabilities.as_ref().unwrap();
            prop_assert_eq!(probabilities.row(0), expected.row(row));
        }
    }
}

#[test]
fn mutually_exclusive_labels_share_their_probability() {
    // One projection that counts the labels and predicts one of three: each has probability one third.
    let inputs = Inputs {
        v: Matrix::from_fn(3, 1, |_, _| 1.0),
        noise: vec![1e-3],
        lambda: 1.0,
        codewords: Matrix::from_fn(1, 1, |_, _| 1.0),
        log_odds: Matrix::zeros(1, 3),
    };
    let found = inputs.decode(Inference::Exact);
    let third = Matrix::from_fn(1, 3, |_, _| 1.0 / 3.0);
    assert_close(&found.probabilities.unwrap(), &third, 1e-14);
    assert_eq!(found.labels.row(0), [0]);
}
