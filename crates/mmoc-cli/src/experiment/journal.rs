//! `results.jsonl`: every run of every method as a line, written the moment it ends.
//!
//! Whatever ends the program, lines that were written stay, and at most the last one is cut short. It is
//! dropped when the experiment goes on. When all runs are there the file is put into the order of the
//! manifest, so that it does not show how often or on how many threads it was written.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mmoc::whole_file::replace_file;
use mmoc::{Error, Result};

use super::manifest::Manifest;
use super::record::{Key, Record};
use crate::failure::Failure;
use crate::target::make_folder;

const MANIFEST: &str = "experiment.json";
const RESULTS: &str = "results.jsonl";
const LOCK: &str = ".lock";

/// The folder of an experiment, which one process at a time writes to.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    done: BTreeMap<Key, Record>,
    results: Mutex<File>,
    /// Held as long as the journal lives.
    _lock: File,
}

impl Journal {
    /// Begins an experiment in a folder, or goes on with the one that is there if it is the same.
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> std::result::Result<Self, Failure> {
        let lock = claim(folder, manifest)?;
        write_manifest(folder, manifest)?;
        let path = folder.join(RESULTS);
        let (done, length) = read_results(&path, manifest)?;
        let results = open_at(&path, length).map_err(|source| io_error(&path, source))?;
        Ok(Self {
            folder: folder.to_owned(),
            done,
            results: Mutex::new(results),
            _lock: lock,
        })
    }

    /// The records that were there when the journal was opened.
    pub(crate) fn done(&self) -> &BTreeMap<Key, Record> {
        &self.done
    }

    /// Adds a record, in the hands of the system when this returns.
    pub(crate) fn add(&self, record: &Record) -> Result<()> {
        let path = self.folder.join(RESULTS);
        let line = line(record).map_err(|source| io_error(&path, source))?;
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let before = results.metadata().map(|data| data.len());
        let written = results.write_all(line.as_bytes());
        if let (Err(_), Ok(length)) = (&written, before) {
            // Half a line would spoil the next; the first error is the one to report.
            let _ = results.set_len(length);
        }
        written.map_err(|source| io_error(&path, source))
    }

    /// Every record, in the order of the manifest, and the file in the same order.
    pub(crate) fn finish(self, manifest: &Manifest) -> std::result::Result<Vec<Record>, Failure> {
        let (done, _) = read_results(&self.folder.join(RESULTS), manifest)?;
        let records = in_order(manifest, done);
        write_results(&self.folder, &records)?;
        Ok(records)
    }
}

/// The manifest and all records of an experiment's folder.
pub(crate) fn read(folder: &Path) -> std::result::Result<(Manifest, Vec<Record>), Failure> {
    let manifest = read_manifest(folder)?.ok_or_else(|| {
        Failure::bad_data(format!(
            "{}: not the folder of an experiment: it has no {MANIFEST}",
            folder.display()
        ))
    })?;
    let (done, _) = read_results(&folder.join(RESULTS), &manifest)?;
    let records = in_order(&manifest, done);
    Ok((manifest, records))
}

/// Puts together the parts of one experiment.
pub(crate) fn merge(folders: &[PathBuf]) -> std::result::Result<(Manifest, Vec<Record>), Failure> {
    let mut parts = folders.iter().map(|folder| read(folder));
    let (manifest, records) = parts
        .next()
        .ok_or_else(|| Failure::wrong_usage("no folder"))??;
    let mut all: BTreeMap<Key, Record> = keyed(records);
    for (folder, part) in folders[1..].iter().zip(parts) {
        let (other, records) = part?;
        if let Some(part) = manifest.difference(&other) {
            return Err(other_experiment(folder, &part));
        }
        all.extend(keyed(records));
    }
    let records = in_order(&manifest, all);
    Ok((manifest, records))
}

/// Writes records into a folder, beside those of the same experiment that it already has; all of them, in order.
pub(crate) fn write(
    folder: &Path,
    manifest: &Manifest,
    records: Vec<Record>,
) -> std::result::Result<Vec<Record>, Failure> {
    let _lock = claim(folder, manifest)?;
    write_manifest(folder, manifest)?;
    let (mut all, _) = read_results(&folder.join(RESULTS), manifest)?;
    all.extend(keyed(records));
    let records = in_order(manifest, all);
    write_results(folder, &records)?;
    Ok(records)
}

/// Fails if the folder holds another experiment.
fn check_same(folder: &Path, manifest: &Manifest) -> std::result::Result<(), Failure> {
    let found = read_manifest(folder)?;
    if found.is_none() && folder.join(RESULTS).exists() {
        return Err(Failure::wrong_usage(format!(
            "{}: has results but no {MANIFEST} that says of what; choose another folder with --out",
            folder.display()
        )));
    }
    match found.and_then(|found| found.difference(manifest)) {
        None => Ok(()),
        Some(part) => Err(other_experiment(folder, &part)),
    }
}

fn keyed(records: Vec<Record>) -> BTreeMap<Key, Record> {
    records
        .into_iter()
        .map(|record| (record.key(), record))
        .collect()
}

/// Data set by data set, run by run, method by method.
fn in_order(manifest: &Manifest, done: BTreeMap<Key, Record>) -> Vec<Record> {
    let mut records: Vec<Record> = done.into_values().collect();
    records.sort_by_key(|record| manifest.position(record));
    records
}

fn line(record: &Record) -> std::io::Result<String> {
    let mut line = serde_json::to_string(record)?;
    line.push('\n');
    Ok(line)
}

/// Locks a folder for this experiment, and makes it unless it is there. Into one that holds another experiment nothing
/// is written, not even the lock.
fn claim(folder: &Path, manifest: &Manifest) -> std::result::Result<File, Failure> {
    check_same(folder, manifest)?;
    make_folder(folder)?;
    let lock = lock(folder)?;
    // Until now another process may have written.
    check_same(folder, manifest)?;
    Ok(lock)
}

fn lock(folder: &Path) -> std::result::Result<File, Failure> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    let file = file.map_err(|source| io_error(&path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(Failure::failed(format!(
            "{}: another process is writing to this folder",
            folder.display()
        ))),
        Err(fs::TryLockError::Error(source)) => Err(io_error(&path, source).into()),
    }
}

fn read_manifest(folder: &Path) -> std::result::Result<Option<Manifest>, Failure> {
    let path = folder.join(MANIFEST);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if is_nothing_there(&error) => return Ok(None),
        Err(source) => return Err(io_error(&path, source).into()),
    };
    let refused = |why: String| {
        let place = path.display();
        Failure::bad_data(format!("{place}: not a manifest of this version: {why}"))
    };
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|error| refused(error.to_string()))?;
    manifest.check().map_err(refused)?;
    Ok(Some(manifest))
}

/// Whether there is no such file, be it for a file that stands where its folder should.
fn is_nothing_there(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<()> {
    replace_file(folder.join(MANIFEST), |out| {
        serde_json::to_writer_pretty(&mut *out, manifest)?;
        out.write_all(b"\n")
    })
}

fn write_results(folder: &Path, records: &[Record]) -> Result<()> {
    replace_file(folder.join(RESULTS), |out| {
        records
            .iter()
            .try_for_each(|record| out.write_all(line(record)?.as_bytes()))
    })
}

/// The records of a file and how many bytes of it are whole lines. No file has no records.
fn read_results(
    path: &Path,
    manifest: &Manifest,
) -> std::result::Result<(BTreeMap<Key, Record>, u64), Failure> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(io_error(path, source).into()),
    };
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let mut done = BTreeMap::new();
    for (number, line) in bytes[..whole]
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
    {
        let refused = |why: &str| {
            let place = format!("{}:{}", path.display(), number + 1);
            let remedy = "remove the line to have it computed again";
            Failure::bad_data(format!("{place}: not a result: {why}; {remedy}"))
        };
        let record: Record =
            serde_json::from_slice(line).map_err(|error| refused(&error.to_string()))?;
        if !manifest.has_place_for(&record) {
            return Err(refused("it does not fit experiment.json"));
        }
        done.insert(record.key(), record);
    }
    Ok((done, whole as u64))
}

/// The file, open for adding, without anything after the given number of bytes.
fn open_at(path: &Path, length: u64) -> std::io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(length)?;
    Ok(file)
}

fn other_experiment(folder: &Path, part: &str) -> Failure {
    Failure::wrong_usage(format!(
        "{}: holds an experiment with {part}; choose another folder with --out, or remove this one",
        folder.display()
    ))
}

fn io_error(path: &Path, source: std::io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        source,
    }
}
