//! The operators that are used, in forms that all operator sets from 13 on share.
//!
//! ReduceMax and its kin are not among them: their axes became an input in operator set 18.

use crate::graph::{Attribute, Graph, Value, dimension};
use crate::messages::ElementType;

use Attribute::{Float, Integer};

impl Graph {
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.node("Add", &[a, b], &[])
    }

    pub(crate) fn subtract(&mut self, a: Value, b: Value) -> Value {
        self.node("Sub", &[a, b], &[])
    }

    pub(crate) fn multiply(&mut self, a: Value, b: Value) -> Value {
        self.node("Mul", &[a, b], &[])
    }

    pub(crate) fn divide(&mut self, a: Value, b: Value) -> Value {
        self.node("Div", &[a, b], &[])
    }

    /// A tensor times a number.
    pub(crate) fn scale(&mut self, a: Value, factor: f64) -> Value {
        let factor = self.scalar(factor);
        self.multiply(a, factor)
    }

    /// A tensor plus a number.
    pub(crate) fn shift(&mut self, a: Value, offset: f64) -> Value {
        let offset = self.scalar(offset);
        self.add(a, offset)
    }

    pub(crate) fn exp(&mut self, a: Value) -> Value {
        self.node("Exp", &[a], &[])
    }

    pub(crate) fn log(&mut self, a: Value) -> Value {
        self.node("Log", &[a], &[])
    }

    pub(crate) fn sqrt(&mut self, a: Value) -> Value {
        self.node("Sqrt", &[a], &[])
    }

    pub(crate) fn negate(&mut self, a: Value) -> Value {
        self.node("Neg", &[a], &[])
    }

    pub(crate) fn absolute(&mut self, a: Value) -> Value {
        self.node("Abs", &[a], &[])
    }

    pub(crate) fn minimum(&mut self, a: Value, b: Value) -> Value {
        self.node("Min", &[a, b], &[])
    }

    pub(crate) fn maximum(&mut self, a: Value, b: Value) -> Value {
        self.node("Max", &[a, b], &[])
    }

    pub(crate) fn clip(&mut self, a: Value, least: f64, most: f64) -> Value {
        let (least, most) = (self.scalar(least), self.scalar(most));
        self.node("Clip", &[a, least, most], &[])
    }

    /// A·B for each matrix A of a stack, none of which has a constant factor.
    pub(crate) fn stacked_product(&mut self, a: Value, b: Value) -> Value {
        self.node("MatMul", &[a, b], &[])
    }

    /// A·B for matrices.
    ///
    /// Onnxruntime merges `MatMul` with a factor before or after it, and rounds that factor to single precision.
    pub(crate) fn product(&mut self, a: Value, b: Value) -> Value {
        self.node("Gemm", &[a, b], &[])
    }

    /// A·B + c.
    pub(crate) fn affine(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.node("Gemm", &[a, b, c], &[])
    }

    /// A·Bᵀ.
    pub(crate) fn product_with_transposed(&mut self, a: Value, b: Value) -> Value {
        self.node("Gemm", &[a, b], &[Integer("transB", 1)])
    }

    /// factor·A·Bᵀ + c.
    pub(crate) fn affine_transposed(&mut self, factor: f32, a: Value, b: Value, c: Value) -> Value {
        let attributes = [Float("alpha", factor), Integer("transB", 1)];
        self.node("Gemm", &[a, b, c], &attributes)
    }

    pub(crate) fn greater(&mut self, a: Value, b: Value) -> Value {
        self.node("Greater", &[a, b], &[])
    }

    /// Whether numbers are above a number.
    pub(crate) fn above(&mut self, a: Value, threshold: f64) -> Value {
        let threshold = self.scalar(threshold);
        self.greater(a, threshold)
    }

    pub(crate) fn less(&mut self, a: Value, b: Value) -> Value {
        self.node("Less", &[a, b], &[])
    }

    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Value {
        self.node("Equal", &[a, b], &[])
    }

    pub(crate) fn is_nan(&mut self, a: Value) -> Value {
        self.node("IsNaN", &[a], &[])
    }

    /// A where a condition holds, and B elsewhere.
    pub(crate) fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.node("Where", &[condition, a, b], &[])
    }

    pub(crate) fn numbers_of(&mut self, a: Value) -> Value {
        self.cast(a, ElementType::Double)
    }

    pub(crate) fn integers_of(&mut self, a: Value) -> Value {
        self.cast(a, ElementType::Int64)
    }

    fn cast(&mut self, a: Value, element: ElementType) -> Value {
        self.node("Cast", &[a], &[Integer("to", element.number().into())])
    }

    pub(crate) fn softmax(&mut self, a: Value) -> Value {
        self.node("Softmax", &[a], &[Integer("axis", 1)])
    }

    /// The index of the largest number in each row, the first of several.
    pub(crate) fn largest(&mut self, a: Value) -> Value {
        self.node(
            "ArgMax",
            &[a],
            &[Integer("axis", 1), Integer("keepdims", 0)],
        )
    }

    /// The largest numbers along an axis, the largest first, and where they were. The first of equals comes first.
    pub(crate) fn sorted(&mut self, a: Value, count: usize, axis: i64) -> [Value; 2] {
        let count = self.integers(&[1], &[dimension(count)]);
        self.node_with("TopK", &[a, count], &[Integer("axis", axis)])
    }

    /// Sums along an axis, which stays with the size one.
    pub(crate) fn sum(&mut self, a: Value, axis: i64) -> Value {
        let axis = self.integers(&[1], &[axis]);
        self.node("ReduceSum", &[a, axis], &[Integer("keepdims", 1)])
    }

    pub(crate) fn unsqueeze(&mut self, a: Value, axis: i64) -> Value {
        let axis = self.integers(&[1], &[axis]);
        self.node("Unsqueeze", &[a, axis], &[])
    }

    pub(crate) fn squeeze(&mut self, a: Value, axis: i64) -> Value {
        let axis = self.integers(&[1], &[axis]);
        self.node("Squeeze", &[a, axis], &[])
    }

    pub(crate) fn concatenate(&mut self, parts: &[Value], axis: i64) -> Value {
        match parts {
            [one] => *one,
            _ => self.node("Concat", parts, &[Integer("axis", axis)]),
        }
    }

    /// Rows or columns by their index.
    pub(crate) fn gather(&mut self, a: Value, indices: Value, axis: i64) -> Value {
        self.node("Gather", &[a, indices], &[Integer("axis", axis)])
    }

    /// In each row the cells of the given columns.
    pub(crate) fn gather_in_rows(&mut self, a: Value, columns: Value) -> Value {
        self.node("GatherElements", &[a, columns], &[Integer("axis", 1)])
    }

    /// The same matrix with other cells in the given columns of each row.
    pub(crate) fn scatter_in_rows(&mut self, a: Value, columns: Value, cells: Value) -> Value {
        self.node(
            "ScatterElements",
            &[a, columns, cells],
            &[Integer("axis", 1)],
        )
    }

    /// Some consecutive columns.
    pub(crate) fn columns(&mut self, a: Value, first: usize, end: usize) -> Value {
        let bound = |column: usize| [dimension(column)];
        let first = self.integers(&[1], &bound(first));
        let end = self.integers(&[1], &bound(end));
        let axis = self.integers(&[1], &[1]);
        self.node("Slice", &[a, first, end, axis], &[])
    }
}
