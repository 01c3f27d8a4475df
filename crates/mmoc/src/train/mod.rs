//! Training: from a data set and parameters to a model.
//!
//! ```
//! use mmoc::Silent;
//! use mmoc_io::{Format, LabelSource, ReadOptions, read_from};
//! use mmoc::metrics::Metric;
//! use mmoc::train::TrainParams;
//!
//! let table = "tempo,loud,calm,happy\n60,1,1,0\n64,2,1,0\n120,5,0,1\n90,3,1,1\n128,6,0,1\n70,2,1,0\n";
//! let options = ReadOptions {
//!     labels: LabelSource::Last(2),
//!     format: Some(Format::Csv),
//!     ..ReadOptions::default()
//! };
//! let songs = read_from(table.as_bytes(), "songs.csv", &options)?.dataset;
//! let trained = TrainParams::of("coding-cca".parse()?).train(songs.view(), &Silent)?;
//!
//! let found = trained.predict(songs.features().view())?;
//! assert_eq!(found.labels.count(), 2);
//! assert_eq!(trained.schema().label_names(), ["calm", "happy"]);
//! // The share of held-out rows whose label set is right.
//! assert!(trained.record().estimates[&Metric::SubsetAccuracy] > 0.5);
//! # Ok::<(), mmoc_io::Error>(())
//! ```

mod estimates;
mod fingerprint;
mod record;

pub use estimates::Estimates;
pub use fingerprint::fingerprint;
pub(crate) use record::TrainedOn;
pub use record::TrainingRecord;

use crate::data::{Dataset, DatasetView, Folds, Missing, Preprocessing, Scaling, TrainingRows};
use crate::learn::{BaseParams, Training};
use crate::method::Method;
use crate::posterior::GivenEvidence;
use crate::settings::Settings;
use crate::{Model, Progress, Result, Seed, Silent};

/// The parameters of a training.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainParams {
    /// The method with its parameters.
    pub method: Method,
    /// Parameters of the base learners.
    pub base: BaseParams,
    /// How features are scaled.
    pub scaling: Scaling,
    /// How missing features are filled in.
    pub missing: Missing,
    /// The seed of all random choices.
    pub seed: u64,
    /// When training ends with estimates from held-out rows. The model does not depend on it; model files keep the
    /// estimates, but not this.
    pub estimates: Estimates,
}

/// The stages of training, as they are reported to the observer.
const STAGES: [&str; 3] = [
    "scaling the features",
    "fitting the models",
    "estimating from held-out rows",
];

impl TrainParams {
    /// A method with everything else at its default and seed 0.
    pub fn of(method: Method) -> Self {
        Self {
            method,
            base: BaseParams::default(),
            scaling: Scaling::default(),
            missing: Missing::default(),
            seed: 0,
            estimates: Estimates::default(),
        }
    }

    /// The same with other parameters of the base learners.
    #[must_use]
    pub fn base(mut self, base: BaseParams) -> Self {
        self.base = base;
        self
    }

    /// The same with another scaling of the features.
    #[must_use]
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.scaling = scaling;
        self
    }

    /// The same with another way to fill in missing features.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// The same with another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same with another choice of estimates.
    #[must_use]
    pub fn estimates(mut self, estimates: Estimates) -> Self {
        self.estimates = estimates;
        self
    }

    /// Trains on all rows of a data set, as [`Self::train`] does.
    pub fn fit(&self, dataset: &Dataset) -> Result<Model> {
        self.train(dataset.view(), &Silent)
    }

    /// Fails if a parameter is outside of its range.
    pub fn validate(&self) -> Result<()> {
        self.method.validate()?;
        self.base.validate()?;
        self.base.logistic.validate()
    }

    /// Trains on all rows. The same rows, parameters and seed give the same model to the bit, whatever the number of
    /// threads.
    ///
    /// Rows may have weights ([`TrainingRows`] says what they do), and labels that are not known: estimates and
    /// methods whose models are about one label or two leave these out, and all others see what they most probably are.
    pub fn train(&self, dataset: DatasetView<'_>, progress: &dyn Progress) -> Result<Model> {
        self.train_with(dataset, &[], progress)
    }

    /// Trains on all rows, with evidence about their labels from outside of the model as terms of the posterior. The
    /// model needs that evidence for new rows too ([`RowsWithEvidence`](crate::RowsWithEvidence)).
    ///
    /// ```
    /// use mmoc::data::{Dataset, Features, Labels, Matrix};
    /// use mmoc::method::MaxMargin;
    /// use mmoc::posterior::{GivenEvidence, GivenKind};
    /// use mmoc::train::TrainParams;
    /// use mmoc::{RowsWithEvidence, Silent};
    ///
    /// let features = Features::Dense(Matrix::from_fn(40, 1, |i, _| (i % 10) as f64));
    /// let labels = Labels::from_fn(40, 2, |i, j| i % 4 == j);
    /// // In earnest these are the log-odds of a classifier for rows that it was not fitted to.
    /// let log_odds = |i, j| if i % 4 == j { 3.0 } else { -3.0 };
    /// let names = vec!["a".into(), "b".into()];
    /// let rows = Dataset::new("rows", features, labels, vec!["x".into()], names)?;
    ///
    /// let given = |n| GivenEvidence::new("mine", GivenKind::LogOdds, Matrix::from_fn(n, 2, log_odds));
    /// let params = TrainParams::from(MaxMargin::default());
    /// let model = params.train_with(rows.view(), &[given(40)?], &Silent)?;
    /// let evidence = [given(40)?];
    /// let found = model.predict(RowsWithEvidence { rows: &rows, evidence: &evidence })?;
    /// assert_eq!(found.score(&rows)?.subset_accuracy(), 1.0);
    /// assert!(model.predict(&rows).is_err());
    /// # Ok::<(), mmoc::Error>(())
    /// ```
    pub fn train_with(
        &self,
        dataset: DatasetView<'_>,
        given: &[GivenEvidence],
        progress: &dyn Progress,
    ) -> Result<Model> {
        self.validate()?;
        match TrainingRows::of(dataset) {
            TrainingRows::Plain => {
                self.train_on(dataset.with_weights(None)?, dataset, given, None, progress)
            }
            TrainingRows::Weighted(weights) => {
                let rows = dataset.with_weights(Some(&weights))?;
                self.train_on(rows, dataset, given, None, progress)
            }
            TrainingRows::Chosen(chosen, weights) => {
                let rows = dataset.written_out(&chosen, weights)?;
                let given = given.iter().map(|own| own.select_rows(&chosen));
                let given: Vec<GivenEvidence> = given.collect();
                self.train_on(rows.view(), dataset, &given, None, progress)
            }
        }
    }

    /// Trains on all rows in given folds, by which classifiers choose their penalties. Rows enter as they are: repeated
    /// ones are not merged, and weights are relative. So do rows in [partitions](crate::partitions), whose model this is if
    /// the folds are theirs.
    pub fn train_in_folds(
        &self,
        dataset: DatasetView<'_>,
        folds: Folds,
        given: &[GivenEvidence],
        progress: &dyn Progress,
    ) -> Result<Model> {
        self.validate()?;
        let relative = dataset.targets().weights().map(|weights| {
            let mean = weights.iter().sum::<f64>() / weights.len() as f64;
            weights
                .iter()
                .map(|weight| weight / mean)
                .collect::<Vec<f64>>()
        });
        let rows = dataset.with_weights(relative.as_deref())?;
        self.train_on(rows, dataset, given, Some(folds), progress)
    }

    /// Trains on rows that were made of those of a data set.
    fn train_on(
        &self,
        rows: DatasetView<'_>,
        dataset: DatasetView<'_>,
        given: &[GivenEvidence],
        folds: Option<Folds>,
        progress: &dyn Progress,
    ) -> Result<Model> {
        progress.begin(STAGES.len());
        progress.stage(STAGES[0]);
        let raw = rows.features();
        let weights = rows.targets().weights();
        let preprocessing = Preprocessing::fit(raw, self.scaling, self.missing, weights)?;
        let features = preprocessing.apply(raw)?;
        let seed = Seed::new(self.seed).named("train");
        let filled_in;
        let training = Training::new(features.view(), rows, self.base.clone(), seed)?;
        let mut training = training.with_evidence(given)?.with_progress(progress);
        if let Some(folds) = folds {
            training = training.with_folds(folds)?;
        }
        progress.advance();

        progress.stage(STAGES[1]);
        if !self.method.leaves_unknown_out()
            && let Some(labels) = training.fill_in_unknown()?
        {
            filled_in = labels;
            training = training.with_filled_in(&filled_in);
        }
        let mut fitted = self.method.fit_on(&training)?;
        progress.advance();

        progress.stage(STAGES[2]);
        let estimates = self.estimates.of(&mut fitted, &training)?;
        let on = TrainedOn::of(dataset, self.scaling);
        let record = TrainingRecord::new(self, on, &training, &fitted, estimates.as_ref());
        progress.advance();
        Model::new(
            self.clone(),
            dataset.schema().clone(),
            preprocessing,
            fitted.predictor,
            record,
        )
    }
}
