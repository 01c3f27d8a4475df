//! The margins Z·w + b of the regressions of a round in the rows of a partition.
//!
//! A regression stays at its coefficients w for several rounds, while its intercept is searched and its Newton step is
//! computed. Products with sparse rows take most of the time of a round, so a partition keeps those of the last round as
//! long as memory allows. Answers do not depend on what is kept: the product of a sparse row with a vector has the same
//! bits whatever vectors are beside it. That of dense rows may depend on their number, so it is computed each time.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::rounds::TILE;
use super::share::Points;
use crate::data::FeaturesView;
use crate::linalg::{add_scaled, product_of_panel};
use crate::partitions::{Panel, Partition};

/// Rows whose margins are copied together.
const BLOCK: usize = 32;

/// The memory for products that the partitions of a process keep: 128 MiB.
static MEMORY: Memory = Memory::new(1 << 27);

/// The products of a partition with the coefficients of the last round, by the keys of these.
#[derive(Debug, Default)]
pub(crate) struct KeptProducts(Mutex<HashMap<u64, Product>>);

/// The product of all rows with some coefficients, and the memory that it takes.
#[derive(Debug)]
pub(super) struct Product {
    values: Vec<f64>,
    _taken: Taken,
}

/// A limited number of bytes.
#[derive(Debug)]
struct Memory {
    most: usize,
    taken: AtomicUsize,
}

/// Some of the memory, which is free again once this is dropped.
#[derive(Debug)]
struct Taken {
    memory: &'static Memory,
    bytes: usize,
}

/// Margins of regressions at their points.
pub(super) struct Margins<'a> {
    points: &'a Points,
    /// The product of each regression with all rows, if it was kept or is to be kept.
    products: Vec<Option<Product>>,
    /// The regressions whose products were kept, and the others.
    kept: Vec<usize>,
    missing: Vec<usize>,
    /// The coefficients of these, p×stride.
    coefficients: Cow<'a, [f64]>,
    stride: usize,
    /// Those of a panel, whose padding stays zero.
    values: Vec<f64>,
    computed: Vec<f64>,
}

impl KeptProducts {
    /// All that is kept, which is then no longer kept.
    pub(super) fn take(&self) -> HashMap<u64, Product> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the products of a round.
    pub(super) fn keep<'a>(&self, margins: impl IntoIterator<Item = Margins<'a>>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = margins
            .into_iter()
            .flat_map(Margins::into_products)
            .collect();
    }
}

impl Memory {
    const fn new(most: usize) -> Self {
        Self {
            most,
            taken: AtomicUsize::new(0),
        }
    }

    /// Takes so many bytes, if as many are free.
    fn take(&'static self, bytes: usize) -> Option<Taken> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|&sum| sum <= self.most);
        let found = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        found.is_ok().then(|| Taken {
            memory: self,
            bytes,
        })
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Product {
    /// Space for the product with so many rows.
    fn to_come(rows: usize) -> Option<Self> {
        let taken = MEMORY.take(rows * size_of::<f64>())?;
        Some(Self {
            values: vec![0.0; rows],
            _taken: taken,
        })
    }
}

impl<'a> Margins<'a> {
    /// Takes what it can use of the products that were kept.
    pub(super) fn new(points: &'a Points, kept: &mut HashMap<u64, Product>) -> Self {
        let keys = points.keys.iter();
        let products: Vec<Option<Product>> = keys.map(|key| kept.remove(key)).collect();
        let (kept, missing): (Vec<usize>, Vec<usize>) =
            (0..products.len()).partition(|&l| products[l].is_some());
        let (coefficients, stride) = if kept.is_empty() {
            (
                Cow::Borrowed(points.coefficients.as_slice()),
                points.stride(),
            )
        } else {
            points.coefficients_of(&missing)
        };
        Self {
            points,
            products,
            kept,
            missing,
            coefficients,
            stride,
            values: Vec::new(),
            computed: Vec::new(),
        }
    }

    /// Finds room for the products that are missing, first in what is no longer of use.
    pub(super) fn make_room(&mut self, partition: &Partition, unused: &mut Vec<Product>) {
        if matches!(partition.features(), FeaturesView::Sparse(_)) {
            for &l in &self.missing {
                let again = unused.pop();
                self.products[l] = again.or_else(|| Product::to_come(partition.rows()));
            }
        }
    }

    /// Z·w + b of the rows of a panel, a row after the other.
    pub(super) fn of_panel(&mut self, panel: &Panel<'_>) -> &mut [f64] {
        let stride = self.points.stride();
        self.values.resize(panel.rows.len() * stride, 0.0);
        if self.kept.is_empty() {
            product_of_panel(panel.features, &self.coefficients, &mut self.values, stride);
        } else {
            self.insert_kept(panel);
            self.insert_missing(panel);
        }
        self.store_missing(panel);
        for row in self.values.chunks_exact_mut(stride) {
            add_scaled(row, 1.0, &self.points.intercepts);
        }
        &mut self.values
    }

    fn insert_kept(&mut self, panel: &Panel<'_>) {
        let stride = self.points.stride();
        for (block, values) in blocks(&mut self.values, stride, &panel.rows) {
            for &l in &self.kept {
                let product = self.products[l].iter();
                let own = product.flat_map(|own| &own.values[block.clone()]);
                let rows = values.chunks_exact_mut(stride);
                rows.zip(own).for_each(|(row, value)| row[l] = *value);
            }
        }
    }

    fn insert_missing(&mut self, panel: &Panel<'_>) {
        if self.missing.is_empty() {
            return;
        }
        self.computed.resize(panel.rows.len() * self.stride, 0.0);
        product_of_panel(
            panel.features,
            &self.coefficients,
            &mut self.computed,
            self.stride,
        );
        let rows = self.values.chunks_exact_mut(self.points.stride());
        for (row, own) in rows.zip(self.computed.chunks_exact(self.stride)) {
            for (&l, value) in self.missing.iter().zip(own) {
                row[l] = *value;
            }
        }
    }

    fn store_missing(&mut self, panel: &Panel<'_>) {
        let stride = self.points.stride();
        for (block, values) in blocks(&mut self.values, stride, &panel.rows) {
            for &l in &self.missing {
                let product = self.products[l].iter_mut();
                let own = product.flat_map(|own| &mut own.values[block.clone()]);
                let rows = values.chunks_exact(stride);
                rows.zip(own).for_each(|(row, value)| *value = row[l]);
            }
        }
    }

    fn into_products(self) -> impl Iterator<Item = (u64, Product)> {
        let keys = self.points.keys.iter().copied();
        keys.zip(self.products)
            .filter_map(|(key, product)| Some((key, product?)))
    }
}

/// The values of some rows, so few rows at a time that they stay in the cache.
fn blocks<'a>(
    values: &'a mut [f64],
    stride: usize,
    rows: &Range<usize>,
) -> impl Iterator<Item = (Range<usize>, &'a mut [f64])> {
    let starts = rows.clone().step_by(BLOCK);
    starts
        .zip(values.chunks_mut(BLOCK * stride))
        .map(move |(first, values)| (first..first + values.len() / stride, values))
}

impl Points {
    /// The coefficients of some of the regressions, p×stride, and the stride.
    fn coefficients_of(&self, chosen: &[usize]) -> (Cow<'static, [f64]>, usize) {
        let stride = chosen.len().next_multiple_of(TILE);
        let columns = self.coefficients.len() / self.stride().max(1);
        let mut coefficients = vec![0.0; columns * stride];
        if stride > 0 {
            let rows = coefficients.chunks_exact_mut(stride);
            for (own, all) in rows.zip(self.coefficients.chunks_exact(self.stride())) {
                for (value, &l) in own.iter_mut().zip(chosen) {
                    *value = all[l];
                }
            }
        }
        (Cow::Owned(coefficients), stride)
    }
}

#[cfg(test)]
mod tests {
    use super::super::share::{LogisticShare, NO_FOLD};
    use super::*;
    use crate::Seed;
    use crate::data::{Csr, Features, Labels, Matrix};
    use crate::partitions::{Bulk, Message, Request};

    const COLUMNS: usize = 6;

    /// Rows of which a partition keeps products.
    fn partition() -> Partition {
        let mut stream = Seed::new(3).stream();
        let x = Matrix::from_fn(500, COLUMNS, |_, _| stream.gaussian().max(0.4) - 0.4);
        let labels = Labels::from_fn(500, 2, |i, j| i % (j + 2) == 0);
        Partition::new(Features::Sparse(Csr::from(&x)), labels, None).unwrap()
    }

    /// Regressions at coefficients that follow from their keys.
    fn at(keys: &[u64]) -> Points {
        let stride = keys.len().next_multiple_of(TILE);
        let mut points = Points {
            labels: keys.iter().map(|key| (key % 2) as u32).collect(),
            left_out: vec![NO_FOLD; keys.len()],
            keys: keys.to_vec(),
            intercepts: Bulk(vec![0.25; stride]),
            coefficients: Bulk(vec![0.0; COLUMNS * stride]),
        };
        for (l, &key) in keys.iter().enumerate() {
            let mut stream = Seed::new(key).stream();
            for k in 0..COLUMNS {
                points.coefficients.0[k * stride + l] = stream.gaussian();
            }
        }
        points
    }

    fn request(totals: &[u64], points: &[u64], products: &[u64]) -> Request {
        let products = at(products);
        LogisticShare {
            folds: 1,
            seed: 0,
            factors: Bulk(vec![1.0; 4]),
            totals: at(totals),
            points: at(points),
            directions: products.coefficients.clone(),
            products,
            heads: Points::default(),
            axes: Bulk(Vec::new()),
        }
        .into()
    }

    fn kept(partition: &Partition) -> Vec<u64> {
        let mut keys: Vec<u64> = partition
            .kept_products()
            .0
            .lock()
            .unwrap()
            .keys()
            .copied()
            .collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn answers_do_not_depend_on_what_is_kept() {
        let keeping = partition();
        let rounds = [
            request(&(0..20).collect::<Vec<u64>>(), &[], &[]),
            request(&[30, 31], &(0..9).collect::<Vec<u64>>(), &[10, 14, 12]),
            request(&[], &[30, 3, 40], &[14, 31, 12, 1]),
            request(&[], &[40], &[]),
        ];
        for round in rounds {
            let found = keeping.answer(&round).unwrap().to_bytes();
            assert_eq!(found, partition().answer(&round).unwrap().to_bytes());
        }
    }

    #[test]
    fn only_the_products_of_the_last_round_are_kept() {
        let partition = partition();
        for (points, products) in [(vec![1, 2, 3], vec![]), (vec![4], vec![1, 3])] {
            partition.answer(&request(&[], &points, &products)).unwrap();
            let mut expected = [points, products].concat();
            expected.sort_unstable();
            assert_eq!(kept(&partition), expected);
        }
    }

    #[test]
    fn memory_is_limited_and_free_again() {
        static OWN: Memory = Memory::new(100);
        let some = OWN.take(60).unwrap();
        assert!(OWN.take(41).is_none());
        assert!(OWN.take(usize::MAX).is_none());
        let rest = OWN.take(40).unwrap();
        drop(some);
        assert!(OWN.take(61).is_none());
        drop(rest);
        assert!(OWN.take(100).is_some());
    }
}
