//! Mean-field inference for E(y) = ½yᵀAy − bᵀy.
//!
//! The distribution exp(−E) over label sets is approximated by independent labels with probabilities q_j, the
//! marginals, that minimise the variational free energy
//!
//! ```text
//! F(q) = Σ_j (½A_jj − b_j)·q_j + Σ_{j<k} A_jk·q_j·q_k + Σ_j q_j·log q_j + (1 − q_j)·log(1 − q_j)
//! ```
//!
//! Along one coordinate the minimiser is q_j = σ(f_j) with the field f_j = b_j − ½A_jj − Σ_{k≠j} A_jk·q_k. Labels
//! are updated in turn, each with the newest values of the others, so that F never rises.
//!
//! An update has to wait for the one before it, so a single row would leave most of the processor idle:
//! several rows are swept side by side ([`lanes`]). The sum over k is taken from the factor W of A = WWᵀ, q×d, or from
//! A itself, whichever is shorter:
//!
//! | kernel | for | terms of an update | a sweep over a row | memory |
//! |---|---|---|---|---|
//! | [`low_rank`] | 2d < q | 2d | O(q·d) | O(q·d) |
//! | [`dense`] | 2d ≥ q | q | O(q²) | O(q²) |
//!
//! A is only ever made for the dense kernel, in O(q²·d).

mod dense;
mod lanes;
mod low_rank;
mod update;

use pulp::{NullaryFnOnce, Simd, WithSimd};
use rayon::prelude::*;

use self::dense::Dense;
use self::lanes::{Lanes, Rows};
use self::low_rank::LowRank;
use super::marginals::Marginals;
use crate::data::Matrix;
use crate::learn::logistic::sigmoid;
use crate::linalg::{multiply, multiply_by_transposed, vectorised};

/// A row is done when no marginal changes by more than this in a sweep over all labels.
const TOLERANCE: f64 = 1e-6;

/// Sweeps after which a row is left as it is.
const MOST_SWEEPS: usize = 200;

/// Rows that one thread takes through at a time: many times the number of lanes, because lanes stay empty
/// while the last rows finish.
const CHUNK: usize = 256;

/// Mean-field inference with a coupling A = WWᵀ.
#[derive(Debug, Clone)]
pub(super) struct MeanField {
    /// The diagonal of A.
    diagonal: Vec<f64>,
    coupling: Coupling,
}

/// What a sweep computes its sums from.
#[derive(Debug, Clone)]
enum Coupling {
    Dense(Dense),
    LowRank(LowRank),
}

impl MeanField {
    /// Prepares inference with A = WWᵀ, given W (q×d).
    pub(super) fn new(factor: Matrix) -> Self {
        if 2 * factor.columns() < factor.rows() {
            Self::low_rank(factor)
        } else {
            Self::dense(&factor)
        }
    }

    fn low_rank(factor: Matrix) -> Self {
        let low_rank = LowRank::new(factor);
        Self {
            diagonal: low_rank.squares().to_vec(),
            coupling: Coupling::LowRank(low_rank),
        }
    }

    fn dense(factor: &Matrix) -> Self {
        let coupling = multiply_by_transposed(factor, factor);
        Self {
            diagonal: (0..coupling.rows()).map(|j| coupling[(j, j)]).collect(),
            coupling: Coupling::Dense(Dense::new(&coupling)),
        }
    }

    /// The marginals for b (n×q), from the probabilities of the classifiers.
    pub(super) fn marginals(&self, evidence: Matrix, log_odds: &Matrix) -> Marginals {
        let mut fields = evidence;
        let mut probabilities = probabilities(log_odds);
        match &self.coupling {
            Coupling::Dense(dense) => {
                self.sweep_rows(dense, &mut fields, &mut probabilities, None);
            }
            Coupling::LowRank(low_rank) => {
                let sums = multiply(probabilities.view(), low_rank.factor().view());
                self.sweep_rows(low_rank, &mut fields, &mut probabilities, Some(&sums));
            }
        }
        Marginals {
            log_odds: fields,
            probabilities,
        }
    }

    /// Turns b into fields and starting probabilities into marginals.
    fn sweep_rows<S: Sweeps<L>, const L: usize>(
        &self,
        coupling: &S,
        fields: &mut Matrix,
        probabilities: &mut Matrix,
        sums: Option<&Matrix>,
    ) {
        let labels = self.diagonal.len();
        if labels == 0 {
            return;
        }
        let fields = fields.values_mut().par_chunks_mut(CHUNK * labels);
        let probabilities = probabilities.values_mut().par_chunks_mut(CHUNK * labels);
        let chunks = fields.zip(probabilities).enumerate();
        chunks.for_each(|(i, (fields, probabilities))| {
            let mut rows = Rows {
                diagonal: &self.diagonal,
                fields,
                probabilities,
                sums,
                first: i * CHUNK,
            };
            let mut lanes =
                Lanes::<L>::new(coupling.padded_labels(), sums.map_or(0, Matrix::columns));
            while lanes.take_rows(&rows) {
                let changes = coupling.sweep(&mut lanes);
                lanes.release_rows(&mut rows, &changes);
            }
        });
    }
}

/// One way to update all labels of [`Lanes`] in turn.
trait Sweeps<const L: usize>: Sync {
    /// The number of labels, with those that only fill up a block.
    fn padded_labels(&self) -> usize;

    /// Updates every label of every lane; returns the largest change of a marginal in each lane. To be inlined.
    fn sweep_with<S: Simd>(&self, simd: S, lanes: &mut Lanes<L>) -> [f64; L];

    /// The same, compiled for the widest registers there are.
    fn sweep(&self, lanes: &mut Lanes<L>) -> [f64; L]
    where
        Self: Sized,
    {
        vectorised(Sweep {
            coupling: self,
            lanes,
        })
    }
}

struct Sweep<'a, C, const L: usize> {
    coupling: &'a C,
    lanes: &'a mut Lanes<L>,
}

impl<C: Sweeps<L>, const L: usize> WithSimd for Sweep<'_, C, L> {
    type Output = [f64; L];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        self.coupling.sweep_with(simd, self.lanes)
    }
}

/// σ of every entry.
fn probabilities(log_odds: &Matrix) -> Matrix {
    let mut probabilities = log_odds.clone();
    let chunks = probabilities.values_mut().par_chunks_mut(CHUNK);
    chunks.for_each(|chunk| vectorised(Sigmoids(chunk)));
    probabilities
}

struct Sigmoids<'a>(&'a mut [f64]);

impl NullaryFnOnce for Sigmoids<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for value in self.0 {
            *value = sigmoid(*value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(rows: usize, columns: usize, scale: f64, seed: u64) -> Matrix {
        let mut stream = crate::Seed::new(seed).stream();
        Matrix::from_fn(rows, columns, |_, _| scale * (stream.uniform() - 0.5))
    }

    /// F(q) of one row.
    fn free_energy(a: &Matrix, b: &[f64], p: &[f64]) -> f64 {
        let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        (0..b.len())
            .map(|j| {
                let couplings: f64 = (0..j).map(|k| a[(j, k)] * p[k]).sum();
                (0.5 * a[(j, j)] - b[j] + couplings) * p[j] + entropy(p[j]) + entropy(1.0 - p[j])
            })
            .sum()
    }

    /// Sweeps a few rows and looks at the free energy of each after every sweep.
    fn assert_descent<S: Sweeps<L>, const L: usize>(
        coupling: &S,
        a: &Matrix,
        sums: Option<&Matrix>,
    ) {
        let labels = a.rows();
        let (mut b, mut p) = (
            random(3, labels, 8.0, 2),
            probabilities(&random(3, labels, 6.0, 3)),
        );
        let evidence = b.clone();
        let diagonal: Vec<f64> = (0..labels).map(|j| a[(j, j)]).collect();
        let rows = Rows {
            diagonal: &diagonal,
            fields: b.values_mut(),
            probabilities: p.values_mut(),
            sums,
            first: 0,
        };
        let mut lanes = Lanes::<L>::new(coupling.padded_labels(), sums.map_or(0, Matrix::columns));
        assert!(lanes.take_rows(&rows));
        let energies = |lanes: &Lanes<L>| -> Vec<f64> {
            let marginals = |row: usize| lanes.marginals[..labels].iter().map(move |m| m[row]);
            (0..3)
                .map(|row| free_energy(a, evidence.row(row), &marginals(row).collect::<Vec<_>>()))
                .collect()
        };
        let first = energies(&lanes);
        let mut before = first.clone();
        for _ in 0..30 {
            coupling.sweep(&mut lanes);
            let after = energies(&lanes);
            for (before, after) in before.iter().zip(&after) {
                assert!(
                    *after <= before + 1e-9 * before.abs(),
                    "{before} rose to {after}"
                );
            }
            before = after;
        }
        assert!(before.iter().zip(&first).all(|(last, first)| last < first));
    }

    #[test]
    fn no_sweep_raises_the_free_energy() {
        for (labels, columns) in [(7, 2), (7, 7), (30, 5), (30, 20)] {
            let w = random(labels, columns, 3.0, 1);
            let a = multiply_by_transposed(&w, &w);
            assert_descent(&Dense::new(&a), &a, None);
            let start = probabilities(&random(3, labels, 6.0, 3));
            let sums = multiply(start.view(), w.view());
            assert_descent(&LowRank::new(w), &a, Some(&sums));
        }
    }

    #[test]
    fn both_forms_of_the_coupling_find_the_same_marginals() {
        // On both sides of where one takes over from the other, and without any projections.
        for columns in [0, 1, 6, 10, 11, 30] {
            let w = random(21, columns, 2.0, 4);
            let (b, log_odds) = (random(700, 21, 8.0, 5), random(700, 21, 6.0, 6));
            let dense = MeanField::dense(&w).marginals(b.clone(), &log_odds);
            let low_rank = MeanField::low_rank(w).marginals(b, &log_odds);
            let pairs = dense.probabilities.values().iter();
            for (x, y) in pairs.zip(low_rank.probabilities.values()) {
                assert!((x - y).abs() < 1e-9, "{columns} columns: {x} {y}");
            }
        }
    }

    #[test]
    fn the_coupling_is_made_where_it_is_shorter_than_its_factor() {
        let is_dense = |columns: usize| {
            let mean_field = MeanField::new(random(20, columns, 1.0, 7));
            matches!(mean_field.coupling, Coupling::Dense(_))
        };
        assert_eq!([0, 9, 10, 30].map(is_dense), [false, false, true, true]);
    }
}
