//! The most violated constraint of every sample.
//!
//! With δ = z − y, the slack that sample i needs at the metric Q is
//!
//! ```text
//! h_i(Q) = max over z of  (2Qe + g)ᵀδ − δᵀQδ  =  max bᵀz − zᵀQz + const,   b = g + 2Qŷ
//! ```
//!
//! over the unit cube (32), a concave problem, or over its corners (27), by enumeration. At the maximiser the
//! derivative with respect to δ is r = b − 2Qz, and h = rᵀδ + δᵀQδ, which avoids cancellation of large terms.

use rayon::prelude::*;

use super::box_qp::BoxQp;
use super::{Problem, Separation};
use crate::data::Matrix;
use crate::decode::Enumeration;
use crate::linalg::{dot, multiply};
use crate::{Result, check_stop};

/// Samples per parallel task.
const CHUNK: usize = 64;

/// The most violated constraints at a metric.
#[derive(Debug, Clone)]
pub(super) struct Violated {
    /// z of every sample, n×q.
    pub(super) points: Matrix,
    /// A certified upper bound on h of every sample: its value at z plus the excess of z.
    pub(super) slacks: Vec<f64>,
}

impl Violated {
    /// Separates every sample at the metric Q, starting from the points `start` of the cube.
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

    /// The most violated points of the cube (32).
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
                // The missing points are never used: the solver fails once the flag is raised.
                if check_stop().is_err() {
                    return;
                }
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

    /// The most violated corners of the cube (27).
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
    pub(super) fn mean_slack(&self, problem: &Problem) -> f64 {
        problem.mean(&self.slacks)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{
        cube_points, definite, largest_quadratic, problem, quadratic, required_slack, rows_of,
        semidefinite, stream,
    };

    const BOTH: [Separation; 2] = [Separation::Relaxed, Separation::Exact];

    fn corner(code: usize, labels: usize) -> Vec<f64> {
        (0..labels).map(|j| (code >> j & 1) as f64).collect()
    }

    proptest! {
        #[test]
        fn the_slack_over_the_cube_is_the_maximum_over_its_faces(
            (labels, rank) in (1usize..5, 0usize..5),
            seed: u64,
        ) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 3, labels, 10.0);
            let metric = semidefinite(&mut stream, labels, rank.min(labels));
            let start = cube_points(&mut stream, 3, labels);
            let violated = Violated::in_cube(&problem, &metric, &start);
            let linear = linear_terms(&problem, &metric);
            for row in 0..3 {
                let b = linear.row(row);
                let (slack, point) = (violated.slacks[row], violated.points.row(row));
                let expected = largest_quadratic(&metric, b)
                    - quadratic(&metric, b, problem.truth().row(row));
                let size = 1.0 + b.iter().map(|b| b.abs()).sum::<f64>();
                prop_assert!((slack - expected).abs() <= 1e-10 * size, "{slack} {expected}");
                prop_assert!((slack - required_slack(&problem, &metric, row, point)).abs() <= 1e-10 * size);
                prop_assert!(point.iter().all(|z| (0.0..=1.0).contains(z)));
            }
        }

        #[test]
        fn the_slack_over_corners_is_their_maximum(
            (labels, rank) in (1usize..8, 0usize..8),
            seed: u64,
        ) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 4, labels, 10.0);
            let metric = semidefinite(&mut stream, labels, rank.min(labels));
            let exact = Violated::at(&problem, Separation::Exact, &metric, problem.truth()).unwrap();
            let relaxed = Violated::in_cube(&problem, &metric, problem.truth());
            for row in 0..4 {
                let demands = (0..1 << labels).map(|code| {
                    required_slack(&problem, &metric, row, &corner(code, labels))
                });
                let expected = demands.fold(f64::NEG_INFINITY, f64::max);
                let slack = exact.slacks[row];
                let point = exact.points.row(row);
                prop_assert!((slack - expected).abs() <= 1e-10 * (1.0 + expected));
                prop_assert!(point.iter().all(|z| *z == 0.0 || *z == 1.0));
                prop_assert!((required_slack(&problem, &metric, row, point) - slack).abs() <= 1e-10 * (1.0 + slack));
                prop_assert!(slack <= relaxed.slacks[row] + 1e-10 * (1.0 + slack));
            }
        }

        #[test]
        fn no_slack_is_negative_or_below_that_of_any_point(seed: u64, rank in 0usize..9) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 5, 8, 10.0);
            let metric = semidefinite(&mut stream, 8, rank);
            let violated = Violated::in_cube(&problem, &metric, problem.truth());
            let others = cube_points(&mut stream, 5, 8);
            for (row, slack) in violated.slacks.iter().enumerate() {
                let required_slack = required_slack(&problem, &metric, row, others.row(row));
                prop_assert!(*slack >= -1e-12 && required_slack <= slack + 1e-10 * (1.0 + slack));
            }
        }
    }

    #[test]
    fn separation_does_not_depend_on_the_position_of_a_sample() {
        let mut stream = stream(4);
        let all = problem(&mut stream, 130, 4, 10.0);
        let metric = definite(&mut stream, 4);
        for rows in [63, 64, 65, 130] {
            let chosen: Vec<usize> = (0..rows).collect();
            let some = rows_of(&all, &chosen);
            for separation in BOTH {
                let together = Violated::at(&some, separation, &metric, some.truth()).unwrap();
                assert_eq!(together.slacks.len(), rows);
                for row in 0..rows {
                    let single = rows_of(&all, &[row]);
                    let alone = Violated::at(&single, separation, &metric, single.truth()).unwrap();
                    assert!((alone.slacks[0] - together.slacks[row]).abs() < 1e-12);
                    for (a, b) in alone.points.row(0).iter().zip(together.points.row(row)) {
                        assert!((a - b).abs() < 1e-10, "row {row} of {rows}: {a} {b}");
                    }
                }
                let mean = together.slacks.iter().sum::<f64>() / rows as f64;
                assert_eq!(together.mean_slack(&some), mean);
            }
        }
    }

    #[test]
    fn results_are_bitwise_equal_for_any_number_of_threads() {
        let mut stream = stream(5);
        let problem = problem(&mut stream, 300, 5, 10.0);
        let metric = semidefinite(&mut stream, 5, 3);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let work = || Violated::in_cube(&problem, &metric, problem.truth());
            let violated = pool.unwrap().install(work);
            (violated.points, violated.slacks)
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}
