//! Groups of regressions that are solved together.

use rayon::prelude::*;

/// Groups of at most `at_once` regressions, each with the index of its first. Threads take one group at a time,
/// since a group may take a second and idle threads can then take those not yet begun.
pub(super) fn groups_of<T: Sync>(
    regressions: &[T],
    at_once: usize,
) -> impl IndexedParallelIterator<Item = (usize, &[T])> {
    let size = group_size(regressions.len(), at_once);
    let groups = regressions.par_chunks(size).with_max_len(1).enumerate();
    groups.map(move |(k, group)| (k * size, group))
}

/// The size of a group: an even number of groups of about equal size, at most `at_once` each, so that two threads
/// share a few groups evenly. It depends on the number of regressions only, not on the number of threads: grouping
/// determines the shape of the matrix products, and so the last bits of the results.
fn group_size(regressions: usize, at_once: usize) -> usize {
    let pairs = regressions.div_ceil(2 * at_once);
    regressions.div_ceil(2 * pairs.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_even_in_number_and_about_equal_in_size() {
        for regressions in 2..300 {
            for at_once in [1, 8, 16] {
                let size = group_size(regressions, at_once);
                let groups = regressions.div_ceil(size);
                assert!((1..=at_once).contains(&size));
                assert!(groups >= 2 && regressions <= groups * size);
            }
        }
        assert_eq!((group_size(0, 8), group_size(1, 8)), (1, 1));
        assert_eq!(group_size(159, 8), 8);
    }
}
