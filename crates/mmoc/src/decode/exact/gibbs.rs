//! Exact marginals of the distribution p(y) ∝ exp(−E(y)) over all label sets.
//!
//! With E* the least energy, a label has the odds Σ_{y∋j} exp(E* − E(y)) to Σ_{y∌j} exp(E* − E(y)): the masses of the
//! sets with it and without it. Both are sums of positive numbers, so nothing cancels.
//!
//! A code is split into its high bits h, the block of the table ½yᵀAy that it is in, and its low bits l. What all rows
//! share of its weight is tabulated once, relative to the least entry m_h of its block, and the rest is a product:
//!
//! ```text
//! exp(E* − E(h, l)) = T[h, l] · u[l] · s[h]
//! T[h, l] = exp(m_h − table[h, l])     u[l] = Π_j exp(b_j·l_j − max(b_j, 0))     s[h] = exp(E* − m_h + bᵀh + Σ_j max(b_j, 0))
//! mass of block h = s[h] · Σ_l T[h, l]·u[l]            mass of low bits l = u[l] · Σ_h T[h, l]·s[h]
//! ```
//!
//! where j runs over the low labels. So a row takes an exponential for each low label and each block, and two
//! multiply-adds for each code; then folding either list of masses gives those of the labels ([`super::fold`]).
//! Computed one by one, the weights would take an exponential for each code.
//!
//! No factor leaves the range of numbers while the largest spread of a block and Σ|b_j| are together at most
//! [`MOST_SPREAD`]. Rows beyond, and rows with a mass too small to be represented, are computed with a scale
//! of their own ([`super::scaled`]).

use rayon::prelude::*;

use super::fold::{Fold, LEAST_LABELS, LOW_BITS, ROWS, Workspace};
use super::scaled::Scaled;
use super::{CHUNK, Enumeration};
use crate::data::{Labels, Matrix};
use crate::decode::marginals::{Marginals, strictly_inside};
use crate::learn::logistic::sigmoid;
use crate::linalg::vectorised;

/// The most that exponents may spread within a block: T·u is then at least exp(−690), and s at most exp(690).
const MOST_SPREAD: f64 = 690.0;

/// Masses below this go the long way. Scales stay at exp(−708) at least, so that 2²⁰ sets are wrong by 10⁻³⁰¹ together.
const SMALLEST_MASS: f64 = 1e-285;

/// Masses are at most the number of sets; beyond this the energies are too large to tell the least.
const LARGEST_MASS: f64 = 1e10;

/// The weights exp(−½yᵀAy) of all label sets.
#[derive(Debug, Clone)]
pub(crate) struct Gibbs {
    /// T by code, at least 2^[`LEAST_LABELS`]; codes that only fill up have none.
    weights: Vec<f64>,
    /// m by block.
    least: Vec<f64>,
    /// The largest difference of two energies in a block.
    spread: f64,
}

impl Gibbs {
    /// Tabulates the weights of what is enumerated.
    pub(crate) fn new(enumeration: &Enumeration) -> Self {
        let labels = enumeration.labels.max(LEAST_LABELS);
        let table = &enumeration.table[..1 << labels];
        let blocks = table.chunks_exact(1 << labels.min(LOW_BITS));
        let least: Vec<f64> = blocks
            .clone()
            .map(|block| block.iter().copied().fold(f64::INFINITY, f64::min))
            .collect();
        let mut spread: f64 = 0.0;
        let mut weights = Vec::with_capacity(table.len());
        for (block, least) in blocks.zip(&least) {
            for energy in block {
                weights.push((least - energy).exp());
                if energy.is_finite() {
                    spread = spread.max(energy - least);
                }
            }
        }
        Self {
            weights,
            least,
            spread,
        }
    }

    /// The marginals for b (n×q), given the label sets of least energy.
    pub(crate) fn marginals(
        &self,
        enumeration: &Enumeration,
        evidence: &Matrix,
        minimisers: &Labels,
    ) -> Marginals {
        let labels = evidence.columns();
        let mut log_odds = evidence.clone();
        let mut probabilities = Matrix::zeros(evidence.rows(), labels);
        if labels > 0 {
            let chunks = log_odds.values_mut().par_chunks_mut(CHUNK * labels);
            let probabilities = probabilities.values_mut().par_chunks_mut(CHUNK * labels);
            let pieces = chunks.zip(probabilities).enumerate();
            pieces.for_each(|(i, (odds, probabilities))| {
                let mut rows = Rows::new(self, enumeration);
                let sets = |row: usize| minimisers.row(i * CHUNK + row);
                rows.infer(odds, probabilities, sets);
            });
        }
        Marginals {
            log_odds,
            probabilities,
        }
    }
}

/// The rows of one piece of the work.
struct Rows<'a> {
    gibbs: &'a Gibbs,
    enumeration: &'a Enumeration,
    workspace: Workspace,
    scaled: Scaled,
}

impl<'a> Rows<'a> {
    fn new(gibbs: &'a Gibbs, enumeration: &'a Enumeration) -> Self {
        Self {
            gibbs,
            enumeration,
            workspace: Workspace::new(enumeration.labels),
            scaled: Scaled::default(),
        }
    }

    /// Turns b into log-odds and fills in the probabilities; `sets` are the label sets of least energy.
    fn infer<'s>(
        &mut self,
        odds: &mut [f64],
        probabilities: &mut [f64],
        sets: impl Fn(usize) -> &'s [u32],
    ) {
        let labels = self.enumeration.labels;
        let groups = odds.chunks_mut(ROWS * labels);
        let groups = groups.zip(probabilities.chunks_mut(ROWS * labels));
        for (group, (odds, probabilities)) in groups.enumerate() {
            self.fold(odds, |lane| sets(group * ROWS + lane));
            let rows = odds.chunks_exact_mut(labels);
            let rows = rows.zip(probabilities.chunks_exact_mut(labels));
            for (lane, (odds, probabilities)) in rows.enumerate() {
                self.finish(lane, odds, probabilities);
            }
        }
    }

    /// Computes the masses of the labels of up to [`ROWS`] rows.
    fn fold<'s>(&mut self, rows: &[f64], sets: impl Fn(usize) -> &'s [u32]) {
        let labels = self.enumeration.labels;
        let mut energies = [0.0; ROWS];
        for (lane, (energy, b)) in energies.iter_mut().zip(rows.chunks(labels)).enumerate() {
            *energy = self.enumeration.energy(sets(lane), b);
        }
        vectorised(Fold {
            weights: &self.gibbs.weights,
            least: &self.gibbs.least,
            labels,
            rows,
            energies: &energies,
            workspace: &mut self.workspace,
        });
    }

    /// Turns b of the row in a lane into log-odds and probabilities.
    fn finish(&mut self, lane: usize, odds: &mut [f64], probabilities: &mut [f64]) {
        if !self.can_be_told(lane, odds) {
            self.scaled.log_odds(&self.enumeration.table, odds);
            for (probability, log_odds) in probabilities.iter_mut().zip(odds) {
                *probability = strictly_inside(sigmoid(*log_odds));
            }
            return;
        }
        let masses = self.workspace.masses();
        for ((odds, probability), mass) in odds.iter_mut().zip(probabilities).zip(masses) {
            let (with, without) = (mass.with[lane], mass.without[lane]);
            *odds = (with / without).ln();
            *probability = strictly_inside(with / (with + without));
        }
    }

    /// Whether the masses of the row in a lane, with evidence b, have all their digits.
    fn can_be_told(&self, lane: usize, b: &[f64]) -> bool {
        let low = &b[..b.len().min(LOW_BITS)];
        let spread = self.gibbs.spread + low.iter().map(|b| b.abs()).sum::<f64>();
        let usable = SMALLEST_MASS..=LARGEST_MASS;
        let masses = &self.workspace.masses()[..b.len()];
        spread <= MOST_SPREAD
            && masses.iter().all(|mass| {
                usable.contains(&mass.with[lane]) && usable.contains(&mass.without[lane])
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A coupling of positive curvature, and evidence.
    fn random(labels: usize, rows: usize) -> (Matrix, Matrix) {
        let mut stream = crate::Seed::new(labels as u64).stream();
        let mut factor = Matrix::zeros(labels, 3);
        factor.values_mut().fill_with(|| stream.gaussian());
        let mut evidence = Matrix::zeros(rows, labels);
        evidence.values_mut().fill_with(|| 3.0 * stream.gaussian());
        let coupling = crate::linalg::multiply_by_transposed(&factor, &factor);
        (coupling, evidence)
    }

    #[test]
    fn the_short_way_is_taken_and_leads_where_the_long_way_does() {
        for labels in [1, 2, 3, 6, 7, 8, 12, 17] {
            let (coupling, evidence) = random(labels, ROWS);
            let enumeration = Enumeration::new(&coupling);
            let gibbs = Gibbs::new(&enumeration);
            let sets = enumeration.minimisers(&evidence).unwrap();
            let mut rows = Rows::new(&gibbs, &enumeration);
            rows.fold(evidence.values(), |row| sets.row(row));
            let short = gibbs.marginals(&enumeration, &evidence, &sets).log_odds;
            for row in 0..ROWS {
                assert!(rows.can_be_told(row, evidence.row(row)));
                let mut long = evidence.row(row).to_vec();
                Scaled::default().log_odds(&enumeration.table, &mut long);
                for (short, long) in short.row(row).iter().zip(&long) {
                    assert!((short - long).abs() < 1e-11, "{short} is not {long}");
                }
            }
        }
    }

    #[test]
    fn masses_that_lost_their_digits_go_the_long_way() {
        let (coupling, mut evidence) = random(9, 1);
        evidence[(0, 8)] = -800.0;
        let enumeration = Enumeration::new(&coupling);
        let gibbs = Gibbs::new(&enumeration);
        let sets = enumeration.minimisers(&evidence).unwrap();
        let mut rows = Rows::new(&gibbs, &enumeration);
        rows.fold(evidence.values(), |row| sets.row(row));
        assert!(!rows.can_be_told(0, evidence.row(0)));
        let found = gibbs.marginals(&enumeration, &evidence, &sets);
        assert!(found.log_odds[(0, 8)] < -750.0);
    }

    #[test]
    fn labels_without_coupling_have_the_odds_of_their_evidence_however_large() {
        for labels in [1, 2, 9] {
            let enumeration = Enumeration::new(&Matrix::zeros(labels, labels));
            let gibbs = Gibbs::new(&enumeration);
            for size in [30.0, 50.0, 800.0, 1e5] {
                // In each row one label is certain, or certainly absent.
                let evidence = Matrix::from_fn(2 * labels, labels, |i, j| match i {
                    _ if i == j => size,
                    _ if i == labels + j => -size,
                    _ => 0.25 * (j as f64 - 3.0),
                });
                let sets = enumeration.minimisers(&evidence).unwrap();
                let found = gibbs.marginals(&enumeration, &evidence, &sets);
                let pairs = found.log_odds.values().iter().zip(evidence.values());
                for (found, expected) in pairs {
                    let allowed = 1e-12 * expected.abs().max(1.0);
                    assert!((found - expected).abs() <= allowed, "{found} {expected}");
                }
                let mut probabilities = found.probabilities.values().iter();
                assert!(probabilities.all(|&p| p > 0.0 && p < 1.0));
            }
        }
    }
}
