//! Where columns can be cut: between neighbouring values, at most 255 times a column.
//!
//! A column with at most 256 distinct values is cut between all of them. Others are cut so that the bins between cuts have
//! about the same number of rows. A cut lies midway between the two values it separates, as if there were no bins.

/// The most bins of a column: the number of a bin fits into a byte.
const MOST_BINS: usize = 256;

/// Pairs of a column and a threshold, ascending. Rows of at most the threshold are on the left.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cuts {
    pub(super) columns: Vec<u32>,
    pub(super) thresholds: Vec<f64>,
}

impl Cuts {
    pub(super) fn len(&self) -> usize {
        self.thresholds.len()
    }

    /// Adds the thresholds of the next column.
    pub(super) fn push_column(&mut self, column: usize, thresholds: &[f64]) {
        self.thresholds.extend_from_slice(thresholds);
        self.columns.resize(self.thresholds.len(), column as u32);
    }

    /// Whether a row is on the left of a cut.
    #[inline]
    pub(super) fn is_left(&self, cut: usize, row: &[f64]) -> bool {
        row[self.columns[cut] as usize] <= self.thresholds[cut]
    }
}

/// The bin of a value: how many thresholds are below it.
pub(super) fn bin(thresholds: &[f64], value: f64) -> u8 {
    thresholds.partition_point(|threshold| *threshold < value) as u8
}

/// The thresholds of a column that has these values and so many zeros besides.
pub(super) fn thresholds(values: &mut [f64], zeros: usize) -> Vec<f64> {
    let groups = distinct(values, zeros);
    let between = |i: usize| midway(groups[i].0, groups[i + 1].0);
    if groups.len() <= MOST_BINS {
        return (1..groups.len()).map(|i| between(i - 1)).collect();
    }
    let (mut rows, mut bins) = (values.len() + zeros, MOST_BINS);
    let (mut filled, mut found) = (0, Vec::with_capacity(MOST_BINS - 1));
    for (i, (_, count)) in groups[..groups.len() - 1].iter().enumerate() {
        filled += count;
        // The bin has its share of the rows that are left.
        if bins > 1 && filled * bins >= rows {
            found.push(between(i));
            (rows, bins, filled) = (rows - filled, bins - 1, 0);
        }
    }
    found
}

/// The distinct values of a column, ascending, and how often each occurs. Infinite ones are the largest of their sign, so
/// that every threshold is finite; no comparison comes out differently.
fn distinct(values: &mut [f64], zeros: usize) -> Vec<(f64, usize)> {
    let finite = |value: &mut f64| *value = value.clamp(f64::MIN, f64::MAX);
    values.iter_mut().for_each(finite);
    values.sort_unstable_by(f64::total_cmp);
    let same = values.chunk_by(|a, b| a == b);
    let mut groups: Vec<(f64, usize)> = same.map(|same| (same[0], same.len())).collect();
    let place = groups.partition_point(|(value, _)| *value < 0.0);
    match groups.get_mut(place) {
        Some((value, count)) if *value == 0.0 => *count += zeros,
        _ if zeros > 0 => groups.insert(place, (0.0, zeros)),
        _ => {}
    }
    groups
}

/// A number that is at least `low` and below `high`: midway, unless there is none between them.
fn midway(low: f64, high: f64) -> f64 {
    let middle = f64::midpoint(low, high);
    if middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn few_values_have_a_bin_each(
            values in proptest::collection::vec(-20i32..20, 1..60),
            zeros in 0usize..3,
        ) {
            let mut values: Vec<f64> = values.into_iter().map(|v| f64::from(v) / 8.0).collect();
            let found = thresholds(&mut values.clone(), zeros);
            values.extend(std::iter::repeat_n(0.0, zeros));
            values.sort_by(f64::total_cmp);
            values.dedup();
            let bins: Vec<u8> = values.iter().map(|value| bin(&found, *value)).collect();
            let expected: Vec<u8> = (0..values.len() as u8).collect();
            prop_assert_eq!(bins, expected);
            for (pair, threshold) in values.windows(2).zip(&found) {
                prop_assert_eq!(*threshold, f64::midpoint(pair[0], pair[1]));
            }
        }

        #[test]
        fn many_values_fill_bins_evenly(seed: u64, rows in 300usize..3000, zeros in 0usize..200) {
            let mut stream = crate::Seed::new(seed).stream();
            let values: Vec<f64> = (0..rows).map(|_| stream.gaussian()).collect();
            let found = thresholds(&mut values.clone(), zeros);
            prop_assert!(found.is_sorted_by(|a, b| a < b));
            prop_assert!(found.len() < MOST_BINS && found.len() > MOST_BINS / 2);
            let mut counts = vec![0; found.len() + 1];
            values.iter().for_each(|value| counts[usize::from(bin(&found, *value))] += 1);
            // No row occurs twice but zeros, so that no bin has more than its share, rounded up.
            let most = (rows + zeros).div_ceil(MOST_BINS);
            prop_assert!(counts.iter().all(|count| *count <= most), "{:?}", counts);
        }
    }

    #[test]
    fn neighbouring_and_infinite_values_have_thresholds_between_them() {
        let next = 1.0f64.next_up();
        assert_eq!(thresholds(&mut [1.0, next], 0), [1.0]);
        let found = thresholds(&mut [f64::NEG_INFINITY, f64::INFINITY, 2.0], 0);
        assert!(found.iter().all(|threshold| threshold.is_finite()));
        let bins = [f64::NEG_INFINITY, 2.0, f64::INFINITY].map(|value| bin(&found, value));
        assert_eq!(bins, [0, 1, 2]);
        assert!(thresholds(&mut [-0.0, 0.0], 3).is_empty());
        assert!(thresholds(&mut [], 3).is_empty());
    }
}
