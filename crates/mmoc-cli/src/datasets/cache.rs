//! The cache: a folder for each data set, with files that appear whole or not at all.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::datasets::catalogue::{Entry, KnownFile};
use crate::datasets::download::Download;
use crate::datasets::http::Client;
use crate::digest;
use crate::failure::Failure;
use crate::output;

/// Fetches data sets into a folder.
#[derive(Debug)]
pub(crate) struct Cache<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) client: &'a Client,
    /// Files are at `base/<name>/<file>`.
    pub(crate) base: &'a str,
    /// Time to wait before the second attempt at something.
    pub(crate) pause: Duration,
}

impl Cache<'_> {
    /// Where the files of a data set are.
    pub(crate) fn folder_of(&self, entry: &Entry) -> PathBuf {
        self.folder.join(entry.name)
    }

    /// Fetches the files of a data set that are not there, or not right. Gives their number.
    pub(crate) fn fetch(&self, entry: &Entry) -> Result<usize, Failure> {
        let folder = self.folder_of(entry);
        if lacking(&folder, entry)?.is_empty() {
            return Ok(0);
        }
        fs::create_dir_all(&folder).map_err(|error| io_failure(&folder, error))?;
        let _lock = lock(&folder, entry)?;
        // Whoever held the lock before may have fetched them.
        let lacking = lacking(&folder, entry)?;
        for file in &lacking {
            self.fetch_file(&folder, entry, file)?;
        }
        Ok(lacking.len())
    }

    fn fetch_file(&self, folder: &Path, entry: &Entry, file: &KnownFile) -> Result<(), Failure> {
        let (target, part) = (folder.join(file.name), part_of(folder, file));
        let download = Download {
            client: self.client,
            address: format!("{}/{}/{}", self.base, entry.name, file.name),
            file,
            part: part.clone(),
            pause: self.pause,
            bar: bar(file),
        };
        let done = download.complete();
        download.bar.finish_and_clear();
        done?;
        let moved = File::open(&part)
            .and_then(|part| part.sync_all())
            .and_then(|()| fs::rename(&part, &target));
        moved.map_err(|error| io_failure(&target, error))
    }
}

/// Where the bytes of a file are gathered until it is whole.
fn part_of(folder: &Path, file: &KnownFile) -> PathBuf {
    folder.join(format!("{}.part", file.name))
}

/// The files of a data set that are not there with the right bytes.
fn lacking<'a>(folder: &Path, entry: &'a Entry) -> Result<Vec<&'a KnownFile>, Failure> {
    let mut lacking = Vec::new();
    for file in entry.files() {
        if !is_right(&folder.join(file.name), file)? {
            lacking.push(file);
        }
    }
    Ok(lacking)
}

/// Whether a file is there with the right bytes; its size alone can tell that it has not.
fn is_right(path: &Path, file: &KnownFile) -> Result<bool, Failure> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() != file.bytes => Ok(false),
        Ok(_) => {
            let sum = digest::of_file(path).map_err(|error| io_failure(path, error))?;
            Ok(sum == file.sha256)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io_failure(path, error)),
    }
}

/// Keeps other processes from fetching the same data set until it is dropped, or the process ends.
///
/// The file stays: were it removed, a third process could lock a new one while the second waits for this.
fn lock(folder: &Path, entry: &Entry) -> Result<File, Failure> {
    let path = folder.join(".lock");
    let locked = File::create(&path).and_then(|file| {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let name = entry.name;
                let text = format!("{name} is being fetched by another process: waiting for it");
                output::message("note", &text);
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(file)
    });
    locked.map_err(|error| io_failure(&path, error))
}

/// A progress bar, which hides itself where there is no terminal.
fn bar(file: &KnownFile) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:40} {bytes}/{total_bytes}, {eta} left")
        .expect("the template is well-formed");
    ProgressBar::new(file.bytes)
        .with_style(style)
        .with_message(file.name)
}

fn io_failure(path: &Path, source: std::io::Error) -> Failure {
    let path = path.to_owned();
    mmoc::Error::Io { path, source }.into()
}
