//! Helpers shared by integration tests.

use std::path::{Path, PathBuf};

/// The folder of the real data sets, if it exists: `MMOC_DATA`, else `../shared/data`, both relative to the root of
/// the repository.
pub(crate) fn real_data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("MMOC_DATA").unwrap_or_else(|| "../shared/data".into());
    let folder = root.join(given);
    folder.is_dir().then_some(folder)
}
