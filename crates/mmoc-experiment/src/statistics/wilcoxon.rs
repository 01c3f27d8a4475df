//! The signed-rank test of Wilcoxon (1945).

use serde::Serialize;

use super::check::check_pairs;
use super::distributions::normal_tail;
use super::ranks::Ranks;
use mmoc::Result;

/// Up to this many pairs the null distribution is counted out; the counts then stay below 2⁵³.
const MOST_EXACT: usize = 50;

/// The two-sided signed-rank test of whether paired scores differ by a distribution symmetric about zero.
///
/// Pairs with equal scores are left out, as Wilcoxon did. The absolute differences of the rest are ranked,
/// and the ranks of the positive and of the negative ones summed. If the signs were thrown by a fair coin,
/// every one of their 2ⁿ patterns would be as likely as another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// The lesser of the two rank sums.
    pub statistic: f64,
    /// Number of pairs with different scores, n.
    pub pairs: usize,
    /// The probability of a statistic no greater than this one, were the signs random. 1 without any pair.
    pub p_value: f64,
    /// Whether the probability was counted out, ties and all: n ≤ 50. Else it is that of the normal distribution,
    /// with the variance corrected for ties and the statistic for continuity.
    pub exact: bool,
}

impl Wilcoxon {
    /// The test of the pairs `(ours[i], reference[i])`.
    ///
    /// Scores are shares of the same counts, computed alike, so two scores are equal only if their bits are.
    /// Differences of scores are not: 0.3 − 0.2 and 0.2 − 0.1 differ in their last digits. So two absolute
    /// differences are equal if they agree to within what the subtraction of the greatest score may round.
    pub fn of(ours: &[f64], reference: &[f64]) -> Result<Self> {
        check_pairs(ours, reference)?;
        let different = ours.iter().zip(reference).filter(|(a, b)| a != b);
        let differences: Vec<f64> = different.map(|(a, b)| a - b).collect();
        let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let ranks = Ranks::ascending(&sizes, rounding(ours, reference));
        let statistic = lesser_sum(&differences, &ranks.ranks);
        let pairs = differences.len();
        let exact = pairs <= MOST_EXACT;
        let p_value = if exact {
            exact_p_value(&ranks, statistic)
        } else {
            normal_p_value(pairs, statistic, ranks.tie_correction())
        };
        Ok(Self {
            statistic,
            pairs,
            p_value,
            exact,
        })
    }
}

/// How far two differences of scores may lie apart by rounding alone: half a digit for each of four scores and
/// one for each of two differences, which may be twice as large.
fn rounding(ours: &[f64], reference: &[f64]) -> f64 {
    let scores = ours.iter().chain(reference);
    let greatest = scores.fold(0.0f64, |most, score| most.max(score.abs()));
    4.0 * f64::EPSILON * greatest
}

fn lesser_sum(differences: &[f64], ranks: &[f64]) -> f64 {
    let (mut positive, mut negative) = (0.0, 0.0);
    for (difference, rank) in differences.iter().zip(ranks) {
        if *difference > 0.0 {
            positive += rank;
        } else {
            negative += rank;
        }
    }
    f64::min(positive, negative)
}

/// 2·P(W ≤ w), at most 1, where W is the sum of a random subset of the ranks.
///
/// The number of subsets with sum s that use one rank r more is that before plus that of s − r. Tied numbers share
/// ranks that may be halves, so all are counted twice.
fn exact_p_value(ranks: &Ranks, statistic: f64) -> f64 {
    let pairs = ranks.ranks.len();
    let greatest = pairs * (pairs + 1);
    let mut subsets = vec![0u64; greatest + 1];
    subsets[0] = 1;
    for twice in ranks.doubled() {
        for sum in (twice..=greatest).rev() {
            subsets[sum] += subsets[sum - twice];
        }
    }
    let sums = subsets.iter().enumerate();
    let low = sums.take_while(|&(sum, _)| sum as f64 <= 2.0 * statistic);
    let as_low: u64 = low.map(|(_, count)| count).sum();
    let patterns = (1u64 << pairs) as f64;
    (2.0 * as_low as f64 / patterns).min(1.0)
}

/// The same from a normal distribution of mean n(n + 1)/4 and variance n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48.
fn normal_p_value(pairs: usize, statistic: f64, tie_correction: f64) -> f64 {
    let n = pairs as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_correction / 48.0;
    // Rank sums lie on a grid, so each stands for half a step to either side.
    let distance = (mean - statistic - 0.5).max(0.0);
    2.0 * normal_tail(distance / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::Seed;

    fn of_differences(differences: &[f64]) -> Wilcoxon {
        Wilcoxon::of(differences, &vec![0.0; differences.len()]).unwrap()
    }

    /// The share of all 2ⁿ patterns of signs whose lesser rank sum is no greater.
    fn brute_force(differences: &[f64]) -> f64 {
        let n = differences.len();
        let size = |i: usize| differences[i].abs();
        // Twice the rank: the numbers that are less count twice, the equal ones once.
        let rank = |i: usize| -> usize {
            let of = |j: usize| usize::from(size(j) <= size(i)) + usize::from(size(j) < size(i));
            1 + (0..n).map(of).sum::<usize>()
        };
        let lesser = |pattern: usize| {
            let positive: usize = (0..n).filter(|i| pattern >> i & 1 == 1).map(rank).sum();
            positive.min(n * (n + 1) - positive)
        };
        let signs = (0..n).map(|i| usize::from(differences[i] > 0.0) << i);
        let found = lesser(signs.sum());
        let as_low = (0..1 << n).filter(|&pattern| lesser(pattern) <= found);
        as_low.count() as f64 / f64::from(1 << n)
    }

    #[test]
    fn exact_probabilities_are_those_of_all_patterns_of_signs() {
        let mut stream = Seed::new(5).stream();
        for n in 1..=10 {
            for _ in 0..8 {
                let differences: Vec<f64> = (0..n).map(|_| stream.gaussian() + 0.4).collect();
                let found = of_differences(&differences);
                assert!(found.exact && found.pairs == n);
                assert_eq!(found.p_value, brute_force(&differences), "{differences:?}");
                // Few different sizes, so that there are ties.
                let tied: Vec<f64> = differences
                    .iter()
                    .map(|d| (2.0 * d).trunc() + 0.5)
                    .collect();
                let found = of_differences(&tied);
                assert!(
                    (found.p_value - brute_force(&tied)).abs() < 1e-15,
                    "{tied:?}"
                );
            }
        }
    }

    #[test]
    fn swapping_the_methods_changes_nothing() {
        let mut stream = Seed::new(6).stream();
        for n in [3, 20, 50, 51, 200] {
            let ours: Vec<f64> = (0..n).map(|_| stream.uniform()).collect();
            let reference: Vec<f64> = (0..n).map(|_| stream.uniform()).collect();
            let found = Wilcoxon::of(&ours, &reference).unwrap();
            assert_eq!(found, Wilcoxon::of(&reference, &ours).unwrap());
            assert_eq!(found.exact, n <= 50);
        }
    }

    #[test]
    fn the_normal_distribution_is_near_the_exact_one_at_fifty_pairs() {
        for statistic in [300.0, 400.0, 500.0, 600.0] {
            let numbers: Vec<f64> = (1..=50).map(f64::from).collect();
            let ranks = Ranks::ascending(&numbers, 0.0);
            let exact = exact_p_value(&ranks, statistic);
            let normal = normal_p_value(50, statistic, 0.0);
            assert!((exact - normal).abs() < 0.005, "{exact} and {normal}");
        }
    }

    #[test]
    fn equal_scores_are_left_out() {
        let found = of_differences(&[0.0, 1.0, 0.0, -2.0, 3.0]);
        assert_eq!(found, of_differences(&[1.0, -2.0, 3.0]));
        let none = of_differences(&[0.0, 0.0]);
        assert_eq!((none.pairs, none.p_value, none.exact), (0, 1.0, true));
    }

    #[test]
    fn ties_are_found_through_the_rounding_of_differences() {
        let counts = [
            (12u32, 7),
            (250, 245),
            (101, 106),
            (3, 1),
            (180, 179),
            (44, 49),
        ];
        let shares = |count: u32| f64::from(count) / 293.0;
        let (ours, reference): (Vec<f64>, Vec<f64>) = counts
            .map(|(a, b)| (shares(a), shares(b)))
            .into_iter()
            .unzip();
        let whole = counts.map(|(a, b)| f64::from(a) - f64::from(b));
        let found = Wilcoxon::of(&ours, &reference).unwrap();
        assert_eq!(found, of_differences(&whole));
        let apart: Vec<f64> = whole
            .iter()
            .zip(1..)
            .map(|(d, i)| d + f64::from(i) * 1e-3)
            .collect();
        assert_ne!(found, of_differences(&apart));
    }

    #[test]
    fn pairs_that_are_all_tied_have_a_probability() {
        for signs in [[1.0, 1.0, 1.0], [1.0, -1.0, 1.0]] {
            let p_value = of_differences(&signs).p_value;
            assert!(p_value > 0.0 && p_value <= 1.0, "{p_value}");
        }
    }

    #[test]
    fn pairs_must_be_pairs_of_finite_numbers() {
        assert!(Wilcoxon::of(&[1.0, 2.0], &[1.0]).is_err());
        assert!(Wilcoxon::of(&[], &[]).is_err());
        assert!(Wilcoxon::of(&[f64::NAN], &[1.0]).is_err());
        assert!(Wilcoxon::of(&[1.0], &[f64::INFINITY]).is_err());
    }
}
