//! The private extension module under the Python package `mmoc`.
//!
//! | file | what it does |
//! |---|---|
//! | `held` | arrays that stay where they are while work goes on without the interpreter |
//! | `arrays` | features and labels from arrays, and back |
//! | `job` | long work that Ctrl-C stops |
//! | `settings` | parameters by name |
//! | `fit`, `model` | from rows to a model, and what a model can do |
//! | `coder` | output codes by themselves |
//! | `metric` | the max-margin problem by itself |
//! | `read` | data sets from files |
//! | `failure` | errors as exceptions |

mod arrays;
mod coder;
mod failure;
mod fit;
mod held;
mod job;
mod metric;
mod model;
mod read;
mod settings;

use pyo3::prelude::*;

/// The private extension module of mmoc.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrays::address;
    #[pymodule_export]
    use crate::coder::{decode, fit_code};
    #[pymodule_export]
    use crate::fit::fit;
    #[pymodule_export]
    use crate::metric::solve_metric;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::read::read;
    #[pymodule_export]
    use crate::settings::{base_parameters, methods, preset};
}
