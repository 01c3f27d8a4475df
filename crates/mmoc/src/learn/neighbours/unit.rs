//! The unit of squared distances: how far neighbours are from each other in the training rows.

use rayon::prelude::*;

use super::BLOCK;
use super::distances::Distances;
use crate::{Result, check_stop};

/// The distance to this neighbour is typical of a row.
const NEIGHBOUR: usize = 5;

/// The squared distances to the nearest rows, ascending; infinite where there are fewer.
type Nearest = [f64; NEIGHBOUR];

/// The median over the training rows of the squared distance to the fifth nearest other row, or to the farthest if
/// there are fewer. If it is zero, because most rows have copies, the mean; if that is zero as well, one.
pub(super) fn unit(distances: &Distances) -> Result<f64> {
    let count = distances.rows().rows();
    let blocks: Vec<usize> = (0..count).step_by(BLOCK).collect();
    let blocks: Result<Vec<Vec<f64>>> = blocks
        .into_par_iter()
        .map(|first| {
            check_stop()?;
            typical_distances(distances, first, count.min(first + BLOCK))
        })
        .collect();
    let mut typical = blocks?.concat();
    typical.sort_unstable_by(f64::total_cmp);
    let median = f64::midpoint(typical[(count - 1) / 2], typical[count / 2]);
    let mean = || typical.iter().map(|value| value / count as f64).sum();
    let positive = |value: &f64| *value > 0.0;
    let unit = Some(median).filter(positive);
    Ok(unit
        .or_else(|| Some(mean()).filter(positive))
        .unwrap_or(1.0))
}

/// The squared distance of training rows `first..end` to their fifth neighbour.
fn typical_distances(distances: &Distances, first: usize, end: usize) -> Result<Vec<f64>> {
    let mut nearest: Vec<Nearest> = vec![[f64::INFINITY; NEIGHBOUR]; end - first];
    let rows = distances.rows().view().rows_in(first..end);
    distances.visit_centred(rows, |row, start, similarities| {
        if let Some(own) = (first + row).checked_sub(start)
            && own < similarities.len()
        {
            similarities[own] = f64::NEG_INFINITY;
        }
        let nearest = &mut nearest[row];
        similarities.iter().for_each(|s| insert(nearest, -s));
    })?;
    let farthest = |nearest: &Nearest| {
        let finite = nearest.iter().rev().find(|distance| distance.is_finite());
        finite.copied().unwrap_or(0.0)
    };
    Ok(nearest.iter().map(farthest).collect())
}

/// Keeps a distance if it is among the least.
fn insert(nearest: &mut Nearest, distance: f64) {
    if distance < nearest[NEIGHBOUR - 1] {
        let place = nearest.partition_point(|other| *other <= distance);
        nearest.copy_within(place..NEIGHBOUR - 1, place + 1);
        nearest[place] = distance;
    }
}
