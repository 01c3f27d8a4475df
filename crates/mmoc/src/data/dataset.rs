//! A data set: features, label sets and names.

use super::{Attribute, Features, FeaturesView, Labels, Schema, Targets, stratified_split};
use crate::{Error, Result, Seed, check_size};

/// Features, 0/1 labels and their names, checked on construction.
///
/// Values are finite or missing. Missing cells are stored as NaN and filled in by [`super::Preprocessing`] from the
/// training rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: String,
    features: Features,
    labels: Labels,
    schema: Schema,
    weights: Option<Vec<f64>>,
    unknown: Option<Labels>,
}

impl Dataset {
    /// A data set with numeric features.
    ///
    /// Fails unless features and labels have the same number of rows, at least one, every column has a name, names
    /// are distinct, and no value is infinite.
    pub fn new(
        name: impl Into<String>,
        features: Features,
        labels: Labels,
        feature_names: Vec<String>,
        label_names: Vec<String>,
    ) -> Result<Self> {
        let columns = features.view().columns();
        check_size("feature names", columns, feature_names.len())?;
        let attributes = feature_names.into_iter().map(Attribute::numeric).collect();
        Self::from_attributes(name, features, labels, attributes, label_names)
    }

    /// A data set with the given attributes.
    ///
    /// Fails as [`Dataset::new`] does, and unless the attributes have as many columns as the features.
    pub fn from_attributes(
        name: impl Into<String>,
        features: Features,
        labels: Labels,
        attributes: Vec<Attribute>,
        label_names: Vec<String>,
    ) -> Result<Self> {
        let name = name.into();
        let sparse = matches!(features, Features::Sparse(_));
        let schema = Schema::new(attributes, label_names, sparse)?;
        DatasetView::new(&name, features.view(), &labels, &schema)?;
        Ok(Self {
            name,
            features,
            labels,
            schema,
            weights: None,
            unknown: None,
        })
    }

    /// The same rows with a weight for each: a row of weight 2 counts as two such rows. Rows of weight 0 are left out.
    ///
    /// Fails unless there is a finite weight for each row, none is negative, and some weight is positive.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        check_size("weights", self.rows(), weights.len())?;
        let counting: Vec<usize> = (0..weights.len())
            .filter(|&row| weights[row] != 0.0)
            .collect();
        check_any("row of positive weight", counting.len())?;
        let mut all = Self {
            weights: Some(weights),
            ..self
        };
        if counting.len() < all.rows() {
            all = all.select_rows(&counting)?;
        }
        Targets::new(&all.labels).with_weights(all.weights.as_deref())?;
        Ok(all)
    }

    /// The same rows, all of which count the same.
    #[must_use]
    pub fn without_weights(self) -> Self {
        Self {
            weights: None,
            ..self
        }
    }

    /// The same rows, of which some labels are not known. These are not among the labels of a row.
    ///
    /// Fails unless there are as many rows and labels.
    pub fn with_unknown(self, unknown: Labels) -> Result<Self> {
        Targets::new(&self.labels).with_unknown(Some(&unknown))?;
        let is_any = unknown.total() > 0;
        Ok(Self {
            unknown: is_any.then_some(unknown),
            ..self
        })
    }

    /// A view of the data set.
    pub fn view(&self) -> DatasetView<'_> {
        DatasetView {
            name: &self.name,
            features: self.features.view(),
            schema: &self.schema,
            labels: &self.labels,
            weights: self.weights.as_deref(),
            unknown: self.unknown.as_ref(),
        }
    }

    /// The name of the data set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// Number of feature columns, p.
    pub fn columns(&self) -> usize {
        self.schema.columns()
    }

    /// The features as declared: a nominal feature is one attribute, however many columns it has.
    pub fn attributes(&self) -> &[Attribute] {
        self.schema.attributes()
    }

    /// The schema: attributes, label names and storage.
    pub fn schema(&self) -> Schema {
        self.schema.clone()
    }

    /// The features, n×p.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The labels, n×q.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The weight of each row; none if all count the same.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The labels of each row that are not known; none if all are known.
    pub fn unknown(&self) -> Option<&Labels> {
        self.unknown.as_ref()
    }

    /// A name for each feature column.
    pub fn feature_names(&self) -> &[String] {
        self.schema.feature_names()
    }

    /// A name for each label.
    pub fn label_names(&self) -> &[String] {
        self.schema.label_names()
    }

    /// The parts: features, labels and schema.
    pub fn into_parts(self) -> (Features, Labels, Schema) {
        (self.features, self.labels, self.schema)
    }

    /// Whether any feature cell is missing.
    pub fn has_missing(&self) -> bool {
        self.features
            .view()
            .stored_values()
            .iter()
            .any(|value| value.is_nan())
    }

    /// The given rows, in the given order.
    pub fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        check_any("row", rows.len())?;
        Ok(Self {
            name: self.name.clone(),
            features: self.features.view().select_rows(rows),
            labels: self.labels.select_rows(rows),
            schema: self.schema(),
            weights: self.weights.as_ref().map(|weights| {
                let chosen = rows.iter().map(|&row| weights[row]);
                chosen.collect()
            }),
            unknown: self.unknown.as_ref().map(|all| all.select_rows(rows)),
        })
    }

    /// A stratified split into a training set with a `share` of the rows, rounded, and a test set with the others.
    ///
    /// ```
    /// # use mmoc::data::{Dataset, Features, Labels, Matrix};
    /// let features = Features::Dense(Matrix::from_fn(10, 1, |i, _| i as f64));
    /// let labels = Labels::from_fn(10, 2, |i, j| i % 2 == j);
    /// let names = vec!["a".into(), "b".into()];
    /// let rows = Dataset::new("rows", features, labels, vec!["x".into()], names)?;
    /// let (train, test) = rows.split(0.8, 1)?;
    /// assert_eq!((train.rows(), test.rows()), (8, 2));
    /// # Ok::<(), mmoc::Error>(())
    /// ```
    ///
    /// Fails unless both have at least one row. The same seed gives the same split.
    pub fn split(&self, share: f64, seed: u64) -> Result<(Self, Self)> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::Parameter {
                parameter: "the share of training rows",
                expected: "a number from 0 to 1".into(),
                found: share.to_string(),
            });
        }
        #[expect(clippy::cast_sign_loss, reason = "the share is not negative")]
        let train_size = (share * self.rows() as f64).round() as usize;
        let split = stratified_split(&self.labels, train_size, Seed::new(seed).named("split"))?;
        Ok((
            self.select_rows(&split.train)?,
            self.select_rows(&split.test)?,
        ))
    }

    /// The `count` most frequent labels in their original order; ties go to the lower index.
    pub fn keep_frequent_labels(&self, count: usize) -> Result<Self> {
        if count == 0 || count > self.labels.count() {
            return Err(Error::Parameter {
                parameter: "the number of labels to keep",
                expected: format!("from 1 to {}", self.labels.count()),
                found: count.to_string(),
            });
        }
        let frequencies = self.labels.frequencies();
        let mut order: Vec<usize> = (0..frequencies.len()).collect();
        order.sort_by_key(|&label| std::cmp::Reverse(frequencies[label]));
        let mut kept = order[..count].to_vec();
        kept.sort_unstable();
        let names = kept.iter().map(|&label| self.label_names()[label].clone());
        Ok(Self {
            name: self.name.clone(),
            features: self.features.clone(),
            labels: self.labels.select_labels(&kept),
            schema: self.schema().with_labels(names.collect()),
            weights: self.weights.clone(),
            unknown: self.unknown.as_ref().map(|all| all.select_labels(&kept)),
        })
    }

    /// The rows with at least one label.
    pub fn drop_empty_rows(&self) -> Result<Self> {
        let kept: Vec<usize> = (0..self.rows())
            .filter(|&row| !self.labels.row(row).is_empty())
            .collect();
        self.select_rows(&kept)
    }
}

/// A borrowed data set, the input of training.
#[derive(Debug, Clone, Copy)]
pub struct DatasetView<'a> {
    name: &'a str,
    features: FeaturesView<'a>,
    schema: &'a Schema,
    labels: &'a Labels,
    weights: Option<&'a [f64]>,
    unknown: Option<&'a Labels>,
}

impl<'a> DatasetView<'a> {
    /// A data set from borrowed features, labels and schema.
    ///
    /// Fails unless features and labels have the same number of rows, at least one, the schema has the same numbers
    /// of columns and labels, and no value is infinite.
    pub fn new(
        name: &'a str,
        features: FeaturesView<'a>,
        targets: impl Into<Targets<'a>>,
        schema: &'a Schema,
    ) -> Result<Self> {
        let targets = targets.into();
        let labels = targets.labels();
        check_size("rows of labels", features.rows(), labels.rows())?;
        check_size("label names", labels.count(), schema.label_names().len())?;
        check_any("row", features.rows())?;
        check_size(
            "columns of the features",
            schema.columns(),
            features.columns(),
        )?;
        check_not_infinite(features.stored_values())?;
        Ok(Self {
            name,
            features,
            schema,
            labels,
            weights: targets.weights(),
            unknown: targets.unknown(),
        })
    }

    /// The name of the data set.
    pub fn name(self) -> &'a str {
        self.name
    }

    /// Number of rows, n.
    pub fn rows(self) -> usize {
        self.labels.rows()
    }

    /// The features, n×p.
    pub fn features(self) -> FeaturesView<'a> {
        self.features
    }

    /// The labels, n×q.
    pub fn labels(self) -> &'a Labels {
        self.labels
    }

    /// The labels with the weights of rows and the labels that are not known.
    pub fn targets(self) -> Targets<'a> {
        Targets::checked(self.labels, self.weights, self.unknown)
    }

    /// The same rows with other weights, or without any.
    pub fn with_weights<'b>(self, weights: Option<&'b [f64]>) -> Result<DatasetView<'b>>
    where
        'a: 'b,
    {
        let targets = self.targets().with_weights(weights)?;
        Ok(DatasetView {
            weights: targets.weights(),
            ..self
        })
    }

    /// A copy of some rows, in the given order, with other weights or without any.
    pub fn written_out(self, rows: &[usize], weights: Option<Vec<f64>>) -> Result<Dataset> {
        check_any("row", rows.len())?;
        let written = Dataset {
            name: self.name.into(),
            features: self.features.select_rows(rows),
            labels: self.labels.select_rows(rows),
            schema: self.schema.clone(),
            weights: None,
            unknown: self.unknown.map(|all| all.select_rows(rows)),
        };
        match weights {
            Some(weights) => written.with_weights(weights),
            None => Ok(written),
        }
    }

    /// The schema: attributes, label names and storage.
    pub fn schema(self) -> &'a Schema {
        self.schema
    }
}

impl<'a> From<&'a Dataset> for DatasetView<'a> {
    fn from(dataset: &'a Dataset) -> Self {
        dataset.view()
    }
}

fn check_any(what: &str, count: usize) -> Result<()> {
    if count > 0 {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: format!("at least one {what}"),
        found: "none".into(),
    })
}

fn check_not_infinite(values: &[f64]) -> Result<()> {
    match values.iter().find(|value| value.is_infinite()) {
        None => Ok(()),
        Some(value) => Err(Error::Dataset {
            expected: "finite numbers".into(),
            found: value.to_string(),
        }),
    }
}
