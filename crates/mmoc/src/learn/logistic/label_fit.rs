//! Fits of labels to a subset of rows, or to all rows at the chosen penalties.

use super::cells::LabelCells;
use super::on_rows::{RowPath, follow_paths};
use super::path::PenaltyPath;
use super::point::RegressionRows;
use super::record::LogisticRecord;
use super::regression::{FitSettings, LogisticFit};
use super::scalar::smoothed_log_odds;
use crate::Result;
use crate::data::Matrix;
use crate::linalg::DesignMatrix;

/// The data that all labels of a training set share.
pub(super) struct Shared<'a> {
    pub(super) design: DesignMatrix<'a>,
    pub(super) settings: FitSettings<'a>,
    /// The leading columns of the design, h×n; empty if columns are not in descending order of scatter.
    pub(super) head: &'a Matrix,
    /// The penalty grid, strongest first.
    pub(super) penalties: &'a [f64],
    /// 1 for every row.
    pub(super) everywhere: &'a [f64],
}

/// The fit of one label to a subset of the rows.
pub(super) enum Fit<'a> {
    /// All targets are equal, or none is known: the log-odds of the smoothed base rate.
    Constant(f64),
    /// Regressions along the penalty grid.
    PenaltyPath(Box<RowPath<'a>>),
}

impl<'a> Fit<'a> {
    pub(super) fn new(rows: RegressionRows<'a>, path: impl FnOnce() -> RowPath<'a>) -> Self {
        let mass = rows.mass();
        if mass.varies() {
            Self::PenaltyPath(Box::new(path()))
        } else {
            Self::Constant(smoothed_log_odds(mass.ones, mass.total))
        }
    }

    pub(super) fn path(&self) -> Option<&RowPath<'a>> {
        match self {
            Self::Constant(_) => None,
            Self::PenaltyPath(path) => Some(path),
        }
    }

    pub(super) fn path_mut(&mut self) -> Option<&mut RowPath<'a>> {
        match self {
            Self::Constant(_) => None,
            Self::PenaltyPath(path) => Some(path),
        }
    }
}

/// Start of the fit of a label to all rows: a penalty of the grid, and coefficients with an intercept, or else zero
/// coefficients and the base rate.
pub(super) struct Start {
    pub(super) penalty: usize,
    pub(super) point: Option<(Vec<f64>, f64)>,
}

impl Start {
    /// The first penalty and zero coefficients.
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

/// Fits several labels to all rows together.
pub(super) fn fit_labels(
    shared: &Shared<'_>,
    labels: &[LabelCells],
    starts: Vec<Start>,
) -> Result<Vec<LabelFit>> {
    let penalties: Vec<usize> = starts.iter().map(|start| start.penalty).collect();
    let mut fits: Vec<Fit<'_>> = labels
        .iter()
        .zip(starts)
        .map(|(cells, start)| begin(shared, cells, start))
        .collect();
    follow_paths(shared.design, fits.iter_mut().filter_map(Fit::path_mut))?;
    let fits = fits.into_iter().zip(penalties);
    Ok(fits
        .map(|(fit, penalty)| finish(shared, &fit, shared.penalties[penalty]))
        .collect())
}

fn begin<'a>(shared: &Shared<'a>, cells: &'a LabelCells, start: Start) -> Fit<'a> {
    let rows = cells.rows(cells.weights().unwrap_or(shared.everywhere));
    let penalty = &shared.penalties[start.penalty..=start.penalty];
    Fit::new(rows, || {
        let mut regression = LogisticFit::new(shared.settings, rows.mass(), penalty[0]);
        if let Some((coefficients, intercept)) = start.point {
            regression = regression.starting_from(coefficients, intercept);
        }
        RowPath::new(
            PenaltyPath::new(regression, penalty),
            rows,
            shared.head,
            &[],
        )
    })
}

fn finish(shared: &Shared<'_>, fit: &Fit<'_>, penalty: f64) -> LabelFit {
    let mut record = LogisticRecord::default();
    let (coefficients, intercept) = match fit {
        Fit::Constant(base) => (vec![0.0; shared.settings.scatters.len()], *base),
        Fit::PenaltyPath(path) => {
            record.add_kept(path.path());
            let solution = &path.path().solutions()[0];
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
