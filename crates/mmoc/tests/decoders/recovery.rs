//! Back-projection and sparse recovery.

use mmoc::Seed;
use mmoc::data::Matrix;
use mmoc::decode::{BackProjection, CoSaMp, L1};
use mmoc::linalg::multiply;
use proptest::prelude::*;

use crate::{assert_close, gaussian, orthonormal, random_labels, sets};

proptest! {
    #[test]
    fn l1_satisfies_the_optimality_conditions(
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
fn back_projection_of_a_zero_codeword_is_the_origin() {
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
fn cosamp_without_sparsity_limit_is_least_squares() {
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
fn cosamp_never_increases_the_residual_and_keeps_its_sparsity() {
    let mut stream = Seed::new(15).stream();
    // Fewer measurements than labels, and repeated labels, make every least squares problem singular.
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
