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
            factor: Cholesky::new(matrix.view())?,
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
        let labels = self.scaling.roots.len();
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
        debug_assert_eq!(labels, dual.rows());
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
