//! Label sets as paths of a tree, for sums over their members.
//!
//! A node stands for the first labels of some sets, which all sets below it share. A number for each label gives the
//! sum over each node from that of its parent, one addition a node. Numbers of sets summed from the leaves up give the
//! sum over all sets of each label. Several rows are handled side by side, in lanes.

use pulp::NullaryFnOnce;

use crate::data::Labels;
use crate::linalg::vectorised;

/// Rows that are handled side by side.
pub(super) const LANES: usize = 8;

/// A number for each of some rows.
pub(super) type Lane = [f64; LANES];

/// A tree of label sets. Parents come before their children.
#[derive(Debug, Clone)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// The node of each set; the root is zero.
    ends: Vec<u32>,
}

/// A label after those of the parent.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    label: u32,
}

impl Trie {
    /// The tree of sets that ascend, so that sets with the same first labels are neighbours.
    pub(super) fn new(sets: &Labels) -> Self {
        let mut nodes = vec![Node {
            parent: 0,
            label: 0,
        }];
        let mut ends = Vec::with_capacity(sets.rows());
        // The nodes of the last set, and the labels that lead to them.
        let mut path: Vec<u32> = Vec::new();
        let mut last: &[u32] = &[];
        for set in sets.iter() {
            let shared = set.iter().zip(last).take_while(|(a, b)| a == b).count();
            path.truncate(shared);
            for &label in &set[shared..] {
                let parent = path.last().copied().unwrap_or(0);
                path.push(nodes.len() as u32);
                nodes.push(Node { parent, label });
            }
            ends.push(path.last().copied().unwrap_or(0));
            last = set;
        }
        Self { nodes, ends }
    }

    /// Room for a number for each node.
    pub(super) fn workspace(&self) -> Vec<Lane> {
        vec![[0.0; LANES]; self.nodes.len()]
    }

    /// Adds to each set the sum of the numbers of its labels.
    pub(super) fn add_sums(&self, of_labels: &[Lane], work: &mut [Lane], of_sets: &mut [Lane]) {
        vectorised(Sums {
            trie: self,
            of_labels,
            work,
            of_sets,
        });
    }

    /// Adds to each label the numbers of the sets that have it.
    pub(super) fn add_totals(&self, of_sets: &[Lane], work: &mut [Lane], of_labels: &mut [Lane]) {
        vectorised(Totals {
            trie: self,
            of_sets,
            work: &mut *work,
            of_labels,
        });
        // The root has no label, and what was added to its work is left to the next call.
        work[0] = [0.0; LANES];
    }
}

/// From the root to the leaves.
struct Sums<'a> {
    trie: &'a Trie,
    of_labels: &'a [Lane],
    work: &'a mut [Lane],
    of_sets: &'a mut [Lane],
}

impl NullaryFnOnce for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (index, node) in self.trie.nodes.iter().enumerate().skip(1) {
            let (before, own) = self.work.split_at_mut(index);
            let parent = &before[node.parent as usize];
            let label = &self.of_labels[node.label as usize];
            for lane in 0..LANES {
                own[0][lane] = parent[lane] + label[lane];
            }
        }
        for (sum, &end) in self.of_sets.iter_mut().zip(&self.trie.ends) {
            let found = &self.work[end as usize];
            for lane in 0..LANES {
                sum[lane] += found[lane];
            }
        }
    }
}

/// From the leaves to the root.
struct Totals<'a> {
    trie: &'a Trie,
    of_sets: &'a [Lane],
    work: &'a mut [Lane],
    of_labels: &'a mut [Lane],
}

impl NullaryFnOnce for Totals<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.fill([0.0; LANES]);
        for (number, &end) in self.of_sets.iter().zip(&self.trie.ends) {
            let total = &mut self.work[end as usize];
            for lane in 0..LANES {
                total[lane] += number[lane];
            }
        }
        for (index, node) in self.trie.nodes.iter().enumerate().skip(1).rev() {
            let (before, own) = self.work.split_at_mut(index);
            let parent = &mut before[node.parent as usize];
            let label = &mut self.of_labels[node.label as usize];
            for lane in 0..LANES {
                parent[lane] += own[0][lane];
                label[lane] += own[0][lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn sums_and_totals_are_those_over_the_members_of_each_set() {
        let mut stream = Seed::new(5).stream();
        let mut sets: Vec<Vec<usize>> = (0..40)
            .map(|_| (0..7).filter(|_| stream.uniform() < 0.4).collect())
            .collect();
        sets.sort();
        sets.dedup();
        let mut labels = Labels::empty(7);
        sets.iter()
            .for_each(|set| labels.push_row(set.iter().copied()));
        let trie = Trie::new(&labels);
        let mut lanes = |count: usize| -> Vec<Lane> {
            let lane = |_| std::array::from_fn(|_| stream.gaussian());
            (0..count).map(lane).collect()
        };
        let (of_labels, of_sets) = (lanes(7), lanes(sets.len()));
        let mut work = trie.workspace();
        // Twice, as what is left in the workspace must not matter.
        for _ in 0..2 {
            let mut sums = of_sets.clone();
            trie.add_sums(&of_labels, &mut work, &mut sums);
            let mut totals = of_labels.clone();
            trie.add_totals(&of_sets, &mut work, &mut totals);
            for lane in 0..LANES {
                for (index, set) in sets.iter().enumerate() {
                    let members: f64 = set.iter().map(|&label| of_labels[label][lane]).sum();
                    assert!((sums[index][lane] - of_sets[index][lane] - members).abs() < 1e-12);
                }
                for label in 0..7 {
                    let having = sets
                        .iter()
                        .zip(&of_sets)
                        .filter(|(set, _)| set.contains(&label));
                    let total: f64 = having.map(|(_, lanes)| lanes[lane]).sum();
                    assert!((totals[label][lane] - of_labels[label][lane] - total).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn sets_share_the_nodes_of_their_first_labels() {
        let all = Labels::new(3, vec![0, 0, 1, 2, 4, 6], vec![0, 1, 0, 1, 0, 2]);
        let mut sorted: Vec<Vec<usize>> = all
            .unwrap()
            .iter()
            .map(|set| set.iter().map(|&label| label as usize).collect())
            .collect();
        sorted.sort();
        let mut labels = Labels::empty(3);
        sorted
            .iter()
            .for_each(|set| labels.push_row(set.iter().copied()));
        // The root, {0}, {0, 1}, {0, 2} and {1}.
        assert_eq!(Trie::new(&labels).nodes.len(), 5);
    }
}
