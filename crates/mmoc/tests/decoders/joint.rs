//! Joint decoding, exact and by mean-field inference.

use mmoc::Seed;
use mmoc::data::{Labels, Matrix};
use mmoc::decode::{Inference, Joint, MOST_EXACT_LABELS};
use mmoc::linalg::multiply;
use mmoc::settings::Named;
use mmoc::{Error, Prediction, Stream};
use proptest::prelude::*;

use crate::{assert_close, filled, gaussian, random_labels, sets};

/// The inputs of joint decoding.
#[derive(Debug, Clone)]
pub(crate) struct Inputs {
    pub(crate) v: Matrix,
    pub(crate) noise: Vec<f64>,
    pub(crate) lambda: f64,
    pub(crate) codewords: Matrix,
    pub(crate) log_odds: Matrix,
}

impl Inputs {
    /// Small multiples of ½, so that energies and ties are exact.
    pub(crate) fn with_ties(rows: usize, labels: usize, projections: usize, seed: u64) -> Self {
        let mut stream = Seed::new(seed).stream();
        let mut small = |rows, columns| filled(rows, columns, || stream.below(5) as f64 - 2.0);
        Self {
            v: small(labels, projections),
            noise: vec![0.5; projections],
            lambda: 0.5,
            codewords: small(rows, projections),
            log_odds: small(rows, labels),
        }
    }

    /// Label sets with noisy codewords and noisy classifiers.
    pub(crate) fn realistic(
        rows: usize,
        labels: usize,
        projections: usize,
        stream: &mut Stream,
    ) -> Self {
        let v = gaussian(labels, projections, stream);
        let noise: Vec<f64> = (0..projections)
            .map(|_| 0.3 + stream.uniform() * labels as f64)
            .collect();
        let y = random_labels(rows, labels, 0.3, stream);
        let errors = gaussian(rows, projections, stream);
        let mut codewords = multiply(y.view(), v.view());
        for row in 0..rows {
            for k in 0..projections {
                codewords[(row, k)] += noise[k].sqrt() * errors[(row, k)];
            }
        }
        let doubts = gaussian(rows, labels, stream);
        let log_odds = Matrix::from_fn(rows, labels, |i, j| 3.0 * y[(i, j)] - 1.5 + doubts[(i, j)]);
        Self {
            v,
            noise,
            lambda: 0.8,
            codewords,
            log_odds,
        }
    }

    fn joint(&self, inference: Inference) -> Joint {
        Joint::new(&self.v, &self.noise, self.lambda, inference).unwrap()
    }

    pub(crate) fn decode(&self, inference: Inference) -> Prediction {
        let joint = self.joint(inference);
        joint.decode(&self.codewords, &self.log_odds).unwrap()
    }

    /// Eq. 15, literally.
    pub(crate) fn energy(&self, row: usize, y: &[f64]) -> f64 {
        let mut energy = 0.0;
        for (k, noise) in self.noise.iter().enumerate() {
            let sum: f64 = y.iter().zip(self.v.column(k)).map(|(y, v)| y * v).sum();
            energy += 0.5 * (sum - self.codewords[(row, k)]).powi(2) / noise;
        }
        let odds = self.log_odds.row(row).iter();
        energy - self.lambda * y.iter().zip(odds).map(|(y, l)| y * l).sum::<f64>()
    }

    /// The first code of minimum energy, with label j as bit j.
    fn minimiser(&self, row: usize) -> Vec<f64> {
        let labels = self.v.rows();
        let code =
            |code: usize| -> Vec<f64> { (0..labels).map(|j| (code >> j & 1) as f64).collect() };
        let mut best = (f64::INFINITY, 0);
        for candidate in 0..1 << labels {
            let energy = self.energy(row, &code(candidate));
            if energy < best.0 {
                best = (energy, candidate);
            }
        }
        code(best.1)
    }

    /// A and b.
    fn coupling_and_evidence(&self) -> (Matrix, Matrix) {
        let (q, d) = (self.v.rows(), self.v.columns());
        let v = &self.v;
        let coupling = Matrix::from_fn(q, q, |i, j| {
            (0..d).map(|k| v[(i, k)] * v[(j, k)] / self.noise[k]).sum()
        });
        let evidence = Matrix::from_fn(self.log_odds.rows(), q, |i, j| {
            let codeword = self.codewords.row(i);
            let said: f64 = (0..d)
                .map(|k| v[(j, k)] * codeword[k] / self.noise[k])
                .sum();
            said + self.lambda * self.log_odds[(i, j)]
        });
        (coupling, evidence)
    }

    /// Mean-field marginals, one row and one label at a time.
    fn slow_marginals(&self) -> Matrix {
        let (a, b) = self.coupling_and_evidence();
        let q = a.rows();
        let mut marginals = Matrix::from_fn(b.rows(), q, |i, j| sigmoid(self.log_odds[(i, j)]));
        for row in 0..b.rows() {
            let p = marginals.row_mut(row);
            for _ in 0..200 {
                let mut largest: f64 = 0.0;
                for j in 0..q {
                    let others: f64 = (0..q).filter(|&k| k != j).map(|k| a[(j, k)] * p[k]).sum();
                    let next = sigmoid(b[(row, j)] - 0.5 * a[(j, j)] - others);
                    largest = largest.max((next - p[j]).abs());
                    p[j] = next;
                }
                if largest <= 1e-6 {
                    break;
                }
            }
        }
        marginals
    }
}

pub(crate) fn sigmoid(m: f64) -> f64 {
    1.0 / (1.0 + (-m).exp())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// All values are small multiples of ½, so that energies and ties are exact.
    #[test]
    fn exact_decoding_equals_brute_force_with_many_ties(
        (q, d, n) in (0..=9usize, 0..=4usize, 0..40usize), seed in 0..1000u64
    ) {
        let inputs = Inputs::with_ties(n, q, d, seed);
        let found = inputs.decode(Inference::Exact).labels;
        for row in 0..n {
            let expected = inputs.minimiser(row);
            for (label, y) in expected.iter().enumerate() {
                prop_assert_eq!(found.contains(row, label), *y > 0.5, "row {}", row);
            }
        }
    }

    #[test]
    fn exact_decoding_equals_brute_force_with_extreme_log_odds(
        (q, d) in (1..=12usize, 1..=14usize), seed in 0..1000u64
    ) {
        let mut stream = Seed::new(seed).stream();
        let mut inputs = Inputs::realistic(3, q, d, &mut stream);
        for value in inputs.log_odds.values_mut() {
            *value *= [1.0, 300.0, 1e6][stream.below(3)];
        }
        let found = inputs.decode(Inference::Exact).labels;
        for row in 0..3 {
            let y: Vec<f64> = (0..q).map(|j| f64::from(u8::from(found.contains(row, j)))).collect();
            let (energy, least) = (inputs.energy(row, &y), inputs.energy(row, &inputs.minimiser(row)));
            prop_assert!(energy <= least + 1e-12 * least.abs().max(1.0), "{} {}", energy, least);
        }
    }

    #[test]
    fn mean_field_marginals_equal_those_of_the_slow_version(
        (q, d, n) in (1..=24usize, 0..=24usize, 1..60usize), seed in 0..1000u64
    ) {
        let inputs = Inputs::realistic(n, q, d, &mut Seed::new(seed).stream());
        let found = inputs.decode(Inference::MeanField);
        let marginals = found.probabilities.unwrap();
        assert_close(&marginals, &inputs.slow_marginals(), 1e-9);
        let scores = found.scores.unwrap();
        for (p, score) in marginals.values().iter().zip(scores.values()) {
            prop_assert!((p - sigmoid(*score)).abs() < 1e-14);
        }
        let expected = Labels::from_fn(n, q, |i, j| marginals[(i, j)] > 0.5);
        prop_assert_eq!(found.labels, expected);
    }

    #[test]
    fn label_sets_alone_equal_those_of_full_decoding((q, d) in (0..=18usize, 0..=5usize), seed in 0..1000u64) {
        let inputs = Inputs::realistic(7, q, d, &mut Seed::new(seed).stream());
        for &(inference, _) in Inference::NAMES {
            let labels = inputs.joint(inference).label_sets(&inputs.codewords, &inputs.log_odds).unwrap();
            prop_assert_eq!(labels, inputs.decode(inference).labels);
        }
    }
}

#[test]
fn exact_decoding_finds_a_planted_set_of_twenty_labels() {
    let mut stream = Seed::new(4).stream();
    let q = MOST_EXACT_LABELS;
    let y = random_labels(9, q, 0.4, &mut stream);
    let mut inputs = Inputs::realistic(9, q, q, &mut stream);
    inputs.codewords = multiply(y.view(), inputs.v.view());
    inputs.noise = vec![1e-3; q];
    assert_eq!(inputs.decode(Inference::Exact).labels, sets(&y));
}

#[test]
fn exact_decoding_rejects_more_labels() {
    let v = Matrix::zeros(MOST_EXACT_LABELS + 1, 0);
    let refused = Joint::new(&v, &[], 1.0, Inference::Exact);
    assert!(matches!(refused, Err(Error::Parameter { .. })));
    let auto = Joint::new(&v, &[], 1.0, Inference::Auto).unwrap();
    assert_eq!(auto.inference(), Inference::MeanField);
}

#[test]
fn marginals_of_independent_labels_are_their_logistic_functions() {
    let mut stream = Seed::new(5).stream();
    for q in [1, 5, 9] {
        let mut inputs = Inputs::realistic(40, q, q, &mut stream);
        inputs.v = Matrix::from_fn(q, q, |i, j| if i == j { 0.5 + i as f64 } else { 0.0 });
        let (mean_field, exact) = (
            inputs.decode(Inference::MeanField),
            inputs.decode(Inference::Exact),
        );
        assert_eq!(mean_field.labels, exact.labels);
        let (a, b) = inputs.coupling_and_evidence();
        let expected = Matrix::from_fn(40, q, |i, j| sigmoid(b[(i, j)] - 0.5 * a[(j, j)]));
        assert_close(&mean_field.probabilities.unwrap(), &expected, 1e-14);
        assert_close(&exact.probabilities.unwrap(), &expected, 1e-14);
    }
}

#[test]
fn both_inferences_agree_where_the_evidence_is_decisive() {
    let mut stream = Seed::new(6).stream();
    let mut inputs = Inputs::realistic(200, 12, 12, &mut stream);
    let y = random_labels(200, 12, 0.3, &mut stream);
    inputs.codewords = multiply(y.view(), inputs.v.view());
    inputs.noise = vec![1.0; 12];
    inputs.log_odds = Matrix::from_fn(200, 12, |i, j| 20.0 * y[(i, j)] - 10.0);
    assert_eq!(inputs.decode(Inference::Exact).labels, sets(&y));
    assert_eq!(inputs.decode(Inference::MeanField).labels, sets(&y));
}

#[test]
fn without_projections_joint_decoding_is_binary_relevance() {
    let mut stream = Seed::new(7).stream();
    for q in [3, 30] {
        let mut inputs = Inputs::realistic(50, q, 0, &mut stream);
        inputs.lambda = 1.0;
        let found = inputs.decode(Inference::Auto);
        let expected = Labels::from_fn(50, q, |i, j| inputs.log_odds[(i, j)] > 0.0);
        assert_eq!(found.labels, expected);
        assert_close(&found.scores.unwrap(), &inputs.log_odds, 1e-14);
        let probabilities = Matrix::from_fn(50, q, |i, j| sigmoid(inputs.log_odds[(i, j)]));
        assert_close(&found.probabilities.unwrap(), &probabilities, 1e-15);
    }
}

#[test]
fn projections_of_length_zero_have_no_effect() {
    let mut stream = Seed::new(8).stream();
    let mut inputs = Inputs::realistic(20, 5, 3, &mut stream);
    for j in 0..5 {
        inputs.v[(j, 1)] = 0.0;
    }
    inputs.noise[1] = 0.0;
    let mut without = inputs.clone();
    without.v = Matrix::from_fn(5, 2, |j, k| inputs.v[(j, 2 * k)]);
    without.codewords = Matrix::from_fn(20, 2, |i, k| inputs.codewords[(i, 2 * k)]);
    without.noise = vec![inputs.noise[0], inputs.noise[2]];
    let (found, expected) = (
        inputs.decode(Inference::Auto),
        without.decode(Inference::Auto),
    );
    assert_eq!(found.labels, expected.labels);
    assert_close(
        &found.probabilities.unwrap(),
        &expected.probabilities.unwrap(),
        1e-12,
    );
}

#[test]
fn extreme_inputs_give_probabilities_strictly_between_zero_and_one() {
    let mut stream = Seed::new(9).stream();
    for (q, d) in [(4, 4), (4, 1), (18, 18), (30, 3)] {
        let mut inputs = Inputs::realistic(64, q, d, &mut stream);
        inputs.noise = vec![0.0; d];
        let extremes = [
            0.0,
            -0.0,
            1e-300,
            700.0,
            -700.0,
            1e9,
            -1e9,
            f64::MAX,
            f64::NEG_INFINITY,
        ];
        for value in inputs.log_odds.values_mut() {
            *value = extremes[stream.below(extremes.len())];
        }
        for lambda in [0.0, 1.0, 1e9] {
            inputs.lambda = lambda;
            let found = inputs.decode(Inference::Auto);
            let probabilities = found.probabilities.unwrap();
            assert!(probabilities.values().iter().all(|&p| 0.0 < p && p < 1.0));
            assert!(found.scores.unwrap().values().iter().all(|s| s.is_finite()));
        }
    }
}

#[test]
fn certain_labels_keep_their_order_in_the_scores() {
    let log_odds = Matrix::new(1, 4, vec![50.0, 60.0, 800.0, 900.0]).unwrap();
    let joint = Joint::new(&Matrix::zeros(4, 0), &[], 1.0, Inference::Auto).unwrap();
    let found = joint.decode(&Matrix::zeros(1, 0), &log_odds).unwrap();
    assert!(found.scores.unwrap().values().is_sorted_by(|a, b| a < b));
}

#[test]
fn a_row_is_decoded_the_same_in_any_batch_on_any_number_of_threads() {
    let mut stream = Seed::new(10).stream();
    for (q, d) in [(6, 6), (9, 9), (18, 18), (20, 3)] {
        for n in [1, 15, 16, 17, 255, 256, 257, 511, 512, 513] {
            let inputs = Inputs::realistic(n, q, d, &mut stream);
            let on = |threads| {
                let pool = rayon_pool(threads);
                pool.install(|| inputs.decode(Inference::Auto))
            };
            let together = on(1);
            assert!(together == on(3));
            for row in [0, n / 2, n - 1] {
                let mut alone = inputs.clone();
                alone.codewords = inputs.codewords.view().select_rows(&[row]);
                alone.log_odds = inputs.log_odds.view().select_rows(&[row]);
                let alone = alone.decode(Inference::Auto);
                assert_eq!(alone.labels.row(0), together.labels.row(row));
                let (a, b) = (
                    alone.probabilities.unwrap(),
                    together.probabilities.as_ref().unwrap(),
                );
                // The matrix product for the evidence may sum in another order for another number of rows.
                for (x, y) in a.row(0).iter().zip(b.row(row)) {
                    assert!((x - y).abs() < 1e-10);
                }
            }
        }
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}
