//! Against scikit-learn's random forest, on data that `tests/fixtures/forest.py` draws by the same generator.

use serde_json::Value;

use super::*;

const CLASSES: usize = 8;
const TRAIN: usize = 400;
const TEST: usize = 400;
const DENSE_COLUMNS: usize = 16;
const SPARSE_COLUMNS: usize = 60;

/// Numbers in [0, 1): the upper bits of a linear congruential generator.
struct Uniform(u64);

impl Uniform {
    fn draw(&mut self) -> f64 {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Whole numbers below the number of classes, small ones more often.
    fn classes(&mut self) -> Vec<u32> {
        #[allow(clippy::cast_sign_loss, reason = "no draw is negative")]
        let class = |_| (CLASSES as f64 * self.draw() * self.draw()) as u32;
        (0..TRAIN + TEST).map(class).collect()
    }

    /// Points around the centre of their class; every third column says nothing.
    fn dense(&mut self) -> (Features, Vec<u32>) {
        let centres = Matrix::from_fn(CLASSES, DENSE_COLUMNS, |_, j| match j % 3 {
            0 => 0.0,
            _ => self.draw(),
        });
        let own = self.classes();
        let x = Matrix::from_fn(own.len(), DENSE_COLUMNS, |i, j| {
            centres[(own[i] as usize, j)] + (self.draw() + self.draw() - 1.0)
        });
        (Features::Dense(x), own)
    }

    /// Zeros and ones: words that are more or less frequent in each class.
    fn sparse(&mut self) -> (Features, Vec<u32>) {
        let shares = Matrix::from_fn(CLASSES, SPARSE_COLUMNS, |_, _| {
            0.5 * self.draw() * self.draw()
        });
        let own = self.classes();
        let x = Matrix::from_fn(own.len(), SPARSE_COLUMNS, |i, j| {
            f64::from(u8::from(self.draw() < shares[(own[i] as usize, j)]))
        });
        (sparse(&x), own)
    }
}

/// The share of rows whose class has the most votes, and the mean share of the votes that it has.
fn scores(votes: &Csr, own: &[u32]) -> (f64, f64) {
    let (mut right, mut shares) = (0.0, 0.0);
    for (row, own) in own.iter().enumerate() {
        let (classes, values) = votes.view().row(row);
        // Of equal ones the lowest class, as in NumPy.
        let pairs = || classes.iter().zip(values);
        let most = pairs().rev().max_by(|a, b| a.1.total_cmp(b.1));
        right += f64::from(u8::from(most.is_some_and(|(class, _)| class == own)));
        shares += pairs()
            .find(|(class, _)| *class == own)
            .map_or(0.0, |(_, share)| *share);
    }
    let rows = own.len() as f64;
    (right / rows, shares / rows)
}

/// Test accuracy, mean share of the true class on test rows, and out-of-bag accuracy.
fn measured(x: &Features, own: &[u32], seed: u64) -> [f64; 3] {
    let (train, test) = (
        x.view().rows_in(0..TRAIN),
        x.view().rows_in(TRAIN..TRAIN + TEST),
    );
    let params = ForestParams::default();
    let grown = Forest::grow(
        train,
        unweighted(&own[..TRAIN], CLASSES),
        &params,
        Seed::new(seed),
    );
    let (forest, out_of_bag) = grown.unwrap();
    let (accuracy, share) = scores(&forest.votes(test).unwrap(), &own[TRAIN..]);
    [accuracy, share, scores(&out_of_bag, &own[..TRAIN]).0]
}

/// Mean and standard error of differences.
fn mean_and_error(differences: &[f64]) -> (f64, f64) {
    let runs = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / runs;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    (mean, (squares / (runs * (runs - 1.0))).sqrt())
}

/// Compares the forests of each repetition with those of scikit-learn.
fn assert_as_good(name: &str, draw: fn(&mut Uniform) -> (Features, Vec<u32>)) {
    let text = include_str!("../../../../tests/fixtures/forest.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = (0..).zip(file[name].as_array().unwrap());
    let differences = cases.map(|(repetition, theirs)| {
        let (x, own) = draw(&mut Uniform(repetition));
        let [accuracy, share, out_of_bag] = measured(&x, &own, repetition);
        let theirs = |metric: &str| theirs[metric].as_f64().unwrap();
        [
            accuracy - theirs("accuracy"),
            share - theirs("share"),
            out_of_bag - theirs("out_of_bag"),
        ]
    });
    let differences: Vec<[f64; 3]> = differences.collect();
    for metric in 0..3 {
        let own: Vec<f64> = differences.iter().map(|all| all[metric]).collect();
        let (mean, error) = mean_and_error(&own);
        let message = format!("{name}, metric {metric}: {mean} ± {error}");
        assert!(mean.abs() < 4.0 * error, "{message}");
    }
}

#[test]
fn forests_of_dense_rows_predict_as_well_as_those_of_scikit_learn() {
    assert_as_good("dense", Uniform::dense);
}

#[test]
fn forests_of_sparse_rows_predict_as_well_as_those_of_scikit_learn() {
    assert_as_good("sparse", Uniform::sparse);
}
