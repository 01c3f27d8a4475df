//! Statistics of a data set.

use std::collections::HashMap;

use super::{Dataset, Features, FeaturesView, Labels};

/// Number of label sets in a summary.
const LISTED_SETS: usize = 10;

/// Statistics of a data set: its size, label distribution and sparsity.
///
/// The names of the fields are the keys of `mmoc inspect --json`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct DatasetStatistics {
    /// The name of the data set.
    pub name: String,
    /// Number of rows, n.
    pub rows: usize,
    /// Number of features as the file declares them.
    pub features: usize,
    /// Number of feature columns, p: a nominal feature has several.
    pub columns: usize,
    /// Number of labels, q.
    pub labels: usize,
    /// Mean number of labels of a row.
    pub cardinality: f64,
    /// Cardinality over the number of labels.
    pub density: f64,
    /// Number of distinct label sets, including the empty one.
    pub distinct_label_sets: usize,
    /// Number of rows without labels.
    pub empty_rows: usize,
    /// Whether features are stored as a sparse matrix.
    pub sparse: bool,
    /// Fraction of the n·p cells that are present and nonzero; 0 if there are none.
    pub nonzero_share: f64,
    /// Number of missing cells of features.
    pub missing_cells: usize,
    /// Number of labels of rows that are not known; JSON has it if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing_labels: usize,
    /// Sum of the weights of rows, if they have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_sum: Option<f64>,
    /// The most frequent label sets, at most ten; ties go to the lexicographically smaller list of label indices.
    pub frequent_label_sets: Vec<LabelSet>,
    /// Names of the labels.
    pub label_names: Vec<String>,
    /// Number of rows of each label.
    pub label_counts: Vec<usize>,
    /// For each label, the count of the most frequent label divided by its own (`IRLbl`, Charte et al. 2015);
    /// `None` for a label without rows.
    pub imbalance: Vec<Option<f64>>,
    /// Mean imbalance of the labels that occur (`MeanIR`); `None` if none does.
    pub mean_imbalance: Option<f64>,
    /// Largest imbalance of the labels that occur; `None` if none does.
    pub max_imbalance: Option<f64>,
}

/// A label set and the number of rows with exactly this set.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LabelSet {
    /// The names of its labels.
    pub labels: Vec<String>,
    /// Number of rows.
    pub rows: usize,
}

impl DatasetStatistics {
    /// The statistics of a data set.
    pub fn of(dataset: &Dataset) -> Self {
        let labels = dataset.labels();
        let (rows, count) = (labels.rows(), labels.count());
        let view = dataset.features().view();
        let sets = label_sets(labels);
        let label_counts = labels.frequencies();
        let imbalance = imbalance(&label_counts);
        let occurring: Vec<f64> = imbalance.iter().copied().flatten().collect();
        Self {
            name: dataset.name().into(),
            rows,
            features: dataset.attributes().len(),
            columns: dataset.columns(),
            labels: count,
            cardinality: labels.total() as f64 / rows as f64,
            density: labels.total() as f64 / (rows as f64 * count as f64),
            distinct_label_sets: sets.len(),
            empty_rows: labels.iter().filter(|set| set.is_empty()).count(),
            sparse: matches!(dataset.features(), Features::Sparse(_)),
            nonzero_share: nonzero_share(view),
            missing_cells: count_cells(view, f64::is_nan),
            missing_labels: dataset.unknown().map_or(0, Labels::total),
            weight_sum: dataset.weights().map(|weights| weights.iter().sum()),
            frequent_label_sets: name_sets(&sets, dataset.label_names()),
            label_names: dataset.label_names().to_vec(),
            label_counts,
            imbalance,
            mean_imbalance: mean(&occurring),
            max_imbalance: occurring.into_iter().reduce(f64::max),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The distinct label sets and their numbers of rows, most frequent first.
fn label_sets(labels: &Labels) -> Vec<(&[u32], usize)> {
    let mut rows = HashMap::new();
    for set in labels.iter() {
        *rows.entry(set).or_insert(0) += 1;
    }
    let mut sets: Vec<(&[u32], usize)> = rows.into_iter().collect();
    sets.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    sets
}

fn name_sets(sets: &[(&[u32], usize)], names: &[String]) -> Vec<LabelSet> {
    let name = |&label: &u32| names[label as usize].clone();
    let listed = sets.iter().take(LISTED_SETS);
    listed
        .map(|&(set, rows)| LabelSet {
            labels: set.iter().map(name).collect(),
            rows,
        })
        .collect()
}

fn imbalance(counts: &[usize]) -> Vec<Option<f64>> {
    let most = counts.iter().copied().max().unwrap_or(0);
    let ratio = |&count: &usize| (count > 0).then(|| most as f64 / count as f64);
    counts.iter().map(ratio).collect()
}

fn nonzero_share(features: FeaturesView<'_>) -> f64 {
    let cells = features.rows() as f64 * features.columns() as f64;
    let nonzero = count_cells(features, |value| value.abs() > 0.0);
    if cells > 0.0 {
        nonzero as f64 / cells
    } else {
        0.0
    }
}

fn count_cells(features: FeaturesView<'_>, counts: impl Fn(f64) -> bool) -> usize {
    let values = features.stored_values().iter();
    values.filter(|&&value| counts(value)).count()
}

fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Attribute, Csr, Matrix};

    fn names(prefix: &str, count: usize) -> Vec<String> {
        (0..count).map(|index| format!("{prefix}{index}")).collect()
    }

    fn dataset(features: Features, labels: Labels) -> Dataset {
        let feature_names = names("f", features.view().columns());
        let label_names = names("l", labels.count());
        Dataset::new("example", features, labels, feature_names, label_names).unwrap()
    }

    /// Five rows with the sets {0, 2}, {}, {0}, {0, 2}, {1}; no row has label 3.
    fn labels() -> Labels {
        Labels::new(4, vec![0, 2, 2, 3, 5, 6], vec![0, 2, 0, 0, 2, 1]).unwrap()
    }

    #[test]
    fn counts_labels_and_label_sets() {
        let summary =
            DatasetStatistics::of(&dataset(Features::Dense(Matrix::zeros(5, 3)), labels()));
        assert_eq!((summary.rows, summary.columns, summary.labels), (5, 3, 4));
        assert_eq!((summary.cardinality, summary.density), (1.2, 0.3));
        assert_eq!((summary.distinct_label_sets, summary.empty_rows), (4, 1));
        assert_eq!(summary.label_counts, [3, 1, 2, 0]);
        assert_eq!(summary.label_names, ["l0", "l1", "l2", "l3"]);
    }

    #[test]
    fn lists_the_most_frequent_label_sets_first() {
        let summary =
            DatasetStatistics::of(&dataset(Features::Dense(Matrix::zeros(5, 3)), labels()));
        let listed: Vec<(String, usize)> = summary
            .frequent_label_sets
            .iter()
            .map(|set| (set.labels.join("+"), set.rows))
            .collect();
        let expected = [("l0+l2", 2), ("", 1), ("l0", 1), ("l1", 1)];
        assert_eq!(listed, expected.map(|(set, rows)| (set.to_string(), rows)));
    }

    #[test]
    fn imbalance_is_against_the_most_frequent_label() {
        let summary =
            DatasetStatistics::of(&dataset(Features::Dense(Matrix::zeros(5, 3)), labels()));
        assert_eq!(summary.imbalance, [Some(1.0), Some(3.0), Some(1.5), None]);
        assert_eq!(summary.mean_imbalance, Some(5.5 / 3.0));
        assert_eq!(summary.max_imbalance, Some(3.0));
    }

    #[test]
    fn labels_without_rows_have_no_imbalance() {
        let nobody = Labels::from_fn(2, 3, |_, _| false);
        let summary = DatasetStatistics::of(&dataset(Features::Dense(Matrix::zeros(2, 1)), nobody));
        assert_eq!(
            (summary.mean_imbalance, summary.max_imbalance),
            (None, None)
        );
        assert_eq!((summary.empty_rows, summary.distinct_label_sets), (2, 1));
    }

    #[test]
    fn missing_cells_and_stored_zeros_are_not_nonzero() {
        let values = vec![f64::NAN, 0.0, -2.0];
        let sparse = Csr::new(2, vec![0, 2, 3, 3, 3, 3], vec![0, 1, 1], values).unwrap();
        let summary = DatasetStatistics::of(&dataset(Features::Sparse(sparse), labels()));
        assert!(summary.sparse);
        assert_eq!(summary.missing_cells, 1);
        assert!((summary.nonzero_share - 0.1).abs() < 1e-15);
    }

    #[test]
    fn features_count_as_declared() {
        let words = ["a", "b", "d"].map(str::to_owned).to_vec();
        let attributes = vec![
            Attribute::numeric("n"),
            Attribute::nominal("c", words).unwrap(),
        ];
        let features = Features::Dense(Matrix::zeros(5, 4));
        let label_names = (0..labels().count())
            .map(|label| label.to_string())
            .collect();
        let wide = Dataset::from_attributes("e", features, labels(), attributes, label_names);
        let summary = DatasetStatistics::of(&wide.unwrap());
        assert_eq!((summary.features, summary.columns), (2, 4));
    }

    #[test]
    fn json_has_the_documented_keys() {
        let summary =
            DatasetStatistics::of(&dataset(Features::Dense(Matrix::zeros(5, 3)), labels()));
        let json = serde_json::to_value(summary).unwrap();
        let promised = [
            "rows",
            "features",
            "labels",
            "cardinality",
            "density",
            "distinct_label_sets",
            "empty_rows",
            "nonzero_share",
            "label_names",
            "label_counts",
        ];
        for key in promised {
            assert!(json.get(key).is_some(), "{key}");
        }
    }
}
