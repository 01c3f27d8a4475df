//! The outputs of a model: linear functions of the scaled features.

use mmoc::learn::LinearModel;

use crate::graph::{Graph, Value};

/// The values of linear functions, n×m; none if there is no function.
pub(crate) fn linear(graph: &mut Graph, model: &LinearModel, x: Value) -> Option<Value> {
    let coefficients = model.coefficients();
    let (rows, functions) = (coefficients.rows(), coefficients.columns());
    if functions == 0 {
        return None;
    }
    let coefficients = graph.numbers(&[rows, functions], coefficients.values());
    let intercepts = graph.numbers(&[1, functions], model.intercepts());
    Some(graph.affine(x, coefficients, intercepts))
}
