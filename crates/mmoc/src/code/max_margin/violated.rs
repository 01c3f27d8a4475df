//! The most violated constraint of every sample.
//!
//! With δ = z − y, the slack that sample i needs at the metric Q is
//!
//! ```text
//! h_i(Q) = max over z of  (2Qe + g)ᵀδ − δᵀQδ  =  max bᵀz − zᵀQz + const,   b = g + 2Qŷ
//! ```
//!
//! over the unit cube (32), a concave problem, or over its corners (27), by enumeration. At the maximiser
//! the derivative in δ is r = b − 2Qz, and h = rᵀδ + δᵀQδ, in which nothing large cancels.

use rayon::prelude::*;

use super::box_qp::BoxQp;
use super::{Problem, Separation};
use crate::Result;
use crate::data::Matrix;
use crate::decode::Enumeration;
use crate::linalg::{dot, multiply};

/// Samples that one thread separates at a time.
const CHUNK: usize = 64;

/// The most violated constraints at a metric.
#[derive(Debug, Clone)]
pub(super) struct Violated {
    /// z of every sample, n×q.
    pub(super) points: Matrix,
    /// A certain upper bound of h of every sample: its value at z and what z may lack.
    pub(super) slacks: Vec<f64>,
}

impl Violated {
    /// Separates every sample at the metric Q. `start` has points of the cube to start from.
    pub(super) fn at(
        problem: &Problem,
        separation: Separation,
        metric: &Matrix,
        start: &Matrix,
    ) -> Result<Self> {
        match separation {
            Separation::Relaxed => Ok(Self::in_cube(problem, metric, start)),
            Separation::Exact => Self::at_corners(problem, metric),
        }
    }

    /// The points of the cube that violate most (32).
    pub(super) fn in_cube(problem: &Problem, metric: &Matrix, start: &Matrix) -> Self {
        let labels = problem.labels();
        let linear = linear_terms(problem, metric);
        let mut points = start.clone();
        let mut slacks = vec![0.0; problem.rows()];
        let chunks = points.values_mut().par_chunks_mut(CHUNK * labels);
        chunks
            .zip(slacks.par_chunks_mut(CHUNK))
            .enumerate()
            .for_each(|(chunk, (points, slacks))| {
                let mut box_qp = BoxQp::new(metric);
                let mut delta = vec![0.0; labels];
                for (offset, z) in points.chunks_exact_mut(labels).enumerate() {
                    let row = chunk * CHUNK + offset;
                    let excess = box_qp.maximise(linear.row(row), z);
                    subtract(z, problem.truth().row(row), &mut delta);
                    slacks[offset] = value(metric, &delta, box_qp.gradient()) + excess;
                }
            });
        Self { points, slacks }
    }

    /// The corners of the cube that violate most (27).
    fn at_corners(problem: &Problem, metric: &Matrix) -> Result<Self> {
        let labels = problem.labels();
        let linear = linear_terms(problem, metric);
        let doubled = Matrix::from_fn(labels, labels, |j, k| 2.0 * metric[(j, k)]);
        let points = Enumeration::new(&doubled).minimisers(&linear)?.to_matrix();
        let mut delta = vec![0.0; labels];
        let slacks = (0..problem.rows()).map(|row| {
            subtract(points.row(row), problem.truth().row(row), &mut delta);
            let mut gradient = linear.row(row).to_vec();
            for (j, r) in gradient.iter_mut().enumerate() {
                *r -= 2.0 * dot(metric.row(j), points.row(row));
            }
            value(metric, &delta, &gradient).max(0.0)
        });
        Ok(Self {
            slacks: slacks.collect(),
            points,
        })
    }

    /// The mean slack.
    pub(super) fn mean_slack(&self) -> f64 {
        self.slacks.iter().sum::<f64>() / self.slacks.len() as f64
    }
}

/// b of every sample.
fn linear_terms(problem: &Problem, metric: &Matrix) -> Matrix {
    let mut linear = multiply(problem.predictions().view(), metric.view());
    for (b, gain) in linear.values_mut().iter_mut().zip(problem.gains().values()) {
        *b = gain + 2.0 * *b;
    }
    linear
}

fn subtract(a: &[f64], b: &[f64], difference: &mut [f64]) {
    for (difference, (a, b)) in difference.iter_mut().zip(a.iter().zip(b)) {
        *difference = a - b;
    }
}

/// h = rᵀδ + δᵀQδ.
fn value(metric: &Matrix, delta: &[f64], gradient: &[f64]) -> f64 {
    let moved = delta.iter().enumerate().filter(|(_, delta)| **delta != 0.0);
    moved
        .map(|(j, d)| d * (gradient[j] + dot(metric.row(j), delta)))
        .sum()
}
