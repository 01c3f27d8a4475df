//! Training rows in partitions, and what is known of all of them together.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::LinearModel;
use super::logistic::LogisticParams;
pub(crate) use super::logistic::{FoldLosses, FoldMasses, FoldModels, KeptProducts, LogisticShare};
use super::ridge::FactorisedGram;
pub(crate) use super::ridge::{GramShare, LeaveOneOut};
use crate::data::{Features, FeaturesView, Labels, Matrix, PackedPreprocessing};
use crate::linalg::{check_total_scatter, multiply_features};
use crate::partitions::{Bulk, PackedMatrix, Partition, Reply, Rows, Share};
use crate::{Error, Result};

/// The labels and weights of the rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RowTargets;

impl Share for RowTargets {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let weights = partition.weights().map(<[f64]>::to_vec);
        Ok(Reply::targets(partition.labels().clone(), weights))
    }
}

/// A pass of the means of columns of preprocessed rows: the first without means, the second corrects those of the first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ColumnMeans {
    preprocessing: PackedPreprocessing,
    total: f64,
    means: Option<Bulk<f64>>,
}

impl Share for ColumnMeans {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let features = self.preprocessing.apply(partition.features())?;
        let x = features.view();
        let (mut sums, mut largest) = (vec![0.0; 2 * x.columns()], 0.0f64);
        let (first, stored) = sums.split_at_mut(x.columns());
        x.for_each_stored(|row, column, value| {
            let weight = partition.weight(row);
            match &self.means {
                None => first[column] += weight * value / self.total,
                Some(means) => first[column] += weight * (value - means[column]),
            }
            stored[column] += weight;
            largest = largest.max(value.abs());
        });
        let dense = matches!(features, Features::Dense(_));
        Ok(Reply::sums_and_largest(
            sums,
            vec![largest, f64::from(u8::from(dense))],
        ))
    }
}

/// The spread of each column of scaled rows: Σ w·(v − m)² for dense ones, which are centred already, and
/// Σ w·((v − m)² − m²) over the stored cells of sparse ones.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ColumnSpread {
    means: Bulk<f64>,
}

impl Share for ColumnSpread {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let x = partition.features();
        let mut sums = vec![0.0; x.columns()];
        let is_dense = matches!(x, FeaturesView::Dense(_));
        x.for_each_stored(|row, column, value| {
            let mean = if is_dense { 0.0 } else { self.means[column] };
            let square = (value - mean) * (value - mean) - mean * mean;
            sums[column] += partition.weight(row) * square;
        });
        Ok(Reply::sums(sums))
    }
}

/// Linear functions of scaled rows, p×m with an intercept each.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LinearFunctions {
    coefficients: PackedMatrix,
    intercepts: Bulk<f64>,
}

impl LinearFunctions {
    pub(crate) fn new(coefficients: Matrix, intercepts: Vec<f64>) -> Self {
        Self {
            coefficients: coefficients.into(),
            intercepts: Bulk(intercepts),
        }
    }
}

impl Share for LinearFunctions {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let coefficients = self.coefficients.clone().unpack()?;
        let mut values = multiply_features(partition.features(), coefficients.view());
        for row in 0..values.rows() {
            let pairs = values.row_mut(row).iter_mut().zip(self.intercepts.iter());
            pairs.for_each(|(value, intercept)| *value += intercept);
        }
        Ok(Reply::numbers(values))
    }
}

/// Training rows in partitions, scaled, with sums over all of them.
#[derive(Debug)]
pub(crate) struct PartitionedRows {
    /// All rows; dense ones are centred.
    pub(super) rows: Box<dyn Rows>,
    /// The rows that are a sample; none if all rows are.
    sample: Option<Box<dyn Rows>>,
    pub(super) columns: usize,
    pub(super) is_dense: bool,
    /// The mean of each column; zeros of sparse rows count.
    pub(super) means: Vec<f64>,
    /// The sum of squared deviations of each column from its mean; zero if it is within rounding error.
    pub(super) scatters: Vec<f64>,
    /// A bound on the rounding error of these.
    pub(super) floor: f64,
    /// Number of rows.
    pub(super) count: usize,
    pub(super) total_weight: f64,
    /// How much the rows of the sample count together.
    pub(super) sample_weight: f64,
    /// How much the rows of each label count together.
    pub(super) label_weights: Vec<f64>,
    /// The seed of the folds.
    pub(super) seed: u64,
    gram: OnceLock<FactorisedGram>,
}

/// The labels of the rows of a sample, with their weights.
#[derive(Debug)]
pub(crate) struct SampleTargets {
    pub(crate) labels: Labels,
    pub(crate) weights: Option<Vec<f64>>,
}

/// Rows that are to be scaled, and what is known of them.
pub(crate) struct UnscaledRows<'a> {
    pub(crate) rows: &'a dyn Rows,
    pub(crate) preprocessing: PackedPreprocessing,
    pub(crate) columns: usize,
    pub(crate) total_weight: f64,
}

impl UnscaledRows<'_> {
    /// The mean of each column after preprocessing, whether these are dense, and the largest magnitude of a cell.
    pub(crate) fn means(&self) -> Result<(Vec<f64>, bool, f64)> {
        let mut pass = ColumnMeans {
            preprocessing: self.preprocessing.clone(),
            total: self.total_weight,
            means: None,
        };
        let (sums, largest) = self.rows.sum(&pass.clone().into())?.both()?;
        let mut means = sums[..self.columns].to_vec();
        pass.means = Some(Bulk(means.clone()));
        let sums = self.rows.sum(&pass.into())?.only_sums()?;
        let (deviations, stored) = sums.split_at(self.columns);
        for ((mean, deviation), stored) in means.iter_mut().zip(deviations).zip(stored) {
            let zeros = self.total_weight - stored;
            *mean += (deviation - zeros * *mean) / self.total_weight;
        }
        Ok((means, largest[1] > 0.0, largest[0]))
    }
}

/// What [`PartitionedRows`] are made of.
pub(crate) struct ScaledParts {
    pub(crate) rows: Box<dyn Rows>,
    pub(crate) sample: Option<Box<dyn Rows>>,
    pub(crate) is_dense: bool,
    pub(crate) means: Vec<f64>,
    /// The largest magnitude of a cell before dense rows were centred.
    pub(crate) largest: f64,
    /// Number of rows.
    pub(crate) count: usize,
    pub(crate) seed: u64,
}

impl PartitionedRows {
    /// Scaled rows, and their labels as far as they are in the sample.
    pub(crate) fn new(parts: ScaledParts, labels: usize) -> Result<(Self, SampleTargets)> {
        let ScaledParts {
            rows,
            sample,
            is_dense,
            means,
            largest,
            count,
            seed,
        } = parts;
        let masses = FoldMasses::all(labels);
        let mut masses = rows.sum(&masses.into())?.only_sums()?;
        let label_weights = masses.split_off(1);
        let total_weight = masses[0];
        let error = 4.0 * f64::EPSILON * largest;
        let floor = total_weight * error * error;
        let spread = ColumnSpread {
            means: Bulk(means.clone()),
        };
        let mut scatters = rows.sum(&spread.into())?.only_sums()?;
        for (scatter, mean) in scatters.iter_mut().zip(&means) {
            if !is_dense {
                *scatter += total_weight * mean * mean;
            }
            if *scatter <= floor {
                *scatter = 0.0;
            }
        }
        check_total_scatter(scatters.iter().sum())?;
        let targets = SampleTargets::collected(sample.as_deref().unwrap_or(&*rows), labels)?;
        let sample_weight = targets
            .weights
            .as_ref()
            .map_or(targets.labels.rows() as f64, |weights| weights.iter().sum());
        let own = Self {
            columns: means.len(),
            rows,
            sample,
            is_dense,
            means,
            scatters,
            floor,
            count,
            total_weight,
            sample_weight,
            label_weights,
            seed,
            gram: OnceLock::new(),
        };
        Ok((own, targets))
    }

    /// The rows of the sample.
    pub(super) fn sample(&self) -> &dyn Rows {
        self.sample.as_deref().unwrap_or(&*self.rows)
    }

    /// Whether the sample has all rows.
    pub(super) fn is_sampled(&self) -> bool {
        self.sample.is_some()
    }

    /// The mean label vector.
    pub(super) fn label_means(&self) -> Vec<f64> {
        let weights = self.label_weights.iter();
        weights.map(|weight| weight / self.total_weight).collect()
    }

    /// Corrections to the intercepts of models on the features, which are centred: −meansᵀB.
    pub(super) fn shifts(&self, coefficients: &Matrix) -> Vec<f64> {
        let mut shifts = vec![0.0; coefficients.columns()];
        for (k, mean) in self.means.iter().enumerate() {
            crate::linalg::add_scaled(&mut shifts, -mean, coefficients.row(k));
        }
        shifts
    }

    /// The same for rows as partitions have them: only sparse ones are not centred.
    pub(super) fn shifts_of_rows(&self, coefficients: &Matrix) -> Vec<f64> {
        if self.is_dense {
            vec![0.0; coefficients.columns()]
        } else {
            self.shifts(coefficients)
        }
    }

    /// Linear functions of the rows of the sample, n×m, with intercepts for rows as partitions have them.
    pub(super) fn sample_values(&self, functions: LinearFunctions) -> Result<Matrix> {
        numbers_of(self.sample(), &functions.into())
    }

    /// What a model of the features, which are not centred, predicts for the rows of the sample, n×m.
    pub(super) fn sample_predictions(&self, model: &LinearModel) -> Result<Matrix> {
        let coefficients = model.coefficients().clone();
        let mut intercepts = model.intercepts().to_vec();
        if self.is_dense {
            let shifts = self.shifts(&coefficients);
            crate::linalg::add_scaled(&mut intercepts, -1.0, &shifts);
        }
        self.sample_values(LinearFunctions::new(coefficients, intercepts))
    }

    /// The Gram matrix of the features, factorised once.
    pub(super) fn gram(&self) -> Result<&FactorisedGram> {
        if let Some(gram) = self.gram.get() {
            return Ok(gram);
        }
        let gram = FactorisedGram::of(self)?;
        Ok(self.gram.get_or_init(|| gram))
    }

    /// The class weights of each label, negatives first, by all rows.
    pub(super) fn class_factors(&self, params: &LogisticParams) -> Vec<f64> {
        let of_label = |(label, &ones): (usize, &f64)| {
            params
                .class_weight
                .factors_of(label, ones, self.total_weight)
        };
        let labels = self.label_weights.iter().enumerate();
        labels.flat_map(of_label).collect()
    }
}

impl SampleTargets {
    fn collected(rows: &dyn Rows, labels: usize) -> Result<Self> {
        let answers = rows.collect(&RowTargets.into())?;
        let (mut pieces, mut weights) = (Vec::new(), Some(Vec::new()));
        for answer in answers {
            let (own, own_weights) = answer.into_targets()?;
            if own.rows() == 0 {
                continue;
            }
            match (&mut weights, own_weights) {
                (Some(all), Some(own)) => all.extend(own),
                _ => weights = None,
            }
            pieces.push(own);
        }
        let labels = Labels::concatenated(labels, &pieces);
        if labels.rows() < 2 {
            return Err(Error::Dataset {
                expected: "at least two training rows".into(),
                found: labels.rows().to_string(),
            });
        }
        Ok(Self { labels, weights })
    }
}

/// The numbers of all rows, one partition after the other.
pub(super) fn numbers_of(rows: &dyn Rows, request: &crate::partitions::Request) -> Result<Matrix> {
    let (mut values, mut count, mut columns) = (Vec::new(), 0, 0);
    for answer in rows.collect(request)? {
        let own = answer.into_numbers()?;
        count += own.rows();
        columns = columns.max(own.columns());
        values.append(&mut own.into_values());
    }
    Matrix::new(count, columns, values)
}
