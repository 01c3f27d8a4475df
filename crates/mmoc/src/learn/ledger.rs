//! Who used which shared part of a training set, and how long it took to compute.
//!
//! Parts are computed once and kept, so the method that asks first would pay for all others. The ledger
//! charges every method that uses a part with the time of it and of the parts it was made from.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

/// A part of a training set that methods share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Factorisation,
    Rotation,
    PlainBasis,
    RidgeSystem,
    LabelRidge,
    Classifiers,
    OutOfFold,
}

const PARTS: usize = Part::OutOfFold as usize + 1;

/// What a method took of the shared parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// Seconds it took to compute the parts, whichever method asked for them first.
    pub seconds: f64,
    /// Whether the label classifiers are among them.
    pub classifiers: bool,
    /// Whether folds of the label classifiers are among them that were fitted by themselves, not for a choice of penalties.
    pub out_of_fold: bool,
}

/// Seconds and uses of each part.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Seconds spent on a part itself, without those it was made from, as the bits of an `f64`.
    seconds: [AtomicU64; PARTS],
    /// The parts that each was made from, a bit for each.
    made_from: [AtomicU8; PARTS],
    /// The parts used since the last account.
    used: AtomicU8,
}

impl Ledger {
    /// Notes that a part which is there was used.
    pub(super) fn reuse(&self, part: Part) {
        let sources = self.made_from[part as usize].load(Ordering::Relaxed);
        self.used.fetch_or(bit(part) | sources, Ordering::Relaxed);
    }

    /// Computes a part and notes its time and the parts used on the way.
    pub(super) fn compute<T>(&self, part: Part, compute: impl FnOnce() -> T) -> T {
        let (before, spent) = (self.used.swap(0, Ordering::Relaxed), self.total());
        let start = Instant::now();
        let value = compute();
        let elsewhere = self.total() - spent;
        let own = (start.elapsed().as_secs_f64() - elsewhere).max(0.0);
        self.seconds[part as usize].store(own.to_bits(), Ordering::Relaxed);
        let sources = self.used.load(Ordering::Relaxed);
        self.made_from[part as usize].store(sources, Ordering::Relaxed);
        self.used.fetch_or(before | bit(part), Ordering::Relaxed);
        value
    }

    /// Seconds spent on all parts so far.
    pub(super) fn total(&self) -> f64 {
        self.seconds_of(u8::MAX)
    }

    /// What was used since the last account, and a new account.
    pub(super) fn settle(&self) -> Usage {
        let used = self.used.swap(0, Ordering::Relaxed);
        Usage {
            seconds: self.seconds_of(used),
            classifiers: used & bit(Part::Classifiers) != 0,
            out_of_fold: used & bit(Part::OutOfFold) != 0,
        }
    }

    fn seconds_of(&self, parts: u8) -> f64 {
        let all = self.seconds.iter().enumerate();
        all.filter(|(part, _)| parts >> part & 1 == 1)
            .map(|(_, seconds)| f64::from_bits(seconds.load(Ordering::Relaxed)))
            .sum()
    }
}

fn bit(part: Part) -> u8 {
    1 << part as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_charged_with_what_it_was_made_from_to_everyone_who_uses_it() {
        let ledger = Ledger::default();
        ledger.compute(Part::Rotation, || {
            ledger.compute(Part::Factorisation, || {
                std::thread::sleep(std::time::Duration::from_millis(5));
            });
        });
        let first = ledger.settle();
        assert!(first.seconds >= 0.005 && !first.classifiers);
        assert_eq!(first.seconds, ledger.total());
        assert_eq!(ledger.settle().seconds, 0.0);
        ledger.reuse(Part::Rotation);
        assert_eq!(ledger.settle(), first);
    }

    #[test]
    fn parts_that_were_not_used_are_not_charged() {
        let ledger = Ledger::default();
        ledger.compute(Part::Factorisation, || ());
        ledger.compute(Part::Classifiers, || {
            std::thread::sleep(std::time::Duration::from_millis(5));
        });
        assert!(ledger.settle().classifiers);
        ledger.reuse(Part::Factorisation);
        let usage = ledger.settle();
        assert!(!usage.classifiers && usage.seconds < ledger.total());
    }
}
