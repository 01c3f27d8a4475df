//! Tables from Arrow's C data interface: Polars, PyArrow, DuckDB and others.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, RecordBatchReader, new_empty_array};
use arrow_schema::{DataType, Field};
use mmoc::data::Matrix;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays::array;
use crate::failure::{exception, invalid};
use crate::stream::batches;

/// Rows that are transposed at once, so that a block of the matrix stays in the processor's cache.
const BLOCK: usize = 256;

/// The numbers of a table, n×p, with NaN for nulls, and the names of its columns.
#[pyfunction]
pub(crate) fn table<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<String>)> {
    let reader = batches(x)?;
    let schema = reader.schema();
    for field in schema.fields() {
        check(field).map_err(invalid)?;
    }
    let names = schema.fields().iter().map(|field| field.name().clone());
    let names: Vec<String> = names.collect();
    // A stream may be computed by Python code on other threads.
    let batches: Result<Vec<RecordBatch>, _> = py.detach(|| reader.collect());
    let batches = batches.map_err(|error| invalid(format!("the table cannot be read: {error}")))?;
    let matrix = py.detach(|| matrix(&batches, names.len()));
    Ok((array(py, matrix.map_err(exception)?)?, names))
}

/// Fails unless a column has numbers or booleans.
fn check(field: &Field) -> Result<(), String> {
    let data = field.data_type();
    copy(&new_empty_array(data), std::iter::empty()).ok_or_else(|| {
        let name = field.name();
        format!("column '{name}' must have numbers or booleans, not the Arrow type {data}; convert or drop it")
    })
}

fn matrix(batches: &[RecordBatch], columns: usize) -> mmoc::Result<Matrix> {
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let mut values = vec![0.0; rows * columns];
    let mut rest = values.as_mut_slice();
    for batch in batches {
        for start in (0..batch.num_rows()).step_by(BLOCK) {
            let rows = batch.slice(start, BLOCK.min(batch.num_rows() - start));
            let (block, others) = rest.split_at_mut(rows.num_rows() * columns);
            transpose(&rows, block);
            rest = others;
        }
    }
    Matrix::new(rows, columns, values)
}

fn transpose(rows: &RecordBatch, block: &mut [f64]) {
    for (place, column) in rows.columns().iter().enumerate() {
        let cells = block[place..].iter_mut().step_by(rows.num_columns());
        copy(column, cells).expect("the types of all columns were checked");
    }
}

/// Copies a column to cells, unless its type is none of numbers.
fn copy<'a>(column: &dyn Array, cells: impl Iterator<Item = &'a mut f64>) -> Option<()> {
    match column.data_type() {
        DataType::Boolean => {
            let flags = column.as_boolean().iter();
            cells.zip(flags).for_each(|(cell, flag)| {
                *cell = flag.map_or(f64::NAN, |flag| f64::from(u8::from(flag)));
            });
        }
        DataType::Int8 => copy_numbers::<Int8Type>(column, cells, f64::from),
        DataType::Int16 => copy_numbers::<Int16Type>(column, cells, f64::from),
        DataType::Int32 => copy_numbers::<Int32Type>(column, cells, f64::from),
        DataType::Int64 => copy_numbers::<Int64Type>(column, cells, |value| value as f64),
        DataType::UInt8 => copy_numbers::<UInt8Type>(column, cells, f64::from),
        DataType::UInt16 => copy_numbers::<UInt16Type>(column, cells, f64::from),
        DataType::UInt32 => copy_numbers::<UInt32Type>(column, cells, f64::from),
        DataType::UInt64 => copy_numbers::<UInt64Type>(column, cells, |value| value as f64),
        DataType::Float16 => copy_numbers::<Float16Type>(column, cells, f64::from),
        DataType::Float32 => copy_numbers::<Float32Type>(column, cells, f64::from),
        DataType::Float64 => copy_numbers::<Float64Type>(column, cells, |value| value),
        _ => return None,
    }
    Some(())
}

fn copy_numbers<'a, T: ArrowPrimitiveType>(
    column: &dyn Array,
    cells: impl Iterator<Item = &'a mut f64>,
    number: impl Fn(T::Native) -> f64,
) {
    let column = column.as_primitive::<T>();
    if column.null_count() == 0 {
        let values = column.values().iter();
        cells
            .zip(values)
            .for_each(|(cell, &value)| *cell = number(value));
    } else {
        let values = column.iter();
        cells
            .zip(values)
            .for_each(|(cell, value)| *cell = value.map_or(f64::NAN, &number));
    }
}
