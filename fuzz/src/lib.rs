//! What must hold whatever bytes are read: one function for each thing that reads bytes from outside.
//!
//! A function panics if its property does not hold. `fuzz_targets` has libFuzzer look for such bytes, and a test of
//! the library calls the same functions with all that is in `corpus` and in `regressions`.

mod compressed;
mod model;
mod mulan_xml;
mod predictions;
mod readers;
mod reply;
mod request;
mod rows_asked;
mod served;
mod stream;
mod survival;

pub use compressed::compressed;
pub use model::{model, put_together, taken_apart};
pub use mulan_xml::mulan_xml;
pub use predictions::predictions;
pub use readers::{arff, arrow, extreme, libsvm, parquet, table};
pub use request::{request, status};
pub use stream::stream;

/// What panics if the bytes break its property.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also that of its folders.
pub const TARGETS: &[(&str, Target)] = &[
    ("arff", arff),
    ("arrow", arrow),
    ("compressed", compressed),
    ("extreme", extreme),
    ("libsvm", libsvm),
    ("model", model),
    ("mulan_xml", mulan_xml),
    ("parquet", parquet),
    ("predictions", predictions),
    ("request", request),
    ("stream", stream),
    ("table", table),
];
