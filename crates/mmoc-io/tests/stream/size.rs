//! Files that are long or wide.

use std::cell::Cell;
use std::io::Read;

use mmoc::data::{Attribute, Schema};
use mmoc_io::{Format, RowStream, WantedLabels};

use super::{batches, options, words};

/// A table without an end; how much of it was read.
struct Endless<'a> {
    read: &'a Cell<usize>,
}

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let table = b"a,l\n".iter().chain(b"1.5,0\n".iter().cycle());
        let bytes = table.skip(self.read.get());
        buffer
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, &from)| *to = from);
        self.read.set(self.read.get() + buffer.len());
        Ok(buffer.len())
    }
}

#[test]
fn no_more_is_read_than_a_batch_needs() {
    let schema = Schema::new(vec![Attribute::numeric("a")], words(&["l"]), false).unwrap();
    let read = Cell::new(0);
    let options = options(Format::Csv, WantedLabels::Required, 10);
    let mut rows = RowStream::from_reader(Endless { read: &read }, "f", &schema, &options).unwrap();
    for _ in 0..100 {
        let batch = rows.next_batch().unwrap().unwrap();
        assert_eq!(batch.features.view().rows(), 10);
    }
    assert!(read.get() <= 6 * 1000 + (1 << 17), "{} bytes", read.get());
}

#[test]
fn a_million_columns_are_read_row_by_row() {
    let columns = 1_000_000;
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let attributes = names.iter().map(Attribute::numeric).collect();
    let schema = Schema::new(attributes, words(&["l"]), true).unwrap();
    let mut table = String::new();
    for name in names.iter().rev() {
        table.extend([name, ","]);
    }
    table.push_str("l\n");
    for row in 0..3_usize {
        let cell = |column: usize| if column % 1000 == row { "2.5," } else { "0," };
        table.extend((0..columns).rev().map(cell));
        table.push_str("1\n");
    }
    let options = options(Format::Csv, WantedLabels::Required, 1);
    let mut rows = RowStream::from_reader(table.as_bytes(), "f", &schema, &options).unwrap();
    let batches = batches(&mut rows).unwrap();
    assert_eq!(batches.len(), 3);
    for (row, batch) in batches.iter().enumerate() {
        let mut found = Vec::new();
        batch
            .features
            .view()
            .for_each_stored(|_, column, value| found.push((column, value)));
        let expected: Vec<_> = (0..1000).map(|k| (1000 * k + row, 2.5)).collect();
        assert_eq!(found, expected);
    }
}
