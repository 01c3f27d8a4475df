//! Tables from Arrow's C data interface: Polars, PyArrow, DuckDB and others.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, RecordBatchReader, new_empty_array};
use arrow_schema::{DataType, Field};
use mmoc::data::Matrix;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::array;
use crate::failure::{exception, invalid};
use crate::stream::batches;

/// Rows that are transposed at once, so that a block of the matrix stays in the processor's cache.
const BLOCK: usize = 256;

/// The numbers of a table, n×p, with NaN for nulls, and the names of its columns. If some columns have words, a list of
/// columns instead: arrays of numbers, and lists of words with `None` for nulls.
#[pyfunction]
pub(crate) fn table<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
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
    if schema
        .fields()
        .iter()
        .any(|field| has_words(field.data_type()))
    {
        return Ok((columns(py, &batches, names.len())?.into_any(), names));
    }
    let matrix = py.detach(|| matrix(&batches, names.len()));
    Ok((array(py, matrix.map_err(exception)?)?.into_any(), names))
}

/// Fails unless a column has numbers, booleans or words.
fn check(field: &Field) -> Result<(), String> {
    let data = field.data_type();
    if has_words(data) || copy(&new_empty_array(data), std::iter::empty()).is_some() {
        return Ok(());
    }
    let (found, remedy) = refusal(data);
    Err(format!(
        "column '{}' must have numbers, booleans or text, and has {found}. {remedy}",
        field.name()
    ))
}

/// What a column has that cannot be used, and what can be done about it.
fn refusal(data: &DataType) -> (String, &'static str) {
    const CONVERT: &str = "Convert or drop the column.";
    const COUNT_TIME: &str =
        "Convert them to numbers, such as days since a date, or drop the column.";
    let (found, remedy) = match data {
        DataType::Date32 | DataType::Date64 => ("dates", COUNT_TIME),
        DataType::Time32(_) | DataType::Time64(_) => ("times of day", COUNT_TIME),
        DataType::Timestamp(..) => ("dates and times", COUNT_TIME),
        DataType::Duration(_) | DataType::Interval(_) => ("durations", COUNT_TIME),
        DataType::Null => ("nothing but nulls", "Drop the column."),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => ("decimal numbers", "Convert them to 64-bit floats."),
        _ if data.is_nested() => (
            "lists or records",
            "Give what they hold columns of their own, or drop the column.",
        ),
        _ if data.is_binary() => ("bytes", CONVERT),
        _ => return (format!("values of the type {data}"), CONVERT),
    };
    (found.into(), remedy)
}

pub(crate) fn has_words(data: &DataType) -> bool {
    match data {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => has_words(values),
        _ => false,
    }
}

/// The columns one by one, as arrays of numbers and lists of words.
fn columns<'py>(
    py: Python<'py>,
    batches: &[RecordBatch],
    count: usize,
) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    for place in 0..count {
        let parts = batches.iter().map(|batch| batch.column(place));
        if parts.clone().any(|part| has_words(part.data_type())) {
            let words: Vec<Option<&str>> = parts.flat_map(|part| words(part)).collect();
            all.append(words)?;
        } else {
            let mut numbers = vec![f64::NAN; rows];
            let mut rest = numbers.as_mut_slice();
            for part in parts {
                let (cells, others) = rest.split_at_mut(part.len());
                copy(part, cells.iter_mut()).expect("the types of all columns were checked");
                rest = others;
            }
            all.append(PyArray1::from_vec(py, numbers))?;
        }
    }
    Ok(all)
}

/// The cells of a column of words.
pub(crate) fn words(column: &dyn Array) -> Vec<Option<&str>> {
    match column.data_type() {
        DataType::LargeUtf8 => column.as_string::<i64>().iter().collect(),
        DataType::Utf8View => column.as_string_view().iter().collect(),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let values = words(dictionary.values());
            if values.is_empty() {
                return vec![None; column.len()];
            }
            let places = dictionary.normalized_keys().into_iter().enumerate();
            let keys = dictionary.keys();
            places
                .map(|(cell, place)| keys.is_valid(cell).then(|| values[place]).flatten())
                .collect()
        }
        _ => column.as_string::<i32>().iter().collect(),
    }
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
