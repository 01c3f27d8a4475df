//! The end of a file, which says what columns it has and where they are.
//!
//! A file is `PAR1`, the pages of its columns, the metadata, their length in four bytes and `PAR1`. The rows are
//! divided into groups; in each a column is one chunk of consecutive pages.

use super::codec::Codec;
use super::fault::{Fault, Found};
use super::input::Input;
use super::schema::{Declared, Element};
use super::thrift::{Field, Reader};
use mmoc::text::excerpt;

const MAGIC: &[u8] = b"PAR1";
const ENCRYPTED: &[u8] = b"PARE";
/// The length of the metadata, and the last four letters.
const TAIL: u64 = 8;
/// More metadata than this is refused: a million columns in a group of rows take less.
const LONGEST: u64 = 1 << 30;

/// The key under which we write which columns are labels, in the words of `--labels`.
pub(crate) const LABELS_KEY: &str = "mmoc.labels";

/// What the metadata say.
#[derive(Debug, Default)]
pub(super) struct Footer {
    pub(super) columns: Vec<Declared>,
    pub(super) groups: Vec<Group>,
    pub(super) rows: usize,
    /// Which columns are labels, if we wrote the file.
    pub(super) labels: Option<String>,
}

/// Some consecutive rows.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) rows: usize,
    /// A chunk for each column.
    pub(super) chunks: Vec<Chunk>,
}

/// The pages of a column in a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) codec: Codec,
}

impl Footer {
    pub(super) fn read(input: &Input) -> Found<Self> {
        let size = input.size();
        let body = size.checked_sub(TAIL).ok_or_else(no_parquet)?;
        let tail = input.read(body, TAIL)?;
        match &tail[4..] {
            MAGIC => (),
            ENCRYPTED => return Err(Fault::new("a file that is not encrypted", "one that is")),
            _ => return Err(no_parquet()),
        }
        let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]).into();
        let start = body.checked_sub(length).ok_or_else(Fault::too_short)?;
        if length > LONGEST {
            let expected = format!("metadata of at most {LONGEST} bytes");
            return Err(Fault::new(expected, length.to_string()));
        }
        let bytes = input.read(start, length)?;
        let footer = Metadata::read(&bytes)?.footer(start)?;
        footer.check_counts()?;
        Ok(footer)
    }

    fn check_counts(&self) -> Found<()> {
        let in_groups = self
            .groups
            .iter()
            .try_fold(0_usize, |sum, group| sum.checked_add(group.rows));
        if in_groups == Some(self.rows) {
            return Ok(());
        }
        Err(Fault::damaged("groups with other rows than the file"))
    }
}

fn no_parquet() -> Fault {
    Fault::new("a Parquet file", "something else")
}

/// The metadata as they are written.
#[derive(Default)]
struct Metadata<'a> {
    schema: Vec<Element<'a>>,
    rows: i64,
    groups: Vec<RawGroup>,
    labels: Option<String>,
}

#[derive(Default)]
struct RawGroup {
    rows: i64,
    chunks: Vec<RawChunk>,
}

#[derive(Default)]
struct RawChunk {
    elsewhere: bool,
    codec: i64,
    values: i64,
    size: i64,
    data_start: i64,
    dictionary_start: Option<i64>,
}

impl<'a> Metadata<'a> {
    fn read(bytes: &'a [u8]) -> Found<Self> {
        let mut metadata = Self::default();
        Reader::new(bytes).fields(|reader, field| {
            match field.id {
                2 => reader.list(field, |reader| {
                    metadata.schema.push(Element::read(reader)?);
                    Ok(())
                })?,
                3 => metadata.rows = reader.number(field)?,
                4 => reader.list(field, |reader| {
                    metadata.groups.push(RawGroup::read(reader)?);
                    Ok(())
                })?,
                5 => reader.list(field, |reader| metadata.read_entry(reader))?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })?;
        Ok(metadata)
    }

    /// An entry of the table of keys and values, of which only our own matters.
    fn read_entry(&mut self, reader: &mut Reader<'a>) -> Found<()> {
        let (mut key, mut value) = ("", None);
        reader.fields(|reader, field| {
            match field.id {
                1 => key = reader.text(field)?,
                2 => value = Some(reader.text(field)?),
                _ => reader.skip(field)?,
            }
            Ok(())
        })?;
        if key == LABELS_KEY {
            self.labels = value.map(str::to_owned);
        }
        Ok(())
    }

    fn footer(self, end: u64) -> Found<Footer> {
        let columns = self.columns()?;
        let group = |group: RawGroup| group.check(&columns, end);
        let groups = self.groups.into_iter().map(group).collect::<Found<_>>()?;
        Ok(Footer {
            groups,
            rows: count(self.rows)?,
            labels: self.labels,
            columns,
        })
    }

    /// The columns, none of which may have columns of its own.
    fn columns(&self) -> Found<Vec<Declared>> {
        let (table, elements) = self.schema.split_first().ok_or_else(no_columns)?;
        let columns: Vec<Declared> = elements.iter().map(Element::column).collect::<Found<_>>()?;
        if columns.is_empty() {
            return Err(no_columns());
        }
        if usize::try_from(table.children) != Ok(columns.len()) {
            return Err(Fault::damaged("another number of columns"));
        }
        Ok(columns)
    }
}

fn no_columns() -> Fault {
    Fault::new("at least one column", "none")
}

impl RawGroup {
    fn read(reader: &mut Reader<'_>) -> Found<Self> {
        let mut group = Self::default();
        reader.fields(|reader, field| {
            match field.id {
                1 => reader.list(field, |reader| {
                    group.chunks.push(RawChunk::read(reader)?);
                    Ok(())
                })?,
                3 => group.rows = reader.number(field)?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })?;
        Ok(group)
    }

    fn check(&self, columns: &[Declared], end: u64) -> Found<Group> {
        if self.chunks.len() != columns.len() {
            return Err(Fault::damaged("a group that lacks columns"));
        }
        let chunks = self.chunks.iter().zip(columns);
        let chunk = |(chunk, column): (&RawChunk, &Declared)| {
            if chunk.values != self.rows {
                let found = format!("another number of cells in {}", excerpt(&column.name));
                return Err(Fault::damaged(found));
            }
            chunk.check(end)
        };
        Ok(Group {
            rows: count(self.rows)?,
            chunks: chunks.map(chunk).collect::<Found<_>>()?,
        })
    }
}

impl RawChunk {
    fn read(reader: &mut Reader<'_>) -> Found<Self> {
        let mut chunk = Self::default();
        reader.fields(|reader, field| {
            match field.id {
                1 => {
                    chunk.elsewhere = true;
                    reader.skip(field)?;
                }
                3 => chunk.read_metadata(reader, field)?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })?;
        Ok(chunk)
    }

    fn read_metadata(&mut self, reader: &mut Reader<'_>, field: Field) -> Found<()> {
        reader.structure(field, |reader, field| {
            match field.id {
                4 => self.codec = reader.number(field)?,
                5 => self.values = reader.number(field)?,
                7 => self.size = reader.number(field)?,
                9 => self.data_start = reader.number(field)?,
                11 => self.dictionary_start = Some(reader.number(field)?),
                _ => reader.skip(field)?,
            }
            Ok(())
        })
    }

    /// The chunk, which must lie between the first letters and the metadata.
    fn check(&self, end: u64) -> Found<Chunk> {
        if self.elsewhere {
            return Err(Fault::new("all columns in one file", "one in another"));
        }
        // Some writers put a zero where there is no dictionary.
        let dictionary = self.dictionary_start.filter(|&start| start > 0);
        let start = dictionary.map_or(self.data_start, |start| start.min(self.data_start));
        let (start, size) = (offset(start)?, offset(self.size)?);
        let chunk_end = start.checked_add(size).ok_or_else(Fault::too_short)?;
        if start < MAGIC.len() as u64 || chunk_end > end {
            return Err(Fault::damaged("a column outside of the file"));
        }
        Ok(Chunk {
            start,
            end: chunk_end,
            codec: Codec::new(self.codec)?,
        })
    }
}

fn count(number: i64) -> Found<usize> {
    usize::try_from(number).map_err(|_| Fault::damaged("a negative count"))
}

fn offset(number: i64) -> Found<u64> {
    u64::try_from(number).map_err(|_| Fault::damaged("a negative offset"))
}
