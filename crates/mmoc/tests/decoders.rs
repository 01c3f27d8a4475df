//! Decoders against slow and obvious versions of themselves, and what must not change them.

use mmoc::data::{Labels, Matrix};
use mmoc::decode::{BackProjection, CoSaMp, Inference, Joint, L1, MOST_EXACT_LABELS};
use mmoc::linalg::{multiply, symmetric_eigen};
use mmoc::settings::Named;
use mmoc::{Error, Prediction, Seed, Stream};
use proptest::prelude::*;

fn gaussian(rows: usize, columns: usize, stream: &mut Stream) -> Matrix {
    filled(rows, columns, || {
        let radius = (-2.0 * (1.0 - stream.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * stream.uniform()).cos()
    })
}

fn filled(rows: usize, columns: usize, mut draw: impl FnMut() -> f64) -> Matrix {
    let mut matrix = Matrix::zeros(rows, columns);
    matrix.values_mut().iter_mut().for_each(|v| *v = draw());
    matrix
}

fn random_labels(rows: usize, labels: usize, share: f64, stream: &mut Stream) -> Matrix {
    filled(rows, labels, || {
        f64::from(u8::from(stream.uniform() < share))
    })
}

/// The columns of a random rotation.
fn orthonormal(size: usize, stream: &mut Stream) -> Matrix {
    let a = gaussian(size, size, stream);
    let symmetric = Matrix::from_fn(size, size, |i, j| a[(i.min(j), i.max(j))]);
    symmetric_eigen(symmetric).unwrap().vectors
}

fn sets(y: &Matrix) -> Labels {
    Labels::from_fn(y.rows(), y.columns(), |i, j| y[(i, j)] > 0.5)
}

fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= tolerance, "{x} is not {y}");
    }
}

/// The inputs of joint decoding.
#[derive(Debug, Clone)]
struct Inputs {
    v: Matrix,
    noise: Vec<f64>,
    lambda: f64,
    codewords: Matrix,
    log_odds: Matrix,
}

impl Inputs {
    /// Label sets seen through noisy codewords and noisy classifiers.
    fn realistic(rows: usize, labels: usize, projections: usize, stream: &mut Stream) -> Self {
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

    fn decode(&self, inference: Inference) -> Prediction {
        let joint = self.joint(inference);
        joint.decode(&self.codewords, &self.log_odds).unwrap()
    }

    /// Eq. 15 as it stands.
    fn energy(&self, row: usize, y: &[f64]) -> f64 {
        let mut energy = 0.0;
        for (k, noise) in self.noise.iter().enumerate() {
            let sum: f64 = y.iter().zip(self.v.column(k)).map(|(y, v)| y * v).sum();
            energy += 0.5 * (sum - self.codewords[(row, k)]).powi(2) / noise;
        }
        let odds = self.log_odds.row(row).iter();
        energy - self.lambda * y.iter().zip(odds).map(|(y, l)| y * l).sum::<f64>()
    }

    /// The first code of least energy, label j being bit j.
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

    /// Mean-field marginals, one row and one label after the other.
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

fn sigmoid(m: f64) -> f64 {
    1.0 / (1.0 + (-m).exp())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// All numbers are small multiples of ½, so that energies are exact and ties are ties.
    #[test]
    fn exact_decoding_equals_brute_force_with_many_ties(
        (q, d, n) in (0..=9usize, 0..=4usize, 0..40usize), seed in 0..1000u64
    ) {
        let mut stream = Seed::new(seed).stream();
        let mut small = |rows, columns| filled(rows, columns, || stream.below(5) as f64 - 2.0);
        let inputs = Inputs {
            v: small(q, d),
            noise: vec![0.5; d],
            lambda: 0.5,
            codewords: small(n, d),
            log_odds: small(n, q),
        };
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
    fn marginals_equal_those_of_the_slow_version(
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
    fn labels_alone_are_those_of_decoding((q, d) in (0..=18usize, 0..=5usize), seed in 0..1000u64) {
        let inputs = Inputs::realistic(7, q, d, &mut Seed::new(seed).stream());
        for &(inference, _) in Inference::NAMES {
            let labels = inputs.joint(inference).labels(&inputs.codewords, &inputs.log_odds).unwrap();
            prop_assert_eq!(labels, inputs.decode(inference).labels);
        }
    }

    #[test]
    fn l1_meets_the_optimality_conditions(
        (q, d) in (1..=20usize, 1..=20usize), penalty in 0.0..2.0f64, seed in 0..1000u64
    ) {
        let mut stream = Seed::new(seed).stream();
        let (v, z) = (gaussian(q, d, &mut stream), gaussian(5, d, &mut stream));
        let y = L1::new(&v, penalty).unwrap().decode(&z).unwrap().scores.unwrap();
        for row in 0..5 {
            let residuals: Vec<f64> = (0..d)
                .map(|k| (0..q).map(|j| v[(j, k)] * y[(row, j)]).sum::<f64>() - z[(row, k)])
                .collect();
            for j in 0..q {
                let gradient: f64 = (0..d).map(|k| v[(j, k)] * residuals[k]).sum();
                let value = y[(row, j)];
                let violation = if value == 0.0 {
                    gradient.abs() - penalty
                } else {
                    (gradient + penalty * value.signum()).abs()
                };
                prop_assert!(violation < 1e-7, "label {}: {}", j, violation);
            }
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
fn exact_decoding_of_more_labels_is_refused() {
    let v = Matrix::zeros(MOST_EXACT_LABELS + 1, 0);
    let refused = Joint::new(&v, &[], 1.0, Inference::Exact);
    assert!(matches!(refused, Err(Error::Parameter { .. })));
    let auto = Joint::new(&v, &[], 1.0, Inference::Auto).unwrap();
    assert_eq!(auto.inference(), Inference::MeanField);
}

#[test]
fn independent_labels_have_exact_marginals() {
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
        assert_eq!(found.scores.unwrap(), inputs.log_odds);
        let probabilities = Matrix::from_fn(50, q, |i, j| sigmoid(inputs.log_odds[(i, j)]));
        assert_close(&found.probabilities.unwrap(), &probabilities, 1e-15);
    }
}

#[test]
fn projections_of_length_zero_say_nothing() {
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
fn extremes_give_numbers_strictly_inside_their_range() {
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
fn a_row_is_decoded_the_same_alone_and_in_company_on_any_number_of_threads() {
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
                // The matrix product for the evidence may add in another order for another number of rows.
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

#[test]
fn back_projection_recovers_label_sets_from_their_codewords() {
    let mut stream = Seed::new(11).stream();
    let (n, q) = (70, 8);
    let v = orthonormal(q, &mut stream);
    let y = random_labels(n, q, 0.4, &mut stream);
    let codewords = multiply(y.view(), v.view());
    let means: Vec<f64> = (0..q).map(|_| stream.uniform()).collect();
    for origin in [vec![0.0; q], means] {
        let decoder = BackProjection::new(&v, &origin).unwrap();
        let found = decoder.decode(&codewords).unwrap();
        assert_eq!(found.labels, sets(&y));
        assert_close(&found.scores.unwrap(), &y, 1e-12);
        assert_eq!(found.probabilities, None);
    }
}

#[test]
fn back_projection_says_the_origin_where_codewords_say_nothing() {
    let mut stream = Seed::new(12).stream();
    let v = orthonormal(5, &mut stream);
    let two = Matrix::from_fn(5, 2, |j, k| v[(j, k)]);
    let origin: Vec<f64> = (0..5).map(|_| stream.uniform()).collect();
    let row = Matrix::new(1, 5, origin.clone()).unwrap();
    let codeword = multiply(row.view(), two.view());
    let found = BackProjection::new(&two, &origin)
        .unwrap()
        .decode(&codeword)
        .unwrap();
    assert_close(&found.scores.unwrap(), &row, 1e-14);
}

#[test]
fn cosamp_recovers_sparse_vectors_from_gaussian_measurements() {
    let mut stream = Seed::new(13).stream();
    for (q, k, d) in [(40, 2, 40), (100, 4, 100), (159, 5, 120)] {
        let v = gaussian(q, d, &mut stream);
        let (mut binary, mut real) = (Matrix::zeros(33, q), Matrix::zeros(33, q));
        for row in 0..33 {
            for _ in 0..k {
                let label = stream.below(q);
                binary[(row, label)] = 1.0;
                real[(row, label)] = 4.0 * stream.uniform() - 2.0;
            }
        }
        let decoder = CoSaMp::new(&v, k).unwrap();
        let found = decoder.decode(&multiply(binary.view(), v.view())).unwrap();
        assert_eq!(found.labels, sets(&binary));
        assert_close(&found.scores.unwrap(), &binary, 1e-9);
        let found = decoder.decode(&multiply(real.view(), v.view())).unwrap();
        assert_close(&found.scores.unwrap(), &real, 1e-7);
    }
}

#[test]
fn cosamp_that_may_keep_everything_is_least_squares() {
    let mut stream = Seed::new(14).stream();
    let (q, d) = (6, 20);
    let (v, z) = (gaussian(q, d, &mut stream), gaussian(4, d, &mut stream));
    for sparsity in [q, 100] {
        let y = CoSaMp::new(&v, sparsity)
            .unwrap()
            .decode(&z)
            .unwrap()
            .scores
            .unwrap();
        for row in 0..4 {
            for j in 0..q {
                let gradient: f64 = (0..d)
                    .map(|k| {
                        let fit: f64 = (0..q).map(|i| v[(i, k)] * y[(row, i)]).sum();
                        v[(j, k)] * (fit - z[(row, k)])
                    })
                    .sum();
                assert!(gradient.abs() < 1e-10, "{gradient}");
            }
        }
    }
}

#[test]
fn cosamp_never_fits_worse_than_nothing_and_keeps_its_sparsity() {
    let mut stream = Seed::new(15).stream();
    // Fewer measurements than labels and repeated labels make every least squares problem singular.
    let half = gaussian(12, 5, &mut stream);
    let v = Matrix::from_fn(24, 5, |j, k| half[(j % 12, k)]);
    let z = gaussian(50, 5, &mut stream);
    for sparsity in [1, 3, 10, 24] {
        let y = CoSaMp::new(&v, sparsity)
            .unwrap()
            .decode(&z)
            .unwrap()
            .scores
            .unwrap();
        let fit = multiply(y.view(), v.view());
        for row in 0..50 {
            assert!(y.row(row).iter().filter(|y| **y != 0.0).count() <= sparsity);
            let square = |r: f64| r * r;
            let residual: f64 = (0..5).map(|k| square(fit[(row, k)] - z[(row, k)])).sum();
            let nothing: f64 = z.row(row).iter().copied().map(square).sum();
            assert!(residual <= nothing * (1.0 + 1e-12));
        }
    }
}

#[test]
fn l1_is_the_soft_threshold_for_orthonormal_directions() {
    let mut stream = Seed::new(16).stream();
    let v = orthonormal(9, &mut stream);
    let z = gaussian(50, 9, &mut stream);
    let transposed = Matrix::from_fn(9, 9, |i, j| v[(j, i)]);
    let c = multiply(z.view(), transposed.view());
    for penalty in [0.0, 0.3, 5.0] {
        let found = L1::new(&v, penalty).unwrap().decode(&z).unwrap();
        let expected = Matrix::from_fn(50, 9, |i, j| {
            c[(i, j)].signum() * (c[(i, j)].abs() - penalty).max(0.0)
        });
        assert_eq!(found.labels, sets(&expected));
        assert_close(&found.scores.unwrap(), &expected, 1e-8);
    }
}

#[test]
fn wrong_sizes_are_errors() {
    let v = Matrix::zeros(3, 2);
    let (two, three) = (Matrix::zeros(5, 2), Matrix::zeros(5, 3));
    let is_shape = |result: mmoc::Result<Prediction>| matches!(result, Err(Error::Shape { .. }));
    assert!(is_shape(
        BackProjection::new(&v, &[0.0; 3]).unwrap().decode(&three)
    ));
    assert!(is_shape(
        BackProjection::new(&v, &[0.0; 2]).and_then(|decoder| decoder.decode(&two))
    ));
    assert!(is_shape(CoSaMp::new(&v, 1).unwrap().decode(&three)));
    assert!(is_shape(L1::new(&v, 1.0).unwrap().decode(&three)));
    let joint = Joint::new(&v, &[1.0, 1.0], 1.0, Inference::Auto).unwrap();
    assert!(is_shape(joint.decode(&three, &three)));
    assert!(is_shape(joint.decode(&two, &two)));
    assert!(is_shape(joint.decode(&two, &Matrix::zeros(4, 3))));
    let noise = Joint::new(&v, &[1.0], 1.0, Inference::Auto);
    assert!(matches!(noise, Err(Error::Shape { .. })));
}

#[test]
fn parameters_outside_of_their_range_are_errors() {
    let v = Matrix::from_fn(3, 1, |_, _| 1.0);
    let bad = Matrix::from_fn(3, 1, |_, _| f64::NAN);
    let joint =
        |v: &Matrix, noise: f64, lambda: f64| Joint::new(v, &[noise], lambda, Inference::Auto);
    let is_parameter = |error: Option<Error>| matches!(error, Some(Error::Parameter { .. }));
    for number in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(is_parameter(joint(&v, number, 1.0).err()));
        assert!(is_parameter(joint(&v, 1.0, number).err()));
        assert!(is_parameter(L1::new(&v, number).err()));
    }
    assert!(is_parameter(CoSaMp::new(&v, 0).err()));
    assert!(is_parameter(CoSaMp::new(&bad, 1).err()));
    assert!(is_parameter(L1::new(&bad, 1.0).err()));
    assert!(is_parameter(joint(&bad, 1.0, 1.0).err()));
    let (fine, not_a_number) = (Matrix::zeros(1, 3), bad.view().select_rows(&[0]));
    assert!(is_parameter(
        CoSaMp::new(&v, 1).unwrap().decode(&not_a_number).err()
    ));
    assert!(is_parameter(
        joint(&v, 1.0, 1.0)
            .unwrap()
            .decode(&not_a_number, &fine)
            .err()
    ));
    let odds = Matrix::from_fn(1, 3, |_, _| f64::NAN);
    assert!(is_parameter(
        joint(&v, 1.0, 1.0)
            .unwrap()
            .decode(&Matrix::zeros(1, 1), &odds)
            .err()
    ));
}

#[test]
fn no_rows_and_no_labels_are_fine() {
    for (n, q, d) in [(0, 3, 2), (4, 0, 2), (4, 0, 0), (0, 0, 0)] {
        let (v, z, l) = (
            Matrix::zeros(q, d),
            Matrix::zeros(n, d),
            Matrix::zeros(n, q),
        );
        let joint = Joint::new(&v, &vec![1.0; d], 1.0, Inference::Auto).unwrap();
        for found in [
            joint.decode(&z, &l).unwrap(),
            CoSaMp::new(&v, 1).unwrap().decode(&z).unwrap(),
            L1::new(&v, 1.0).unwrap().decode(&z).unwrap(),
            BackProjection::new(&v, &vec![0.0; q])
                .unwrap()
                .decode(&z)
                .unwrap(),
        ] {
            assert_eq!((found.labels.rows(), found.labels.count()), (n, q));
        }
    }
}
