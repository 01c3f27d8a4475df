//! A number for each row that depends on its content alone, for folds and samples that do not depend on how rows are
//! distributed over partitions.

use crate::data::{FeaturesView, Labels};

/// Stands for a cell that is not there.
const MISSING: u64 = 0x7ff8_0000_0000_0000;
/// Between the cells and the labels of a row.
const LABELS: u64 = u64::MAX;

/// The hash of each row: of its cells other than zero and of its labels.
pub(super) fn hashes(features: FeaturesView<'_>, labels: &Labels) -> Vec<u64> {
    let of_row = |(row, members): (usize, &[u32])| {
        let mut hash = 0;
        features.for_each_in_row(row, |column, value| {
            if value != 0.0 {
                let bits = if value.is_nan() {
                    MISSING
                } else {
                    value.to_bits()
                };
                hash = mixed(mixed(hash, column as u64), bits);
            }
        });
        hash = mixed(hash, LABELS);
        let label = |hash, &label: &u32| mixed(hash, u64::from(label));
        members.iter().fold(hash, label)
    };
    labels.iter().enumerate().map(of_row).collect()
}

/// A hash of a hash and a number: the finalizer of SplitMix64 (Steele, Lea & Flood 2014), whose output bits depend on all
/// bits of the input.
pub(crate) fn mixed(hash: u64, number: u64) -> u64 {
    let sum = hash
        .rotate_left(23)
        .wrapping_add(number)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Features, Matrix};

    fn rows() -> (Matrix, Labels) {
        let x = Matrix::from_fn(2000, 3, |i, j| ((i * (j + 3)) % 7) as f64 - 2.0);
        (x, Labels::from_fn(2000, 4, |i, j| i % (j + 2) == 0))
    }

    #[test]
    fn storage_does_not_matter_and_content_does() {
        let (mut x, labels) = rows();
        let dense = hashes(FeaturesView::Dense(x.view()), &labels);
        let sparse = Features::Sparse(Csr::from(&x));
        assert_eq!(hashes(sparse.view(), &labels), dense);
        x[(5, 1)] += 1.0;
        let other = hashes(FeaturesView::Dense(x.view()), &labels);
        let changed: Vec<usize> = (0..2000).filter(|&row| other[row] != dense[row]).collect();
        assert_eq!(changed, [5]);
    }

    #[test]
    fn folds_have_about_the_same_size() {
        let mut counts = [0_i32; 5];
        for row in 0..10_000 {
            counts[(mixed(mixed(0, row), 3) % 5) as usize] += 1;
        }
        // Four standard deviations.
        assert!(
            counts.iter().all(|count| (count - 2000).abs() < 160),
            "{counts:?}"
        );
    }
}
