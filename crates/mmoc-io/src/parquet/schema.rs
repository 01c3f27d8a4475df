//! What a column of a file holds.

use super::fault::{Fault, Found};
use super::thrift::{Field, Reader};
use mmoc::text::excerpt;

/// What the cells of a column are, and how they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    /// Four bytes, with a sign or without.
    Int32 {
        signed: bool,
    },
    /// Eight bytes, with a sign or without.
    Int64 {
        signed: bool,
    },
    Float,
    Double,
    /// UTF-8 text.
    Word,
}

/// A column as the file declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Whether cells may be missing.
    pub(super) optional: bool,
}

/// An entry of the schema, whose first one is the table itself.
#[derive(Debug, Default)]
pub(super) struct Element<'a> {
    storage: Option<i64>,
    repetition: i64,
    pub(super) name: &'a str,
    pub(super) children: i64,
    converted: Option<i64>,
    logical: Option<Logical>,
}

/// The number of a logical type, and what it says of integers.
#[derive(Debug, Clone, Copy)]
struct Logical {
    number: i64,
    signed: bool,
}

const REQUIRED: i64 = 0;
const OPTIONAL: i64 = 1;

impl<'a> Element<'a> {
    pub(super) fn read(reader: &mut Reader<'a>) -> Found<Self> {
        let mut element = Self::default();
        reader.fields(|reader, field| {
            match field.id {
                1 => element.storage = Some(reader.number(field)?),
                3 => element.repetition = reader.number(field)?,
                4 => element.name = reader.text(field)?,
                5 => element.children = reader.number(field)?,
                6 => element.converted = Some(reader.number(field)?),
                10 => element.logical = Logical::read(reader, field)?,
                _ => reader.skip(field)?,
            }
            Ok(())
        })?;
        Ok(element)
    }

    /// The column that the entry declares.
    pub(super) fn column(&self) -> Found<Declared> {
        if self.children != 0 || !matches!(self.repetition, REQUIRED | OPTIONAL) {
            return Err(self.refused("a list or a table of its own"));
        }
        Ok(Declared {
            name: self.name.to_owned(),
            kind: self.kind()?,
            optional: self.repetition == OPTIONAL,
        })
    }

    fn kind(&self) -> Found<Kind> {
        let kind = match (self.storage, self.meaning()) {
            (Some(0), Meaning::Plain) => Kind::Boolean,
            (Some(1), Meaning::Plain) => Kind::Int32 { signed: true },
            (Some(1), Meaning::Integer { signed }) => Kind::Int32 { signed },
            (Some(2), Meaning::Plain) => Kind::Int64 { signed: true },
            (Some(2), Meaning::Integer { signed }) => Kind::Int64 { signed },
            (Some(4), Meaning::Plain) => Kind::Float,
            (Some(5), Meaning::Plain) => Kind::Double,
            (Some(6), Meaning::Text) => Kind::Word,
            (Some(6 | 7), Meaning::Plain) => return Err(self.refused("bytes")),
            (Some(3), _) => return Err(self.refused("times")),
            (_, Meaning::Other(what)) => return Err(self.refused(what)),
            _ => {
                return Err(Fault::damaged(format!(
                    "no type for {}",
                    excerpt(self.name)
                )));
            }
        };
        Ok(kind)
    }

    fn meaning(&self) -> Meaning {
        match (&self.logical, self.converted) {
            (Some(logical), _) => logical.meaning(),
            (None, Some(converted)) => converted_meaning(converted),
            (None, None) => Meaning::Plain,
        }
    }

    fn refused(&self, found: &'static str) -> Fault {
        let expected = format!("numbers, words or booleans in {}", excerpt(self.name));
        Fault::new(expected, found)
    }
}

/// What is said of stored bytes.
enum Meaning {
    Plain,
    Integer { signed: bool },
    Text,
    Other(&'static str),
}

impl Logical {
    fn read(reader: &mut Reader<'_>, field: Field) -> Found<Option<Self>> {
        let mut logical = None;
        reader.structure(field, |reader, field| {
            let mut signed = true;
            if field.id == 10 {
                reader.structure(field, |reader, field| {
                    match field.id {
                        2 => signed = reader.number(field)? != 0,
                        _ => reader.skip(field)?,
                    }
                    Ok(())
                })?;
            } else {
                reader.skip(field)?;
            }
            let number = field.id;
            logical = Some(Self { number, signed });
            Ok(())
        })?;
        Ok(logical)
    }

    fn meaning(self) -> Meaning {
        match self.number {
            1 | 4 => Meaning::Text,
            5 => Meaning::Other("decimals"),
            6 => Meaning::Other("dates"),
            7 | 8 => Meaning::Other("times"),
            10 => Meaning::Integer {
                signed: self.signed,
            },
            11 => Meaning::Other("nothing but missing cells"),
            12 | 13 => Meaning::Other("JSON"),
            _ => Meaning::Other("another type"),
        }
    }
}

/// The same for files that know only the older way of saying it.
fn converted_meaning(converted: i64) -> Meaning {
    match converted {
        0 | 4 => Meaning::Text,
        5 => Meaning::Other("decimals"),
        6 => Meaning::Other("dates"),
        7..=10 | 21 => Meaning::Other("times"),
        11..=14 => Meaning::Integer { signed: false },
        15..=18 => Meaning::Integer { signed: true },
        19 | 20 => Meaning::Other("JSON"),
        _ => Meaning::Other("another type"),
    }
}
