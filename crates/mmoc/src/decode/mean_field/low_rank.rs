//! Sweeps with the factor W of the coupling A = WWᵀ: 2d terms per update.
//!
//! With s = Wᵀq kept up to date, Σ_{k≠j} A_jk·q_k = w_jᵀs − ‖w_j‖²·q_j, and when q_j moves s moves along w_j.

use pulp::Simd;

use super::Sweeps;
use super::lanes::Lanes;
use super::update::update;
use crate::data::Matrix;
use crate::linalg::dot;

/// Rows side by side.
const LANES: usize = 32;

/// W, with the squared length of each row.
#[derive(Debug, Clone)]
pub(super) struct LowRank {
    factor: Matrix,
    squares: Vec<f64>,
}

impl LowRank {
    /// Takes W, q×d.
    pub(super) fn new(factor: Matrix) -> Self {
        let squares = (0..factor.rows())
            .map(|j| dot(factor.row(j), factor.row(j)))
            .collect();
        Self { factor, squares }
    }

    /// The diagonal of A.
    pub(super) fn squares(&self) -> &[f64] {
        &self.squares
    }

    pub(super) fn factor(&self) -> &Matrix {
        &self.factor
    }
}

impl Sweeps<LANES> for LowRank {
    fn padded_labels(&self) -> usize {
        self.factor.rows()
    }

    #[inline(always)]
    fn sweep_with<S: Simd>(&self, simd: S, lanes: &mut Lanes<LANES>) -> [f64; LANES] {
        let registers = lanes.registers::<S>();
        let mut changes = [0.0; LANES];
        for (j, square) in self.squares.iter().enumerate() {
            let square = simd.splat_f64s(*square);
            let weights = self.factor.row(j);
            let biases = S::as_simd_f64s(&lanes.biases[j]).0;
            let fields = S::as_mut_simd_f64s(&mut lanes.fields[j]).0;
            let marginals = S::as_mut_simd_f64s(&mut lanes.marginals[j]).0;
            let changes = S::as_mut_simd_f64s(&mut changes).0;
            for r in 0..registers {
                let mut field = simd.mul_add_e_f64s(square, marginals[r], biases[r]);
                for (weight, sums) in weights.iter().zip(&lanes.sums) {
                    let sum = S::as_simd_f64s(sums).0[r];
                    field = simd.negate_mul_add_e_f64s(simd.splat_f64s(*weight), sum, field);
                }
                fields[r] = field;
                let steps = update(simd, &mut marginals[r], field, &mut changes[r]);
                for (weight, sums) in weights.iter().zip(&mut lanes.sums) {
                    let sum = &mut S::as_mut_simd_f64s(sums).0[r];
                    *sum = simd.mul_add_e_f64s(simd.splat_f64s(*weight), steps, *sum);
                }
            }
        }
        changes
    }
}
