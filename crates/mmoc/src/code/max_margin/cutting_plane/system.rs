//! The Newton system of the master, with slacks and weights eliminated.
//!
//! Linearise s_kα_k = μ with w_k = α_k/s_k and c_k = μ/s_k − α_k, and let W_i = Σ w_k and B̄_i = Σ w_kB_k/W_i over
//! the constraints of sample i. A step D of the metric implies
//!
//! ```text
//! Δξ_i = (Σ c_k + w_k⟨D, B_k⟩)/W_i            Δα_k = c_k − w_k(Δξ_i − ⟨D, B_k⟩)
//! ```
//!
//! and D = RXRᵀ solves, in the coordinates of [`super::super::scaling`],
//!
//! ```text
//! X + Rᵀ(Σ_k w_k(B_k − B̄_i)⟨B_k − B̄_i, RXRᵀ⟩)R = μθ^(−½) − Rᵀ(εI + μ Σ_k B_k/s_k − Σ_i B̄_i Σ c_k)R
//! ```

use super::cuts::Cuts;
use super::master::InteriorPoint;
use crate::Result;
use crate::code::max_margin::Problem;
use crate::code::max_margin::packed::{congruence, pack, unpack};
use crate::code::max_margin::scaling::{NesterovTodd, longest_step};
use crate::data::Matrix;
use crate::linalg::{Cholesky, add_scaled, multiply, multiply_transposed};

/// Fraction of the distance to the boundary that a step may cover.
const BOUNDARY_FRACTION: f64 = 0.95;

/// The factorised Newton system at a point.
#[derive(Debug)]
pub(super) struct MasterSystem<'a> {
    price: f64,
    cuts: &'a Cuts,
    scaling: NesterovTodd,
    factor: Cholesky,
    /// s.
    surpluses: Vec<f64>,
    /// w.
    weight_ratios: Vec<f64>,
    /// W.
    totals: Vec<f64>,
    /// B̄, packed, n rows.
    means: Matrix,
}

/// A step with its primal and dual step lengths.
#[derive(Debug)]
pub(super) struct Direction {
    pub(super) metric: Matrix,
    pub(super) dual: Matrix,
    pub(super) slacks: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) primal_length: f64,
    pub(super) dual_length: f64,
}

impl<'a> MasterSystem<'a> {
    /// `None` if the point is numerically on the boundary.
    pub(super) fn new(
        problem: &Problem,
        cuts: &'a Cuts,
        point: &InteriorPoint,
        scaling: NesterovTodd,
    ) -> Option<Self> {
        let surpluses = point.surpluses(cuts);
        if !surpluses.iter().all(|surplus| *surplus > 0.0) {
            return None;
        }
        let weight_ratios = quotients(&point.weights, &surpluses);
        let totals = cuts.by_sample(problem.rows(), &weight_ratios);
        let means = means(cuts, &weight_ratios, &totals);
        let rows = centred(cuts, &weight_ratios, &means);
        let to_metric = congruence(&scaling.r);
        let image = multiply(rows.view(), to_metric.view());
        let mut matrix = multiply_transposed(image.view(), image.view());
        (0..matrix.rows()).for_each(|k| matrix[(k, k)] += 1.0);
        Some(Self {
            price: problem.price(),
            cuts,
            scaling,
            factor: Cholesky::nearly(matrix)?,
            surpluses,
            weight_ratios,
            totals,
            means,
        })
    }

    /// s.
    pub(super) fn surpluses(&self) -> &[f64] {
        &self.surpluses
    }

    /// The step towards the centre of weight μ.
    pub(super) fn direction(&self, point: &InteriorPoint, mu: f64) -> Result<Direction> {
        let residuals: Vec<f64> = self
            .surpluses
            .iter()
            .zip(&point.weights)
            .map(|(surplus, weight)| mu / surplus - weight)
            .collect();
        let residual_sums = self.cuts.by_sample(self.totals.len(), &residuals);
        let x = self.solve(mu, &residual_sums);
        let metric = self.scaling.unscale(&x);
        let along = self.cuts.products(&pack(&metric));
        let slacks = self.slack_step(&residual_sums, &along);
        let samples = self.cuts.samples().iter();
        let surplus_steps: Vec<f64> = samples
            .zip(&along)
            .map(|(&sample, along)| slacks[sample] - along)
            .collect();
        let mut weights = residuals;
        for (weight, (w, step)) in weights
            .iter_mut()
            .zip(self.weight_ratios.iter().zip(&surplus_steps))
        {
            *weight -= w * step;
        }
        let dual = self.dual_step(point, &weights);
        let primal_ratios = [
            self.scaling.ratios(&x)?,
            quotients(&surplus_steps, &self.surpluses),
        ];
        let dual_ratios = [
            self.scaling.ratios(&self.scaling.scale(&dual))?,
            quotients(&weights, &point.weights),
        ];
        Ok(Direction {
            primal_length: longest_step(&primal_ratios.concat(), BOUNDARY_FRACTION),
            dual_length: longest_step(&dual_ratios.concat(), BOUNDARY_FRACTION),
            metric,
            dual,
            slacks,
            weights,
        })
    }

    /// X.
    fn solve(&self, mu: f64, residual_sums: &[f64]) -> Matrix {
        let labels = self.scaling.roots.len();
        let surplus_weights: Vec<f64> =
            self.surpluses.iter().map(|surplus| -mu / surplus).collect();
        let mut packed = self.cuts.combination(&surplus_weights);
        for (sample, residual) in residual_sums.iter().enumerate() {
            add_scaled(&mut packed, *residual, self.means.row(sample));
        }
        let mut sum = unpack(labels, &packed);
        (0..labels).for_each(|k| sum[(k, k)] -= self.price);
        let mut rhs = self.scaling.scale(&sum);
        for (k, root) in self.scaling.roots.iter().enumerate() {
            rhs[(k, k)] += mu / root;
        }
        let mut x = pack(&rhs);
        self.factor.solve(&mut x);
        unpack(labels, &x)
    }

    /// Δξ.
    fn slack_step(&self, residual_sums: &[f64], along: &[f64]) -> Vec<f64> {
        let products: Vec<f64> = self
            .weight_ratios
            .iter()
            .zip(along)
            .map(|(ratio, along)| ratio * along)
            .collect();
        let mut slacks = self.cuts.by_sample(self.totals.len(), &products);
        add_scaled(&mut slacks, 1.0, residual_sums);
        quotients(&slacks, &self.totals)
    }

    /// ΔS, to εI + Σ(α + Δα)B.
    fn dual_step(&self, point: &InteriorPoint, weight_steps: &[f64]) -> Matrix {
        let mut weights = point.weights.clone();
        add_scaled(&mut weights, 1.0, weight_steps);
        let labels = point.dual.rows();
        let mut step = unpack(labels, &self.cuts.combination(&weights));
        (0..labels).for_each(|k| step[(k, k)] += self.price);
        add_scaled(step.values_mut(), -1.0, point.dual.values());
        step
    }
}

fn quotients(numerators: &[f64], denominators: &[f64]) -> Vec<f64> {
    let pairs = numerators.iter().zip(denominators);
    pairs
        .map(|(numerator, denominator)| numerator / denominator)
        .collect()
}

/// B̄.
fn means(cuts: &Cuts, weight_ratios: &[f64], totals: &[f64]) -> Matrix {
    let mut means = Matrix::zeros(totals.len(), cuts.size());
    for ((matrix, w), &sample) in cuts.matrices().zip(weight_ratios).zip(cuts.samples()) {
        add_scaled(means.row_mut(sample), w / totals[sample], matrix);
    }
    means
}

/// √w(B − B̄), one row for each constraint.
fn centred(cuts: &Cuts, weight_ratios: &[f64], means: &Matrix) -> Matrix {
    let mut rows = Matrix::zeros(cuts.count(), cuts.size());
    let constraints = cuts.matrices().zip(weight_ratios).zip(cuts.samples());
    for (k, ((matrix, w), &sample)) in constraints.enumerate() {
        let root = w.sqrt();
        let pairs = matrix.iter().zip(means.row(sample));
        for (entry, (b, mean)) in rows.row_mut(k).iter_mut().zip(pairs) {
            *entry = root * (b - mean);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::scaling::Spectrum;
    use crate::code::max_margin::testing::{
        assert_close, cube_points, definite, moved, problem, stream,
    };
    use crate::code::max_margin::violated::Violated;
    use crate::linalg::multiply_by_transposed;

    /// An interior point at which only the sums of the weights are balanced.
    fn point(seed: u64, rows: usize, labels: usize) -> (Problem, Cuts, InteriorPoint) {
        let mut stream = stream(seed);
        let problem = problem(&mut stream, rows, labels, 10.0);
        let mut cuts = Cuts::new(&problem);
        for _ in 0..2 {
            let violated = Violated {
                points: cube_points(&mut stream, rows, labels),
                slacks: vec![1.0; rows],
            };
            cuts.add_violated(&problem, &violated, &vec![0.0; rows], 0.0);
        }
        let draws: Vec<f64> = (0..cuts.count()).map(|_| 0.1 + stream.uniform()).collect();
        let sums = cuts.by_sample(rows, &draws);
        let share = |(draw, &sample): (&f64, &usize)| draw / (rows as f64 * sums[sample]);
        let mut point = InteriorPoint {
            metric: definite(&mut stream, labels),
            dual: definite(&mut stream, labels),
            slacks: vec![0.0; rows],
            weights: draws.iter().zip(cuts.samples()).map(share).collect(),
        };
        let surpluses = point.surpluses(&cuts);
        for (surplus, &sample) in surpluses.iter().zip(cuts.samples()) {
            point.slacks[sample] = point.slacks[sample].max(0.1 + stream.uniform() - surplus);
        }
        (problem, cuts, point)
    }

    fn scaling(point: &InteriorPoint) -> NesterovTodd {
        let lower = Cholesky::new(point.metric.view()).unwrap().lower();
        let spectrum = Spectrum::new(&lower, &point.dual).unwrap();
        spectrum.scaling(&spectrum.theta)
    }

    proptest! {
        #[test]
        fn a_direction_solves_the_linearised_equations(
            (rows, labels) in (1usize..5, 1usize..5),
            seed: u64,
            mu in prop::sample::select(vec![0.0, 1e-3, 1.0]),
        ) {
            let (problem, cuts, point) = point(seed, rows, labels);
            let scaling = scaling(&point);
            let middle = multiply_by_transposed(&scaling.r, &scaling.r);
            let system = MasterSystem::new(&problem, &cuts, &point, scaling).unwrap();
            let direction = system.direction(&point, mu).unwrap();
            // sΔα + αΔs = μ − sα.
            let along = cuts.products(&pack(&direction.metric));
            for (k, &sample) in cuts.samples().iter().enumerate() {
                let (surplus, weight) = (system.surpluses()[k], point.weights[k]);
                let surplus_step = direction.slacks[sample] - along[k];
                let terms = [surplus * direction.weights[k], weight * surplus_step, surplus * weight, -mu];
                let size = terms.iter().map(|term| term.abs()).sum::<f64>();
                prop_assert!(terms.iter().sum::<f64>().abs() <= 1e-8 * size);
            }
            // The sum of the weights of a sample does not change.
            let made_of = system.surpluses().iter().zip(&point.weights);
            let size: f64 = made_of.map(|(surplus, weight)| mu / surplus + weight).sum();
            for sum in cuts.by_sample(rows, &direction.weights) {
                prop_assert!(sum.abs() <= 1e-9 * size);
            }
            // S + ΔS = εI + Σ(α + Δα)B.
            let mut weights = point.weights.clone();
            add_scaled(&mut weights, 1.0, &direction.weights);
            let mut expected = unpack(labels, &cuts.combination(&weights));
            (0..labels).for_each(|k| expected[(k, k)] += problem.price());
            assert_close(&moved(&point.dual, 1.0, &direction.dual), &expected, 1e-9);
            // D + WΔSW = μS⁻¹ − Q, where WSW = Q.
            let sandwich = |p: &Matrix| multiply(multiply(middle.view(), p.view()).view(), middle.view());
            assert_close(&sandwich(&point.dual), &point.metric, 1e-8);
            let left = moved(&direction.metric, 1.0, &sandwich(&direction.dual));
            let inverse = Cholesky::new(point.dual.view()).unwrap().inverse();
            let right = Matrix::from_fn(labels, labels, |j, k| mu * inverse[(j, k)] - point.metric[(j, k)]);
            assert_close(&left, &right, 1e-7);
        }

        #[test]
        fn a_step_of_the_returned_length_stays_inside((rows, labels) in (1usize..5, 1usize..5), seed: u64) {
            let (problem, cuts, point) = point(seed, rows, labels);
            let system = MasterSystem::new(&problem, &cuts, &point, scaling(&point)).unwrap();
            let direction = system.direction(&point, 0.0).unwrap();
            let (primal, dual) = (direction.primal_length, direction.dual_length);
            let definite = |m: &Matrix| Cholesky::new(m.view()).is_some();
            prop_assert!(definite(&moved(&point.metric, primal, &direction.metric)));
            prop_assert!(definite(&moved(&point.dual, dual, &direction.dual)));
            let along = cuts.products(&pack(&direction.metric));
            for (k, &sample) in cuts.samples().iter().enumerate() {
                prop_assert!(point.weights[k] + dual * direction.weights[k] > 0.0);
                let surplus_step = direction.slacks[sample] - along[k];
                prop_assert!(system.surpluses()[k] + primal * surplus_step > 0.0);
            }
        }
    }

    #[test]
    fn no_system_where_a_constraint_is_violated() {
        let (problem, cuts, mut point) = point(1, 2, 2);
        point.slacks[1] = -1.0;
        assert!(MasterSystem::new(&problem, &cuts, &point, scaling(&point)).is_none());
    }
}
