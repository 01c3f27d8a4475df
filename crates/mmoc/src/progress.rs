//! How long work tells an observer where it is. The library itself never prints.

/// Receives the progress of long work, from several threads at once.
pub trait Progress: Sync {
    /// Work of `total` steps begins.
    fn begin(&self, total: usize);
    /// One step has ended.
    fn advance(&self);
    /// What the work is at now, such as "fitting models"; those who only count may ignore it.
    fn stage(&self, _name: &str) {}
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _total: usize) {}
    fn advance(&self) {}
}
