//! The outputs of a model: linear functions of the scaled features, and of radial basis functions of them.

use mmoc::learn::{LinearModel, RadialBasisView, RowPreparation};
use mmoc::method::Predictor;

use crate::graph::{Graph, Value};

/// All outputs of scaled features, n×m; none if there is no output.
pub(crate) fn outputs(graph: &mut Graph, predictor: &Predictor, x: Value) -> Option<Value> {
    let linear = linear(graph, predictor.outputs(), x);
    let basis = predictor.radial_basis();
    let others = basis.and_then(|basis| radial_basis(graph, &basis, x));
    let parts: Vec<Value> = [linear, others].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| graph.concatenate(&parts, 1))
}

/// The values of linear functions, n×m; none if there is no function.
fn linear(graph: &mut Graph, model: &LinearModel, x: Value) -> Option<Value> {
    let coefficients = model.coefficients();
    let (rows, functions) = (coefficients.rows(), coefficients.columns());
    if functions == 0 {
        return None;
    }
    let coefficients = graph.numbers(&[rows, functions], coefficients.values());
    let intercepts = graph.numbers(&[1, functions], model.intercepts());
    Some(graph.affine(x, coefficients, intercepts))
}

/// The values of functions of exp(−γ‖x̃ − c̃‖²), n×m.
fn radial_basis(graph: &mut Graph, basis: &RadialBasisView<'_>, x: Value) -> Option<Value> {
    let x = prepared(graph, basis.preparation, x);
    let (count, columns) = (basis.centres.rows(), basis.centres.columns());
    let mut centres = vec![0.0; count * columns];
    let mut squares = vec![0.0; count];
    for (row, square) in squares.iter_mut().enumerate() {
        basis.centres.for_each_in_row(row, |column, value| {
            centres[row * columns + column] = value;
            *square += value * value;
        });
    }
    let centres = graph.numbers(&[count, columns], &centres);
    let squares = graph.numbers(&[1, count], &squares);
    // ‖c̃‖² − 2·x̃ᵀc̃.
    let parts = graph.affine_transposed(-2.0, x, centres, squares);
    let square = graph.multiply(x, x);
    let square = graph.sum(square, 1);
    let distances = graph.add(parts, square);
    let zero = graph.scalar(0.0);
    let distances = graph.maximum(distances, zero);
    let exponents = graph.scale(distances, -basis.gamma);
    let values = graph.exp(exponents);
    linear(graph, basis.outputs, values)
}

/// Rows as the kernel measures their distances.
fn prepared(graph: &mut Graph, preparation: RowPreparation<'_>, x: Value) -> Value {
    match preparation {
        RowPreparation::Standardised {
            shift,
            scale,
            largest,
        } => {
            let shift = graph.numbers(&[1, shift.len()], shift);
            let scale = graph.numbers(&[1, scale.len()], scale);
            let shifted = graph.subtract(x, shift);
            let scaled = graph.multiply(shifted, scale);
            graph.clip(scaled, -largest, largest)
        }
        RowPreparation::UnitLength => unit_length(graph, x),
    }
}

/// Rows divided by their length, after the largest value so that no square overflows.
fn unit_length(graph: &mut Graph, x: Value) -> Value {
    let sizes = graph.absolute(x);
    let [largest, _] = graph.sorted(sizes, 1, 1);
    let scaled = divided_unless_zero(graph, x, largest);
    let squares = graph.multiply(scaled, scaled);
    let square = graph.sum(squares, 1);
    let length = graph.sqrt(square);
    divided_unless_zero(graph, scaled, length)
}

/// Rows divided by a number of each, n×1, that is not negative.
fn divided_unless_zero(graph: &mut Graph, x: Value, divisors: Value) -> Value {
    let one = graph.scalar(1.0);
    let is_positive = graph.above(divisors, 0.0);
    let divisors = graph.select(is_positive, divisors, one);
    graph.divide(x, divisors)
}
