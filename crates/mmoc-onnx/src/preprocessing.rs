//! Missing cells filled in, columns scaled, indicators beside them.

use mmoc::data::Preprocessing;

use crate::graph::{Graph, Value};

/// The scaled features of rows as they come, n×p.
pub(crate) fn scaled(graph: &mut Graph, preprocessing: &Preprocessing, features: Value) -> Value {
    let is_missing = graph.is_nan(features);
    let columns = [1, preprocessing.columns()];
    let fill = graph.numbers(&columns, preprocessing.fill());
    let filled = graph.select(is_missing, fill, features);
    let shift = graph.numbers(&columns, preprocessing.shift());
    let scale = graph.numbers(&columns, preprocessing.scale());
    let shifted = graph.subtract(filled, shift);
    let scaled = graph.divide(shifted, scale);
    let indicated = preprocessing.indicators();
    if indicated.is_empty() {
        return scaled;
    }
    let indices: Vec<i64> = indicated.iter().map(|&column| column.into()).collect();
    let indices = graph.integers(&[indices.len()], &indices);
    let indicators = graph.gather(is_missing, indices, 1);
    let indicators = graph.numbers_of(indicators);
    graph.concatenate(&[scaled, indicators], 1)
}

/// Zero for each row whose numbers are all finite, else NaN, n×1.
pub(crate) fn guard(graph: &mut Graph, numbers: Value) -> Value {
    let zeros = graph.scale(numbers, 0.0);
    graph.sum(zeros, 1)
}
