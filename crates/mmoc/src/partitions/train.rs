//! A training on rows in partitions.
//!
//! Preprocessing, ridge regressions with their leave-one-out errors, and classifiers are learnt from all rows, by sums over
//! partitions. What is learnt from labels and predictions alone, the code, the posterior and the choice of penalties, needs
//! no more than a sample of rows ([`SAMPLE_ROWS`]) and is learnt from it as on one machine. A sample of all rows is the
//! usual case: the model is then that of one machine up to rounding, if its folds are the same.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::{Bulk, Derivation, Rows, Sampling, ScaledRows};
use crate::data::{Csr, FeaturesView, PackedPreprocessing, PartitionedColumns, Preprocessing};
use crate::data::{Schema, Targets};
use crate::learn::partitioned::{PartitionedRows, SampleTargets, ScaledParts, UnscaledRows};
use crate::learn::ridge::RidgeSolver;
use crate::learn::{FeatureChoice, Training};
use crate::method::{Method, TermKind};
use crate::train::{TrainParams, TrainedOn, TrainingRecord};
use crate::{Error, Model, Progress, Result, Seed, check_size};

/// Rows of a sample by default: the code and the posterior are hardly different with more.
pub const SAMPLE_ROWS: usize = 1 << 18;
/// Numbers for each label of each row of a sample, at most: a matrix of them takes 256 MiB.
const MOST_NUMBERS: usize = 1 << 25;

/// The stages of training, as they are reported to the observer.
const STAGES: [&str; 3] = [
    "scaling the features",
    "fitting the models",
    "estimating from held-out rows",
];

/// Training rows in partitions.
#[derive(Debug)]
pub struct PartitionedData<'a> {
    name: String,
    rows: Box<dyn Rows>,
    schema: &'a Schema,
    sample_rows: usize,
}

impl<'a> PartitionedData<'a> {
    /// Rows of the given columns and labels.
    pub fn new(name: impl Into<String>, rows: Box<dyn Rows>, schema: &'a Schema) -> Self {
        Self {
            name: name.into(),
            rows,
            schema,
            sample_rows: SAMPLE_ROWS,
        }
    }

    /// The same with another limit on the rows that the code and the posterior are learnt from.
    #[must_use]
    pub fn sample_rows(self, sample_rows: usize) -> Self {
        Self {
            sample_rows,
            ..self
        }
    }

    /// The size of a sample, if it is not all rows.
    fn sample_of(&self, rows: usize) -> Option<usize> {
        let labels = self.schema.label_names().len().max(1);
        let most = self.sample_rows.min(MOST_NUMBERS / labels).max(2);
        (rows > most).then_some(most)
    }
}

impl TrainParams {
    /// Trains on rows in partitions. Folds are by the content of rows ([`super::Partition::folds`] with the seed of these
    /// parameters).
    ///
    /// Fails if the parameters ask for what is no sum over rows: neighbours, forests, radial basis functions, medians,
    /// pairs of labels or networks.
    pub fn train_on_partitions(
        &self,
        data: PartitionedData<'_>,
        progress: &dyn Progress,
    ) -> Result<Model> {
        self.validate()?;
        self.check_partitioned()?;
        progress.begin(STAGES.len());
        progress.stage(STAGES[0]);
        let columns = data.schema.columns();
        let labels = data.schema.label_names().len();
        let is_dense = !data.schema.is_sparse();
        let found = Preprocessing::fit_partitions(
            &*data.rows,
            columns,
            is_dense,
            self.scaling,
            self.missing,
        )?;
        let (partitions, sample) = scaled(&data, &found, labels, self.seed)?;
        data.rows.release()?;
        let rows = sample.labels.rows();
        let targets = Targets::new(&sample.labels).with_weights(sample.weights.as_deref())?;
        // The cells stay where they are; only their number of columns counts here.
        let made = found.preprocessing.output_columns();
        let nothing = Csr::new(made, vec![0; rows + 1], Vec::new(), Vec::new())?;
        let features = FeaturesView::Sparse(nothing.view());
        let seed = Seed::new(self.seed).named("train");
        let training = Training::new(features, targets, self.base.clone(), seed)?;
        let training = training
            .with_partitions(&partitions)
            .with_progress(progress);
        progress.advance();

        progress.stage(STAGES[1]);
        let mut fitted = self.method.fit_on(&training)?;
        progress.advance();

        progress.stage(STAGES[2]);
        let estimates = self.estimates.of(&mut fitted, &training)?;
        let trained_on = TrainedOn {
            dataset: data.name,
            rows: found.rows,
            columns,
            labels,
            fingerprint: digest(&found.content),
            scaling: found.scaling,
        };
        let record = TrainingRecord::new(self, trained_on, &training, &fitted, estimates.as_ref());
        progress.advance();
        let schema = data.schema.clone();
        Model::new(
            self.clone(),
            schema,
            found.preprocessing,
            fitted.predictor,
            record,
        )
    }

    /// Fails if the parameters ask for what is no sum over rows.
    pub fn check_partitioned(&self) -> Result<()> {
        let refused = |parameter: &'static str, expected: &str, found: &str| {
            Err(Error::Parameter {
                parameter,
                expected: format!("{expected} for rows in partitions"),
                found: found.into(),
            })
        };
        if matches!(self.method, Method::CalibratedRanking(_) | Method::Lead(_)) {
            let expected = "one whose models are about single labels or codewords";
            return refused("the method", expected, self.method.name());
        }
        if self.base.features == FeatureChoice::Rbf {
            return refused("features", "auto or linear", "rbf");
        }
        if self.base.ridge.solver == RidgeSolver::Iterative {
            return refused("ridge-solver", "auto or factorisation", "iterative");
        }
        if let Some(decoding) = self.method.decoding() {
            for kind in [TermKind::Neighbours, TermKind::Forest] {
                if decoding.terms.asks_for(kind) {
                    let expected = "auto, or labels, code and frequency joined by +,";
                    return refused("terms", expected, kind.name());
                }
            }
        }
        Ok(())
    }
}

/// The rows as models are fitted to them, and the labels of the sample.
fn scaled(
    data: &PartitionedData<'_>,
    found: &PartitionedColumns,
    labels: usize,
    seed: u64,
) -> Result<(PartitionedRows, SampleTargets)> {
    let preprocessing = PackedPreprocessing::from(&found.preprocessing);
    let unscaled = UnscaledRows {
        rows: &*data.rows,
        preprocessing: preprocessing.clone(),
        columns: found.preprocessing.output_columns(),
        total_weight: found.total_weight,
    };
    let (means, is_dense, largest) = unscaled.means()?;
    let rows = data.rows.derive(&Derivation::scaled(ScaledRows {
        preprocessing,
        means: Bulk(if is_dense { means.clone() } else { Vec::new() }),
        weight_unit: found.rows as f64 / found.total_weight,
    }))?;
    let sample = data.sample_of(found.rows).map(|count| {
        let sampling = Sampling::new(count, found.rows, seed);
        rows.derive(&Derivation::sample(sampling))
    });
    let parts = ScaledParts {
        rows,
        sample: sample.transpose()?,
        is_dense,
        means,
        largest,
        count: found.rows,
        seed,
    };
    let (rows, targets) = PartitionedRows::new(parts, labels)?;
    check_size("labels", labels, targets.labels.count())?;
    Ok((rows, targets))
}

/// A fingerprint of rows, in whatever order they are, from sums of their hashes.
fn digest(content: &[f64]) -> String {
    let mut hash = Sha256::new();
    content
        .iter()
        .for_each(|sum| hash.update(sum.to_le_bytes()));
    hash.finalize()
        .iter()
        .fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02x}").expect("text can be written to");
            digits
        })
}
