//! Compressive sampling matching pursuit (Needell & Tropp 2008), the decoder of section 2.2.
//!
//! It finds a y with at most k entries whose codeword Vᵀy is close to ẑ. Everything it needs of V is in
//! the Gram matrix G = VVᵀ, computed once, and in c = Vẑ, one product for all rows:
//!
//! ```text
//! proxy                  V(ẑ − Vᵀy)      = c − Gy
//! least squares on T     G_TT·b          = c_T
//! squared residual       ‖ẑ − Vᵀy‖²      = ‖ẑ‖² − (c + (c − Gy))ᵀy
//! ```

use super::decoder::{CodeDecoding, Decode};
use super::measurements::Measurements;
use super::outputs::Outputs;
use super::{recover_rows, rounded};
use crate::code::Code;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::{Error, Prediction, Result};

/// Most rounds for a row. Rows that can be recovered take about log₂ of the ratio of
/// the signal to its noise.
const MOST_ROUNDS: usize = 50;

/// A round must lower the squared residual by this share of ‖ẑ‖², or it was the last: rounding of the Gram
/// form does not let smaller differences be seen.
const LEAST_PROGRESS: f64 = 1e-13;

/// A direction counts as dependent on those before it if less than this share of its squared length is its own.
const DEPENDENT: f64 = 1e-10;

/// CoSaMP for a measurement matrix Vᵀ and a sparsity k.
///
/// Each round adds the 2k entries on which the residual weighs most to the k there are, solves the least
/// squares problem on them, and keeps the k largest. Where the chosen directions are linearly dependent the
/// later ones, by the order in which they were chosen, stay zero. Of equal magnitudes the lower label comes
/// first.
#[derive(Debug, Clone)]
pub struct CoSaMp {
    measurements: Measurements,
    sparsity: usize,
}

impl CoSaMp {
    /// Prepares decoding with V (q×d) to at most `sparsity` labels, at least 1; more than q are as good as q.
    pub fn new(projections: &Matrix, sparsity: usize) -> Result<Self> {
        if sparsity == 0 {
            return Err(Error::Parameter {
                parameter: "sparsity",
                expected: "at least 1".into(),
                found: sparsity.to_string(),
            });
        }
        Ok(Self {
            measurements: Measurements::new(projections)?,
            sparsity: sparsity.min(projections.rows()),
        })
    }

    /// Decodes predictions ẑ of Vᵀy, n×d.
    pub fn decode(&self, codewords: &Matrix) -> Result<Prediction> {
        let correlations = self.measurements.correlations(codewords)?;
        let recovered = recover_rows(
            codewords.rows(),
            self.measurements.labels(),
            || Pursuit::new(self.measurements.gram(), self.sparsity),
            |pursuit, row, y| {
                let z = codewords.row(row);
                pursuit.recover(correlations.row(row), dot(z, z), y);
            },
        );
        rounded(recovered)
    }
}

impl Decode for CoSaMp {
    const PROBABILITIES: bool = false;

    fn labels(&self) -> usize {
        self.measurements.labels()
    }

    fn outputs(&self) -> usize {
        self.measurements.entries()
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        self.decode(&outputs.numbers)
    }

    fn of_code(code: &Code, params: &CodeDecoding) -> Option<Result<Self>> {
        Some(Self::new(&code.projections, params.sparsity))
    }

    fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
        file.value("sparsity", self.sparsity);
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let sparsity = parts.value("sparsity")?;
        Ok(Self::new(&parts.code()?.projections, sparsity)?)
    }
}

/// The buffers of one row's pursuit.
struct Pursuit<'a> {
    gram: &'a Matrix,
    sparsity: usize,
    /// c − Gy for the present y.
    proxy: Vec<f64>,
    /// All labels, of which the first few are chosen in each round.
    order: Vec<usize>,
    /// The labels with a nonzero entry.
    support: Vec<usize>,
    chosen: Vec<usize>,
    is_chosen: Vec<bool>,
    candidate: Vec<f64>,
    entries: Vec<(usize, f64)>,
    system: LeastSquares,
}

impl<'a> Pursuit<'a> {
    fn new(gram: &'a Matrix, sparsity: usize) -> Self {
        let labels = gram.rows();
        Self {
            gram,
            sparsity,
            proxy: vec![0.0; labels],
            order: (0..labels).collect(),
            support: Vec::with_capacity(sparsity),
            chosen: Vec::with_capacity(labels),
            is_chosen: vec![false; labels],
            candidate: Vec::with_capacity(labels),
            entries: Vec::with_capacity(labels),
            system: LeastSquares::default(),
        }
    }

    /// Recovers y, given as zeros, from c = Vẑ and ‖ẑ‖².
    fn recover(&mut self, correlations: &[f64], squared_norm: f64, y: &mut [f64]) {
        self.support.clear();
        self.proxy.copy_from_slice(correlations);
        let mut residual = squared_norm;
        for _ in 0..MOST_ROUNDS {
            self.choose();
            self.system.solve(self.gram, &self.chosen, correlations);
            self.prune();
            self.update_proxy(correlations);
            let explained: f64 = self
                .chosen
                .iter()
                .zip(&self.candidate)
                .map(|(&j, value)| (correlations[j] + self.proxy[j]) * value)
                .sum();
            let next = squared_norm - explained;
            if next > residual - LEAST_PROGRESS * squared_norm {
                break;
            }
            residual = next;
            self.accept(y);
        }
    }

    /// The present support, then the 2k labels of largest proxy that are not in it already.
    fn choose(&mut self) {
        let Self { proxy, order, .. } = self;
        let wanted = (2 * self.sparsity).min(order.len());
        keep_largest(order, wanted, |j| proxy[j]);
        self.chosen.clear();
        self.chosen.extend_from_slice(&self.support);
        for &j in &self.support {
            self.is_chosen[j] = true;
        }
        let new = order[..wanted].iter().filter(|&&j| !self.is_chosen[j]);
        self.chosen.extend(new);
        for &j in &self.support {
            self.is_chosen[j] = false;
        }
    }

    /// The k largest entries of the least squares solution, as `chosen` and `candidate`.
    fn prune(&mut self) {
        let pairs = self.chosen.iter().zip(&self.system.solution);
        self.entries.clear();
        self.entries.extend(pairs.map(|(&j, &value)| (j, value)));
        self.entries.sort_unstable_by(|(i, x), (j, y)| {
            let by_size = y.abs().total_cmp(&x.abs());
            by_size.then(i.cmp(j))
        });
        self.entries.truncate(self.sparsity);
        self.chosen.clear();
        self.chosen.extend(self.entries.iter().map(|(j, _)| j));
        self.candidate.clear();
        self.candidate
            .extend(self.entries.iter().map(|(_, value)| value));
    }

    fn update_proxy(&mut self, correlations: &[f64]) {
        self.proxy.copy_from_slice(correlations);
        for (&j, &value) in self.chosen.iter().zip(&self.candidate) {
            add_scaled(&mut self.proxy, -value, self.gram.row(j));
        }
    }

    fn accept(&mut self, y: &mut [f64]) {
        for &j in &self.support {
            y[j] = 0.0;
        }
        self.support.clear();
        self.support.extend_from_slice(&self.chosen);
        for (&j, &value) in self.chosen.iter().zip(&self.candidate) {
            y[j] = value;
        }
    }
}

/// Brings the `kept` labels of largest magnitude to the front, in descending order.
fn keep_largest(order: &mut [usize], kept: usize, value: impl Fn(usize) -> f64) {
    let descending = |a: &usize, b: &usize| {
        let by_size = value(*b).abs().total_cmp(&value(*a).abs());
        by_size.then(a.cmp(b))
    };
    if 0 < kept && kept < order.len() {
        order.select_nth_unstable_by(kept - 1, descending);
    }
    order[..kept].sort_unstable_by(descending);
}

/// G_TT·b = c_T by a Cholesky factor that leaves out dependent columns.
#[derive(Debug, Default)]
struct LeastSquares {
    /// The lower triangle of L, row by row.
    factor: Vec<f64>,
    solution: Vec<f64>,
}

impl LeastSquares {
    fn solve(&mut self, gram: &Matrix, chosen: &[usize], right: &[f64]) {
        self.factorise(gram, chosen);
        self.solution.clear();
        self.solution.extend(chosen.iter().map(|&j| right[j]));
        self.substitute();
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.factor[i * (i + 1) / 2..][..=i]
    }

    /// L with LLᵀ = G_TT; a dependent direction gets an empty row, which has zero on its diagonal.
    fn factorise(&mut self, gram: &Matrix, chosen: &[usize]) {
        self.factor.clear();
        for (i, &label) in chosen.iter().enumerate() {
            let start = self.factor.len();
            for (k, &other) in chosen[..i].iter().enumerate() {
                let above = self.row(k);
                let pivot = above[k];
                let entry = if pivot > 0.0 {
                    (gram[(label, other)] - dot(&self.factor[start..], &above[..k])) / pivot
                } else {
                    0.0
                };
                self.factor.push(entry);
            }
            let own = &self.factor[start..];
            let square = gram[(label, label)];
            let left = square - dot(own, own);
            if left > DEPENDENT * square {
                self.factor.push(left.sqrt());
            } else {
                self.factor[start..].fill(0.0);
                self.factor.push(0.0);
            }
        }
    }

    /// Solves LLᵀb = c in place, with zero where L has an empty row.
    fn substitute(&mut self) {
        let mut solution = std::mem::take(&mut self.solution);
        for i in 0..solution.len() {
            let row = self.row(i);
            let rest = solution[i] - dot(&row[..i], &solution[..i]);
            solution[i] = if row[i] > 0.0 { rest / row[i] } else { 0.0 };
        }
        for i in (0..solution.len()).rev() {
            let row = self.row(i);
            if row[i] > 0.0 {
                solution[i] /= row[i];
            }
            let value = solution[i];
            let (before, _) = solution.split_at_mut(i);
            add_scaled(before, -value, &row[..i]);
        }
        self.solution = solution;
    }
}
