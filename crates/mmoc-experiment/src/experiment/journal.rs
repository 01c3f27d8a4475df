//! `results.jsonl`: every run of every method as a line, written as soon as it has finished.
//!
//! If the program is killed, the lines that were written stay, and at most the last one is incomplete. It is
//! dropped when the experiment resumes. Once all runs are there, the file is put into the order of the
//! manifest, so that it does not depend on interruptions or on the number of threads.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mmoc::whole_file::replace_file;

use super::Results;
use super::manifest::Manifest;
use super::record::{Record, RecordKey};
use crate::error::io_error;
use crate::{Error, Result};

const MANIFEST: &str = "experiment.json";
const RESULTS: &str = "results.jsonl";
const LOCK: &str = ".lock";

/// The folder of an experiment, to which one process at a time writes.
#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
    done: BTreeSet<RecordKey>,
    results: Mutex<File>,
    /// Held as long as the journal lives.
    _lock: File,
}

impl Journal {
    /// Starts an experiment in a folder, or goes on with what the folder has of it: the same one, or one of fewer
    /// methods or runs.
    pub(super) fn open(folder: &Path, manifest: &Manifest) -> Result<Self> {
        let lock = claim(folder, manifest)?;
        write_manifest(folder, manifest)?;
        let path = folder.join(RESULTS);
        let (done, length) = read_records(&path, manifest)?;
        let results = open_at(&path, length).map_err(|source| io_error(&path, source))?;
        Ok(Self {
            folder: folder.to_owned(),
            done: done.into_iter().map(|record| record.key).collect(),
            results: Mutex::new(results),
            _lock: lock,
        })
    }

    /// Whether a record was there when the journal was opened.
    pub(super) fn has(&self, key: &RecordKey) -> bool {
        self.done.contains(key)
    }

    /// Adds a record. The operating system has it when this returns.
    pub(super) fn add(&self, record: &Record) -> mmoc::Result<()> {
        let path = self.folder.join(RESULTS);
        let io_error = |source| mmoc::Error::Io {
            path: path.clone(),
            source,
        };
        let line = line(record).map_err(io_error)?;
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let before = results.metadata().map(|data| data.len());
        let written = results.write_all(line.as_bytes());
        if let (Err(_), Ok(length)) = (&written, before) {
            // Half a line would spoil the next one; the first error is the one to report.
            let _ = results.set_len(length);
        }
        written.map_err(io_error)
    }

    /// All records, in order, and the file in the same order.
    pub(super) fn finish(self, manifest: &Manifest) -> Result<Results> {
        let (records, _) = read_records(&self.folder.join(RESULTS), manifest)?;
        let results = Results::new(manifest.clone(), records);
        write_records(&self.folder, results.records())?;
        Ok(results)
    }
}

/// What the records of a folder are of. A folder that is not there has none.
pub(super) fn keys(folder: &Path, manifest: &Manifest) -> Result<BTreeSet<RecordKey>> {
    let (records, _) = read_records(&folder.join(RESULTS), manifest)?;
    Ok(records.into_iter().map(|record| record.key).collect())
}

/// The manifest and all records of an experiment's folder.
pub(super) fn read(folder: &Path) -> Result<Results> {
    let manifest = read_manifest(folder)?;
    let manifest = manifest.ok_or_else(|| Error::NoManifest(folder.to_owned()))?;
    let (records, _) = read_records(&folder.join(RESULTS), &manifest)?;
    Ok(Results::new(manifest, records))
}

/// Writes results into a folder, beside those of the same experiment that it already has.
pub(super) fn write(folder: &Path, results: &Results) -> Result<Results> {
    let _lock = claim(folder, results.manifest())?;
    write_manifest(folder, results.manifest())?;
    let (mut records, _) = read_records(&folder.join(RESULTS), results.manifest())?;
    records.extend_from_slice(results.records());
    let all = Results::new(results.manifest().clone(), records);
    write_records(folder, all.records())?;
    Ok(all)
}

/// Fails if the manifest of a folder is of another experiment.
pub(super) fn check_same(folder: &Path, expected: &Manifest, found: &Manifest) -> Result<()> {
    refuse(folder, found.differences(expected))
}

fn refuse(folder: &Path, differences: Vec<String>) -> Result<()> {
    if differences.is_empty() {
        return Ok(());
    }
    let folder = folder.to_owned();
    Err(Error::OtherExperiment {
        folder,
        differences,
    })
}

/// Fails if the folder holds an experiment that this one does not go on with.
pub(super) fn check_folder(folder: &Path, manifest: &Manifest) -> Result<()> {
    if folder.is_file() {
        return Err(Error::NotAFolder(folder.to_owned()));
    }
    match read_manifest(folder)? {
        Some(found) => check_goes_on(folder, manifest, &found),
        None if folder.join(RESULTS).exists() => {
            Err(Error::ResultsWithoutManifest(folder.to_owned()))
        }
        None => Ok(()),
    }
}

/// Fails if an experiment does not go on with the one that a folder holds.
fn check_goes_on(folder: &Path, manifest: &Manifest, found: &Manifest) -> Result<()> {
    let methods = manifest.left_out(found);
    let obstacles = manifest.obstacles(&found.without(&methods));
    if methods.is_empty() || !obstacles.is_empty() {
        return refuse(folder, manifest.obstacles(found));
    }
    Err(Error::MethodsLeftOut {
        folder: folder.to_owned(),
        methods,
    })
}

fn line(record: &Record) -> std::io::Result<String> {
    let mut line = serde_json::to_string(record)?;
    line.push('\n');
    Ok(line)
}

/// Locks a folder for this experiment, and makes it if necessary. Nothing is written to a folder of another experiment,
/// not even the lock.
fn claim(folder: &Path, manifest: &Manifest) -> Result<File> {
    check_folder(folder, manifest)?;
    fs::create_dir_all(folder).map_err(|source| io_error(folder, source))?;
    let lock = lock(folder)?;
    // Another process may have written before the folder was locked.
    check_folder(folder, manifest)?;
    Ok(lock)
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    let file = file.map_err(|source| io_error(&path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(Error::Locked(folder.to_owned())),
        Err(fs::TryLockError::Error(source)) => Err(io_error(&path, source)),
    }
}

/// The manifest of a folder, if it has one.
pub(super) fn read_manifest(folder: &Path) -> Result<Option<Manifest>> {
    let path = folder.join(MANIFEST);
    let text = match fs::read(&path) {
        Ok(text) => text,
        // A file may be where the folder should be.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(source) => return Err(io_error(&path, source)),
    };
    let parsed = serde_json::from_slice(&text).map_err(|error| error.to_string());
    let checked = parsed.and_then(|manifest: Manifest| manifest.check().map(|()| manifest));
    let manifest = checked.map_err(|reason| Error::Manifest { path, reason })?;
    Ok(Some(manifest))
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> mmoc::Result<()> {
    replace_file(folder.join(MANIFEST), |out| {
        serde_json::to_writer_pretty(&mut *out, manifest)?;
        out.write_all(b"\n")
    })
}

fn write_records(folder: &Path, records: &[Record]) -> mmoc::Result<()> {
    replace_file(folder.join(RESULTS), |out| {
        records
            .iter()
            .try_for_each(|record| out.write_all(line(record)?.as_bytes()))
    })
}

/// The records of a file, and the number of bytes in complete lines. A missing file has no records.
fn read_records(path: &Path, manifest: &Manifest) -> Result<(Vec<Record>, u64)> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(io_error(path, source)),
    };
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    let complete = end.map_or(0, |end| end + 1);
    let lines = bytes[..complete].split_inclusive(|&byte| byte == b'\n');
    let records = lines.enumerate().map(|(index, line)| {
        read_record(line, manifest).map_err(|reason| Error::Record {
            path: path.to_owned(),
            line: index + 1,
            reason,
        })
    });
    Ok((records.collect::<Result<_>>()?, complete as u64))
}

fn read_record(line: &[u8], manifest: &Manifest) -> std::result::Result<Record, String> {
    let record: Record = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if manifest.has_place_for(&record) {
        Ok(record)
    } else {
        Err("it does not match experiment.json".into())
    }
}

/// The file, open for appending, cut off after the given number of bytes.
fn open_at(path: &Path, length: u64) -> std::io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(length)?;
    Ok(file)
}
