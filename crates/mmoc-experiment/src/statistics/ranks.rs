//! Ranks with ties.

/// The ranks of some numbers, from 1 for the least.
pub(super) struct Ranks {
    /// The rank of each number; tied numbers all have the mean of the ranks that they take up.
    pub(super) ranks: Vec<f64>,
    /// How many numbers are in each group of equal ones, alone or tied, ascending.
    pub(super) groups: Vec<usize>,
}

impl Ranks {
    /// Ranks numbers, of which neighbours in their order are tied if they differ by no more than `tolerance`.
    pub(super) fn ascending(numbers: &[f64], tolerance: f64) -> Self {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        let mut ranks = vec![0.0; numbers.len()];
        let mut groups = Vec::new();
        let mut before = 0;
        for tied in order.chunk_by(|&a, &b| numbers[b] - numbers[a] <= tolerance) {
            let shared = before as f64 + f64::midpoint(1.0, tied.len() as f64);
            tied.iter().for_each(|&place| ranks[place] = shared);
            groups.push(tied.len());
            before += tied.len();
        }
        Self { ranks, groups }
    }

    /// Twice the ranks, ascending: whole numbers, ties or not.
    pub(super) fn doubled(&self) -> impl Iterator<Item = usize> + '_ {
        let mut before = 0;
        self.groups.iter().flat_map(move |&size| {
            let twice = 2 * before + size + 1;
            before += size;
            std::iter::repeat_n(twice, size)
        })
    }

    /// Σ t³ − t over the groups of t tied numbers, by which ties lower the variance of rank sums.
    pub(super) fn tie_correction(&self) -> f64 {
        let cubes = |&size: &usize| (size as f64).powi(3) - size as f64;
        self.groups.iter().map(cubes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_numbers_share_the_mean_of_their_ranks() {
        let found = Ranks::ascending(&[3.0, -1.0, 3.0, 0.0, -0.0, 3.0], 0.0);
        assert_eq!(found.ranks, [5.0, 1.0, 5.0, 2.5, 2.5, 5.0]);
        assert_eq!(found.groups, [1, 2, 3]);
        assert_eq!(found.tie_correction(), 30.0);
    }

    #[test]
    fn a_rank_counts_the_smaller_numbers_and_half_the_equal_ones() {
        let mut stream = mmoc::Seed::new(1).stream();
        let numbers: Vec<f64> = (0..60).map(|_| stream.below(20) as f64).collect();
        let found = Ranks::ascending(&numbers, 0.0);
        for (number, rank) in numbers.iter().zip(found.ranks) {
            let smaller = numbers.iter().filter(|other| *other < number).count() as f64;
            let equal = numbers.iter().filter(|other| *other == number).count() as f64;
            assert_eq!(rank, smaller + f64::midpoint(1.0, equal));
        }
    }

    #[test]
    fn the_tolerance_ties_neighbours() {
        let found = Ranks::ascending(&[0.0, 1.0, 1.1, 1.2, 5.0], 0.15);
        assert_eq!(found.ranks, [1.0, 3.0, 3.0, 3.0, 5.0]);
        assert!(found.groups.len() < found.ranks.len());
    }
}
