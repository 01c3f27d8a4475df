//! The cache: a folder for each data set, with files that appear complete or not at all.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::download::Download;
use super::{CatalogueError, Client, KnownDataset, KnownFile, sha256_of_file};

/// Receives the progress of fetching.
pub trait FetchProgress {
    /// Another process fetches the same data set, and is waited for.
    fn waiting(&self, _dataset: &KnownDataset) {}
    /// A file is being fetched.
    fn begin(&self, _file: &KnownFile) {}
    /// The number of its bytes that are there.
    fn position(&self, _bytes: u64) {}
    /// The file is complete, or given up.
    fn end(&self) {}
}

impl FetchProgress for mmoc::Silent {}

/// What fetching a data set came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where its files are.
    pub folder: PathBuf,
    /// The number of files that were not there before.
    pub files: usize,
}

/// Fetches data sets into a folder.
#[derive(Debug)]
pub struct DatasetCache<'a> {
    /// The folder, see [`cache_folder`](super::cache_folder).
    pub folder: &'a Path,
    /// What asks the server.
    pub client: &'a Client,
    /// Files are at `base/<name>/<file>`; [`BASE_ADDRESS`](super::BASE_ADDRESS) is the public collection.
    pub base: &'a str,
    /// Time before the second attempt at a request.
    pub pause: Duration,
}

impl DatasetCache<'_> {
    /// Fetches the files of a data set that are missing or wrong.
    pub fn fetch(
        &self,
        entry: &KnownDataset,
        progress: &dyn FetchProgress,
    ) -> Result<Fetched, CatalogueError> {
        let folder = self.folder.join(entry.name);
        let files = self.complete(&folder, entry, progress)?;
        Ok(Fetched { folder, files })
    }

    fn complete(
        &self,
        folder: &Path,
        entry: &KnownDataset,
        progress: &dyn FetchProgress,
    ) -> Result<usize, CatalogueError> {
        if lacking(folder, entry)?.is_empty() {
            return Ok(0);
        }
        fs::create_dir_all(folder).map_err(|error| CatalogueError::io(folder, error))?;
        let _lock = lock(folder, entry, progress)?;
        // The process that held the lock before may have fetched them.
        let lacking = lacking(folder, entry)?;
        for file in &lacking {
            self.fetch_file(folder, entry, file, progress)?;
        }
        Ok(lacking.len())
    }

    fn fetch_file(
        &self,
        folder: &Path,
        entry: &KnownDataset,
        file: &KnownFile,
        progress: &dyn FetchProgress,
    ) -> Result<(), CatalogueError> {
        let (target, part) = (folder.join(file.name), part_of(folder, file));
        let download = Download {
            client: self.client,
            address: format!("{}/{}/{}", self.base, entry.name, file.name),
            file,
            part: part.clone(),
            pause: self.pause,
            progress,
        };
        progress.begin(file);
        let done = download.complete();
        progress.end();
        done?;
        let moved = File::open(&part)
            .and_then(|part| part.sync_all())
            .and_then(|()| fs::rename(&part, &target));
        moved.map_err(|error| CatalogueError::io(&target, error))
    }
}

/// Where the bytes of a file are collected until it is complete.
fn part_of(folder: &Path, file: &KnownFile) -> PathBuf {
    folder.join(format!("{}.part", file.name))
}

/// The files of a data set that are missing or wrong.
fn lacking<'a>(
    folder: &Path,
    entry: &'a KnownDataset,
) -> Result<Vec<&'a KnownFile>, CatalogueError> {
    let mut lacking = Vec::new();
    for file in entry.files() {
        if !is_right(&folder.join(file.name), file)? {
            lacking.push(file);
        }
    }
    Ok(lacking)
}

/// Whether a file has the known contents. A wrong size is enough to say no.
fn is_right(path: &Path, file: &KnownFile) -> Result<bool, CatalogueError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() != file.bytes => Ok(false),
        Ok(_) => {
            let sum = sha256_of_file(path).map_err(|error| CatalogueError::io(path, error))?;
            Ok(sum == file.sha256)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(CatalogueError::io(path, error)),
    }
}

/// Keeps other processes from fetching the same data set until it is dropped, or the process ends.
///
/// The file stays: if it were removed, a third process could lock a new one while the second waits for this one.
fn lock(
    folder: &Path,
    entry: &KnownDataset,
    progress: &dyn FetchProgress,
) -> Result<File, CatalogueError> {
    let path = folder.join(".lock");
    let locked = File::create(&path).and_then(|file| {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                progress.waiting(entry);
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(file)
    });
    locked.map_err(|error| CatalogueError::io(&path, error))
}
