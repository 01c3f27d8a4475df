//! The door before the pages of a Parquet column.
//!
//! What a page declares is checked before the crate `parquet` acts on it, because it takes memory for a declared
//! size, unpacks gzip, Brotli and old LZ4 pages to their end whatever they declare, and takes memory for the
//! declared number of words of two encodings.

use std::io::{Read, sink};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};
use parquet::basic::{Compression, Encoding, Type as Storage};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::delta;
use super::fault::{Fault, Found};
use super::input::Input;
use super::thrift::PageHeader;

/// A larger page is refused. Writers make pages of about a megabyte.
const LARGEST: u64 = 1 << 28;
/// As much is read at once as most headers, and whole small pages, need; a header of more than `LONGEST_HEADER`
/// bytes is refused.
const FIRST_READ: u64 = 1 << 13;
const LONGEST_HEADER: u64 = 1 << 24;
/// What the pages of all columns that are open at once may take together.
const OPEN_PAGES: u64 = 1 << 30;
/// Deflate makes at most 1032 bytes of one, and LZ4 255.
const DEFLATE_FACTOR: u64 = 1032;
const LZ4_FACTOR: u64 = 255;
/// Larger decimals do not fit into 256 bits.
const LONGEST_DECIMAL: usize = 32;
const LZ4_FRAME: &[u8] = &[0x04, 0x22, 0x4D, 0x18];

/// What all columns of a file share.
#[derive(Default)]
pub(super) struct Watch {
    /// The memory that open pages take.
    held: AtomicU64,
    /// What was refused last; the crate would make plain text of it.
    fault: Mutex<Option<Fault>>,
}

impl Watch {
    /// What was refused, if anything was.
    pub(super) fn take_fault(&self) -> Option<Fault> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.take()
    }

    fn report<T>(&self, found: Found<T>) -> ParquetResult<T> {
        found.map_err(|refused| {
            let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
            *fault = Some(refused);
            ParquetError::General("refused".into())
        })
    }
}

/// The pages of a column in a group of rows, each checked before and after the crate reads it.
pub(super) struct Pages {
    reader: SerializedPageReader<Chunk>,
    watch: Arc<Watch>,
    optional: bool,
    is_decimal: bool,
    /// The memory that the dictionary and the present page take.
    dictionary: u64,
    page: u64,
}

impl Pages {
    pub(super) fn new(
        input: &Arc<Input>,
        watch: &Arc<Watch>,
        column: &ColumnChunkMetaData,
        rows: u64,
    ) -> ParquetResult<Self> {
        let (start, length) = column.byte_range();
        let chunk = Chunk {
            input: Arc::clone(input),
            watch: Arc::clone(watch),
            end: start.saturating_add(length),
            rows,
            compression: column.compression(),
            storage: column.column_type(),
            width: column.column_descr().type_length(),
            present: Mutex::default(),
        };
        Ok(Self {
            reader: SerializedPageReader::new(Arc::new(chunk), column, rows as usize, None)?,
            watch: Arc::clone(watch),
            optional: column.column_descr().max_def_level() > 0,
            is_decimal: column.column_type() == Storage::BYTE_ARRAY
                && column.column_descr().type_precision() > 0,
            dictionary: 0,
            page: 0,
        })
    }

    fn check(&mut self, page: &Page) -> Found<()> {
        let size = page.buffer().len() as u64;
        let held = if page.is_dictionary_page() {
            &mut self.dictionary
        } else {
            &mut self.page
        };
        self.watch.held.fetch_sub(*held, Ordering::Relaxed);
        *held = size;
        if self.watch.held.fetch_add(size, Ordering::Relaxed) + size > OPEN_PAGES {
            let expected =
                format!("pages that take at most {OPEN_PAGES} bytes, one of each column");
            return Err(Fault::new(expected, "more (smaller groups of rows help)"));
        }
        if self.is_decimal && page.is_dictionary_page() {
            check_decimals(page.buffer())?;
        }
        match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => delta::check_count(self.values(page)?),
            Encoding::DELTA_BYTE_ARRAY => delta::check_text(self.values(page)?),
            _ => Ok(()),
        }
    }

    /// What follows the levels that say which cells are missing.
    fn values<'p>(&self, page: &'p Page) -> Found<&'p [u8]> {
        let bytes = page.buffer();
        let start = match page {
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len),
            Page::DataPage { .. } if self.optional => {
                let length = bytes.first_chunk().ok_or_else(Fault::too_short)?;
                4 + u64::from(u32::from_le_bytes(*length))
            }
            _ => 0,
        };
        bytes.get(start as usize..).ok_or_else(Fault::too_short)
    }
}

/// Decimals of a dictionary are short: each is copied to every cell that has it.
fn check_decimals(mut bytes: &[u8]) -> Found<()> {
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST_DECIMAL {
            let expected = format!("decimals of at most {LONGEST_DECIMAL} bytes");
            return Err(Fault::new(expected, length.to_string()));
        }
        bytes = rest.get(length..).ok_or_else(Fault::too_short)?;
    }
    Ok(())
}

impl Drop for Pages {
    fn drop(&mut self) {
        let held = self.dictionary + self.page;
        self.watch.held.fetch_sub(held, Ordering::Relaxed);
    }
}

impl Iterator for Pages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        let page = self.reader.get_next_page()?;
        if let Some(page) = &page {
            let checked = self.check(page);
            self.watch.report(checked)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.reader.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.reader.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        self.reader.at_record_boundary()
    }
}

/// The bytes of a column in a group of rows. The crate asks for a header by [`ChunkReader::get_read`], and for the
/// page that it declares by [`ChunkReader::get_bytes`].
struct Chunk {
    input: Arc<Input>,
    watch: Arc<Watch>,
    end: u64,
    rows: u64,
    compression: Compression,
    storage: Storage,
    width: i32,
    present: Mutex<Present>,
}

/// The header that was read last, and the bytes that were read with it.
#[derive(Default)]
struct Present {
    start: u64,
    bytes: Bytes,
    header: PageHeader,
}

impl Chunk {
    fn read_header(&self, start: u64) -> ParquetResult<Present> {
        let left = self.end.saturating_sub(start);
        let mut length = FIRST_READ.min(left);
        loop {
            let bytes = self.input.get_bytes(start, length as usize)?;
            if let Some(header) = PageHeader::read(&bytes) {
                self.watch.report(self.check(header, left))?;
                return Ok(Present {
                    start,
                    bytes,
                    header,
                });
            }
            // Statistics with long words may make a header long.
            if length >= left.min(LONGEST_HEADER) {
                return self
                    .watch
                    .report(Err(Fault::damaged("a page without header")));
            }
            length = left.min(length * 8);
        }
    }

    fn check(&self, header: PageHeader, left: u64) -> Found<()> {
        let size = |size: i64| u64::try_from(size).map_err(|_| Fault::damaged("a negative size"));
        let (plain, stored) = (size(header.plain_size)?, size(header.stored_size)?);
        let (values, _) = (size(header.values)?, size(header.levels)?);
        if stored > left - header.length {
            return Err(Fault::too_short());
        }
        if plain.max(stored) > LARGEST {
            let expected = format!("pages of at most {LARGEST} bytes");
            return Err(Fault::new(expected, plain.max(stored).to_string()));
        }
        match header.kind {
            0 | 3 if values > self.rows => Err(Fault::damaged("more cells than there are rows")),
            2 if values.saturating_mul(self.smallest()) > plain => {
                Err(Fault::damaged("a dictionary of more entries than bytes"))
            }
            _ => Ok(()),
        }
    }

    /// The least that an entry of a dictionary takes.
    fn smallest(&self) -> u64 {
        match self.storage {
            Storage::BOOLEAN => 1,
            Storage::INT32 | Storage::FLOAT | Storage::BYTE_ARRAY => 4,
            Storage::INT64 | Storage::DOUBLE => 8,
            Storage::INT96 => 12,
            Storage::FIXED_LEN_BYTE_ARRAY => u64::try_from(self.width).unwrap_or(1).max(1),
        }
    }

    /// Fails if more comes out of a compressed page than it declares, where the crate would not notice in time.
    fn check_expansion(&self, page: &[u8], header: PageHeader) -> Found<()> {
        let levels = header.levels.cast_unsigned() as usize;
        let stored = page.get(levels..).ok_or_else(Fault::too_short)?;
        let plain = header.plain_size.saturating_sub(header.levels);
        let plain = u64::try_from(plain).map_err(|_| Fault::too_short())?;
        let size = stored.len() as u64;
        let holds_more = match self.compression {
            _ if header.is_plain => false,
            Compression::GZIP(_) if size.saturating_mul(DEFLATE_FACTOR) > LARGEST => {
                is_longer(flate2::read::MultiGzDecoder::new(stored), plain)
            }
            Compression::BROTLI(_) => is_longer(brotli::Decompressor::new(stored, 1 << 12), plain),
            Compression::LZ4 if stored.starts_with(LZ4_FRAME) => {
                size.saturating_mul(LZ4_FACTOR) > LARGEST
            }
            _ => false,
        };
        if holds_more {
            return Err(Fault::damaged("a page that holds more than it declares"));
        }
        Ok(())
    }
}

/// Whether more than so many bytes come out of a decoder. What is damaged ends early, and the crate says so.
fn is_longer(decoder: impl Read, length: u64) -> bool {
    let made = std::io::copy(&mut decoder.take(length + 1), &mut sink());
    made.is_ok_and(|made| made > length)
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.input.len()
    }
}

impl ChunkReader for Chunk {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        // After a header that was looked at before, the crate asks for what follows it, and reads nothing.
        let page = present.start + present.header.length;
        let looked_at = !present.bytes.is_empty() && present.header.stored_size > 0;
        if start >= self.end || (looked_at && start == page) {
            return Ok(Bytes::new().reader());
        }
        *present = self.read_header(start)?;
        Ok(present.bytes.clone().reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        let within = start.checked_sub(present.start).map(|place| place as usize);
        let within = within.filter(|place| place + length <= present.bytes.len());
        let bytes = match within {
            Some(place) => present.bytes.slice(place..place + length),
            None => self.input.get_bytes(start, length)?,
        };
        if length > 0 {
            let checked = self.check_expansion(&bytes, present.header);
            self.watch.report(checked)?;
        }
        Ok(bytes)
    }
}
