//! A lower bound on the objective from arbitrary points of the cube.
//!
//! Let Δ have the rows δ_i = z_i − y_i of any points z_i of the cube. Since h_i is a maximum,
//! h_i(Q) ≥ g_iᵀδ_i + ⟨Q, e_iδ_iᵀ + δ_ie_iᵀ − δ_iδ_iᵀ⟩, and so for every Q ⪰ 0
//!
//! ```text
//! F(Q)/C  ≥  mean gᵀδ + ⟨Q, S⟩      S = εI + mean(eδᵀ + δeᵀ − δδᵀ)
//! ```
//!
//! which is at least mean gᵀδ wherever S ⪰ 0. Points that violate S ⪰ 0 are scaled towards the true labels: tΔ has
//! S(t) = εI + tA − t²B. The t with S(t) ⪰ 0 form an interval from zero, since xᵀS(t)x is concave in t and positive
//! at zero. With exact separation tΔ is no corner of the cube, but the constraints at z and y with weights t and 1
//! − t prove the same bound with S(t) = εI + t(A − B). [`super::feasible_scale`] finds the end of the interval.

use rayon::prelude::*;

use super::feasible_scale::Family;
use super::{Problem, Separation};
use crate::data::Matrix;
use crate::linalg::{Cholesky, add_scaled};

/// Labels per parallel task in sums over samples.
const LABELS_PER_TASK: usize = 16;

/// The lower bound that points of the cube prove.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    /// S at the points themselves, q×q: the gradient of F/C if the points are the most violated ones.
    pub(super) dual: Matrix,
    /// The lower bound on F/C; zero if it is no better than the known one.
    pub(super) bound: f64,
}

impl Certificate {
    /// The bound from the points z, n×q.
    pub(super) fn new(problem: &Problem, separation: Separation, points: &Matrix) -> Self {
        Self::beyond(problem, separation, points, 0.0)
    }

    /// The bound from the points z, n×q, if it exceeds the known bound on F/C.
    pub(super) fn beyond(
        problem: &Problem,
        separation: Separation,
        points: &Matrix,
        known: f64,
    ) -> Self {
        let moments = Moments::new(problem, points);
        let family = moments.family(problem.price(), separation);
        let dual = family.at(1.0);
        let bound = if moments.gain <= known {
            0.0
        } else if is_definite(&dual, family.margin) {
            moments.gain
        } else {
            let scale = family.largest(known / moments.gain);
            moments.gain * scale.unwrap_or(0.0)
        };
        Self { dual, bound }
    }
}

/// Means over samples.
struct Moments {
    /// A = mean(eδᵀ + δeᵀ).
    cross: Matrix,
    /// B = mean δδᵀ.
    square: Matrix,
    /// Mean gᵀδ.
    gain: f64,
}

impl Moments {
    fn new(problem: &Problem, points: &Matrix) -> Self {
        let size = problem.labels();
        let (mut cross, mut square) = (Matrix::zeros(size, size), Matrix::zeros(size, size));
        let pieces = cross.values_mut().par_chunks_mut(LABELS_PER_TASK * size);
        let gains: Vec<f64> = pieces
            .zip(square.values_mut().par_chunks_mut(LABELS_PER_TASK * size))
            .enumerate()
            .map(|(piece, (cross, square))| {
                add_samples(problem, points, piece * LABELS_PER_TASK, cross, square)
            })
            .collect();
        let cross = Matrix::from_fn(size, size, |j, k| cross[(j, k)] + cross[(k, j)]);
        Self {
            cross,
            square,
            gain: gains.iter().sum(),
        }
    }

    /// Bound on the rounding error of an eigenvalue of S: for each label, one unit in the last place of each term
    /// of S.
    fn rounding(&self, price: f64) -> f64 {
        let size = self.cross.rows();
        let terms = (0..size).map(|j| price + self.cross[(j, j)].abs() + self.square[(j, j)]);
        size as f64 * f64::EPSILON * terms.fold(0.0, f64::max)
    }

    /// S(t).
    fn family(&self, price: f64, separation: Separation) -> Family<'_> {
        Family {
            separation,
            price,
            cross: &self.cross,
            square: &self.square,
            margin: self.rounding(price),
        }
    }
}

/// Adds to rows `first`.. of mean δeᵀ and mean δδᵀ; returns these labels' contribution to mean gᵀδ.
fn add_samples(
    problem: &Problem,
    points: &Matrix,
    first: usize,
    cross: &mut [f64],
    square: &mut [f64],
) -> f64 {
    let size = problem.labels();
    let own = first..first + cross.len() / size;
    let mut delta = vec![0.0; size];
    let mut gain = 0.0;
    for row in 0..problem.rows() {
        let share = problem.share(row);
        let pairs = points.row(row).iter().zip(problem.truth().row(row));
        for (delta, (z, y)) in delta.iter_mut().zip(pairs) {
            *delta = z - y;
        }
        let sums = cross
            .chunks_exact_mut(size)
            .zip(square.chunks_exact_mut(size));
        for (j, (cross, square)) in own.clone().zip(sums) {
            let weight = share * delta[j];
            if weight != 0.0 {
                gain += weight * problem.gains()[(row, j)];
                add_scaled(cross, weight, problem.residuals().row(row));
                add_scaled(square, weight, &delta);
            }
        }
    }
    gain
}

/// Whether every eigenvalue of a matrix is at least `margin`.
pub(super) fn is_definite(matrix: &Matrix, margin: f64) -> bool {
    let mut reduced = matrix.clone();
    (0..matrix.rows()).for_each(|j| reduced[(j, j)] -= margin);
    Cholesky::new(reduced.view()).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{
        any_problem, cube_points, definite, inner, moved, norm, problem, semidefinite, stream,
        symmetric,
    };
    use crate::code::max_margin::violated::Violated;
    use crate::linalg::symmetric_eigen;

    fn objective(problem: &Problem, separation: Separation, metric: &Matrix) -> f64 {
        let violated = Violated::at(problem, separation, metric, problem.truth()).unwrap();
        problem.objective(metric, violated.mean_slack(problem))
    }

    /// The gradient at a metric.
    fn dual(problem: &Problem, separation: Separation, metric: &Matrix) -> Matrix {
        let violated = Violated::at(problem, separation, metric, problem.truth()).unwrap();
        Certificate::new(problem, separation, &violated.points).dual
    }

    fn lowest_eigenvalue(matrix: &Matrix) -> f64 {
        let eigen = symmetric_eigen(matrix.clone()).unwrap();
        eigen.values[matrix.rows() - 1]
    }

    fn separation() -> impl Strategy<Value = Separation> {
        prop::sample::select(vec![Separation::Relaxed, Separation::Exact])
    }

    proptest! {
        #[test]
        fn the_dual_is_the_gradient(labels in 1usize..6, seed: u64) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, 6, labels, 10.0);
            let metric = definite(&mut stream, labels);
            let along = symmetric(&mut stream, labels);
            // F is differentiable at definite metrics, and its gradient is Lipschitz continuous.
            let step = 1e-6 / norm(&along);
            let at = |t: f64| objective(&problem, Separation::Relaxed, &moved(&metric, t, &along));
            let slope = (at(step) - at(-step)) / (2.0 * step);
            let expected = inner(&dual(&problem, Separation::Relaxed, &metric), &along);
            prop_assert!((slope - expected).abs() <= 1e-3 * norm(&along), "{slope} {expected}");
        }

        #[test]
        fn the_objective_lies_above_its_tangents(
            (labels, seed) in (1usize..6, any::<u64>()),
            separation in separation(),
            (rank, other_rank) in (0usize..6, 0usize..6),
        ) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, 6, labels, 10.0);
            let here = semidefinite(&mut stream, labels, rank);
            let there = semidefinite(&mut stream, labels, other_rank);
            let way = moved(&there, -1.0, &here);
            let tangent = objective(&problem, separation, &here)
                + inner(&dual(&problem, separation, &here), &way);
            let value = objective(&problem, separation, &there);
            prop_assert!(tangent <= value + 1e-9 * (1.0 + norm(&here) + norm(&there)), "{tangent} {value}");
        }

        #[test]
        fn no_metric_has_an_objective_below_the_bound(
            (labels, seed) in (1usize..6, any::<u64>()),
            separation in separation(),
            c in prop::sample::select(vec![0.1, 10.0, 1e6]),
            (guess, scale) in (-2i32..4, -3i32..5),
        ) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, 6, labels, c);
            let mut near = semidefinite(&mut stream, labels, labels);
            near.values_mut().iter_mut().for_each(|v| *v *= 10f64.powi(guess));
            let violated = Violated::at(&problem, separation, &near, problem.truth()).unwrap();
            let mut random = cube_points(&mut stream, 6, labels);
            if separation == Separation::Exact {
                random.values_mut().iter_mut().for_each(|z| *z = z.round());
            }
            for points in [violated.points, random] {
                let bound = Certificate::new(&problem, separation, &points).bound;
                prop_assert!(bound >= 0.0);
                for rank in 0..=labels {
                    let mut metric = semidefinite(&mut stream, labels, rank);
                    metric.values_mut().iter_mut().for_each(|v| *v *= 10f64.powi(scale));
                    let value = objective(&problem, separation, &metric);
                    prop_assert!(bound <= value * (1.0 + 1e-9), "{bound} {value}");
                }
                let value = objective(&problem, separation, &near);
                prop_assert!(bound <= value * (1.0 + 1e-9), "{bound} {value}");
            }
        }

        #[test]
        fn the_scale_is_the_largest_feasible_one(
            (labels, seed) in (1usize..6, any::<u64>()),
            separation in separation(),
            c in prop::sample::select(vec![0.1, 10.0, 1e6]),
        ) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 6, labels, c);
            let violated = Violated::at(&problem, separation, &Matrix::zeros(labels, labels), problem.truth());
            let points = violated.unwrap().points;
            let certificate = Certificate::new(&problem, separation, &points);
            let moments = Moments::new(&problem, &points);
            prop_assume!(moments.gain > 1e-3);
            let scale = certificate.bound / moments.gain;
            let lowest = |t: f64| lowest_eigenvalue(&moments.family(problem.price(), separation).at(t));
            prop_assert!(scale <= 1.0 && lowest(scale) >= 0.0);
            prop_assert!(scale == 1.0 || lowest(scale * (1.0 + 1e-6) + 1e-8) < 0.0, "{scale}");
        }

        #[test]
        fn with_a_known_bound_the_result_is_the_same_or_zero(
            (labels, seed) in (1usize..6, any::<u64>()),
            separation in separation(),
            share in prop::sample::select(vec![0.1, 0.9, 0.999_999, 1.000_001, 2.0]),
        ) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 6, labels, 10.0);
            let zero = Matrix::zeros(labels, labels);
            let points = Violated::at(&problem, separation, &zero, problem.truth()).unwrap().points;
            let all = Certificate::new(&problem, separation, &points);
            let found = Certificate::beyond(&problem, separation, &points, share * all.bound);
            let expected = if share < 1.0 { all.bound } else { 0.0 };
            prop_assert!((found.bound - expected).abs() <= 1e-8 * all.bound);
            prop_assert_eq!(found.dual, all.dual);
        }
    }

    #[test]
    fn the_true_labels_give_a_zero_bound() {
        let problem = problem(&mut stream(6), 5, 3, 10.0);
        let certificate = Certificate::new(&problem, Separation::Relaxed, problem.truth());
        assert_eq!(certificate.bound, 0.0);
        let identity = Matrix::from_fn(3, 3, |j, k| if j == k { 0.05 } else { 0.0 });
        assert_eq!(certificate.dual, identity);
    }

    #[test]
    fn a_bound_within_rounding_error_is_zero() {
        let square = Matrix::from_fn(2, 2, |_, _| 1.0);
        let moments = Moments {
            cross: square.clone(),
            square,
            gain: 1.0,
        };
        let margin = moments.rounding(1e-20);
        assert!(margin > 2.0 * f64::EPSILON);
        let dual = |price: f64| moments.family(price, Separation::Relaxed).at(1.0);
        assert!(!is_definite(&dual(1e-20), margin));
        assert!(is_definite(&dual(1e-10), margin));
    }
}
