//! A page: some consecutive cells of a column.

use super::codec::Codec;
use super::fault::{Fault, Found};
use super::footer::Chunk;
use super::hybrid::Hybrid;
use super::input::Input;
use super::schema::Declared;
use super::thrift::{Field, Reader};
use super::values::{Cell, Dictionary, Values, with_length};

/// A larger page is refused. Writers make pages of about a megabyte.
const LARGEST: u64 = 1 << 28;
/// As much is read at once as most headers, and whole small pages, need; a header of more than `LONGEST_HEADER`
/// bytes is refused.
const FIRST_READ: u64 = 1 << 13;
const LONGEST_HEADER: u64 = 1 << 24;

const RUNS: i64 = 3;

/// The header of a page.
#[derive(Debug, Default)]
struct Header {
    kind: i64,
    size: i64,
    stored_size: i64,
    values: i64,
    encoding: i64,
    level_encoding: i64,
    level_size: i64,
    repetition_size: i64,
    plain: bool,
}

const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_2: i64 = 3;

/// What was read of a chunk.
pub(super) enum Part {
    Dictionary(Dictionary),
    Cells(Box<Page>),
    /// Something that may be passed over.
    Other,
}

/// The cells of a page, and the place in them.
#[derive(Debug)]
pub(super) struct Page {
    bytes: Vec<u8>,
    left: usize,
    levels: Option<Hybrid>,
    values: Values,
}

impl Page {
    /// How many cells are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The memory it takes, roughly.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The next cell.
    pub(super) fn next<'a>(
        &'a mut self,
        column: &Declared,
        dictionary: Option<&'a Dictionary>,
    ) -> Found<Cell<'a>> {
        self.left = self.left.checked_sub(1).ok_or_else(Fault::too_short)?;
        if let Some(levels) = &mut self.levels
            && levels.next(&self.bytes)? == 0
        {
            return Ok(Cell::Missing);
        }
        self.values.next(&self.bytes, column.kind, dictionary)
    }
}

/// Reads the page at the start of what is left of a chunk, and moves the start behind it. It has at most `most`
/// cells.
pub(super) fn read_page(
    input: &Input,
    chunk: &mut Chunk,
    column: &Declared,
    most: usize,
) -> Found<Part> {
    let (header, head, header_size) = read_header(input, chunk)?;
    let (size, stored_size) = (header.size()?, header.stored_size()?);
    let page_start = chunk.start + header_size;
    let page_end = page_start + stored_size;
    if page_end > chunk.end {
        return Err(Fault::too_short());
    }
    let within = head.get(header_size as usize..(header_size + stored_size) as usize);
    let stored = match within {
        Some(stored) => stored.to_vec(),
        None => input.read(page_start, stored_size)?,
    };
    chunk.start = page_end;
    match header.kind {
        DATA => header.page(stored, size, chunk.codec, column, most),
        DATA_2 => header.page_2(&stored, size, chunk.codec, column, most),
        DICTIONARY => {
            let bytes = chunk.codec.decompress(&stored, size)?;
            let count = usize::try_from(header.values).map_err(|_| Fault::too_short())?;
            Dictionary::read(&bytes, count, column.kind).map(Part::Dictionary)
        }
        _ => Ok(Part::Other),
    }
}

/// The header, the bytes that were read, and how many of them the header takes.
fn read_header(input: &Input, chunk: &Chunk) -> Found<(Header, Vec<u8>, u64)> {
    let left = chunk.end - chunk.start;
    let mut length = FIRST_READ.min(left);
    loop {
        let head = input.read(chunk.start, length)?;
        let mut reader = Reader::new(&head);
        match Header::read(&mut reader) {
            Ok(header) => {
                let size = reader.position() as u64;
                return Ok((header, head, size));
            }
            // Statistics with long words may make a header long.
            Err(_) if length < left.min(LONGEST_HEADER) => length = left.min(length * 8),
            Err(fault) => return Err(fault),
        }
    }
}

impl Header {
    fn read(reader: &mut Reader<'_>) -> Found<Self> {
        let mut header = Self::default();
        reader.fields(|reader, field| {
            match field.id {
                1 => header.kind = reader.number(field)?,
                2 => header.size = reader.number(field)?,
                3 => header.stored_size = reader.number(field)?,
                5 => header.read_data(reader, field)?,
                7 => header.read_dictionary(reader, field)?,
                8 => header.read_data_2(reader, field)?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })?;
        Ok(header)
    }

    fn read_data(&mut self, reader: &mut Reader<'_>, field: Field) -> Found<()> {
        reader.structure(field, |reader, field| {
            match field.id {
                1 => self.values = reader.number(field)?,
                2 => self.encoding = reader.number(field)?,
                3 => self.level_encoding = reader.number(field)?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })
    }

    fn read_dictionary(&mut self, reader: &mut Reader<'_>, field: Field) -> Found<()> {
        reader.structure(field, |reader, field| {
            match field.id {
                1 => self.values = reader.number(field)?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })
    }

    fn read_data_2(&mut self, reader: &mut Reader<'_>, field: Field) -> Found<()> {
        reader.structure(field, |reader, field| {
            match field.id {
                1 => self.values = reader.number(field)?,
                4 => self.encoding = reader.number(field)?,
                5 => self.level_size = reader.number(field)?,
                6 => self.repetition_size = reader.number(field)?,
                7 => self.plain = reader.number(field)? == 0,
                _ => reader.skip(field)?,
            }
            Ok(())
        })
    }

    fn size(&self) -> Found<usize> {
        bounded(self.size).map(|size| size as usize)
    }

    fn stored_size(&self) -> Found<u64> {
        bounded(self.stored_size)
    }

    fn cells(&self, most: usize) -> Found<usize> {
        let cells = usize::try_from(self.values).ok();
        let cells = cells.filter(|&cells| cells <= most);
        cells.ok_or_else(|| Fault::damaged("a page with more cells than there are rows"))
    }

    /// A page whose levels are compressed with its values.
    fn page(
        &self,
        stored: Vec<u8>,
        size: usize,
        codec: Codec,
        column: &Declared,
        most: usize,
    ) -> Found<Part> {
        let bytes = match codec {
            Codec::None if stored.len() == size => stored,
            _ => codec.decompress(&stored, size)?,
        };
        let (start, levels) = if column.optional {
            if self.level_encoding != RUNS {
                return Err(Fault::new("levels in runs", "another encoding"));
            }
            let (start, end) = with_length(&bytes, 0)?;
            (end, Some(Hybrid::new(start, end, 1)?))
        } else {
            (0, None)
        };
        self.cells_of(bytes, start, levels, column, most)
    }

    /// A page whose levels stand before its compressed values.
    fn page_2(
        &self,
        stored: &[u8],
        size: usize,
        codec: Codec,
        column: &Declared,
        most: usize,
    ) -> Found<Part> {
        let start = usize::try_from(self.level_size).map_err(|_| Fault::too_short())?;
        if self.repetition_size != 0 {
            return Err(Fault::damaged("repeated cells"));
        }
        let (levels, values) = stored
            .split_at_checked(start)
            .ok_or_else(Fault::too_short)?;
        let values_size = size.checked_sub(start).ok_or_else(Fault::too_short)?;
        let codec = if self.plain { Codec::None } else { codec };
        let mut bytes = levels.to_vec();
        // Where there are no values, what stands for them does not matter.
        if values_size > 0 {
            bytes.append(&mut codec.decompress(values, values_size)?);
        }
        let levels = column
            .optional
            .then(|| Hybrid::new(0, start, 1))
            .transpose()?;
        self.cells_of(bytes, start, levels, column, most)
    }

    fn cells_of(
        &self,
        bytes: Vec<u8>,
        start: usize,
        levels: Option<Hybrid>,
        column: &Declared,
        most: usize,
    ) -> Found<Part> {
        let cells = self.cells(most)?;
        let page = Page {
            values: Values::new(&bytes, start, cells, column.kind, self.encoding)?,
            left: cells,
            levels,
            bytes,
        };
        Ok(Part::Cells(Box::new(page)))
    }
}

fn bounded(size: i64) -> Found<u64> {
    match u64::try_from(size) {
        Ok(size) if size <= LARGEST => Ok(size),
        Ok(_) => {
            let expected = format!("pages of at most {LARGEST} bytes");
            Err(Fault::new(expected, size.to_string()))
        }
        Err(_) => Err(Fault::damaged("a negative size")),
    }
}
