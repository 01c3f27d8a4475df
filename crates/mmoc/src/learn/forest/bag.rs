//! The rows that a tree is grown from: as many as there are training rows, drawn with replacement.

use std::ops::Range;

use crate::Stream;

/// The place of rows that were not drawn.
const NOWHERE: u32 = u32::MAX;

/// The drawn rows, in an order in which those of a node follow each other.
#[derive(Debug, Default)]
pub(super) struct Bag {
    members: Vec<Member>,
    /// Where each training row is in this order.
    places: Vec<u32>,
}

/// A drawn row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) row: u32,
    pub(super) class: u32,
    /// How often it was drawn.
    pub(super) weight: u32,
}

/// How likely rows are to be drawn.
#[derive(Debug)]
pub(super) enum Chances {
    /// So many rows, all alike.
    Equal(usize),
    /// In proportion to their weights, whose sums up to each row these are.
    Weighted(Vec<f64>),
}

impl Chances {
    pub(super) fn new(rows: usize, weights: Option<&[f64]>) -> Self {
        let Some(weights) = weights else {
            return Self::Equal(rows);
        };
        let mut sum = 0.0;
        let sums = weights.iter().map(|weight| {
            sum += weight;
            sum
        });
        Self::Weighted(sums.collect())
    }

    /// How often each row is drawn, in as many draws as there are rows.
    pub(super) fn draw_weights(&self, stream: &mut Stream) -> Vec<u32> {
        match self {
            Self::Equal(rows) => {
                let mut weights = vec![0; *rows];
                (0..*rows).for_each(|_| weights[stream.below(*rows)] += 1);
                weights
            }
            Self::Weighted(sums) => {
                let mut weights = vec![0; sums.len()];
                let total = sums.last().copied().unwrap_or(0.0);
                for _ in 0..sums.len() {
                    let point = stream.uniform() * total;
                    let row = sums.partition_point(|&sum| sum <= point);
                    weights[row.min(sums.len() - 1)] += 1;
                }
                weights
            }
        }
    }
}

impl Bag {
    /// The rows of these classes that were drawn.
    pub(super) fn new(classes: &[u32], weights: &[u32]) -> Self {
        let mut bag = Self {
            members: Vec::new(),
            places: vec![NOWHERE; classes.len()],
        };
        for (row, (&class, &weight)) in (0..).zip(classes.iter().zip(weights)) {
            if weight > 0 {
                bag.places[row as usize] = bag.members.len() as u32;
                bag.members.push(Member { row, class, weight });
            }
        }
        bag
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The rows of a node.
    pub(super) fn members(&self, node: Range<usize>) -> &[Member] {
        &self.members[node]
    }

    /// A row, if it is at this node.
    #[inline]
    pub(super) fn find(&self, row: u32, node: &Range<usize>) -> Option<&Member> {
        let place = self.places[row as usize] as usize;
        node.contains(&place).then(|| &self.members[place])
    }

    /// Moves the rows of a node that satisfy a condition before the others; returns where the others begin.
    pub(super) fn part(&mut self, node: Range<usize>, is_left: impl Fn(u32) -> bool) -> usize {
        let mut next = node.start;
        for place in node {
            if is_left(self.members[place].row) {
                self.swap(next, place);
                next += 1;
            }
        }
        next
    }

    /// Moves some rows of a node before the others; returns where the others begin.
    pub(super) fn move_left(&mut self, node: Range<usize>, rows: &[u32]) -> usize {
        for (next, &row) in (node.start..).zip(rows) {
            self.swap(next, self.places[row as usize] as usize);
        }
        node.start + rows.len()
    }

    /// Moves some rows of a node behind the others; returns where they begin.
    pub(super) fn move_right(&mut self, node: Range<usize>, rows: &[u32]) -> usize {
        for (next, &row) in (0..node.end).rev().zip(rows) {
            self.swap(next, self.places[row as usize] as usize);
        }
        node.end - rows.len()
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.members.swap(a, b);
        self.places[self.members[a].row as usize] = a as u32;
        self.places[self.members[b].row as usize] = b as u32;
    }
}
