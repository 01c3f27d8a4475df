//! The classes of the kept training rows.

use crate::{Error, Result};

/// Classes of rows that are in the order of their classes.
#[derive(Debug, Clone)]
pub(super) struct RowClasses {
    /// The classes that rows have, ascending.
    distinct: Vec<u32>,
    /// Which of them each row has.
    of_rows: Vec<u32>,
    /// Number of classes, those without a row among them.
    count: usize,
}

impl RowClasses {
    /// The classes of rows, ascending and below `count`.
    pub(super) fn new(classes: &[u32], count: usize) -> Result<Self> {
        check_classes(classes, count)?;
        if !classes.is_sorted() {
            return Err(Error::Dataset {
                expected: "classes that ascend".into(),
                found: "others".into(),
            });
        }
        let (mut distinct, mut of_rows) = (Vec::new(), Vec::with_capacity(classes.len()));
        for rows in classes.chunk_by(|a, b| a == b) {
            of_rows.resize(of_rows.len() + rows.len(), distinct.len() as u32);
            distinct.push(rows[0]);
        }
        Ok(Self {
            distinct,
            of_rows,
            count,
        })
    }

    /// Number of classes, those without a row among them.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The classes that rows have, ascending.
    pub(super) fn distinct(&self) -> &[u32] {
        &self.distinct
    }

    /// The position of each row's class among the distinct ones.
    pub(super) fn positions(&self) -> &[u32] {
        &self.of_rows
    }

    /// The class of each row.
    pub(super) fn of_rows(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let class = |&position: &u32| self.distinct[position as usize];
        self.of_rows.iter().map(class)
    }
}

/// There must be a row, and classes must be below their number.
pub(super) fn check_classes(classes: &[u32], count: usize) -> Result<()> {
    let beyond = |class: &&u32| **class as usize >= count;
    let found = match classes.iter().find(beyond) {
        Some(class) => format!("class {class}"),
        None if classes.is_empty() => "no rows".into(),
        None => return Ok(()),
    };
    Err(Error::Dataset {
        expected: format!("rows of classes below {count}"),
        found,
    })
}
