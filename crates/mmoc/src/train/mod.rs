//! From a data set and parameters to a model that knows its columns and how it was made.
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
//! // How many label sets of rows that were held out are right.
//! assert!(trained.record().estimates[&Metric::SubsetAccuracy] > 0.5);
//! # Ok::<(), mmoc_io::Error>(())
//! ```

mod estimates;
mod fingerprint;
mod record;

pub use estimates::Estimates;
pub use fingerprint::fingerprint;
pub use record::TrainingRecord;

use crate::data::{DatasetView, FeaturesView, Labels, Preprocessing, Scaling, Schema};
use crate::learn::{BaseParams, Training};
use crate::method::{Method, Model};
use crate::settings::Settings;
use crate::{Prediction, Progress, Result, Seed, check_size, check_stop};

/// What a model is trained with.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainParams {
    /// The method with its parameters.
    pub method: Method,
    /// Parameters of the base learners.
    pub base: BaseParams,
    /// How features are scaled.
    pub scaling: Scaling,
    /// Where all random choices come from.
    pub seed: u64,
    /// Whether training ends with estimates from rows held out. The model does not depend on it, and model files keep
    /// the estimates but not this.
    pub estimates: Estimates,
}

/// A model that can be used: the parameters it was trained with, the columns it takes, their scaling, and a record of
/// the training.
#[derive(Debug, Clone)]
pub struct Trained {
    params: TrainParams,
    schema: Schema,
    preprocessing: Preprocessing,
    model: Model,
    record: TrainingRecord,
}

/// What training goes through, as it is told to the observer.
const STAGES: [&str; 3] = [
    "scaling the features",
    "fitting the models",
    "estimating from rows held out",
];

impl TrainParams {
    /// A method with everything else at its default and seed 0.
    pub fn of(method: Method) -> Self {
        Self {
            method,
            base: BaseParams::default(),
            scaling: Scaling::default(),
            seed: 0,
            estimates: Estimates::default(),
        }
    }

    /// Fails if a parameter is outside of its range.
    pub fn validate(&self) -> Result<()> {
        self.method.validate()?;
        self.base.validate()?;
        self.base.logistic.validate()
    }

    /// Trains on all rows. The same rows, parameters and seed give the same model to the bit, whatever the number of
    /// threads.
    pub fn train(&self, dataset: DatasetView<'_>, progress: &dyn Progress) -> Result<Trained> {
        self.validate()?;
        progress.begin(STAGES.len());
        progress.stage(STAGES[0]);
        let raw = dataset.features();
        let preprocessing = Preprocessing::fit(raw, self.scaling)?;
        let features = preprocessing.apply(raw)?;
        let seed = Seed::new(self.seed).named("train");
        let training = Training::new(features.view(), dataset.labels(), self.base.clone(), seed)?;
        progress.advance();

        progress.stage(STAGES[1]);
        let mut fitted = self.method.fit(&training)?;
        progress.advance();

        progress.stage(STAGES[2]);
        let estimates = self.estimates.of(&mut fitted, &training)?;
        let record = TrainingRecord::new(self, dataset, &training, &fitted, estimates.as_ref());
        progress.advance();
        Trained::new(
            self.clone(),
            dataset.schema().clone(),
            preprocessing,
            fitted.model,
            record,
        )
    }
}

impl Trained {
    /// A trained model from parts that fit together.
    pub(crate) fn new(
        params: TrainParams,
        schema: Schema,
        preprocessing: Preprocessing,
        model: Model,
        record: TrainingRecord,
    ) -> Result<Self> {
        let (columns, labels) = (schema.columns(), schema.label_names().len());
        check_size(
            "columns of the preprocessing",
            columns,
            preprocessing.columns(),
        )?;
        let coefficients = model.outputs().coefficients();
        check_size("columns of the model", columns, coefficients.rows())?;
        check_size("columns of the training record", columns, record.columns)?;
        check_size("labels of the model", labels, model.labels())?;
        check_size("labels of the training record", labels, record.labels)?;
        let penalties = record.penalties.classifiers.len();
        if penalties > 0 {
            check_size("penalties of classifiers", labels, penalties)?;
        }
        Ok(Self {
            params,
            schema,
            preprocessing,
            model,
            record,
        })
    }

    /// The parameters it was trained with.
    pub fn params(&self) -> &TrainParams {
        &self.params
    }

    /// The columns and labels it knows.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How features are filled in and scaled before the model sees them.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// The model of the scaled features.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How it was trained.
    pub fn record(&self) -> &TrainingRecord {
        &self.record
    }

    /// Predicts the label set of every row, given features in the columns of the schema, as they come.
    ///
    /// Rows are taken some at a time, so that there is never a scaled copy of all of them.
    pub fn predict(&self, raw: FeaturesView<'_>) -> Result<Prediction> {
        let pieces = self.in_batches(raw, |features| self.model.predict(features))?;
        Ok(Prediction::concatenated(self.model.labels(), pieces))
    }

    /// The label set of every row, as [`Self::predict`] finds it, without the numbers behind it.
    pub fn label_sets(&self, raw: FeaturesView<'_>) -> Result<Labels> {
        let pieces = self.in_batches(raw, |features| self.model.label_sets(features))?;
        Ok(Labels::concatenated(self.model.labels(), &pieces))
    }

    fn in_batches<T>(
        &self,
        raw: FeaturesView<'_>,
        predict: impl Fn(FeaturesView<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let (rows, batch) = (raw.rows(), self.batch_rows());
        // Without rows there is still a number of columns to check.
        let starts = (0..rows.max(1)).step_by(batch);
        starts
            .map(|start| {
                check_stop()?;
                let some = raw.rows_in(start.min(rows)..rows.min(start + batch));
                predict(self.preprocessing.apply(some)?.view())
            })
            .collect()
    }

    /// Rows to predict at a time, so that their features and outputs stay within about 2²⁰ numbers: from 1 to 4096.
    pub fn batch_rows(&self) -> usize {
        // Of sparse features few are stored.
        let stored = if self.schema.is_sparse() {
            0
        } else {
            self.schema.columns()
        };
        self.model.batch_rows(stored)
    }
}
