//! A random forest (Breiman 2001): classification trees, each grown from its own draw of the training rows.
//!
//! A tree is grown from n rows drawn with replacement. Each node is cut at the column and the threshold with the least Gini
//! impurity among √p columns drawn at random, until its rows are of one class or equal in all columns. A tree votes
//! for the classes of the leaf that a row ends in, by their shares of its rows. The trees that have not drawn a training
//! row vote for it as for a new one (out of bag).
//!
//! Classes may be as many as rows: what a cut costs does not depend on their number.
//!
//! | file | what it is |
//! |---|---|
//! | `cuts` | where columns can be cut |
//! | `columns`, `dense`, `sparse` | training columns in bins between cuts |
//! | `bag` | the rows that a tree is grown from |
//! | `sweep` | the best cut of a column |
//! | `grower` | growing a tree |
//! | `tree` | trees as arrays |
//! | `votes` | votes of trees for rows |
//! | `stored` | forests in model files |

mod bag;
mod columns;
mod cuts;
mod dense;
mod grower;
mod sparse;
mod stored;
mod sweep;
#[cfg(test)]
mod tests;
mod tree;
mod votes;

use rayon::prelude::*;

use self::bag::{Bag, Chances};
use self::columns::{BinnedColumns, ColumnCuts};
use self::dense::DenseColumns;
use self::grower::Grower;
use self::sparse::SparseColumns;
use self::tree::{Tree, Trees};
use crate::data::{Csr, FeaturesView};
use crate::{Error, Result, Seed, check_size, check_stop};

/// Parameters of a forest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForestParams {
    /// Number of trees.
    pub(crate) trees: usize,
}

impl Default for ForestParams {
    fn default() -> Self {
        Self { trees: 500 }
    }
}

/// A random forest of classification trees.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Forest {
    columns: usize,
    trees: Trees,
}

/// The training rows of a forest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClassRows<'a> {
    /// The class of each row, below `class_count`.
    pub(crate) classes: &'a [u32],
    pub(crate) class_count: usize,
    /// How much each row counts; none if all count the same.
    pub(crate) weights: Option<&'a [f64]>,
}

/// A tree, and one bit for each training row: whether the tree has seen it.
type TreeAndSeen = (Tree, Vec<u64>);

impl Forest {
    /// Grows the trees, and returns what the trees that have not seen a row vote for it, n×classes. A row that all trees
    /// have seen has no votes. Rows are drawn in proportion to their weights, if they have any.
    pub(crate) fn grow(
        x: FeaturesView<'_>,
        rows: ClassRows<'_>,
        params: &ForestParams,
        seed: Seed,
    ) -> Result<(Self, Csr)> {
        check_training(x, rows.classes, rows.class_count, params)?;
        match x {
            FeaturesView::Dense(matrix) => {
                let (columns, cuts) = DenseColumns::new(matrix);
                Self::grow_from(x, &columns, &cuts, rows, params, seed)
            }
            FeaturesView::Sparse(matrix) => {
                let (columns, cuts) = SparseColumns::new(matrix);
                Self::grow_from(x, &columns, &cuts, rows, params, seed)
            }
        }
    }

    fn grow_from(
        x: FeaturesView<'_>,
        columns: &impl BinnedColumns,
        cuts: &ColumnCuts,
        rows: ClassRows<'_>,
        params: &ForestParams,
        seed: Seed,
    ) -> Result<(Self, Csr)> {
        let class_count = rows.class_count;
        let chances = Chances::new(x.rows(), rows.weights);
        check_numbers(cuts.cuts.len(), class_count, params.trees, x.rows())?;
        let grown: Vec<TreeAndSeen> = (0..params.trees)
            .into_par_iter()
            .map_init(
                || Grower::new(columns, cuts, class_count),
                |grower, tree| {
                    check_stop()?;
                    let mut stream = seed_of_tree(seed, tree).stream();
                    let weights = chances.draw_weights(&mut stream);
                    let tree = grower.grow(Bag::new(rows.classes, &weights), &mut stream);
                    Ok((tree, bits(&weights)))
                },
            )
            .collect::<Result<_>>()?;
        let (trees, seen): (Vec<Tree>, Vec<Vec<u64>>) = grown.into_iter().unzip();
        let forest = Self {
            columns: x.columns(),
            trees: Trees::join(trees, &cuts.cuts, class_count),
        };
        let has_not_seen = |tree: usize, row: usize| seen[tree][row / 64] >> (row % 64) & 1 == 0;
        let out_of_bag = votes::votes(&forest.trees, x, has_not_seen)?;
        Ok((forest, out_of_bag))
    }

    /// The share of the trees' votes that each class has, n×classes; the shares of a row add up to one.
    pub(crate) fn votes(&self, x: FeaturesView<'_>) -> Result<Csr> {
        check_size("columns of the features", self.columns, x.columns())?;
        votes::votes(&self.trees, x, |_, _| true)
    }

    /// How much each column decides: its share of the cuts, those near the roots counting more.
    pub(crate) fn column_shares(&self) -> Vec<f64> {
        self.trees.column_shares(self.columns)
    }

    /// Number of columns, p.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of classes.
    pub(crate) fn class_count(&self) -> usize {
        self.trees.numbering.classes
    }
}

/// The seed of a tree, whichever thread grows it.
fn seed_of_tree(seed: Seed, tree: usize) -> Seed {
    seed.named("forest").numbered(tree)
}

/// A bit for each number: whether it is not zero.
fn bits(numbers: &[u32]) -> Vec<u64> {
    let word = |numbers: &[u32]| {
        let bit = |(place, number): (usize, &u32)| u64::from(*number != 0) << place;
        numbers.iter().enumerate().map(bit).sum()
    };
    numbers.chunks(64).map(word).collect()
}

fn check_training(
    x: FeaturesView<'_>,
    classes: &[u32],
    class_count: usize,
    params: &ForestParams,
) -> Result<()> {
    check_size("classes of rows", x.rows(), classes.len())?;
    if classes.is_empty() {
        return Err(Error::Dataset {
            expected: "rows to grow trees from".into(),
            found: "none".into(),
        });
    }
    if params.trees == 0 {
        return Err(Error::Parameter {
            parameter: "trees",
            expected: "at least 1".into(),
            found: "0".into(),
        });
    }
    match classes.iter().find(|class| **class as usize >= class_count) {
        None => Ok(()),
        Some(class) => Err(Error::Dataset {
            expected: format!("classes below {class_count}"),
            found: class.to_string(),
        }),
    }
}

/// Fails if nodes could have numbers of more than 32 bits.
fn check_numbers(cuts: usize, classes: usize, trees: usize, rows: usize) -> Result<()> {
    let leaves = trees.saturating_mul(rows);
    let largest = cuts.saturating_add(classes).saturating_add(leaves);
    if u32::try_from(largest).is_ok() {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: "cuts, classes and rows of all trees to be fewer than 2³²".into(),
        found: largest.to_string(),
    })
}
