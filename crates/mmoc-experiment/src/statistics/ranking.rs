//! Several methods on several data sets, by their ranks.

use serde::Serialize;

use super::Friedman;
use super::check::{check_finite, check_least};
use super::nemenyi::{critical_difference, groups};
use super::ranks::Ranks;
use mmoc::Result;
use mmoc::data::Matrix;

/// How methods rank over blocks, whether that is more than chance, and which of them differ: all that a
/// diagram of critical differences (Demšar 2006) shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The mean over blocks of each method's rank; 1 is the best.
    pub average_ranks: Vec<f64>,
    /// Whether the methods differ at all.
    pub friedman: Friedman,
    /// The level at which pairs of methods are said to differ.
    pub alpha: f64,
    /// The difference of mean ranks from which on they do ([`critical_difference`]).
    pub critical_difference: f64,
    /// The largest sets of two or more methods that do not differ, best first; methods by their number.
    pub groups: Vec<Vec<usize>>,
}

impl Ranking {
    /// Ranks methods by their scores, of which higher ones are better: a row for each block, a column for each
    /// method, at least two of either. Tied methods share the mean of their ranks. `alpha` is the level of
    /// [`critical_difference`].
    ///
    /// ```
    /// use mmoc::data::Matrix;
    /// use mmoc_experiment::Ranking;
    ///
    /// let scores = Matrix::new(3, 2, vec![0.46, 0.65, 0.77, 0.82, 0.25, 0.25])?;
    /// let ranking = Ranking::of(&scores, 0.05)?;
    /// assert_eq!(ranking.average_ranks, [5.5 / 3.0, 3.5 / 3.0]);
    /// assert_eq!(ranking.groups, [[1, 0]]);
    /// # Ok::<(), mmoc::Error>(())
    /// ```
    pub fn of(scores: &Matrix, alpha: f64) -> Result<Self> {
        check_least("the number of blocks", 2, scores.rows())?;
        check_finite("the scores", scores.values())?;
        let critical = critical_difference(scores.columns(), scores.rows(), alpha)?;
        let blocks: Vec<Ranks> = (0..scores.rows())
            .map(|block| descending_ranks(scores.row(block)))
            .collect();
        let average_ranks = average(&blocks, scores.columns());
        Ok(Self {
            friedman: Friedman::of(&blocks, &average_ranks),
            alpha,
            critical_difference: critical,
            groups: groups(&average_ranks, critical),
            average_ranks,
        })
    }
}

/// Ranks from 1 for the highest score. Scores of a block are computed alike, so ties are equal numbers.
fn descending_ranks(scores: &[f64]) -> Ranks {
    let negated: Vec<f64> = scores.iter().map(|score| -score).collect();
    Ranks::ascending(&negated, 0.0)
}

fn average(blocks: &[Ranks], methods: usize) -> Vec<f64> {
    let sum = |method: usize| blocks.iter().map(|block| block.ranks[method]).sum::<f64>();
    let count = blocks.len() as f64;
    (0..methods).map(|method| sum(method) / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::Seed;

    /// Scores with ties, in which later methods tend to be better.
    fn scores(blocks: usize, methods: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        let mut scores = Matrix::zeros(blocks, methods);
        for (place, score) in scores.values_mut().iter_mut().enumerate() {
            *score = (stream.below(8) + place % methods) as f64 / 7.0;
        }
        scores
    }

    #[test]
    fn average_ranks_sum_to_what_they_share_out() {
        for seed in 0..20 {
            let ranking = Ranking::of(&scores(7, 5, seed), 0.05).unwrap();
            assert!((ranking.average_ranks.iter().sum::<f64>() - 15.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_order_of_blocks_does_not_matter() {
        let scores = scores(9, 4, 1);
        let turned = scores.view().select_rows(&[8, 3, 1, 0, 2, 7, 6, 5, 4]);
        let (a, b) = (Ranking::of(&scores, 0.1), Ranking::of(&turned, 0.1));
        assert_eq!(a.unwrap(), b.unwrap());
    }

    #[test]
    fn only_the_order_of_scores_within_a_block_matters() {
        let scores = scores(6, 4, 2);
        let bent = Matrix::from_fn(6, 4, |block, method| {
            (1.0 + block as f64) * scores[(block, method)].powi(3) - block as f64
        });
        let (a, b) = (Ranking::of(&scores, 0.05), Ranking::of(&bent, 0.05));
        assert_eq!(a.unwrap(), b.unwrap());
    }

    #[test]
    fn lower_scores_turn_the_ranks_around() {
        let scores = scores(6, 4, 3);
        let negated = Matrix::from_fn(6, 4, |block, method| -scores[(block, method)]);
        let found = Ranking::of(&scores, 0.05).unwrap();
        let turned = Ranking::of(&negated, 0.05).unwrap();
        for (a, b) in found.average_ranks.iter().zip(&turned.average_ranks) {
            assert!((a + b - 5.0).abs() < 1e-12);
        }
        let difference = found.friedman.chi_squared - turned.friedman.chi_squared;
        assert!(difference.abs() < 1e-12);
    }

    #[test]
    fn without_ties_the_statistic_is_that_of_the_textbook() {
        let mut stream = Seed::new(4).stream();
        let mut scores = Matrix::zeros(8, 5);
        scores
            .values_mut()
            .iter_mut()
            .for_each(|score| *score = stream.uniform());
        let found = Ranking::of(&scores, 0.05).unwrap();
        let squares: f64 = found.average_ranks.iter().map(|rank| rank * rank).sum();
        let textbook = 12.0 * 8.0 / 30.0 * (squares - 5.0 * 36.0 / 4.0);
        assert!((found.friedman.chi_squared - textbook).abs() < 1e-12);
        let f = 7.0 * textbook / (8.0 * 4.0 - textbook);
        assert!((found.friedman.iman_davenport.f.unwrap() - f).abs() < 1e-12);
    }

    #[test]
    fn blocks_that_all_agree_or_all_tie_are_answered() {
        for (blocks, methods) in [(2, 2), (3, 7), (29, 3)] {
            let agreeing = Matrix::from_fn(blocks, methods, |_, method| method as f64);
            let ranking = Ranking::of(&agreeing, 0.05).unwrap();
            assert_eq!(ranking.average_ranks[methods - 1], 1.0, "higher is better");
            let found = ranking.friedman;
            assert_eq!(found.chi_squared, (blocks * (methods - 1)) as f64);
            assert_eq!(found.iman_davenport.f, None);
            assert_eq!(found.iman_davenport.p_value, 0.0);
            let tied = Ranking::of(&Matrix::zeros(blocks, methods), 0.05).unwrap();
            assert_eq!(
                (tied.friedman.chi_squared, tied.friedman.p_value),
                (0.0, 1.0)
            );
            assert_eq!(tied.friedman.iman_davenport.p_value, 1.0);
            assert_eq!(tied.groups, [(0..methods).collect::<Vec<_>>()]);
        }
    }

    #[test]
    fn too_few_methods_or_blocks_and_bad_scores_are_errors() {
        assert!(Ranking::of(&Matrix::zeros(3, 1), 0.05).is_err());
        assert!(Ranking::of(&Matrix::zeros(1, 3), 0.05).is_err());
        assert!(Ranking::of(&Matrix::zeros(3, 3), 0.7).is_err());
        let mut scores = Matrix::zeros(3, 3);
        scores[(1, 1)] = f64::NAN;
        assert!(Ranking::of(&scores, 0.05).is_err());
    }
}
