//! Label sets of consecutive rows, collected in pieces.

use rayon::prelude::*;

use crate::Result;
use crate::data::{Labels, Matrix};

/// Rows whose labels one thread collects at a time.
const CHUNK: usize = 256;

/// The label sets of a few consecutive rows.
#[derive(Debug)]
pub(super) struct Sets {
    count: usize,
    offsets: Vec<usize>,
    /// As many as there could be, of which those up to the last offset count.
    members: Vec<u32>,
}

impl Sets {
    /// Room for this many rows over `count` labels.
    pub(super) fn new(count: usize, rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self {
            count,
            offsets,
            members: vec![0; rows * count],
        }
    }

    /// Adds a row with the labels for which the condition holds.
    ///
    /// Every label is written and only those that hold are counted: which do cannot be foreseen, and wrong
    /// guesses of the processor would take longer than the writing.
    #[inline(always)]
    pub(super) fn push(&mut self, holds: impl Fn(usize) -> bool) {
        let start = self.offsets[self.offsets.len() - 1];
        let row = &mut self.members[start..][..self.count];
        let mut size = 0;
        for label in 0..self.count {
            row[size] = label as u32;
            size += usize::from(holds(label));
        }
        self.offsets.push(start + size);
    }

    /// The rows as they were added.
    pub(super) fn finish(mut self) -> Result<Labels> {
        self.members.truncate(self.offsets[self.offsets.len() - 1]);
        Labels::new(self.count, self.offsets, self.members)
    }
}

/// In each row the labels whose value is above a threshold.
pub(super) fn labels_above(values: &Matrix, threshold: f64) -> Result<Labels> {
    let count = values.columns();
    if count == 0 {
        return Ok(Labels::from_fn(values.rows(), 0, |_, _| false));
    }
    let pieces = values
        .values()
        .par_chunks(CHUNK * count)
        .map(|chunk| {
            let mut sets = Sets::new(count, chunk.len() / count);
            for row in chunk.chunks_exact(count) {
                sets.push(|label| row[label] > threshold);
            }
            sets.finish()
        })
        .collect::<Result<Vec<Labels>>>()?;
    Ok(Labels::concatenated(count, &pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_above_equal_those_decided_one_by_one() {
        for rows in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK - 1] {
            for count in [0, 1, 5] {
                let mut stream = crate::Seed::new(3).stream();
                let mut values = Matrix::zeros(rows, count);
                values
                    .values_mut()
                    .iter_mut()
                    .for_each(|value| *value = stream.uniform());
                let expected = Labels::from_fn(rows, count, |i, j| values[(i, j)] > 0.3);
                assert_eq!(labels_above(&values, 0.3).unwrap(), expected);
            }
        }
    }
}
