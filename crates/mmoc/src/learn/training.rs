//! A training set with the base models that methods share.

use std::sync::OnceLock;

use super::LabelTargets;
use super::completion::filled_in;
use super::cost::{Size, Work};
use super::ledger::{Ledger, SharedPart, Usage};
use super::logistic::{Classifiers, LogisticRecord, OutOfFold};
use super::partitioned::PartitionedRows;
use super::ridge::{Ridge, RidgeBackend, RidgeSolver};
use super::{BaseParams, Basis};
use crate::data::{FeaturesView, Folds, Labels, Matrix, MatrixView, Targets, stratified_folds};
use crate::evidence::{GivenEvidence, check_given_names};
use crate::linalg::{Factorisation, Rotation};
use crate::{Error, Observer, Progress, Result, Seed, Silent, check_size};

/// Training rows, and the models fitted to them so far.
///
/// Whatever several methods need, the factorisation of the features, the label classifiers and the label
/// regressions, is computed when the first of them asks for it and kept for the others.
#[derive(Debug)]
pub struct Training<'a> {
    features: FeaturesView<'a>,
    targets: Targets<'a>,
    /// Whether unknown labels are filled in, so that classifiers see them too.
    filled_in: bool,
    params: BaseParams,
    seed: Seed,
    given: &'a [GivenEvidence],
    /// The rows that models are learnt from, if they are in partitions. The others here are a sample of them, without cells.
    partitions: Option<&'a PartitionedRows>,
    progress: Observer<'a>,
    folds: OnceLock<Folds>,
    factorisation: OnceLock<Factorisation<'a>>,
    rotation: OnceLock<Rotation<'a>>,
    plain_basis: OnceLock<Basis<'static>>,
    ridge: OnceLock<RidgeBackend<'a>>,
    label_ridge: OnceLock<Ridge>,
    classifiers: OnceLock<Classifiers>,
    out_of_fold: OnceLock<OutOfFold>,
    ledger: Ledger,
}

impl<'a> Training<'a> {
    /// A training set of at least two complete rows.
    pub fn new(
        features: FeaturesView<'a>,
        targets: impl Into<Targets<'a>>,
        params: BaseParams,
        seed: Seed,
    ) -> Result<Self> {
        params.logistic.validate()?;
        let targets = targets.into();
        let labels = targets.labels();
        check_size("rows of labels", features.rows(), labels.rows())?;
        params.logistic.class_weight.check_labels(labels.count())?;
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
            targets,
            filled_in: false,
            params,
            seed,
            given: &[],
            partitions: None,
            progress: Observer(&Silent),
            folds: OnceLock::new(),
            factorisation: OnceLock::new(),
            rotation: OnceLock::new(),
            plain_basis: OnceLock::new(),
            ridge: OnceLock::new(),
            label_ridge: OnceLock::new(),
            classifiers: OnceLock::new(),
            out_of_fold: OnceLock::new(),
            ledger: Ledger::default(),
        })
    }

    /// The same rows with evidence about their labels from outside of the model.
    ///
    /// Fails unless it has a number for each label in each row, and names that differ.
    pub fn with_evidence(self, given: &'a [GivenEvidence]) -> Result<Self> {
        check_given_names(given.iter().map(GivenEvidence::name))?;
        let (rows, labels) = (self.labels().rows(), self.labels().count());
        given
            .iter()
            .try_for_each(|own| own.check_sizes(rows, labels))?;
        Ok(Self { given, ..self })
    }

    /// The same rows as a sample of rows in partitions: models are learnt from those.
    pub(crate) fn with_partitions(self, partitions: &'a PartitionedRows) -> Self {
        Self {
            partitions: Some(partitions),
            ..self
        }
    }

    /// Whether rows are in partitions, so that nothing can be learnt that is no sum over rows.
    pub(crate) fn is_partitioned(&self) -> bool {
        self.partitions.is_some()
    }

    /// The same rows in given folds, by which classifiers choose their penalties.
    pub fn with_folds(self, folds: Folds) -> Result<Self> {
        check_size("rows in folds", self.labels().rows(), folds.of_row().len())?;
        Ok(Self {
            folds: OnceLock::from(folds),
            ..self
        })
    }

    /// The same rows with an observer of the stages in which models are fitted.
    #[must_use]
    pub fn with_progress(self, progress: &'a dyn Progress) -> Self {
        Self {
            progress: Observer(progress),
            ..self
        }
    }

    /// Reports the stage of the fit.
    pub(crate) fn stage(&self, name: &str) {
        self.progress.0.stage(name);
    }

    /// The same rows with other features.
    pub(crate) fn with_features<'b>(&self, features: MatrixView<'b>) -> Result<Training<'b>>
    where
        'a: 'b,
    {
        let features = FeaturesView::Dense(features);
        let training = Training::new(features, self.targets, self.params.clone(), self.seed)?;
        Ok(Training {
            filled_in: self.filled_in,
            given: self.given,
            progress: self.progress,
            ..training
        })
    }

    /// The label sets with unknown labels filled in; none if all labels are known.
    pub fn fill_in_unknown(&self) -> Result<Option<Labels>> {
        let Some(unknown) = self.targets.unknown() else {
            return Ok(None);
        };
        self.stage("filling in unknown labels");
        let log_odds = self.out_of_fold()?.log_odds();
        filled_in(self.targets, unknown, log_odds).map(Some)
    }

    /// The same rows, whose unknown labels are filled in. Metrics still leave them out.
    #[must_use]
    pub fn with_filled_in(self, labels: &'a Labels) -> Self {
        Self {
            targets: self.targets.filled_in(labels),
            filled_in: true,
            classifiers: OnceLock::new(),
            out_of_fold: OnceLock::new(),
            ..self
        }
    }

    /// What classifiers learn from: unknown labels are left out until they are filled in.
    fn classifier_targets(&self) -> Result<Targets<'a>> {
        if self.filled_in {
            return self.targets.with_unknown(None);
        }
        Ok(self.targets)
    }

    /// The features, n×p.
    pub fn features(&self) -> FeaturesView<'a> {
        self.features
    }

    /// The labels, n×q.
    pub fn labels(&self) -> &'a Labels {
        self.targets.labels()
    }

    /// The labels with the weights of rows, and which of them are not known.
    pub fn targets(&self) -> Targets<'a> {
        self.targets
    }

    /// The weight of each row; none if all count the same.
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.targets.weights()
    }

    /// The labels of each row that are not known; none if all are known.
    pub fn unknown(&self) -> Option<&'a Labels> {
        self.targets.unknown()
    }

    /// Evidence about the labels from outside of the model.
    pub fn given(&self) -> &'a [GivenEvidence] {
        self.given
    }

    /// The parameters of the base learners.
    pub fn params(&self) -> &BaseParams {
        &self.params
    }

    /// Where the random choices of a method come from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The factorisation of the features.
    pub fn factorisation(&self) -> Result<&Factorisation<'a>> {
        self.computed_once(SharedPart::Factorisation, &self.factorisation, || {
            self.stage("factorising the features");
            Factorisation::weighted(self.features, self.weights())
        })
    }

    /// The features on their principal axes.
    pub fn rotation(&self) -> Result<&Rotation<'a>> {
        self.computed_once(SharedPart::Rotation, &self.rotation, || {
            Rotation::new(self.factorisation()?)
        })
    }

    /// The label classifiers p̂ (eq. 5).
    pub fn classifiers(&self) -> Result<&Classifiers> {
        self.computed_once(SharedPart::Classifiers, &self.classifiers, || {
            self.fit_classifiers()
        })
    }

    /// What the folds of the label classifiers say about the rows that each holds out: those by which penalties were
    /// chosen, or, where there is no choice, folds that are fitted when this is first asked.
    pub fn out_of_fold(&self) -> Result<&OutOfFold> {
        if let Some(kept) = self.out_of_fold_of_choice()? {
            return Ok(kept);
        }
        self.computed_once(SharedPart::OutOfFold, &self.out_of_fold, || {
            let logistic = &self.params.logistic;
            if let Some(partitions) = self.partitions {
                self.stage("fitting the classifiers of folds");
                return logistic.fit_partitioned_folds(partitions);
            }
            let (basis, folds) = (self.basis()?, self.folds()?);
            self.stage("fitting the classifiers of folds");
            logistic.fit_folds(&basis, self.classifier_targets()?, folds)
        })
    }

    /// Whether [`Self::out_of_fold`] takes no fits beside those of the classifiers and those that were made already.
    pub fn has_out_of_fold(&self) -> bool {
        self.params.logistic.has_choice() || self.out_of_fold.get().is_some()
    }

    fn out_of_fold_of_choice(&self) -> Result<Option<&OutOfFold>> {
        if self.params.logistic.has_choice() {
            return Ok(self.classifiers()?.out_of_fold());
        }
        Ok(None)
    }

    /// The coordinates in which the classifiers are fitted.
    pub fn basis(&self) -> Result<Basis<'_>> {
        let is_dense = matches!(self.features, FeaturesView::Dense(_));
        if is_dense && Size::of(self.features).allows_rotation() {
            return Ok(Basis::Rotated(self.rotation()?));
        }
        self.plain_basis().cloned()
    }

    /// The folds over which the classifiers choose their penalties.
    pub fn folds(&self) -> Result<&Folds> {
        self.computed_once(SharedPart::Folds, &self.folds, || {
            let count = self.params.logistic.folds.min(self.labels().rows());
            stratified_folds(self.labels(), count, self.seed.named("logistic folds"))
        })
    }

    /// Ridge regressions m̂ of functions of the labels (eq. 4).
    pub fn regress(&self, targets: &LabelTargets<'_>) -> Result<Ridge> {
        let backend = self.ridge_backend()?;
        self.stage("regressing the codewords");
        let ridge = backend.fit(targets, self.labels())?;
        self.ledger.note(ridge.record());
        Ok(ridge)
    }

    /// The trace of XᵀX after centring, which relative penalties of regressions are multiples of.
    pub fn total_scatter(&self) -> Result<f64> {
        Ok(self.ridge_backend()?.total_scatter())
    }

    /// Ridge regressions P of the labels themselves (eq. 19).
    pub fn label_ridge(&self) -> Result<&Ridge> {
        self.computed_once(SharedPart::LabelRidge, &self.label_ridge, || {
            let backend = self.ridge_backend()?;
            self.stage("regressing the labels");
            backend.fit(&LabelTargets::labels(), self.labels())
        })
    }

    /// The fitted values of functions of the labels at the given penalties, one for each target, n×m.
    pub fn fitted(&self, targets: &LabelTargets<'_>, penalties: &[f64]) -> Result<Matrix> {
        let backend = self.ridge_backend()?;
        let (fitted, record) = backend.fitted(targets, self.labels(), penalties)?;
        self.ledger.note(record.as_ref());
        Ok(fitted)
    }

    /// ŷ = Pᵀx for the training rows, n×q: each label at `factor` times the penalty that was chosen
    /// for it (eq. 19).
    ///
    /// The regressions have seen the rows, so at the chosen penalty their residuals are too small; a factor
    /// above one makes up for some of it.
    pub fn fitted_labels(&self, factor: f64) -> Result<Matrix> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(Error::Parameter {
                parameter: "the factor of the penalties",
                expected: "a positive number".into(),
                found: factor.to_string(),
            });
        }
        let chosen = self.label_ridge()?.penalties().iter();
        let penalties: Vec<f64> = chosen.map(|penalty| penalty * factor).collect();
        self.fitted(&LabelTargets::labels(), &penalties)
    }

    /// The log-odds of the training rows by the label classifiers, which have seen them, n×q.
    pub(crate) fn in_sample_log_odds(&self) -> Result<Matrix> {
        let model = self.classifiers()?.model();
        match self.partitions {
            None => model.predict(self.features),
            Some(partitions) => partitions.sample_predictions(model),
        }
    }

    /// How the label classifiers and their folds were solved, as far as they were used.
    pub fn logistic_record(&self, usage: Usage) -> Option<LogisticRecord> {
        let classifiers = self.classifiers.get().filter(|_| usage.classifiers);
        let folds = self.out_of_fold.get().filter(|_| usage.out_of_fold);
        let classifiers = classifiers.map(Classifiers::record);
        LogisticRecord::together(classifiers.into_iter().chain(folds.map(OutOfFold::record)))
    }

    /// Seconds spent so far on what methods share.
    pub fn shared_seconds(&self) -> f64 {
        self.ledger.total()
    }

    /// What was used since this was last asked: by one method, if it is asked after each.
    pub fn settle_usage(&self) -> Usage {
        let label_ridge = self.label_ridge.get().and_then(Ridge::record);
        self.ledger.settle(label_ridge)
    }

    /// The content of a cell, computed if it is empty. If two threads compute it at once they compute the same.
    fn computed_once<'b, T>(
        &self,
        part: SharedPart,
        cell: &'b OnceLock<T>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<&'b T> {
        if let Some(value) = cell.get() {
            self.ledger.reuse(part);
            return Ok(value);
        }
        let value = self.ledger.compute(part, compute)?;
        Ok(cell.get_or_init(|| value))
    }

    /// The features without a rotation.
    fn plain_basis(&self) -> Result<&Basis<'static>> {
        self.computed_once(SharedPart::PlainBasis, &self.plain_basis, || {
            Basis::plain_weighted(self.features, self.weights())
        })
    }

    /// What solves the regressions: the same for all targets, so that their held-out predictions are comparable.
    fn ridge_backend(&self) -> Result<&RidgeBackend<'a>> {
        self.computed_once(SharedPart::RidgeBackend, &self.ridge, || {
            let ridge = &self.params.ridge;
            if let Some(partitions) = self.partitions {
                return Ok(RidgeBackend::Partitioned(ridge.partitioned(partitions)?));
            }
            if self.factorises() {
                let system = ridge.prepare(self.factorisation()?)?;
                return Ok(RidgeBackend::Factorised(system));
            }
            let (basis, folds) = (self.plain_basis()?, self.folds()?);
            Ok(RidgeBackend::Iterated(ridge.iterate(basis, folds)?))
        })
    }

    fn factorises(&self) -> bool {
        self.factorises_features(Size::of(self.features))
    }

    /// Whether regressions on features of some size are factorised.
    fn factorises_features(&self, size: Size) -> bool {
        match self.params.ridge.solver {
            RidgeSolver::Factorisation => true,
            RidgeSolver::Iterative => false,
            RidgeSolver::Auto => {
                size.favours_factorisation(self.ridge_work(self.labels().count() as f64))
            }
        }
    }

    fn ridge_work(&self, targets: f64) -> Work {
        Work {
            targets,
            penalties: self.params.ridge.penalty_count(),
            folds: self.params.logistic.folds,
        }
    }

    /// Numbers in memory while targets are regressed on features with so many columns and stored values.
    pub(crate) fn ridge_numbers(
        &self,
        columns: f64,
        stored: f64,
        dense: bool,
        targets: f64,
    ) -> f64 {
        let size = Size::new(self.labels().rows() as f64, columns, stored, dense);
        let (work, factorised) = (self.ridge_work(targets), self.factorises_features(size));
        size.numbers(work, factorised, rayon::current_num_threads())
    }

    fn fit_classifiers(&self) -> Result<Classifiers> {
        if let Some(partitions) = self.partitions {
            self.stage("fitting the classifiers");
            return self.params.logistic.fit_partitioned(partitions);
        }
        let (basis, folds) = (self.basis()?, self.folds()?);
        self.stage("fitting the classifiers");
        let targets = self.classifier_targets()?;
        self.params.logistic.fit(&basis, targets, folds)
    }
}

fn invalid(expected: &str, found: &dyn ToString) -> Error {
    Error::Dataset {
        expected: expected.into(),
        found: found.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;

    #[test]
    fn fitted_labels_are_regressions_at_a_multiple_of_the_chosen_penalties() {
        let mut stream = Seed::new(1).stream();
        let mut x = Matrix::zeros(30, 4);
        x.values_mut()
            .iter_mut()
            .for_each(|v| *v = stream.gaussian());
        let labels = Labels::from_fn(30, 3, |i, j| x[(i, j)] + x[(i, 3)] > 0.0);
        let x = Features::Dense(x);
        let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(2));
        let training = training.unwrap();
        let ridge = training.label_ridge().unwrap();
        let as_chosen = ridge.model().predict(x.view()).unwrap();
        let fitted = training.fitted_labels(1.0).unwrap();
        for (a, b) in fitted.values().iter().zip(as_chosen.values()) {
            assert!((a - b).abs() < 1e-10);
        }
        // The stronger the penalty, the closer to the mean.
        let spread = |factor: f64| -> f64 {
            let fitted = training.fitted_labels(factor).unwrap();
            let mean = fitted.column(0).sum::<f64>() / 30.0;
            fitted.column(0).map(|value| (value - mean).powi(2)).sum()
        };
        assert!(spread(5.0) < spread(1.0) && spread(1e9) < 1e-6);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(training.fitted_labels(bad).is_err());
        }
    }
}
