//! What trees vote for rows: the mean of the class distributions of their leaves.

use std::ops::Range;

use rayon::prelude::*;

use super::tree::{Leaf, Trees};
use crate::data::{Csr, FeaturesView};
use crate::{Result, check_stop};

/// Rows per task.
const CHUNK: usize = 64;

/// The shares of some rows, as the parts of a sparse matrix.
#[derive(Debug, Default)]
struct Shares {
    sizes: Vec<usize>,
    classes: Vec<u32>,
    values: Vec<f64>,
}

/// The votes of the trees that `selected(tree, row)` says; rows without any have an empty row.
pub(super) fn votes(
    trees: &Trees,
    x: FeaturesView<'_>,
    selected: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Csr> {
    let chunks: Vec<Shares> = (0..x.rows().div_ceil(CHUNK))
        .into_par_iter()
        .map_init(
            || Ballot::new(trees, x.columns()),
            |ballot, chunk| {
                check_stop()?;
                let rows = chunk * CHUNK..x.rows().min((chunk + 1) * CHUNK);
                Ok(ballot.count(x, rows, &selected))
            },
        )
        .collect::<Result<_>>()?;
    let mut offsets = vec![0];
    for size in chunks.iter().flat_map(|chunk| &chunk.sizes) {
        offsets.push(offsets[offsets.len() - 1] + size);
    }
    let (mut classes, mut values) = (Vec::new(), Vec::new());
    for chunk in chunks {
        classes.extend(chunk.classes);
        values.extend(chunk.values);
    }
    Csr::new(trees.numbering.classes, offsets, classes, values)
}

/// Counts the votes for one row after the other.
struct Ballot<'a> {
    trees: &'a Trees,
    /// A sparse row with its zeros; all zero between rows.
    row: Vec<f64>,
    /// The votes for each class; all zero between rows.
    votes: Vec<f64>,
    /// The classes with votes.
    classes: Vec<u32>,
}

impl<'a> Ballot<'a> {
    fn new(trees: &'a Trees, columns: usize) -> Self {
        Self {
            trees,
            row: vec![0.0; columns],
            votes: vec![0.0; trees.numbering.classes],
            classes: Vec::new(),
        }
    }

    fn count(
        &mut self,
        x: FeaturesView<'_>,
        rows: Range<usize>,
        selected: &impl Fn(usize, usize) -> bool,
    ) -> Shares {
        let mut shares = Shares::default();
        for row in rows {
            let selected = |tree| selected(tree, row);
            match x {
                FeaturesView::Dense(matrix) => {
                    self.count_row(matrix.row(row), selected, &mut shares);
                }
                FeaturesView::Sparse(matrix) => {
                    let mut dense = std::mem::take(&mut self.row);
                    matrix
                        .entries(row)
                        .for_each(|(column, value)| dense[column] = value);
                    self.count_row(&dense, selected, &mut shares);
                    matrix
                        .entries(row)
                        .for_each(|(column, _)| dense[column] = 0.0);
                    self.row = dense;
                }
            }
        }
        shares
    }

    fn count_row(&mut self, row: &[f64], selected: impl Fn(usize) -> bool, shares: &mut Shares) {
        let mut voters = 0.0;
        for (tree, &root) in self.trees.roots.iter().enumerate() {
            if !selected(tree) {
                continue;
            }
            voters += 1.0;
            match self.trees.leaf(root, row) {
                Leaf::Mixed(leaf) => {
                    let (classes, counts) = self.trees.mixed.leaf(leaf);
                    let rows: f64 = counts.iter().map(|count| f64::from(*count)).sum();
                    for (class, count) in classes.iter().zip(counts) {
                        self.vote(*class, f64::from(*count) / rows);
                    }
                }
                Leaf::Pure(class) => self.vote(class, 1.0),
            }
        }
        self.classes.sort_unstable();
        shares.sizes.push(self.classes.len());
        for class in self.classes.drain(..) {
            let votes = std::mem::take(&mut self.votes[class as usize]);
            shares.classes.push(class);
            shares.values.push(votes / voters);
        }
    }

    fn vote(&mut self, class: u32, share: f64) {
        let votes = &mut self.votes[class as usize];
        if *votes == 0.0 {
            self.classes.push(class);
        }
        *votes += share;
    }
}
