//! Preconditioned conjugate gradients for the Newton step of one regression.
//!
//! Solves `(Zᵀ(K − kkᵀ/s)Z + αI)·d = −g`, where k are the curvatures, s their sum and K = diag(k): the Hessian of
//! the objective after elimination of the intercept, which avoids an ill-conditioned direction.

use super::preconditioner::Preconditioner;
use crate::linalg::{add_scaled, dot, vectorised};

/// The state between two products.
#[derive(Debug, Clone)]
pub(super) struct Conjugate {
    /// d, as far as it is known.
    pub(super) step: Vec<f64>,
    remainder: Vec<f64>,
    direction: Vec<f64>,
    /// M⁻¹r for the residual r and the preconditioner M.
    scaled: Vec<f64>,
    /// rᵀM⁻¹r.
    size: f64,
    /// Norm of the residual at which to stop.
    goal: f64,
    products: usize,
}

/// How far a product moved the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Advance {
    /// The multiple of the direction that was added to the step.
    pub(super) length: f64,
    /// Whether the step is accurate enough.
    pub(super) is_enough: bool,
}

impl Conjugate {
    /// Starts the step at a point with the given gradient. It ends when the norm of the residual is below `goal`.
    pub(super) fn new(gradient: &[f64], preconditioner: &Preconditioner, goal: f64) -> Self {
        let remainder: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut scaled = vec![0.0; gradient.len()];
        preconditioner.apply(&remainder, &mut scaled);
        Self {
            step: vec![0.0; gradient.len()],
            size: dot(&remainder, &scaled),
            remainder,
            direction: scaled.clone(),
            scaled,
            goal,
            products: 0,
        }
    }

    /// The vector to be multiplied by Zᵀ(K − kkᵀ/s)Z.
    pub(super) fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// Whether no product was taken yet.
    pub(super) fn is_new(&self) -> bool {
        self.products == 0
    }

    /// Takes the product.
    pub(super) fn take_product(
        &mut self,
        product: &[f64],
        penalty: f64,
        preconditioner: &Preconditioner,
    ) -> Advance {
        self.products += 1;
        let direction_norm = dot(&self.direction, &self.direction);
        let curvature = dot(&self.direction, product) + penalty * direction_norm;
        if curvature <= 0.0 || !curvature.is_finite() {
            return Advance {
                length: 0.0,
                is_enough: true,
            };
        }
        let length = self.size / curvature;
        add_scaled(&mut self.step, length, &self.direction);
        vectorised(|| {
            let changes = product.iter().zip(&self.direction);
            for (r, (product, p)) in self.remainder.iter_mut().zip(changes) {
                *r -= length * (product + penalty * p);
            }
        });
        let small = dot(&self.remainder, &self.remainder) <= self.goal * self.goal;
        // In exact arithmetic the number of unknowns is enough.
        let is_enough = small || self.products > 2 * self.direction.len() + 20;
        if !is_enough {
            self.update_direction(preconditioner);
        }
        Advance { length, is_enough }
    }

    /// The next conjugate direction.
    fn update_direction(&mut self, preconditioner: &Preconditioner) {
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
}

#[cfg(test)]
mod tests {
    use super::super::intercept::InterceptSearch;
    use super::super::point::{RegressionRows, RowPoint};
    use super::super::preconditioner::HeadSums;
    use super::super::regression::FitSettings;
    use super::*;
    use crate::data::Matrix;
    use crate::linalg::{multiply, multiply_transposed, sum, weighted_gram};

    const ROWS: usize = 25;
    const COLUMNS: usize = 4;
    const PENALTY: f64 = 0.3;

    /// A small regression with dense matrices.
    struct Example {
        z: Matrix,
        targets: Vec<f64>,
        counts: Vec<f64>,
    }

    impl Example {
        fn new() -> Self {
            let mut stream = crate::Seed::new(17).stream();
            let mut z = Matrix::zeros(ROWS, COLUMNS);
            z.values_mut()
                .iter_mut()
                .for_each(|v| *v = 4.0 * stream.uniform() - 1.0);
            let bit = |holds: bool| f64::from(u8::from(holds));
            Self {
                z,
                targets: (0..ROWS).map(|i| bit(i % 3 == 0)).collect(),
                counts: (0..ROWS).map(|i| bit(i % 4 != 1)).collect(),
            }
        }

        /// With rows that count other than 0 and 1.
        fn weighted() -> Self {
            let mut example = Self::new();
            let counts = example.counts.iter_mut().enumerate();
            counts.for_each(|(i, count)| *count *= 0.3 + (i % 7) as f64);
            example
        }

        fn both() -> [Self; 2] {
            [Self::new(), Self::weighted()]
        }

        fn rows(&self) -> RegressionRows<'_> {
            RegressionRows {
                targets: &self.targets,
                counts: &self.counts,
                are_fractional: self.counts.iter().any(|&c| c != 0.0 && c != 1.0),
            }
        }

        fn column(values: &[f64]) -> Matrix {
            Matrix::new(values.len(), 1, values.to_vec()).unwrap()
        }

        fn forward(&self, w: &[f64]) -> Vec<f64> {
            multiply(self.z.view(), Self::column(w).view())
                .values()
                .to_vec()
        }

        fn backward(&self, v: &[f64]) -> Vec<f64> {
            multiply_transposed(self.z.view(), Self::column(v).view())
                .values()
                .to_vec()
        }

        /// The point with these coefficients and the optimal intercept for them.
        fn point(&self, coefficients: &[f64]) -> RowPoint {
            let products = self.forward(coefficients);
            let mut search = InterceptSearch::new(1e-15 * self.rows().mass().total);
            let (mut point, mut intercept) = (RowPoint::unknown(ROWS), 0.0);
            loop {
                point.move_to(&products, intercept);
                let slope = point.linearise(self.rows());
                match search.next(intercept, slope, point.total_curvature) {
                    Some(next) => intercept = next,
                    None => return point,
                }
            }
        }

        fn objective(&self, coefficients: &[f64]) -> f64 {
            let loss = self.rows().loss(&self.point(coefficients).margins);
            loss + 0.5 * PENALTY * dot(coefficients, coefficients)
        }

        fn gradient(&self, coefficients: &[f64]) -> Vec<f64> {
            self.gradient_at(&self.point(coefficients), coefficients)
        }

        fn gradient_at(&self, point: &RowPoint, coefficients: &[f64]) -> Vec<f64> {
            let mut residuals = vec![0.0; ROWS];
            point.eliminated_residuals(&mut residuals);
            let mut gradient = self.backward(&residuals);
            add_scaled(&mut gradient, PENALTY, coefficients);
            gradient
        }

        /// The step of the coefficients, and the products that it takes.
        fn newton_step(
            &self,
            point: &RowPoint,
            gradient: &[f64],
            head: usize,
        ) -> (Vec<f64>, usize) {
            let head = Matrix::from_fn(head, ROWS, |k, row| self.z[(row, k)]);
            let settings = FitSettings {
                scatters: &[20.0; COLUMNS],
                total_weight: self.counts.iter().sum(),
                head: head.rows(),
                tolerance: 1e-8,
                max_steps: 1,
            };
            let (square, along) = weighted_gram(&head, &point.curvatures);
            let sums = HeadSums { square, along };
            let preconditioner =
                Preconditioner::new(point.total_curvature, sums, settings, PENALTY);
            let mut conjugate = Conjugate::new(gradient, &preconditioner, 1e-12);
            let mut weights = vec![0.0; ROWS];
            loop {
                let margins = self.forward(conjugate.direction());
                point.apply_curvature(&margins, &mut weights);
                let product = self.backward(&weights);
                if conjugate
                    .take_product(&product, PENALTY, &preconditioner)
                    .is_enough
                {
                    return (conjugate.step, conjugate.products);
                }
            }
        }
    }

    fn moved(w: &[f64], k: usize, by: f64) -> Vec<f64> {
        let mut w = w.to_vec();
        w[k] += by;
        w
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_objective_with_the_optimal_intercept() {
        let (w, h) = ([0.4, -0.7, 0.1, 0.9], 1e-5);
        for example in Example::both() {
            let gradient = example.gradient(&w);
            let at = |k: usize, by: f64| example.objective(&moved(&w, k, by));
            for (k, found) in gradient.iter().enumerate() {
                let rise = at(k, h) - at(k, -h);
                assert!((rise / (2.0 * h) - found).abs() < 1e-7, "coordinate {k}");
            }
        }
    }

    #[test]
    fn the_step_solves_the_newton_equation_of_finite_differences() {
        Example::both().iter().for_each(check_newton_equation);
    }

    fn check_newton_equation(example: &Example) {
        let (w, h) = ([0.4, -0.7, 0.1, 0.9], 1e-5);
        let (point, gradient) = (example.point(&w), example.gradient(&w));
        for head in [0, 2, 4] {
            let (step, products) = example.newton_step(&point, &gradient, head);
            assert!(
                head < COLUMNS || products <= 2,
                "an exact inverse needs {products}"
            );
            let ahead: Vec<f64> = w.iter().zip(&step).map(|(w, d)| w + h * d).collect();
            let behind: Vec<f64> = w.iter().zip(&step).map(|(w, d)| w - h * d).collect();
            let pairs = example
                .gradient(&ahead)
                .into_iter()
                .zip(example.gradient(&behind));
            for ((ahead, behind), g) in pairs.zip(&gradient) {
                assert!(((ahead - behind) / (2.0 * h) + g).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_step_zeroes_the_gradient_to_first_order_for_any_intercept() {
        let (example, w) = (Example::weighted(), [0.4, -0.7, 0.1, 0.9]);
        let mut point = example.point(&w);
        // As far from its optimum as any tolerance may leave it.
        point.shift(0.2);
        let slope = point.linearise(example.rows());
        let gradient = example.gradient_at(&point, &w);
        let (step, _) = example.newton_step(&point, &gradient, 0);
        let of_rows = example.forward(&step);
        let shift = -(slope + dot(&point.curvatures, &of_rows)) / point.total_curvature;
        let changes = point.residuals.iter().zip(&point.curvatures).zip(&of_rows);
        let after: Vec<f64> = changes.map(|((r, k), m)| r + k * (m + shift)).collect();
        assert!(sum(&after).abs() < 1e-10, "{}", sum(&after));
        let mut gradient = example.backward(&after);
        let ends = w.iter().zip(&step).map(|(w, d)| w + d);
        add_scaled(&mut gradient, PENALTY, &ends.collect::<Vec<f64>>());
        assert!(gradient.iter().all(|g| g.abs() < 1e-10), "{gradient:?}");
    }
}
