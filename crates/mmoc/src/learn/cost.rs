//! Cost estimates of the two regression backends, and the choice between them.
//!
//! With n rows, p columns, s stored values (n·p if dense), m = min(n, p), t targets, g penalties, K folds, and c =
//! 2 for sparse features or 1 for dense ones, the numbers of operations are about
//!
//! | | factorisation | iteration |
//! |---|---|---|
//! | Gram matrix | ½·s·m, sparse ½·c·s²/max(n, p) | |
//! | tridiagonal form, basis | m³ | |
//! | leverages | s·m + 2·g·n·m | |
//! | targets | g·t·(m² + min(c·s, n·m)) | 150·t·(K + 1)·(2·c·s + 10·p) |
//! | values in memory | 4·m² + 2·min(n·m, 2²²) + (g + 4·t)·n | 3·s + 3·t·(n + p), and for each thread 2²⁴ + 8·g·n |
//!
//! The unit is a multiply-add with a dense matrix, which takes 0.2 to 0.3 ns on one processor of
//! `docs/base-learners.md` under load. A multiply-add with a sparse matrix takes twice that, and an m³ term m³
//! units, partly at the speed of matrix products and partly at that of memory. The number of conjugate gradient
//! steps is not known in advance: it was 32 to 204 there. The memory does not include the features themselves.
//!
//! A factorisation gives exact leave-one-out and needs no tolerance. It is used up to [`CHEAP`] operations, and
//! above that up to [`WORTH`] times the operations of iteration, but never above [`MOST_BYTES`] of memory.

use crate::data::FeaturesView;

/// Memory limit of a factorisation unless the user requests one, 1 GiB: about 5700 rows or columns, whichever are
/// fewer.
const MOST_BYTES: f64 = (1u64 << 30) as f64;

/// Operations at which a factorisation costs a negligible time: about half a second.
const CHEAP: f64 = (1u64 << 31) as f64;

/// Maximum ratio of the operations of a factorisation to those of iteration.
const WORTH: f64 = 2.0;

/// Expected number of conjugate gradient steps for a target and fold.
const EXPECTED_STEPS: f64 = 150.0;

/// Maximum number of row coordinates that a factorisation stores.
const MOST_KEPT: f64 = (1u64 << 22) as f64;

/// Numbers that iterations of a thread keep, at most, and the targets that it regresses at a time.
const MOST_ITERATED: f64 = (1u64 << 24) as f64;
const TARGETS_AT_ONCE: f64 = 8.0;

/// The size of the features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    rows: f64,
    columns: f64,
    stored: f64,
    /// Cost of a multiply-add with a stored value.
    of_stored: f64,
}

/// The numbers of targets, penalties and folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Work {
    pub(super) targets: f64,
    pub(super) penalties: usize,
    pub(super) folds: usize,
}

impl Size {
    pub(super) fn of(x: FeaturesView<'_>) -> Self {
        Self {
            rows: x.rows() as f64,
            columns: x.columns() as f64,
            stored: x.stored_values().len() as f64,
            of_stored: match x {
                FeaturesView::Dense(_) => 1.0,
                FeaturesView::Sparse(_) => 2.0,
            },
        }
    }

    /// Sizes of features that are not there yet.
    pub(super) fn new(rows: f64, columns: f64, stored: f64, dense: bool) -> Self {
        Self {
            rows,
            columns,
            stored,
            of_stored: if dense { 1.0 } else { 2.0 },
        }
    }

    /// Numbers in memory while regressions are factorised or iterated.
    pub(super) fn numbers(self, work: Work, factorised: bool, threads: usize) -> f64 {
        if factorised {
            return self.factorisation_bytes(work) / 8.0;
        }
        let (penalties, targets) = (work.penalties as f64, work.targets);
        let fits = TARGETS_AT_ONCE * (work.folds as f64);
        let of_thread =
            MOST_ITERATED.min(fits * penalties * self.columns) + 8.0 * penalties * self.rows;
        3.0 * self.stored + 3.0 * targets * (self.rows + self.columns) + threads as f64 * of_thread
    }

    fn smaller(self) -> f64 {
        self.rows.min(self.columns)
    }

    /// Whether factorisation is preferable to iteration.
    pub(super) fn favours_factorisation(self, work: Work) -> bool {
        let worth = CHEAP.max(WORTH * self.iteration_operations(work));
        self.factorisation_bytes(work) <= MOST_BYTES && self.factorisation_operations(work) <= worth
    }

    /// Whether dense features can be rotated within the memory limit of a factorisation. The cost of a rotation,
    /// some 10·m³ + n·p·m, is small compared with the thousands of products of n·m that it saves for each label.
    pub(super) fn allows_rotation(self) -> bool {
        8.0 * 4.0 * self.smaller().powi(2) <= MOST_BYTES
    }

    fn factorisation_bytes(self, work: Work) -> f64 {
        let kept = MOST_KEPT.min(self.rows * self.smaller());
        let of_row = work.penalties as f64 + 4.0 * work.targets;
        8.0 * (4.0 * self.smaller().powi(2) + 2.0 * kept + of_row * self.rows)
    }

    fn factorisation_operations(self, work: Work) -> f64 {
        let (m, products) = (self.smaller(), self.of_stored * self.stored);
        let longer = self.rows.max(self.columns).max(1.0);
        let gram = (self.stored * m / 2.0).min(products * self.stored / longer / 2.0);
        let penalties = work.penalties as f64;
        let leverages = self.stored * m + 2.0 * penalties * self.rows * m;
        let of_target = penalties * (m * m + products.min(self.rows * m));
        gram + m.powi(3) + leverages + work.targets * of_target
    }

    fn iteration_operations(self, work: Work) -> f64 {
        let fits = work.targets * (work.folds + 1) as f64;
        let of_step = 2.0 * self.of_stored * self.stored + 10.0 * self.columns;
        fits * EXPECTED_STEPS * of_step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work {
        targets: 5.0,
        penalties: 15,
        folds: 5,
    };

    fn sparse(rows: usize, columns: usize, in_row: usize) -> Size {
        Size {
            rows: rows as f64,
            columns: columns as f64,
            stored: (rows * in_row) as f64,
            of_stored: 2.0,
        }
    }

    fn dense(rows: usize, columns: usize) -> Size {
        Size {
            of_stored: 1.0,
            ..sparse(rows, columns, columns)
        }
    }

    #[test]
    fn the_paper_data_sets_and_tall_tables_are_factorised() {
        for size in [
            dense(300, 72),
            dense(300, 294),
            sparse(300, 1449, 13),
            sparse(4880, 1836, 68),
            dense(200_000, 300),
            sparse(1_000_000, 100, 5),
            sparse(300, 300, 2),
        ] {
            assert!(size.favours_factorisation(WORK), "{size:?}");
        }
    }

    #[test]
    fn features_with_many_rows_and_columns_are_iterated() {
        for size in [
            sparse(50_000, 20_000, 20),
            sparse(20_000, 10_000, 20),
            sparse(10_000, 1_000_000, 100),
            dense(10_000, 10_000),
            sparse(5000, 2000, 20),
        ] {
            assert!(!size.favours_factorisation(WORK), "{size:?}");
        }
    }

    #[test]
    fn many_targets_favour_factorisation_within_the_memory_limit() {
        let size = sparse(5000, 5000, 20);
        let many = Work {
            targets: 500.0,
            ..WORK
        };
        assert!(!size.favours_factorisation(WORK));
        assert!(size.favours_factorisation(many));
    }

    #[test]
    fn rotation_is_allowed_up_to_one_gibibyte() {
        assert!(dense(100_000, 5792).allows_rotation());
        assert!(!dense(100_000, 5793).allows_rotation());
    }
}
