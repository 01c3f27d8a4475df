//! Files as experiments record them.

use std::path::Path;

use mmoc::Error;
use mmoc_experiment::FileEntry;
use mmoc_io::catalogue::sha256_of_file;

use crate::failure::Failure;

/// The name and the digest of a file.
pub(crate) fn entry(path: &Path) -> Result<FileEntry, Failure> {
    let name = path.file_name().unwrap_or_default();
    let sha256 = sha256_of_file(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(FileEntry {
        name: name.to_string_lossy().into_owned(),
        sha256,
    })
}
