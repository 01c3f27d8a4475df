//! Fetching one file in as many requests as it takes, until it is complete and verified.
//!
//! Bytes go to a `.part` file as they arrive. After an interruption only the rest is requested.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use super::http::{Answer, Fault, broken};
use super::{CatalogueError, Client, FetchProgress, KnownFile, sha256_of_file};

/// Attempts in a row without progress.
const ATTEMPTS: u32 = 4;
const BUFFER: usize = 1 << 16;

/// A file to be fetched.
pub(super) struct Download<'a> {
    pub(super) client: &'a Client,
    pub(super) address: String,
    pub(super) file: &'a KnownFile,
    /// Where the bytes are gathered.
    pub(super) part: PathBuf,
    /// Time to wait before the second attempt; it doubles with each.
    pub(super) pause: Duration,
    pub(super) progress: &'a dyn FetchProgress,
}

impl Download<'_> {
    /// Completes the part. If its contents are wrong, it is removed.
    pub(super) fn complete(&self) -> Result<(), CatalogueError> {
        if self.length()? > self.file.bytes {
            self.remove()?;
        }
        let left_over = self.length()? > 0;
        self.fill()?;
        if left_over && self.sum()? != self.file.sha256 {
            // Bytes of an earlier run may be wrong: fetch the file without them.
            self.remove()?;
            self.fill()?;
        }
        self.verify()
    }

    /// Attempt after attempt until the part has the length of the file.
    fn fill(&self) -> Result<(), CatalogueError> {
        let mut furthest = self.length()?;
        let mut in_vain = 0;
        while self.length()? < self.file.bytes {
            let Err(fault) = self.attempt() else {
                continue;
            };
            let length = self.length()?;
            // A server that ignores the offset may send the same bytes for ever: only more bytes are progress.
            in_vain = if length > furthest { 0 } else { in_vain + 1 };
            furthest = furthest.max(length);
            if matches!(fault, Fault::Lasting(_)) || in_vain == ATTEMPTS {
                return Err(self.failure(fault.to_string()));
            }
            sleep(self.pause * 2u32.pow(in_vain));
        }
        Ok(())
    }

    /// One request, and all bytes of its answer.
    fn attempt(&self) -> Result<(), Fault> {
        let length = self.length().map_err(|failure| lasting(&failure))?;
        let answer = self.client.ask(&self.address, length)?;
        let room = self.file.bytes - answer.offset;
        if answer.length.is_some_and(|length| length > room) {
            return Err(self.too_long());
        }
        let part = self.open_at(answer.offset);
        self.progress.position(answer.offset);
        self.append(part.map_err(|failure| lasting(&failure))?, answer)
    }

    /// Appends the answer to the part, but never more than the file has.
    fn append(&self, mut part: File, mut answer: Answer) -> Result<(), Fault> {
        let mut length = answer.offset;
        let mut buffer = vec![0; BUFFER];
        loop {
            let count = match answer.body.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(broken(&error)),
            };
            length += count as u64;
            if length > self.file.bytes {
                return Err(self.too_long());
            }
            if count == 0 {
                return self.ended_at(length);
            }
            let written = part.write_all(&buffer[..count]);
            written.map_err(|error| lasting(&self.disk(error)))?;
            self.progress.position(length);
        }
    }

    fn ended_at(&self, length: u64) -> Result<(), Fault> {
        if length == self.file.bytes {
            return Ok(());
        }
        let bytes = self.file.bytes;
        Err(Fault::Passing(format!(
            "the connection ended after {length} of {bytes} bytes"
        )))
    }

    /// It is not the known file: the part is removed.
    fn too_long(&self) -> Fault {
        match self.remove() {
            Ok(()) => Fault::Lasting(format!(
                "the file there is longer than the {} bytes of the known one",
                self.file.bytes
            )),
            Err(failure) => lasting(&failure),
        }
    }

    fn verify(&self) -> Result<(), CatalogueError> {
        let sum = self.sum()?;
        if sum == self.file.sha256 {
            return Ok(());
        }
        self.remove()?;
        let expected = self.file.sha256;
        Err(self.failure(format!("expected SHA-256 {expected}, found {sum}")))
    }

    fn sum(&self) -> Result<String, CatalogueError> {
        sha256_of_file(&self.part).map_err(|error| self.disk(error))
    }

    /// The length of the part, 0 where there is none.
    fn length(&self) -> Result<u64, CatalogueError> {
        match fs::metadata(&self.part) {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(self.disk(error)),
        }
    }

    /// The part, cut off at `offset` and open for appending.
    fn open_at(&self, offset: u64) -> Result<File, CatalogueError> {
        let open = |path: &Path| {
            let mut part = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(path)?;
            part.set_len(offset)?;
            part.seek(SeekFrom::Start(offset))?;
            Ok(part)
        };
        open(&self.part).map_err(|error| self.disk(error))
    }

    fn remove(&self) -> Result<(), CatalogueError> {
        match fs::remove_file(&self.part) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.disk(error)),
            _ => Ok(()),
        }
    }

    fn disk(&self, source: std::io::Error) -> CatalogueError {
        CatalogueError::io(&self.part, source)
    }

    fn failure(&self, reason: String) -> CatalogueError {
        CatalogueError::Fetch {
            file: self.file.name,
            address: self.address.clone(),
            reason,
        }
    }
}

/// A fault of this machine, which another attempt does not change.
fn lasting(error: &CatalogueError) -> Fault {
    Fault::Lasting(error.to_string())
}
