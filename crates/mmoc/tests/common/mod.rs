//! What several integration tests share.

use std::path::PathBuf;

/// The folder of the real data sets, where there is one: `MMOC_DATA`, else `../shared/data`.
pub(crate) fn real_data() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MMOC_DATA").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}
