//! Statistics of columns whose rows are in partitions: the same two passes, each a sum over partitions.

use serde::{Deserialize, Serialize};

use super::columns::{ColumnStatistics, ColumnSums};
use super::magnitude::Magnitudes;
use super::{Features, FeaturesView, Indicators, Missing, Preprocessing, Scaling, check_rows_of};
use crate::partitions::{Bulk, Partition, Reply, Rows, Share};
use crate::{Error, Result, check_size};

/// The sizes of columns: largest magnitude, highest value and minus the lowest value of each; and the number of rows, their
/// weight and the number of stored cells, and sums of their hashes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ColumnRanges;

impl Share for ColumnRanges {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let x = partition.features();
        let p = x.columns();
        let mut largest = vec![0.0; p];
        largest.resize(3 * p, f64::NEG_INFINITY);
        x.for_each_stored(|_, column, value| {
            // The maximum with a missing cell is the other number.
            largest[column] = value.abs().max(largest[column]);
            largest[p + column] = value.max(largest[p + column]);
            largest[2 * p + column] = (-value).max(largest[2 * p + column]);
        });
        let stored = x.stored_values().len() as f64;
        let mut sums = vec![partition.rows() as f64, partition.total_weight(), stored];
        sums.extend(partition.content());
        Ok(Reply::sums_and_largest(sums, largest))
    }
}

/// A pass over the cells: the first sums values in units of the magnitudes, the second deviations from given means.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ColumnPass {
    magnitudes: Bulk<f64>,
    means: Option<Bulk<f64>>,
}

impl Share for ColumnPass {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let x = partition.features();
        let mut columns = ColumnSums::in_units_of(&self.magnitudes);
        let sums = match &self.means {
            None => {
                x.for_each_stored(|row, column, value| {
                    columns[column].add(value, partition.weight(row));
                });
                columns.iter().flat_map(ColumnSums::of_first_pass).collect()
            }
            Some(means) => {
                for (column, mean) in columns.iter_mut().zip(means.iter()) {
                    column.mean = *mean;
                }
                x.for_each_stored(|row, column, value| {
                    columns[column].add_deviation(value, partition.weight(row));
                });
                columns
                    .iter()
                    .flat_map(ColumnSums::of_second_pass)
                    .collect()
            }
        };
        Ok(Reply::sums(sums))
    }
}

/// A preprocessing in messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PackedPreprocessing {
    fill: Bulk<f64>,
    shift: Bulk<f64>,
    scale: Bulk<f64>,
    indicators: Bulk<u32>,
}

impl From<&Preprocessing> for PackedPreprocessing {
    fn from(own: &Preprocessing) -> Self {
        Self {
            fill: Bulk(own.fill.clone()),
            shift: Bulk(own.shift.clone()),
            scale: Bulk(own.scale.clone()),
            indicators: Bulk(own.indicators().to_vec()),
        }
    }
}

impl PackedPreprocessing {
    pub(crate) fn unpack(&self) -> Result<Preprocessing> {
        let own = Preprocessing::from_parts(
            self.fill.to_vec(),
            self.shift.to_vec(),
            self.scale.to_vec(),
        )?;
        own.with_indicators(self.indicators.to_vec())
    }

    /// The features of a partition, filled in and scaled.
    pub(crate) fn apply(&self, features: FeaturesView<'_>) -> Result<Features> {
        Ok(match self.unpack()?.apply(features)? {
            super::Preprocessed::Unchanged(view) => {
                view.select_rows(&(0..view.rows()).collect::<Vec<_>>())
            }
            super::Preprocessed::Changed(features) => features,
        })
    }
}

/// What is known of rows in partitions after their columns were preprocessed.
#[derive(Debug)]
pub(crate) struct PartitionedColumns {
    pub(crate) preprocessing: Preprocessing,
    /// The scaling that was applied; never automatic.
    pub(crate) scaling: Scaling,
    pub(crate) rows: usize,
    pub(crate) total_weight: f64,
    /// Numbers that depend on the content of all rows, and not on their order.
    pub(crate) content: Vec<f64>,
}

impl Preprocessing {
    /// The preprocessing of rows in partitions, with so many columns: that of [`Preprocessing::fit`] up to rounding.
    ///
    /// Fails as that does, and if missing cells are to be filled in with medians, which are no sums over rows.
    pub(crate) fn fit_partitions(
        rows: &dyn Rows,
        columns: usize,
        is_dense: bool,
        scaling: Scaling,
        missing: Missing,
    ) -> Result<PartitionedColumns> {
        if missing == Missing::Median {
            return Err(Error::Parameter {
                parameter: "missing",
                expected:
                    "mean or indicator for rows in partitions, as medians are no sums over rows"
                        .into(),
                found: "median".into(),
            });
        }
        let (counts, ranges) = rows.sum(&ColumnRanges.into())?.both()?;
        check_size("feature columns", 3 * columns, ranges.len())?;
        #[expect(clippy::cast_sign_loss, reason = "it counts rows")]
        let rows_of_all = counts[0] as usize;
        check_rows_of(rows_of_all)?;
        if ranges[..columns].iter().any(|size| size.is_infinite()) {
            return Err(Error::Dataset {
                expected: "finite features".into(),
                found: "an infinite one".into(),
            });
        }
        let magnitudes = Magnitudes::new(ranges[..columns].to_vec());
        let (statistics, has_missing) = statistics(rows, &magnitudes, &counts, &ranges)?;
        let own = Self::from_statistics(&magnitudes, None, statistics, is_dense, scaling)?;
        let indicated = (0..).zip(has_missing).filter(|(_, has)| *has);
        let indicated: Vec<u32> = match missing {
            Missing::Indicator => indicated.map(|(column, _)| column).collect(),
            _ => Vec::new(),
        };
        Ok(PartitionedColumns {
            preprocessing: Self {
                indicators: Indicators::new(indicated, columns)?,
                ..own
            },
            scaling: if scaling.standardises(&magnitudes) {
                Scaling::Standard
            } else {
                Scaling::None
            },
            rows: rows_of_all,
            total_weight: counts[1],
            content: counts,
        })
    }
}

/// The statistics of all columns, and which of them have missing cells.
fn statistics(
    rows: &dyn Rows,
    magnitudes: &Magnitudes,
    counts: &[f64],
    ranges: &[f64],
) -> Result<(ColumnStatistics, Vec<bool>)> {
    let sizes = magnitudes.of_columns();
    let p = sizes.len();
    #[expect(clippy::cast_sign_loss, reason = "it counts rows")]
    let rows_of_all = counts[0] as usize;
    let mut pass = ColumnPass {
        magnitudes: Bulk(sizes.to_vec()),
        means: None,
    };
    let first = rows.sum(&pass.clone().into())?.only_sums()?;
    let mut columns = ColumnSums::in_units_of(sizes);
    for (k, (column, sums)) in columns.iter_mut().zip(first.chunks_exact(4)).enumerate() {
        column.take_first_pass(sums, ranges[p + k], -ranges[2 * p + k]);
        column.end_of_first_pass(rows_of_all, counts[1]);
    }
    pass.means = Some(Bulk(columns.iter().map(|column| column.mean).collect()));
    let second = rows.sum(&pass.into())?.only_sums()?;
    for (column, sums) in columns.iter_mut().zip(second.chunks_exact(2)) {
        column.take_second_pass(sums);
    }
    let has_missing = columns.iter().map(ColumnSums::has_missing).collect();
    Ok((ColumnStatistics::of_sums(&columns, counts[1]), has_missing))
}
