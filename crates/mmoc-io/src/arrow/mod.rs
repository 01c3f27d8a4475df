//! Parquet files and Arrow IPC files (Feather) of flat tables, read by the crates `parquet` and `arrow-ipc`.
//!
//! Both give Arrow arrays, which become numbers and words here. Columns of other types are refused by name. The crates
//! are kept within bounds: what a file declares is checked before they act on it (`parquet`, `pages`, `ipc`), and their
//! panics become errors (`panics`). `docs/data.md` lists the bounds.

mod cells;
mod delta;
mod fault;
mod input;
mod ipc;
mod kind;
mod pages;
mod panics;
mod parquet;
mod stream;
mod table;
mod thrift;

pub(super) use stream::open;

/// The key under which we write which columns are labels, in the words of the option for labels.
pub(crate) const LABELS_KEY: &str = "mmoc.labels";

/// The column in which pandas keeps the names of rows; it reads them back as no column either.
pub(crate) fn is_pandas_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_");
    let level = level.and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}
