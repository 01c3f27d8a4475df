//! Whether the columns of a model were named by the user.
//!
//! Version 1 of the model file always stores a name for each column. Columns of an array get the names `x1`, `x2`, …,
//! and a table may have columns of these names too. The file has no field that distinguishes the two cases, and a
//! reader of version 1 refuses any further field. But the name of the data set is free text: it is different for a
//! table from Python whose column names look generated. All other files keep their bytes.

use mmoc::data::Schema;

/// The name of data that comes from Python.
const FROM_PYTHON: &str = "python";

/// The name of a table from Python whose column names look generated.
const TABLE_FROM_PYTHON: &str = "python table";

/// Names for the columns of an array.
pub(crate) fn generated_features(count: usize) -> Vec<String> {
    numbered("x", 1, count)
}

/// Names for labels that have none.
pub(crate) fn generated_labels(count: usize) -> Vec<String> {
    numbered("label", 1, count)
}

fn numbered(prefix: &str, first: usize, count: usize) -> Vec<String> {
    (first..first + count)
        .map(|k| format!("{prefix}{k}"))
        .collect()
}

/// The name under which data from Python is recorded.
pub(crate) fn dataset_name(given: Option<&[String]>) -> &'static str {
    match given {
        Some(names) if names == generated_features(names.len()) => TABLE_FROM_PYTHON,
        _ => FROM_PYTHON,
    }
}

/// Whether the columns of a model have names. Only columns of arrays have none.
pub(crate) fn features_are_named(schema: &Schema, dataset: &str) -> bool {
    let names = schema.feature_names();
    dataset != FROM_PYTHON || names != generated_features(names.len())
}

/// Whether the names may come from a file without names: LIBSVM numbers columns from 1, extreme classification from 0.
pub(crate) fn features_may_be_numbered(schema: &Schema, dataset: &str) -> bool {
    let names = schema.feature_names();
    let numbers = |first| names == numbered("x", first, names.len());
    ![FROM_PYTHON, TABLE_FROM_PYTHON].contains(&dataset) && (numbers(0) || numbers(1))
}

/// Whether the user named the labels of a model. Names that look generated are taken for generated.
pub(crate) fn labels_are_named(schema: &Schema) -> bool {
    let names = schema.label_names();
    names != generated_labels(names.len())
}
