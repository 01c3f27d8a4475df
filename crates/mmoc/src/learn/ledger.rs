//! Which methods use which shared parts of a training set, and how long these took to compute.
//!
//! Shared parts are computed once and kept, so the first method to use one would be charged for all others. The
//! ledger charges every method that uses a part with the time of that part and of those it depends on.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::ridge::RidgeRecord;

/// A part of a training set that methods share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SharedPart {
    Folds,
    Factorisation,
    Rotation,
    PlainBasis,
    RidgeBackend,
    LabelRidge,
    Classifiers,
    OutOfFold,
}

const PARTS: usize = SharedPart::OutOfFold as usize + 1;

/// The shared parts that a method used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// Seconds it took to compute the parts, whichever method used them first.
    pub seconds: f64,
    /// Whether they include the label classifiers.
    pub classifiers: bool,
    /// Whether they include folds of the label classifiers fitted separately, not for a choice of penalties.
    pub out_of_fold: bool,
    /// Convergence of the ridge regressions of the method, shared or not, if they are iterative.
    pub ridge: Option<RidgeRecord>,
}

/// Times and uses of each part.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Seconds spent on a part itself, without those it depends on, as the bits of an `f64`.
    seconds: [AtomicU64; PARTS],
    /// The parts that each depends on, as a bit set.
    dependencies: [AtomicU8; PARTS],
    /// The parts used since the last account.
    used: AtomicU8,
    /// Convergence of ridge regressions that are not shared, since the last account.
    own_ridge: Mutex<Option<RidgeRecord>>,
}

impl Ledger {
    /// Records the use of a part that has been computed.
    pub(super) fn reuse(&self, part: SharedPart) {
        let sources = self.dependencies[part as usize].load(Ordering::Relaxed);
        self.used.fetch_or(bit(part) | sources, Ordering::Relaxed);
    }

    /// Computes a part; records its time and the parts used on the way.
    pub(super) fn compute<T>(&self, part: SharedPart, compute: impl FnOnce() -> T) -> T {
        let (before, spent) = (self.used.swap(0, Ordering::Relaxed), self.total());
        let start = Instant::now();
        let value = compute();
        let elsewhere = self.total() - spent;
        let own = (start.elapsed().as_secs_f64() - elsewhere).max(0.0);
        self.seconds[part as usize].store(own.to_bits(), Ordering::Relaxed);
        let sources = self.used.load(Ordering::Relaxed);
        self.dependencies[part as usize].store(sources, Ordering::Relaxed);
        self.used.fetch_or(before | bit(part), Ordering::Relaxed);
        value
    }

    /// Seconds spent on all parts so far.
    pub(super) fn total(&self) -> f64 {
        self.seconds_of(u8::MAX)
    }

    /// Records an iterative ridge regression that is not shared.
    pub(super) fn note(&self, record: Option<&RidgeRecord>) {
        if let Some(record) = record {
            self.own_ridge().get_or_insert_default().merge(record);
        }
    }

    /// The usage since the last account; starts a new account. `label_ridge` is the record of the shared regressions.
    pub(super) fn settle(&self, label_ridge: Option<&RidgeRecord>) -> Usage {
        let used = self.used.swap(0, Ordering::Relaxed);
        let uses = |part| used & bit(part) != 0;
        let mut ridge = self.own_ridge().take();
        if let Some(shared) = label_ridge.filter(|_| uses(SharedPart::LabelRidge)) {
            ridge.get_or_insert_default().merge(shared);
        }
        Usage {
            seconds: self.seconds_of(used),
            classifiers: uses(SharedPart::Classifiers),
            out_of_fold: uses(SharedPart::OutOfFold),
            ridge,
        }
    }

    fn own_ridge(&self) -> MutexGuard<'_, Option<RidgeRecord>> {
        // A record is consistent between any two changes, even if a thread panicked while holding the lock.
        self.own_ridge
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn seconds_of(&self, parts: u8) -> f64 {
        let all = self.seconds.iter().enumerate();
        all.filter(|(part, _)| parts >> part & 1 == 1)
            .map(|(_, seconds)| f64::from_bits(seconds.load(Ordering::Relaxed)))
            .sum()
    }
}

fn bit(part: SharedPart) -> u8 {
    1 << part as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_of_a_part_is_charged_for_it_and_its_dependencies() {
        let ledger = Ledger::default();
        ledger.compute(SharedPart::Rotation, || {
            ledger.compute(SharedPart::Factorisation, || {
                std::thread::sleep(std::time::Duration::from_millis(5));
            });
        });
        let first = ledger.settle(None);
        assert!(first.seconds >= 0.005 && !first.classifiers);
        assert_eq!(first.seconds, ledger.total());
        assert_eq!(ledger.settle(None).seconds, 0.0);
        ledger.reuse(SharedPart::Rotation);
        assert_eq!(ledger.settle(None), first);
    }

    #[test]
    fn unused_parts_are_not_charged() {
        let ledger = Ledger::default();
        ledger.compute(SharedPart::Factorisation, || ());
        ledger.compute(SharedPart::Classifiers, || {
            std::thread::sleep(std::time::Duration::from_millis(5));
        });
        assert!(ledger.settle(None).classifiers);
        ledger.reuse(SharedPart::Factorisation);
        let usage = ledger.settle(None);
        assert!(!usage.classifiers && usage.seconds < ledger.total());
    }

    #[test]
    fn a_method_is_charged_for_its_own_regressions_and_the_shared_ones_it_uses() {
        let record = |regressions| RidgeRecord {
            regressions,
            ..RidgeRecord::default()
        };
        let ledger = Ledger::default();
        let shared = record(5);
        let settled = || {
            ledger
                .settle(Some(&shared))
                .ridge
                .map(|ridge| ridge.regressions)
        };
        ledger.compute(SharedPart::LabelRidge, || ());
        ledger.note(Some(&record(2)));
        assert_eq!(settled(), Some(7));
        ledger.note(Some(&record(3)));
        assert_eq!(settled(), Some(3));
        ledger.reuse(SharedPart::LabelRidge);
        assert_eq!(settled(), Some(5));
        assert_eq!(settled(), None);
    }
}
