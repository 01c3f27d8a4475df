//! The penalty of each label by cross-validated log loss, and the fit to all rows at that penalty.

use super::criterion::{Criterion, mean_log_loss};
use super::path::{Path, Solution, walk};
use super::point::Rows;
use super::record::LogisticRecord;
use super::regression::{Regression, Settings};
use super::scalar::smoothed_log_odds;
use crate::Result;
use crate::linalg::{Design, add_scaled};

/// What the labels of a training set share.
pub(super) struct Shared<'a> {
    pub(super) design: Design<'a>,
    pub(super) settings: Settings<'a>,
    /// The grid, strongest first.
    pub(super) penalties: &'a [f64],
    /// What the penalty of a label is chosen by.
    pub(super) criterion: Criterion,
    /// The rows of each fold.
    pub(super) held_out: &'a [Vec<usize>],
    /// For each fold, 1 for the rows outside of it and 0 for its own.
    pub(super) outside: &'a [Vec<f64>],
    /// 1 for every row.
    pub(super) everywhere: &'a [f64],
}

/// The classifier of one label, in the coordinates of the design.
#[derive(Debug, Clone)]
pub(super) struct LabelFit {
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: f64,
    pub(super) penalty: f64,
    /// Log-odds of each row from the fold that held it out.
    pub(super) out_of_fold: Vec<f64>,
    /// Mean held-out log loss of each penalty.
    pub(super) losses: Vec<f64>,
}

/// Fits several labels side by side, given their 0/1 targets.
pub(super) fn fit_labels(
    shared: &Shared<'_>,
    targets: &[Vec<f64>],
) -> Result<(Vec<LabelFit>, LogisticRecord)> {
    let mut folds: Vec<Vec<Fit<'_>>> = targets.iter().map(|y| fold_fits(shared, y)).collect();
    walk(
        shared.design,
        folds.iter_mut().flatten().filter_map(Fit::path_mut),
    )?;
    let chosen: Vec<Chosen> = targets
        .iter()
        .zip(&folds)
        .map(|(y, folds)| choose_penalty(shared, y, folds))
        .collect();

    let mut finals: Vec<Fit<'_>> = targets
        .iter()
        .zip(&folds)
        .zip(&chosen)
        .map(|((y, folds), chosen)| final_fit(shared, y, folds, chosen.penalty))
        .collect();
    walk(shared.design, finals.iter_mut().filter_map(Fit::path_mut))?;

    let mut record = LogisticRecord::default();
    let of_folds = folds.iter().flatten().filter_map(Fit::path);
    of_folds.for_each(|path| record.add(path));
    let kept = finals.iter().filter_map(Fit::path);
    kept.for_each(|path| record.add_kept(path));
    let fits = chosen
        .into_iter()
        .zip(&finals)
        .map(|(c, fit)| c.finish(shared, fit))
        .collect();
    Ok((fits, record))
}

/// The fit of one label to some of the rows.
enum Fit<'a> {
    /// All targets are the same: the smoothed base rate, as log-odds.
    Constant(f64),
    /// Regressions along the penalties.
    Path(Box<Path<'a>>),
}

impl<'a> Fit<'a> {
    fn path(&self) -> Option<&Path<'a>> {
        match self {
            Self::Constant(_) => None,
            Self::Path(path) => Some(path),
        }
    }

    fn path_mut(&mut self) -> Option<&mut Path<'a>> {
        match self {
            Self::Constant(_) => None,
            Self::Path(path) => Some(path),
        }
    }

    fn new(rows: Rows<'a>, path: impl FnOnce() -> Path<'a>) -> Self {
        if rows.vary() {
            Self::Path(Box::new(path()))
        } else {
            Self::Constant(smoothed_log_odds(rows.ones(), rows.counted()))
        }
    }
}

/// Regressions that choose a penalty and say how rows held out are predicted, which takes fewer digits than
/// coefficients that are kept.
fn fold_fits<'a>(shared: &Shared<'a>, targets: &'a [f64]) -> Vec<Fit<'a>> {
    let settings = Settings {
        tolerance: shared.settings.tolerance.sqrt(),
        ..shared.settings
    };
    let folds = shared.outside.iter().zip(shared.held_out);
    folds
        .map(|(included, held_out)| {
            let rows = Rows { targets, included };
            Fit::new(rows, || {
                let regression = Regression::new(settings, rows, shared.penalties[0]);
                Path::new(regression, shared.penalties, held_out)
            })
        })
        .collect()
}

/// The penalty chosen for a label, as an index, and what the folds say at it.
struct Chosen {
    penalty: usize,
    out_of_fold: Vec<f64>,
    losses: Vec<f64>,
}

/// The penalty that is best by the criterion over all rows, each predicted by the fold that held it out; of
/// equal ones that of least log loss, and of equal ones among these the strongest.
fn choose_penalty(shared: &Shared<'_>, targets: &[f64], folds: &[Fit<'_>]) -> Chosen {
    let mut best: Option<(f64, Chosen)> = None;
    let mut losses = Vec::with_capacity(shared.penalties.len());
    for penalty in 0..shared.penalties.len() {
        let out_of_fold = out_of_fold(shared, folds, penalty);
        let loss = mean_log_loss(&out_of_fold, targets);
        let value = shared.criterion.of(&out_of_fold, targets, loss);
        let is_better = |(least, chosen): &(f64, Chosen)| {
            let order = value.total_cmp(least);
            order.then(loss.total_cmp(&losses[chosen.penalty])).is_lt()
        };
        if best.as_ref().is_none_or(is_better) {
            let chosen = Chosen {
                penalty,
                out_of_fold,
                losses: Vec::new(),
            };
            best = Some((value, chosen));
        }
        losses.push(loss);
    }
    let (_, best) = best.expect("a penalty grid is never empty");
    Chosen { losses, ..best }
}

fn out_of_fold(shared: &Shared<'_>, folds: &[Fit<'_>], penalty: usize) -> Vec<f64> {
    let mut log_odds = vec![0.0; shared.everywhere.len()];
    for (fit, held_out) in folds.iter().zip(shared.held_out) {
        for (k, &row) in held_out.iter().enumerate() {
            log_odds[row] = match fit {
                Fit::Constant(base) => *base,
                Fit::Path(path) => path.solutions()[penalty].held_out[k],
            };
        }
    }
    log_odds
}

/// A fit to all rows that starts from the mean of the folds.
fn final_fit<'a>(
    shared: &Shared<'a>,
    targets: &'a [f64],
    folds: &[Fit<'_>],
    penalty: usize,
) -> Fit<'a> {
    let rows = Rows {
        targets,
        included: shared.everywhere,
    };
    Fit::new(rows, || {
        let regression = Regression::new(shared.settings, rows, shared.penalties[penalty]);
        let solutions: Vec<&Solution> = folds
            .iter()
            .filter_map(Fit::path)
            .map(|path| &path.solutions()[penalty])
            .collect();
        let (coefficients, intercept) = mean(&solutions, shared.settings.scatters.len());
        let regression = regression.starting_from(coefficients, intercept);
        Path::new(regression, &shared.penalties[penalty..=penalty], &[])
    })
}

fn mean(solutions: &[&Solution], columns: usize) -> (Vec<f64>, f64) {
    let mut coefficients = vec![0.0; columns];
    let share = 1.0 / solutions.len().max(1) as f64;
    for solution in solutions {
        add_scaled(&mut coefficients, share, &solution.coefficients);
    }
    (
        coefficients,
        solutions
            .iter()
            .map(|solution| share * solution.intercept)
            .sum(),
    )
}

impl Chosen {
    fn finish(self, shared: &Shared<'_>, fit: &Fit<'_>) -> LabelFit {
        let (coefficients, intercept) = match fit {
            Fit::Constant(base) => (vec![0.0; shared.settings.scatters.len()], *base),
            Fit::Path(path) => {
                let solution = &path.solutions()[0];
                (solution.coefficients.clone(), solution.intercept)
            }
        };
        LabelFit {
            coefficients,
            intercept,
            penalty: shared.penalties[self.penalty],
            out_of_fold: self.out_of_fold,
            losses: self.losses,
        }
    }
}
