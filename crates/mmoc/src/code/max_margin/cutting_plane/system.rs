//! The Newton system of the master, with slacks and weights eliminated.
//!
//! Linearise s_kα_k = μ with w_k = α_k/s_k and c_k = μ/s_k − α_k, and let W_i = Σ w_k and B̄_i = Σ w_kB_k/W_i over the
//! constraints of sample i. A step D of the metric brings with it
//!
//! ```text
//! Δξ_i = (Σ c_k + w_k⟨D, B_k⟩)/W_i            Δα_k = c_k − w_k(Δξ_i − ⟨D, B_k⟩)
//! ```
//!
//! and D = RXRᵀ itself solves, in the coordinates of [`super::super::scaling`],
//!
//! ```text
//! X + Rᵀ(Σ_k w_k(B_k − B̄_i)⟨B_k − B̄_i, RXRᵀ⟩)R = μθ^(−½) − Rᵀ(εI + μ Σ_k B_k/s_k − Σ_i B̄_i Σ c_k)R
//! ```

use super::cuts::Cuts;
use super::master::Point;
use crate::Result;
use crate::code::max_margin::Problem;
use crate::code::max_margin::packed::{congruence, pack, unpack};
use crate::code::max_margin::scaling::{Scaling, longest_step};
use crate::data::Matrix;
use crate::linalg::{Cholesky, add_scaled, multiply, multiply_transposed};

/// Share of the way to the boundary that a step may take.
const INTERIOR: f64 = 0.95;

/// The Newton system at a point.
#[derive(Debug)]
pub(super) struct System<'a> {
    price: f64,
    cuts: &'a Cuts,
    scaling: Scaling,
    factor: Cholesky,
    /// s.
    rooms: Vec<f64>,
    /// w.
    stiffness: Vec<f64>,
    /// W.
    totals: Vec<f64>,
    /// B̄, packed, n rows.
    means: Matrix,
}

/// A step, and how much of it can be taken.
#[derive(Debug)]
pub(super) struct Direction {
    pub(super) metric: Matrix,
    pub(super) dual: Matrix,
    pub(super) slacks: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) primal_length: f64,
    pub(super) dual_length: f64,
}

impl<'a> System<'a> {
    /// None if the point is too close to the boundary for floating-point numbers.
    pub(super) fn new(
        problem: &Problem,
        cuts: &'a Cuts,
        point: &Point,
        scaling: Scaling,
    ) -> Option<Self> {
        let rooms = point.rooms(cuts);
        if !rooms.iter().all(|room| *room > 0.0) {
            return None;
        }
        let stiffness = quotients(&point.weights, &rooms);
        let totals = cuts.by_sample(problem.rows(), &stiffness);
        let means = means(cuts, &stiffness, &totals);
        let rows = centred(cuts, &stiffness, &means);
        let to_metric = congruence(&scaling.r);
        let image = multiply(rows.view(), to_metric.view());
        let mut matrix = multiply_transposed(image.view(), image.view());
        (0..matrix.rows()).for_each(|k| matrix[(k, k)] += 1.0);
        Some(Self {
            price: problem.price(),
            cuts,
            scaling,
            factor: Cholesky::nearly(matrix)?,
            rooms,
            stiffness,
            totals,
            means,
        })
    }

    /// s.
    pub(super) fn rooms(&self) -> &[f64] {
        &self.rooms
    }

    /// The step towards the centre of weight μ.
    pub(super) fn direction(&self, point: &Point, mu: f64) -> Result<Direction> {
        let lacks: Vec<f64> = self
            .rooms
            .iter()
            .zip(&point.weights)
            .map(|(room, weight)| mu / room - weight)
            .collect();
        let lacking = self.cuts.by_sample(self.totals.len(), &lacks);
        let x = self.solve(mu, &lacking);
        let metric = self.scaling.outwards(&x);
        let along = self.cuts.products(&pack(&metric));
        let slacks = self.slack_step(&lacking, &along);
        let samples = self.cuts.samples().iter();
        let room_steps: Vec<f64> = samples
            .zip(&along)
            .map(|(&sample, along)| slacks[sample] - along)
            .collect();
        let mut weights = lacks;
        for (weight, (w, step)) in weights
            .iter_mut()
            .zip(self.stiffness.iter().zip(&room_steps))
        {
            *weight -= w * step;
        }
        let dual = self.dual_step(point, &weights);
        let primal_ratios = [
            self.scaling.ratios(&x)?,
            quotients(&room_steps, &self.rooms),
        ];
        let dual_ratios = [
            self.scaling.ratios(&self.scaling.inwards(&dual))?,
            quotients(&weights, &point.weights),
        ];
        Ok(Direction {
            primal_length: longest_step(&primal_ratios.concat(), INTERIOR),
            dual_length: longest_step(&dual_ratios.concat(), INTERIOR),
            metric,
            dual,
            slacks,
            weights,
        })
    }

    /// X.
    fn solve(&self, mu: f64, lacking: &[f64]) -> Matrix {
        let labels = self.scaling.roots.len();
        let pulls: Vec<f64> = self.rooms.iter().map(|room| -mu / room).collect();
        let mut packed = self.cuts.combination(&pulls);
        for (sample, lack) in lacking.iter().enumerate() {
            add_scaled(&mut packed, *lack, self.means.row(sample));
        }
        let mut sum = unpack(labels, &packed);
        (0..labels).for_each(|k| sum[(k, k)] -= self.price);
        let mut rhs = self.scaling.inwards(&sum);
        for (k, root) in self.scaling.roots.iter().enumerate() {
            rhs[(k, k)] += mu / root;
        }
        let mut x = pack(&rhs);
        self.factor.solve(&mut x);
        unpack(labels, &x)
    }

    /// Δξ.
    fn slack_step(&self, lacking: &[f64], along: &[f64]) -> Vec<f64> {
        let pushes: Vec<f64> = self
            .stiffness
            .iter()
            .zip(along)
            .map(|(stiffness, along)| stiffness * along)
            .collect();
        let mut slacks = self.cuts.by_sample(self.totals.len(), &pushes);
        add_scaled(&mut slacks, 1.0, lacking);
        quotients(&slacks, &self.totals)
    }

    /// ΔS, to εI + Σ(α + Δα)B.
    fn dual_step(&self, point: &Point, weight_steps: &[f64]) -> Matrix {
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
fn means(cuts: &Cuts, stiffness: &[f64], totals: &[f64]) -> Matrix {
    let mut means = Matrix::zeros(totals.len(), cuts.size());
    for ((matrix, w), &sample) in cuts.matrices().zip(stiffness).zip(cuts.samples()) {
        add_scaled(means.row_mut(sample), w / totals[sample], matrix);
    }
    means
}

/// √w(B − B̄), one row for each constraint.
fn centred(cuts: &Cuts, stiffness: &[f64], means: &Matrix) -> Matrix {
    let mut rows = Matrix::zeros(cuts.count(), cuts.size());
    let constraints = cuts.matrices().zip(stiffness).zip(cuts.samples());
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

    /// A point inside, of which nothing but the sums of the weights is balanced.
    fn point(seed: u64, rows: usize, labels: usize) -> (Problem, Cuts, Point) {
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
        let mut point = Point {
            metric: definite(&mut stream, labels),
            dual: definite(&mut stream, labels),
            slacks: vec![0.0; rows],
            weights: draws.iter().zip(cuts.samples()).map(share).collect(),
        };
        let rooms = point.rooms(&cuts);
        for (room, &sample) in rooms.iter().zip(cuts.samples()) {
            point.slacks[sample] = point.slacks[sample].max(0.1 + stream.uniform() - room);
        }
        (problem, cuts, point)
    }

    fn scaling(point: &Point) -> Scaling {
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
            let system = System::new(&problem, &cuts, &point, scaling).unwrap();
            let direction = system.direction(&point, mu).unwrap();
            // sΔα + αΔs = μ − sα.
            let along = cuts.products(&pack(&direction.metric));
            for (k, &sample) in cuts.samples().iter().enumerate() {
                let (room, weight) = (system.rooms()[k], point.weights[k]);
                let room_step = direction.slacks[sample] - along[k];
                let terms = [room * direction.weights[k], weight * room_step, room * weight, -mu];
                let size = terms.iter().map(|term| term.abs()).sum::<f64>();
                prop_assert!(terms.iter().sum::<f64>().abs() <= 1e-8 * size);
            }
            // The weights of a sample keep their sum.
            let made_of = system.rooms().iter().zip(&point.weights);
            let size: f64 = made_of.map(|(room, weight)| mu / room + weight).sum();
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
        fn a_step_of_the_stated_length_stays_inside((rows, labels) in (1usize..5, 1usize..5), seed: u64) {
            let (problem, cuts, point) = point(seed, rows, labels);
            let system = System::new(&problem, &cuts, &point, scaling(&point)).unwrap();
            let direction = system.direction(&point, 0.0).unwrap();
            let (primal, dual) = (direction.primal_length, direction.dual_length);
            let definite = |m: &Matrix| Cholesky::new(m.view()).is_some();
            prop_assert!(definite(&moved(&point.metric, primal, &direction.metric)));
            prop_assert!(definite(&moved(&point.dual, dual, &direction.dual)));
            let along = cuts.products(&pack(&direction.metric));
            for (k, &sample) in cuts.samples().iter().enumerate() {
                prop_assert!(point.weights[k] + dual * direction.weights[k] > 0.0);
                let room_step = direction.slacks[sample] - along[k];
                prop_assert!(system.rooms()[k] + primal * room_step > 0.0);
            }
        }
    }

    #[test]
    fn there_is_no_system_where_a_constraint_is_not_satisfied() {
        let (problem, cuts, mut point) = point(1, 2, 2);
        point.slacks[1] = -1.0;
        assert!(System::new(&problem, &cuts, &point, scaling(&point)).is_none());
    }
}
