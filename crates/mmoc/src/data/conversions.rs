//! Matrices from and to those of faer and, with the feature `ndarray`, of ndarray.

use faer::{Mat, MatRef};

use super::{Matrix, MatrixView};

impl From<MatRef<'_, f64>> for Matrix {
    fn from(matrix: MatRef<'_, f64>) -> Self {
        Self::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)])
    }
}

impl From<&Mat<f64>> for Matrix {
    fn from(matrix: &Mat<f64>) -> Self {
        matrix.as_ref().into()
    }
}

impl From<&Matrix> for Mat<f64> {
    fn from(matrix: &Matrix) -> Self {
        Self::from_fn(matrix.rows(), matrix.columns(), |i, j| matrix[(i, j)])
    }
}

impl<'a> From<MatrixView<'a>> for MatRef<'a, f64> {
    fn from(matrix: MatrixView<'a>) -> Self {
        Self::from_row_major_slice(matrix.values(), matrix.rows(), matrix.columns())
    }
}

#[cfg(feature = "ndarray")]
mod with_ndarray {
    use ndarray::{Array2, ArrayView2};

    use super::{Matrix, MatrixView};
    use crate::{Error, Result};

    impl From<ArrayView2<'_, f64>> for Matrix {
        fn from(array: ArrayView2<'_, f64>) -> Self {
            let (rows, columns) = array.dim();
            Self::from_fn(rows, columns, |i, j| array[(i, j)])
        }
    }

    /// Without a copy if the array is stored row by row.
    impl From<Array2<f64>> for Matrix {
        fn from(array: Array2<f64>) -> Self {
            let (rows, columns) = array.dim();
            if !array.is_standard_layout() {
                return array.view().into();
            }
            let (values, start) = array.into_raw_vec_and_offset();
            let start = start.unwrap_or(0);
            let values = if start == 0 && values.len() == rows * columns {
                values
            } else {
                values[start..][..rows * columns].to_vec()
            };
            Self::new(rows, columns, values).expect("an array has the numbers of its shape")
        }
    }

    /// Without a copy.
    impl From<Matrix> for Array2<f64> {
        fn from(matrix: Matrix) -> Self {
            let shape = (matrix.rows(), matrix.columns());
            let array = Self::from_shape_vec(shape, matrix.into_values());
            array.expect("a matrix has the numbers of its shape")
        }
    }

    /// Without a copy; fails unless the array is stored row by row.
    impl<'a> TryFrom<ArrayView2<'a, f64>> for MatrixView<'a> {
        type Error = Error;

        fn try_from(array: ArrayView2<'a, f64>) -> Result<Self> {
            let (rows, columns) = array.dim();
            let values = array.to_slice().ok_or_else(|| Error::Dataset {
                expected: "an array that is stored row by row".into(),
                found: format!("strides {:?}", array.strides()),
            })?;
            MatrixView::new(rows, columns, values)
        }
    }

    /// Without a copy.
    impl<'a> From<MatrixView<'a>> for ArrayView2<'a, f64> {
        fn from(matrix: MatrixView<'a>) -> Self {
            let view = Self::from_shape((matrix.rows(), matrix.columns()), matrix.values());
            view.expect("a matrix has the numbers of its shape")
        }
    }

    #[cfg(test)]
    mod tests {
        use ndarray::{Axis, Slice};

        use super::*;

        fn example() -> Matrix {
            Matrix::from_fn(3, 2, |i, j| (10 * i + j) as f64)
        }

        #[test]
        fn arrays_have_the_same_entries_both_ways() {
            let array = Array2::from(example());
            assert_eq!((array.dim(), array[(2, 1)]), ((3, 2), 21.0));
            assert_eq!(Matrix::from(array.view()), example());
            assert_eq!(Matrix::from(array), example());
            for (rows, columns) in [(0, 4), (4, 0), (0, 0)] {
                let empty = Matrix::zeros(rows, columns);
                assert_eq!(Matrix::from(Array2::from(empty.clone())), empty);
            }
        }

        #[test]
        fn parts_and_transposes_of_arrays_keep_their_entries() {
            let array = Array2::from(example());
            let turned = Matrix::from(array.clone().reversed_axes());
            assert_eq!(turned, Matrix::from_fn(2, 3, |i, j| (10 * j + i) as f64));
            let mut part = array;
            part.slice_axis_inplace(Axis(0), Slice::from(1..));
            assert_eq!(
                Matrix::from(part),
                Matrix::from_fn(2, 2, |i, j| (10 * i + 10 + j) as f64)
            );
        }

        #[test]
        fn views_share_the_numbers_if_they_are_stored_row_by_row() {
            let matrix = example();
            let view = ArrayView2::from(matrix.view());
            assert_eq!(MatrixView::try_from(view).unwrap(), matrix.view());
            let message = MatrixView::try_from(view.reversed_axes())
                .unwrap_err()
                .to_string();
            assert!(message.contains("stored row by row"), "{message}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faer_matrices_have_the_same_entries_both_ways() {
        let matrix = Matrix::from_fn(3, 2, |i, j| (10 * i + j) as f64);
        let other = Mat::<f64>::from(&matrix);
        assert_eq!((other.nrows(), other.ncols(), other[(2, 1)]), (3, 2, 21.0));
        assert_eq!(Matrix::from(&other), matrix);
        assert_eq!(Matrix::from(other.as_ref().subrows(1, 2))[(0, 1)], 11.0);
        assert_eq!(Matrix::from(MatRef::from(matrix.view())), matrix);
        let empty = Matrix::zeros(0, 5);
        assert_eq!(Matrix::from(&Mat::<f64>::from(&empty)), empty);
    }
}
