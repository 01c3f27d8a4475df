//! NumPy arrays that are read without a copy while the interpreter runs other threads.

#![allow(
    unsafe_code,
    reason = "reading NumPy's memory without holding the interpreter's lock needs it"
)]

use std::ops::Deref;

use numpy::{Element, PyArray, PyArrayMethods, PyUntypedArrayMethods, ndarray::Dimension};
use pyo3::prelude::*;

use crate::failure::invalid;

/// The numbers of a NumPy array, readable from any thread without a copy.
///
/// If Python code writes to the array in the meantime, the result is meaningless, as for all code that reads arrays
/// without the interpreter's lock. Indices are still checked wherever they are used.
#[derive(Debug)]
pub(crate) struct Held<T> {
    numbers: *const T,
    count: usize,
    /// Keeps the memory alive.
    _owner: Py<PyAny>,
}

// SAFETY: `_owner` keeps the array alive, and NumPy neither moves nor shrinks an array that is referred to. The memory
// is only read. `Py` itself may be sent to and dropped on any thread.
unsafe impl<T: Sync> Send for Held<T> {}

impl<T: Element + Copy> Held<T> {
    /// Holds an array in C order. A copy is held if its numbers are not where the processor wants them, as in messages of
    /// several arrays.
    pub(crate) fn new<D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> PyResult<Self> {
        if !array.is_c_contiguous() {
            return Err(invalid("an array is not in C order"));
        }
        if !array.data().is_aligned() {
            let copy = array.call_method0("copy")?;
            return Self::new(copy.cast::<PyArray<T, D>>()?);
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
        // SAFETY: `new` checked that `count` numbers are contiguous there, and `_owner` keeps them alive.
        unsafe { std::slice::from_raw_parts(self.numbers, self.count) }
    }
}
