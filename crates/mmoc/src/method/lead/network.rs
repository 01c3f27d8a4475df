//! The structure of a Bayesian network by hill climbing: which labels are the parents of which.
//!
//! The score of a network is a sum over its nodes, each node's score depending on its parents alone, so that a
//! change of one edge changes one or two terms. From the network without edges, the search adds, removes or
//! reverses the edge that raises the score most, as long as one does; no change may close a cycle or give a node more
//! parents than allowed. Each step raises the score, so the search ends: at a network that no single change improves.
//!
//! Scores that do not know the direction of an edge (BIC is one of them) leave it to a tie rule. Of changes that
//! gain the same, up to rounding, the one whose new parent comes first is taken, then the one whose child does: the
//! caller puts the nodes it would rather have as parents first.
//!
//! A step looks at q² changes whose gains are kept and computes those of one or two children anew, O(q) scores.

use crate::{Result, check_stop};

/// Gains that differ by less than this, relative to the size of the scores, are the same.
const SAME: f64 = 1e-9;

/// A directed graph without cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Network {
    /// The parents of each node, ascending.
    parents: Vec<Vec<usize>>,
}

/// A change of one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    kind: Kind,
    parent: usize,
    child: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Remove,
    /// What was the child becomes the parent; `Change` names the edge as it was.
    Reverse,
}

impl Network {
    /// A network of as many nodes without edges.
    pub(super) fn without_edges(nodes: usize) -> Self {
        Self {
            parents: vec![Vec::new(); nodes],
        }
    }

    /// Climbs to a network that no single change improves, given the score of a node with some parents.
    pub(super) fn climb(
        nodes: usize,
        most_parents: usize,
        score: impl Fn(usize, &[usize]) -> f64,
    ) -> Result<Self> {
        let mut network = Self::without_edges(nodes);
        let mut gains: Vec<Vec<f64>> = (0..nodes)
            .map(|child| {
                check_stop()?;
                Ok(network.gains_of(child, &score))
            })
            .collect::<Result<_>>()?;
        let size = (0..nodes).map(|node| score(node, &[]).abs());
        let same = SAME * size.fold(1.0, f64::max);
        while let Some(change) = network.best_change(&gains, most_parents, same) {
            check_stop()?;
            network.apply(change);
            gains[change.child] = network.gains_of(change.child, &score);
            if change.kind == Kind::Reverse {
                gains[change.parent] = network.gains_of(change.parent, &score);
            }
        }
        Ok(network)
    }

    /// The parents of a node, ascending.
    pub(super) fn parents(&self, node: usize) -> &[usize] {
        &self.parents[node]
    }

    /// Adds nodes that have no edges.
    pub(super) fn extend(&mut self, nodes: usize) {
        self.parents.resize(self.parents.len() + nodes, Vec::new());
    }

    /// The same network with its nodes renamed: node k becomes `names[k]`.
    pub(super) fn renamed(&self, names: &[usize]) -> Self {
        let mut renamed = Self::without_edges(names.len());
        for (node, parents) in self.parents.iter().enumerate() {
            let mut parents: Vec<usize> = parents.iter().map(|&parent| names[parent]).collect();
            parents.sort_unstable();
            renamed.parents[names[node]] = parents;
        }
        renamed
    }

    /// What adding or removing each node as a parent of this one gains.
    fn gains_of(&self, child: usize, score: &impl Fn(usize, &[usize]) -> f64) -> Vec<f64> {
        let present = score(child, &self.parents[child]);
        let gain = |parent| {
            if parent == child {
                return f64::NEG_INFINITY;
            }
            let mut parents = self.parents[child].clone();
            toggle(&mut parents, parent);
            score(child, &parents) - present
        };
        (0..self.parents.len()).map(gain).collect()
    }

    fn best_change(&self, gains: &[Vec<f64>], most_parents: usize, same: f64) -> Option<Change> {
        let nodes = self.parents.len();
        let mut best: Option<(f64, Change)> = None;
        let edges = (0..nodes).flat_map(|parent| (0..nodes).map(move |child| (parent, child)));
        for (parent, child) in edges.filter(|(parent, child)| parent != child) {
            let (gain, change) = self.change_of(parent, child, gains);
            let better = gain > best.map_or(0.0, |(least, _)| least) + same;
            if better && self.allows(change, most_parents) {
                best = Some((gain, change));
            }
        }
        best.map(|(_, change)| change)
    }

    /// What can be done about the edge from `parent` to `child`: taken away if it is there, reversed if it points the
    /// other way, else added. What it gains comes first.
    fn change_of(&self, parent: usize, child: usize, gains: &[Vec<f64>]) -> (f64, Change) {
        let change = |kind, parent, child| Change {
            kind,
            parent,
            child,
        };
        if self.has_edge(parent, child) {
            (gains[child][parent], change(Kind::Remove, parent, child))
        } else if self.has_edge(child, parent) {
            let gain = gains[parent][child] + gains[child][parent];
            (gain, change(Kind::Reverse, child, parent))
        } else {
            (gains[child][parent], change(Kind::Add, parent, child))
        }
    }

    fn allows(&self, change: Change, most_parents: usize) -> bool {
        let Change {
            kind,
            parent,
            child,
        } = change;
        match kind {
            Kind::Remove => true,
            Kind::Add => {
                self.parents[child].len() < most_parents && !self.leads_to(child, parent, None)
            }
            Kind::Reverse => {
                let edge = Some((parent, child));
                self.parents[parent].len() < most_parents && !self.leads_to(parent, child, edge)
            }
        }
    }

    fn has_edge(&self, parent: usize, child: usize) -> bool {
        self.parents[child].binary_search(&parent).is_ok()
    }

    /// Whether `from` is `to` or one of its ancestors, by way of other edges than `without`.
    fn leads_to(&self, from: usize, to: usize, without: Option<(usize, usize)>) -> bool {
        let (mut seen, mut open) = (vec![false; self.parents.len()], vec![to]);
        while let Some(node) = open.pop() {
            if node == from {
                return true;
            }
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            let parents = self.parents[node].iter().copied();
            open.extend(parents.filter(|&parent| without != Some((parent, node))));
        }
        false
    }

    fn apply(&mut self, change: Change) {
        toggle(&mut self.parents[change.child], change.parent);
        if change.kind == Kind::Reverse {
            toggle(&mut self.parents[change.parent], change.child);
        }
    }
}

/// Puts a number into an ascending list, or takes it out if it is there.
fn toggle(list: &mut Vec<usize>, item: usize) {
    match list.binary_search(&item) {
        Ok(place) => {
            list.remove(place);
        }
        Err(place) => list.insert(place, item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// A score with no structure at all: a number for each node and set of parents, less a price for each parent.
    fn arbitrary(seed: u64) -> impl Fn(usize, &[usize]) -> f64 {
        move |node, parents| {
            let named = |seed: Seed, &node: &usize| seed.numbered(node);
            let seed = parents.iter().fold(Seed::new(seed).numbered(node), named);
            10.0 * seed.stream().uniform() - 2.0 * parents.len() as f64
        }
    }

    fn total(network: &Network, score: &impl Fn(usize, &[usize]) -> f64) -> f64 {
        let nodes = network.parents.iter().enumerate();
        nodes.map(|(node, parents)| score(node, parents)).sum()
    }

    /// Whether there is an order of the nodes with parents before children, by taking away nodes without parents.
    fn is_acyclic(parents: &[Vec<usize>]) -> bool {
        let mut left: Vec<usize> = (0..parents.len()).collect();
        loop {
            let before = left.len();
            let free = |node: usize| !parents[node].iter().any(|parent| left.contains(parent));
            let rest: Vec<usize> = left.iter().copied().filter(|&node| !free(node)).collect();
            left = rest;
            if left.is_empty() || left.len() == before {
                return left.is_empty();
            }
        }
    }

    /// Every network that is one edge away: edges added, removed and reversed without asking whether that is allowed.
    fn neighbours(network: &Network) -> Vec<Network> {
        let nodes = network.parents.len();
        let mut found = Vec::new();
        for parent in 0..nodes {
            for child in (0..nodes).filter(|&child| child != parent) {
                let mut changed = network.clone();
                toggle(&mut changed.parents[child], parent);
                found.push(changed.clone());
                if network.has_edge(parent, child) {
                    toggle(&mut changed.parents[parent], child);
                    found.push(changed);
                }
            }
        }
        found
    }

    #[test]
    fn the_search_ends_at_an_acyclic_network_that_no_single_change_improves() {
        for seed in 0..60 {
            let (score, most) = (arbitrary(seed), 1 + seed as usize % 3);
            let found = Network::climb(5, most, &score).unwrap();
            assert!(is_acyclic(&found.parents), "{found:?}");
            let reached = total(&found, &score);
            let allowed = |network: &&Network| {
                network.parents.iter().all(|parents| parents.len() <= most)
                    && is_acyclic(&network.parents)
            };
            for other in neighbours(&found).iter().filter(allowed) {
                assert!(
                    total(other, &score) <= reached + 1e-6,
                    "{found:?} {other:?}"
                );
            }
        }
    }

    /// The best score of any network, by dynamic programming over sets: the last node of an order has its best
    /// parents among the others.
    fn best_of_all(nodes: usize, score: &impl Fn(usize, &[usize]) -> f64) -> f64 {
        let members = |set: usize| (0..nodes).filter(move |node| set >> node & 1 == 1);
        let subsets = |set: usize| (0..=set).filter(move |part| part & !set == 0);
        let mut best = vec![0.0; 1 << nodes];
        for set in 1..1 << nodes {
            let last = |node: usize| {
                let others = set & !(1 << node);
                let with = |part: usize| score(node, &members(part).collect::<Vec<_>>());
                let own = subsets(others).map(with).fold(f64::NEG_INFINITY, f64::max);
                best[others] + own
            };
            best[set] = members(set).map(last).fold(f64::NEG_INFINITY, f64::max);
        }
        best[(1 << nodes) - 1]
    }

    #[test]
    fn no_network_scores_above_the_best_of_all_and_a_sum_over_edges_is_solved_exactly() {
        for seed in 0..30 {
            let score = arbitrary(seed);
            let found = total(&Network::climb(4, 3, &score).unwrap(), &score);
            assert!(found <= best_of_all(4, &score) + 1e-9);
        }
        // Nodes that only gain by smaller ones have no cycles to avoid.
        let score = |node: usize, parents: &[usize]| -> f64 {
            let gain = |&parent: &usize| {
                if parent < node {
                    (parent + 1) as f64
                } else {
                    -1.0
                }
            };
            parents.iter().map(gain).sum()
        };
        let found = total(&Network::climb(5, 5, score).unwrap(), &score);
        assert_eq!(found, best_of_all(5, &score));
    }

    #[test]
    fn an_edge_that_is_as_good_either_way_goes_out_from_the_node_that_comes_first() {
        let linked = |node: usize, parents: &[usize]| {
            let gain = |&parent: &usize| if node + parent == 5 { 3.0 } else { -1.0 };
            parents.iter().map(gain).sum()
        };
        let found = Network::climb(6, 2, linked).unwrap();
        let expected: [&[usize]; 6] = [&[], &[], &[], &[2], &[1], &[0]];
        assert_eq!(found.parents, expected);
    }

    #[test]
    fn renaming_keeps_the_edges() {
        let network = Network {
            parents: vec![vec![], vec![0], vec![0, 1]],
        };
        let renamed = network.renamed(&[2, 0, 1]);
        assert_eq!(renamed.parents, [vec![2], vec![0, 2], vec![]]);
    }

    #[test]
    fn a_network_of_no_nodes_or_one_has_no_edges() {
        for nodes in [0, 1] {
            assert_eq!(
                Network::climb(nodes, 3, |_, _| 1.0).unwrap(),
                Network::without_edges(nodes)
            );
        }
    }
}
