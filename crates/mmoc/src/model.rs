//! A trained model: from features as they come to label sets.

use std::ops::Range;

use crate::data::{Dataset, Features, FeaturesView, Labels, Matrix, Preprocessing, Schema};
use crate::memory::{Work, check_memory};
use crate::method::{Predictor, PredictorInput};
use crate::posterior::{Decision, GivenEvidence, GivenKind, LikelySet};
use crate::settings::Named;
use crate::text::excerpt;
use crate::train::{TrainParams, TrainingRecord};
use crate::{Answer, Error, Prediction, Question, Result, check_size, check_stop};

/// A trained model: the columns it takes, their scaling, linear outputs with their decoder, the parameters it was trained
/// with and a record of the training.
#[derive(Debug, Clone)]
pub struct Model {
    params: TrainParams,
    schema: Schema,
    preprocessing: Preprocessing,
    predictor: Predictor,
    record: TrainingRecord,
}

/// Scores and probabilities, of each batch and of all of them together.
const NUMBERS: usize = 4;

impl Model {
    /// A model from parts that fit together.
    pub(crate) fn new(
        params: TrainParams,
        schema: Schema,
        preprocessing: Preprocessing,
        predictor: Predictor,
        record: TrainingRecord,
    ) -> Result<Self> {
        let (columns, labels) = (schema.columns(), schema.label_names().len());
        let scaled = preprocessing.columns();
        check_size("columns of the preprocessing", columns, scaled)?;
        let coefficients = predictor.outputs().coefficients();
        let made = preprocessing.output_columns();
        check_size("columns of the model", made, coefficients.rows())?;
        check_size("columns of the training record", columns, record.columns)?;
        check_size("labels of the model", labels, predictor.labels())?;
        check_size("labels of the training record", labels, record.labels)?;
        let penalties = record.penalties.classifiers.len();
        if penalties > 0 {
            check_size("penalties of classifiers", labels, penalties)?;
        }
        Ok(Self {
            params,
            schema,
            preprocessing,
            predictor,
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

    /// How missing features are filled in and all are scaled.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// What predicts from scaled features: outputs and decoder.
    pub fn predictor(&self) -> &Predictor {
        &self.predictor
    }

    /// How it was trained.
    pub fn record(&self) -> &TrainingRecord {
        &self.record
    }

    /// Name and kind of the evidence that the model needs beside the features of a row, in the order of its terms.
    pub fn given_evidence(&self) -> Vec<(&str, GivenKind)> {
        self.predictor.given()
    }

    /// Predicts the label set of every row, given a data set or unscaled features in the columns of the schema, with
    /// [`RowsWithEvidence`] if the model needs evidence from outside.
    ///
    /// Rows are scaled and predicted in batches, so that there is never a scaled copy of all of them.
    pub fn predict<'a>(&self, rows: impl ModelInput<'a>) -> Result<Prediction> {
        let pieces = self.in_batches(rows, NUMBERS, |batch| self.predictor.predict(batch))?;
        Ok(Prediction::concatenated(self.predictor.labels(), pieces))
    }

    /// Predicts as a question asks: for a decision of its own, or with the likeliest label sets. The model is left as it is,
    /// and what a row costs is shared.
    pub fn answer<'a>(&self, rows: impl ModelInput<'a>, question: Question) -> Result<Answer> {
        let pieces = self.in_batches(rows, NUMBERS, |batch| {
            self.predictor.answer(batch, question)
        })?;
        Ok(Answer::concatenated(self.predictor.labels(), pieces))
    }

    /// The label set of every row, as [`Self::predict`] finds it, without scores and probabilities.
    pub fn label_sets<'a>(&self, rows: impl ModelInput<'a>) -> Result<Labels> {
        let pieces = self.in_batches(rows, 0, |batch| self.predictor.label_sets(batch))?;
        Ok(Labels::concatenated(self.predictor.labels(), &pieces))
    }

    /// The K likeliest label sets of every row with their probabilities, the likeliest first. An error if the model has no
    /// posterior over label sets.
    pub fn likeliest_sets<'a>(
        &self,
        rows: impl ModelInput<'a>,
        k: usize,
    ) -> Result<Vec<Vec<LikelySet>>> {
        let predict = |batch: PredictorInput<'_>| self.predictor.likeliest_sets(batch, k);
        Ok(self.in_batches(rows, 0, predict)?.concat())
    }

    /// What each label of a set adds by each term of the posterior, with its weight, n×q. An error if the model has no
    /// posterior over label sets.
    pub fn evidence_of_terms<'a>(&self, rows: impl ModelInput<'a>) -> Result<Vec<Matrix>> {
        let labels = self.predictor.labels();
        let mut all: Vec<Vec<f64>> = vec![Vec::new(); self.predictor.posterior()?.terms().count()];
        let of_batch = |batch: PredictorInput<'_>| self.predictor.evidence_of_terms(batch);
        for batch in self.in_batches(rows, 2 * all.len(), of_batch)? {
            for (values, some) in all.iter_mut().zip(batch) {
                values.extend(some.into_values());
            }
        }
        let of_term = |values: Vec<f64>| Matrix::new(values.len() / labels.max(1), labels, values);
        all.into_iter().map(of_term).collect()
    }

    /// The same model with another decision: label sets that are to be best in another measure. An error if the model has
    /// no posterior over label sets.
    pub fn with_decision(self, decision: Decision) -> Result<Self> {
        Ok(Self {
            predictor: self.predictor.with_decision(decision)?,
            ..self
        })
    }

    /// What is found of each batch of rows, with so many numbers for each label of a row.
    pub(crate) fn in_batches<'a, T>(
        &self,
        input: impl ModelInput<'a>,
        numbers: usize,
        predict: impl Fn(PredictorInput<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let evidence = input.evidence();
        let raw = input.features_of(&self.schema)?;
        let (rows, batch) = (raw.rows(), self.batch_rows());
        let labels = self.predictor.labels();
        let needed = (size_of::<f64>() * numbers) as f64 * rows as f64 * labels as f64;
        check_memory(Work::Predict { rows, labels }, needed)?;
        let given = self.needed_evidence(evidence, rows)?;
        // Without rows there is still a number of columns to check.
        let starts = (0..rows.max(1)).step_by(batch);
        starts
            .map(|start| {
                check_stop()?;
                let some = start.min(rows)..rows.min(start + batch);
                let features = self.preprocessing.apply(raw.rows_in(some.clone()))?;
                let given = rows_side_by_side(&given, some)?;
                predict(PredictorInput {
                    features: features.view(),
                    given: given.as_ref(),
                })
            })
            .collect()
    }

    /// The evidence of each given term in turn. Other evidence is left out: its term may not have been chosen.
    fn needed_evidence<'a>(
        &self,
        evidence: &'a [GivenEvidence],
        rows: usize,
    ) -> Result<Vec<&'a GivenEvidence>> {
        let named = |name: &str| evidence.iter().find(|own| own.name() == name);
        let mut needed = Vec::new();
        for (name, kind) in self.given_evidence() {
            let is_missing = |name: &str| named(name).is_none();
            let found = named(name).ok_or_else(|| self.predictor.missing_evidence(is_missing))?;
            found.check_sizes(rows, self.predictor.labels())?;
            if found.kind() != kind {
                return Err(Error::Dataset {
                    expected: format!("{} as the evidence {}", kind.name(), excerpt(name)),
                    found: found.kind().name().into(),
                });
            }
            needed.push(found);
        }
        Ok(needed)
    }

    /// Rows to predict at a time, so that their features and outputs stay within about 2²⁰ numbers: from 1 to 4096.
    pub fn batch_rows(&self) -> usize {
        // Of sparse features few are stored.
        let dense = !self.schema.is_sparse();
        let stored = if dense {
            self.preprocessing.output_columns()
        } else {
            0
        };
        self.predictor.batch_rows(stored)
    }
}

/// The numbers of some rows of given evidence, side by side; none if there is none.
fn rows_side_by_side(given: &[&GivenEvidence], rows: Range<usize>) -> Result<Option<Matrix>> {
    let part = |own: &&GivenEvidence| {
        let some = own.numbers().view().rows_in(rows.clone());
        Matrix::new(some.rows(), some.columns(), some.values().to_vec())
    };
    let parts: Vec<Matrix> = given.iter().map(part).collect::<Result<_>>()?;
    let all: Vec<&Matrix> = parts.iter().collect();
    (!all.is_empty()).then(|| Matrix::hstack(&all)).transpose()
}

/// Rows that a model can predict.
pub trait ModelInput<'a> {
    /// Evidence about their labels from outside of the model.
    fn evidence(&self) -> &'a [GivenEvidence] {
        &[]
    }

    /// Their features in the columns of a schema.
    fn features_of(self, schema: &Schema) -> Result<FeaturesView<'a>>;
}

/// Rows with evidence about their labels from outside of the model. Evidence that the model does not need is left out.
#[derive(Debug, Clone, Copy)]
pub struct RowsWithEvidence<'a, R> {
    /// The rows.
    pub rows: R,
    /// The evidence, with a number for each label in each row.
    pub evidence: &'a [GivenEvidence],
}

impl<'a, R: ModelInput<'a>> ModelInput<'a> for RowsWithEvidence<'a, R> {
    fn evidence(&self) -> &'a [GivenEvidence] {
        self.evidence
    }

    fn features_of(self, schema: &Schema) -> Result<FeaturesView<'a>> {
        self.rows.features_of(schema)
    }
}

/// Unscaled features, whose columns must be those of the schema, in its order.
impl<'a> ModelInput<'a> for FeaturesView<'a> {
    fn features_of(self, _schema: &Schema) -> Result<FeaturesView<'a>> {
        Ok(self)
    }
}

/// The same.
impl<'a> ModelInput<'a> for &'a Features {
    fn features_of(self, _schema: &Schema) -> Result<FeaturesView<'a>> {
        Ok(self.view())
    }
}

/// A data set, whose columns and labels must have the names of the schema, in its order: a prediction for other labels
/// could not be compared with those of the data set.
impl<'a> ModelInput<'a> for &'a Dataset {
    fn features_of(self, schema: &Schema) -> Result<FeaturesView<'a>> {
        check_names("column", schema.feature_names(), self.feature_names())?;
        check_names("label", schema.label_names(), self.label_names())?;
        Ok(self.features().view())
    }
}

fn check_names(what: &str, expected: &[String], found: &[String]) -> Result<()> {
    let pairs = expected
        .iter()
        .map(Some)
        .chain([None])
        .zip(found.iter().map(Some).chain([None]));
    let shown = |name: Option<&String>| name.map_or("none".into(), |name| excerpt(name));
    match pairs.into_iter().enumerate().find(|(_, (a, b))| a != b) {
        None => Ok(()),
        Some((index, (expected, found))) => Err(Error::Dataset {
            expected: format!("{} as {what} {}", shown(expected), index + 1),
            found: shown(found),
        }),
    }
}
