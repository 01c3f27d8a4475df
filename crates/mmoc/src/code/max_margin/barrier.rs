//! Newton's method along the central path of the log-determinant barrier.
//!
//! With f = F/C, S(Q) = ∇f(Q) and a barrier weight μ, the centre is the minimiser of
//!
//! ```text
//! f(Q) − μ log det Q,      where S(Q) = μQ⁻¹
//! ```
//!
//! At the centre the most violated points are a dual feasible Δ, and the certified gap f(Q) − mean gᵀδ = ⟨Q, S⟩ is
//! exactly μq. Newton steps follow the path while μ decreases.
//!
//! **The step.** Let θ be the eigenvalues of Q·S(Q); at the centre all of them equal μ. In the coordinates
//! D = RXRᵀ of [`super::scaling`], with θ̃ for θ, the primal-dual Newton step is
//!
//! ```text
//! X + Rᵀ H[RXRᵀ] R = diag((μ − θ)/√θ̃)
//! ```
//!
//! where H is the second derivative of the mean slack ([`Curvature`]). θ̃ is θ clamped to within a factor of
//! [`CLAMP_RATIO`] of μ, since θ may be negative or far from the path. With θ̃ = μ the step is the plain Newton
//! step of the barrier. With any positive θ̃ it is a descent direction, so the line search terminates.
//!
//! **The end.** Within the gap there are many metrics, and steps that are solved inexactly may end at any of them: the
//! last digits of the data decide which. Such steps therefore go on to the centre of the last weight, or of a smaller one
//! if the gap there is larger than asked. A centre is unique.

use std::ops::RangeInclusive;

use super::certificate::Certificate;
use super::curvature::Curvature;
use super::incumbent::Incumbent;
use super::scaling::{NesterovTodd, Spectrum, longest_step};
use super::solver::Goal;
use super::violated::Violated;
use super::{Problem, Round, Separation, Termination};
use crate::data::Matrix;
use crate::linalg::Cholesky;
use crate::{Result, check_stop};

/// Largest ratio of θ̃ to μ and of μ to θ̃. With 100 the paper's problems take up to twice as many steps, with 1000
/// five times as many.
const CLAMP_RATIO: f64 = 10.0;
/// Range in which all θ/μ must lie before μ is reduced. Below zero S(Q) is not dual feasible, and the gap may never
/// close however small μ is. A tighter upper end takes more steps.
const NEAR_PATH: RangeInclusive<f64> = 0.0..=4.0;
/// Factor by which μ is reduced.
const MU_FACTOR: f64 = 0.1;
/// Fraction of the distance to the boundary of the cone that a step may cover.
const BOUNDARY_FRACTION: f64 = 0.99;
/// Fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Relative rounding error of the objective.
const ROUNDING: f64 = 1e-14;
/// Halvings of a step before the line search fails.
const HALVINGS: usize = 30;

/// Residual of an inexact step on the path, relative to its right-hand side.
const PATH_RESIDUAL: f64 = 0.05;
/// The largest |θ/μ − 1| at a point that counts as the centre.
const CENTRED: f64 = 1e-10;
/// The distance from which on steps to the centre must come closer.
const NEARLY_CENTRED: f64 = 1e-4;
/// Limit on steps to the centre.
const MOST_CENTRING_STEPS: usize = 15;

/// A solver for `X + RᵀH[RXRᵀ]R = diag(rhs)`.
pub(super) trait NewtonSystem {
    /// Whether steps are solved up to rounding, whatever residual is allowed.
    fn is_exact(&self) -> bool;

    /// The solution, or `None` if the system is numerically singular. The residual relative to the right-hand side may
    /// be as large as given.
    fn solve(
        &self,
        curvature: &Curvature,
        scaling: &NesterovTodd,
        rhs: &[f64],
        residual: f64,
    ) -> Result<Option<Matrix>>;
}

/// Follows the path until the gap is reached; returns the number of steps and the reason for stopping.
pub(super) fn follow(
    problem: &Problem,
    goal: Goal,
    system: &dyn NewtonSystem,
    incumbent: &mut Incumbent,
    rounds: &mut Vec<Round>,
) -> Result<(usize, Termination)> {
    let Some(mut point) = BarrierPoint::at(problem, first_metric(problem), problem.truth()) else {
        return Ok((0, Termination::Stalled));
    };
    let (mut mu, mut steps) = (None, 0);
    loop {
        check_stop()?;
        let points = &point.violated.points;
        let certificate =
            Certificate::beyond(problem, Separation::Relaxed, points, incumbent.bound());
        incumbent.offer(&point.metric, point.objective, certificate.bound);
        incumbent.count_calls(problem.rows());
        rounds.push(Round::at(problem, point.objective, incumbent));
        if incumbent.relative_gap() <= goal.gap {
            if let Some(mu) = mu.filter(|_| !system.is_exact()) {
                settle(problem, goal, system, incumbent, point, mu)?;
                rounds.pop();
                rounds.push(Round::at(problem, incumbent.objective(), incumbent));
            }
            return Ok((steps, Termination::Converged));
        }
        if steps == goal.max_iterations {
            return Ok((steps, Termination::IterationLimit));
        }
        let spectrum = Spectrum::new(&point.lower, &certificate.dual)?;
        let weight = next_weight(&spectrum.theta, mu);
        mu = Some(weight);
        let curvature = Curvature::at(problem, &point.metric, &point.violated.points);
        let step =
            NewtonStep::towards_centre(&spectrum, weight, &curvature, system, PATH_RESIDUAL)?;
        match step.and_then(|step| step.search(problem, &point, weight, incumbent)) {
            Some(next) => point = next,
            None => return Ok((steps, Termination::Stalled)),
        }
        steps += 1;
    }
}

/// Moves the incumbent to a centre whose gap is within the goal. If the steps do not get near it, it stays.
fn settle(
    problem: &Problem,
    goal: Goal,
    system: &dyn NewtonSystem,
    incumbent: &mut Incumbent,
    mut point: BarrierPoint,
    mut mu: f64,
) -> Result<()> {
    while mu * problem.labels() as f64 > goal.gap * incumbent.bound() {
        mu *= MU_FACTOR;
    }
    let mut distance = f64::INFINITY;
    for _ in 0..MOST_CENTRING_STEPS {
        check_stop()?;
        let points = &point.violated.points;
        let dual = Certificate::beyond(problem, Separation::Relaxed, points, f64::INFINITY).dual;
        let spectrum = Spectrum::new(&point.lower, &dual)?;
        let before = distance.min(NEARLY_CENTRED);
        distance = spectrum.distance_from(mu);
        // Rounding errors may end the progress before.
        if distance <= CENTRED || (distance <= NEARLY_CENTRED && distance >= before) {
            break;
        }
        let curvature = Curvature::at(problem, &point.metric, points);
        let residual = PATH_RESIDUAL.min(distance);
        let step = NewtonStep::towards_centre(&spectrum, mu, &curvature, system, residual)?;
        match step.and_then(|step| step.search(problem, &point, mu, incumbent)) {
            Some(next) => point = next,
            None => break,
        }
        incumbent.count_calls(problem.rows());
    }
    if distance <= NEARLY_CENTRED {
        let points = &point.violated.points;
        let bound = Certificate::new(problem, Separation::Relaxed, points).bound;
        incumbent.settle(point.metric, point.objective, bound, goal.gap);
    }
    Ok(())
}

/// The starting metric, a multiple of the identity.
fn first_metric(problem: &Problem) -> Matrix {
    let (labels, scale) = (problem.labels(), problem.gain_scale());
    Matrix::from_fn(labels, labels, |j, k| if j == k { scale } else { 0.0 })
}

/// A positive definite metric with its most violated constraints.
#[derive(Debug)]
struct BarrierPoint {
    metric: Matrix,
    /// The Cholesky factor L of the metric.
    lower: Matrix,
    violated: Violated,
    /// f at the metric.
    objective: f64,
}

impl BarrierPoint {
    /// `None` if the metric is not positive definite.
    fn at(problem: &Problem, metric: Matrix, start: &Matrix) -> Option<Self> {
        let lower = Cholesky::new(metric.view())?.lower();
        let violated = Violated::in_cube(problem, &metric, start);
        let objective = problem.objective(&metric, violated.mean_slack(problem));
        Some(Self {
            metric,
            lower,
            violated,
            objective,
        })
    }
}

/// The barrier weight of the next step: reduced if all θ are close to the path, else the last one.
fn next_weight(theta: &[f64], last: Option<f64>) -> f64 {
    let Some(mu) = last else {
        let sizes = theta.iter().map(|theta| theta.abs());
        return (sizes.sum::<f64>() / theta.len() as f64).max(f64::MIN_POSITIVE);
    };
    let close = theta.iter().all(|theta| NEAR_PATH.contains(&(theta / mu)));
    if close { MU_FACTOR * mu } else { mu }
}

/// A descent direction.
#[derive(Debug)]
struct NewtonStep {
    /// D.
    direction: Matrix,
    /// The eigenvalues of Q^(−½)DQ^(−½), descending.
    ratios: Vec<f64>,
    /// The derivative of the barrier function along D.
    slope: f64,
}

impl NewtonStep {
    /// The Newton step towards the centre of weight μ, with a residual relative to its right-hand side; `None` if the
    /// system has no solution.
    fn towards_centre(
        spectrum: &Spectrum,
        mu: f64,
        curvature: &Curvature,
        system: &dyn NewtonSystem,
        residual: f64,
    ) -> Result<Option<Self>> {
        let clamped = |theta: &f64| theta.clamp(mu / CLAMP_RATIO, mu * CLAMP_RATIO);
        let theta_tilde: Vec<f64> = spectrum.theta.iter().map(clamped).collect();
        let scaling = spectrum.scaling(&theta_tilde);
        let pairs = spectrum.theta.iter().zip(&scaling.roots);
        let rhs: Vec<f64> = pairs.map(|(theta, root)| (mu - theta) / root).collect();
        let Some(x) = system.solve(curvature, &scaling, &rhs, residual)? else {
            return Ok(None);
        };
        let along = rhs.iter().enumerate().map(|(k, rhs)| rhs * x[(k, k)]);
        Ok(Some(Self {
            slope: -along.sum::<f64>(),
            ratios: scaling.ratios(&x)?,
            direction: scaling.unscale(&x),
        }))
    }

    /// Backtracks from the full step, or from just inside the boundary of the cone, to the first sufficient
    /// decrease.
    fn search(
        &self,
        problem: &Problem,
        from: &BarrierPoint,
        mu: f64,
        incumbent: &mut Incumbent,
    ) -> Option<BarrierPoint> {
        let mut length = longest_step(&self.ratios, BOUNDARY_FRACTION);
        for _ in 0..HALVINGS {
            let next = BarrierPoint::at(problem, self.moved(from, length), &from.violated.points);
            if let Some(next) = next {
                let determinants = self.ratios.iter().map(|ratio| (length * ratio).ln_1p());
                let change = next.objective - from.objective - mu * determinants.sum::<f64>();
                if change <= ARMIJO * length * self.slope + ROUNDING * from.objective {
                    return Some(next);
                }
                incumbent.count_calls(problem.rows());
            }
            length *= 0.5;
        }
        None
    }

    fn moved(&self, from: &BarrierPoint, length: f64) -> Matrix {
        let (metric, d) = (&from.metric, &self.direction);
        Matrix::from_fn(metric.rows(), metric.rows(), |j, k| {
            metric[(j, k)] + 0.5 * length * (d[(j, k)] + d[(k, j)])
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::newton::Assembled;
    use crate::code::max_margin::newton_cg::ConjugateGradients;
    use crate::code::max_margin::testing::{
        any_problem, assert_close, definite, moved, norm, problem, rows_of, stream,
    };
    use crate::code::max_margin::{Algorithm, Solution, SolverParams};

    fn barrier_function(problem: &Problem, metric: &Matrix, mu: f64) -> f64 {
        let point = BarrierPoint::at(problem, metric.clone(), problem.truth()).unwrap();
        let determinant: f64 = (0..metric.rows()).map(|j| point.lower[(j, j)].ln()).sum();
        point.objective - 2.0 * mu * determinant
    }

    fn step(
        problem: &Problem,
        point: &BarrierPoint,
        mu: f64,
        system: &dyn NewtonSystem,
    ) -> NewtonStep {
        let points = &point.violated.points;
        let certificate = Certificate::new(problem, Separation::Relaxed, points);
        let spectrum = Spectrum::new(&point.lower, &certificate.dual).unwrap();
        let curvature = Curvature::at(problem, &point.metric, points);
        let step = NewtonStep::towards_centre(&spectrum, mu, &curvature, system, PATH_RESIDUAL);
        step.unwrap().unwrap()
    }

    proptest! {
        #[test]
        fn the_slope_is_the_derivative_of_the_barrier_function(
            (labels, seed) in (1usize..6, any::<u64>()),
            mu in prop::sample::select(vec![1e-3, 0.1, 10.0]),
        ) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, 8, labels, 10.0);
            let metric = definite(&mut stream, labels);
            let point = BarrierPoint::at(&problem, metric, problem.truth()).unwrap();
            let systems: [&dyn NewtonSystem; 2] = [&Assembled, &ConjugateGradients];
            for system in systems {
                let step = step(&problem, &point, mu, system);
                prop_assert!(step.slope <= 0.0);
                let t = 1e-6 / (1.0 + norm(&step.direction));
                let at = |t: f64| {
                    barrier_function(&problem, &moved(&point.metric, t, &step.direction), mu)
                };
                let slope = (at(t) - at(-t)) / (2.0 * t);
                let size = (1.0 + mu / 0.1) * norm(&step.direction);
                prop_assert!((slope - step.slope).abs() <= 1e-3 * size, "{slope} {}", step.slope);
            }
        }
    }

    /// The solution by inexact steps, to a gap at which many metrics are within it.
    fn settled(problem: &Problem) -> Solution {
        let params = SolverParams {
            algorithm: Algorithm::NewtonCg,
            gap: Some(1e-3),
            ..SolverParams::default()
        };
        params.solve(problem).unwrap()
    }

    #[test]
    fn inexact_steps_end_at_the_centre() {
        for seed in 0..8 {
            let problem = any_problem(&mut stream(seed), 60, 7, 1e4);
            let Solution { metric, report } = settled(&problem);
            assert_eq!(report.termination, Termination::Converged);
            let point = BarrierPoint::at(&problem, metric, problem.truth()).unwrap();
            let points = &point.violated.points;
            let dual = Certificate::new(&problem, Separation::Relaxed, points).dual;
            let spectrum = Spectrum::new(&point.lower, &dual).unwrap();
            let mu = spectrum.theta.iter().sum::<f64>() / 7.0;
            assert!(spectrum.distance_from(mu) <= 1e-7);
            // A point on the path may have had a higher bound.
            let gap = 7.0 * mu / point.objective;
            assert!(report.relative_gap <= 1.000_001 * gap);
            assert!(gap <= 1e-3);
        }
    }

    #[test]
    fn the_last_digits_of_sums_do_not_decide_where_inexact_steps_end() {
        for seed in 0..8 {
            let problem = problem(&mut stream(seed), 60, 7, 1e4);
            let backwards: Vec<usize> = (0..60).rev().collect();
            let [found, other] = [&problem, &rows_of(&problem, &backwards)].map(settled);
            assert_close(&found.metric, &other.metric, 1e-9);
        }
    }

    #[test]
    fn the_weight_decreases_only_near_the_path() {
        assert_eq!(next_weight(&[1.0, -2.0, 3.0], None), 2.0);
        assert_eq!(next_weight(&[1.0, 3.9], Some(1.0)), MU_FACTOR);
        assert_eq!(next_weight(&[1.0, 4.1], Some(1.0)), 1.0);
        assert_eq!(next_weight(&[1.0, -0.1], Some(1.0)), 1.0);
        assert!(next_weight(&[0.0], None) > 0.0);
    }
}
