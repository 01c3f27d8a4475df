//! Rounds for a block of regressions whose rows are in partitions.

use super::super::path::PenaltyPath;
use super::super::preconditioner::HeadSums;
use super::super::regression::Need;
use super::share::{LogisticShare, NO_FOLD, Points, head_square};
use super::space::Space;
use crate::linalg::{add_scaled, dot};
use crate::partitions::{Bulk, Rows};
use crate::{Result, check_stop};

/// Regressions in a row of a product with the coefficients of all of them, which fill whole registers.
const TILE: usize = 8;

/// The rows of a block of regressions, and their coordinates.
pub(super) struct Block<'a> {
    pub(super) rows: &'a dyn Rows,
    pub(super) space: &'a Space,
    pub(super) factors: &'a [f64],
    pub(super) folds: usize,
    pub(super) seed: u64,
}

/// A regression along its penalties.
#[derive(Debug)]
pub(super) struct PartitionedPath<'a> {
    path: PenaltyPath<'a>,
    label: usize,
    left_out: Option<usize>,
    known: Option<Known>,
}

/// The sums at a point.
#[derive(Debug)]
struct Known {
    coefficients: Vec<f64>,
    intercept: f64,
    loss: f64,
    slope: f64,
    curvature: f64,
    /// Zᵀr.
    gradient: Vec<f64>,
    /// Zᵀk.
    curvatures: Vec<f64>,
}

impl<'a> PartitionedPath<'a> {
    /// The path of the regression of a label, which may leave out a fold.
    pub(super) fn new(path: PenaltyPath<'a>, label: usize, left_out: Option<usize>) -> Self {
        Self {
            path,
            label,
            left_out,
            known: None,
        }
    }

    pub(super) fn path(&self) -> &PenaltyPath<'a> {
        &self.path
    }

    /// Tells the regression what is known already. Returns what must be asked of the rows; nothing if it has ended.
    fn settle(&mut self) -> Option<Need> {
        loop {
            let regression = &mut self.path.regression;
            let need = regression.need();
            let here = self.known.as_ref().filter(|known| {
                known.intercept == regression.intercept()
                    && known.coefficients == regression.coefficients()
            });
            match (need, here) {
                (Need::Nothing(_), _) => {
                    if !self.path.go_on() {
                        return None;
                    }
                }
                (Need::Point | Need::Intercept, Some(known)) => {
                    regression.take_totals(known.slope, known.curvature);
                }
                (Need::Gradient, Some(known)) => {
                    let mut gradient = known.gradient.clone();
                    let share = known.slope / regression.total_curvature();
                    add_scaled(&mut gradient, -share, &known.curvatures);
                    regression.take_gradient(&gradient);
                }
                (Need::Along, Some(known)) => {
                    let along = dot(&known.curvatures, regression.step());
                    regression.take_along(along);
                }
                (Need::Loss | Need::Step, Some(known)) => regression.take_loss(known.loss),
                _ => return Some(need),
            }
        }
    }

    /// Takes ZᵀKZ·d.
    fn take_product(&mut self, mut product: Vec<f64>) {
        let regression = &mut self.path.regression;
        if let Some(known) = &self.known {
            let along = dot(&known.curvatures, regression.direction());
            let share = along / regression.total_curvature();
            add_scaled(&mut product, -share, &known.curvatures);
        }
        regression.take_product(&product);
    }

    /// Takes Σ k·zzᵀ over the columns of the head.
    fn take_head(&mut self, lower: &[f64], size: usize) -> Result<()> {
        let along = self
            .known
            .as_ref()
            .map_or_else(Vec::new, |known| known.curvatures[..size].to_vec());
        self.path.regression.take_head(HeadSums {
            square: head_square(lower, size)?,
            along,
        });
        Ok(())
    }
}

/// Follows all paths to their ends. In every round each regression gets what it needs, at its own stage of its own path.
pub(super) fn follow(block: &Block<'_>, paths: &mut [PartitionedPath<'_>]) -> Result<()> {
    loop {
        check_stop()?;
        let (mut points, mut products, mut heads) = (Vec::new(), Vec::new(), Vec::new());
        for (index, path) in paths.iter_mut().enumerate() {
            match path.settle() {
                None => {}
                Some(Need::Product) => products.push(index),
                Some(Need::Head) => heads.push(index),
                Some(_) => points.push(index),
            }
        }
        if points.len() + products.len() + heads.len() == 0 {
            return Ok(());
        }
        round(block, paths, &points, &products, &heads)?;
    }
}

fn round(
    block: &Block<'_>,
    paths: &mut [PartitionedPath<'_>],
    points: &[usize],
    products: &[usize],
    heads: &[usize],
) -> Result<()> {
    let space = block.space;
    let directions: Vec<&[f64]> = products
        .iter()
        .map(|&index| paths[index].path.regression.direction())
        .collect();
    let stride = products.len().next_multiple_of(TILE);
    let axes = if heads.is_empty() {
        Vec::new()
    } else {
        space.head_axes().into_values()
    };
    let share = LogisticShare {
        folds: block.folds,
        seed: block.seed,
        factors: Bulk(block.factors.to_vec()),
        points: at_points(space, paths, points),
        products: at_points(space, paths, products),
        directions: Bulk(if products.is_empty() {
            Vec::new()
        } else {
            space.interleaved(&directions, stride)
        }),
        heads: at_points(space, paths, heads),
        axes: Bulk(axes),
    };
    let columns = space.columns();
    let (layout, stride) = (share.layout(columns), share.points.stride());
    let product_stride = share.products.stride();
    let sums = block.rows.sum(&share.into())?.only_sums()?;
    let gradients = &sums[layout.gradients..layout.curvatures];
    let curvatures = &sums[layout.curvatures..layout.products];
    let gradients = space.vectors(gradients, stride, points.len())?;
    let curvatures = space.vectors(curvatures, stride, points.len())?;
    let pairs = gradients.into_iter().zip(curvatures).enumerate();
    for (&index, (l, (gradient, curvatures))) in points.iter().zip(pairs) {
        let regression = &paths[index].path.regression;
        paths[index].known = Some(Known {
            coefficients: regression.coefficients().to_vec(),
            intercept: regression.intercept(),
            loss: sums[l],
            slope: sums[stride + l],
            curvature: sums[2 * stride + l],
            gradient,
            curvatures,
        });
    }
    let found = &sums[layout.products..layout.heads];
    let found = space.vectors(found, product_stride, products.len())?;
    for (&index, product) in products.iter().zip(found) {
        paths[index].take_product(product);
    }
    let size = space.head();
    let squares = sums[layout.heads..].chunks_exact((size * size).max(1));
    for (&index, lower) in heads.iter().zip(squares) {
        paths[index].take_head(lower, size)?;
    }
    Ok(())
}

fn at_points(space: &Space, paths: &[PartitionedPath<'_>], chosen: &[usize]) -> Points {
    if chosen.is_empty() {
        return Points::default();
    }
    let chosen = || chosen.iter().map(|&index| &paths[index]);
    let vectors: Vec<&[f64]> = chosen()
        .map(|own| own.path.regression.coefficients())
        .collect();
    let stride = vectors.len().next_multiple_of(TILE);
    let mut intercepts: Vec<f64> = chosen()
        .map(|own| own.path.regression.intercept())
        .collect();
    intercepts.resize(stride, 0.0);
    let left_out = |own: &PartitionedPath<'_>| own.left_out.map_or(NO_FOLD, |fold| fold as u32);
    Points {
        labels: chosen().map(|own| own.label as u32).collect(),
        left_out: chosen().map(left_out).collect(),
        coefficients: Bulk(space.interleaved(&vectors, stride)),
        intercepts: Bulk(intercepts),
    }
}
