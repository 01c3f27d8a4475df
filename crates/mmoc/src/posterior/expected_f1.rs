//! The label set of largest expected F1 (Dembczyński, Waegeman, Cheng & Hüllermeier 2011).
//!
//! Let P_js be the probability that a row has label j and s labels in all. A set h of k labels has the expected F1
//!
//! ```text
//! E F1(y, h) = Σ_{j∈h} Δ_jk,      Δ_jk = Σ_s P_js·2/(s + k)
//! ```
//!
//! so that the best set of k labels has the k largest Δ_jk, and the best of all is found by trying every k. The empty set
//! has the probability that a row has no label, as F1(∅, ∅) = 1.
//!
//! No set of k labels has more than Σ_s P(|y| = s)·2·min(s, k)/(s + k). From the largest size s on this falls with k,
//! which ends the search.

use crate::linalg::dot;

/// Sizes that are left out have at most this probability together.
const NEGLIGIBLE: f64 = 1e-12;

/// The probabilities P_js of a row.
#[derive(Debug, Default)]
pub(super) struct SizeTable {
    /// Labels that have a probability, in the order of the rows of the table.
    labels: Vec<u32>,
    /// The row of each label in the table; none if it has no probability so far.
    rows: Vec<Option<u32>>,
    /// P_js for s from 1 to the number of columns.
    table: Vec<f64>,
    columns: usize,
    /// P(|y| = s) from s = 0.
    sizes: Vec<f64>,
}

impl SizeTable {
    /// Room for sets of q labels of which at most `columns` occur together.
    pub(super) fn new(labels: usize, columns: usize) -> Self {
        Self {
            rows: vec![None; labels],
            columns,
            sizes: vec![0.0; columns + 1],
            ..Self::default()
        }
    }

    pub(super) fn clear(&mut self) {
        for &label in &self.labels {
            self.rows[label as usize] = None;
        }
        self.labels.clear();
        self.table.clear();
        self.sizes.fill(0.0);
    }

    /// Adds a set with its probability.
    pub(super) fn add_set(&mut self, set: &[u32], probability: f64) {
        self.sizes[set.len()] += probability;
        for &label in set {
            self.row_of(label)[set.len() - 1] += probability;
        }
    }

    fn row_of(&mut self, label: u32) -> &mut [f64] {
        let columns = self.columns;
        let row = *self.rows[label as usize].get_or_insert_with(|| {
            self.labels.push(label);
            self.table.resize(self.table.len() + columns, 0.0);
            self.labels.len() as u32 - 1
        });
        &mut self.table[row as usize * columns..][..columns]
    }

    /// Adds independent labels of the given probabilities, altogether with a weight. Sizes beyond the columns are left
    /// out.
    pub(super) fn add_independent(&mut self, probabilities: &[f64], weight: f64) {
        let mut sizes = vec![0.0; self.columns + 1];
        sizes[0] = 1.0;
        for &p in probabilities {
            for s in (1..sizes.len()).rev() {
                sizes[s] = sizes[s] * (1.0 - p) + sizes[s - 1] * p;
            }
            sizes[0] *= 1.0 - p;
        }
        for (sum, size) in self.sizes.iter_mut().zip(&sizes) {
            *sum += weight * size;
        }
        let mut others = vec![0.0; self.columns];
        for (label, &p) in probabilities.iter().enumerate() {
            without(&sizes, p, &mut others);
            let row = self.row_of(label as u32).iter_mut();
            row.zip(&others)
                .for_each(|(sum, other)| *sum += weight * p * other);
        }
    }

    /// The set of largest expected F1, ascending, and that value.
    pub(super) fn best(&self) -> (Vec<u32>, f64) {
        let (mut best, mut value) = (Vec::new(), self.sizes[0]);
        let largest = self.largest_size();
        let mut factors = vec![0.0; largest];
        let mut gains: Vec<(f64, u32)> = Vec::with_capacity(self.labels.len());
        for k in 1..=self.labels.len() {
            if k >= largest && self.bound(k) <= value {
                break;
            }
            for (s, factor) in (1..).zip(&mut factors) {
                *factor = 2.0 / f64::from(s + k as u32);
            }
            gains.clear();
            gains.extend(self.labels.iter().enumerate().map(|(row, &label)| {
                let own = &self.table[row * self.columns..][..largest];
                (dot(own, &factors), label)
            }));
            gains.select_nth_unstable_by(k - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let found: f64 = gains[..k].iter().map(|(gain, _)| gain).sum();
            if found > value {
                value = found;
                best = gains[..k].iter().map(|&(_, label)| label).collect();
            }
        }
        best.sort_unstable();
        (best, value)
    }

    /// The largest size, but for sizes that hardly occur.
    fn largest_size(&self) -> usize {
        let mut above = 0.0;
        let occurs = |&p: &f64| {
            above += p;
            above > NEGLIGIBLE
        };
        self.sizes.iter().rposition(occurs).unwrap_or(0)
    }

    /// What no set of k labels exceeds.
    fn bound(&self, k: usize) -> f64 {
        let sizes = self.sizes.iter().enumerate();
        sizes
            .map(|(s, p)| p * (2 * s.min(k)) as f64 / (s + k) as f64)
            .sum()
    }
}

/// The distribution of the number of the other labels, given that of all of them and the probability of one.
///
/// With f that of all and g that of the others, f_s = (1 − p)·g_s + p·g_{s−1}. Solved from below or from above,
/// whichever does not amplify rounding.
fn without(all: &[f64], p: f64, others: &mut [f64]) {
    if p <= 0.5 {
        let mut last = 0.0;
        for (other, f) in others.iter_mut().zip(all) {
            last = ((f - p * last) / (1.0 - p)).max(0.0);
            *other = last;
        }
    } else {
        let mut last = 0.0;
        for s in (0..others.len()).rev() {
            last = ((all[s + 1] - (1.0 - p) * last) / p).max(0.0);
            others[s] = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seed;

    fn f1(truth: usize, found: usize) -> f64 {
        if truth | found == 0 {
            return 1.0;
        }
        let both = (truth & found).count_ones();
        2.0 * f64::from(both) / f64::from(truth.count_ones() + found.count_ones())
    }

    fn members(code: usize) -> Vec<u32> {
        (0..usize::BITS)
            .filter(|label| code >> label & 1 == 1)
            .collect()
    }

    proptest! {
        #[test]
        fn no_set_has_a_larger_expected_f1(labels in 1usize..9, sets in 0usize..30, seed: u64) {
            let mut stream = Seed::new(seed).stream();
            let mut probabilities = vec![0.0; 1 << labels];
            let mut table = SizeTable::new(labels, labels);
            // Some sets with a probability of their own, and independent labels.
            for _ in 0..sets {
                let (set, share) = (stream.below(1 << labels), stream.uniform());
                probabilities[set] += share;
                table.add_set(&members(set), share);
            }
            let weight = stream.uniform();
            let odds: Vec<f64> = (0..labels).map(|_| stream.uniform()).collect();
            table.add_independent(&odds, weight);
            for (set, sum) in probabilities.iter_mut().enumerate() {
                let of_label = |(label, p): (usize, &f64)| {
                    if set >> label & 1 == 1 { *p } else { 1.0 - p }
                };
                *sum += weight * odds.iter().enumerate().map(of_label).product::<f64>();
            }
            let expected = |found: usize| -> f64 {
                let all = probabilities.iter().enumerate();
                all.map(|(truth, p)| p * f1(truth, found)).sum()
            };
            let best = (0..1 << labels).map(expected).fold(0.0, f64::max);
            let (set, value) = table.best();
            let code = set.iter().map(|label| 1 << label).sum();
            prop_assert!((value - best).abs() < 1e-9, "{value} {best}");
            prop_assert!((expected(code) - best).abs() < 1e-9);
        }
    }

    #[test]
    fn more_labels_than_any_set_has_may_be_best() {
        let mut table = SizeTable::new(3, 1);
        table.add_set(&[0], 0.5);
        table.add_set(&[2], 0.5);
        assert_eq!(table.best().0, [0, 2]);
        table.clear();
        table.add_set(&[], 0.6);
        table.add_set(&[1], 0.4);
        assert_eq!(table.best(), (vec![], 0.6));
    }
}
