//! The probability that a new row has a label set that no training row has (Good 1953, after Turing).
//!
//! A row drawn next has a set that is new with probability N₁/n, in expectation up to 1/n: the share of the rows whose set
//! is theirs alone. Each row is new to the others exactly if it is alone with its set.

/// u = N₁/n for the number of rows with each set; one if no set is known.
pub(super) fn unseen_mass(counts: &[usize]) -> f64 {
    let rows: usize = counts.iter().sum();
    if rows == 0 {
        return 1.0;
    }
    let alone = counts.iter().filter(|&&count| count == 1).count();
    alone as f64 / rows as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn the_mass_is_the_share_of_rows_that_are_alone_with_their_set() {
        assert_eq!(unseen_mass(&[1, 1, 2]), 0.5);
        assert_eq!(unseen_mass(&[3]), 0.0);
        assert_eq!(unseen_mass(&[1]), 1.0);
        assert_eq!(unseen_mass(&[]), 1.0);
    }

    /// Draws from sets with probabilities ∝ 1/rank: the estimate has the mean of what was not drawn.
    #[test]
    fn the_mean_estimate_of_simulated_draws_is_the_mean_mass_that_was_not_drawn() {
        const SETS: usize = 200;
        let weights: Vec<f64> = (0..SETS).map(|rank| 1.0 / (1 + rank) as f64).collect();
        let total: f64 = weights.iter().sum();
        let mut stream = Seed::new(9).stream();
        let (mut estimated, mut missed, mut squares) = (0.0, 0.0, 0.0);
        let (rounds, rows) = (2000, 150);
        for _ in 0..rounds {
            let mut counts = vec![0; SETS];
            for _ in 0..rows {
                let mut left = stream.uniform() * total;
                let drawn = weights.iter().position(|weight| {
                    left -= weight;
                    left < 0.0
                });
                counts[drawn.unwrap_or(SETS - 1)] += 1;
            }
            let unseen = counts
                .iter()
                .zip(&weights)
                .filter(|(count, _)| **count == 0);
            let mass = unseen.map(|(_, weight)| weight).sum::<f64>() / total;
            let found = unseen_mass(&counts);
            estimated += found / f64::from(rounds);
            missed += mass / f64::from(rounds);
            squares += (found - mass).powi(2) / f64::from(rounds);
        }
        let stderr = (squares / f64::from(rounds)).sqrt();
        // Good and Turing's estimate is unbiased for one row less.
        assert!(
            (estimated - missed).abs() < 4.0 * stderr + 1.0 / f64::from(rows),
            "{estimated} {missed}"
        );
        assert!(missed > 0.1 && stderr < 0.002);
    }
}
