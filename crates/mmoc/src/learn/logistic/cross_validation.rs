//! Cross-validation of a label: held-out predictions and the choice of the penalty.

use std::borrow::Cow;

use super::cells::LabelCells;
use super::criterion::{Criterion, mean_log_loss};
use super::label_fit::{Fit, Shared, Start};
use super::on_rows::{RowPath, follow_paths};
use super::path::{PathSolution, PenaltyPath};
use super::record::LogisticRecord;
use super::regression::{FitSettings, LogisticFit};
use crate::data::Folds;
use crate::linalg::add_scaled;
use crate::{Result, check_size};

/// Folds as masks, and the criterion for penalties.
pub(super) struct Division {
    /// The rows of each fold.
    held_out: Vec<Vec<usize>>,
    /// For each fold, 1 for the rows outside it and 0 for its own.
    outside: Vec<Vec<f64>>,
    criterion: Criterion,
}

impl Division {
    /// The division of the given number of rows.
    pub(super) fn new(folds: &Folds, criterion: Criterion, rows: usize) -> Result<Self> {
        check_size("rows in folds", rows, folds.of_row().len())?;
        let held_out: Vec<Vec<usize>> = (0..folds.count())
            .map(|fold| folds.split(fold).test)
            .collect();
        let outside = held_out.iter().map(|own| zeros_at(own, rows)).collect();
        Ok(Self {
            held_out,
            outside,
            criterion,
        })
    }

    /// How much each row of a label counts outside of each fold.
    fn counts_outside<'a>(&'a self, cells: &LabelCells) -> Vec<Cow<'a, [f64]>> {
        let masks = self.outside.iter();
        masks
            .map(|mask| match cells.weights_within(mask) {
                Some(weights) => Cow::Owned(weights),
                None => Cow::Borrowed(mask.as_slice()),
            })
            .collect()
    }
}

fn zeros_at(rows: &[usize], count: usize) -> Vec<f64> {
    let mut weights = vec![1.0; count];
    for &row in rows {
        weights[row] = 0.0;
    }
    weights
}

/// The cross-validation of one label.
#[derive(Debug, Clone)]
pub(super) struct FoldFit {
    /// Out-of-fold log-odds of each row, at the chosen penalty.
    pub(super) out_of_fold: Vec<f64>,
    /// Mean held-out log loss of each penalty, weighted by cell.
    pub(super) losses: Vec<f64>,
    pub(super) record: LogisticRecord,
}

/// Fits the folds of several labels together and chooses a penalty for each. The fit to all rows starts there, from
/// the mean of the folds.
pub(super) fn cross_validate(
    shared: &Shared<'_>,
    division: &Division,
    labels: &[LabelCells],
) -> Result<Vec<(FoldFit, Start)>> {
    let counts: Vec<Vec<Cow<'_, [f64]>>> = labels
        .iter()
        .map(|cells| division.counts_outside(cells))
        .collect();
    let mut folds: Vec<Vec<Fit<'_>>> = labels
        .iter()
        .zip(&counts)
        .map(|(cells, counts)| fold_fits(shared, division, cells, counts))
        .collect();
    follow_paths(
        shared.design,
        folds.iter_mut().flatten().filter_map(Fit::path_mut),
    )?;
    Ok(labels
        .iter()
        .zip(&folds)
        .map(|(cells, folds)| choose_penalty(shared, division, cells, folds))
        .collect())
}

/// Regressions that choose a penalty and predict held-out rows, which needs less precision than coefficients that
/// are kept.
fn fold_fits<'a>(
    shared: &Shared<'a>,
    division: &'a Division,
    cells: &'a LabelCells,
    counts: &'a [Cow<'a, [f64]>],
) -> Vec<Fit<'a>> {
    let settings = FitSettings {
        tolerance: shared.settings.tolerance.sqrt(),
        ..shared.settings
    };
    let folds = counts.iter().zip(&division.held_out);
    folds
        .map(|(counts, held_out)| {
            let rows = cells.rows(counts);
            Fit::new(rows, || {
                let regression = LogisticFit::new(settings, rows.mass(), shared.penalties[0]);
                let path = PenaltyPath::new(regression, shared.penalties);
                RowPath::new(path, rows, shared.head, held_out)
            })
        })
        .collect()
}

/// The penalty that minimises the criterion over all out-of-fold predictions, weighted by cell. Ties go to the smaller log loss, then
/// to the stronger penalty.
fn choose_penalty(
    shared: &Shared<'_>,
    division: &Division,
    cells: &LabelCells,
    folds: &[Fit<'_>],
) -> (FoldFit, Start) {
    struct BestPenalty {
        penalty: usize,
        value: f64,
        out_of_fold: Vec<f64>,
    }
    let mut best: Option<BestPenalty> = None;
    let mut losses = Vec::with_capacity(shared.penalties.len());
    for penalty in 0..shared.penalties.len() {
        let out_of_fold = out_of_fold(division, cells.targets.len(), folds, penalty);
        let loss = mean_log_loss(&out_of_fold, cells);
        let value = division.criterion.of(&out_of_fold, cells, loss);
        let is_better = |best: &BestPenalty| {
            let order = value.total_cmp(&best.value);
            order.then(loss.total_cmp(&losses[best.penalty])).is_lt()
        };
        if best.as_ref().is_none_or(is_better) {
            best = Some(BestPenalty {
                penalty,
                value,
                out_of_fold,
            });
        }
        losses.push(loss);
    }
    let best = best.expect("a penalty grid is never empty");
    let start = Start {
        penalty: best.penalty,
        point: Some(mean_of_folds(shared, folds, best.penalty)),
    };
    let fit = FoldFit {
        out_of_fold: best.out_of_fold,
        losses,
        record: record(folds),
    };
    (fit, start)
}

fn record(folds: &[Fit<'_>]) -> LogisticRecord {
    let mut record = LogisticRecord::default();
    let paths = folds.iter().filter_map(Fit::path);
    paths.for_each(|path| record.add(path.path()));
    record
}

fn out_of_fold(division: &Division, rows: usize, folds: &[Fit<'_>], penalty: usize) -> Vec<f64> {
    let mut log_odds = vec![0.0; rows];
    for (fit, held_out) in folds.iter().zip(&division.held_out) {
        for (k, &row) in held_out.iter().enumerate() {
            log_odds[row] = match fit {
                Fit::Constant(base) => *base,
                Fit::PenaltyPath(path) => path.held_out(penalty)[k],
            };
        }
    }
    log_odds
}

fn mean_of_folds(shared: &Shared<'_>, folds: &[Fit<'_>], penalty: usize) -> (Vec<f64>, f64) {
    let solutions: Vec<&PathSolution> = folds
        .iter()
        .filter_map(Fit::path)
        .map(|path| &path.path().solutions()[penalty])
        .collect();
    let mut coefficients = vec![0.0; shared.settings.scatters.len()];
    let share = 1.0 / solutions.len().max(1) as f64;
    for solution in &solutions {
        add_scaled(&mut coefficients, share, &solution.coefficients);
    }
    let intercepts = solutions.iter().map(|solution| share * solution.intercept);
    (coefficients, intercepts.sum())
}
