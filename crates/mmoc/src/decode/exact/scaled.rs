//! Log-odds of labels from energies of any size.
//!
//! A sum of weights is kept as s·exp(−m) with m the least energy in it, so that s is at least one and none is ever too
//! small for a number. Adding two takes one exponential; there are three additions for each label set. Folding
//! goes as in [`super::fold`].

use super::sums_of_subsets;

/// The log-odds of one row after the other, with the room that they need.
#[derive(Debug, Default)]
pub(super) struct Scaled {
    sums: Vec<f64>,
    masses: Vec<Mass>,
}

impl Scaled {
    /// Turns b of a row into log-odds, given ½yᵀAy by code.
    pub(super) fn log_odds(&mut self, table: &[f64], row: &mut [f64]) {
        self.sums.resize(1 << row.len(), 0.0);
        sums_of_subsets(row, &mut self.sums);
        self.masses.clear();
        let energies = table.iter().zip(&self.sums).map(|(half, sum)| half - sum);
        self.masses.extend(energies.map(Mass::of_set));
        let mut masses = self.masses.as_mut_slice();
        for (j, odds) in row.iter_mut().enumerate().rev() {
            let (without, with) = masses.split_at_mut(1 << j);
            *odds = Mass::log_ratio(Mass::total(with), Mass::total(without));
            for (without, with) in without.iter_mut().zip(with) {
                *without = without.plus(*with);
            }
            masses = without;
        }
    }
}

/// The weight Σ exp(−E) = sum·exp(−least) of some label sets.
#[derive(Debug, Clone, Copy)]
struct Mass {
    least: f64,
    sum: f64,
}

impl Mass {
    fn of_set(energy: f64) -> Self {
        Self {
            least: energy,
            sum: 1.0,
        }
    }

    fn plus(self, other: Self) -> Self {
        let (a, b) = if self.least <= other.least {
            (self, other)
        } else {
            (other, self)
        };
        Self {
            least: a.least,
            sum: a.sum + b.sum * (a.least - b.least).exp(),
        }
    }

    /// The weight of all; there is at least one.
    fn total(masses: &[Self]) -> Self {
        masses[1..]
            .iter()
            .fold(masses[0], |sum, mass| sum.plus(*mass))
    }

    fn log_ratio(a: Self, b: Self) -> f64 {
        (a.sum / b.sum).ln() + (b.least - a.least)
    }
}
