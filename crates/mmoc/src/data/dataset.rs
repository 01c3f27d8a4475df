//! A data set: features, label sets and names that fit together.

use std::collections::HashSet;

use super::{Features, Labels};
use crate::{Error, Result, check_size};

/// Features, 0/1 labels and their names, checked on construction.
///
/// Numbers are finite, except that a cell may be missing, which is stored as NaN and filled in by
/// [`super::Preprocessing`] from the training rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: String,
    features: Features,
    labels: Labels,
    feature_names: Vec<String>,
    label_names: Vec<String>,
    attributes: usize,
}

impl Dataset {
    /// A data set from its parts.
    ///
    /// Fails unless features and labels have the same number of rows and at least one, every column
    /// has a name, no two columns or two labels share one, and no number is infinite.
    pub fn new(
        name: impl Into<String>,
        features: Features,
        labels: Labels,
        feature_names: Vec<String>,
        label_names: Vec<String>,
    ) -> Result<Self> {
        let view = features.view();
        check_size("rows of labels", view.rows(), labels.rows())?;
        check_size("feature names", view.columns(), feature_names.len())?;
        check_size("label names", labels.count(), label_names.len())?;
        check_any("row", view.rows())?;
        check_any("label", labels.count())?;
        check_distinct("feature", &feature_names)?;
        check_distinct("label", &label_names)?;
        check_not_infinite(view.stored_values())?;
        let attributes = feature_names.len();
        Ok(Self {
            name: name.into(),
            features,
            labels,
            feature_names,
            label_names,
            attributes,
        })
    }

    /// The same data set, said to come from `attributes` columns of a file, some of which became
    /// several indicator columns.
    #[must_use]
    pub fn with_attributes(mut self, attributes: usize) -> Self {
        self.attributes = attributes;
        self
    }

    /// What the data set is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// Number of feature columns, p.
    pub fn columns(&self) -> usize {
        self.feature_names.len()
    }

    /// Number of features as the file declares them: a nominal one counts once, however many
    /// indicator columns it became.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// The features, n×p.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The labels, n×q.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// A name for each feature column.
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// A name for each label.
    pub fn label_names(&self) -> &[String] {
        &self.label_names
    }

    /// Whether some cell of the features is missing.
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
            features: self.features.view().select_rows(rows),
            labels: self.labels.select_rows(rows),
            ..self.clone_frame()
        })
    }

    /// The `count` most frequent labels, in their old order; of equally frequent ones the first.
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
        Ok(Self {
            features: self.features.clone(),
            labels: self.labels.select_labels(&kept),
            label_names: kept
                .iter()
                .map(|&label| self.label_names[label].clone())
                .collect(),
            ..self.clone_frame()
        })
    }

    /// The rows that carry at least one label.
    pub fn drop_empty_rows(&self) -> Result<Self> {
        let kept: Vec<usize> = (0..self.rows())
            .filter(|&row| !self.labels.row(row).is_empty())
            .collect();
        self.select_rows(&kept)
    }

    /// Names and counts without rows, to be completed by struct update.
    fn clone_frame(&self) -> Self {
        Self {
            name: self.name.clone(),
            features: Features::Dense(super::Matrix::default()),
            labels: Labels::empty(0),
            feature_names: self.feature_names.clone(),
            label_names: self.label_names.clone(),
            attributes: self.attributes,
        }
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

fn check_distinct(what: &str, names: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::Dataset {
            expected: format!("a different name for each {what}"),
            found: format!("'{name}' twice"),
        }),
    }
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
