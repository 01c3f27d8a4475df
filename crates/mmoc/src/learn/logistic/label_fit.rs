//! The fits of labels to some or all of the rows, and those to all rows at the penalties that were chosen.

use super::path::{Path, walk};
use super::point::Rows;
use super::record::LogisticRecord;
use super::regression::{Regression, Settings};
use super::scalar::smoothed_log_odds;
use crate::Result;
use crate::linalg::Design;

/// What the labels of a training set share.
pub(super) struct Shared<'a> {
    pub(super) design: Design<'a>,
    pub(super) settings: Settings<'a>,
    /// The grid, strongest first.
    pub(super) penalties: &'a [f64],
    /// 1 for every row.
    pub(super) everywhere: &'a [f64],
}

/// The fit of one label to some of the rows.
pub(super) enum Fit<'a> {
    /// All targets are the same: the smoothed base rate, as log-odds.
    Constant(f64),
    /// Regressions along the penalties.
    Path(Box<Path<'a>>),
}

impl<'a> Fit<'a> {
    pub(super) fn new(rows: Rows<'a>, path: impl FnOnce() -> Path<'a>) -> Self {
        if rows.vary() {
            Self::Path(Box::new(path()))
        } else {
            Self::Constant(smoothed_log_odds(rows.ones(), rows.counted()))
        }
    }

    pub(super) fn path(&self) -> Option<&Path<'a>> {
        match self {
            Self::Constant(_) => None,
            Self::Path(path) => Some(path),
        }
    }

    pub(super) fn path_mut(&mut self) -> Option<&mut Path<'a>> {
        match self {
            Self::Constant(_) => None,
            Self::Path(path) => Some(path),
        }
    }
}

/// Where the fit of a label to all rows begins: a penalty of the grid, and coefficients and intercept unless they
/// are zero and the base rate.
pub(super) struct Start {
    pub(super) penalty: usize,
    pub(super) point: Option<(Vec<f64>, f64)>,
}

impl Start {
    /// The first penalty, from zero.
    pub(super) fn zero() -> Self {
        Self {
            penalty: 0,
            point: None,
        }
    }
}

/// The classifier of one label, in the coordinates of the design.
#[derive(Debug, Clone)]
pub(super) struct LabelFit {
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: f64,
    pub(super) penalty: f64,
    pub(super) record: LogisticRecord,
}

/// Fits several labels to all rows side by side, given their 0/1 targets.
pub(super) fn fit_labels(
    shared: &Shared<'_>,
    targets: &[Vec<f64>],
    starts: Vec<Start>,
) -> Result<Vec<LabelFit>> {
    let penalties: Vec<usize> = starts.iter().map(|start| start.penalty).collect();
    let mut fits: Vec<Fit<'_>> = targets
        .iter()
        .zip(starts)
        .map(|(y, start)| begin(shared, y, start))
        .collect();
    walk(shared.design, fits.iter_mut().filter_map(Fit::path_mut))?;
    let fits = fits.into_iter().zip(penalties);
    Ok(fits
        .map(|(fit, penalty)| finish(shared, &fit, shared.penalties[penalty]))
        .collect())
}

fn begin<'a>(shared: &Shared<'a>, targets: &'a [f64], start: Start) -> Fit<'a> {
    let rows = Rows {
        targets,
        included: shared.everywhere,
    };
    let penalty = &shared.penalties[start.penalty..=start.penalty];
    Fit::new(rows, || {
        let mut regression = Regression::new(shared.settings, rows, penalty[0]);
        if let Some((coefficients, intercept)) = start.point {
            regression = regression.starting_from(coefficients, intercept);
        }
        Path::new(regression, penalty, &[])
    })
}

fn finish(shared: &Shared<'_>, fit: &Fit<'_>, penalty: f64) -> LabelFit {
    let mut record = LogisticRecord::default();
    let (coefficients, intercept) = match fit {
        Fit::Constant(base) => (vec![0.0; shared.settings.scatters.len()], *base),
        Fit::Path(path) => {
            record.add_kept(path);
            let solution = &path.solutions()[0];
            (solution.coefficients.clone(), solution.intercept)
        }
    };
    LabelFit {
        coefficients,
        intercept,
        penalty,
        record,
    }
}
