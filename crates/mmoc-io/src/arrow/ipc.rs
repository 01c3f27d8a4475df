//! Arrow IPC files (Feather version 2) and streams, message by message.
//!
//! A stream is a schema, dictionaries and batches of rows, each a message of metadata and a body, and a mark of its
//! end. A file lists its messages in an index at its end. The crate `arrow-ipc` decodes messages whose declared lengths
//! were checked here.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, Read};

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{Block, MessageHeader, RecordBatch as Batch, root_as_footer, root_as_message};
use arrow_schema::{Schema, SchemaRef};
use parquet::file::reader::{ChunkReader, Length};

use super::fault::{Fault, Found, damaged};
use super::input::Input;
use super::panics::catch;
use crate::TextPlace;
use crate::source::Source;
use crate::{Error, Result};

const MAGIC: &[u8] = b"ARROW1";
const FEATHER_1: &[u8] = b"FEA1";
const CONTINUATION: [u8; 4] = [0xFF; 4];
/// The length of the index, and the letters at the end of a file.
const TAIL: u64 = 10;
/// Metadata of a message.
const LONGEST_METADATA: u64 = 1 << 28;
/// The body of a message, before and after decompression, and all dictionaries together.
const LARGEST_BODY: u64 = 1 << 30;
const LENGTH_BYTES: u64 = 4;
/// What a buffer declares before its bytes, in place of their size, if it is not compressed though others are.
const NOT_COMPRESSED: i64 = -1;

/// The messages of an input, one after the other.
pub(super) struct Messages<'a> {
    name: String,
    origin: Origin<'a>,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// The memory that the dictionaries take.
    held: u64,
    /// The bytes read so far.
    read: u64,
}

enum Origin<'a> {
    Stream(Source<'a>),
    /// A file, and the messages that its index lists.
    File(Input, VecDeque<Listed>),
}

/// Where a message of a file is.
struct Listed {
    start: u64,
    metadata: u64,
    body: u64,
}

impl<'a> Messages<'a> {
    /// Reads the schema.
    pub(super) fn open(mut source: Source<'a>) -> Result<Self> {
        let name = source.name.clone();
        let head = match source.reader.fill_buf() {
            Ok(head) => head,
            Err(error) => return Err(source.failure(error, TextPlace::START)),
        };
        let at = |fault: Fault| fault.at(&name, None, None);
        if head.starts_with(MAGIC) {
            let input = Input::new(&mut source)?;
            let (schema, listed) = read_index(&input).map_err(at)?;
            return Ok(Self::new(name, Origin::File(input, listed), schema));
        }
        if !head.starts_with(&CONTINUATION) {
            let is_old = head.starts_with(FEATHER_1);
            let found = if is_old {
                "Feather version 1"
            } else {
                "something else"
            };
            return Err(at(Fault::new("an Arrow IPC file or stream", found)));
        }
        let mut messages = Self::new(name, Origin::Stream(source), Schema::empty());
        let schema = match messages.next_message()? {
            Some((metadata, _)) => read_schema(&metadata),
            None => Err(Fault::damaged("no schema")),
        };
        messages.schema = SchemaRef::new(schema.map_err(|fault| messages.error(fault))?);
        Ok(messages)
    }

    fn new(name: String, origin: Origin<'a>, schema: Schema) -> Self {
        Self {
            name,
            origin,
            schema: SchemaRef::new(schema),
            dictionaries: HashMap::new(),
            held: 0,
            read: 0,
        }
    }

    /// The columns.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The next rows of some columns, or none at the end; `check` is told how many rows come before they take memory.
    pub(super) fn next(
        &mut self,
        columns: &[usize],
        check: impl Fn(u64, u64) -> Found<()>,
    ) -> Result<Option<Vec<ArrayRef>>> {
        while let Some((metadata, body)) = self.next_message()? {
            let read = self.read;
            let checked = |rows| check(rows, read);
            let batch = catch(|| self.decode(&metadata, &body, columns, checked));
            if let Some(batch) = batch.map_err(|fault| self.error(fault))? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// The metadata and the body of the next message, or none at the end.
    fn next_message(&mut self) -> Result<Option<(Vec<u8>, Buffer)>> {
        if let Origin::File(input, listed) = &mut self.origin {
            let Some(message) = listed.pop_front() else {
                return Ok(None);
            };
            self.read += message.metadata + message.body;
            let read = message.read(input);
            return read.map(Some).map_err(|fault| self.error(fault));
        }
        let mark = self.take(LENGTH_BYTES)?;
        if mark != CONTINUATION {
            return Err(self.error(Fault::damaged("no message")));
        }
        let length = self.take(LENGTH_BYTES)?;
        let length = length.try_into().map_or(0, u32::from_le_bytes).into();
        if length == 0 {
            return Ok(None);
        }
        self.check_length("metadata", length, LONGEST_METADATA)?;
        let metadata = self.take(length)?;
        let body = body_length(&metadata).map_err(|fault| self.error(fault))?;
        self.check_length("a message", body, LARGEST_BODY)?;
        let body = self.take(body)?;
        Ok(Some((metadata, Buffer::from_vec(body))))
    }

    /// So many bytes of a stream, for which memory is taken as they come.
    fn take(&mut self, length: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Origin::Stream(source) = &mut self.origin {
            let read = (&mut source.reader).take(length).read_to_end(&mut bytes);
            read.map_err(|error| source.failure(error, TextPlace::START))?;
        }
        self.read += length;
        if bytes.len() as u64 == length {
            return Ok(bytes);
        }
        Err(self.error(Fault::too_short()))
    }

    fn check_length(&self, what: &str, length: u64, most: u64) -> Result<()> {
        if length <= most {
            return Ok(());
        }
        let expected = format!("{what} of at most {most} bytes");
        Err(self.error(Fault::new(expected, length.to_string())))
    }

    /// The rows of a message that has some; a dictionary is kept.
    fn decode(
        &mut self,
        metadata: &[u8],
        body: &Buffer,
        columns: &[usize],
        check: impl Fn(u64) -> Found<()>,
    ) -> Found<Option<Vec<ArrayRef>>> {
        let message = root_as_message(metadata).map_err(damaged)?;
        let version = message.version();
        match message.header_type() {
            MessageHeader::RecordBatch => {
                let rows = message
                    .header_as_record_batch()
                    .ok_or_else(Fault::too_short)?;
                let count = u64::try_from(rows.length());
                check(count.map_err(|_| Fault::damaged("a negative count"))?)?;
                check_sizes(&rows, body)?;
                let schema = SchemaRef::clone(&self.schema);
                let dictionaries = &self.dictionaries;
                let batch =
                    read_record_batch(body, rows, schema, dictionaries, Some(columns), &version);
                Ok(Some(batch.map_err(damaged)?.columns().to_vec()))
            }
            MessageHeader::DictionaryBatch => {
                let words = message
                    .header_as_dictionary_batch()
                    .ok_or_else(Fault::too_short)?;
                let data = words.data().ok_or_else(Fault::too_short)?;
                self.held += check_sizes(&data, body)?;
                if self.held > LARGEST_BODY {
                    let expected = format!("dictionaries of at most {LARGEST_BODY} bytes");
                    return Err(Fault::new(expected, "more"));
                }
                read_dictionary(body, words, &self.schema, &mut self.dictionaries, &version)
                    .map_err(damaged)?;
                Ok(None)
            }
            other => Err(Fault::damaged(format!("a message of the kind {other:?}"))),
        }
    }

    /// An error about the input as a whole.
    fn error(&self, fault: Fault) -> Error {
        fault.at(&self.name, None, None)
    }
}

impl Listed {
    fn of(block: &Block) -> Found<Self> {
        let size = |size: i64| u64::try_from(size).map_err(|_| Fault::damaged("a negative size"));
        Ok(Self {
            start: size(block.offset())?,
            metadata: size(block.metaDataLength().into())?,
            body: size(block.bodyLength())?,
        })
    }

    /// The metadata, which begin with their length, and the body.
    fn read(&self, input: &Input) -> Found<(Vec<u8>, Buffer)> {
        if self.metadata > LONGEST_METADATA || self.body > LARGEST_BODY {
            let expected = format!("a message of at most {LARGEST_BODY} bytes");
            return Err(Fault::new(
                expected,
                (self.metadata + self.body).to_string(),
            ));
        }
        let bytes = |start, length| input.get_bytes(start, length as usize).map_err(damaged);
        let metadata = bytes(self.start, self.metadata)?;
        let metadata = metadata.strip_prefix(&CONTINUATION).unwrap_or(&metadata);
        let metadata = metadata.get(LENGTH_BYTES as usize..);
        let metadata = metadata.ok_or_else(Fault::too_short)?.to_vec();
        let body = bytes(self.start + self.metadata, self.body)?;
        Ok((metadata, Buffer::from_vec(body.to_vec())))
    }
}

/// The schema and the messages that the index at the end of a file lists, dictionaries first.
fn read_index(input: &Input) -> Found<(Schema, VecDeque<Listed>)> {
    let end = input.len().checked_sub(TAIL).ok_or_else(Fault::too_short)?;
    let tail = input.get_bytes(end, TAIL as usize).map_err(damaged)?;
    let length = tail
        .first_chunk()
        .map_or(0, |length| u32::from_le_bytes(*length));
    if !tail.ends_with(MAGIC) || u64::from(length) > end {
        return Err(Fault::too_short());
    }
    let start = end - u64::from(length);
    let index = input.get_bytes(start, length as usize).map_err(damaged)?;
    // The index must begin at a place in memory that fits its numbers.
    let index = index.to_vec();
    catch(|| {
        let index = root_as_footer(&index).map_err(damaged)?;
        let schema = index.schema().ok_or_else(|| Fault::damaged("no schema"))?;
        let dictionaries = index.dictionaries().into_iter().flatten();
        let batches = index.recordBatches().into_iter().flatten();
        let listed = dictionaries.chain(batches).map(Listed::of);
        Ok((
            try_fb_to_schema(schema).map_err(damaged)?,
            listed.collect::<Found<_>>()?,
        ))
    })
}

fn read_schema(metadata: &[u8]) -> Found<Schema> {
    catch(|| {
        let message = root_as_message(metadata).map_err(damaged)?;
        let schema = message.header_as_schema();
        let schema = schema.ok_or_else(|| Fault::damaged("no schema"))?;
        try_fb_to_schema(schema).map_err(damaged)
    })
}

fn body_length(metadata: &[u8]) -> Found<u64> {
    catch(|| {
        let message = root_as_message(metadata).map_err(damaged)?;
        u64::try_from(message.bodyLength()).map_err(|_| Fault::damaged("a negative length"))
    })
}

/// The memory that the buffers of a batch take, if it is as much as there may be. They lie in its body, apart from each
/// other, and a compressed one begins with the size that it will have.
fn check_sizes(batch: &Batch<'_>, body: &Buffer) -> Found<u64> {
    let compressed = batch.compression().is_some();
    let (mut stored, mut plain) = (0_u64, 0_u64);
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).map_err(|_| Fault::too_short())?;
        let length = usize::try_from(buffer.length()).map_err(|_| Fault::too_short())?;
        let bytes = body.get(start..).and_then(|rest| rest.get(..length));
        let bytes = bytes.ok_or_else(Fault::too_short)?;
        stored = stored.saturating_add(length as u64);
        let declared = bytes.first_chunk().filter(|_| compressed);
        plain = plain.saturating_add(match declared.copied().map(i64::from_le_bytes) {
            None | Some(NOT_COMPRESSED) => length as u64,
            Some(size) => u64::try_from(size).map_err(|_| Fault::damaged("a negative size"))?,
        });
    }
    if stored > body.len() as u64 {
        return Err(Fault::damaged("buffers that overlap"));
    }
    if plain > LARGEST_BODY {
        let expected = format!("a batch of at most {LARGEST_BODY} bytes");
        return Err(Fault::new(expected, plain.to_string()));
    }
    Ok(plain)
}
