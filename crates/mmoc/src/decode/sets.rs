//! Label sets found piece by piece and put together in order.

use rayon::prelude::*;

use crate::Result;
use crate::data::{Labels, Matrix};

/// Rows whose labels one thread collects at a time.
const CHUNK: usize = 256;

/// The label sets of a few consecutive rows.
#[derive(Debug, Default)]
pub(super) struct Sets {
    sizes: Vec<usize>,
    members: Vec<u32>,
}

impl Sets {
    /// Adds a row with the given labels, ascending.
    pub(super) fn push(&mut self, labels: impl Iterator<Item = u32>) {
        let before = self.members.len();
        self.members.extend(labels);
        self.sizes.push(self.members.len() - before);
    }
}

/// All label sets, in the order of the pieces.
pub(super) fn joined(count: usize, pieces: &[Sets]) -> Result<Labels> {
    let rows = pieces.iter().map(|piece| piece.sizes.len()).sum::<usize>();
    let total = pieces.iter().map(|piece| piece.members.len()).sum();
    let mut offsets = Vec::with_capacity(rows + 1);
    let mut members = Vec::with_capacity(total);
    let mut end = 0;
    offsets.push(end);
    for piece in pieces {
        members.extend_from_slice(&piece.members);
        for size in &piece.sizes {
            end += size;
            offsets.push(end);
        }
    }
    Labels::new(count, offsets, members)
}

/// In each row the labels whose value is above a threshold.
pub(super) fn labels_above(values: &Matrix, threshold: f64) -> Result<Labels> {
    let count = values.columns();
    if count == 0 {
        return Ok(Labels::from_fn(values.rows(), 0, |_, _| false));
    }
    let chunks = values.values().par_chunks(CHUNK * count);
    let pieces: Vec<Sets> = chunks
        .map(|chunk| {
            let mut sets = Sets::default();
            for row in chunk.chunks_exact(count) {
                let above = row.iter().zip(0..).filter(|(value, _)| **value > threshold);
                sets.push(above.map(|(_, label)| label));
            }
            sets
        })
        .collect();
    joined(count, &pieces)
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
