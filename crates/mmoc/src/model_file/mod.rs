//! Model files of every method: written completely or not at all, loaded strictly.
//!
//! A model file is a safetensors file, so that any tool for these opens it: eight bytes with the length of a header, the
//! header in JSON, and the numbers. `docs/model-format.md` describes it to the byte. Prediction after loading gives the
//! same bits as before: decoders are constructed from the stored numbers as they were in training.
//!
//! | file | what it is |
//! |---|---|
//! | `layout` | the header of a safetensors file: names, shapes and offsets of tensors |
//! | `writer`, `reader` | the bytes and their digest |
//! | `header` | the description of a model: parameters, names, decoder, training record |
//! | `tensors` | the numbers and integers of a file by name |
//! | `parts` | from a model to header and tensors, and back |
//! | `version1` | descriptions of the first version |
//! | `refusal` | why a file is not a usable model |

mod header;
mod layout;
mod parts;
mod reader;
mod refusal;
mod tensors;
mod version1;
mod writer;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use self::header::Header;
use self::layout::Layout;
pub(crate) use self::parts::StoredParts;
use self::reader::Source;
pub(crate) use self::refusal::Refusal;
pub(crate) use self::tensors::{TensorReader, TensorWriter};
use crate::whole_file::replace_file;
use crate::{Error, Model, Result};

/// The first bytes of a model file, after the eight bytes of the header's length.
const BEGINNING: &[u8] = b"{\"__metadata__\":{\"mmoc\":";

/// Bytes that are read from a file at a time.
const BUFFER: usize = 1 << 16;

impl Model {
    /// Writes the model to a file, completely or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let prepared = writer::Prepared::new(self)?;
        replace_file(path, |out| prepared.write(out))
    }

    /// Writes the model.
    pub fn write(&self, mut out: impl Write) -> Result<()> {
        let written = writer::Prepared::new(self)?.write(&mut out);
        written.map_err(|source| Error::Io {
            path: "the model".into(),
            source,
        })
    }

    /// Reads a model from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let failed = |source: io::Error| Error::Io {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        // Only plain files have a known length.
        let bytes = metadata.is_file().then_some(metadata.len());
        let stream = BufReader::with_capacity(BUFFER, file);
        read(Source::new(stream, &path.display().to_string(), bytes))
    }

    /// Reads a model from a stream, called `name` in messages. Memory grows with the bytes that arrive, whatever sizes
    /// they declare.
    pub fn read(stream: impl Read, name: &str) -> Result<Self> {
        read(Source::new(stream, name, None))
    }
}

/// Whether a file is a model, by its first bytes. A file that cannot be read is none, and neither is a pipe, from which
/// the bytes would be lost.
pub fn is_model_file(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    if !path.is_file() {
        return false;
    }
    let mut found = [0; 8 + BEGINNING.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut found));
    read.is_ok() && found[8..] == *BEGINNING
}

/// Reads all bytes before judging them, so that damage can be distinguished from files that never were models.
fn read(mut source: Source<impl Read>) -> Result<Model> {
    let text = source.header()?;
    let layout = Layout::parse(&text, Header::check_version);
    let layout = layout.map_err(|refusal| source.refuse(refusal))?;
    let tensors = source.tensors(&layout)?;
    Header::parse(&layout.description)
        .and_then(|header| parts::assemble(header, tensors))
        .map_err(|refusal: Refusal| source.refuse(refusal))
}

/// The bytes of a file with these tensors.
#[cfg(test)]
pub(crate) fn written(tensors: TensorWriter<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let prepared = writer::Prepared::of_parts("{}".into(), tensors).unwrap();
    prepared.write(&mut bytes).unwrap();
    bytes
}

/// The tensors as they are read from the bytes that are written of them.
#[cfg(test)]
pub(crate) fn read_back(tensors: TensorWriter<'_>) -> TensorReader {
    let bytes = written(tensors);
    let mut source = Source::new(&bytes[..], "m", Some(bytes.len() as u64));
    let layout = Layout::parse(&source.header().unwrap(), |_| Ok(())).unwrap();
    source.tensors(&layout).unwrap()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use safetensors::{Dtype, SafeTensors};

    use super::*;

    fn message(refusal: Refusal) -> String {
        refusal.of("m").to_string()
    }

    proptest! {
        #[test]
        fn numbers_and_integers_are_read_as_they_were_written(
            // More than are read or written at a time.
            numbers in proptest::collection::vec(-1e9f64..1e9, 0..9_000),
            integers in proptest::collection::vec(any::<u32>(), 0..9_000),
            others in proptest::collection::vec(any::<u32>(), 0..9),
        ) {
            let mut tensors = TensorWriter::default();
            tensors.integers("a", &integers);
            tensors.vector("b", &numbers);
            tensors.integers("c", &others);
            let mut read = read_back(tensors);
            prop_assert_eq!(read.integers("c").unwrap(), others);
            prop_assert_eq!(read.numbers("b").unwrap(), numbers);
            prop_assert_eq!(read.integers("a").unwrap(), integers);
            prop_assert!(read.finish().is_ok());
        }
    }

    #[test]
    fn the_safetensors_library_reads_the_same_integers_and_every_tensor_is_aligned() {
        let mut tensors = TensorWriter::default();
        tensors.integers("a", vec![1, u32::MAX, 3]);
        tensors.vector("b", vec![0.5]);
        let bytes = written(tensors);
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let place = |data: &[u8]| data.as_ptr() as usize - bytes.as_ptr() as usize;
        let integers = file.tensor("a").unwrap();
        assert_eq!(integers.dtype(), Dtype::U32);
        assert_eq!(integers.shape(), [3]);
        assert_eq!(
            integers.data(),
            [1, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0]
        );
        assert_eq!(place(integers.data()) % 4, 0);
        assert_eq!(place(file.tensor("b").unwrap().data()) % 8, 0);
    }

    #[test]
    fn a_tensor_of_the_other_kind_is_refused() {
        let mut tensors = TensorWriter::default();
        tensors.integers("counts", vec![1, 2]);
        tensors.vector("weights", vec![0.5]);
        let mut read = read_back(tensors);
        let found = message(read.numbers("counts").unwrap_err());
        assert!(found.contains("'counts' to be F64, found U32"), "{found}");
        let found = message(read.integers("weights").unwrap_err());
        assert!(found.contains("'weights' to be U32, found F64"), "{found}");
        let found = message(read.integers("sizes").unwrap_err());
        assert!(found.contains("the tensor 'sizes', found none"), "{found}");
    }
}
