//! Arrow streams of Python objects (`__arrow_c_stream__`).

#![allow(
    unsafe_code,
    reason = "a stream of Arrow's C interface is a pointer to a structure of functions"
)]

use arrow_array::ffi_stream::RecordBatchStreamReader;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::invalid;

/// The batches of rows that an object provides.
pub(crate) fn batches(table: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name points to a valid `ArrowArrayStream`, as Arrow's PyCapsule interface demands of
    // whoever makes one. `from_raw` moves the structure out and leaves an empty one, so that the capsule, which lives
    // until the end of this function, releases nothing that the reader still uses. The reader owns the stream and its
    // arrays from then on and releases each once; the interface allows that on any thread.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr().cast()) };
    reader.map_err(|error| invalid(format!("the Arrow stream cannot be read: {error}")))
}
