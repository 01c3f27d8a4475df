//! The words of a page, in the three ways in which text is written.

use super::delta::Delta;
use super::fault::{Fault, Found};
use super::values::with_length;

/// The place in the words of a page; the bytes are given to each call.
#[derive(Debug)]
pub(super) struct Words {
    /// Where the next bytes of text are.
    position: usize,
    lengths: Lengths,
    /// How many bytes each word shares with the one before it, and that one.
    shared: Option<(Delta, Vec<u8>)>,
}

#[derive(Debug)]
enum Lengths {
    /// Before each word.
    Inline,
    /// Before all words.
    Apart(Delta),
}

impl Words {
    /// Words with their length before them.
    pub(super) fn plain(start: usize) -> Self {
        Self {
            position: start,
            lengths: Lengths::Inline,
            shared: None,
        }
    }

    /// At most `most` words after all their lengths.
    pub(super) fn with_lengths(bytes: &[u8], start: usize, most: usize) -> Found<Self> {
        Ok(Self {
            position: end_of(bytes, start, most)?,
            lengths: Lengths::Apart(Delta::new(bytes, start)?),
            shared: None,
        })
    }

    /// At most `most` words, of which only the part is written that differs from the one before.
    pub(super) fn incremental(bytes: &[u8], start: usize, most: usize) -> Found<Self> {
        let rest = end_of(bytes, start, most)?;
        let words = Self::with_lengths(bytes, rest, most)?;
        let shared = Delta::new(bytes, start)?;
        Ok(Self {
            shared: Some((shared, Vec::new())),
            ..words
        })
    }

    /// The next word.
    pub(super) fn next<'a>(&'a mut self, bytes: &'a [u8]) -> Found<&'a str> {
        let (start, end) = match &mut self.lengths {
            Lengths::Inline => with_length(bytes, self.position)?,
            Lengths::Apart(lengths) => {
                let length = usize::try_from(lengths.next(bytes)?).ok();
                let end = length.and_then(|length| self.position.checked_add(length));
                (self.position, end.ok_or_else(Fault::too_short)?)
            }
        };
        self.position = end;
        let written = bytes.get(start..end).ok_or_else(Fault::too_short)?;
        match &mut self.shared {
            None => text(written),
            Some((shared, word)) => {
                let kept = usize::try_from(shared.next(bytes)?).unwrap_or(usize::MAX);
                if kept > word.len() {
                    return Err(Fault::damaged("a word that begins like no other"));
                }
                word.truncate(kept);
                word.extend_from_slice(written);
                text(word)
            }
        }
    }
}

/// Where a sequence of at most `most` differences ends.
fn end_of(bytes: &[u8], start: usize, most: usize) -> Found<usize> {
    let mut delta = Delta::new(bytes, start)?;
    if delta.left() > most {
        return Err(Fault::damaged("more words than cells"));
    }
    while delta.left() > 0 {
        delta.next(bytes)?;
    }
    Ok(delta.position())
}

fn text(bytes: &[u8]) -> Found<&str> {
    std::str::from_utf8(bytes).map_err(|_| Fault::new("UTF-8 text", "other bytes"))
}
