//! SHA-256 of files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

/// SHA-256 of everything that is written to it.
#[derive(Debug, Default)]
struct Hasher(Sha256);

impl Hasher {
    /// The digest as 64 lower-case hexadecimal digits.
    fn finish(self) -> String {
        let digits =
            |byte: &u8| [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[digit as usize]);
        let bytes = self.0.finalize();
        bytes.iter().flat_map(digits).map(char::from).collect()
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The SHA-256 of a file, as 64 lower-case hexadecimal digits.
pub fn sha256_of_file(path: &Path) -> io::Result<String> {
    of(File::open(path)?)
}

/// The SHA-256 of everything that is read.
pub(super) fn of(mut source: impl Read) -> io::Result<String> {
    let mut hasher = Hasher::default();
    io::copy(&mut source, &mut hasher)?;
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-2, appendix B.
    #[test]
    fn digests_are_those_of_the_standard() {
        let cases: [(&[u8], &str); 3] = [
            (
                b"",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                b"abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (bytes, digest) in cases {
            assert_eq!(of(bytes).unwrap(), digest);
        }
    }
}
