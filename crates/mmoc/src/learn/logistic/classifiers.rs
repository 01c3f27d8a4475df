//! The label classifiers of a training set.

use rayon::prelude::*;

use super::cells::{AllCells, LabelCells};
use super::cross_validation::{Division, FoldFit, cross_validate};
use super::label_fit::{LabelFit, Shared, Start, fit_labels};
use super::regression::FitSettings;
use super::{LogisticParams, LogisticRecord, OutOfFold};
use crate::data::{Folds, Matrix, Targets};
use crate::learn::groups::groups_of;
use crate::learn::penalties::shares_of;
use crate::learn::{Basis, LinearModel};
use crate::{Result, check_size};

/// Maximum number of labels whose folds one thread fits together: with five folds a block of forty vectors, wide
/// enough for the matrix product to run near its best rate.
const LABELS_WITH_FOLDS: usize = 8;

/// Maximum number of labels that one thread fits together without folds. Sparse products run slightly faster with
/// forty, but a hundred labels would then be too few groups for more than two or three threads.
const LABELS_WITHOUT_FOLDS: usize = 16;

/// Columns on which the preconditioner inverts the Hessian exactly.
pub(super) const HEAD_COLUMNS: usize = 24;

/// Logistic regressions p̂, one per label, with penalties chosen by cross-validation or given.
#[derive(Debug, Clone)]
pub struct Classifiers {
    model: LinearModel,
    penalties: Vec<f64>,
    scatter: f64,
    out_of_fold: Option<OutOfFold>,
    record: LogisticRecord,
}

impl LogisticParams {
    /// Fits one classifier per label to all rows, at the penalty that cross-validation chooses. With a single
    /// penalty no fold is fitted.
    pub fn fit<'t>(
        &self,
        basis: &Basis<'_>,
        targets: impl Into<Targets<'t>>,
        folds: &Folds,
    ) -> Result<Classifiers> {
        let targets = targets.into();
        if self.has_choice() {
            return self.fit_chosen(basis, targets, folds);
        }
        self.with_shared(basis, targets, |shared, cells| {
            let fits = in_groups(cells, LABELS_WITHOUT_FOLDS, |labels| {
                let starts = labels.iter().map(|_| Start::zero()).collect();
                fit_labels(shared, labels, starts)
            })?;
            Classifiers::assemble(basis, &fits, None)
        })
    }

    /// Fits only the folds of each label, for their predictions of the held-out rows.
    pub fn fit_folds<'t>(
        &self,
        basis: &Basis<'_>,
        targets: impl Into<Targets<'t>>,
        folds: &Folds,
    ) -> Result<OutOfFold> {
        let division = Division::new(folds, self.criterion, basis.rows())?;
        self.with_shared(basis, targets.into(), |shared, cells| {
            let chosen = in_groups(cells, LABELS_WITH_FOLDS, |labels| {
                cross_validate(shared, &division, labels)
            })?;
            let fits: Vec<FoldFit> = chosen.into_iter().map(|(fit, _)| fit).collect();
            Ok(OutOfFold::new(basis.rows(), &fits))
        })
    }

    fn fit_chosen(
        &self,
        basis: &Basis<'_>,
        targets: Targets<'_>,
        folds: &Folds,
    ) -> Result<Classifiers> {
        let division = Division::new(folds, self.criterion, basis.rows())?;
        self.with_shared(basis, targets, |shared, cells| {
            let both = in_groups(cells, LABELS_WITH_FOLDS, |labels| {
                let chosen = cross_validate(shared, &division, labels)?;
                let (folds, starts): (Vec<FoldFit>, Vec<Start>) = chosen.into_iter().unzip();
                let fits = fit_labels(shared, labels, starts)?;
                Ok(fits.into_iter().zip(folds).collect())
            })?;
            let (fits, folds): (Vec<LabelFit>, Vec<FoldFit>) = both.into_iter().unzip();
            let out_of_fold = OutOfFold::new(basis.rows(), &folds);
            Classifiers::assemble(basis, &fits, Some(out_of_fold))
        })
    }

    /// Calls `work` with the data that all labels share and with the labels.
    fn with_shared<T>(
        &self,
        basis: &Basis<'_>,
        targets: Targets<'_>,
        work: impl FnOnce(&Shared<'_>, &AllCells<'_>) -> Result<T>,
    ) -> Result<T> {
        self.validate()?;
        check_size("rows of labels", basis.rows(), targets.rows())?;
        self.class_weight.check_labels(targets.labels().count())?;
        let scatters = basis.scatters();
        let penalties = self
            .penalties
            .resolve_or(self.penalty, scatters.iter().sum());
        let head = basis.head(HEAD_COLUMNS);
        let shared = Shared {
            design: basis.design(),
            head: &head,
            settings: FitSettings {
                scatters,
                total_weight: targets.total_weight(),
                head: head.rows(),
                tolerance: self.tolerance,
                max_steps: self.max_steps,
            },
            penalties: &penalties,
            everywhere: &vec![1.0; basis.rows()],
        };
        work(&shared, &AllCells::new(targets, &self.class_weight))
    }
}

/// Applies a function to the cells of each group of labels; returns the results label by label.
fn in_groups<T: Send>(
    cells: &AllCells<'_>,
    at_once: usize,
    fit: impl Fn(&[LabelCells]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let groups: Vec<Vec<T>> = groups_of(cells.rows_with(), at_once)
        .map(|(first, group)| {
            let labels = (first..first + group.len()).map(|label| cells.of_label(label));
            fit(&labels.collect::<Vec<_>>())
        })
        .collect::<Result<_>>()?;
    Ok(groups.into_iter().flatten().collect())
}

impl Classifiers {
    fn assemble(
        basis: &Basis<'_>,
        fits: &[LabelFit],
        out_of_fold: Option<OutOfFold>,
    ) -> Result<Self> {
        let columns = basis.design().columns();
        let own = Matrix::from_fn(columns, fits.len(), |k, label| fits[label].coefficients[k]);
        let (coefficients, shifts) = basis.to_original(&own);
        let scatter = basis.scatters().iter().sum();
        Self::of_fits(fits, coefficients, &shifts, scatter, out_of_fold)
    }

    /// Fits with their coefficients for the original features and the corrections to their intercepts.
    pub(super) fn of_fits(
        fits: &[LabelFit],
        coefficients: Matrix,
        shifts: &[f64],
        scatter: f64,
        out_of_fold: Option<OutOfFold>,
    ) -> Result<Self> {
        let intercepts = fits
            .iter()
            .zip(shifts)
            .map(|(fit, shift)| fit.intercept + shift)
            .collect();
        let of_folds = out_of_fold.as_ref().map(OutOfFold::record);
        let records = fits.iter().map(|fit| &fit.record).chain(of_folds);
        Ok(Self {
            model: LinearModel::new(coefficients, intercepts)?,
            penalties: fits.iter().map(|fit| fit.penalty).collect(),
            scatter,
            record: LogisticRecord::together(records).unwrap_or_default(),
            out_of_fold,
        })
    }

    /// The log-odds of each label as functions of the features.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// The penalty of each label.
    pub fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// The penalty of each label, relative to the scatter of the features.
    pub fn penalty_shares(&self) -> Vec<f64> {
        shares_of(&self.penalties, self.scatter)
    }

    /// The out-of-fold predictions by which penalties were chosen; `None` if there was no choice.
    pub fn out_of_fold(&self) -> Option<&OutOfFold> {
        self.out_of_fold.as_ref()
    }

    /// How the regressions were solved, including the folds by which penalties were chosen.
    pub fn record(&self) -> &LogisticRecord {
        &self.record
    }
}
