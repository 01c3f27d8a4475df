//! The features of several requests as one matrix.

use mmoc::data::{Csr, Features, Matrix};

/// The rows of all parts, one part after the other. All are dense, or all are sparse.
pub(super) fn stack(columns: usize, mut parts: Vec<Features>) -> mmoc::Result<Features> {
    if parts.len() == 1 {
        return Ok(parts.remove(0));
    }
    let mut dense = Vec::new();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for part in parts {
        match part {
            Features::Dense(matrix) => dense.extend(matrix.into_values()),
            Features::Sparse(csr) => {
                let (own_offsets, own_indices, own_values) = csr.into_parts();
                let start = indices.len();
                offsets.extend(own_offsets.iter().skip(1).map(|offset| start + offset));
                indices.extend(own_indices);
                values.extend(own_values);
            }
        }
    }
    if offsets.len() > 1 {
        return Ok(Features::Sparse(Csr::new(
            columns, offsets, indices, values,
        )?));
    }
    let rows = dense.len() / columns.max(1);
    Ok(Features::Dense(Matrix::new(rows, columns, dense)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_dense_or_sparse() {
        let all = Matrix::from_fn(5, 3, |row, column| f64::from(u8::from(row != column)));
        let part = |rows: std::ops::Range<usize>| all.view().rows_in(rows).select_rows(&[0, 1]);
        let tops = [part(0..2), part(2..4)];
        let expected = all.view().rows_in(0..4).select_rows(&[0, 1, 2, 3]);
        let dense = tops.iter().cloned().map(Features::Dense).collect();
        assert_eq!(stack(3, dense).unwrap(), Features::Dense(expected.clone()));
        let sparse = tops
            .iter()
            .map(|top| Features::Sparse(top.into()))
            .collect();
        assert_eq!(
            stack(3, sparse).unwrap(),
            Features::Sparse((&expected).into())
        );
    }
}
