//! Preconditioned conjugate gradients for the Newton step of one regression.
//!
//! Solves `(Zᵀ(K − kkᵀ/s)Z + αI)·d = −g`, where k are the curvatures, s their sum and K = diag(k): the
//! Hessian of the objective after the intercept has been taken out. Taking it out spares the method an
//! ill-conditioned direction (on medical a third of all products).

use super::point::{Point, Step};
use super::preconditioner::Preconditioner;
use crate::linalg::{add_scaled, dot, sum, vectorised};

/// The state between two products.
#[derive(Debug, Clone)]
pub(super) struct Conjugate {
    step: Step,
    remainder: Vec<f64>,
    direction: Vec<f64>,
    direction_margins: Vec<f64>,
    /// M⁻¹r for the remainder r and the preconditioner M.
    scaled: Vec<f64>,
    /// rᵀM⁻¹r.
    size: f64,
    /// Norm of the remainder at which the step is good enough.
    goal: f64,
    products: usize,
}

impl Conjugate {
    /// Begins the step at a point of `rows` rows with the given gradient. It is good enough as soon as the
    /// norm of the remainder is below `goal`.
    pub(super) fn new(
        rows: usize,
        gradient: &[f64],
        preconditioner: &Preconditioner,
        goal: f64,
    ) -> Self {
        let remainder: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut scaled = vec![0.0; gradient.len()];
        preconditioner.apply(&remainder, &mut scaled);
        Self {
            step: Step {
                coefficients: vec![0.0; gradient.len()],
                intercept: 0.0,
                margins: vec![0.0; rows],
            },
            size: dot(&remainder, &scaled),
            remainder,
            direction: scaled.clone(),
            direction_margins: vec![0.0; rows],
            scaled,
            goal,
            products: 0,
        }
    }

    /// The vector to be multiplied by Z.
    pub(super) fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// Takes u = Z·direction and gives back `(K − kkᵀ/s)·u`, to be multiplied by Zᵀ.
    pub(super) fn take_forward(&mut self, point: &Point, product: &[f64], weights: &mut [f64]) {
        self.direction_margins.copy_from_slice(product);
        let mean = dot(&point.curvatures, product) / point.total_curvature;
        vectorised(|| {
            for ((weight, k), u) in weights.iter_mut().zip(&point.curvatures).zip(product) {
                *weight = k * (u - mean);
            }
        });
    }

    /// Takes Zᵀ·weights. Returns whether the step is good enough.
    pub(super) fn take_backward(
        &mut self,
        product: &[f64],
        penalty: f64,
        preconditioner: &Preconditioner,
    ) -> bool {
        self.products += 1;
        let direction_norm = dot(&self.direction, &self.direction);
        let bend = dot(&self.direction, product) + penalty * direction_norm;
        if bend <= 0.0 || !bend.is_finite() {
            return true;
        }
        let length = self.size / bend;
        add_scaled(&mut self.step.coefficients, length, &self.direction);
        add_scaled(&mut self.step.margins, length, &self.direction_margins);
        vectorised(|| {
            let changes = product.iter().zip(&self.direction);
            for (r, (product, p)) in self.remainder.iter_mut().zip(changes) {
                *r -= length * (product + penalty * p);
            }
        });
        let small = dot(&self.remainder, &self.remainder) <= self.goal * self.goal;
        // In exact arithmetic as many products as unknowns suffice.
        if small || self.products > 2 * self.direction.len() + 20 {
            return true;
        }
        self.turn(preconditioner);
        false
    }

    /// The next direction, conjugate to those before.
    fn turn(&mut self, preconditioner: &Preconditioner) {
        preconditioner.apply(&self.remainder, &mut self.scaled);
        let size = dot(&self.remainder, &self.scaled);
        let keep = size / self.size;
        vectorised(|| {
            for (p, scaled) in self.direction.iter_mut().zip(&self.scaled) {
                *p = scaled + keep * *p;
            }
        });
        self.size = size;
    }

    /// The step found, with the change of the intercept that goes with it.
    pub(super) fn finish(mut self, point: &Point) -> Step {
        let slope = sum(&point.residuals);
        let along = dot(&point.curvatures, &self.step.margins);
        self.step.intercept = -(slope + along) / point.total_curvature;
        let shift = self.step.intercept;
        self.step
            .margins
            .iter_mut()
            .for_each(|margin| *margin += shift);
        self.step
    }
}
