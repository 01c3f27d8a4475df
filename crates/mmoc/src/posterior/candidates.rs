//! The label sets that a posterior considers one by one, and how many training rows have each.

use std::collections::BTreeMap;

use super::trie::Trie;
use crate::data::Labels;
use crate::evidence::SetClasses;
use crate::settings::Named;
use crate::{Error, Result};

/// Labels up to which all label sets can be candidates.
pub const MOST_ENUMERATED_LABELS: usize = 14;

/// Which label sets are candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CandidateSets {
    /// All 2^q sets.
    All,
    /// The sets of the training rows.
    #[default]
    Seen,
}

impl Named for CandidateSets {
    const NAMES: &'static [(Self, &'static str)] = &[(Self::All, "all"), (Self::Seen, "seen")];
}

/// Candidate sets, ordered as their members are.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    sets: Labels,
    /// Training rows with each set.
    counts: Vec<usize>,
    are_all: bool,
    trie: Trie,
}

impl Candidates {
    /// The distinct sets of the training rows.
    pub(crate) fn seen(labels: &Labels) -> Self {
        let mut counted: BTreeMap<&[u32], usize> = BTreeMap::new();
        for set in labels.iter() {
            *counted.entry(set).or_insert(0) += 1;
        }
        let sets = in_order(labels.count(), counted.keys().copied());
        Self::new(sets, counted.into_values().collect(), false)
    }

    /// All sets of at most [`MOST_ENUMERATED_LABELS`] labels, given those of the training rows.
    pub(crate) fn all(seen: &Self) -> Result<Self> {
        let labels = seen.sets.count();
        check_enumerable(labels)?;
        let mut all: Vec<Vec<u32>> = (0..1_usize << labels).map(members).collect();
        all.sort_unstable();
        let sets = in_order(labels, all.iter().map(Vec::as_slice));
        let count = |set: &[u32]| seen.position(set).map_or(0, |own| seen.counts[own]);
        let counts = sets.iter().map(count).collect();
        Ok(Self::new(sets, counts, true))
    }

    /// The candidates for the sets of training rows. If every row has a set of its own, the sets of the rows say nothing
    /// about those of new rows, and there is none.
    pub(crate) fn of(which: CandidateSets, labels: &Labels) -> Result<Self> {
        let seen = Self::seen(labels);
        match which {
            CandidateSets::All => Self::all(&seen),
            CandidateSets::Seen if seen.counts.iter().all(|&count| count == 1) => {
                Ok(Self::seen(&Labels::empty(labels.count())))
            }
            CandidateSets::Seen => Ok(seen),
        }
    }

    /// The candidates as classes of the training rows; none unless every row has one of at least two.
    pub(crate) fn classes(&self, labels: &Labels) -> Option<SetClasses> {
        let positions = labels.iter().map(|set| self.position(set));
        let of_rows: Option<Vec<u32>> = positions.map(|set| set.map(|set| set as u32)).collect();
        let count = self.len();
        of_rows
            .filter(|_| count > 1)
            .map(|of_rows| SetClasses { of_rows, count })
    }

    /// Sets that ascend, with the number of rows of each.
    pub(super) fn new(sets: Labels, counts: Vec<usize>, are_all: bool) -> Self {
        Self {
            trie: Trie::new(&sets),
            sets,
            counts,
            are_all,
        }
    }

    /// Number of sets, m.
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The sets, m×q.
    pub(crate) fn sets(&self) -> &Labels {
        &self.sets
    }

    /// Training rows with each set.
    pub(crate) fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Whether there is no other set.
    pub(crate) fn are_all(&self) -> bool {
        self.are_all
    }

    pub(super) fn trie(&self) -> &Trie {
        &self.trie
    }

    /// The position of a set, if it is a candidate.
    pub(crate) fn position(&self, set: &[u32]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.sets.row(middle).cmp(set) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// Fails if there are too many labels to enumerate all sets.
fn check_enumerable(labels: usize) -> Result<()> {
    if labels <= MOST_ENUMERATED_LABELS {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter: "candidates",
        expected: format!("seen for more than {MOST_ENUMERATED_LABELS} labels"),
        found: format!("all for {labels}"),
    })
}

/// The labels whose bits are set.
fn members(code: usize) -> Vec<u32> {
    (0..usize::BITS)
        .filter(|label| code >> label & 1 == 1)
        .collect()
}

fn in_order<'a>(labels: usize, ascending: impl Iterator<Item = &'a [u32]>) -> Labels {
    let mut sets = Labels::empty(labels);
    for set in ascending {
        sets.push_row(set.iter().map(|&label| label as usize));
    }
    sets
}
