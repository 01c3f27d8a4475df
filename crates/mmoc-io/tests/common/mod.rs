//! What several integration tests share.

use std::path::{Path, PathBuf};

/// The folder of the real data sets, where there is one: `MMOC_DATA`, else `../shared/data`, both as seen
/// from the root of the repository, wherever the tests are run.
pub(crate) fn real_data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("MMOC_DATA").unwrap_or_else(|| "../shared/data".into());
    let folder = root.join(given);
    folder.is_dir().then_some(folder)
}
