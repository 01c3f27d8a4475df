//! The end of a server: threads are told to stop, and requests are waited for.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A flag that ends the waiting of threads.
#[derive(Default)]
pub(crate) struct Stop {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    pub(crate) fn raise(&self) {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for a time, or less if the flag is raised, and says whether it is.
    pub(crate) fn wait(&self, most: Duration) -> bool {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(raised, most, |raised| !*raised);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Ends when the system asks the process to stop, by SIGTERM or SIGINT.
#[cfg(unix)]
pub(crate) fn signals() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => (),
            _ = interrupted.recv() => (),
        }
    })
}

/// Ends when the user asks the process to stop.
#[cfg(not(unix))]
pub(crate) fn signals() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
