//! Preprocessing of features: missing cells are filled in and columns scaled, with statistics of the training rows
//! alone.

mod columns;
mod indicators;
mod magnitude;
mod median;
mod missing;
mod partitioned;
mod scaling;

pub use missing::Missing;
pub(crate) use partitioned::{ColumnPass, ColumnRanges, PackedPreprocessing, PartitionedColumns};
pub use scaling::Scaling;

use self::columns::ColumnStatistics;
use self::indicators::Indicators;
use self::magnitude::Magnitudes;
use self::median::medians;
use super::{Csr, CsrView, Features, FeaturesView, Matrix};
use crate::{Error, Result, check_size};

/// Statistics of the training rows, applied to any rows: a cell x of column j becomes `(x − shift_j) / scale_j`, a
/// missing one `(fill_j − shift_j) / scale_j`.
///
/// `fill_j` is the mean of the present cells of the column, or with [`Missing::Median`] their median; 0 if there are none.
/// Zeros that a sparse matrix does not store are present. With [`Missing::Indicator`], the columns with missing cells in the
/// training rows have indicators: columns after all others that are 1 where the cell is missing and 0 elsewhere.
///
/// Without scaling, shift is 0 and scale is 1. With scaling, scale is the population standard deviation of the
/// filled column, or 1 if the column is constant and its magnitude within 1e-60 and 1e60. Columns of dense features
/// are also centred: their shift is the mean. Those of sparse features are not, since zeros would not stay zeros; their
/// shift is 0. Indicators are not scaled.
///
/// If rows have weights, a row of weight 2 counts as two rows in all of these.
///
/// ```
/// use mmoc::data::{Features, Matrix, Missing, Preprocessing, Scaling};
///
/// let train = Features::Dense(Matrix::new(3, 1, vec![2.0, f64::NAN, 6.0])?);
/// let preprocessing = Preprocessing::fit(train.view(), Scaling::None, Missing::Mean, None)?;
/// let filled = Features::Dense(Matrix::new(3, 1, vec![2.0, 4.0, 6.0])?);
/// assert_eq!(preprocessing.apply(train.view())?.view(), filled.view());
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Preprocessing {
    fill: Vec<f64>,
    shift: Vec<f64>,
    scale: Vec<f64>,
    indicators: Indicators,
}

impl Preprocessing {
    /// Computes the statistics of the training rows.
    ///
    /// Fails if there are no rows, there is not a weight for each, a value is infinite, or columns that are not scaled have
    /// sizes that models cannot use: a largest magnitude below 1e-60 or above 1e60.
    pub fn fit(
        train: FeaturesView<'_>,
        scaling: Scaling,
        missing: Missing,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        check_rows(train)?;
        check_size(
            "weights",
            train.rows(),
            weights.map_or(train.rows(), <[f64]>::len),
        )?;
        check_not_infinite(train)?;
        let magnitudes = Magnitudes::of(train);
        let (fill, statistics) = filled_statistics(train, missing, &magnitudes, weights)?;
        let is_dense = matches!(train, FeaturesView::Dense(_));
        let fitted = Self::from_statistics(&magnitudes, Some(fill), statistics, is_dense, scaling)?;
        Ok(match missing {
            Missing::Mean | Missing::Median => fitted,
            Missing::Indicator => Self {
                indicators: Indicators::of(train),
                ..fitted
            },
        })
    }

    /// The preprocessing that follows from the statistics of columns, whose means are filled in by default.
    fn from_statistics(
        magnitudes: &Magnitudes,
        fill: Option<Vec<f64>>,
        statistics: ColumnStatistics,
        is_dense: bool,
        scaling: Scaling,
    ) -> Result<Self> {
        let ColumnStatistics { means, deviations } = statistics;
        let count = means.len();
        let fill = fill.unwrap_or_else(|| means.clone());
        let (shift, scale) = match (scaling.standardises(magnitudes), is_dense) {
            (false, _) => {
                magnitudes.check_usable()?;
                (vec![0.0; count], vec![1.0; count])
            }
            (true, false) => (vec![0.0; count], deviations),
            (true, true) => (means, deviations),
        };
        Self::from_parts(fill, shift, scale)
    }

    /// Missing cells are filled in, and everything else stays as it is.
    fn filling(fill: Vec<f64>) -> Result<Self> {
        let (shift, scale) = (vec![0.0; fill.len()], vec![1.0; fill.len()]);
        Self::from_parts(fill, shift, scale)
    }

    /// A preprocessing with the given values for each column, as returned by [`Preprocessing::fill`],
    /// [`Preprocessing::shift`] and [`Preprocessing::scale`].
    ///
    /// There are no indicators. Fails unless all have the same length, all values are finite and scales are positive.
    pub fn from_parts(fill: Vec<f64>, shift: Vec<f64>, scale: Vec<f64>) -> Result<Self> {
        check_columns(fill.len(), shift.len())?;
        check_columns(fill.len(), scale.len())?;
        check_statistics("means", &fill, f64::is_finite)?;
        check_statistics("shifts", &shift, f64::is_finite)?;
        check_statistics("scales", &scale, |scale| scale.is_finite() && scale > 0.0)?;
        Ok(Self {
            fill,
            shift,
            scale,
            indicators: Indicators::default(),
        })
    }

    /// The same with indicators of these columns, as returned by [`Preprocessing::indicators`].
    ///
    /// Fails unless they are ascending and below the number of columns.
    pub fn with_indicators(self, columns: Vec<u32>) -> Result<Self> {
        Ok(Self {
            indicators: Indicators::new(columns, self.columns())?,
            ..self
        })
    }

    /// Number of columns that it takes.
    pub fn columns(&self) -> usize {
        self.fill.len()
    }

    /// Number of columns that it makes: those that it takes, then the indicators.
    pub fn output_columns(&self) -> usize {
        self.columns() + self.indicators().len()
    }

    /// The names of the columns that it makes, given the names of those that it takes. That of an indicator is
    /// `NAME is missing`.
    ///
    /// # Panics
    /// If there are fewer names than columns.
    pub fn output_names(&self, names: &[String]) -> Vec<String> {
        let indicated = self.indicators().iter();
        let indicated = indicated.map(|&column| Self::indicator_name(&names[column as usize]));
        names.iter().cloned().chain(indicated).collect()
    }

    /// The name of the indicator of a column.
    pub(crate) fn indicator_name(column: &str) -> String {
        format!("{column} is missing")
    }

    /// The columns that have indicators, ascending.
    pub fn indicators(&self) -> &[u32] {
        self.indicators.columns()
    }

    /// Replacement of missing cells of each column, before shift and scale.
    pub fn fill(&self) -> &[f64] {
        &self.fill
    }

    /// Offset subtracted from each column.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// Divisor of each column, after the shift.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The features, filled in and scaled, and then the indicators. They are not copied if nothing changes.
    ///
    /// Sparse features stay sparse with the same pattern and a 1 for each missing cell that has an indicator, unless the
    /// training rows were dense and some shift is not 0. So the values do not depend on how the rows are stored.
    ///
    /// Fails if the number of columns differs from that of the training rows, or a value is or becomes infinite.
    pub fn apply<'a>(&self, features: FeaturesView<'a>) -> Result<Preprocessed<'a>> {
        check_columns(self.columns(), features.columns())?;
        check_not_infinite(features)?;
        if !self.scales() && self.indicators().is_empty() && !has_missing(features) {
            return Ok(Preprocessed::Unchanged(features));
        }
        let changed = match features {
            FeaturesView::Sparse(sparse) if !self.centres() => {
                Features::Sparse(self.sparse(sparse)?)
            }
            _ => Features::Dense(self.dense(features)),
        };
        check_not_infinite(changed.view())?;
        Ok(Preprocessed::Changed(changed))
    }

    /// A cell of a column, filled in and scaled.
    pub(crate) fn cell(&self, column: usize, value: f64) -> f64 {
        let present = if value.is_nan() {
            self.fill[column]
        } else {
            value
        };
        let (shift, scale) = (self.shift[column], self.scale[column]);
        let shifted = present - shift;
        if shifted.is_finite() {
            shifted / scale
        } else {
            (present / 2.0 - shift / 2.0) / scale * 2.0
        }
    }

    fn sparse(&self, features: CsrView<'_>) -> Result<Csr> {
        let rows: Vec<usize> = (0..features.rows()).collect();
        let mut changed = features.select_rows(&rows);
        let columns = rows.iter().flat_map(|&row| features.row(row).0);
        for (value, &column) in changed.values_mut().iter_mut().zip(columns) {
            *value = self.cell(column as usize, *value);
        }
        if self.indicators().is_empty() {
            return Ok(changed);
        }
        self.indicators.beside(&changed, features)
    }

    /// Zeros that are not stored change too, so they come first.
    fn dense(&self, features: FeaturesView<'_>) -> Matrix {
        let mut zeros: Vec<f64> = (0..self.columns()).map(|c| self.cell(c, 0.0)).collect();
        zeros.resize(self.output_columns(), 0.0);
        let mut matrix = Matrix::from_fn(features.rows(), zeros.len(), |_, column| zeros[column]);
        features.for_each_stored(|row, column, value| {
            matrix[(row, column)] = self.cell(column, value);
            if value.is_nan()
                && let Some(place) = self.indicators.place(column)
            {
                matrix[(row, self.columns() + place)] = 1.0;
            }
        });
        matrix
    }

    fn centres(&self) -> bool {
        self.shift.iter().any(|&shift| shift.abs() > 0.0)
    }

    fn scales(&self) -> bool {
        self.centres() || self.scale.iter().any(|&scale| (scale - 1.0).abs() > 0.0)
    }
}

/// Features after preprocessing.
#[derive(Debug, Clone, PartialEq)]
pub enum Preprocessed<'a> {
    /// The features unchanged.
    Unchanged(FeaturesView<'a>),
    /// New features.
    Changed(Features),
}

impl Preprocessed<'_> {
    /// A view of the features.
    pub fn view(&self) -> FeaturesView<'_> {
        match self {
            Self::Unchanged(view) => *view,
            Self::Changed(features) => features.view(),
        }
    }
}

/// What missing cells are filled in with, and the statistics of the filled columns.
fn filled_statistics(
    train: FeaturesView<'_>,
    missing: Missing,
    magnitudes: &Magnitudes,
    weights: Option<&[f64]>,
) -> Result<(Vec<f64>, ColumnStatistics)> {
    let statistics = |features| ColumnStatistics::of(features, magnitudes, weights);
    match missing {
        Missing::Mean | Missing::Indicator => {
            let found = statistics(train);
            Ok((found.means.clone(), found))
        }
        Missing::Median => {
            let filling = Preprocessing::filling(medians(train, weights))?;
            let found = statistics(filling.apply(train)?.view());
            Ok((filling.fill, found))
        }
    }
}

fn has_missing(features: FeaturesView<'_>) -> bool {
    features.stored_values().iter().any(|value| value.is_nan())
}

fn check_columns(expected: usize, found: usize) -> Result<()> {
    check_size("feature columns", expected, found)
}

fn check_rows(train: FeaturesView<'_>) -> Result<()> {
    check_rows_of(train.rows())
}

fn check_rows_of(rows: usize) -> Result<()> {
    if rows > 0 {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: "at least one training row".into(),
        found: "none".into(),
    })
}

fn check_not_infinite(features: FeaturesView<'_>) -> Result<()> {
    let mut values = features.stored_values().iter();
    match values.find(|value| value.is_infinite()) {
        None => Ok(()),
        Some(value) => Err(Error::Dataset {
            expected: "finite features".into(),
            found: value.to_string(),
        }),
    }
}

fn check_statistics(name: &str, values: &[f64], valid: impl Fn(f64) -> bool) -> Result<()> {
    match values.iter().position(|&value| !valid(value)) {
        None => Ok(()),
        Some(column) => Err(Error::Dataset {
            expected: format!("features small enough to have {name}"),
            found: format!("{} for column {}", values[column], column + 1),
        }),
    }
}
