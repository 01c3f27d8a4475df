//! Dense features: label sets as clusters in a few hidden dimensions.

use super::census::Census;
use super::draw::{bell, bells};
use crate::Stream;
use crate::{Features, Matrix};

/// The model x = Wz + Nv + σe of the features of a row with label set S, whose hidden state is
///
/// z = Σ_{j∈S} uⱼ + a·w_S + τε.
///
/// All of uⱼ, w_S, ε, v, e have entries of mean 0 and variance 1, those of W and N are divided by the square root of
/// their number of columns. The sum over labels makes each of them predictable; w_S makes the label set more than
/// the sum of its labels. The noise τ of the hidden state moves all features together, so more features do not
/// average it away: where it is large, a classifier of one label is seldom sure, while the labels that exclude
/// each other are known to do so. v are states that have nothing to do with labels.
pub(super) struct DenseModel {
    /// Number of features, p.
    pub(super) columns: usize,
    /// Weight a of what the label set adds to its labels.
    pub(super) joint: f64,
    /// Noise τ of the hidden state.
    pub(super) hidden_noise: f64,
    /// Noise σ of each feature by itself.
    pub(super) own_noise: f64,
    /// Where features must lie within [0, 1], the width of a unit there; they are centred at ½ and cut off.
    pub(super) unit: Option<f64>,
}

/// Dimensions of the hidden state z. In this many, random directions are all about as far from each other, so
/// that seeds give twins that are about as hard as each other; in eight they did not.
const HIDDEN: usize = 24;

/// Dimensions of the state v that has nothing to do with labels.
const NUISANCE: usize = 4;

impl DenseModel {
    /// The features of rows with the given label sets, and their number of columns.
    pub(super) fn draw(
        &self,
        census: &Census,
        rows: &[usize],
        stream: &mut Stream,
    ) -> (usize, Features) {
        let centres = self.centres(census, stream);
        let loadings = bells(self.columns * HIDDEN, stream);
        let nuisance_loadings = bells(self.columns * NUISANCE, stream);
        let mut values = Vec::with_capacity(rows.len() * self.columns);
        for &set in rows {
            let state: Vec<f64> = (centres[set].iter())
                .map(|centre| centre + self.hidden_noise * bell(stream))
                .collect();
            let nuisance = bells(NUISANCE, stream);
            for column in 0..self.columns {
                let shared = loaded(&loadings, column, &state);
                let unrelated = loaded(&nuisance_loadings, column, &nuisance);
                let value = shared + unrelated + self.own_noise * bell(stream);
                values.push(self.placed(value));
            }
        }
        let matrix = Matrix::new(rows.len(), self.columns, values);
        let features = Features::Dense(matrix.expect("a number for each cell"));
        (self.columns, features)
    }

    /// Σ_{j∈S} uⱼ + a·w_S for each label set S.
    fn centres(&self, census: &Census, stream: &mut Stream) -> Vec<Vec<f64>> {
        let labels: Vec<Vec<f64>> = (census.names.iter())
            .map(|_| bells(HIDDEN, stream))
            .collect();
        let mut centre = |set: Vec<usize>| {
            let mut sum = bells(HIDDEN, stream);
            for (dimension, entry) in sum.iter_mut().enumerate() {
                *entry *= self.joint;
                *entry += set
                    .iter()
                    .map(|&label| labels[label][dimension])
                    .sum::<f64>();
            }
            sum
        };
        census.sets().map(&mut centre).collect()
    }

    fn placed(&self, value: f64) -> f64 {
        match self.unit {
            None => value,
            Some(unit) => (0.5 + unit * value).clamp(0.0, 1.0),
        }
    }
}

/// What a state contributes to a feature: its row of the loadings times the state, over √dimensions.
fn loaded(loadings: &[f64], column: usize, state: &[f64]) -> f64 {
    let weights = &loadings[column * state.len()..][..state.len()];
    let product: f64 = weights.iter().zip(state).map(|(w, z)| w * z).sum();
    product / (state.len() as f64).sqrt()
}
