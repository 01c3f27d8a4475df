//! A digest that identifies a data set.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::data::{DatasetView, FeaturesView, Targets};

/// SHA-256 of the contents of a data set, as 64 hexadecimal digits: names of columns and labels, every number, every
/// label set. The name of the data set and the storage of numbers, dense or sparse, do not matter.
///
/// The digest is that of the following, where every count and index is eight bytes, the lowest first, and a name is its
/// number of bytes and its bytes in UTF-8: p and the names of the columns; q and the names of the labels; n; and for each row
/// the number of cells other than zero, each with its column and the eight bytes of its number, the lowest first (a
/// missing cell is the quiet NaN 0x7ff8000000000000), then the number of its labels and each of them. If rows have
/// weights, the word `weights` and the eight bytes of each weight follow, the lowest first. If labels are not known, the
/// word `unknown` follows, and for each row the number of such labels and each of them.
pub fn fingerprint(dataset: DatasetView<'_>) -> String {
    let mut hash = Hash(Sha256::new());
    hash.names(dataset.schema().feature_names());
    hash.names(dataset.schema().label_names());
    hash.count(dataset.rows());
    for row in 0..dataset.rows() {
        hash.cells(dataset.features(), row);
        hash.labels(dataset.labels().row(row));
    }
    hash.marks(dataset.targets());
    hexadecimal(&hash.0.finalize())
}

struct Hash(Sha256);

impl Hash {
    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn names(&mut self, names: &[String]) {
        self.count(names.len());
        for name in names {
            self.count(name.len());
            self.0.update(name);
        }
    }

    fn labels(&mut self, labels: &[u32]) {
        self.count(labels.len());
        labels.iter().for_each(|&label| self.count(label as usize));
    }

    /// Weights and unknown labels, where there are some.
    fn marks(&mut self, targets: Targets<'_>) {
        if let Some(weights) = targets.weights() {
            self.0.update("weights");
            let bytes = weights.iter().map(|weight| weight.to_le_bytes());
            bytes.for_each(|bytes| self.0.update(bytes));
        }
        if let Some(unknown) = targets.unknown() {
            self.0.update("unknown");
            unknown.iter().for_each(|labels| self.labels(labels));
        }
    }

    fn cells(&mut self, features: FeaturesView<'_>, row: usize) {
        const MISSING: u64 = 0x7ff8_0000_0000_0000;
        let mut cells = Vec::new();
        features.for_each_in_row(row, |column, value| {
            if value != 0.0 {
                let bits = if value.is_nan() {
                    MISSING
                } else {
                    value.to_bits()
                };
                cells.push((column, bits));
            }
        });
        self.count(cells.len());
        for (column, bits) in cells {
            self.count(column);
            self.0.update(bits.to_le_bytes());
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("text can be written to");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Dataset, Features, Labels, Matrix};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn dataset(name: &str, features: Features, columns: &[&str], labels: &[&str]) -> Dataset {
        let sets = Labels::from_fn(2, 2, |i, j| i == j);
        Dataset::new(name, features, sets, names(columns), names(labels)).unwrap()
    }

    fn dense(values: [f64; 6]) -> Features {
        Features::Dense(Matrix::new(2, 3, values.to_vec()).unwrap())
    }

    fn of(values: [f64; 6]) -> String {
        let columns = ["a", "b", "c"];
        fingerprint(dataset("d", dense(values), &columns, &["l", "m"]).view())
    }

    const VALUES: [f64; 6] = [1.5, 0.0, f64::NAN, 0.0, 0.0, -2.0];

    #[test]
    fn storage_and_the_name_of_the_data_set_make_no_difference() {
        let values = vec![1.5, 0.0, f64::NAN, -2.0];
        let sparse = Csr::new(3, vec![0, 3, 4], vec![0, 1, 2, 2], values).unwrap();
        let columns = ["a", "b", "c"];
        let sparse = dataset("other", Features::Sparse(sparse), &columns, &["l", "m"]);
        assert_eq!(fingerprint(sparse.view()), of(VALUES));
        assert_eq!(of(VALUES).len(), 64);
    }

    #[test]
    fn every_number_name_and_label_makes_a_difference() {
        let mut found = vec![of(VALUES)];
        for k in 0..6 {
            let mut values = VALUES;
            values[k] = 7.0;
            found.push(of(values));
        }
        let columns = ["a", "b", "c"];
        let changed = [
            dataset("d", dense(VALUES), &["a", "bc", ""], &["l", "m"]),
            dataset("d", dense(VALUES), &columns, &["m", "l"]),
            dataset("d", dense(VALUES), &columns, &["l", "m"])
                .select_rows(&[0])
                .unwrap(),
        ];
        found.extend(changed.iter().map(|data| fingerprint(data.view())));
        let sets = Labels::from_fn(2, 2, |i, j| i != j);
        let other = Dataset::new(
            "d",
            dense(VALUES),
            sets,
            names(&columns),
            names(&["l", "m"]),
        );
        found.push(fingerprint(other.unwrap().view()));
        let marked = || dataset("d", dense(VALUES), &columns, &["l", "m"]);
        let unknown = Labels::from_fn(2, 2, |i, j| i == 0 && j == 1);
        for weights in [vec![1.0, 1.0], vec![1.0, 2.0]] {
            let weighted = marked().with_weights(weights).unwrap();
            found.push(fingerprint(weighted.view()));
            let both = weighted.with_unknown(unknown.clone()).unwrap();
            found.push(fingerprint(both.view()));
        }
        let unsure = marked().with_unknown(unknown).unwrap();
        found.push(fingerprint(unsure.view()));
        let all = found.len();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), all);
    }

    #[test]
    fn the_digest_is_that_of_the_bytes_in_the_documentation() {
        let one = Features::Dense(Matrix::new(1, 1, vec![0.5]).unwrap());
        let sets = Labels::from_fn(1, 1, |_, _| true);
        let data = Dataset::new("d", one, sets, names(&["x"]), names(&["é"])).unwrap();
        let mut bytes = Vec::new();
        let mut count = |count: u64| bytes.extend(count.to_le_bytes());
        count(1);
        count(1);
        bytes.extend(b"x");
        let mut count = |count: u64| bytes.extend(count.to_le_bytes());
        count(1);
        count(2);
        bytes.extend("é".as_bytes());
        for part in [1, 1, 0, 0x3fe0_0000_0000_0000, 1, 0] {
            bytes.extend(u64::to_le_bytes(part));
        }
        assert_eq!(
            fingerprint(data.view()),
            hexadecimal(&Sha256::digest(&bytes))
        );
    }
}
