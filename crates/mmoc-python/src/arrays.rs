//! Conversion of features and labels from and to arrays.

use mmoc::Result;
use mmoc::data::{Csr, CsrView, Features, FeaturesView, Labels, Matrix, MatrixView};
use mmoc::memory::{Work, check_memory};
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods, ToPyArray,
};
use pyo3::prelude::*;

use crate::failure::{exception, invalid};
use crate::held::Held;

/// Features in memory that Python owns.
#[derive(Debug)]
pub(crate) enum HeldFeatures {
    Dense {
        rows: usize,
        columns: usize,
        values: Held<f64>,
    },
    Sparse {
        columns: usize,
        offsets: Vec<usize>,
        indices: Indices,
        values: Held<f64>,
    },
}

/// Column indices: 32-bit indices without a copy, 64-bit indices as a copy.
#[derive(Debug)]
pub(crate) enum Indices {
    Held(Held<i32>),
    Copied(Vec<u32>),
}

impl Indices {
    /// Negative indices become larger than any number of columns, so they are refused too.
    fn as_slice(&self) -> &[u32] {
        match self {
            Self::Held(indices) => bytemuck::cast_slice(indices),
            Self::Copied(indices) => indices,
        }
    }
}

impl HeldFeatures {
    /// Features of a C-contiguous array of doubles, or of a CSR matrix or array of them.
    pub(crate) fn new(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = x.cast::<PyArray2<f64>>() {
            return Ok(Self::Dense {
                rows: array.shape()[0],
                columns: array.shape()[1],
                values: Held::new(array)?,
            });
        }
        let (_, columns): (usize, usize) = x.getattr("shape")?.extract()?;
        let values = x.getattr("data")?;
        Ok(Self::Sparse {
            columns,
            offsets: offsets(&x.getattr("indptr")?)?,
            indices: indices(&x.getattr("indices")?)?,
            values: Held::new(values.cast::<PyArray1<f64>>()?)?,
        })
    }

    pub(crate) fn view(&self) -> Result<FeaturesView<'_>> {
        Ok(match self {
            Self::Dense {
                rows,
                columns,
                values,
            } => FeaturesView::Dense(MatrixView::new(*rows, *columns, values)?),
            Self::Sparse {
                columns,
                offsets,
                indices,
                values,
            } => FeaturesView::Sparse(CsrView::new(*columns, offsets, indices.as_slice(), values)?),
        })
    }

    pub(crate) fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse { .. })
    }
}

/// Fails if there is too little memory for a copy of so many numbers.
fn check_copy(numbers: usize) -> PyResult<()> {
    let bytes = (numbers * size_of::<f64>()) as f64;
    check_memory(Work::Copy { numbers }, bytes).map_err(exception)
}

fn offsets(indptr: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    fn to_sizes<T: Copy + TryInto<usize>>(offsets: &[T]) -> PyResult<Vec<usize>> {
        check_copy(offsets.len())?;
        let sizes = offsets.iter().map(|&offset| offset.try_into().ok());
        let sizes: Option<Vec<usize>> = sizes.collect();
        sizes.ok_or_else(|| invalid("a sparse matrix has negative row offsets"))
    }
    if let Ok(array) = indptr.cast::<PyArray1<i32>>() {
        return to_sizes(&Held::new(array)?);
    }
    to_sizes(&Held::new(indptr.cast::<PyArray1<i64>>()?)?)
}

fn indices(indices: &Bound<'_, PyAny>) -> PyResult<Indices> {
    if let Ok(array) = indices.cast::<PyArray1<i32>>() {
        return Ok(Indices::Held(Held::new(array)?));
    }
    let wide = Held::new(indices.cast::<PyArray1<i64>>()?)?;
    check_copy(wide.len())?;
    let narrow: Option<Vec<u32>> = wide.iter().map(|&index| index.try_into().ok()).collect();
    let narrow =
        narrow.ok_or_else(|| invalid("a sparse matrix has a column index of 2³² or more"))?;
    Ok(Indices::Copied(narrow))
}

/// Label sets of a boolean array, n×q, or of a CSR matrix whose stored entries are the ones.
pub(crate) fn labels(y: &Bound<'_, PyAny>) -> PyResult<Labels> {
    if let Ok(array) = y.extract::<PyReadonlyArray2<'_, bool>>() {
        let carries = array.as_array();
        let (rows, count) = carries.dim();
        return Ok(Labels::from_fn(rows, count, |i, j| carries[[i, j]]));
    }
    let (_, count): (usize, usize) = y.getattr("shape")?.extract()?;
    let offsets = offsets(&y.getattr("indptr")?)?;
    let members = indices(&y.getattr("indices")?)?;
    check_copy(members.as_slice().len())?;
    Labels::new(count, offsets, members.as_slice().to_vec()).map_err(exception)
}

/// A copy of a C-contiguous array of doubles.
pub(crate) fn matrix(array: &Bound<'_, PyArray2<f64>>) -> PyResult<Matrix> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    check_copy(array.len())?;
    Matrix::new(rows, columns, Held::new(array)?.to_vec()).map_err(exception)
}

/// A matrix as an array, n×m, which takes ownership of its values.
pub(crate) fn array(py: Python<'_>, matrix: Matrix) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let shape = [matrix.rows(), matrix.columns()];
    PyArray1::from_vec(py, matrix.into_values()).reshape(shape)
}

/// Row offsets and column indices, as in a CSR matrix of SciPy.
pub(crate) type Pattern<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>);

/// Label sets as row offsets and label indices.
pub(crate) fn pattern(py: Python<'_>, labels: Labels) -> Pattern<'_> {
    let (offsets, members) = labels.into_parts();
    compressed(py, offsets, members)
}

fn compressed(py: Python<'_>, offsets: Vec<usize>, members: Vec<u32>) -> Pattern<'_> {
    let offsets: Vec<i64> = bytemuck::allocation::cast_vec(offsets);
    let members: Vec<i32> = bytemuck::allocation::cast_vec(members);
    (
        PyArray1::from_vec(py, offsets),
        PyArray1::from_vec(py, members),
    )
}

/// Features as an array, or as the three arrays of a CSR matrix.
pub(crate) fn features(py: Python<'_>, features: Features) -> PyResult<Bound<'_, PyAny>> {
    match features {
        Features::Dense(matrix) => Ok(array(py, matrix)?.into_any()),
        Features::Sparse(sparse) => Ok(csr(py, sparse)?.into_any()),
    }
}

fn csr(py: Python<'_>, sparse: Csr) -> PyResult<Bound<'_, PyAny>> {
    let (offsets, indices, values) = sparse.into_parts();
    let (offsets, indices) = compressed(py, offsets, indices);
    let triple = (PyArray1::from_vec(py, values), indices, offsets);
    Ok(triple.into_pyobject(py)?.into_any())
}

/// The address of the feature values that training and prediction read.
#[pyfunction]
pub(crate) fn address(x: &Bound<'_, PyAny>) -> PyResult<usize> {
    let held = HeldFeatures::new(x)?;
    let view = held.view().map_err(exception)?;
    Ok(view.stored_values().as_ptr().addr())
}

/// Values as an array.
pub(crate) fn vector<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    values.to_pyarray(py)
}
