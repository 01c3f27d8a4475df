//! Thrift's compact protocol, written; `data/parquet/thrift.rs` describes and reads it.

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Int32 = 5,
    Int64 = 6,
    Text = 8,
    List = 9,
    Structure = 12,
}

/// Structures as they are written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// The number of the last field of the present structure.
    last: u8,
}

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A field that is an enumeration or a count.
    pub(super) fn int32(&mut self, id: u8, value: usize) {
        self.field(id, Kind::Int32);
        self.integer(value as u64);
    }

    /// A field that is an offset or a size.
    pub(super) fn int64(&mut self, id: u8, value: u64) {
        self.field(id, Kind::Int64);
        self.integer(value);
    }

    /// A field that is text.
    pub(super) fn text(&mut self, id: u8, value: &str) {
        self.field(id, Kind::Text);
        self.element_text(value);
    }

    /// A field that is a structure, filled by `fill`.
    pub(super) fn structure(&mut self, id: u8, fill: impl FnOnce(&mut Self)) {
        self.field(id, Kind::Structure);
        self.element(fill);
    }

    /// A field that is a list of so many elements; they follow.
    pub(super) fn list(&mut self, id: u8, kind: Kind, count: usize) {
        self.field(id, Kind::List);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind as u8);
        } else {
            self.bytes.push(0xF0 | kind as u8);
            self.unsigned(count as u64);
        }
    }

    /// An element of a list that is an integer.
    pub(super) fn element_integer(&mut self, value: usize) {
        self.integer(value as u64);
    }

    /// An element of a list that is text.
    pub(super) fn element_text(&mut self, value: &str) {
        self.unsigned(value.len() as u64);
        self.bytes.extend_from_slice(value.as_bytes());
    }

    /// An element of a list that is a structure, or the outermost structure.
    pub(super) fn element(&mut self, fill: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.last);
        fill(self);
        self.bytes.push(0);
        self.last = outer;
    }

    /// Fields ascend by less than 16.
    fn field(&mut self, id: u8, kind: Kind) {
        self.bytes.push((id - self.last) << 4 | kind as u8);
        self.last = id;
    }

    /// An integer that could be negative, but never is here: 0, 1, 2, … are written as 0, 2, 4, ….
    fn integer(&mut self, value: u64) {
        self.unsigned(value << 1);
    }

    fn unsigned(&mut self, value: u64) {
        push_varint(&mut self.bytes, value);
    }
}

/// Writes a number seven bits to a byte, the lowest first.
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
