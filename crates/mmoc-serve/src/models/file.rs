//! From a file to a model that can be served.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use mmoc::Model;
use mmoc::data::{Features, Matrix};

use super::Served;
use crate::config::ModelFile;
use crate::error::{Error, Result};

/// Bytes of the digest at the end of a model file.
const DIGEST: usize = 32;
/// Hexadecimal digits of a version.
const VERSION: usize = 12;
/// How long a file may still be written to after its time of modification.
const FRESH: Duration = Duration::from_secs(5);

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            modified: metadata.modified().ok(),
            bytes: metadata.len(),
            inode: inode(metadata),
        }
    }

    /// The stamp of the file that has this path now.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::of(&fs::metadata(path)?))
    }

    /// Whether the file may still be written to: the clock of a file system may be too coarse to tell two writes apart.
    ///
    /// A time that is far in the future comes from another clock, and would be fresh for as long as that is ahead.
    pub(crate) fn is_fresh(&self) -> bool {
        let age = |time: SystemTime| time.elapsed().unwrap_or_else(|ahead| ahead.duration());
        self.modified.is_some_and(|time| age(time) < FRESH)
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Reads all bytes of a file first, so that the model and its version are of the same bytes whoever writes meanwhile.
pub(crate) fn load(file: &ModelFile) -> Result<(Served, Stamp)> {
    let failed = |source| Error::File {
        path: file.path.clone(),
        source,
    };
    let mut opened = File::open(&file.path).map_err(failed)?;
    let stamp = Stamp::of(&opened.metadata().map_err(failed)?);
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes).map_err(failed)?;
    let model = Model::read(&bytes[..], &file.path.display().to_string())?;
    try_out(&model)?;
    let version = version(&bytes);
    drop(bytes);
    Ok((Served::new(file.name.clone(), version, model), stamp))
}

/// The first digits of the digest with which a model file ends, which was checked when it was read.
fn version(bytes: &[u8]) -> String {
    let digest = &bytes[bytes.len().saturating_sub(DIGEST)..];
    let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digit = |value| char::from_digit(u32::from(value), 16);
    digits.filter_map(digit).take(VERSION).collect()
}

/// Predicts a row without any feature: a model that cannot do that would refuse every request.
fn try_out(model: &Model) -> Result<()> {
    let columns = model.schema().columns();
    let row = Matrix::new(1, columns, vec![f64::NAN; columns])?;
    let row = if model.schema().is_sparse() {
        Features::Sparse((&row).into())
    } else {
        Features::Dense(row)
    };
    model.label_sets(&row)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_about_now_is_fresh() {
        let (now, hour) = (SystemTime::now(), Duration::from_secs(3600));
        let cases = [
            ("just now", Some(now), true),
            ("an hour ago", Some(now - hour), false),
            ("a moment ahead", Some(now + FRESH / 2), true),
            ("an hour ahead", Some(now + hour), false),
            ("no time", None, false),
        ];
        for (name, modified, expected) in cases {
            let stamp = Stamp {
                modified,
                bytes: 1,
                inode: 1,
            };
            assert_eq!(stamp.is_fresh(), expected, "{name}");
        }
    }
}
