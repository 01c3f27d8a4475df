//! The test of Nemenyi (1963): which mean ranks differ.

use super::check::check_least;
use super::distributions::studentised_range_quantile;
use mmoc::{Error, Result};

/// Far more methods than anyone compares, and few enough for a quantile of their range to take no time.
const MOST_METHODS: usize = 10_000;

/// The difference of mean ranks from which on two of `methods` methods, ranked in `blocks` blocks, differ at the
/// level `alpha`: q_α √(k(k + 1)/(6N)).
///
/// √2·q_α is the quantile of the range of k normal numbers, so all pairs are tested at once. `alpha` is from
/// 10⁻⁶ to ½; Demšar (2006) uses 0.05 and 0.10. There may be 2 to 10 000 methods.
///
/// ```
/// // The example of Demšar (2006), section 3.2.2: four classifiers on fourteen data sets.
/// let difference = mmoc_experiment::critical_difference(4, 14, 0.05)?;
/// assert_eq!(format!("{difference:.2}"), "1.25");
/// # Ok::<(), mmoc::Error>(())
/// ```
pub fn critical_difference(methods: usize, blocks: usize, alpha: f64) -> Result<f64> {
    check_methods(methods)?;
    check_least("the number of blocks", 1, blocks)?;
    check_level(alpha)?;
    let (k, n) = (methods as f64, blocks as f64);
    Ok(studentised_range_quantile(alpha, methods) * (k * (k + 1.0) / (12.0 * n)).sqrt())
}

fn check_methods(methods: usize) -> Result<()> {
    if (2..=MOST_METHODS).contains(&methods) {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter: "the number of methods",
        expected: format!("from 2 to {MOST_METHODS}"),
        found: methods.to_string(),
    })
}

fn check_level(alpha: f64) -> Result<()> {
    if (1e-6..=0.5).contains(&alpha) {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter: "the level of significance",
        expected: "from 0.000001 to 0.5".into(),
        found: alpha.to_string(),
    })
}

/// The largest sets of at least two methods of which no two mean ranks differ by `critical` or more: stretches
/// of the rank axis that no other contains. Each has its best method first, and so have all together.
pub(super) fn groups(average_ranks: &[f64], critical: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..average_ranks.len()).collect();
    order.sort_by(|&a, &b| average_ranks[a].total_cmp(&average_ranks[b]));
    let mut groups = Vec::new();
    let mut covered = 0;
    for first in 0..order.len() {
        let near =
            |&&method: &&usize| average_ranks[method] - average_ranks[order[first]] < critical;
        let end = first + order[first..].iter().take_while(near).count();
        // A stretch that ends where an earlier one did lies within it.
        if end > covered && end - first > 1 {
            groups.push(order[first..end].to_vec());
        }
        covered = covered.max(end);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::Seed;

    #[test]
    fn groups_are_the_maximal_cliques() {
        let mut stream = Seed::new(3).stream();
        for _ in 0..200 {
            let methods = 2 + stream.below(6);
            let ranks: Vec<f64> = (0..methods)
                .map(|_| stream.below(12) as f64 / 2.0)
                .collect();
            let alike = |set: usize| {
                let members = || (0..methods).filter(move |m| set >> m & 1 == 1);
                members().all(|a| members().all(|b| (ranks[a] - ranks[b]).abs() < 1.5))
            };
            let maximal = |set: usize| {
                let others = (0..methods).filter(|m| set >> m & 1 == 0);
                alike(set) && others.map(|m| set | 1 << m).all(|larger| !alike(larger))
            };
            let sets = 0usize..1 << methods;
            let mut expected: Vec<usize> = sets
                .filter(|&set| set.count_ones() > 1 && maximal(set))
                .collect();
            let found = groups(&ranks, 1.5);
            let mut masks: Vec<usize> = found
                .iter()
                .map(|group| group.iter().map(|m| 1 << m).sum())
                .collect();
            expected.sort_unstable();
            masks.sort_unstable();
            assert_eq!(masks, expected, "{ranks:?}");
        }
    }

    #[test]
    fn groups_begin_with_the_best_method() {
        let found = groups(&[3.4, 1.0, 2.2, 3.4], 1.3);
        assert_eq!(found, [vec![1, 2], vec![2, 0, 3]]);
    }

    #[test]
    fn sizes_and_levels_out_of_range_are_errors() {
        assert!(critical_difference(1, 5, 0.05).is_err());
        assert!(critical_difference(usize::MAX, 5, 0.05).is_err());
        assert!(critical_difference(MOST_METHODS, 5, 1e-6).is_ok());
        assert!(critical_difference(3, 0, 0.05).is_err());
        for alpha in [0.0, 1e-9, 0.6, f64::NAN] {
            assert!(critical_difference(3, 5, alpha).is_err());
        }
    }
}
