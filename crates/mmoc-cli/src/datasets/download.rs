//! Fetching one file, piece by piece, until it is whole and right.
//!
//! Bytes go to a `.part` file as they come. Whatever ends a run, the next one asks only for the rest.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use indicatif::ProgressBar;

use crate::datasets::catalogue::KnownFile;
use crate::datasets::http::{Answer, Client, Fault, broken};
use crate::digest;
use crate::failure::Failure;

/// Attempts in a row that bring no more of the file than there was.
const ATTEMPTS: u32 = 4;
const BUFFER: usize = 1 << 16;

/// A file to be fetched.
#[derive(Debug)]
pub(crate) struct Download<'a> {
    pub(crate) client: &'a Client,
    pub(crate) address: String,
    pub(crate) file: &'a KnownFile,
    /// Where the bytes are gathered.
    pub(crate) part: PathBuf,
    /// Time to wait before the second attempt; it doubles with each.
    pub(crate) pause: Duration,
    pub(crate) bar: ProgressBar,
}

impl Download<'_> {
    /// Makes the part the whole file. If this fails for wrong bytes, no part is left.
    pub(crate) fn complete(&self) -> Result<(), Failure> {
        if self.length()? > self.file.bytes {
            self.remove()?;
        }
        let left_over = self.length()? > 0;
        self.fill()?;
        if left_over && self.sum()? != self.file.sha256 {
            // Bytes of an earlier run may be the wrong ones: the server gets a chance without them.
            self.remove()?;
            self.fill()?;
        }
        self.verify()
    }

    /// Attempt after attempt until the part has the length of the file.
    fn fill(&self) -> Result<(), Failure> {
        let mut furthest = self.length()?;
        let mut in_vain = 0;
        while self.length()? < self.file.bytes {
            let Err(fault) = self.attempt() else {
                continue;
            };
            let length = self.length()?;
            // A server that ignores the offset may bring the same bytes for ever: only more is better.
            in_vain = if length > furthest { 0 } else { in_vain + 1 };
            furthest = furthest.max(length);
            if matches!(fault, Fault::Lasting(_)) || in_vain == ATTEMPTS {
                return Err(self.failure(&fault.to_string()));
            }
            sleep(self.pause * 2u32.pow(in_vain));
        }
        Ok(())
    }

    /// One request, and all the bytes that come of it.
    fn attempt(&self) -> Result<(), Fault> {
        let length = self.length().map_err(|failure| lasting(&failure))?;
        let answer = self.client.ask(&self.address, length)?;
        let room = self.file.bytes - answer.offset;
        if answer.length.is_some_and(|length| length > room) {
            return Err(self.too_long());
        }
        let part = self.open_at(answer.offset);
        self.bar.set_position(answer.offset);
        self.append(part.map_err(|failure| lasting(&failure))?, answer)
    }

    /// Adds what comes to the part, but never more than the file has.
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
            self.bar.inc(count as u64);
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

    /// Another file than the known one: nothing of it is worth keeping.
    fn too_long(&self) -> Fault {
        match self.remove() {
            Ok(()) => Fault::Lasting(format!(
                "it is longer there than the {} bytes of the known file",
                self.file.bytes
            )),
            Err(failure) => lasting(&failure),
        }
    }

    fn verify(&self) -> Result<(), Failure> {
        let sum = self.sum()?;
        if sum == self.file.sha256 {
            return Ok(());
        }
        self.remove()?;
        let expected = self.file.sha256;
        Err(self.failure(&format!("expected SHA-256 {expected}, found {sum}")))
    }

    fn sum(&self) -> Result<String, Failure> {
        digest::of_file(&self.part).map_err(|error| self.disk(error))
    }

    /// The length of the part, 0 where there is none.
    fn length(&self) -> Result<u64, Failure> {
        match fs::metadata(&self.part) {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(self.disk(error)),
        }
    }

    /// The part, cut off at `offset` and ready to take what follows.
    fn open_at(&self, offset: u64) -> Result<File, Failure> {
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

    fn remove(&self) -> Result<(), Failure> {
        match fs::remove_file(&self.part) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.disk(error)),
            _ => Ok(()),
        }
    }

    fn disk(&self, source: std::io::Error) -> Failure {
        let path = self.part.clone();
        mmoc::Error::Io { path, source }.into()
    }

    fn failure(&self, reason: &str) -> Failure {
        Failure::failed(format!(
            "cannot fetch {} from {}: {reason}",
            self.file.name, self.address
        ))
    }
}

/// A fault of this machine, which no other attempt mends.
fn lasting(failure: &Failure) -> Fault {
    Fault::Lasting(failure.message().to_owned())
}
