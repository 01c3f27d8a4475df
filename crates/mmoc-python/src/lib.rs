//! The private extension module under the Python package `mmoc`.
//!
//! | file | content |
//! |---|---|
//! | `held` | arrays that are read without a copy and without the interpreter's lock |
//! | `arrays` | conversion of features and labels from and to arrays |
//! | `job` | long computations that Ctrl-C interrupts |
//! | `settings` | parameters by name |
//! | `names` | whether column names were given or generated |
//! | `fit`, `model` | training, and the trained model |
//! | `partition` | training on rows in partitions |
//! | `evidence` | evidence from outside of the model |
//! | `coder` | output codes |
//! | `metric` | the max-margin problem |
//! | `compare` | comparisons of any models |
//! | `read` | reading data files |
//! | `frame` | tables whose columns have words |
//! | `stream`, `table` | tables from Arrow's C data interface |
//! | `failure` | errors as exceptions |

mod arrays;
mod coder;
mod compare;
mod evidence;
mod failure;
mod fit;
mod frame;
mod held;
mod job;
mod metric;
mod model;
mod names;
mod partition;
mod read;
mod settings;
mod stream;
mod table;
mod tag_lists;

use pyo3::prelude::*;

/// The private extension module of mmoc.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrays::address;
    #[pymodule_export]
    use crate::coder::{decode, fit_code};
    #[pymodule_export]
    use crate::compare::Comparison;
    #[pymodule_export]
    use crate::fit::{check_evidence, fit};
    #[pymodule_export]
    use crate::frame::encode;
    #[pymodule_export]
    use crate::metric::solve_metric;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::partition::{Partition, add_answers, check_partitions, fit_partitions};
    #[pymodule_export]
    use crate::read::read;
    #[pymodule_export]
    use crate::settings::{base_parameters, methods, preset};
    #[pymodule_export]
    use crate::table::table;
}
