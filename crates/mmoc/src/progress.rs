//! Progress reports of long operations. The library itself never prints.

/// Receives the progress of long operations, from several threads at once.
pub trait Progress: Sync {
    /// An operation with `total` steps begins.
    fn begin(&self, total: usize);
    /// One step has ended.
    fn advance(&self);
    /// The current stage, such as "fitting models". The default implementation ignores it.
    fn stage(&self, _name: &str) {}
}

/// An observer that a training set can hold.
#[derive(Clone, Copy)]
pub(crate) struct Observer<'a>(pub(crate) &'a dyn Progress);

impl std::fmt::Debug for Observer<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Observer")
    }
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _total: usize) {}
    fn advance(&self) {}
}
