//! Files that are there as a whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// Writes a file beside its target and renames it into place.
///
/// Whatever fails, the target is as it was before and nothing else remains.
pub fn replace_file(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    replace(path, fill).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })
}

fn replace(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let part = part_beside(path)?;
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&part)?;
    let written = complete(file, fill).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
    }
    written
}

fn complete(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    fill(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}

/// A name beside the target that no other thread or process uses.
fn part_beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let mut part = std::ffi::OsString::from(".");
    part.push(name);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    part.push(format!(".{}-{count}.part", std::process::id()));
    Ok(path.with_file_name(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        replace_file(&path, |out| out.write_all(b"old")).unwrap();
        let failed = replace_file(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("f: no"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["f"]);
    }

    #[test]
    fn a_target_that_is_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("folder");
        fs::create_dir(&target).unwrap();
        assert!(replace_file(&target, |_| Ok(())).is_err());
        assert!(replace_file("/", |_| Ok(())).is_err());
        assert_eq!(names_in(folder.path()), ["folder"]);
    }
}
