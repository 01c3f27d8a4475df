//! Which label sets the originals have, and how many rows of each.
//!
//! Counted from the public files; the tests on real data count again.

use super::Twin;
use crate::Labels;
use crate::Stream;

/// The labels of an original and its label sets with their numbers of rows.
pub(super) struct Census {
    /// A name for each label.
    pub(super) names: &'static [&'static str],
    /// A digit for each label, 1 if it is in the set, and the number of rows; the most frequent first.
    counts: &'static [(&'static str, usize)],
}

impl Census {
    /// For each row the number of its label set, in random order.
    pub(super) fn rows(&self, stream: &mut Stream) -> Vec<usize> {
        let sets = self.counts.iter().enumerate();
        let mut rows: Vec<usize> = sets
            .flat_map(|(set, &(_, count))| std::iter::repeat_n(set, count))
            .collect();
        stream.shuffle(&mut rows);
        rows
    }

    /// The labels of each label set.
    pub(super) fn sets(&self) -> impl ExactSizeIterator<Item = Vec<usize>> {
        self.counts.iter().map(|(digits, _)| {
            let labels = digits.bytes().enumerate();
            let members = labels.filter(|&(_, digit)| digit == b'1');
            members.map(|(label, _)| label).collect()
        })
    }

    /// The label matrix of rows with the given label sets.
    pub(super) fn labels(&self, rows: &[usize]) -> Labels {
        let sets: Vec<Vec<usize>> = self.sets().collect();
        let mut labels = Labels::empty(self.names.len());
        for &set in rows {
            labels.push_row(sets[set].iter().copied());
        }
        labels
    }
}

impl Twin {
    pub(super) fn census(self) -> Census {
        match self {
            Self::Emotions => EMOTIONS,
            Self::Scene => SCENE,
            Self::Medical => MEDICAL,
        }
    }
}

#[rustfmt::skip]
const EMOTIONS: Census = Census {
    names: &[
        "amazed-suprised", "happy-pleased", "relaxing-calm", "quiet-still", "sad-lonely",
        "angry-aggresive",
    ],
    counts: &[
        ("100001", 81), ("011000", 74), ("000001", 72), ("001110", 67), ("001000", 42),
        ("110000", 38), ("000110", 37), ("001100", 30), ("001010", 25), ("100000", 24),
        ("010000", 23), ("000010", 12), ("000011", 12), ("111000", 11), ("110001", 7),
        ("100010", 6), ("011100", 6), ("010001", 5), ("000100", 5), ("100011", 4), ("001011", 3),
        ("001001", 3), ("101000", 2), ("010100", 1), ("010010", 1), ("001101", 1), ("000111", 1),
    ],
};

#[rustfmt::skip]
const SCENE: Census = Census {
    names: &[
        "Beach", "Sunset", "FallFoliage", "Field", "Mountain", "Urban",
    ],
    counts: &[
        ("000010", 405), ("000001", 405), ("100000", 369), ("010000", 364), ("001000", 360),
        ("000100", 327), ("000110", 75), ("100010", 38), ("001100", 23), ("100001", 19),
        ("001010", 13), ("000101", 6), ("100100", 1), ("001110", 1), ("000011", 1),
    ],
};

#[rustfmt::skip]
const MEDICAL: Census = Census {
    names: &[
        "Class-0-593_70", "Class-4-753_0", "Class-9-599_0", "Class-24-596_54", "Class-31-780_6",
        "Class-32-486", "Class-36-788_30", "Class-41-591", "Class-43-279_12", "Class-44-786_07",
    ],
    counts: &[
        ("0100000000", 168), ("0010000000", 102), ("1000000000", 86), ("0100010000", 82),
        ("0000100000", 69), ("0000000100", 51), ("0000010000", 48), ("0001000000", 42),
        ("0000000010", 31), ("0000000001", 24), ("0000001100", 16), ("0000001000", 15),
        ("0100000001", 12), ("1000001000", 6), ("1000000100", 6), ("1010000000", 4),
        ("0100010001", 4), ("0001000100", 4), ("0010001000", 2), ("0010000100", 2),
        ("0010000010", 2), ("0001001000", 2), ("0000010001", 2), ("0000001010", 2),
        ("1001000000", 1), ("0010010000", 1), ("0000100001", 1),
    ],
};
