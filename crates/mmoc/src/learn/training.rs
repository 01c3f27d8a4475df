//! A training set with the base models that methods share.

use std::sync::OnceLock;

use serde::Serialize;

use super::logistic::{Classifiers, LogisticParams, LogisticRecord};
use super::ridge::{Ridge, RidgeParams, RidgeSystem};
use super::{Basis, VaryingColumns};
use crate::data::{FeaturesView, Labels, Matrix, stratified_folds};
use crate::linalg::{Factorisation, Rotation};
use crate::{Error, Result, Seed, check_size};

/// Parameters of the base learners, the same for every method.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BaseParams {
    /// Ridge regression.
    pub ridge: RidgeParams,
    /// Logistic regression.
    pub logistic: LogisticParams,
}

/// Training rows, and the models fitted to them so far.
///
/// Whatever several methods need, the factorisation of the features and the label classifiers, is computed
/// when the first of them asks for it and kept for the others.
#[derive(Debug)]
pub struct Training<'a> {
    features: FeaturesView<'a>,
    labels: &'a Labels,
    params: BaseParams,
    seed: Seed,
    factorisation: OnceLock<Factorisation<'a>>,
    rotation: OnceLock<Rotation>,
    ridge: OnceLock<RidgeSystem>,
    classifiers: OnceLock<Classifiers>,
}

impl<'a> Training<'a> {
    /// A training set of at least two complete rows.
    pub fn new(
        features: FeaturesView<'a>,
        labels: &'a Labels,
        params: BaseParams,
        seed: Seed,
    ) -> Result<Self> {
        params.logistic.validate()?;
        check_size("rows of labels", features.rows(), labels.rows())?;
        if labels.rows() < 2 {
            return Err(invalid("at least two training rows", &labels.rows()));
        }
        if let Some(value) = features
            .stored_values()
            .iter()
            .find(|value| !value.is_finite())
        {
            return Err(invalid("finite features", value));
        }
        Ok(Self {
            features,
            labels,
            params,
            seed,
            factorisation: OnceLock::new(),
            rotation: OnceLock::new(),
            ridge: OnceLock::new(),
            classifiers: OnceLock::new(),
        })
    }

    /// The features, n×p.
    pub fn features(&self) -> FeaturesView<'a> {
        self.features
    }

    /// The labels, n×q.
    pub fn labels(&self) -> &'a Labels {
        self.labels
    }

    /// The factorisation of the features.
    pub fn factorisation(&self) -> Result<&Factorisation<'a>> {
        computed_once(&self.factorisation, || Factorisation::new(self.features))
    }

    /// The features on their principal axes.
    pub fn rotation(&self) -> Result<&Rotation> {
        computed_once(&self.rotation, || Rotation::new(self.factorisation()?))
    }

    /// The label classifiers p̂ (eq. 5).
    pub fn classifiers(&self) -> Result<&Classifiers> {
        computed_once(&self.classifiers, || self.fit_classifiers())
    }

    /// Ridge regressions m̂ of the given targets (eq. 4).
    pub fn regress(&self, targets: &Matrix) -> Result<Ridge> {
        let factorisation = self.factorisation()?;
        let system = computed_once(&self.ridge, || self.params.ridge.prepare(factorisation))?;
        system.fit(factorisation, targets)
    }

    /// How the label classifiers were solved, if any method has asked for them.
    pub fn logistic_record(&self) -> Option<LogisticRecord> {
        self.classifiers
            .get()
            .map(|classifiers| *classifiers.record())
    }

    fn fit_classifiers(&self) -> Result<Classifiers> {
        let basis = match self.features {
            FeaturesView::Dense(_) => Basis::Rotated(self.rotation()?, self.factorisation()?),
            FeaturesView::Sparse(x) => Basis::Varying(VaryingColumns::new(x)?),
        };
        let logistic = &self.params.logistic;
        let count = logistic.folds.min(self.labels.rows());
        let folds = stratified_folds(self.labels, count, self.seed.named("logistic folds"))?;
        logistic.fit(&basis, self.labels, &folds)
    }
}

fn invalid(expected: &str, found: &dyn ToString) -> Error {
    Error::Dataset {
        expected: expected.into(),
        found: found.to_string(),
    }
}

/// The content of a cell, computed if it is empty. If two threads compute it at once they compute the same.
fn computed_once<T>(cell: &OnceLock<T>, compute: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}
