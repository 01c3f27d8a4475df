//! Penalised least squares in label space, eq. 11.
//!
//! ```text
//! minimise  ½‖Vᵀy − ẑ‖² + λ‖y‖₁   =   ½yᵀGy − cᵀy + λ‖y‖₁ + const,     G = VVᵀ, c = Vẑ
//! ```
//!
//! by coordinate descent on the Gram form. With g = Gy − c a coordinate is optimal at
//! y_j = S(y_j·G_jj − g_j, λ)/G_jj, where S shrinks towards zero by λ; a change costs one row of G.
//!
//! Descent soon finds which coordinates are not zero, and their signs, but may creep towards their values if
//! directions depend on each other. With the signs s fixed these solve G·y = c − λs among the coordinates A that
//! are not zero: now and then the descent jumps there, or as far as no sign changes.

use super::decoder::{CodeDecoding, Decode};
use super::measurements::Measurements;
use super::outputs::Outputs;
use super::{recover_rows, rounded};
use crate::code::Code;
use crate::data::Matrix;
use crate::linalg::{add_scaled, small};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::{Error, Prediction, Result};

/// Optimality: |g_j + λ·sign(y_j)| where y_j ≠ 0, and |g_j| − λ elsewhere, are at most this share of the
/// largest |c_j|.
const TOLERANCE: f64 = 1e-9;

/// Sweeps between two jumps.
const SWEEPS_PER_JUMP: usize = 20;

/// What is added to the diagonal of G for a jump, relatively: with more coordinates than projections it is singular.
const RIDGE: f64 = 1e-12;

/// Coordinate updates per label after which a row is left as it is.
const MOST_UPDATES_PER_LABEL: usize = 10_000;

/// ℓ1 decoding with V and a penalty λ.
#[derive(Debug, Clone)]
pub struct L1 {
    measurements: Measurements,
    penalty: f64,
}

impl L1 {
    /// Prepares decoding with V (q×d) and λ ≥ 0.
    pub fn new(projections: &Matrix, penalty: f64) -> Result<Self> {
        if !(penalty.is_finite() && penalty >= 0.0) {
            return Err(Error::Parameter {
                parameter: "penalty",
                expected: "a finite number that is not negative".into(),
                found: penalty.to_string(),
            });
        }
        Ok(Self {
            measurements: Measurements::new(projections)?,
            penalty,
        })
    }

    /// Decodes predictions ẑ of Vᵀy, n×d.
    pub fn decode(&self, codewords: &Matrix) -> Result<Prediction> {
        let correlations = self.measurements.correlations(codewords)?;
        let recovered = recover_rows(
            codewords.rows(),
            self.measurements.labels(),
            || Descent::new(self.measurements.gram(), self.penalty),
            |descent, row, y| descent.minimise(correlations.row(row), y),
        );
        rounded(recovered)
    }
}

impl Decode for L1 {
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
        Some(Self::new(&code.projections, params.penalty))
    }

    fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
        file.value("penalty", self.penalty);
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let penalty = parts.value("penalty")?;
        Ok(Self::new(&parts.code()?.projections, penalty)?)
    }
}

/// The buffers of one row's descent.
struct Descent<'a> {
    gram: &'a Matrix,
    penalty: f64,
    /// g = Gy − c.
    gradient: Vec<f64>,
    active: Vec<usize>,
    updates_left: usize,
    /// A, the factor of G there, and the step of the jump.
    support: Vec<usize>,
    factor: Vec<f64>,
    way: Vec<f64>,
}

impl<'a> Descent<'a> {
    fn new(gram: &'a Matrix, penalty: f64) -> Self {
        Self {
            gram,
            penalty,
            gradient: vec![0.0; gram.rows()],
            active: Vec::with_capacity(gram.rows()),
            updates_left: 0,
            support: Vec::with_capacity(gram.rows()),
            factor: Vec::with_capacity(gram.rows() * gram.rows()),
            way: Vec::with_capacity(gram.rows()),
        }
    }

    /// Minimises from y = 0: descent on the coordinates that are not optimal, until all are.
    fn minimise(&mut self, correlations: &[f64], y: &mut [f64]) {
        for (g, c) in self.gradient.iter_mut().zip(correlations) {
            *g = -c;
        }
        let largest = correlations.iter().fold(0.0, |a: f64, c| a.max(c.abs()));
        let tolerance = TOLERANCE * largest;
        self.updates_left = MOST_UPDATES_PER_LABEL * y.len();
        while self.choose_active(tolerance, y) {
            for sweep in 1.. {
                if self.sweep(y) <= tolerance {
                    break;
                }
                if self.updates_left == 0 {
                    return;
                }
                if sweep % SWEEPS_PER_JUMP == 0 {
                    self.jump(y);
                }
            }
        }
    }

    /// Selects the coordinates that are not zero or not optimal; returns whether any is not optimal.
    fn choose_active(&mut self, tolerance: f64, y: &[f64]) -> bool {
        let mut any = false;
        self.active.clear();
        for (j, &value) in y.iter().enumerate() {
            let violates = self.violation(j, value) > tolerance;
            if violates || value != 0.0 {
                self.active.push(j);
            }
            any |= violates;
        }
        any && self.updates_left > 0
    }

    /// Minimises along each active coordinate in turn; returns the largest violation that was met.
    fn sweep(&mut self, y: &mut [f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for &j in &self.active {
            let violation = self.violation(j, y[j]);
            if violation > 0.0 {
                largest = largest.max(violation);
                let curvature = self.gram[(j, j)];
                let best = shrunk(y[j] * curvature - self.gradient[j], self.penalty) / curvature;
                add_scaled(&mut self.gradient, best - y[j], self.gram.row(j));
                y[j] = best;
            }
        }
        self.updates_left = self.updates_left.saturating_sub(self.active.len());
        largest
    }

    /// Moves the coordinates that are not zero to their minimiser with signs fixed, or to where the first of
    /// them becomes zero. Never uphill.
    fn jump(&mut self, y: &mut [f64]) {
        self.support.clear();
        self.support.extend((0..y.len()).filter(|&j| y[j] != 0.0));
        let size = self.support.len();
        self.factor.clear();
        for &j in &self.support {
            let row = self.gram.row(j);
            let entry = |&k: &usize| {
                if j == k {
                    row[k] * (1.0 + RIDGE)
                } else {
                    row[k]
                }
            };
            self.factor.extend(self.support.iter().map(entry));
        }
        if !small::factorise(&mut self.factor, size, 0.0) {
            return;
        }
        self.way.clear();
        let slopes = self.support.iter();
        self.way
            .extend(slopes.map(|&j| self.gradient[j] + self.penalty.copysign(y[j])));
        small::substitute(&self.factor, &mut self.way);
        let crossings = self
            .support
            .iter()
            .zip(&self.way)
            .map(|(&j, way)| y[j] / way);
        let share = crossings.filter(|share| *share > 0.0).fold(1.0, f64::min);
        for (&j, way) in self.support.iter().zip(&self.way) {
            let moved = y[j] - share * way;
            // Exactly zero where the sign would change, in spite of rounding.
            let end = if moved * y[j] > 0.0 { moved } else { 0.0 };
            add_scaled(&mut self.gradient, end - y[j], self.gram.row(j));
            y[j] = end;
        }
    }

    /// How far zero is from the subgradients of the objective along coordinate j.
    fn violation(&self, j: usize, value: f64) -> f64 {
        let gradient = self.gradient[j];
        if self.gram[(j, j)] <= 0.0 {
            // No projection depends on this label: its gradient is zero for any value.
            0.0
        } else if value == 0.0 {
            (gradient.abs() - self.penalty).max(0.0)
        } else {
            (gradient + self.penalty.copysign(value)).abs()
        }
    }
}

/// The soft threshold: x moved towards zero by the penalty, or zero.
fn shrunk(x: f64, penalty: f64) -> f64 {
    (x.abs() - penalty).max(0.0).copysign(x)
}
