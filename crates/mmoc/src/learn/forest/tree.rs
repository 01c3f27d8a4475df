//! Trees as arrays.
//!
//! The nodes of a tree follow each other in preorder: a cut, its left side, its right side. Each node is one number:
//!
//! | number | node |
//! |---|---|
//! | from 0 | a cut, by its place among all cuts of the forest |
//! | from the number of cuts | a leaf of one class |
//! | after the last class | a leaf of several classes, by its place among all of these |
//!
//! Where a right side begins follows from the order. Files do not have it: nodes that are complete trees cannot refer to
//! each other in circles.

use super::cuts::Cuts;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Cut(usize),
    Leaf(Leaf),
}

/// A node without a cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Leaf {
    /// Rows of one class.
    Pure(u32),
    /// Rows of several classes that are equal in all columns.
    Mixed(usize),
}

/// How nodes are numbered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbering {
    pub(super) cuts: usize,
    pub(super) classes: usize,
}

impl Numbering {
    fn number(self, kind: Kind) -> u32 {
        let number = match kind {
            Kind::Cut(cut) => cut,
            Kind::Leaf(Leaf::Pure(class)) => self.cuts + class as usize,
            Kind::Leaf(Leaf::Mixed(leaf)) => self.cuts + self.classes + leaf,
        };
        number as u32
    }

    #[inline]
    pub(super) fn kind(self, number: u32) -> Kind {
        let number = number as usize;
        if number < self.cuts {
            Kind::Cut(number)
        } else if number < self.cuts + self.classes {
            Kind::Leaf(Leaf::Pure((number - self.cuts) as u32))
        } else {
            Kind::Leaf(Leaf::Mixed(number - self.cuts - self.classes))
        }
    }
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    pub(super) number: u32,
    /// How far from a cut its right side begins; 0 for leaves.
    pub(super) right: u32,
}

/// Leaves of several classes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MixedLeaves {
    /// Where the classes of each leaf begin, and the end of the last.
    offsets: Vec<usize>,
    pub(super) classes: Vec<u32>,
    /// The rows of each class.
    pub(super) counts: Vec<u32>,
}

impl Default for MixedLeaves {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            classes: Vec::new(),
            counts: Vec::new(),
        }
    }
}

impl MixedLeaves {
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many classes each leaf has.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let size = |pair: &[usize]| (pair[1] - pair[0]) as u32;
        self.offsets.windows(2).map(size).collect()
    }

    /// Adds a leaf by its classes and the rows of each.
    pub(super) fn push(&mut self, classes: &[u32], counts: &[u32]) {
        self.classes.extend_from_slice(classes);
        self.counts.extend_from_slice(counts);
        self.offsets.push(self.classes.len());
    }

    /// The classes of a leaf and the rows of each.
    pub(super) fn leaf(&self, leaf: usize) -> (&[u32], &[u32]) {
        let own = self.offsets[leaf]..self.offsets[leaf + 1];
        (&self.classes[own.clone()], &self.counts[own])
    }
}

/// A tree while it grows.
#[derive(Debug, Default)]
pub(super) struct GrowingTree {
    nodes: Vec<(Kind, [usize; 2])>,
    mixed: MixedLeaves,
}

impl GrowingTree {
    /// The place of a new leaf.
    pub(super) fn add(&mut self) -> usize {
        self.nodes.push((Kind::Leaf(Leaf::Pure(0)), [0; 2]));
        self.nodes.len() - 1
    }

    /// Makes a leaf a cut; returns the places of its two sides.
    pub(super) fn cut(&mut self, place: usize, cut: usize) -> [usize; 2] {
        let children = [self.add(), self.add()];
        self.nodes[place] = (Kind::Cut(cut), children);
        children
    }

    /// Gives a leaf its classes and their rows.
    pub(super) fn finish_leaf(&mut self, place: usize, classes: &[u32], counts: &[u32]) {
        let leaf = if let [only] = classes {
            Leaf::Pure(*only)
        } else {
            self.mixed.push(classes, counts);
            Leaf::Mixed(self.mixed.len() - 1)
        };
        self.nodes[place].0 = Kind::Leaf(leaf);
    }

    /// The tree in preorder.
    pub(super) fn finish(self, numbering: Numbering) -> Tree {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        // Nodes, and of which cut each is the right side.
        let mut waiting: Vec<(usize, Option<usize>)> = vec![(0, None)];
        while let Some((place, left_of)) = waiting.pop() {
            let here = nodes.len();
            if let Some(cut) = left_of {
                nodes[cut].right = (here - cut) as u32;
            }
            let (kind, [left, right]) = self.nodes[place];
            if matches!(kind, Kind::Cut(_)) {
                waiting.extend([(right, Some(here)), (left, None)]);
            }
            let number = numbering.number(kind);
            nodes.push(Node { number, right: 0 });
        }
        Tree {
            nodes,
            mixed: self.mixed,
        }
    }
}

/// A tree in preorder.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    mixed: MixedLeaves,
}

/// All trees of a forest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trees {
    pub(super) cuts: Cuts,
    pub(super) numbering: Numbering,
    pub(super) nodes: Vec<Node>,
    pub(super) mixed: MixedLeaves,
    /// Where each tree begins.
    pub(super) roots: Vec<usize>,
}

impl Trees {
    /// Joins trees, and keeps of all cuts those that they have.
    pub(super) fn join(trees: Vec<Tree>, all: &Cuts, classes: usize) -> Self {
        let before = Numbering {
            cuts: all.len(),
            classes,
        };
        let (cuts, places) = used(all, &trees, before);
        let numbering = Numbering {
            cuts: cuts.len(),
            classes,
        };
        let mut own = Self {
            cuts,
            numbering,
            nodes: Vec::with_capacity(trees.iter().map(|tree| tree.nodes.len()).sum()),
            mixed: MixedLeaves::default(),
            roots: Vec::with_capacity(trees.len()),
        };
        for tree in trees {
            own.roots.push(own.nodes.len());
            let mixed = own.mixed.len();
            own.nodes.extend(tree.nodes.iter().map(|node| {
                let kind = match before.kind(node.number) {
                    Kind::Cut(cut) => Kind::Cut(places[cut]),
                    Kind::Leaf(Leaf::Mixed(leaf)) => Kind::Leaf(Leaf::Mixed(mixed + leaf)),
                    pure @ Kind::Leaf(Leaf::Pure(_)) => pure,
                };
                let number = numbering.number(kind);
                Node { number, ..*node }
            }));
            for leaf in 0..tree.mixed.len() {
                let (classes, counts) = tree.mixed.leaf(leaf);
                own.mixed.push(classes, counts);
            }
        }
        own
    }

    /// How much each of p columns decides: the share of all ways down the trees that its cuts are on, if both sides of
    /// every cut are equally likely. The shares add up to one, unless no tree has a cut.
    pub(super) fn column_shares(&self, columns: usize) -> Vec<f64> {
        let mut shares = vec![0.0; columns];
        for &root in &self.roots {
            let mut waiting = vec![(root, 1.0)];
            while let Some((place, share)) = waiting.pop() {
                let node = self.nodes[place];
                if let Kind::Cut(cut) = self.numbering.kind(node.number) {
                    shares[self.cuts.columns[cut] as usize] += share;
                    let right = place + node.right as usize;
                    waiting.extend([(place + 1, share / 2.0), (right, share / 2.0)]);
                }
            }
        }
        let total: f64 = shares.iter().sum();
        if total > 0.0 {
            shares.iter_mut().for_each(|share| *share /= total);
        }
        shares
    }

    /// The leaf of a row in the tree that begins at a node.
    #[inline]
    pub(super) fn leaf(&self, root: usize, row: &[f64]) -> Leaf {
        let mut place = root;
        loop {
            let node = self.nodes[place];
            match self.numbering.kind(node.number) {
                Kind::Cut(cut) if self.cuts.is_left(cut, row) => place += 1,
                Kind::Cut(_) => place += node.right as usize,
                Kind::Leaf(leaf) => return leaf,
            }
        }
    }
}

/// The cuts that trees have, and the place of each of all cuts among them.
fn used(all: &Cuts, trees: &[Tree], numbering: Numbering) -> (Cuts, Vec<usize>) {
    let mut is_used = vec![false; all.len()];
    for node in trees.iter().flat_map(|tree| &tree.nodes) {
        if let Kind::Cut(cut) = numbering.kind(node.number) {
            is_used[cut] = true;
        }
    }
    let (mut cuts, mut places) = (Cuts::default(), Vec::with_capacity(all.len()));
    for (cut, is_used) in is_used.into_iter().enumerate() {
        places.push(cuts.len());
        if is_used {
            cuts.columns.push(all.columns[cut]);
            cuts.thresholds.push(all.thresholds[cut]);
        }
    }
    (cuts, places)
}
