//! Cancellation of long operations.
//!
//! The threads of a pool share a flag. Operations check it at regular intervals and fail if it is raised. Threads
//! without a flag are never stopped.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

/// A flag that stops an operation, shared by its owner and the threads that check it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

thread_local! {
    static OF_THREAD: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

impl Stop {
    /// Stops the operation.
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Makes this thread check the flag.
    pub(crate) fn watch(&self) {
        OF_THREAD.set(Some(self.clone()));
    }

    fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Fails if the operation of this thread was stopped.
pub(crate) fn check_stop() -> Result<()> {
    let raised = OF_THREAD.with_borrow(|stop| stop.as_ref().is_some_and(Stop::is_raised));
    if raised { Err(Error::Stopped) } else { Ok(()) }
}
