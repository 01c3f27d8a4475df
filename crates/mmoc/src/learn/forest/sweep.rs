//! The best cut of one column at a node, by Gini impurity.
//!
//! With l_k and r_k rows of class k on the two sides, the impurities of the sides, weighted by their rows, are
//!
//! ```text
//! n_l·(1 − Σ_k l_k²/n_l²) + n_r·(1 − Σ_k r_k²/n_r²)  =  n − (Σ_k l_k²/n_l + Σ_k r_k²/n_r)
//! ```
//!
//! The sum in parentheses is the score of a cut. A row that moves from one side to the other changes the sums of squares in
//! its own class only, so that all cuts of a column cost as much as its rows, however many classes there are.
//!
//! Rows that have the column's usual value, zero in sparse data, need not be listed: the sweep goes from both ends to them.
//! Sums are of integers, so that neither the order of rows nor what is listed changes a score.

/// A row of the node in one column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) bin: u8,
    pub(super) class: u32,
    /// How often the row was drawn.
    pub(super) weight: u32,
}

/// The rows of a node by class.
#[derive(Debug)]
pub(super) struct Tally {
    /// For each class its rows, and how many of them have moved to the other side.
    classes: Vec<[u32; 2]>,
    sums: Sums,
}

/// Rows and the sum of their squared counts by class.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    rows: u64,
    squares: u64,
}

impl Sums {
    /// Adds rows to a class that has `before` of them.
    #[inline]
    fn add(&mut self, before: u32, weight: u32) {
        let (before, weight) = (u64::from(before), u64::from(weight));
        self.rows += weight;
        self.squares += weight * (2 * before + weight);
    }

    /// Takes rows from a class that has `before` of them.
    #[inline]
    fn take(&mut self, before: u32, weight: u32) {
        let (before, weight) = (u64::from(before), u64::from(weight));
        self.rows -= weight;
        self.squares -= weight * (2 * before - weight);
    }

    fn score(self) -> f64 {
        self.squares as f64 / self.rows as f64
    }
}

impl Tally {
    pub(super) fn new(classes: usize) -> Self {
        Self {
            classes: vec![[0; 2]; classes],
            sums: Sums::default(),
        }
    }

    pub(super) fn add(&mut self, class: u32, weight: u32) {
        let [rows, _] = &mut self.classes[class as usize];
        self.sums.add(*rows, weight);
        *rows += weight;
    }

    pub(super) fn take(&mut self, class: u32, weight: u32) {
        let [rows, _] = &mut self.classes[class as usize];
        self.sums.take(*rows, weight);
        *rows -= weight;
    }

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Rows of a class.
    pub(super) fn rows_of(&self, class: u32) -> u32 {
        self.classes[class as usize][0]
    }

    /// Whether all rows are of one class.
    pub(super) fn is_pure(&self) -> bool {
        self.sums.squares == self.sums.rows * self.sums.rows
    }
}

/// A cut of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColumnCut {
    pub(super) score: f64,
    /// The last bin on the left.
    pub(super) bin: u8,
}

/// The cut of highest score, of equal ones the leftmost; nothing if all rows are in one bin.
///
/// Entries ascend by bin. Those of the node that are not listed are all in the bin `rest`.
pub(super) fn best_cut(
    tally: &mut Tally,
    entries: &[Entry],
    rest: Option<u8>,
) -> Option<ColumnCut> {
    let Some(rest) = rest else {
        return Sweep::new(tally).starting_left(entries, None);
    };
    let (left, right) = entries.split_at(entries.partition_point(|entry| entry.bin < rest));
    let from_left = Sweep::new(tally).starting_left(left, Some(rest));
    let from_right = Sweep::new(tally).starting_right(right, rest);
    match (from_left, from_right) {
        (Some(left), Some(right)) if right.score > left.score => Some(right),
        (left, right) => left.or(right),
    }
}

/// Rows on their way from one side of the cut to the other.
struct Sweep<'a> {
    tally: &'a mut Tally,
    moved: Sums,
    left_behind: Sums,
    best: Option<ColumnCut>,
}

impl<'a> Sweep<'a> {
    fn new(tally: &'a mut Tally) -> Self {
        Self {
            moved: Sums::default(),
            left_behind: tally.sums,
            best: None,
            tally,
        }
    }

    /// Moves bins to the left one after the other. After the last comes the bin `rest`, if there are rows in it.
    fn starting_left(mut self, entries: &[Entry], rest: Option<u8>) -> Option<ColumnCut> {
        let mut done = 0;
        for group in entries.chunk_by(|a, b| a.bin == b.bin) {
            done += group.len();
            let Some(next) = entries.get(done).map(|entry| entry.bin).or(rest) else {
                done -= group.len();
                break;
            };
            let score = self.score_after(group);
            if self.best.is_none_or(|best| score > best.score) {
                let bin = between(group[0].bin, next);
                self.best = Some(ColumnCut { score, bin });
            }
        }
        self.undo(&entries[..done]);
        self.best
    }

    /// Moves bins to the right one after the other, the last first. Before the first comes the bin `rest`.
    fn starting_right(mut self, entries: &[Entry], rest: u8) -> Option<ColumnCut> {
        let mut left = entries.len();
        for group in entries.chunk_by(|a, b| a.bin == b.bin).rev() {
            left -= group.len();
            let before = entries[..left].last().map_or(rest, |entry| entry.bin);
            let score = self.score_after(group);
            if self.best.is_none_or(|best| score >= best.score) {
                let bin = between(before, group[0].bin);
                self.best = Some(ColumnCut { score, bin });
            }
        }
        self.undo(entries);
        self.best
    }

    fn score_after(&mut self, group: &[Entry]) -> f64 {
        for entry in group {
            let [rows, moved] = &mut self.tally.classes[entry.class as usize];
            self.moved.add(*moved, entry.weight);
            self.left_behind.take(*rows - *moved, entry.weight);
            *moved += entry.weight;
        }
        self.moved.score() + self.left_behind.score()
    }

    fn undo(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.tally.classes[entry.class as usize][1] = 0;
        }
    }
}

/// The last bin on the left of a cut midway between two bins without rows between them.
fn between(low: u8, high: u8) -> u8 {
    low + (high - low - 1) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLASSES: usize = 4;

    fn tally(entries: &[Entry]) -> Tally {
        let mut tally = Tally::new(CLASSES);
        for entry in entries {
            tally.add(entry.class, entry.weight);
        }
        tally
    }

    /// Σ_k n_k²/n of the rows that satisfy a condition.
    fn slow_score(entries: &[Entry], is_on_this_side: impl Fn(&Entry) -> bool) -> f64 {
        let mut counts = [0.0; CLASSES];
        for entry in entries.iter().filter(|entry| is_on_this_side(entry)) {
            counts[entry.class as usize] += f64::from(entry.weight);
        }
        counts.iter().map(|count| count * count).sum::<f64>() / counts.iter().sum::<f64>()
    }

    /// The best of all cuts, of equal ones the leftmost, midway between the bins that have rows.
    fn slow_cut(entries: &[Entry]) -> Option<ColumnCut> {
        let mut bins: Vec<u8> = entries.iter().map(|entry| entry.bin).collect();
        bins.sort_unstable();
        bins.dedup();
        let mut best: Option<ColumnCut> = None;
        for pair in bins.windows(2) {
            let left = slow_score(entries, |entry| entry.bin <= pair[0]);
            let score = left + slow_score(entries, |entry| entry.bin > pair[0]);
            if best.is_none_or(|best| score > best.score) {
                let bin = (u16::from(pair[0]) + u16::from(pair[1]) - 1) / 2;
                let bin = bin as u8;
                best = Some(ColumnCut { score, bin });
            }
        }
        best
    }

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let bins = prop_oneof![0u8..6, any::<u8>()];
        let entry = (bins, 0..CLASSES as u32, 1u32..4);
        let entry = entry.prop_map(|(bin, class, weight)| Entry { bin, class, weight });
        proptest::collection::vec(entry, 1..40)
    }

    proptest! {
        #[test]
        fn the_best_cut_is_that_of_brute_force_whatever_bin_is_not_listed(
            mut all in entries(),
            rest in prop_oneof![0u8..6, any::<u8>()],
        ) {
            all.sort_by_key(|entry| entry.bin);
            let expected = slow_cut(&all);
            let mut tally = tally(&all);
            // Twice, since a sweep must leave the tally as it was.
            for _ in 0..2 {
                prop_assert_eq!(best_cut(&mut tally, &all, None), expected);
            }
            let listed: Vec<Entry> = all.iter().copied().filter(|entry| entry.bin != rest).collect();
            if listed.len() < all.len() {
                prop_assert_eq!(best_cut(&mut tally, &listed, Some(rest)), expected);
            }
        }

        #[test]
        fn a_tally_is_pure_exactly_if_one_class_has_rows(all in entries(), out in 0usize..40) {
            let mut tally = tally(&all);
            let out = out.min(all.len() - 1);
            for entry in &all[..out] {
                tally.take(entry.class, entry.weight);
            }
            let left = &all[out..];
            let is_pure = left.iter().all(|entry| entry.class == left[0].class);
            prop_assert_eq!(tally.is_pure(), is_pure);
            let own = left.iter().filter(|entry| entry.class == 1);
            prop_assert_eq!(tally.rows_of(1), own.map(|entry| entry.weight).sum::<u32>());
        }
    }
}
