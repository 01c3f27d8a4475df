//! How long work is told to stop before its end.
//!
//! The threads of a pool carry a flag; work looks at it wherever a piece of it ends, and fails if it is raised. Work
//! on threads without a flag is never stopped.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

/// A flag that tells work to stop, shared between those who may raise it and the threads that look at it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

thread_local! {
    static OF_THREAD: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

impl Stop {
    /// Tells the work to stop.
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// From now on this thread looks at the flag.
    pub(crate) fn watch(&self) {
        OF_THREAD.set(Some(self.clone()));
    }

    fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Fails if the work of this thread was told to stop.
pub(crate) fn check_stop() -> Result<()> {
    let raised = OF_THREAD.with_borrow(|stop| stop.as_ref().is_some_and(Stop::is_raised));
    if raised { Err(Error::Stopped) } else { Ok(()) }
}
