//! Regressions along the penalty grid, from the strongest to the weakest, many together.

use super::regression::{Effort, FitStatus, LogisticFit};
use crate::linalg::{DesignMatrix, ProductBuffers, add_scaled};
use crate::{Result, check_stop};

/// The minimum for one penalty.
#[derive(Debug, Clone)]
pub(super) struct PathSolution {
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: f64,
    /// Log-odds of the held-out rows.
    pub(super) held_out: Vec<f64>,
    pub(super) relative_gradient: f64,
    pub(super) termination: FitStatus,
}

/// A regression, its penalty grid, and the solutions so far.
#[derive(Debug, Clone)]
pub(super) struct PenaltyPath<'a> {
    regression: LogisticFit<'a>,
    penalties: &'a [f64],
    held_out: &'a [usize],
    solutions: Vec<PathSolution>,
}

impl<'a> PenaltyPath<'a> {
    /// A path whose regression starts at the first penalty.
    pub(super) fn new(
        regression: LogisticFit<'a>,
        penalties: &'a [f64],
        held_out: &'a [usize],
    ) -> Self {
        Self {
            regression,
            penalties,
            held_out,
            solutions: Vec::with_capacity(penalties.len()),
        }
    }

    /// A solution for each penalty.
    pub(super) fn solutions(&self) -> &[PathSolution] {
        &self.solutions
    }

    pub(super) fn effort(&self) -> Effort {
        self.regression.effort()
    }

    /// Stores the solution just reached and continues with the next penalty. Returns whether there is one.
    fn reached(&mut self, termination: FitStatus) -> bool {
        self.keep(termination);
        let Some(&penalty) = self.penalties.get(self.solutions.len()) else {
            return false;
        };
        let (coefficients, intercept) = self.extrapolate(penalty);
        self.regression.restart(penalty, coefficients, intercept);
        true
    }

    /// A prediction of the next solution: solutions move about evenly with the logarithm of the penalty. Compared
    /// with starting from the last solution this saves 7 (emotions) to 16 (scene) per cent of all products.
    fn extrapolate(&self, penalty: f64) -> (Vec<f64>, f64) {
        let reached = self.solutions.len();
        let last = &self.solutions[reached - 1];
        let (mut coefficients, mut intercept) = (last.coefficients.clone(), last.intercept);
        if reached > 1 {
            let before = &self.solutions[reached - 2];
            let [earlier, current] = [self.penalties[reached - 2], self.penalties[reached - 1]];
            let factor = ((current / penalty).ln() / (earlier / current).ln()).clamp(0.0, 1.0);
            add_scaled(&mut coefficients, factor, &last.coefficients);
            add_scaled(&mut coefficients, -factor, &before.coefficients);
            intercept += factor * (last.intercept - before.intercept);
        }
        (coefficients, intercept)
    }

    fn keep(&mut self, termination: FitStatus) {
        let point = self.regression.point();
        self.solutions.push(PathSolution {
            coefficients: point.coefficients.clone(),
            intercept: point.intercept,
            held_out: self
                .held_out
                .iter()
                .map(|&row| point.margins[row])
                .collect(),
            relative_gradient: self.regression.relative_gradient(),
            termination,
        });
    }
}

/// Follows all paths to their ends. In every round each regression gets one product in each direction, at its own
/// stage of its own path, so the block of vectors stays full until the first one ends.
pub(super) fn follow_paths<'p, 'a: 'p>(
    design: DesignMatrix<'_>,
    paths: impl Iterator<Item = &'p mut PenaltyPath<'a>>,
) -> Result<()> {
    let (rows, columns) = (design.rows(), design.columns());
    let mut live: Vec<&mut PenaltyPath<'a>> = paths.collect();
    let mut buffers = ProductBuffers::default();
    let (mut inputs, mut margins, mut weights) = (vec![], vec![], vec![]);
    while !live.is_empty() {
        check_stop()?;
        inputs.resize(columns * live.len(), 0.0);
        margins.resize(rows * live.len(), 0.0);
        weights.resize(rows * live.len(), 0.0);
        for (k, path) in live.iter().enumerate() {
            inputs[k * columns..][..columns].copy_from_slice(path.regression.input());
        }
        design.forward(&inputs, &mut margins, &mut buffers);
        for (k, path) in live.iter_mut().enumerate() {
            let block = k * rows..(k + 1) * rows;
            path.regression
                .take_forward(&margins[block.clone()], &mut weights[block]);
        }
        design.backward(&weights, &mut inputs, &mut buffers);
        let mut k = 0;
        live.retain_mut(|path| {
            let margins = &margins[k * rows..][..rows];
            let product = &inputs[k * columns..][..columns];
            k += 1;
            match path.regression.take_backward(margins, product) {
                Some(termination) => path.reached(termination),
                None => true,
            }
        });
    }
    Ok(())
}
