//! Rows of the form `label,label index:value index:value …`.

use crate::cell::{NUMBER, number};
use crate::lines::Line;
use crate::{Error, Result};
use mmoc::text::excerpt;

/// The grammar of a format's rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairGrammar<'a> {
    /// The index of the first column.
    pub(super) first_index: u64,
    /// One more than the index of the last column there can be.
    pub(super) end_index: u64,
    /// The labels there can be.
    pub(super) labels: KnownLabels<'a>,
}

/// Which labels a row can carry.
#[derive(Debug, Clone, Copy)]
pub(super) enum KnownLabels<'a> {
    /// Any whole number.
    Any,
    /// The numbers from zero to below this one.
    Below(u64),
    /// These numbers, ascending.
    Among(&'a [u64]),
}

/// A row as it was read.
#[derive(Debug, Default)]
pub(super) struct PairRow {
    /// The labels, ascending.
    pub(super) labels: Vec<u64>,
    /// Columns from zero, ascending, with their numbers; zeros too if they are written.
    pub(super) entries: Vec<(usize, f64)>,
}

/// A piece of a line between white space.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    start: usize,
}

impl KnownLabels<'_> {
    fn contain(self, label: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Below(end) => label < end,
            Self::Among(known) => known.binary_search(&label).is_ok(),
        }
    }

    fn expected(self) -> String {
        const SHOWN: usize = 5;
        match self {
            Self::Any => "a label: a whole number from 0".to_owned(),
            Self::Below(end) => format!("a label: a whole number from 0 to {}", end - 1),
            Self::Among(known) if known.last() == Some(&(known.len() as u64 - 1)) => {
                Self::Below(known.len() as u64).expected()
            }
            Self::Among(known) => {
                let shown: Vec<String> = known.iter().take(SHOWN).map(u64::to_string).collect();
                let more = if known.len() > SHOWN { ", …" } else { "" };
                format!("a label: one of {}{more}", shown.join(", "))
            }
        }
    }
}

impl PairGrammar<'_> {
    /// Reads the row of a line into `row`, in place of what it held.
    ///
    /// The labels are the first piece, unless that is a pair: such a row carries none. A pair `qid:number`, which
    /// groups rows for learning to rank, means nothing here. Pairs stand in any order.
    pub(super) fn read(self, line: Line<'_>, row: &mut PairRow) -> Result<()> {
        row.labels.clear();
        row.entries.clear();
        let mut pieces = pieces(line.text).peekable();
        if let Some(labels) = pieces.next_if(|piece| !piece.text.contains(':')) {
            self.read_labels(line, labels, &mut row.labels)?;
        }
        for piece in pieces.filter(|piece| !piece.text.starts_with("qid:")) {
            let entry = self.read_pair(line, piece)?;
            row.entries.push(entry);
        }
        if !row.entries.is_sorted_by(|one, other| one.0 < other.0) {
            row.entries.sort_by_key(|&(column, _)| column);
            self.check_once(line, &row.entries)?;
        }
        Ok(())
    }

    fn check_once(self, line: Line<'_>, entries: &[(usize, f64)]) -> Result<()> {
        let mut pairs = entries.windows(2);
        match pairs.find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(()),
            Some(pair) => {
                let index = pair[0].0 as u64 + self.first_index;
                let pieces = pieces(line.text).filter(|piece| piece.text.contains(':'));
                let starts_so = |piece: &Piece<'_>| piece.text.starts_with(&format!("{index}:"));
                let again = pieces.filter(starts_so).nth(1);
                let start = again.map_or(0, |piece| piece.start);
                Err(line.error(start, "each index once", format!("{index} again")))
            }
        }
    }

    fn read_labels(self, line: Line<'_>, piece: Piece<'_>, labels: &mut Vec<u64>) -> Result<()> {
        let mut start = piece.start;
        for text in piece.text.split(',') {
            let label = label_number(text).filter(|&label| self.labels.contain(label));
            let label =
                label.ok_or_else(|| line.error(start, self.labels.expected(), shown(text)))?;
            labels.push(label);
            start += text.len() + 1;
        }
        labels.sort_unstable();
        match labels.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let found = format!("{} again", pair[0]);
                Err(line.error(piece.start, "each label once", found))
            }
        }
    }

    fn read_pair(self, line: Line<'_>, piece: Piece<'_>) -> Result<(usize, f64)> {
        let Some((index, value)) = piece.text.split_once(':') else {
            return Err(line.error(piece.start, "index:value", excerpt(piece.text)));
        };
        let column = self.read_index(line, index, piece.start)?;
        let place = piece.start + index.len() + 1;
        let value = number(value).ok_or_else(|| line.error(place, NUMBER, shown(value)))?;
        Ok((column, value))
    }

    fn read_index(self, line: Line<'_>, text: &str, start: usize) -> Result<usize> {
        let index = natural_number(text);
        if index == Some(0) && self.first_index == 1 {
            return Err(line.error(start, "an index from 1 on", "0"));
        }
        let column = index
            .filter(|index| (self.first_index..self.end_index).contains(index))
            .and_then(|index| usize::try_from(index - self.first_index).ok());
        column.ok_or_else(|| self.no_index(line, text, start))
    }

    fn no_index(self, line: Line<'_>, text: &str, start: usize) -> Error {
        let (first, end) = (self.first_index, self.end_index);
        let expected = format!("an index from {first} to {}", end - 1);
        line.error(start, expected, shown(text))
    }
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut next = 0;
    let pieces = text.split(|character: char| character.is_ascii_whitespace());
    pieces.filter_map(move |text| {
        let start = next;
        next += text.len() + 1;
        (!text.is_empty()).then_some(Piece { text, start })
    })
}

/// A whole number written in digits alone.
pub(super) fn natural_number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// The number of a label, which some programs write as `+1` or `1.0`.
fn label_number(text: &str) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    natural_number(whole)
}

/// The numbers that labels of these names are called by in LIBSVM files: their names, if those are
/// ascending numbers; otherwise numbers from zero.
pub fn label_numbers(names: &[String]) -> Vec<u64> {
    let number = |name: &String| natural_number(name).filter(|number| &number.to_string() == name);
    let numbers: Option<Vec<u64>> = names.iter().map(number).collect();
    numbers
        .filter(|numbers| numbers.is_sorted())
        .unwrap_or_else(|| (0..names.len() as u64).collect())
}

/// Text as messages show it; where it is empty, that.
pub(super) fn shown(text: &str) -> String {
    if text.is_empty() {
        "nothing".to_owned()
    } else {
        excerpt(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Result<PairRow> {
        let grammar = PairGrammar {
            first_index: 1,
            end_index: 10,
            labels: KnownLabels::Any,
        };
        let line = Line {
            file: "f",
            number: 1,
            text,
            ending: "",
        };
        let mut row = PairRow::default();
        grammar.read(line, &mut row).map(|()| row)
    }

    #[test]
    fn labels_come_first_if_there_are_any() {
        let with = row("3,1 1:0.5\t9:-1").unwrap();
        assert_eq!(with.labels, [1, 3]);
        assert_eq!(with.entries, [(0, 0.5), (8, -1.0)]);
        for text in ["1:0.5", "  1:0.5 "] {
            let without = row(text).unwrap();
            assert_eq!((without.labels.len(), without.entries.len()), (0, 1));
        }
        assert_eq!(row("7").unwrap().labels, [7]);
    }

    #[test]
    fn indices_occur_once_from_the_first_to_the_last() {
        for text in [
            "0:1",
            "10:1",
            "2:1 2:1",
            "2:1 1:1 2:3",
            "-1:1",
            "+1:1",
            ":1",
        ] {
            assert!(row(text).is_err(), "{text}");
        }
        let message = row("7 2:1 1:1 2:3").unwrap_err().to_string();
        assert_eq!(message, "f:1:11: expected each index once, found 2 again");
        assert_eq!(row("2:5 1:4").unwrap().entries, [(0, 4.0), (1, 5.0)]);
    }

    #[test]
    fn other_programs_write_labels_and_queries_their_way() {
        let found = row("+1,2.0,3. qid:7 1:4").unwrap();
        assert_eq!(found.labels, [1, 2, 3]);
        assert_eq!(found.entries, [(0, 4.0)]);
        for text in ["-1 1:1", "1.5 1:1", "++1 1:1", "+ 1:1"] {
            assert!(row(text).is_err(), "{text}");
        }
    }
}
