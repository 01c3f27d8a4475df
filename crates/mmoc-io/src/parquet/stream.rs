//! The rows of a file in batches, for a model.

use super::chunk::Cells;
use super::column::{flag, number, word};
use super::fault::{Fault, Found};
use super::table::Table;
use super::values::Cell;
use crate::Result;
use crate::meaning::{Meaning, Target};
use crate::rows::Rows;
use crate::source::Source;
use crate::stream::{Fill, Matcher, Opened};
use mmoc::text::excerpt;

/// What the pages of all columns that are open at once may take together.
const OPEN_PAGES: usize = 1 << 30;

/// Opens a file and matches its columns by name.
pub(crate) fn open<'a>(source: Source<'_>, matcher: Matcher<'a>) -> Result<Opened<'a>> {
    let table = Table::open(source)?;
    let names: Vec<&str> = table.columns().map(|column| column.name.as_str()).collect();
    let (meaning, notes) = matcher.by_name(&table.name, None, &names)?;
    let rows = ParquetRows {
        table,
        meaning,
        cells: Vec::new(),
        next_group: 0,
        left_in_group: 0,
        row: 0,
        held: 0,
    };
    Ok(Opened::new(rows, notes))
}

/// The place in a file: one page of every column that is used is in memory.
struct ParquetRows<'f> {
    table: Table,
    meaning: Meaning<'f>,
    /// The columns that are used, by their places among those that are read.
    cells: Vec<(usize, Cells)>,
    next_group: usize,
    left_in_group: usize,
    /// Rows read so far.
    row: usize,
    /// The memory that pages take.
    held: usize,
}

impl Fill for ParquetRows<'_> {
    fn fill(&mut self, rows: &mut Rows, most: usize) -> Result<()> {
        for _ in 0..most {
            while self.left_in_group == 0 {
                if !self.begin_group() {
                    return Ok(());
                }
            }
            self.read_row(rows)?;
            self.left_in_group -= 1;
            self.row += 1;
        }
        Ok(())
    }
}

impl ParquetRows<'_> {
    /// Goes on to the next group of rows, if there is one.
    fn begin_group(&mut self) -> bool {
        let Some(group) = self.table.footer.groups.get(self.next_group) else {
            return false;
        };
        let targets = self.meaning.targets.iter().enumerate();
        let used = targets.filter(|(_, target)| **target != Target::Unused);
        let open = |(place, _)| (place, Cells::new(group, self.table.used[place]));
        self.cells = used.map(open).collect();
        self.left_in_group = group.rows;
        self.next_group += 1;
        self.held = 0;
        true
    }

    fn read_row(&mut self, rows: &mut Rows) -> Result<()> {
        let table = &self.table;
        for (place, cells) in &mut self.cells {
            let declared = &table.footer.columns[table.used[*place]];
            let before = cells.held();
            let read = cells.next(&table.input, declared);
            let put = read.and_then(|cell| put(&self.meaning, *place, cell, rows));
            self.held = self.held + cells.held() - before;
            let put = put.and_then(|()| check_held(self.held));
            put.map_err(|fault| fault.at(&table.name, Some(&declared.name), Some(self.row + 1)))?;
        }
        self.meaning.end_row(rows);
        Ok(())
    }
}

fn check_held(held: usize) -> Found<()> {
    if held <= OPEN_PAGES {
        return Ok(());
    }
    let expected = format!("pages that take at most {OPEN_PAGES} bytes, one of every column");
    Err(Fault::new(expected, "more (smaller groups of rows help)"))
}

/// Puts a cell into the present row.
fn put(meaning: &Meaning<'_>, place: usize, cell: Cell<'_>, rows: &mut Rows) -> Found<()> {
    match meaning.targets[place] {
        Target::Unused => (),
        Target::Label(label) => {
            if flag(cell)? {
                rows.add_label(label);
            }
        }
        Target::Number(column) => rows.put(column, number(cell, meaning.missing)?),
        Target::Word(index, first) => put_word(meaning, (index, first), cell, rows)?,
    }
    Ok(())
}

/// Puts a word of an attribute into its columns; a number may be such a word too.
fn put_word(
    meaning: &Meaning<'_>,
    (index, first): (usize, usize),
    cell: Cell<'_>,
    rows: &mut Rows,
) -> Found<()> {
    let attribute = &meaning.schema.attributes()[index];
    let digits;
    let cell = match cell {
        Cell::Number(value) if value.is_nan() => Cell::Missing,
        Cell::Number(value) => {
            digits = value.to_string();
            Cell::Word(&digits)
        }
        other => other,
    };
    let Some(text) = word(cell, meaning.missing)? else {
        let columns = first..first + attribute.width();
        columns.for_each(|column| rows.put(column, f64::NAN));
        return Ok(());
    };
    let read = attribute.list().and_then(|list| list.read(text));
    let (offset, value) = read.ok_or_else(|| {
        let expected = format!("a value of {attribute}");
        Fault::new(expected, excerpt(text))
    })?;
    rows.put(first + offset, value);
    Ok(())
}
