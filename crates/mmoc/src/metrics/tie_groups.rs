//! The label ranking of one row as groups of tied labels.

/// Labels with the same score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TieGroup {
    /// Number of labels.
    pub(super) size: usize,
    /// Number of relevant labels.
    pub(super) relevant: usize,
}

impl TieGroup {
    pub(super) fn irrelevant(self) -> usize {
        self.size - self.relevant
    }

    /// The probability that a label of the group is relevant.
    pub(super) fn share(self) -> f64 {
        self.relevant as f64 / self.size as f64
    }
}

/// The groups of tied labels of a row, from the highest score to the lowest. Unknown labels are in none.
///
/// Metrics use nothing else of a ranking, so they cannot depend on how sorting breaks ties.
pub(super) fn tie_groups(relevant: &[u32], unknown: &[u32], scores: &[f64]) -> Vec<TieGroup> {
    let mut labels: Vec<(f64, bool)> = scores.iter().map(|&score| (score, false)).collect();
    for &label in relevant {
        labels[label as usize].1 = true;
    }
    // From the last to the first, so that a known label takes the place of each.
    for &label in unknown.iter().rev() {
        labels.swap_remove(label as usize);
    }
    labels.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    // Scores are descending, so one that is not below its predecessor is equal to it, including zeros of either
    // sign, which are adjacent in the total order.
    labels
        .chunk_by(|a, b| a.0 <= b.0)
        .map(|tied| TieGroup {
            size: tied.len(),
            relevant: tied.iter().filter(|label| label.1).count(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_descending_and_have_equal_scores() {
        let groups = tie_groups(&[0, 4], &[], &[0.0, 2.0, f64::INFINITY, 2.0, -0.0, -1.0]);
        let expected = [(1, 0), (2, 0), (2, 2), (1, 0)];
        assert_eq!(
            groups,
            expected.map(|(size, relevant)| TieGroup { size, relevant })
        );
    }

    #[test]
    fn unknown_labels_are_in_no_group() {
        let scores = [3.0, 1.0, 2.0, 1.0, 3.0];
        let groups = tie_groups(&[3], &[0, 2, 4], &scores);
        let only = TieGroup {
            size: 2,
            relevant: 1,
        };
        assert_eq!(groups, [only]);
    }
}
