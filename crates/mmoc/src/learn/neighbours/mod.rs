//! How similar a row is to the nearest training row of each class:
//!
//! ```text
//! s(x, c) = max over the training rows i of class c of similarity(x, x_i)
//! ```
//!
//! Classes are label sets. The similarity of sparse rows is their cosine. That of dense rows is −‖x − x_i‖²/u, where
//! the unit u is the squared distance at which neighbours typically are.
//!
//! Only differences between the classes of a row matter to a posterior. So what is kept of a row is s(x, c) minus a
//! floor, for the [`KEPT`] nearest classes: a few hundred numbers where there may be thousands of classes. The floor is
//! the similarity of the next class, or of the farthest class if there are no more, and then nothing but a constant of
//! the row is lost.
//!
//! Comparing n rows with n training rows takes n²·p products for dense rows, and for sparse ones a product for each
//! column that two rows have in common. Where that is too much, a sample of the training rows is kept.
//!
//! | file | what it is |
//! |---|---|
//! | `classes` | classes of training rows |
//! | `cosines` | similarities of sparse rows |
//! | `distances`, `unit` | similarities of dense rows |
//! | `maxima` | the nearest row of each class, and what is kept of it |
//! | `sample` | which training rows are kept |
//! | `stored` | all this in model files |

mod classes;
mod cosines;
mod distances;
mod maxima;
mod sample;
mod stored;
#[cfg(test)]
mod tests;
mod unit;

use rayon::prelude::*;

use self::classes::{RowClasses, check_classes};
use self::cosines::Cosines;
use self::distances::Distances;
use self::maxima::{Found, Maxima};
use crate::data::{Csr, Features, FeaturesView};
use crate::{Error, Result, Seed, check_size, check_stop};

/// Classes of a row that are kept.
const KEPT: usize = 256;

/// Rows that one thread compares at a time.
const BLOCK: usize = 64;

/// Training rows by class, to compare other rows with.
#[derive(Debug, Clone)]
pub(crate) struct NearestSets {
    rows: ComparedRows,
    /// Their classes; the rows are in the order of these.
    classes: RowClasses,
    /// Which training row each of the rows is.
    origins: Vec<u32>,
}

/// Training rows in the form in which they are compared.
#[derive(Debug, Clone)]
enum ComparedRows {
    Dense(Distances),
    Sparse(Cosines),
}

impl NearestSets {
    /// The rows of a training set, each with its class below `class_count`.
    pub(crate) fn new(
        x: FeaturesView<'_>,
        classes: &[u32],
        class_count: usize,
        seed: Seed,
    ) -> Result<Self> {
        Self::within(sample::MOST_WORK, x, classes, class_count, seed)
    }

    /// The same with so many of the rows that comparing all with them takes no more than `most_work`.
    fn within(
        most_work: f64,
        x: FeaturesView<'_>,
        classes: &[u32],
        class_count: usize,
        seed: Seed,
    ) -> Result<Self> {
        check_size("classes of rows", x.rows(), classes.len())?;
        check_classes(classes, class_count)?;
        check_finite(x)?;
        let size = sample::affordable_rows(x, class_count, most_work);
        let mut kept = sample::draw(classes, class_count, size, seed.named("neighbours"));
        kept.sort_by_key(|&row| classes[row]);
        let rows = match x.select_rows(&kept) {
            Features::Dense(rows) => ComparedRows::Dense(Distances::new(&rows)?),
            Features::Sparse(rows) => ComparedRows::Sparse(Cosines::new(rows.view())?),
        };
        let classes: Vec<u32> = kept.iter().map(|&row| classes[row]).collect();
        Ok(Self {
            rows,
            classes: RowClasses::new(&classes, class_count)?,
            origins: kept.iter().map(|&row| row as u32).collect(),
        })
    }

    /// What the nearest classes of each row have above its floor, n×`class_count`. Classes at the floor have no entry.
    pub(crate) fn of_rows(&self, x: FeaturesView<'_>) -> Result<Csr> {
        self.nearest(x, |_| None, KEPT)
    }

    /// The same for the training rows, all of them in their order, each without itself: the class of a row that no
    /// other row has is at the floor.
    pub(crate) fn held_out(&self, x: FeaturesView<'_>) -> Result<Csr> {
        self.held_out_nearest(x, KEPT)
    }

    fn held_out_nearest(&self, x: FeaturesView<'_>, kept: usize) -> Result<Csr> {
        let mut places = vec![None; x.rows()];
        for (place, &origin) in self.origins.iter().enumerate() {
            let found = places.get_mut(origin as usize);
            *found.ok_or_else(|| too_few_rows(origin, x.rows()))? = Some(place);
        }
        self.nearest(x, |row| places[row], kept)
    }

    /// Number of columns of the features.
    pub(crate) fn columns(&self) -> usize {
        match &self.rows {
            ComparedRows::Dense(distances) => distances.means().len(),
            ComparedRows::Sparse(cosines) => cosines.index().rows(),
        }
    }

    /// Number of training rows that are kept.
    #[cfg(test)]
    pub(crate) fn rows_kept(&self) -> usize {
        self.origins.len()
    }

    /// The nearest classes of each row, `own(row)` of the kept training rows left out.
    fn nearest(
        &self,
        x: FeaturesView<'_>,
        own: impl Fn(usize) -> Option<usize> + Sync,
        kept: usize,
    ) -> Result<Csr> {
        check_size("columns of features", self.columns(), x.columns())?;
        check_finite(x)?;
        let starts: Vec<usize> = (0..x.rows()).step_by(BLOCK).collect();
        let workspace = || (Maxima::new(BLOCK, &self.classes), Vec::new());
        let blocks: Result<Vec<Found>> = starts
            .into_par_iter()
            .map_init(workspace, |(maxima, products), first| {
                check_stop()?;
                let rows = first..x.rows().min(first + BLOCK);
                maxima.clear();
                let some = x.rows_in(rows.clone());
                self.compare(some, products, |row, start, similarities| {
                    leave_out(own(first + row), start, similarities);
                    maxima.raise(row, start, similarities);
                })?;
                let mut found = Found::default();
                (0..rows.len()).for_each(|row| {
                    maxima.above_floor(row, kept, self.unit(), &mut found);
                });
                Ok(found)
            })
            .collect();
        Found::concatenated(blocks?, self.classes.count())
    }

    /// Calls `visit(row, first, similarities)` for each row and the kept training rows from `first` on, some or all of
    /// them at a time.
    fn compare(
        &self,
        x: FeaturesView<'_>,
        products: &mut Vec<f64>,
        mut visit: impl FnMut(usize, usize, &mut [f64]),
    ) -> Result<()> {
        match &self.rows {
            ComparedRows::Dense(distances) => distances.visit(x, visit),
            ComparedRows::Sparse(cosines) => {
                cosines.visit(x, products, |row, similarities| visit(row, 0, similarities));
                Ok(())
            }
        }
    }

    /// The unit of similarities.
    fn unit(&self) -> f64 {
        match &self.rows {
            ComparedRows::Dense(distances) => distances.unit(),
            ComparedRows::Sparse(_) => 1.0,
        }
    }
}

/// Makes a training row infinitely far, if it is one of those from `start` on.
fn leave_out(own: Option<usize>, start: usize, similarities: &mut [f64]) {
    let place = own.and_then(|own| own.checked_sub(start));
    if let Some(similarity) = place.and_then(|place| similarities.get_mut(place)) {
        *similarity = f64::NEG_INFINITY;
    }
}

fn check_finite(x: FeaturesView<'_>) -> Result<()> {
    if x.stored_values().iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: "finite features".into(),
        found: "NaN or infinite values".into(),
    })
}

fn too_few_rows(origin: u32, rows: usize) -> Error {
    Error::Dataset {
        expected: format!("all training rows, row {origin} among them"),
        found: format!("{rows} rows"),
    }
}
