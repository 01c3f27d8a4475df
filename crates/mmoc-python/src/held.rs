//! Arrays that stay where they are while work goes on without the interpreter.

#![allow(
    unsafe_code,
    reason = "a borrow of NumPy's memory that outlives the interpreter's attention cannot be written otherwise"
)]

use std::ops::Deref;

use numpy::{Element, PyArray, PyArrayMethods, PyUntypedArrayMethods, ndarray::Dimension};
use pyo3::prelude::*;

use crate::failure::invalid;

/// The numbers of a NumPy array, without a copy, for any thread and for as long as they are needed.
///
/// Python code that writes to the array meanwhile makes the outcome meaningless, as it does for everything that works
/// on arrays without the interpreter's lock; indices are still checked wherever they are used.
#[derive(Debug)]
pub(crate) struct Held<T> {
    numbers: *const T,
    count: usize,
    /// Keeps the memory; it is never looked at.
    _owner: Py<PyAny>,
}

// SAFETY: the memory belongs to an array that `_owner` keeps alive and that NumPy does not move or shrink while anyone
// refers to it; it is only read. `Py` itself may be sent to and dropped on any thread.
unsafe impl<T: Sync> Send for Held<T> {}

impl<T: Element + Copy> Held<T> {
    /// Holds an array whose numbers lie one after the other, row by row.
    pub(crate) fn new<D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> PyResult<Self> {
        if !array.is_c_contiguous() {
            return Err(invalid("an array is not stored row by row"));
        }
        Ok(Self {
            numbers: array.data().cast_const(),
            count: array.len(),
            _owner: array.as_any().clone().unbind(),
        })
    }
}

impl<T> Deref for Held<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: `new` saw `count` numbers there, one after the other, and `_owner` keeps them.
        unsafe { std::slice::from_raw_parts(self.numbers, self.count) }
    }
}
