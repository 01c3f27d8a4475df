//! Rows side by side, each in a lane of its own.
//!
//! A lane that is done gives its place to the next row at once, so that a slow row holds up no other; when no
//! rows are left the occupied lanes close up, so that the last rows do not pay for empty lanes. A row goes
//! through the same arithmetic whatever its neighbours.

use pulp::Simd;

use super::{MOST_SWEEPS, TOLERANCE};
use crate::decode::marginals::strictly_inside;

/// The number of lanes that a sweep goes through is a multiple of this, so that they fill whole registers.
const STEP: usize = 8;

/// The rows of one piece of the work.
pub(super) struct Rows<'a> {
    /// The diagonal of A.
    pub(super) diagonal: &'a [f64],
    /// b of the rows that have not started, fields of those that are done.
    pub(super) fields: &'a mut [f64],
    /// Starting probabilities of the rows that have not started, marginals of those that are done.
    pub(super) probabilities: &'a mut [f64],
    /// Wᵀq of all rows at their start, where sums are kept.
    pub(super) sums: Option<&'a crate::data::Matrix>,
    /// Where these rows begin among all.
    pub(super) first: usize,
}

impl Rows<'_> {
    fn count(&self) -> usize {
        self.fields.len() / self.diagonal.len()
    }
}

/// The state of the rows in L lanes: label by label, a number per lane.
pub(super) struct Lanes<const L: usize> {
    /// b_j − ½A_jj.
    pub(super) biases: Vec<[f64; L]>,
    /// f_j as of the last update of label j.
    pub(super) fields: Vec<[f64; L]>,
    /// q_j = σ(f_j).
    pub(super) marginals: Vec<[f64; L]>,
    /// Wᵀq, where sums are kept.
    pub(super) sums: Vec<[f64; L]>,
    /// The rows in the lanes, from the first lane on.
    occupants: Vec<Occupant>,
    /// The first row that has not been in a lane.
    next: usize,
}

#[derive(Clone, Copy)]
struct Occupant {
    row: usize,
    sweeps: usize,
}

impl<const L: usize> Lanes<L> {
    /// Empty lanes for this many labels and sums.
    pub(super) fn new(labels: usize, sums: usize) -> Self {
        Self {
            biases: vec![[0.0; L]; labels],
            fields: vec![[0.0; L]; labels],
            marginals: vec![[0.0; L]; labels],
            sums: vec![[0.0; L]; sums],
            occupants: Vec::with_capacity(L),
            next: 0,
        }
    }

    /// The registers that a sweep has to go through: those of the occupied lanes, to a multiple of [`STEP`] lanes.
    #[inline(always)]
    pub(super) fn registers<S: Simd>(&self) -> usize {
        let width = L / S::as_simd_f64s(&[0.0; L]).0.len();
        self.occupants.len().next_multiple_of(STEP).min(L) / width
    }

    /// Fills empty lanes with rows that wait; returns whether any lane is occupied.
    pub(super) fn take_rows(&mut self, rows: &Rows<'_>) -> bool {
        while self.occupants.len() < L && self.next < rows.count() {
            self.load(self.occupants.len(), rows, self.next);
            self.occupants.push(Occupant {
                row: self.next,
                sweeps: 0,
            });
            self.next += 1;
        }
        !self.occupants.is_empty()
    }

    /// Writes out the rows that are done after a sweep with the given changes.
    pub(super) fn release_rows(&mut self, rows: &mut Rows<'_>, changes: &[f64; L]) {
        // From the last lane on: what closes a gap then has been looked at already.
        for lane in (0..self.occupants.len()).rev() {
            let occupant = &mut self.occupants[lane];
            occupant.sweeps += 1;
            if changes[lane] <= TOLERANCE || occupant.sweeps == MOST_SWEEPS {
                let row = occupant.row;
                self.store(lane, rows, row);
                self.vacate(lane, rows);
            }
        }
    }

    /// Gives a lane to the next row, or to that of the last lane if none waits.
    fn vacate(&mut self, lane: usize, rows: &Rows<'_>) {
        if self.next < rows.count() {
            self.load(lane, rows, self.next);
            self.occupants[lane] = Occupant {
                row: self.next,
                sweeps: 0,
            };
            self.next += 1;
            return;
        }
        self.occupants.swap_remove(lane);
        let last = self.occupants.len();
        let arrays = [&mut self.biases, &mut self.marginals, &mut self.sums];
        for values in arrays.into_iter().flatten() {
            values[lane] = values[last];
        }
    }

    fn load(&mut self, lane: usize, rows: &Rows<'_>, row: usize) {
        let start = row * rows.diagonal.len();
        let evidence = &rows.fields[start..];
        for ((bias, b), own) in self.biases.iter_mut().zip(evidence).zip(rows.diagonal) {
            bias[lane] = b - 0.5 * own;
        }
        let probabilities = rows.probabilities[start..].iter();
        for (marginal, p) in self
            .marginals
            .iter_mut()
            .zip(probabilities)
            .take(rows.diagonal.len())
        {
            marginal[lane] = *p;
        }
        if let Some(sums) = rows.sums {
            for (sum, s) in self.sums.iter_mut().zip(sums.row(rows.first + row)) {
                sum[lane] = *s;
            }
        }
    }

    fn store(&self, lane: usize, rows: &mut Rows<'_>, row: usize) {
        let labels = rows.diagonal.len();
        let fields = &mut rows.fields[row * labels..][..labels];
        for (target, field) in fields.iter_mut().zip(&self.fields) {
            *target = field[lane];
        }
        let probabilities = &mut rows.probabilities[row * labels..][..labels];
        for (target, marginal) in probabilities.iter_mut().zip(&self.marginals) {
            *target = strictly_inside(marginal[lane]);
        }
    }
}
