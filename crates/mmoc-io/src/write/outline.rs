//! What is known of rows before the first of them is written.

use std::collections::HashSet;

#[cfg(feature = "parquet")]
use crate::arrow::is_pandas_index;
use crate::{Dataset, Error, Format, Result, Schema};
use mmoc::text::excerpt;

/// What some formats say before the rows, and what shows whether a format can hold them.
#[derive(Debug, Clone)]
pub struct Outline<'a> {
    /// What the data set is called.
    pub name: &'a str,
    /// The columns and labels.
    pub schema: &'a Schema,
    /// Number of rows.
    pub rows: usize,
    /// For each column, whether it has a missing cell.
    pub missing: Vec<bool>,
    /// For each label, how many rows carry it.
    pub frequencies: Vec<usize>,
}

impl<'a> Outline<'a> {
    /// The outline of a data set.
    pub fn of(dataset: &'a Dataset) -> Self {
        let mut missing = vec![false; dataset.columns()];
        let features = dataset.features().view();
        features.for_each_stored(|_, column, value| missing[column] |= value.is_nan());
        Self {
            name: dataset.name(),
            schema: dataset.view().schema(),
            rows: dataset.rows(),
            missing,
            frequencies: dataset.labels().frequencies(),
        }
    }

    /// The names of all columns, labels last.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a String> {
        let features = self.schema.feature_names().iter();
        features.chain(self.schema.label_names())
    }

    /// Fails unless a format can hold the rows.
    pub(super) fn check(&self, format: Format) -> Result<()> {
        let refuse = |expected: &str, found: String| {
            let expected = format!("one with {expected} to be written as {format}");
            Err(Error::request("the data set", expected, found))
        };
        #[cfg(not(feature = "parquet"))]
        if matches!(format, Format::Parquet | Format::Arrow) {
            return Err(format.left_out());
        }
        match format {
            Format::Arff
            | Format::Csv
            | Format::Tsv
            | Format::Parquet
            | Format::Arrow
            | Format::JsonLines => {
                if let Some(name) = self.shared_name() {
                    return refuse("labels that are not named like features", excerpt(name));
                }
                let has_empty = matches!(format, Format::Arff | Format::JsonLines);
                if !has_empty && self.names().any(String::is_empty) {
                    return refuse("a name for every column", "one without".to_owned());
                }
                #[cfg(feature = "parquet")]
                if let (Format::Parquet | Format::Arrow, Some(name)) =
                    (format, self.names().find(|name| is_pandas_index(name)))
                {
                    let expected =
                        "names other than __index_level_N__, which pandas takes for itself";
                    return refuse(expected, excerpt(name));
                }
            }
            Format::LibSvm | Format::Extreme => {
                if self.missing.contains(&true) {
                    return refuse("no missing cell", "one that has some".to_owned());
                }
                if let (Format::LibSvm, Some(name)) = (format, self.unused_label()) {
                    return refuse("rows for every label", format!("without {}", excerpt(name)));
                }
            }
        }
        Ok(())
    }

    fn shared_name(&self) -> Option<&String> {
        let features: HashSet<&String> = self.schema.feature_names().iter().collect();
        let mut labels = self.schema.label_names().iter();
        labels.find(|name| features.contains(name))
    }

    fn unused_label(&self) -> Option<&String> {
        let unused = self.frequencies.iter().position(|&count| count == 0);
        unused.map(|label| &self.schema.label_names()[label])
    }
}
