//! Rounds for a block of regressions whose rows are in partitions.

use std::ops::Range;

use super::super::path::PenaltyPath;
use super::super::preconditioner::HeadSums;
use super::super::regression::Need;
use super::share::{LogisticShare, NO_FOLD, Points, SUMS, head_square};
use super::space::Space;
use crate::linalg::{add_scaled, dot};
use crate::partitions::{Bulk, Rows, mixed};
use crate::{Result, check_stop};

/// Regressions in a row of a product with the coefficients of all of them, which fill whole registers.
pub(super) const TILE: usize = 8;

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
    /// Missing at the first point of a penalty, where the intercept still has to move.
    vectors: Option<Vectors>,
}

#[derive(Debug)]
struct Vectors {
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

    /// A number for the regression and its coefficients.
    fn key(&self) -> u64 {
        let fold = self.left_out.map_or(u64::MAX, |fold| fold as u64);
        let of_regression = mixed(mixed(0, self.label as u64), fold);
        let coefficients = self.path.regression.coefficients().iter();
        coefficients.fold(of_regression, |key, value| mixed(key, value.to_bits()))
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
            let vectors = here.and_then(|known| known.vectors.as_ref());
            match (need, here, vectors) {
                (Need::Nothing(_), ..) => {
                    if !self.path.go_on() {
                        return None;
                    }
                }
                (Need::Point | Need::Intercept, Some(known), _) => {
                    regression.take_totals(known.slope, known.curvature);
                }
                (Need::Gradient, Some(known), Some(vectors)) => {
                    let mut gradient = vectors.gradient.clone();
                    let share = known.slope / regression.total_curvature();
                    add_scaled(&mut gradient, -share, &vectors.curvatures);
                    regression.take_gradient(&gradient);
                }
                (Need::Along, _, Some(vectors)) => {
                    let along = dot(&vectors.curvatures, regression.step());
                    regression.take_along(along);
                }
                (Need::Loss | Need::Step, Some(known), _) => regression.take_loss(known.loss),
                _ => return Some(need),
            }
        }
    }

    /// Zᵀk at the point, once known.
    fn curvatures(&self) -> Option<&[f64]> {
        let vectors = self.known.as_ref()?.vectors.as_ref()?;
        Some(&vectors.curvatures)
    }

    /// Takes the sums at its point, which are those of regression l among others.
    fn take_sums(&mut self, sums: &[f64], l: usize, vectors: Option<Vectors>) {
        let stride = sums.len() / SUMS;
        let regression = &self.path.regression;
        self.known = Some(Known {
            coefficients: regression.coefficients().to_vec(),
            intercept: regression.intercept(),
            loss: sums[l],
            slope: sums[stride + l],
            curvature: sums[2 * stride + l],
            vectors,
        });
    }

    /// Takes ZᵀKZ·d.
    fn take_product(&mut self, mut product: Vec<f64>) {
        if let Some(curvatures) = self.curvatures() {
            let regression = &self.path.regression;
            let along = dot(curvatures, regression.direction());
            let share = along / regression.total_curvature();
            add_scaled(&mut product, -share, curvatures);
        }
        self.path.regression.take_product(&product);
    }

    /// Takes Σ k·zzᵀ over the columns of the head.
    fn take_head(&mut self, lower: &[f64], size: usize) -> Result<()> {
        let along = self
            .curvatures()
            .map_or_else(Vec::new, |own| own[..size].to_vec());
        self.path.regression.take_head(HeadSums {
            square: head_square(lower, size)?,
            along,
        });
        Ok(())
    }
}

/// The regressions that need something of the rows in a round, by what that is.
#[derive(Debug, Default)]
struct Needs {
    totals: Vec<usize>,
    points: Vec<usize>,
    products: Vec<usize>,
    heads: Vec<usize>,
}

impl Needs {
    /// What paths need once they were told all that is known. Nothing if all have ended.
    fn of(paths: &mut [PartitionedPath<'_>]) -> Option<Self> {
        let mut needs = Self::default();
        let mut live = false;
        for (index, path) in paths.iter_mut().enumerate() {
            let Some(need) = path.settle() else { continue };
            live = true;
            match need {
                // The intercept moves next, and the gradient is needed after that.
                Need::Point => needs.totals.push(index),
                Need::Product => needs.products.push(index),
                Need::Head => needs.heads.push(index),
                _ => needs.points.push(index),
            }
        }
        live.then_some(needs)
    }

    fn request(&self, block: &Block<'_>, paths: &[PartitionedPath<'_>]) -> LogisticShare {
        let space = block.space;
        let directions: Vec<&[f64]> = self
            .products
            .iter()
            .map(|&index| paths[index].path.regression.direction())
            .collect();
        let stride = directions.len().next_multiple_of(TILE);
        let axes = if self.heads.is_empty() {
            Vec::new()
        } else {
            space.head_axes().into_values()
        };
        LogisticShare {
            folds: block.folds,
            seed: block.seed,
            factors: Bulk(block.factors.to_vec()),
            totals: at_points(space, paths, &self.totals),
            points: at_points(space, paths, &self.points),
            products: at_points(space, paths, &self.products),
            directions: Bulk(if directions.is_empty() {
                Vec::new()
            } else {
                space.interleaved(&directions, stride)
            }),
            heads: at_points(space, paths, &self.heads),
            axes: Bulk(axes),
        }
    }
}

/// Follows all paths to their ends. In every round each regression gets what it needs, at its own stage of its own path.
pub(super) fn follow(block: &Block<'_>, paths: &mut [PartitionedPath<'_>]) -> Result<()> {
    while let Some(needs) = Needs::of(paths) {
        check_stop()?;
        round(block, paths, &needs)?;
    }
    Ok(())
}

fn round(block: &Block<'_>, paths: &mut [PartitionedPath<'_>], needs: &Needs) -> Result<()> {
    let space = block.space;
    let share = needs.request(block, paths);
    let layout = share.layout(space.columns());
    let (stride, product_stride) = (share.points.stride(), share.products.stride());
    let sums = block.rows.sum(&share.into())?.only_sums()?;

    let of_totals = &sums[..layout.of_points];
    for (l, &index) in needs.totals.iter().enumerate() {
        paths[index].take_sums(of_totals, l, None);
    }
    let vectors = |range: Range<usize>, stride, count| space.vectors(&sums[range], stride, count);
    let count = needs.points.len();
    let gradients = vectors(layout.gradients..layout.curvatures, stride, count)?;
    let curvatures = vectors(layout.curvatures..layout.products, stride, count)?;
    let of_points = &sums[layout.of_points..layout.gradients];
    let pairs = gradients.into_iter().zip(curvatures);
    for (l, (&index, (gradient, curvatures))) in needs.points.iter().zip(pairs).enumerate() {
        let vectors = Vectors {
            gradient,
            curvatures,
        };
        paths[index].take_sums(of_points, l, Some(vectors));
    }
    let count = needs.products.len();
    let products = vectors(layout.products..layout.heads, product_stride, count)?;
    for (&index, product) in needs.products.iter().zip(products) {
        paths[index].take_product(product);
    }
    let size = space.head();
    let squares = sums[layout.heads..].chunks_exact((size * size).max(1));
    for (&index, lower) in needs.heads.iter().zip(squares) {
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
        keys: chosen().map(PartitionedPath::key).collect(),
        coefficients: Bulk(space.interleaved(&vectors, stride)),
        intercepts: Bulk(intercepts),
    }
}
